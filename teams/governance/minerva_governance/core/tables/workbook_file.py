"""Read every sheet of an Excel workbook (XLSX), hidden ones too, each as a table of rows.

The container is checked against bombs before openpyxl opens it; rows are streamed. A cell with a
formula has the value that was last computed; one without any is counted.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final
from zipfile import BadZipFile, ZipFile

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from minerva_governance.core.reading.problem import UnreadableError
from minerva_governance.core.reading.source import Source
from minerva_governance.core.tables.archive_limits import check_archive
from minerva_governance.core.tables.data_file import column_names
from minerva_governance.core.tables.data_table import ByRows, Row, Skipped
from minerva_governance.core.tables.sqlite_file import cell_text

_COMMENTS: Final = ("xl/comments", "xl/threadedComments")
_BROKEN: Final = (
    *(BadZipFile, InvalidFileException, SyntaxError, OSError, EOFError),
    *(LookupError, ValueError, TypeError, AttributeError, AssertionError),
)
"""What openpyxl raises on parts that are not what they say; the texts may quote them."""
_FORMULA: Final = re.compile(rb"<(?:[\w.-]{1,60}:)?f[\s/>]")
"""An element `f` (ECMA-376 part 1, 18.3.1.40), with a prefix or without."""
_CHUNK: Final = 1 << 20
_LONGEST: Final = 64
"""Bytes of a tag's begin that two chunks may share."""


@dataclass(frozen=True)
class Sheet(ByRows):
    """One sheet with rows; `header_row` counts from 1, and is 0 if the first row is data."""

    source: Source
    sheet: str
    columns: tuple[str, ...]
    unnamed: frozenset[str]
    has_header: bool
    header_row: int

    @property
    def name(self) -> str:
        """The file's name and the sheet's: `clinic.xlsx.patients`."""
        return f"{self.source.name}.{self.sheet}"

    def rows(self, skipped: Skipped) -> Iterator[Row]:
        """Give all rows, numbered as they stand below the header."""
        known = len(self.columns)
        skipped.uncomputed += _uncomputed(self.source, self.sheet)
        skipped.noted_sheets += _noted_sheets(self.source)
        for number, values in _numbered(self.source, self.sheet):
            if number <= self.header_row:
                continue
            cells = [cell_text(value, skipped) for value in values]
            skipped.wide_rows += any(cells[known:])
            more = (f"column {at + 1}" for at in range(known, len(cells)))
            named = list(zip((*self.columns, *more), cells, strict=False))
            yield Row(number - self.header_row, named)


def open_sheets(source: Source) -> list[Sheet]:
    """Return the sheets that hold rows, in the order of the workbook.

    Raises:
        UnreadableError: no workbook, damaged, a bomb, or without any row.
    """
    check_archive(source.path)
    try:
        with closing(load_workbook(source.path, read_only=True, data_only=True)) as book:
            opened = [_opened(source, sheet) for sheet in book.worksheets]
    except _BROKEN:
        raise UnreadableError(reason="no_workbook") from None
    sheets = [sheet for sheet in opened if sheet is not None]
    if not sheets:
        raise UnreadableError(reason="empty")
    return sheets


def _opened(source: Source, sheet: Any) -> Sheet | None:
    first = next(_filled_rows(sheet), None)
    if first is None:
        return None
    number, values = first
    names, unnamed, has_header = column_names([cell_text(value, Skipped()) for value in values])
    return Sheet(source, str(sheet.title), names, unnamed, has_header, number if has_header else 0)


def _numbered(source: Source, title: str) -> Iterator[tuple[int, Sequence[Any]]]:
    """Give each row of a sheet that holds a value, with its number."""
    try:
        with closing(load_workbook(source.path, read_only=True, data_only=True)) as book:
            yield from _filled_rows(book[title])
    except _BROKEN:
        raise UnreadableError(reason="no_workbook") from None


def _filled_rows(sheet: Any) -> Iterator[tuple[int, Sequence[Any]]]:
    sheet.reset_dimensions()  # what a file says about its size may be too small
    for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
        if any(value is not None for value in values):
            yield number, values


def _noted_sheets(source: Source) -> int:
    """Return how many parts hold comments: openpyxl's reader of rows leaves them out."""
    try:
        with ZipFile(source.path) as archive:
            return sum(name.startswith(_COMMENTS) for name in archive.namelist())
    except (BadZipFile, OSError):
        raise UnreadableError(reason="no_workbook") from None


def _uncomputed(source: Source, title: str) -> int:
    """Return how many formulas of a sheet have no value, by reading it once more as formulas."""
    count = 0
    try:
        if not _has_formulas(source):
            return 0
        with (
            closing(load_workbook(source.path, read_only=True, data_only=True)) as results,
            closing(load_workbook(source.path, read_only=True)) as formulas,
        ):
            sheets: list[Any] = [results[title], formulas[title]]
            for sheet in sheets:
                sheet.reset_dimensions()
            rows = (sheet.iter_rows(values_only=True) for sheet in sheets)
            for values, written in zip(*rows, strict=True):
                count += sum(
                    value is None and formula is not None
                    for value, formula in zip(values, written, strict=False)
                )
    except _BROKEN:
        raise UnreadableError(reason="no_workbook") from None
    return count


def _has_formulas(source: Source) -> bool:
    """False if no sheet's XML has an element of a formula: most exports have none."""
    with ZipFile(source.path) as archive:
        for name in archive.namelist():
            if not name.startswith("xl/worksheets/"):
                continue
            with archive.open(name) as part:
                end = b""
                while chunk := part.read(_CHUNK):
                    if b"\0" in chunk[:4] or _FORMULA.search(end + chunk):  # UTF-16 is looked at
                        return True
                    end = chunk[-_LONGEST:]
    return False
