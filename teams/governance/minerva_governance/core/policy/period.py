"""Lengths of time in prose: `72개월`, `six (6) years`, `5년 6개월`, `1년 반`, `until you leave`.

A length is a number of days; an end that is no number is quoted, never guessed. The words lie
in `seed/periods.toml`.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from importlib.resources import files
from math import ceil
from typing import Any, Final, NamedTuple

INDEFINITE_DAYS: Final = 36_500
"""What "permanently" counts as: a century, more than any limit."""
_CALENDAR_YEARS: Final = range(1900, 2101)
_DAYS_OF_A_YEAR: Final = 365

_WORDS: Final[Mapping[str, Any]] = tomllib.loads(
    (files("minerva_governance") / "seed" / "periods.toml").read_text(encoding="utf-8")
)
_UNITS: Final[Mapping[str, int]] = _WORDS["units"]
_NUMBERS: Final[Mapping[str, float]] = _WORDS["numbers"]
_DIGITS: Final[Mapping[str, int]] = _WORDS["digits"]


def _any_of(words: Mapping[str, Any]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_LENGTH = re.compile(
    rf"""
    (?<![0-9가-힣A-Za-z.])
    (?P<number>
        [0-9]{{1,3}}(?:,[0-9]{{3}})+ | [0-9]+(?:\.[0-9]+)?      # 1,095  6  2.5
      | (?:(?:{_any_of(_NUMBERS)})(?:[ -](?:and[ ])?)?)+        # twenty-four, 한
      | [{"".join(_DIGITS)}]+                                   # 이십사
    )
    (?P<half_number>[ ]and[ ]a[ ]half)?
    (?:\s*\(\s*[0-9a-z가-힣 -]{{1,20}}\s*\))?                   # six (6)
    [ -]*
    (?P<unit>{_any_of(_UNITS)})(?![a-z])
    (?=[^가-힣]|\Z|{"|".join(_WORDS["words"]["after_korean"])})  # 달 is no unit in 달러
    (?P<half_unit>[ ]?반(?![가-힣])|[ ]and[ ]a[ ]half)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_JOINT = re.compile(r"\s*(?:and\s+|및\s*)?")
_NOT_KEPT = re.compile("|".join(_WORDS["words"]["not_kept"]), re.IGNORECASE)
_NOT_KEPT_BEFORE = re.compile("|".join(_WORDS["words"]["not_kept_before"]), re.IGNORECASE)
_BEFORE_ARTICLE = re.compile("|".join(_WORDS["words"]["before_article"]), re.IGNORECASE)
_THIS = frozenset(_WORDS["words"]["this"])
_INDEFINITE = re.compile("|".join(_WORDS["words"]["indefinite"]), re.IGNORECASE)
_UNTIL = re.compile("|".join(_WORDS["words"]["until"]), re.IGNORECASE)
_UNCLEAR = re.compile("|".join(_WORDS["words"]["unclear"]), re.IGNORECASE)


class Periods(NamedTuple):
    """What a text says about how long: lengths in days, and the words of an end without one."""

    days: tuple[int, ...] = ()
    unclear: str = ""


class _Length(NamedTuple):
    start: int
    end: int
    days: float
    unit: int


def periods_in(text: str) -> Periods:
    """Return the lengths that `text` names, in its order, and the words that name none.

    Deadlines (`within 30 days`, `5일 이내`), intervals (`every 3 years`, 두 달에 한 번), rates
    (`7 days a week`) and calendar dates are no lengths.
    """
    text = unicodedata.normalize("NFKC", text)
    days = [length for _, _, length in lengths_in(text)]
    if _INDEFINITE.search(text):
        days.append(INDEFINITE_DAYS)
    unclear = _UNTIL.search(text) or (None if days else _UNCLEAR.search(text))
    return Periods(tuple(days), " ".join(unclear.group().split()) if unclear else "")


def lengths_in(text: str) -> list[tuple[int, int, int]]:
    """Return start, end and days of each length in `text`."""
    found = _joined(list(_lengths(text)), text)
    return [(length.start, length.end, ceil(length.days)) for length in found]


def _lengths(text: str) -> Iterator[_Length]:
    for hit in _LENGTH.finditer(text):
        before, after = text[: hit.start()], text[hit.end() :]
        if _NOT_KEPT.match(after) or _NOT_KEPT_BEFORE.search(before) or _is_no_number(hit, before):
            continue
        number = _number(hit["number"])
        unit = _UNITS[hit["unit"].casefold()]
        if unit == _DAYS_OF_A_YEAR and number in _CALENDAR_YEARS:
            continue
        number += 0.5 if hit["half_number"] or hit["half_unit"] else 0
        yield _Length(hit.start(), hit.end(), number * unit, unit)


def _is_no_number(hit: re.Match[str], before: str) -> bool:
    """Tell whether what stands before the unit only points: `twice a year`, 이 주 (this week)."""
    number = hit["number"].strip(" -").casefold()
    if number in {"a", "an"}:
        return not _BEFORE_ARTICLE.search(before)
    if hit["unit"] == "일" and not number[0].isdigit():
        return True  # 이 일: this matter
    return number == "이" and hit["unit"] in _THIS


def _joined(lengths: list[_Length], text: str) -> list[_Length]:
    """Add up neighbours of falling units: 5년 6개월 is one length, 1년 또는 5년 are two."""
    joined: list[_Length] = []
    for length in lengths:
        last = joined[-1] if joined else None
        if last and length.unit < last.unit and _JOINT.fullmatch(text[last.end : length.start]):
            joined[-1] = _Length(last.start, length.end, last.days + length.days, length.unit)
        else:
            joined.append(length)
    return joined


def _number(text: str) -> float:
    """Return the value of `1,095`, `twenty-four`, `한` or `이십사`."""
    text = text.strip(" -").casefold()
    if text[0].isdigit():
        return float(text.replace(",", ""))
    words = [word for word in re.split(r"[ -]+", text) if word not in {"", "and"}]
    if len(words) > 1:
        # a six-year period, half a year
        words = [word for word in words if word not in {"a", "an"}]
    if all(word in _NUMBERS for word in words):
        return _sum(_NUMBERS[word] for word in words)
    return _sum(_DIGITS[letter] for letter in text if letter in _DIGITS)


def _sum(values: "Iterator[float] | Iterator[int]") -> float:
    """Add numerals up; ten and a hundred multiply what stands before them, as in 이십사."""
    total = 0.0
    for value in values:
        if value in {10, 100} and 0 < total % value < 10:  # noqa: PLR2004  # 이십, two hundred
            total += total % value * (value - 1)
        else:
            total += value
    return total
