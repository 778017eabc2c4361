"""Lengths of time in prose: `72개월`, `six (6) years`, `5년 6개월`, `1년 반`, `until you leave`.

A length is a number of days; an end that is no number is quoted, never guessed. The words lie
in `words/periods.toml`.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from math import ceil
from typing import Final, NamedTuple

from minerva_platform.text import read_words

INDEFINITE_DAYS: Final = 36_500
"""What "permanently" counts as: a century, more than any limit."""
_CALENDAR_YEARS: Final = range(1900, 2101)
"""2026년 is a date, not a length."""
_DAYS_OF_A_YEAR: Final = 365

_WORDS = read_words("minerva_governance.core.policy", "periods")
_JOINT: Final = re.compile(r"\s*(?:and\s+|및\s*)?")


@cache
def _values(table: str) -> Mapping[str, float]:
    """Return the words of a table with their numbers."""
    numbers = _WORDS.table(table).items()
    return {word: float(number) for number, words in numbers for word in words}


@cache
def _length() -> re.Pattern[str]:
    """Return the expression of a number and its unit."""
    numbers, units, digits = (
        "|".join(sorted(_values(table), key=len, reverse=True))
        for table in ("numbers", "units", "digits")
    )
    return re.compile(
        rf"""
        (?<![0-9가-힣A-Za-z.])
        (?P<number>
            [0-9]{{1,3}}(?:,[0-9]{{3}})+ | [0-9]+(?:\.[0-9]+)?      # 1,095  6  2.5
          | (?:(?:{numbers})(?:[ -](?:and[ ])?)?)+                  # twenty-four, 한
          | (?:{digits})+                                           # 이십사
        )
        (?P<half_number>[ ]and[ ]a[ ]half)?
        (?:\s*\(\s*[0-9a-z가-힣 -]{{1,20}}\s*\))?                   # six (6)
        [ -]*
        (?P<unit>{units})(?![a-z])
        (?=[^가-힣]|\Z|{_WORDS.patterns("after_korean")})           # 달 is no unit in 달러
        (?P<half_unit>[ ]?반(?![가-힣])|[ ]and[ ]a[ ]half)?
        """,
        re.IGNORECASE | re.VERBOSE,
    )


class Periods(NamedTuple):
    """What a text says about how long: lengths in days, and the words of an end without one."""

    days: tuple[int, ...] = ()
    unclear: str = ""


class _Length(NamedTuple):
    start: int
    end: int
    days: float
    unit: float


def periods_in(text: str) -> Periods:
    """Return the lengths that `text` names, in its order, and the words that name none.

    Deadlines (`within 30 days`, `5일 이내`), intervals (`every 3 years`, 두 달에 한 번), rates
    (`7 days a week`) and calendar dates are no lengths.
    """
    text = unicodedata.normalize("NFKC", text)
    days = [length for _, _, length in lengths_in(text)]
    if _WORDS.pattern("indefinite").search(text):
        days.append(INDEFINITE_DAYS)
    unclear = _WORDS.pattern("until").search(text) or (
        None if days else _WORDS.pattern("unclear").search(text)
    )
    return Periods(tuple(days), " ".join(unclear.group().split()) if unclear else "")


def lengths_in(text: str) -> list[tuple[int, int, int]]:
    """Return start, end and days of each length in `text`."""
    found = _joined(list(_lengths(text)), text)
    return [(length.start, length.end, ceil(length.days)) for length in found]


def _lengths(text: str) -> Iterator[_Length]:
    for hit in _length().finditer(text):
        before, after = text[: hit.start()], text[hit.end() :]
        if _is_no_length(hit, before, after):
            continue
        number = _number(hit["number"])
        unit = _values("units")[hit["unit"].casefold()]
        if unit == _DAYS_OF_A_YEAR and number in _CALENDAR_YEARS:
            continue
        number += 0.5 if hit["half_number"] or hit["half_unit"] else 0
        yield _Length(hit.start(), hit.end(), number * unit, unit)


def _is_no_length(hit: re.Match[str], before: str, after: str) -> bool:
    """True if the number and unit say a rate, an age, a deadline: anything but how long."""
    return bool(
        _WORDS.pattern("not_kept").match(after)
        or _WORDS.pattern("not_kept_before").search(before)
        or _is_no_number(hit, before)
    )


def _is_no_number(hit: re.Match[str], before: str) -> bool:
    """True if what stands before the unit only points: `twice a year`, 이 주 (this week)."""
    number = hit["number"].strip(" -").casefold()
    if number in {"a", "an"}:
        return not _WORDS.pattern("before_article").search(before)
    if hit["unit"] == "일" and not number[0].isdigit():
        return True  # 이 일: this matter
    return number == "이" and hit["unit"] in _WORDS["this"]


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
    numbers, digits = _values("numbers"), _values("digits")
    text = text.strip(" -").casefold()
    if text[0].isdigit():
        return float(text.replace(",", ""))
    words = [word for word in re.split(r"[ -]+", text) if word not in {"", "and"}]
    if len(words) > 1:
        # a six-year period, half a year
        words = [word for word in words if word not in {"a", "an"}]
    if all(word in numbers for word in words):
        return _sum(numbers[word] for word in words)
    return _sum(digits[letter] for letter in text if letter in digits)


def _sum(values: Iterator[float]) -> float:
    """Add numerals up; ten and a hundred multiply what stands before them, as in 이십사."""
    total = 0.0
    for value in values:
        if value in {10, 100} and 0 < total % value < 10:  # noqa: PLR2004  # 이십, two hundred
            total += total % value * (value - 1)
        else:
            total += value
    return total
