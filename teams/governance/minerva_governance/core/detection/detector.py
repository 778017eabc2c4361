"""Find personal data in text by the form and the exact check of each kind.

Plain compiled expressions: a column scan looks at hundreds of thousands of cells. Every expression
of the tables is linear in the text, because the text is not ours.

Scores: 1.0 means the check digit is right (or the form cannot be anything else), 0.5 that only
the form fits. A resident number issued since October 2020 has no check digit, so 0.5 is still
a finding in a column named after it.
"""

import re
import unicodedata
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

from minerva_governance.core.detection.ciphertext import decoded
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.phone import phone_region
from minerva_governance.core.detection.value_check import CERTAIN, FORM_ONLY, score
from minerva_governance.core.kinds.catalogue import Catalogue, bundled, catalogue
from minerva_governance.core.kinds.extra import has_extra
from minerva_governance.core.kinds.kind import Kind

__all__ = ["CERTAIN", "FORM_ONLY", "WEAK_ALONE", "Match", "find", "find_in_cell", "normalised"]

_MIN_CODE_CHARACTERS = 12
"""Of base64 that holds a phone number."""
_MAX_CONTEXT_CHARACTERS = 40
"""Between the word that makes a weak value believed and the value."""


class Match(NamedTuple):
    """Personal data at `start:end` of the text that `normalised` gives."""

    entity: Entity
    start: int
    end: int
    score: float
    region: str = ""
    """Of a phone number: the country whose plan it follows, ISO 3166-1."""


_ALONE = r"(?<![0-9A-Za-z_])"  # a digit run inside a longer number or a code is no match
_ENDS = r"(?![0-9A-Za-z_])"
_NOT_AFTER_PART = r"(?<![0-9][-.])(?<![0-9A-Za-z]\+)"  # 2026-02-123-4567 is no phone number
_NOT_BEFORE_PART = r"(?!-[0-9]|:[0-9A-Fa-f]|\.[0-9]+\.[0-9])"
_MAY_HOLD = re.compile(r"[0-9@]|[^\x00-\x7f가-힣]")
"""Latin letters and Hangul alone hold nothing: most cells end here, before they are normalised."""
_LONG_NUMBER = re.compile(r"[0-9](?:[-.:/ )A-Za-z]{0,3}[0-9]){5}|:[0-9A-Fa-f]{0,4}:")

_FOLD = {
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
    **dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD, 0), ""),
}


def normalised(text: str) -> str:
    """Fold full-width digits, dashes of all kinds and invisible characters.

    What a person reads as a resident number must not hide behind another code point.
    """
    if text.isascii() and "\0" not in text:
        return text
    return unicodedata.normalize("NFKC", text).translate(_FOLD)


class _Form(NamedTuple):
    """A kind with its expression, between ends that no longer number has."""

    kind: Kind
    pattern: re.Pattern[str]


def _bounded(kind: Kind) -> _Form:
    if kind.mask == "email":  # a dash or a dot may stand before it, and no part of one
        pattern = rf"(?<![A-Za-z0-9._%+-])(?:{kind.form})(?![A-Za-z0-9_-])"
    else:
        pattern = rf"{_ALONE}{_NOT_AFTER_PART}(?:{kind.form}){_NOT_BEFORE_PART}{_ENDS}"
    return _Form(kind, re.compile(pattern))


class _Detectors:
    """The expressions of one catalogue."""

    def __init__(self, known: Catalogue) -> None:
        self.kinds = dict(known.kinds)

    @cached_property
    def alone(self) -> tuple[_Form, ...]:
        found = [_bounded(k) for k in self.kinds.values() if k.value == "alone" and k.form]
        order = {kind_id: at for at, kind_id in enumerate(_TRUSTED)}
        return tuple(sorted(found, key=lambda form: order.get(form.kind.id, len(order))))

    @cached_property
    def locator(self) -> re.Pattern[str]:
        """Where any kind may begin; each is asked there by itself."""
        return re.compile("|".join(f"(?:{form.pattern.pattern})" for form in self.alone))

    @cached_property
    def own(self) -> bool:
        """True if a person added kinds: their values may have neither digit nor @."""
        return any(form.kind.id not in bundled().kinds for form in self.alone)

    @cached_property
    def weak(self) -> dict[Entity, re.Pattern[str]]:
        return {k.id: re.compile(k.form) for k in self.kinds.values() if k.value == "weak"}

    @cached_property
    def in_context(self) -> tuple[tuple[re.Pattern[str], _Form], ...]:
        return tuple(
            (re.compile(kind.context, re.IGNORECASE), _bounded(kind))
            for kind in self.kinds.values()
            if kind.value == "weak" and kind.context
        )

    @cached_property
    def contexts(self) -> re.Pattern[str]:
        words = (kind.context for kind in self.kinds.values() if kind.context)
        return re.compile("|".join(words) or r"(?!)", re.IGNORECASE)

    @cached_property
    def named(self) -> dict[Entity, re.Pattern[str]]:
        return {
            kind.id: re.compile(kind.named or kind.form)
            for kind in self.kinds.values()
            if kind.named or kind.form
        }


_TRUSTED = (
    *("EMAIL", "KR_RRN", "KR_FRN", "FR_NIR", "CH_AHV", "CREDIT_CARD", "KR_BRN", "IBAN_CODE"),
    *("IT_FISCAL_CODE", "PHONE"),
)
"""In order of trust: what an earlier one took, a later one leaves."""

_DETECTORS: WeakKeyDictionary[Catalogue, _Detectors] = WeakKeyDictionary()


def _detectors() -> _Detectors:
    known = catalogue()
    detectors = _DETECTORS.get(known)
    if detectors is None:
        detectors = _DETECTORS.setdefault(known, _Detectors(known))
    return detectors


def find(text: str) -> list[Match]:
    """Return all personal data in `text`, ordered, not overlapping.

    Positions are those of `normalised(text)`.
    """
    detectors = _detectors()
    if not detectors.own and not _MAY_HOLD.search(text):
        return []
    text = normalised(text)
    if not detectors.own and "@" not in text and not _LONG_NUMBER.search(text):
        return []
    found = _strong(text, detectors)
    if detectors.contexts.search(text):
        found = _with_context(text, found, detectors)
    return found


def _strong(text: str, detectors: _Detectors) -> list[Match]:
    found: list[Match] = []
    at = 0
    while hit := detectors.locator.search(text, at):
        match = _match_at(text, hit.start(), detectors.alone)
        if match is None:
            at = hit.start() + 1
        else:
            found.append(match)
            at = match.end
    return found


def _match_at(text: str, start: int, forms: tuple[_Form, ...]) -> Match | None:
    for kind, pattern in forms:
        hit = pattern.match(text, start)
        if hit is not None:
            sure = score(kind, hit.group(), named=False)
            if sure is not None:
                return Match(kind.id, start, hit.end(), sure, _region(kind.id, hit.group()))
    return None


def _region(entity: Entity, text: str) -> str:
    return (phone_region(text) or "") if entity == "PHONE" else ""


def _with_context(text: str, found: list[Match], detectors: _Detectors) -> list[Match]:
    """Return `found` with the weak values before which a word tells what they are."""
    for words, (kind, pattern) in detectors.in_context:
        ends = [hit.end() for hit in words.finditer(text)]
        if not ends:
            continue
        for hit in pattern.finditer(text):
            is_told = any(0 <= hit.start() - end <= _MAX_CONTEXT_CHARACTERS for end in ends)
            is_free = all(hit.end() <= m.start or m.end <= hit.start() for m in found)
            sure = score(kind, hit.group(), named=False) if is_told and is_free else None
            if sure is not None:
                found.append(Match(kind.id, hit.start(), hit.end(), sure))
    return sorted(found, key=lambda match: match.start)


WEAK_ALONE: dict[Entity, re.Pattern[str]] = _Detectors(bundled()).weak
"""Forms that other numbers have as well: a column full of them is suspected, whatever it is called.

Korean passports begin with the letter of their kind, licences with the region that issued them.
"""


def weak_forms(text: str) -> list[tuple[Entity, float]]:
    """Return the kinds of `WEAK_ALONE` that the whole cell may be, by form and check digit."""
    cell = text.strip()
    if len(cell) > _MAX_CONTEXT_CHARACTERS or not any(map(str.isdigit, cell)):
        return []
    found: list[tuple[Entity, float]] = []
    detectors = _detectors()
    for entity, form in detectors.weak.items():
        if form.fullmatch(cell):
            kind = detectors.kinds[entity]
            sure = (
                None if kind.needs and not has_extra(kind.needs) else score(kind, cell, named=False)
            )
            if sure is not None:
                found.append((entity, sure))
    return found


def has_named_form(entity: Entity) -> bool:
    """True if values of `entity` can be recognised at all, given a telling name."""
    return entity in _detectors().named


def find_in_cell(text: str, named: Entity | None) -> list[tuple[Entity, float]]:
    """Return what one cell holds, each entity once with its best score.

    `named` is what the column's name promises; it admits weak forms that fill the cell. What base64
    or hexadecimal encodes is looked at, too.
    """
    found = _find_in_text(text, named)
    if found or len(text) < _MIN_CODE_CHARACTERS:
        return found
    inner = decoded(text)
    return _find_in_text(inner, named) if inner is not None else found


def _find_in_text(text: str, named: Entity | None) -> list[tuple[Entity, float]]:
    best: dict[Entity, float] = {}
    for match in find(text):
        best[match.entity] = max(match.score, best.get(match.entity, 0.0))
    if named is None or named in best:
        return list(best.items())
    detectors = _detectors()
    form = detectors.named.get(named)
    cell = normalised(text).strip()
    if form is not None and form.fullmatch(cell):
        sure = score(detectors.kinds[named], cell, named=True)
        if sure is not None:
            # A name says more than a form that several kinds share.
            return [(named, sure)]
    return list(best.items())
