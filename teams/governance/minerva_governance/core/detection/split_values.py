"""Values that no cell holds whole: split over neighbouring columns, or written as a column's name.

Four columns of four digits are a card's number. Neighbours that hold short numbers are read as one
in the first rows of a table; what fills them is there in the others, too.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

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


def split_columns(rows: Sequence[Row]) -> Iterator[ScannedColumn]:
    """Yield what neighbouring columns of digits hold together, the widest first."""
    parts = [[(name, cell.strip()) for name, cell in row.cells] for row in rows]
    names = [name for name, _ in parts[0]] if parts else []
    is_part = [_is_part([cell for row in parts for name, cell in row if name == each])
               for each in names]  # fmt: skip
    taken = set[int]()
    for width in range(_WIDEST, 1, -1):
        for at in range(len(names) - width + 1):
            places = range(at, at + width)
            if taken.isdisjoint(places) and all(is_part[place] for place in places):
                found = _together(parts, names[at : at + width])
                if found is not None:
                    taken.update(places)
                    yield found


def _is_part(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell]
    short = sum(cell.isdigit() and 1 < len(cell) <= _LONGEST_PART for cell in filled)
    return bool(filled) and short >= _SHARE * len(filled)


def _together(rows: Sequence[list[tuple[str, str]]], names: Sequence[str]) -> ScannedColumn | None:
    tally = ColumnTally("+".join(names), None)
    for number, row in enumerate(rows, start=1):
        cells = dict(row)
        values = [cells.get(name, "") for name in names]
        if all(values):
            tally.add(number, "-".join(values))
    found = tally.result()
    hits = max(found.hits.values(), default=0)
    is_certain = any(hit.score == CERTAIN for each in found.evidence.values() for hit in each)
    return found if is_certain and hits >= _SHARE * len(rows) else None


def named_values(columns: Iterable[str]) -> ScannedColumn | None:
    """Return the values that are written as names of columns: `{"850101-1234567": "seen"}`."""
    tally = ColumnTally(NAMES, None)
    for number, name in enumerate(columns, start=1):
        for part in name.split("."):
            certain: list[Entity] = [m.entity for m in find(part) if m.score == CERTAIN]
            if certain:
                tally.add(number, part)
    return tally.result() if tally.hits else None
