"""Calendar arithmetic, checked against a calendar on the wall."""

from datetime import date

import pytest

from minerva_calendar.core.holiday_file import read_holidays
from minerva_calendar.core.question import Span, Term, UnclearQuestionError, question_from_words
from minerva_calendar.core.working_day import working_day_after, working_days_between

CHILDRENS_DAY = frozenset({date(2026, 5, 5)})


def test_a_span_counts_both_of_its_ends() -> None:
    """Monday to Friday is a week of five working days."""
    assert working_days_between(date(2026, 3, 2), date(2026, 3, 6), frozenset()) == 5
    assert working_days_between(date(2026, 3, 7), date(2026, 3, 8), frozenset()) == 0


def test_a_holiday_is_left_out_of_a_span() -> None:
    """May 2026 has 21 weekdays; Children's Day is a Tuesday."""
    first, last = date(2026, 5, 1), date(2026, 5, 31)

    assert working_days_between(first, last, frozenset()) == 21
    assert working_days_between(first, last, CHILDRENS_DAY) == 20


def test_a_term_begins_on_the_day_after() -> None:
    """One working day after a Friday is Monday; a holiday moves the end on."""
    assert working_day_after(date(2026, 5, 1), 1, frozenset()) == date(2026, 5, 4)
    assert working_day_after(date(2026, 5, 4), 10, CHILDRENS_DAY) == date(2026, 5, 19)


@pytest.mark.parametrize(
    "words",
    [
        "2026-05-04부터 10영업일 뒤는 며칠이야?",
        "2026년 5월 4일에서 영업일 기준 10일 뒤",
        "What date is 10 business days after 2026-05-04?",
        "10 working days from 2026/5/4, please",
    ],
)
def test_a_term_is_read_from_people_s_words(words: str) -> None:
    """Korean and English, with dates as people write them."""
    assert question_from_words(words) == Term(first=date(2026, 5, 4), days=10)


def test_a_span_is_read_in_either_order() -> None:
    """The earlier day is the beginning, wherever it stands."""
    expected = Span(first=date(2026, 3, 2), last=date(2026, 3, 31))

    assert question_from_words("from 2026-03-02 to 2026-03-31") == expected
    assert question_from_words("2026.3.31까지 2026.3.2부터 영업일 수") == expected


@pytest.mark.parametrize("words", ["다음 주까지 며칠?", "2026-02-30 to 2026-03-02", "2026-03-02"])
def test_nothing_is_guessed_from_unclear_words(words: str) -> None:
    """A wrong deadline costs more than a question back."""
    with pytest.raises(UnclearQuestionError):
        question_from_words(words)


def test_a_line_that_cannot_be_read_is_reported() -> None:
    """A missing holiday would silently move a deadline."""
    found = read_holidays(["date,name", "2026-05-05,어린이날", "05/24/2026,부처님오신날", ""])

    assert found.days == ((date(2026, 5, 5), "어린이날"),)
    assert found.unread == (3,)
