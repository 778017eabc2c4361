"""Read the sheets of a workbook that hold tables of a glossary, whatever the sheets are called.

A workbook is a zip of XML: one that unpacks to a great deal more than it weighs, or whose XML
declares entities, is refused before anything of it is read.
"""

import datetime as dt
import zipfile
import zlib
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from minerva_data.core.glossary.draft import Place
from minerva_data.core.importing.csv_table import HEADER_ROWS
from minerva_data.core.importing.headers import Layout, find_layout, missing_headers
from minerva_data.core.importing.reading import ImportFault, Reading
from minerva_data.core.importing.table_row import row_to_reading

MAX_UNPACKED = 512 << 20
"""Bytes of a workbook's parts; 13,000 rows take 10 MB."""

MAX_SHARED = 96 << 20
"""Bytes of the texts that all sheets share, which are held in memory."""

MAX_RATIO = 300
"""How much smaller than its parts a workbook may be; real ones are 5 to 20 times smaller."""

MAX_COLUMNS = 500
"""Cells of a row that are looked at."""

_SAMPLE = 50
"""Rows below the headers that show whether a sheet holds entries."""

_MAX_UNCHECKED_BYTES = 8 << 20
_SHARED = "sharedstrings"
_XML = (".xml", ".rels", ".vml")
_CHUNK_BYTES = 1 << 16


def read_xlsx(
    path: Path, named: Mapping[str, str]
) -> tuple[dict[str, Layout], tuple[str, ...], Iterator[Reading]]:
    """Return the layouts by sheet, the sheets that hold no table, and the rows of the others.

    Raises:
        ImportFault: it is no workbook, is unsafe to open, or no sheet holds a table.
    """
    _check_archive(path)
    layouts: dict[str, Layout] = {}
    doubtful: dict[str, Layout] = {}
    others: list[str] = []
    first: list[str] = []
    with _book(path) as book:
        for sheet in book.worksheets:
            rows = list(islice(_cells(sheet, path), HEADER_ROWS + _SAMPLE))
            found = next(filter(None, (find_layout(cells, named) for _, cells in rows)), None)
            if found is None:
                others.append(sheet.title)
                first = first or next((cells for _, cells in rows if any(cells)), first)
            elif _has_entries(rows, found, named):
                layouts[sheet.title] = found
            else:
                doubtful[sheet.title] = found
    if not (layouts or doubtful):
        where = f"{path.name} ({', '.join(others) or 'no sheets'})"
        raise missing_headers(where, first)
    if layouts:
        others += doubtful
    layouts = layouts or doubtful
    return layouts, tuple(others), _rows(path, layouts, named)


def sheet_rows(path: Path) -> Iterator[tuple[str, Iterator[tuple[int, list[str]]]]]:
    """Yield each sheet's name and its rows, whatever they hold, with their numbers.

    Raises:
        ImportFault: it is no workbook, or is unsafe to open.
    """
    _check_archive(path)
    with _book(path) as book:
        for sheet in book.worksheets:
            yield sheet.title, _cells(sheet, path)


def _has_entries(
    rows: list[tuple[int, list[str]]], layout: Layout, named: Mapping[str, str]
) -> bool:
    """True if rows below the headers are entries: a sheet that explains headers has none."""
    top = next(i for i, (_, cells) in enumerate(rows) if find_layout(cells, named) == layout)
    return any(row_to_reading(cells, layout, Place(n)).drafts for n, cells in rows[top + 1 :])


def _rows(path: Path, layouts: dict[str, Layout], named: Mapping[str, str]) -> Iterator[Reading]:
    with _book(path) as book:
        for sheet in book.worksheets:
            layout = layouts.get(sheet.title)
            is_below = False
            for number, cells in _cells(sheet, path) if layout else ():
                if not is_below:
                    is_below = find_layout(cells, named) == layout
                elif layout and any(cell.strip() for cell in cells):
                    yield row_to_reading(cells, layout, Place(number, sheet.title))


@contextmanager
def _book(path: Path) -> Generator[Any]:
    """Open a workbook; its file is closed whatever openpyxl does."""
    import openpyxl  # noqa: PLC0415  # with numpy 0.1 s of CPU, for workbooks alone

    with path.open("rb") as file:
        try:
            book: Any = openpyxl.load_workbook(
                file, read_only=True, data_only=True, keep_links=False
            )
        except Exception as error:  # noqa: BLE001  # what openpyxl stumbles over in broken XML
            _refuse(path, f"is a broken workbook ({type(error).__name__}: {error}). Save it again")
        with closing(book):
            yield book


def _cells(sheet: Any, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with their numbers; the sheet's own word on its size is not trusted."""
    sheet.reset_dimensions()
    try:
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
            yield number, [_text(value) for value in row[:MAX_COLUMNS]]
    except Exception as error:  # noqa: BLE001  # see `_book`
        _refuse(path, f"has a broken sheet `{sheet.title}` ({error}). Save it again")


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, dt.datetime | dt.date):
        return value.isoformat()
    return str(value)


def _check_archive(path: Path) -> None:
    """Refuse what is no zip, unpacks to too much, or declares document types.

    The sizes that a zip declares bind: no more than them is ever unpacked.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            total = sum(part.file_size for part in parts)
            packed = max(1, path.stat().st_size)
            shared = sum(p.file_size for p in parts if _SHARED in p.filename.casefold())
            if total > MAX_UNPACKED or shared > MAX_SHARED:
                _refuse(path, f"would unpack to {total:,} bytes. Save its tables as CSV")
            if total > _MAX_UNCHECKED_BYTES and total / packed > MAX_RATIO:
                _refuse(path, f"unpacks to {total // packed} times its size: a zip bomb")
            for part in parts:
                if part.filename.casefold().endswith(_XML):
                    _check_prolog(path, archive, part)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, OSError) as error:
        # RuntimeError: encrypted, or packed in an unknown way; OSError: it points before its begin
        _refuse(path, f"is no XLSX workbook ({error}). Save it as .xlsx from a spreadsheet")


class _RootReached(Exception):  # noqa: N818  # ends a scan, no error
    """The part of a document where entities are declared is over."""


def _check_prolog(path: Path, archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Refuse a part with a document type: only there can XML declare entities."""

    def doctype(*_: object) -> None:
        _refuse(path, f"declares a document type in {part.filename}, which no spreadsheet does")

    def root(*_: object) -> None:
        raise _RootReached

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = doctype
    parser.StartElementHandler = root
    try:
        with archive.open(part) as file:
            for chunk in chain(iter(lambda: file.read(_CHUNK_BYTES), b""), (b"",)):
                parser.Parse(chunk, not chunk)
    except _RootReached:
        return
    except expat.ExpatError as error:
        _refuse(path, f"holds broken XML in {part.filename} ({error}). Save it again")


def _refuse(path: Path, reason: str) -> NoReturn:
    message = f"{path.name} {reason}."
    raise ImportFault(message)
