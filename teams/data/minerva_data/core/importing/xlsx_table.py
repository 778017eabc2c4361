"""Read the sheets of a workbook that hold tables of a glossary, whatever the sheets are called."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from minerva_data.core.glossary.draft import Place
from minerva_data.core.importing.csv_table import HEADER_ROWS
from minerva_data.core.importing.headers import Layout, find_layout, missing_headers
from minerva_data.core.importing.reading import Reading
from minerva_data.core.importing.table_row import row_to_reading
from minerva_reading import open_tables

_SAMPLE = 50
"""Rows below the headers that show whether a sheet holds entries."""


def read_xlsx(
    path: Path, named: Mapping[str, str]
) -> tuple[dict[str, Layout], tuple[str, ...], Iterator[Reading]]:
    """Return the layouts by sheet, the sheets that hold no table, and the rows of the others.

    Raises:
        FileFault: it is no workbook, is unsafe to open, or no sheet holds a table.
    """
    layouts: dict[str, Layout] = {}
    doubtful: dict[str, Layout] = {}
    others: list[str] = []
    first: list[str] = []
    for table in open_tables(path):
        rows = list(islice(table.rows, HEADER_ROWS + _SAMPLE))
        layout = next(filter(None, (find_layout(cells, named) for _, cells in rows)), None)
        if layout is None:
            others.append(table.name)
            first = first or next((cells for _, cells in rows if any(cells)), first)
        elif _has_entries(rows, layout, named):
            layouts[table.name] = layout
        else:
            doubtful[table.name] = layout
    if not (layouts or doubtful):
        where = f"{path.name} ({', '.join(others) or 'no sheets'})"
        raise missing_headers(where, first)
    if layouts:
        others += doubtful
    layouts = layouts or doubtful
    return layouts, tuple(others), _rows(path, layouts, named)


def _has_entries(
    rows: list[tuple[int, list[str]]], layout: Layout, named: Mapping[str, str]
) -> bool:
    """True if rows below the headers are entries: a sheet that explains headers has none."""
    top = next(i for i, (_, cells) in enumerate(rows) if find_layout(cells, named) == layout)
    return any(row_to_reading(cells, layout, Place(n)).drafts for n, cells in rows[top + 1 :])


def _rows(path: Path, layouts: dict[str, Layout], named: Mapping[str, str]) -> Iterator[Reading]:
    for table in open_tables(path):
        layout = layouts.get(table.name)
        is_below = False
        for number, cells in table.rows if layout else ():
            if not is_below:
                is_below = find_layout(cells, named) == layout
            elif layout and any(cell.strip() for cell in cells):
                yield row_to_reading(cells, layout, Place(number, table.name))
