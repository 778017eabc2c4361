"""The expressions of all kinds that are known, compiled once for each catalogue.

Plain compiled expressions: a column scan looks at hundreds of thousands of cells. Every expression
of the tables is linear in the text, because the text is not ours.
"""

import re
from functools import cached_property, lru_cache
from typing import NamedTuple

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.kinds.catalogue import Catalogue, bundled_catalogue
from minerva_governance.core.kinds.kind import Kind
from minerva_governance.core.kinds.review_context import current_catalogue
from minerva_governance.core.values.writing import labelled_plain

_BEGINS = (
    r"(?<![0-9A-Za-z_])"  # a digit run inside a longer number or a code is no match
    r"(?<![0-9][-.])"  # 2026-02-123-4567 is no phone number
    r"(?<![0-9A-Za-z]\+)"  # nor is what follows a sum
)
_STOPS = r"(?![0-9A-Za-z_]|-[0-9]|:[0-9A-Fa-f]|\.[0-9]+\.[0-9])"
_AROUND = re.compile(r"\(\?<?[!=](?:\[[^]]*\]|[^()\[\]])*\)|\\b")

EDGES: dict[Entity, tuple[str, str]] = {
    # Of five and more groups of four, the first is an account's or a parcel's.
    "CREDIT_CARD": (
        r"(?<!(?<![0-9])[0-9]{4}[- .])(?<![A-Za-z]{2}[0-9]{2}[- ])",
        r"(?![- .][0-9]{4}(?![0-9]))",
    ),
    # Of seven and more pairs, a fingerprint's.
    "MAC_ADDRESS": (r"(?<![0-9A-Fa-f]{2}[-:])", r"(?![-:][0-9A-Fa-f])"),
    # Of five and more parts, a version's or an object identifier's.
    "IP_ADDRESS": (
        r"(?!(?:(?<=::)|(?<=[0-9A-Fa-f]{4}:)|(?<=:[0-9A-Fa-f]{3}:)|(?<=:[0-9A-Fa-f]{2}:)"
        r"|(?<=:[0-9A-Fa-f]:))[0-9A-Fa-f]{4}:)",
        r"(?!\.[0-9])",
    ),
}
"""What must not stand before and behind a value, because then it is a part of something longer."""


class Form(NamedTuple):
    """A kind with its expression, between ends that no longer number has."""

    kind: Kind
    pattern: re.Pattern[str]


def _compile_bounded(kind: Kind, form: str) -> Form:
    return Form(kind, re.compile(rf"{_BEGINS}(?:{form}){_STOPS}"))


def _address(form: str) -> str:
    """Return the expression of an address that leaves the next one its own part before the @."""
    ends = "[A-Za-z0-9_-]"
    return f"(?:{form})(?!{ends}|@)|(?:{form})(?!{ends})"


def _form_with_edges(kind: Kind) -> str:
    before, after = EDGES.get(kind.id, ("", ""))
    return f"{before}(?:{kind.form}){after}{_STOPS}"


class Detectors:
    """The expressions of one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.kinds = dict(catalogue.kinds)

    @cached_property
    def alone(self) -> tuple[Form, ...]:
        """What is believed anywhere, e-mail addresses aside: their ends are their own."""
        order = {kind_id: at for at, kind_id in enumerate(_TRUSTED)}
        kinds = [k for k in self.kinds.values() if k.form and k.mask != "email"]
        kinds.sort(key=lambda kind: order.get(kind.id, len(order)))
        return tuple(Form(kind, re.compile(_form_with_edges(kind))) for kind in kinds)

    @cached_property
    def email(self) -> tuple[Form, ...]:
        """Addresses, whose ends are their own."""
        return tuple(
            Form(k, re.compile(rf"(?<![A-Za-z0-9._%+-])(?:{_address(k.form)})"))
            for k in self.kinds.values()
            if k.form and k.mask == "email"
        )

    @cached_property
    def email_behind(self) -> dict[Entity, re.Pattern[str]]:
        """The same without its left edge, for an address right behind another one."""
        return {kind.id: re.compile(_address(kind.form)) for kind, _ in self.email}

    @cached_property
    def locator(self) -> re.Pattern[str]:
        """Where a kind may begin; the group `k2` says that `alone[2]` is the first to fit there."""
        forms = (f"(?P<k{at}>(?:{form.kind.form}){_STOPS})" for at, form in enumerate(self.alone))
        return re.compile(f"{_BEGINS}(?:{'|'.join(forms)})")

    @cached_property
    def has_own(self) -> bool:
        """True if a person added kinds: their values may have neither digit nor @."""
        return any(form.kind != bundled_catalogue().get(form.kind.id) for form in self.alone)

    @cached_property
    def weak(self) -> dict[Entity, re.Pattern[str]]:
        """Forms that other values have as well, by kind."""
        return {k.id: re.compile(k.weak) for k in self.kinds.values() if k.weak}

    @cached_property
    def any_weak(self) -> re.Pattern[str]:
        """One of them."""
        return re.compile("|".join(f"(?:{form.pattern})" for form in self.weak.values()))

    @cached_property
    def in_context(self) -> tuple[tuple[re.Pattern[str], Form], ...]:
        """The words that tell a kind, and what they make believed."""
        return tuple(
            (re.compile(kind.context), _compile_bounded(kind, kind.told_form))
            for kind in self.kinds.values()
            if kind.context
        )

    @cached_property
    def contexts(self) -> re.Pattern[str]:
        """What stands in each text that tells of a kind, in small letters, and in some others.

        Without what has to stand before and behind it: `re` searches for mere letters much faster.
        """
        words = (_AROUND.sub("", kind.context) for kind in self.kinds.values() if kind.context)
        return re.compile("|".join(words) or r"(?!)")

    @cached_property
    def named_forms(self) -> dict[Entity, re.Pattern[str]]:
        """What fills the cell of a column named so, by kind."""
        kinds = self.kinds.values()
        return {kind.id: re.compile(kind.named_form) for kind in kinds if kind.named_form}

    @cached_property
    def among_words(self) -> dict[Entity, Form]:
        """The named forms, wherever they stand."""
        kinds = self.kinds.values()
        return {kind.id: _compile_bounded(kind, kind.named_form) for kind in kinds if kind.plain}

    @cached_property
    def joined_forms(self) -> dict[Entity, re.Pattern[str]]:
        """The letters and digits that a check proves in any column, by kind; a group `value`."""
        forms = {kind.id: kind.joined for kind in self.kinds.values() if kind.joined}
        return {
            entity: re.compile(form if "(?P<value>" in form else f"(?P<value>{form})")
            for entity, form in forms.items()
        }

    @cached_property
    def any_joined(self) -> re.Pattern[str]:
        """One of them."""
        forms = (form.pattern.replace("?P<value>", "?:") for form in self.joined_forms.values())
        return re.compile("|".join(f"(?:{form})" for form in forms) or r"(?!)")

    @cached_property
    def lettered_forms(self) -> tuple[Form, ...]:
        """The forms of kinds that a letter proves, wherever they stand in a cell."""
        kinds = self.kinds.values()
        return tuple(
            _compile_bounded(kind, kind.weak) for kind in kinds if kind.joined and not kind.form
        )

    @cached_property
    def plain(self) -> dict[Entity, re.Pattern[str]]:
        """The letters and digits of such a cell, and of a label before them, by kind."""
        kinds = self.kinds.values()
        return {kind.id: re.compile(labelled_plain(kind.plain)) for kind in kinds if kind.plain}


_TRUSTED = (
    *("EMAIL", "KR_RRN", "KR_FRN", "FR_NIR", "CH_AHV", "CREDIT_CARD", "KR_BRN", "IBAN_CODE"),
    *("IT_FISCAL_CODE", "PHONE"),
)
"""In order of trust: what an earlier one took, a later one leaves."""


def current_detectors() -> Detectors:
    """Return the expressions of the kinds that are known in this context."""
    return _detectors_of(current_catalogue())


@lru_cache(maxsize=16)
def _detectors_of(catalogue: Catalogue) -> Detectors:
    return Detectors(catalogue)
