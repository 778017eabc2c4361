"""Stream the rows of a CSV file, of any size, in bounded memory."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from minerva_data.core.glossary.draft import Place
from minerva_data.core.importing.headers import Layout, find_layout, missing_headers
from minerva_data.core.importing.reading import Reading
from minerva_data.core.importing.table_row import row_to_reading
from minerva_reading import DELIMITERS, Table, open_tables

HEADER_ROWS = 20
"""Rows at the top of a table among which its headers are looked for."""


def read_csv(
    path: Path, named: Mapping[str, str], *, encoding: str
) -> tuple[Layout, Iterator[Reading]]:
    """Return what the file holds, and its rows as they are read.

    Raises:
        FileFault: no headers are found; later, a line is no CSV.
    """
    first: Sequence[str] = ()
    for delimiter in DELIMITERS:
        (table,) = open_tables(path, delimiter=delimiter, encoding=encoding)
        for number, (_, cells) in enumerate(table.rows):
            layout = find_layout(cells, named)
            if layout is not None:
                (table,) = open_tables(path, delimiter=delimiter, encoding=encoding)
                return layout, _rows(table, layout, named)
            first = cells if not number and len(cells) > len(first) else first
            if number >= HEADER_ROWS:
                break
    raise missing_headers(path.name, first)


def _rows(table: Table, layout: Layout, named: Mapping[str, str]) -> Iterator[Reading]:
    is_below = False
    for line, cells in table.rows:
        if not is_below:
            is_below = find_layout(cells, named) == layout
        elif any(cell.strip() for cell in cells):
            yield row_to_reading(cells, layout, Place(line))
