"""Read every sheet of an Excel workbook (XLSX), hidden ones too, with the values of its cells.

The container is checked against bombs before openpyxl opens it; rows are streamed. A cell with a
formula has the value that was last computed; one without any is counted.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile, ZipFile

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from minerva_reading.tables.archive_limits import check_archive
from minerva_reading.unreadable import UnreadableError

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
class Sheet:
    """A sheet that holds rows. `first` is the number of the first filled one, and its values.

    What reads it opens the workbook anew, and raises `UnreadableError` if that stops being one.
    """

    path: Path
    title: str
    first: tuple[int, Sequence[Any]]

    def rows(self) -> Iterator[tuple[int, Sequence[Any]]]:
        """Give each row that holds a value, with its number from 1."""
        try:
            with closing(load_workbook(self.path, read_only=True, data_only=True)) as book:
                yield from _filled_rows(book[self.title])
        except _BROKEN:
            raise UnreadableError(reason="no_workbook") from None

    def count_noted_parts(self) -> int:
        """Return how many parts of the workbook hold comments, which are in no row."""
        try:
            with ZipFile(self.path) as archive:
                return sum(name.startswith(_COMMENTS) for name in archive.namelist())
        except (BadZipFile, OSError):
            raise UnreadableError(reason="no_workbook") from None

    def count_uncomputed(self) -> int:
        """Return how many formulas have no value, by reading the sheet once more as formulas."""
        count = 0
        try:
            if not _has_formulas(self.path):
                return 0
            with (
                closing(load_workbook(self.path, read_only=True, data_only=True)) as results,
                closing(load_workbook(self.path, read_only=True)) as formulas,
            ):
                sheets: list[Any] = [results[self.title], formulas[self.title]]
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


def open_sheets(path: Path) -> list[Sheet]:
    """Return the sheets that hold rows, in the order of the workbook.

    Raises:
        UnreadableError: no workbook, damaged, a bomb, or without any row.
    """
    check_archive(path)
    sheets: list[Sheet] = []
    try:
        with closing(load_workbook(path, read_only=True, data_only=True)) as book:
            for sheet in book.worksheets:
                first = next(_filled_rows(sheet), None)
                sheets += [Sheet(path, str(sheet.title), first)] if first else []
    except _BROKEN:
        raise UnreadableError(reason="no_workbook") from None
    if not sheets:
        raise UnreadableError(reason="empty")
    return sheets


def _filled_rows(sheet: Any) -> Iterator[tuple[int, Sequence[Any]]]:
    sheet.reset_dimensions()  # what a file says about its size may be too small
    for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
        if any(value is not None for value in values):
            yield number, values


def _has_formulas(path: Path) -> bool:
    """False if no sheet's XML has an element of a formula: most exports have none."""
    with ZipFile(path) as archive:
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
