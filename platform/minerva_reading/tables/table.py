"""Open the tables of a file: a text with cells, or the sheets of a workbook."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from minerva_reading.tables.csv_record import records_of
from minerva_reading.tables.workbook_rows import sheet_rows
from minerva_reading.text_file import find_encoding

_WORKBOOKS = frozenset({".xlsx", ".xlsm"})


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a file, named after its sheet or after the file.

    `rows` can be read once, before the next table is asked for. Each is the number of its row, or
    of the line that it begins on, from 1, and the texts of its cells. Reading them raises
    `FileFault` where the file stops being a table.
    """

    name: str
    rows: Iterator[tuple[int, list[str]]]


def open_tables(
    path: Path, *, delimiter: str = ",", encoding: str | None = None
) -> Iterator[Table]:
    """Yield the tables of a workbook (.xlsx, .xlsm), or the one of a text file, in bounded memory.

    `delimiter` stands between the cells of a text; `encoding`, by Python's name, is found if it is
    not given. A workbook that unpacks to a bomb is refused, by bounds wider than those of
    `open_sheets`, and its first 500 columns count.

    Raises:
        FileFault: it is no workbook, is unsafe to open, or is in no known encoding.
    """
    if path.suffix.casefold() in _WORKBOOKS:
        yield from (Table(name, rows) for name, rows in sheet_rows(path))
    else:
        rows = records_of(path, delimiter, encoding or find_encoding(path))
        yield Table(path.name, rows)
