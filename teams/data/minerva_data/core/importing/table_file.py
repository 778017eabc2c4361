"""Stream the rows of a CSV file or a workbook that holds a glossary, in bounded memory.

The sheets of a workbook count that hold tables of a glossary, whatever they are called.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from minerva_data.core.glossary.draft import Place, Reading
from minerva_data.core.importing.headers import Layout, find_layout, missing_headers
from minerva_data.core.importing.table_row import row_to_reading
from minerva_reading import DELIMITERS, Table, open_tables

HEADER_ROWS = 20
"""Rows at the top of a table among which its headers are looked for."""


def read_csv(
    path: Path, header_map: Mapping[str, str], *, encoding: str
) -> tuple[Layout, Iterator[Reading]]:
    """Return what the file holds, and its rows as they are read.

    Raises:
        FileFault: no headers are found; later, a line is no CSV.
    """
    first: Sequence[str] = ()
    for delimiter in DELIMITERS:
        (table,) = open_tables(path, delimiter=delimiter, encoding=encoding)
        for number, (_, cells) in enumerate(table.rows):
            layout = find_layout(cells, header_map)
            if layout is not None:
                (table,) = open_tables(path, delimiter=delimiter, encoding=encoding)
                return layout, _rows(table, layout, header_map)
            first = cells if not number and len(cells) > len(first) else first
            if number >= HEADER_ROWS:
                break
    raise missing_headers(path.name, first)


def _rows(table: Table, layout: Layout, header_map: Mapping[str, str]) -> Iterator[Reading]:
    is_below = False
    for line, cells in table.rows:
        if not is_below:
            is_below = find_layout(cells, header_map) == layout
        elif any(cell.strip() for cell in cells):
            yield row_to_reading(cells, layout, Place(line))


_SAMPLE = 50
"""Rows below the headers that show whether a sheet holds entries."""


def read_xlsx(
    path: Path, header_map: Mapping[str, str]
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
        layout = next(filter(None, (find_layout(cells, header_map) for _, cells in rows)), None)
        if layout is None:
            others.append(table.name)
            first = first or next((cells for _, cells in rows if any(cells)), first)
        elif _has_entries(rows, layout, header_map):
            layouts[table.name] = layout
        else:
            doubtful[table.name] = layout
    if not (layouts or doubtful):
        where = f"{path.name} ({', '.join(others) or 'no sheets'})"
        raise missing_headers(where, first)
    if layouts:
        others += doubtful
    layouts = layouts or doubtful
    return layouts, tuple(others), _sheet_rows(path, layouts, header_map)


def _has_entries(
    rows: list[tuple[int, list[str]]], layout: Layout, header_map: Mapping[str, str]
) -> bool:
    """True if rows below the headers are entries: a sheet that explains headers has none."""
    top = next(i for i, (_, cells) in enumerate(rows) if find_layout(cells, header_map) == layout)
    return any(row_to_reading(cells, layout, Place(n)).drafts for n, cells in rows[top + 1 :])


def _sheet_rows(
    path: Path, layouts: dict[str, Layout], header_map: Mapping[str, str]
) -> Iterator[Reading]:
    for table in open_tables(path):
        layout = layouts.get(table.name)
        is_below = False
        for number, cells in table.rows if layout else ():
            if not is_below:
                is_below = find_layout(cells, header_map) == layout
            elif layout and any(cell.strip() for cell in cells):
                yield row_to_reading(cells, layout, Place(number, table.name))
