"""Stream the records of a CSV file of any size; an error names the line that is no CSV."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from minerva_reading.unreadable import FileFault

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
