"""Open the tables of a file: a text with cells, or the sheets of a workbook."""

import csv
import datetime as dt
import zipfile
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, TextIO
from xml.parsers import expat

from minerva_reading.text_file import find_encoding
from minerva_reading.unreadable import FileFault

MAX_UNPACKED = 512 << 20
"""Bytes of a workbook's parts; 13,000 rows take 10 MB."""

MAX_SHARED = 96 << 20
"""Bytes of the texts that all sheets share, which are held in memory."""

MAX_RATIO = 300
"""How much smaller than its parts a workbook may be; real ones are 5 to 20 times smaller."""

MAX_COLUMNS = 500
"""Cells of a row that are looked at."""

_MAX_UNCHECKED_BYTES = 8 << 20
_SHARED = "sharedstrings"
_XML = (".xml", ".rels", ".vml")
_CHUNK_BYTES = 1 << 16
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


def sheet_rows(path: Path) -> Iterator[tuple[str, Iterator[tuple[int, list[str]]]]]:
    """Yield each sheet's name and its rows, whatever they hold, with their numbers.

    One that unpacks to a great deal more than it weighs, or whose XML declares entities, is refused
    before anything of it is read.

    Raises:
        FileFault: it is no workbook, or is unsafe to open.
    """
    _check_archive(path)
    with _book(path) as book:
        for sheet in book.worksheets:
            yield sheet.title, _cells(sheet, path)


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


class _PrologEnd(Exception):  # noqa: N818  # ends a scan, no error
    """The part of a document where entities are declared is over."""


def _check_prolog(path: Path, archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Refuse a part with a document type: only there can XML declare entities."""

    def doctype(*_: object) -> None:
        _refuse(path, f"declares a document type in {part.filename}, which no spreadsheet does")

    def root(*_: object) -> None:
        raise _PrologEnd

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = doctype
    parser.StartElementHandler = root
    try:
        with archive.open(part) as file:
            for chunk in chain(iter(lambda: file.read(_CHUNK_BYTES), b""), (b"",)):
                parser.Parse(chunk, not chunk)
    except _PrologEnd:
        return
    except expat.ExpatError as error:
        _refuse(path, f"holds broken XML in {part.filename} ({error}). Save it again")


def _refuse(path: Path, reason: str) -> NoReturn:
    message = f"{path.name} {reason}."
    raise FileFault(message)
