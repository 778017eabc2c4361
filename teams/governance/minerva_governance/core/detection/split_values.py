"""What the first rows of a table show that no cell shows alone: values split over columns.

Four columns of four digits are a card's number. Neighbours that hold short numbers are read as one;
what fills them in the first rows is there in the others, too. Names of columns may be values.
"""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from minerva_governance.core.counting.ages import date_columns
from minerva_governance.core.detection.column_tally import ColumnTally, ScannedColumn
from minerva_governance.core.detection.detector import find
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.tables.data_table import Row
from minerva_governance.core.values.value_check import CERTAIN

LOOKED_AT: Final = 2_000
"""Rows that are read as one."""
_WIDEST: Final = 4
_LONGEST_PART: Final = 8
_SHARE: Final = 0.6
"""As of a column's own values: fewer are chance."""
NAMES: Final = "(column names)"
"""The column that stands for the names of a table's columns."""


_WORDS_OR_NUMBER: Final = re.compile(
    r"[^\W\d_]{2,}(?:[ ,.'-]+[^\W\d_]+)+\.?|[가-힣]{2,8}|[0-9.,]{1,12}"
)


def count_readable(rows: Sequence[Row], name: str) -> int:
    """Return how many values of a column are words or plain numbers, and so no cipher."""
    cells = (cell.strip() for row in rows for column, cell in row.cells if column == name)
    return sum(_WORDS_OR_NUMBER.fullmatch(cell) is not None for cell in cells)


def doubtful_kinds(
    rows: Sequence[Row], columns: Sequence[ScannedColumn], *, today: dt.date
) -> dict[str, tuple[Entity, int]]:
    """Return, by column, what values may be that no form proves, and how many of the rows have it.

    Days long past of many years are births where no name says of which days they are. Five digits
    of which some begin with a zero are codes of post; two columns of fractions that stay within a
    few degrees are places. Only columns are looked at that neither name nor values tell.
    """
    open_names = [one.name for one in columns if one.promised is None and not one.hits]
    cells = {
        name: [
            cell.strip() for row in rows for column, cell in row.cells if column == name and cell
        ]
        for name in open_names
    }
    kinds: dict[str, tuple[Entity, int]] = {}
    for name, values in cells.items():
        if len(values) < _FEWEST:
            continue
        if _may_be_births(values, today) and not any(date_columns([(name, "")])):
            kinds[name] = ("BIRTH_DATE", len(values))
        elif all(map(_POSTCODE.fullmatch, values)) and any(
            each < "1" or each[0].isalpha() for each in values
        ):
            kinds[name] = ("POSTCODE", len(values))
    for first, second in pairwise(open_names):
        if _may_be_degrees(cells[first]) and _may_be_degrees(cells[second]):
            kinds |= {name: ("LOCATION", len(cells[name])) for name in (first, second)}
    return kinds


_FEWEST: Final = 10
_YEARS: Final = 12
"""Different years among the values, and the age of half of them: other days are of few years."""
_DAY: Final = re.compile(
    r"(?P<y>(?:19|20)[0-9]{2})([-./]?)[01][0-9]\2[0-3][0-9]"
    r"|[0-3][0-9]([-./]?)[01][0-9]\3(?P<z>(?:19|20)[0-9]{2})"
)
_POSTCODE: Final = re.compile(r"[0-9]{5}|[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}")
_DEGREES: Final = re.compile(r"-?[0-9]{1,3}\.[0-9]{4,}")
_FAR: Final = 20.0


def _may_be_births(values: Sequence[str], today: dt.date) -> bool:
    days = [_DAY.fullmatch(value) for value in values]
    years = sorted(int(day["y"] or day["z"]) for day in days if day)
    is_full = len(years) == len(values)
    return is_full and len(set(years)) >= _YEARS and years[len(years) // 2] <= today.year - _YEARS


def _may_be_degrees(values: Sequence[str]) -> bool:
    degrees = [float(value) for value in values if _DEGREES.fullmatch(value)]
    if len(values) < _FEWEST or len(degrees) < _SHARE * len(values):
        return False
    spread = max(degrees) - min(degrees)
    return 0 < spread <= _FAR and max(map(abs, degrees)) <= 180  # noqa: PLR2004 - a meridian


def split_columns(rows: Sequence[Row]) -> Iterator[ScannedColumn]:
    """Yield what neighbouring columns of digits hold together, the widest first."""
    parts = [[(name, cell.strip()) for name, cell in row.cells] for row in rows]
    names = [name for name, _ in parts[0]] if parts else []
    is_part = [_is_part([cell for row in parts for name, cell in row if name == each])
               for each in names]  # fmt: skip
    places_used = set[int]()
    for width in range(_WIDEST, 1, -1):
        for at in range(len(names) - width + 1):
            places = range(at, at + width)
            if places_used.isdisjoint(places) and all(is_part[place] for place in places):
                value = _together(parts, names[at : at + width])
                if value is not None:
                    places_used.update(places)
                    yield value


def _is_part(cells: Sequence[str]) -> bool:
    contents = [cell for cell in cells if cell]
    short = sum(cell.isdigit() and 1 < len(cell) <= _LONGEST_PART for cell in contents)
    return bool(contents) and short >= _SHARE * len(contents)


def _together(rows: Sequence[list[tuple[str, str]]], names: Sequence[str]) -> ScannedColumn | None:
    tally = ColumnTally("+".join(names), None)
    for number, row in enumerate(rows, start=1):
        cells = dict(row)
        values = [cells.get(name, "") for name in names]
        if all(values):
            tally.add(number, "-".join(values))
    result = tally.result()
    hits = max(result.hits.values(), default=0)
    is_certain = any(hit.score == CERTAIN for each in result.evidence.values() for hit in each)
    return result if is_certain and hits >= _SHARE * len(rows) else None


def named_values(columns: Iterable[str]) -> ScannedColumn | None:
    """Return the values that are written as names of columns: `{"850101-1234567": "seen"}`."""
    tally = ColumnTally(NAMES, None)
    for number, name in enumerate(columns, start=1):
        for part in name.split("."):
            certain: list[Entity] = [m.entity for m in find(part) if m.score == CERTAIN]
            if certain:
                tally.add(number, part)
    return tally.result() if tally.hits else None
