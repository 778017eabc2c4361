"""Stream the rows of a CSV file, of any size, in bounded memory."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TextIO

from minerva_data.core.draft import Place
from minerva_data.core.importing.encoding import Text
from minerva_data.core.importing.headers import Layout, find_layout, missing_headers
from minerva_data.core.importing.reading import ImportFault, Reading
from minerva_data.core.importing.table_row import row_to_reading

MAX_LINE = 1 << 20
"""Letters of a line; a longer one is no row of a glossary."""

HEADER_ROWS = 20
"""Rows at the top of a table among which its headers are looked for."""

_DELIMITERS = (",", "\t", ";", "|")


def read_csv(text: Text, named: Mapping[str, str]) -> tuple[Layout, Iterator[Reading]]:
    """Return what the file holds, and its rows as they are read.

    Raises:
        ImportFault: no headers are found; later, a line is no CSV.
    """
    delimiter, layout = _find_table(text, named)
    return layout, _rows(text, delimiter, layout, named)


def records(lines: Iterable[str], delimiter: str, *, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record of the file `name` with the line it begins on.

    Raises:
        ImportFault: a line is no CSV.
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
            raise ImportFault(message) from error
        yield begin, cells


def _find_table(text: Text, named: Mapping[str, str]) -> tuple[str, Layout]:
    first: Sequence[str] = ()
    for delimiter in _DELIMITERS:
        with _open(text) as file:
            for number, (_, cells) in enumerate(_records(file, text, delimiter)):
                layout = find_layout(cells, named)
                if layout is not None:
                    return delimiter, layout
                first = cells if not number and len(cells) > len(first) else first
                if number >= HEADER_ROWS:
                    break
    raise missing_headers(text.path.name, first)


def _rows(
    text: Text, delimiter: str, layout: Layout, named: Mapping[str, str]
) -> Iterator[Reading]:
    with _open(text) as file:
        is_below = False
        for line, cells in _records(file, text, delimiter):
            if not is_below:
                is_below = find_layout(cells, named) == layout
            elif any(cell.strip() for cell in cells):
                yield row_to_reading(cells, layout, Place(line))


def _open(text: Text) -> TextIO:
    return text.path.open(encoding=text.encoding, newline="")


def _records(file: TextIO, text: Text, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    return records(_lines(file, text), delimiter, name=text.path.name)


def _lines(file: TextIO, text: Text) -> Iterator[str]:
    """Yield the lines, none of which may be so long that it fills the memory."""
    number = 0
    while line := file.readline(MAX_LINE):
        number += 1
        if len(line) == MAX_LINE and not line.endswith(("\n", "\r")):
            message = (
                f"{text.path.name}, line {number:,} has more than {MAX_LINE:,} letters: "
                "that is no row of a glossary. Save the table as CSV again."
            )
            raise ImportFault(message)
        yield line
