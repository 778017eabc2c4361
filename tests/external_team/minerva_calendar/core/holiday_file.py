"""Read holidays from lines of `date,name`."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class HolidayFile:
    """The days that were read, and the numbers (from 1) of the lines that could not be."""

    days: tuple[tuple[date, str], ...]
    unread: tuple[int, ...]


def read_holidays(lines: Iterable[str]) -> HolidayFile:
    """Return every readable line once, in order of days; a header line is passed over."""
    days: dict[date, str] = {}
    unread: list[int] = []
    for number, row in enumerate(csv.reader(lines), start=1):
        try:
            days[date.fromisoformat(row[0].strip())] = row[1].strip()
        except (IndexError, ValueError):
            if row and number > 1:
                unread.append(number)
    return HolidayFile(tuple(sorted(days.items())), tuple(unread))
