"""Read every sheet of an Excel workbook (XLSX), hidden ones too, with the values of its cells.

The container is checked against bombs before openpyxl opens it; rows are streamed. A cell with a
formula has the value that was last computed; one without any is counted.
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final
from zipfile import BadZipFile, ZipFile

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from minerva_reading.unreadable import UnreadableError, not_opened

_KIB: Final = 1 << 10
_MIB: Final = 1 << 20
MAX_MEMBERS: Final = 1_000
"""Parts of one workbook. Apache POI's `ZipSecureFile` has the same limit."""
MAX_RATIO: Final = 100
"""Inflated bytes for a packed byte, of a part and of the whole. POI's limit, too.

Deflate can reach 1,032; worksheets lie between 5 and 30.
"""
GRACE_BYTES: Final = 100 * _KIB
"""Parts up to this size may have any ratio. POI's number, too."""
MAX_INFLATED_BYTES: Final = 2_048 * _MIB
"""Of all parts together: a full sheet (1,048,576 rows) of 20 columns has about 1.5 GiB."""
MAX_WHOLE_PART_BYTES: Final = 256 * _MIB
"""Of a part that is held in memory: all but worksheets, which are read as streams."""
_CHUNK_BYTES: Final = _MIB
_SHEETS: Final = "xl/worksheets/"
_IS_ENCRYPTED: Final = 0x1
_DOCTYPE: Final = b"<!DOCTYPE"
"""Office forbids it in every part (ECMA-376 part 2, 8.3.5), and all XML bombs begin with it."""
_BROKEN_ARCHIVE: Final = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError)
"""What zipfile raises on bytes that are not what they say; the texts may quote them."""
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

    def count_texts_outside(self) -> int:
        """Return how many parts of the workbook hold texts in no cell, beside comments.

        Headers and footers, lists of choices and their prompts (ECMA-376 part 1, 18.3.1), shapes,
        charts, and properties of the document that a person wrote.
        """
        try:
            with ZipFile(self.path) as archive:
                return sum(_has_text_outside(archive, name) for name in archive.namelist())
        except _BROKEN:
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


_OUTSIDE: Final = re.compile(
    rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)>(?:&amp;[^&]|[\s/|,.-]|of|Page)*+[^<&\s]"
    rb"|<(?:\w+:)?formula1>(?:\"|&quot;)|\bprompt=\"[^\"]|\berror=\"[^\"]"
    rb"|<(?:a:t|c:v|vt:lpwstr|dc:title|dc:subject|dc:description|cp:keywords|cp:category)>[^<]"
)
_WITH_TEXT: Final = (
    _SHEETS,
    "xl/drawings/",
    "xl/charts/",
    "docProps/core.xml",
    "docProps/custom.xml",
)


def _has_text_outside(archive: ZipFile, name: str) -> bool:
    if not name.startswith(_WITH_TEXT) or not name.endswith(".xml"):
        return False
    with archive.open(name) as part:
        end = b""
        while chunk := part.read(_CHUNK):
            if _OUTSIDE.search(end + chunk):
                return True
            end = chunk[-_KIB:]
    return False


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


def check_archive(
    path: Path,
    *,
    max_inflated_bytes: int = MAX_INFLATED_BYTES,
    max_whole_part_bytes: int = MAX_WHOLE_PART_BYTES,
    max_members: int = MAX_MEMBERS,
) -> int:
    """Return how many bytes the parts of the ZIP file at `path` have when inflated.

    What it declares about itself is checked first. Then each part is inflated in pieces and
    counted, because declared sizes may lie; nothing is written anywhere.

    Raises:
        UnreadableError: no ZIP file, damaged, encrypted, or beyond a limit of this module.
    """
    try:
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            members = archive.infolist()
            _check_declared(members, max_inflated_bytes, max_members)
            left = max_inflated_bytes
            for member in members:
                is_sheet = member.filename.casefold().startswith(_SHEETS)
                limit = left if is_sheet else min(left, max_whole_part_bytes)
                with archive.open(member) as part:
                    left -= _inflated_size(part, member.compress_size, limit)
    except OSError as error:
        raise not_opened(error) from None
    except (
        *_BROKEN_ARCHIVE,
        NotImplementedError,
        RuntimeError,
    ):  # methods of packing that Python lacks
        raise UnreadableError(reason="no_archive") from None
    return max_inflated_bytes - left


def _check_declared(
    members: list[zipfile.ZipInfo], max_inflated_bytes: int, max_members: int
) -> None:
    if len(members) > max_members:
        raise UnreadableError(reason="archive_members", limit=max_members)
    if any(member.flag_bits & _IS_ENCRYPTED for member in members):
        raise UnreadableError(reason="archive_encrypted")
    if sum(member.file_size for member in members) > max_inflated_bytes:
        raise UnreadableError(reason="archive_size", limit=max_inflated_bytes)
    for member in members:
        _check_ratio(member.file_size, member.compress_size)


def _check_ratio(size: int, packed_size: int) -> None:
    if size > GRACE_BYTES and size > MAX_RATIO * max(packed_size, 1):
        raise UnreadableError(reason="archive_ratio", limit=MAX_RATIO)


def _inflated_size(part: IO[bytes], packed_size: int, limit: int) -> int:
    """Return the real size of one part, read in pieces; it is given up at the first excess."""
    size, tail = 0, b""
    while chunk := part.read(_CHUNK_BYTES):
        size += len(chunk)
        if size > limit:
            raise UnreadableError(reason="archive_size", limit=limit)
        _check_ratio(size, packed_size)
        # Without NULs UTF-16 reads like ASCII, so a declaration cannot hide in it.
        text = tail + chunk.replace(b"\0", b"")
        if _DOCTYPE in text:
            raise UnreadableError(reason="archive_entities")
        tail = text[-len(_DOCTYPE) :]
    return size
