"""Find personal data in text by the form and the exact check of each kind.

Plain compiled expressions: a column scan looks at hundreds of thousands of cells. Every expression
of the tables is linear in the text, because the text is not ours.

Scores: 1.0 means the check digit is right (or the form cannot be anything else), 0.5 that only
the form fits. A resident number issued since October 2020 has no check digit, so 0.5 is still
a finding in a column named after it.
"""

import re
from collections.abc import Generator, Sequence
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import NamedTuple

from minerva_governance.core.detection.ciphertext import decoded
from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.kinds.catalogue import Catalogue, bundled, catalogue
from minerva_governance.core.kinds.extra import has_extra
from minerva_governance.core.kinds.kind import Kind
from minerva_governance.core.values.phone import phone_region
from minerva_governance.core.values.value_check import CERTAIN, FORM_ONLY, WEAK, score
from minerva_governance.core.values.writing import (
    EXTENSION,
    bare,
    compact,
    labelled,
    labelled_plain,
    normalised,
    squeezed,
)

__all__ = [
    "CERTAIN",
    "FORM_ONLY",
    "WEAK",
    "WEAK_ALONE",
    "Match",
    "find",
    "find_in_cell",
    "named_value",
]

_MIN_CODE_CHARACTERS = 12
"""Of base64 that holds a phone number."""
_MIN_TOLD_CHARACTERS = 8
"""Of a text that holds a value and the word that tells what it is."""
_MAX_WEAK_CHARACTERS = 40
_MAX_NAMED_CHARACTERS = 120
"""Of a cell that is a value with words around it, or a list of values."""
_EXTENSION = re.compile(rf"{EXTENSION}$")
_LIST = re.compile(r"[;|,\n]| / ")
_MANY = 2


class Match(NamedTuple):
    """Personal data at `start:end` of the text that `normalised` gives."""

    entity: Entity
    start: int
    end: int
    score: float
    region: str = ""
    """Of a phone number: the country whose plan it follows, ISO 3166-1."""


_BEGINS = (
    r"(?<![0-9A-Za-z_])"  # a digit run inside a longer number or a code is no match
    r"(?<![0-9][-.])"  # 2026-02-123-4567 is no phone number
    r"(?<![0-9A-Za-z]\+)"  # nor is what follows a sum
)
_STOPS = r"(?![0-9A-Za-z_]|-[0-9]|:[0-9A-Fa-f]|\.[0-9]+\.[0-9])"
_MAY_HOLD = re.compile(r"[0-9@]|[^\x00-\x7f가-힣]")
"""Latin letters and Hangul alone hold nothing: most cells end here, before they are normalised."""
_AROUND = re.compile(r"\(\?<?[!=](?:\[[^]]*\]|[^()\[\]])*\)|\\b")
_LONG_NUMBER = re.compile(
    r"[0-9](?:[-.:/ )A-Za-z]{0,3}[0-9]){5}"
    r"|[0-9L-Vl-v]{2}[-./_ ]{0,2}[A-Za-z][-./_ ]{0,2}[0-9L-Vl-v]{3}[A-Za-z]\b"
    r"|:[0-9A-Fa-f]{0,4}:|-[0-9A-Fa-f]{2}-|[.][0-9A-Fa-f]{4}[.]"
)

_EDGES: dict[Entity, tuple[str, str]] = {
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


class _Form(NamedTuple):
    """A kind with its expression, between ends that no longer number has."""

    kind: Kind
    pattern: re.Pattern[str]


def _bounded(kind: Kind, form: str) -> _Form:
    return _Form(kind, re.compile(rf"{_BEGINS}(?:{form}){_STOPS}"))


def _address(form: str) -> str:
    """Return the expression of an address that leaves the next one its own part before the @."""
    ends = "[A-Za-z0-9_-]"
    return f"(?:{form})(?!{ends}|@)|(?:{form})(?!{ends})"


def _edged(kind: Kind) -> str:
    before, after = _EDGES.get(kind.id, ("", ""))
    return f"{before}(?:{kind.form}){after}{_STOPS}"


class _Detectors:
    """The expressions of one catalogue."""

    def __init__(self, known: Catalogue) -> None:
        self.kinds = dict(known.kinds)

    @cached_property
    def alone(self) -> tuple[_Form, ...]:
        """What is believed anywhere, e-mail addresses aside: their ends are their own."""
        order = {kind_id: at for at, kind_id in enumerate(_TRUSTED)}
        kinds = [k for k in self.kinds.values() if k.form and k.mask != "email"]
        kinds.sort(key=lambda kind: order.get(kind.id, len(order)))
        return tuple(_Form(kind, re.compile(_edged(kind))) for kind in kinds)

    @cached_property
    def email(self) -> tuple[_Form, ...]:
        return tuple(
            _Form(k, re.compile(rf"(?<![A-Za-z0-9._%+-])(?:{_address(k.form)})"))
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
        return any(form.kind != bundled().get(form.kind.id) for form in self.alone)

    @cached_property
    def weak(self) -> dict[Entity, re.Pattern[str]]:
        return {k.id: re.compile(k.weak) for k in self.kinds.values() if k.weak}

    @cached_property
    def any_weak(self) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{form.pattern})" for form in self.weak.values()))

    @cached_property
    def in_context(self) -> tuple[tuple[re.Pattern[str], _Form], ...]:
        return tuple(
            (re.compile(kind.context), _bounded(kind, kind.told_form))
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
    def named(self) -> dict[Entity, re.Pattern[str]]:
        kinds = self.kinds.values()
        return {kind.id: re.compile(kind.named_form) for kind in kinds if kind.named_form}

    @cached_property
    def among_words(self) -> dict[Entity, _Form]:
        """The named forms, wherever they stand."""
        kinds = self.kinds.values()
        return {kind.id: _bounded(kind, kind.named_form) for kind in kinds if kind.plain}

    @cached_property
    def plain(self) -> dict[Entity, re.Pattern[str]]:
        kinds = self.kinds.values()
        return {kind.id: re.compile(labelled_plain(kind.plain)) for kind in kinds if kind.plain}


_TRUSTED = (
    *("EMAIL", "KR_RRN", "KR_FRN", "FR_NIR", "CH_AHV", "CREDIT_CARD", "KR_BRN", "IBAN_CODE"),
    *("IT_FISCAL_CODE", "PHONE"),
)
"""In order of trust: what an earlier one took, a later one leaves."""


def _detectors() -> _Detectors:
    return _compiled(catalogue())


@lru_cache(maxsize=16)
def _compiled(known: Catalogue) -> _Detectors:
    return _Detectors(known)


def find(text: str) -> list[Match]:
    """Return all personal data in `text`, ordered, not overlapping.

    Positions are those of `normalised(text)`.
    """
    detectors = _detectors()
    if not detectors.has_own and not _MAY_HOLD.search(text):
        return []
    return _find(normalised(text), detectors)


def _find(text: str, detectors: _Detectors) -> list[Match]:
    """Return what `find` does, of a text that is normalised already."""
    found = _emails(text, detectors) if "@" in text else []
    if not detectors.has_own and not _LONG_NUMBER.search(text):
        return found
    found = _strong(text, detectors, found)
    # A value of one word stands beside none that could tell what it is.
    may_tell = " " in text or ":" in text or not text.isascii()
    if may_tell and len(text) > _MIN_TOLD_CHARACTERS:
        small = _in_small_letters(text)
        if detectors.contexts.search(small):
            _add_told(text, small, detectors, found)
    return found if len(found) < _MANY else sorted(found, key=lambda match: match.start)


def _in_small_letters(text: str) -> str:
    """Return `text` of the same length in small letters: cheaper than to ignore case."""
    return text.lower() if text.isascii() else text.translate(_TURKISH_I).lower()


_TURKISH_I = {0x130: "i", 0x131: "i"}
"""Of all letters these alone change their number, or are no i."""


def _emails(text: str, detectors: _Detectors) -> list[Match]:
    return [
        Match(kind.id, hit.start(), hit.end(), CERTAIN)
        for kind, pattern in detectors.email
        for hit in _addresses(text, pattern, detectors.email_behind[kind.id])
        if kind.id != "EMAIL" or _is_mailbox(text, hit.start(), hit.end())
    ]


def _addresses(
    text: str, first: re.Pattern[str], behind: re.Pattern[str]
) -> Generator[re.Match[str]]:
    """Yield the addresses; one may stand right behind another one: `a@b.org.c@d.org`."""
    hit = first.search(text)
    while hit is not None:
        yield hit
        end = hit.end()
        is_joined = text[end : end + 1] in {".", "%", "+"}
        hit = (behind.match(text, end + 1) if is_joined else None) or first.search(text, end)


_NO_HOST = re.compile(
    r"[0-9.]*[0-9]x\.[a-z]+"  # image@2x.png, for screens of twice the resolution
    r"|[0-9]+\.[0-9]+[.-].*"  # package@1.0.0-rc.beta
    r"|.*\.(?:png|jpe?g|gif|svg|webp|ico|bmp|tiff?|css|json|html?|xml|csv|txt|pdf|docx?|xlsx?"
    r"|local|localhost|localdomain|lan|service|socket|timer|target|git|exe|dll|jar|whl|tgz|gz)",
    re.IGNORECASE,
)
"""Files and names of one network: none of these is a domain of the internet's root."""
_PATH_BEHIND = re.compile(r":(?:~|[^\s:@,;]*/|[^\s:@,;/]+\.git\b)")
"""git@host:owner/repository, deploy@host:/path: an account of a machine."""
_ADDRESS_BEFORE = re.compile(r"://[^\s/@]*$")
"""https://account@host."""


def _is_mailbox(text: str, start: int, end: int) -> bool:
    host = text[text.rindex("@", start, end) + 1 : end]
    return not (
        _NO_HOST.fullmatch(host)
        or (text.startswith(":", end) and _PATH_BEHIND.match(text, end))
        or (text.find("://", 0, start) >= 0 and _ADDRESS_BEFORE.search(text[:start]))
    )


def _strong(text: str, detectors: _Detectors, taken: list[Match]) -> list[Match]:
    found = list(taken)
    at = 0
    while hit := detectors.locator.search(text, at):
        first = int((hit.lastgroup or "k0")[1:])
        match = _match_at(text, hit, detectors.alone[first:])
        if match is None or (
            taken and any(match.start < m.end and m.start < match.end for m in taken)
        ):
            at = hit.start() + 1
        else:
            found.append(match)
            at = match.end
    return found


def _match_at(text: str, first: re.Match[str], forms: tuple[_Form, ...]) -> Match | None:
    """Return the first of `forms` that its check accepts; `first` is where `forms[0]` fits."""
    start = first.start()
    for at, (kind, pattern) in enumerate(forms):
        hit = pattern.match(text, start) if at or kind.id in _EDGES else first
        if hit is not None:
            value = hit.group()
            sure = score(kind, value, named=False)
            if sure is None and kind.id in _OPEN_ENDED and not value.isalnum():
                value, sure = _shortened(kind, value)
            if sure is not None:
                region = phone_region(value) if kind.id == "PHONE" else None
                return Match(kind.id, start, start + len(value), sure, region or "")
    return None


_OPEN_ENDED = frozenset({"CREDIT_CARD", "IBAN_CODE"})
"""Kinds of many lengths: what stands behind a value reads like a group of it."""
_MAX_CUT_GROUPS = 8


def _shortened(kind: Kind, value: str) -> tuple[str, float | None]:
    """Return the longest start of `value`, in whole groups, that is of the kind."""
    form = re.compile(kind.form)
    cuts = [at for at, sign in enumerate(value) if not sign.isalnum()]
    for at in cuts[: -_MAX_CUT_GROUPS - 1 : -1]:
        start = value[:at]
        sure = score(kind, start, named=False) if form.fullmatch(start) else None
        if sure is not None:
            return start, sure
    return value, None


def _add_told(text: str, small: str, detectors: _Detectors, found: list[Match]) -> None:
    """Add the values near which a word tells what they are; `small` is in small letters."""
    told: list[_Told] = []
    for words, (kind, pattern) in detectors.in_context:
        spans = [hit.span() for hit in words.finditer(small)]
        if not spans:
            continue
        for hit in pattern.finditer(text):
            start, end = hit.span()
            distance = _distance(kind, (start, end), spans)
            if distance is None or any(start < m.end and m.start < end for m in found):
                continue
            sure = score(kind, hit.group(), named=kind.id in _WITHOUT_CHECK_DIGIT)
            if sure is not None:
                region = phone_region(hit.group()) if kind.id == "PHONE" else None
                told.append(_Told(distance, Match(kind.id, start, end, sure, region or "")))
    for _, match in sorted(told, key=itemgetter(0)):
        if not any(match.start < m.end and m.start < match.end for m in found):
            found.append(match)


def _distance(kind: Kind, value: tuple[int, int], words: Sequence[tuple[int, int]]) -> int | None:
    """Return how many characters lie between a value and the nearest word, if within reach."""
    start, end = value
    near = [start - word_end for _, word_end in words if 0 <= start - word_end <= kind.reach]
    near += [at - end for at, _ in words if 0 <= at - end <= kind.reach // 2]
    return min(near, default=None)


class _Told(NamedTuple):
    """A value that a word tells, so many characters away: of two kinds the nearer counts."""

    distance: int
    match: Match


_WITHOUT_CHECK_DIGIT = frozenset({"PHONE", "US_SSN"})
"""Of them a word near by is as good as a column's name, and a check digit of others beats them."""
_BY_FORM = _WITHOUT_CHECK_DIGIT | {"KR_RRN", "KR_FRN", "UK_NINO"}
"""Of them no check digit is asked beside a label: there is none, or newer numbers have none."""


WEAK_ALONE: dict[Entity, re.Pattern[str]] = {
    kind.id: re.compile(kind.weak)
    for kind in bundled().kinds.values()
    if kind.weak and not kind.form
}
"""Forms that other numbers have as well: a column full of them is suspected, whatever it is called.

Korean passports begin with the letter of their kind, licences with the region that issued them.
"""


def weak_forms(text: str) -> list[tuple[Entity, float]]:
    """Return the kinds of `WEAK_ALONE` that the whole cell may be, by form and check digit."""
    cell = normalised(text).strip()
    detectors = _detectors()
    if len(cell) > _MAX_WEAK_CHARACTERS:
        return []
    if not detectors.any_weak.fullmatch(cell):
        cell = _EXTENSION.sub("", bare(cell))
        if not detectors.any_weak.fullmatch(cell):
            return []
    found: list[tuple[Entity, float]] = []
    for entity, form in detectors.weak.items():
        kind = detectors.kinds[entity]
        if form.fullmatch(cell) and (not kind.needs or has_extra(kind.needs)):
            sure = score(kind, cell, named=False)
            if sure is not None:
                # What is certain of the kind has the form that is believed anywhere.
                found.append((entity, WEAK if kind.form else sure))
    proved = [each for each in found if each[0] not in _WITHOUT_CHECK_DIGIT]
    return proved or found


def region_of(cell: str) -> str:
    """Return the country whose plan the phone number of a cell follows, or "" if none tells."""
    for text in (cell, decoded(cell) or ""):
        for match in find(text):
            if match.entity == "PHONE":
                return match.region
    return phone_region(normalised(cell).strip()) or ""


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
    detectors = _detectors()
    best: dict[Entity, float] = {}
    if detectors.has_own or _MAY_HOLD.search(text):
        text = normalised(text)
        for match in _find(text, detectors):
            best[match.entity] = max(match.score, best.get(match.entity, 0.0))
    elif named is None:
        return []
    if named is None:
        return list(best.items()) if best else _rewritten(text)
    if named in best:
        return list(best.items())
    value = _named_value(text.strip(), named, detectors)
    if value is None:
        return list(best.items()) if best else _rewritten(text)
    # `national_id` tells no country: the check digit may.
    more = weak_forms(value.text) if named == "NATIONAL_ID" else []
    # A name whose values are checked says more than a form that several kinds share.
    others = () if detectors.kinds[named].check else best.items()
    return list({**dict(more), **dict(others), named: value.score}.items())


class NamedValue(NamedTuple):
    """What a cell of a column named so holds of the kind."""

    text: str
    score: float


def named_value(text: str, named: Entity) -> NamedValue | None:
    """Return the value of `named` that a cell holds whose column is named so.

    First as it stands; then without quotes and the like; then its letters and digits alone, with a
    label before it, or as one of a list; then among other words, where its check digit proves it.
    """
    return _named_value(normalised(text).strip(), named, _detectors())


def _named_value(cell: str, named: Entity, detectors: _Detectors) -> NamedValue | None:
    form = detectors.named.get(named)
    if form is None:
        return None
    kind = detectors.kinds[named]
    sure = score(kind, cell, named=True) if form.fullmatch(cell) else None
    if sure is not None:
        return NamedValue(cell, sure)
    inner = bare(cell)
    sure = score(kind, inner, named=True) if form.fullmatch(inner) else None
    if sure is not None:
        return NamedValue(inner, sure)
    plain = detectors.plain.get(named)
    if plain is None or len(cell) > _MAX_NAMED_CHARACTERS:
        return None
    values = (_plain_value(kind, plain, part) for part in (cell, *_parts(cell)))
    value = next((value for value in values if value is not None), None)
    return value or _proved_value(cell, *detectors.among_words[named])


def _proved_value(cell: str, kind: Kind, pattern: re.Pattern[str]) -> NamedValue | None:
    """Return the first value among other words that the check of `kind` proves."""
    for hit in pattern.finditer(cell) if kind.check else ():
        if score(kind, hit.group(), named=False) == CERTAIN:
            return NamedValue(hit.group(), CERTAIN)
    return None


def _parts(cell: str) -> list[str]:
    """Return the parts of a list in one cell; nothing if it is none."""
    parts = _LIST.split(cell)
    return parts if len(parts) > 1 else []


def _plain_value(kind: Kind, plain: re.Pattern[str], cell: str) -> NamedValue | None:
    found = plain.fullmatch(compact(bare(cell)))
    if found is None:
        return None
    value = found["value"]
    sure = score(kind, value, named=True)
    has_more = value != found.group() and kind.id not in _BY_FORM
    return None if sure is None or (has_more and sure != CERTAIN) else NamedValue(value, sure)


def _rewritten(text: str) -> list[tuple[Entity, float]]:
    """Return what a cell holds that names its kind itself, or writes digits as a float or apart."""
    if len(text) > _MAX_NAMED_CHARACTERS:
        return []
    if ("E" in text or "e" in text) and _FLOAT_IN.search(text):
        digits = bare(text)
        if digits.isdigit():
            return [(match.entity, match.score) for match in find(digits)]
    if ":" in text or "=" in text or "#" in text:
        found = _of_label(text.strip())
        if found:
            return found
    value = squeezed(text.strip())
    if value is None:
        return []
    return [(match.entity, match.score) for match in find(value)] or weak_forms(value)


_FLOAT_IN = re.compile(r"[0-9][.,][0-9]{5,}[eE]")


def _of_label(cell: str) -> list[tuple[Entity, float]]:
    pair = labelled(cell)
    named = promised_entity(pair[0]) if pair else None
    if pair is None or named not in _detectors().plain:
        return []
    value = named_value(pair[1], named)
    if value is None or (value.score != CERTAIN and named not in _BY_FORM):
        return []
    return [(named, value.score)]
