"""Stream the rows of a CSV file, of any size, in bounded memory."""

from collections.abc import Iterator, Mapping, Sequence

from minerva_data.core.glossary.draft import Place
from minerva_data.core.importing.csv_record import DELIMITERS, records
from minerva_data.core.importing.encoding import Text
from minerva_data.core.importing.headers import Layout, find_layout, missing_headers
from minerva_data.core.importing.reading import Reading
from minerva_data.core.importing.table_row import row_to_reading

HEADER_ROWS = 20
"""Rows at the top of a table among which its headers are looked for."""


def read_csv(text: Text, named: Mapping[str, str]) -> tuple[Layout, Iterator[Reading]]:
    """Return what the file holds, and its rows as they are read.

    Raises:
        ImportFault: no headers are found; later, a line is no CSV.
    """
    delimiter, layout = _find_table(text, named)
    return layout, _rows(text, delimiter, layout, named)


def _find_table(text: Text, named: Mapping[str, str]) -> tuple[str, Layout]:
    first: Sequence[str] = ()
    for delimiter in DELIMITERS:
        for number, (_, cells) in enumerate(records(text, delimiter)):
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
    is_below = False
    for line, cells in records(text, delimiter):
        if not is_below:
            is_below = find_layout(cells, named) == layout
        elif any(cell.strip() for cell in cells):
            yield row_to_reading(cells, layout, Place(line))
