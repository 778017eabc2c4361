"""Count working days: Monday to Friday, less the holidays."""

from collections.abc import Set as AbstractSet
from datetime import date, timedelta

_SATURDAY = 5
_DAY = timedelta(days=1)


def is_working_day(day: date, holidays: AbstractSet[date]) -> bool:
    """True if people are expected to work on `day`."""
    return day.weekday() < _SATURDAY and day not in holidays


def working_days_between(first: date, last: date, holidays: AbstractSet[date]) -> int:
    """Return the number of working days from `first` to `last`, both included."""
    length = (last - first).days + 1
    return sum(is_working_day(first + n * _DAY, holidays) for n in range(length))


def working_day_after(start: date, days: int, holidays: AbstractSet[date]) -> date:
    """Return the working day that is `days` working days after `start`; `start` is not counted."""
    day, left = start, days
    while left > 0:
        day += _DAY
        left -= is_working_day(day, holidays)
    return day
