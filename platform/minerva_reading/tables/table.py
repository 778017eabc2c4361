"""Open the tables of a file: a text with cells, or the sheets of a workbook."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from minerva_reading.tables.workbook_rows import sheet_rows
from minerva_reading.text_file import find_encoding
from minerva_reading.unreadable import FileFault

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
    not given. A workbook may unpack to 512 MiB and 300 times its size, where `open_sheets` allows
    2 GiB and 100 times, and its first 500 columns count.

    Raises:
        FileFault: it is no workbook, is unsafe to open, or is in no known encoding.
    """
    if path.suffix.casefold() in _WORKBOOKS:
        yield from (Table(name, rows) for name, rows in sheet_rows(path))
    else:
        rows = records_of(path, delimiter, encoding or find_encoding(path))
        yield Table(path.name, rows)


DELIMITERS = (",", "\t", ";", "|")
"""What may stand between the cells."""

MAX_LINE = 1 << 20
"""Letters of a line; a longer one is no row of a table."""


def records_of(path: Path, delimiter: str, encoding: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record with the line it begins on.

    Raises:
        FileFault: a line is no CSV, or has no end.
    """
    with path.open(encoding=encoding, newline="") as file:
        yield from read_records(_lines(file, path.name), delimiter, name=path.name)


def read_records(
    lines: Iterable[str], delimiter: str, *, name: str
) -> Iterator[tuple[int, list[str]]]:
    """Yield each record of the file `name` with the line it begins on.

    Raises:
        FileFault: a line is no CSV.
    """
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        begin = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            message = (
                f"{name}, line {begin:,}: no CSV ({error}). "
                'A quotation mark (") that is not closed, perhaps: mend the line.'
            )
            raise FileFault(message) from error
        yield begin, cells


def _lines(file: TextIO, name: str) -> Iterator[str]:
    """Yield the lines, none of which may be so long that it fills the memory."""
    number = 0
    while line := file.readline(MAX_LINE):
        number += 1
        if len(line) == MAX_LINE and not line.endswith(("\n", "\r")):
            message = (
                f"{name}, line {number:,} has more than {MAX_LINE:,} letters: "
                "that is no row of a table. Save the table as CSV again."
            )
            raise FileFault(message)
        yield line
