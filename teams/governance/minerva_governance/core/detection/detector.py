"""Find personal data in text by pattern, number plan and check digit.

Plain compiled expressions: a column scan looks at hundreds of thousands of cells. Every
expression is linear in the text, because the text is not ours.

Scores: 1.0 means the check digit is right (or the form cannot be anything else), 0.5 that only
the form fits. A resident number issued since October 2020 has no check digit, so 0.5 is still
a finding in a column named after it.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from minerva_governance.core.detection.checksum import (
    business_is_valid,
    foreigner_is_valid,
    luhn_is_valid,
    resident_birth_is_date,
    resident_is_valid,
)
from minerva_governance.core.detection.ciphertext import decoded
from minerva_governance.core.detection.entity import Entity

CERTAIN = 1.0
FORM_ONLY = 0.5
_MIN_CODE_CHARACTERS = 12
"""Of base64 that holds a phone number."""


class Match(NamedTuple):
    """Personal data at `start:end` of the text that `normalised` gives."""

    entity: Entity
    start: int
    end: int
    score: float


_ALONE = r"(?<![0-9A-Za-z_])"  # a digit run inside a longer number or a code is no match
_ENDS = r"(?![0-9A-Za-z_])"
_NOT_AFTER_PART = r"(?<![0-9][-.])"  # 2026-02-123-4567 is no phone number
_NOT_BEFORE_PART = r"(?!-[0-9])"

_RESIDENT = re.compile(
    rf"""
    {_ALONE}
    ([0-9]{{2}}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))     # the day of birth: 850101
    (?:[ ]?-[ ]?|[ ])?
    ([1-8][0-9]{{6}})                                           # century and sex, …, check digit
    {_ENDS}
    """,
    re.VERBOSE,
)
_CARD = re.compile(
    rf"""
    {_ALONE}{_NOT_AFTER_PART}
    (?: [0-9]{{4}}([- ])[0-9]{{4}}\1[0-9]{{4}}\1[0-9]{{4}}      # 4000-0012-3456-9010
      | 3[47][0-9]{{2}}([- ])[0-9]{{6}}\2[0-9]{{5}}             # American Express: 4, 6, 5 digits
      | [0-9]{{13,19}}                                          # no separators
    )
    {_NOT_BEFORE_PART}{_ENDS}
    """,
    re.VERBOSE,
)
_CARD_ISSUER = re.compile(
    r"""
      4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})                # Visa: 13, 16 or 19 digits
    | (?:5[1-5]|2[2-7]|35|9[0-9])[0-9]{14}              # Mastercard, JCB, Korea's own range
    | 3[47][0-9]{13}                                    # American Express
    | 3[068][0-9]{12}                                   # Diners Club
    | 6[0-9]{15,18}                                     # Discover, UnionPay, Maestro
    """,
    re.VERBOSE,
)
"""Numbers of issuers. All other digits that pass Luhn by chance (one in ten) stay out."""
_BUSINESS = re.compile(
    _ALONE + _NOT_AFTER_PART + r"[0-9]{3}-[0-9]{2}-[0-9]{5}" + _NOT_BEFORE_PART + _ENDS
)
_PHONE = re.compile(
    rf"""
    (?<![0-9A-Za-z_+]){_NOT_AFTER_PART}
    (?: (?:\+82[-. ]?\(?0?|0)1[016789]                          # mobile: 010, +82 (0)10
        [-. ]?[0-9]{{3,4}}[-. ]?[0-9]{{4}}
      | (?:\(?0|\+82[-. ]?)                                     # by area or service: (02), 031, 070
        (?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4]|70|80|50[2-8]?)
        (?:\)[ ]?|[-. ])[0-9]{{3,4}}[-. ][0-9]{{4}}             # separators are needed here
    )
    {_NOT_BEFORE_PART}{_ENDS}
    """,
    re.VERBOSE,
)
_EMAIL = re.compile(
    r"""
    (?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}         # RFC 5321's limits keep this linear
    @(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}
    (?![A-Za-z0-9_-])
    """,
    re.VERBOSE,
)
_DIGITS = re.compile(r"[0-9]+")
_MAY_HOLD = re.compile(r"[0-9@]|[^\x00-\x7f가-힣]")
"""Latin letters and Hangul alone hold nothing: most cells end here, before they are normalised."""
_LONG_NUMBER = re.compile(r"[0-9](?:[-. )]{0,3}[0-9]){7}")

_FOLD = {
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
    **dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0), ""),
}


def normalised(text: str) -> str:
    """Fold full-width digits, dashes of all kinds and invisible characters.

    What a person reads as a resident number must not hide behind another code point.
    """
    if text.isascii() and "\0" not in text:
        return text
    return unicodedata.normalize("NFKC", text).translate(_FOLD)


def find(text: str) -> list[Match]:
    """Return all personal data in `text`, ordered, not overlapping.

    Positions are those of `normalised(text)`.
    """
    if not _MAY_HOLD.search(text):
        return []
    text = normalised(text)
    found: list[Match] = []
    if "@" in text:
        found.extend(
            Match("EMAIL", hit.start(), hit.end(), CERTAIN) for hit in _EMAIL.finditer(text)
        )
    if _LONG_NUMBER.search(text):
        for pattern, judge in _NUMBERS:
            found.extend(_judged(pattern, judge, text, found))
    return sorted(found, key=lambda match: match.start)


def _judged(
    pattern: re.Pattern[str],
    judge: Callable[[str], tuple[Entity, float] | None],
    text: str,
    taken: list[Match],
) -> list[Match]:
    matches: list[Match] = []
    for hit in pattern.finditer(text):
        if any(hit.start() < other.end and other.start < hit.end() for other in taken):
            continue
        verdict = judge("".join(_DIGITS.findall(hit.group())))
        if verdict is not None:
            matches.append(Match(verdict[0], hit.start(), hit.end(), verdict[1]))
    return matches


def _judge_resident(digits: str) -> tuple[Entity, float] | None:
    if not resident_birth_is_date(digits):
        return None
    if digits[6] in "1234":
        return "KR_RRN", CERTAIN if resident_is_valid(digits) else FORM_ONLY
    return "KR_FRN", CERTAIN if foreigner_is_valid(digits) else FORM_ONLY


def _judge_card(digits: str) -> tuple[Entity, float] | None:
    if _CARD_ISSUER.fullmatch(digits) and luhn_is_valid(digits):
        return "CREDIT_CARD", CERTAIN
    return None


def _judge_business(digits: str) -> tuple[Entity, float] | None:
    return ("KR_BRN", CERTAIN) if business_is_valid(digits) else None


def _judge_phone(digits: str) -> tuple[Entity, float] | None:
    del digits  # the number plan is in the expression
    return "KR_PHONE", CERTAIN


# In order of trust: what an earlier one took, a later one leaves.
_NUMBERS: tuple[tuple[re.Pattern[str], Callable[[str], tuple[Entity, float] | None]], ...] = (
    (_RESIDENT, _judge_resident),
    (_CARD, _judge_card),
    (_BUSINESS, _judge_business),
    (_PHONE, _judge_phone),
)

_NAMED_ONLY: dict[Entity, re.Pattern[str]] = {
    "KR_PASSPORT": re.compile(r"[A-Za-z](?:[0-9]{8}|[0-9]{3}[A-Za-z][0-9]{4})"),
    "KR_DRIVER_LICENSE": re.compile(r"[0-9]{2}-?[0-9]{2}-?[0-9]{6}-?[0-9]{2}"),
    "KR_BRN": re.compile(r"[0-9]{3}-?[0-9]{2}-?[0-9]{5}"),
    "KR_PHONE": re.compile(
        r"\(?0[0-9]{1,3}\)?[-. ]?[0-9]{3,4}[-. ]?[0-9]{4}|1[5-9][0-9]{2}-?[0-9]{4}"
    ),
    "BIRTH_DATE": re.compile(
        r"(?:19|20)[0-9]{2}[-./]?(?:0[1-9]|1[0-2])[-./]?(?:0[1-9]|[12][0-9]|3[01])"
    ),
}
"""Forms too weak to mean anything by themselves: they count where the column's name says so."""


WEAK_ALONE: dict[Entity, re.Pattern[str]] = {
    "KR_PASSPORT": re.compile(r"[MSRGOD](?:[0-9]{8}|[0-9]{3}[A-Z][0-9]{4})"),
    "KR_DRIVER_LICENSE": re.compile(r"(?:1[1-9]|2[0-8])-[0-9]{2}-[0-9]{6}-[0-9]{2}"),
}
"""Forms that other numbers have as well: a column full of them is suspected, whatever it is called.

Korean passports begin with the letter of their kind, licences with the region that issued them.
"""


def weak_forms(text: str) -> list[tuple[Entity, float]]:
    """Return the kinds of `WEAK_ALONE` whose form the whole cell has."""
    cell = text.strip()
    return [(entity, FORM_ONLY) for entity, form in WEAK_ALONE.items() if form.fullmatch(cell)]


def has_named_form(entity: Entity) -> bool:
    """True if values of `entity` can be recognised at all, given a telling name."""
    return entity in _NAMED_ONLY or entity in {"KR_RRN", "KR_FRN", "CREDIT_CARD", "EMAIL"}


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
    if named is not None and named not in best:
        weak = _NAMED_ONLY.get(named)
        cell = normalised(text).strip()
        if weak is not None and weak.fullmatch(cell):
            best[named] = FORM_ONLY
    return list(best.items())
