"""Read from a person's words which days are meant."""

import re
from dataclasses import dataclass
from datetime import date
from functools import cache

from minerva_platform.text import read_words

WORDS = read_words("minerva_calendar.core", "question")

_DATE = re.compile(r"(\d{4})\s*[-./년]\s*(\d{1,2})\s*[-./월]\s*(\d{1,2})")


@dataclass(frozen=True, slots=True)
class Span:
    """How many working days lie from `first` to `last`?"""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Term:
    """Which day is `days` working days after `first`?"""

    first: date
    days: int


class UnclearQuestionError(ValueError):
    """The words name neither two dates, nor one date and a number of working days."""


def question_from_words(words: str) -> Span | Term:
    """Return what is asked.

    Raises:
        UnclearQuestionError: the dates are missing, too many, or not in any calendar.
    """
    dates = [_date(*match.groups()) for match in _DATE.finditer(words)]
    term = _term().search(_DATE.sub(" ", words))
    if len(dates) == 1 and term is not None:
        return Term(first=dates[0], days=int(term[1] or term[2]))
    if len(dates) == 2:
        return Span(first=min(dates), last=max(dates))
    raise UnclearQuestionError(words)


def _date(year: str, month: str, day: str) -> date:
    try:
        return date(int(year), int(month), int(day))
    except ValueError as error:
        day_named = f"{year}-{month}-{day}"
        raise UnclearQuestionError(day_named) from error


@cache
def _term() -> re.Pattern[str]:
    """Return what finds a number of working days, before or behind their name."""
    korean, english = WORDS.any_of("korean"), WORDS.any_of("english")
    return re.compile(
        rf"""
        (\d{{1,4}}) \s* (?: {korean} | (?:{english}) [\s-]* days? )
        | (?:{korean}) \s* (?:{WORDS.any_of("counted_in")})? \s* (\d{{1,4}}) \s* 일
        """,
        re.IGNORECASE | re.VERBOSE,
    )
