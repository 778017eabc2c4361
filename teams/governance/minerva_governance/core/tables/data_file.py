"""Read a delimited file that may be hostile: any encoding, NULs, cells of megabytes, no header.

A file that keeps to the format is DuckDB's. All others are read here, bounded in memory by the
longest line: what is not read is counted and said, and a row that cannot be split for certain is
still looked at.
"""

import codecs
import csv
import io
import re
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final, cast

from minerva_governance.core.detection.detector import find
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.tables.data_table import MAX_COLUMNS, MIB, Omissions, Row
from minerva_governance.core.tables.relation import Relation, allow_only, connect, literal, quoted
from minerva_reading import UnreadableError, not_opened

MAX_LINE_BYTES: Final = MIB
"""A longer line is counted and left out."""
_MAX_NAME_CHARACTERS: Final = 128
_DELIMITERS: Final = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
_UTF_8: Final = "utf-8"
_UTF_16: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_ENCODINGS: Final = (_UTF_8, "cp949")
"""In this order: cp949 accepts nearly anything, so it counts only where UTF-8 fails."""


@dataclass(frozen=True)
class DataFile:
    """A delimited file with its encoding, delimiter and column names found out."""

    source: Source
    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    unnamed_columns: frozenset[str]
    has_header: bool

    @property
    def name(self) -> str:
        """The file's own name: it holds one table."""
        return self.source.name

    @property
    def types(self) -> tuple[tuple[str, str], ...]:
        """Return nothing: all cells are texts."""
        return ()

    @contextmanager
    def relation(self) -> Generator[Relation | None]:
        """Open the file for queries; None if it is not UTF-8, or has a column too many.

        DuckDB is strict: a row of too few cells, an open quote, a byte that is no text or a line
        beyond `MAX_LINE_BYTES` makes the query fail. Empty cells beyond the header are no fault.
        """
        if self.encoding != _UTF_8 or len(self.columns) > MAX_COLUMNS:
            yield None
            return
        names = [f"column{at}" for at in range(len(self.columns))]
        types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
        with closing(connect()) as database:
            path = allow_only(database, self.source)
            database.execute("SET enable_external_access = false")
            sql = (
                f"read_csv({path}, auto_detect = false, header = {str(self.has_header).lower()}, "
                f"delim = {literal(self.delimiter)}, quote = '\"', escape = '\"', comment = '', "
                f"nullstr = '', strict_mode = true, null_padding = false, ignore_errors = false, "
                f"max_line_size = {MAX_LINE_BYTES}, columns = {{{types}}})"
            )
            chosen = tuple(zip(self.columns, map(quoted, names), strict=True))
            yield Relation(database, sql, chosen)

    def rows(self, omissions: Omissions) -> Iterator[Row]:
        """Give all rows; the first data row is 1."""
        try:
            with self.source.path.open("rb") as stream:
                lines = _Lines(_to_utf_8(stream, self.encoding), omissions)
                yield from self._numbered_rows(lines, omissions)
        except OSError as error:
            raise not_opened(error) from None

    def _numbered_rows(self, lines: "_Lines", omissions: Omissions) -> Iterator[Row]:
        number = 0 if self.has_header else 1
        known = len(self.columns)
        for cells in _records(lines, self.delimiter, omissions):
            if number:
                if omissions.undecodable and not omissions.first_undecodable:
                    omissions.first_undecodable = number
                omissions.wide_rows += any(cells[known:])
                more = (f"column {at + 1}" for at in range(known, len(cells)))
                yield Row(number, list(zip((*self.columns, *more), cells, strict=False)))
            number += 1


def open_data_file(source: Source) -> DataFile:
    """Find out how to read `source`, by its beginning and by all its bytes.

    Raises:
        UnreadableError: empty, not a file, or in no encoding we try.
    """
    omissions = Omissions()
    try:
        encoding = _encoding_of(source)
        with source.path.open("rb") as stream:
            lines = _Lines(_to_utf_8(stream, encoding), omissions)
            first = next(lines, "")
            delimiter = _DELIMITERS.get(source.path.suffix.casefold()) or max(
                ",;\t|", key=first.count
            )
            lines.put_back(first)
            header = next(_records(lines, delimiter, omissions), None)
    except OSError as error:
        raise not_opened(error) from None
    if header is None:
        raise UnreadableError(reason="long_lines" if omissions.long_rows else "empty")
    if omissions.undecodable:
        raise UnreadableError(reason="encoding")
    names, unnamed_columns, has_header = column_names(header)
    return DataFile(source, encoding, delimiter, names, unnamed_columns, has_header)


def _encoding_of(source: Source) -> str:
    """Return the first encoding that fits all bytes; UTF-8 if none does.

    The platform's `encoding_of` refuses one broken byte. Here a broken byte costs its row only,
    which is counted.
    """
    with source.path.open("rb") as stream:
        start = stream.read(2)
    return _UTF_16.get(start) or next(
        (name for name in _ENCODINGS if _fits(source, name)), _ENCODINGS[0]
    )


def _fits(source: Source, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    with source.path.open("rb") as stream:
        try:
            while chunk := stream.read(MIB):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:  # it carries the bytes, so it goes no further
            return False
    return True


class _Utf8Stream(io.RawIOBase):
    """The bytes of a stream in UTF-8; U+FFFD stands for what does not decode."""

    def __init__(self, stream: BinaryIO, encoding: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready = b""
        self._is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer))
        while not self._ready and not self._is_over:
            chunk = self._stream.read(MIB // 4)
            self._is_over = not chunk
            text = self._decoder.decode(chunk, final=not chunk)
            self._ready = text.encode("utf-8", "replace")
        size = min(len(view), len(self._ready))
        view[:size], self._ready = self._ready[:size], self._ready[size:]
        return size


def _to_utf_8(stream: BinaryIO, encoding: str) -> BinaryIO:
    if encoding == _UTF_8:
        return stream
    return cast("BinaryIO", io.BufferedReader(_Utf8Stream(stream, encoding), MIB))


class _Lines:
    """The lines of a file in UTF-8; those of the current record can be had again."""

    def __init__(self, stream: BinaryIO, omissions: Omissions) -> None:
        self._stream, self._omissions = stream, omissions
        self._is_first = True
        self._waiting: list[str] = []
        self.record: list[str] = []
        """Lines that were taken since the last whole record."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        while not self._waiting:
            text = self._raw().decode("utf-8", "replace").replace("\0", "")
            if self._is_first:
                text, self._is_first = text.removeprefix("\ufeff"), False
            self._omissions.undecodable += "\ufffd" in text
            # A lone CR ends a line, too; `splitlines` of text would also divide at U+2028.
            self._waiting = re.split(r"(?<=\r)(?!\n)(?!$)", text) if "\r" in text else [text]
        line = self._waiting.pop(0)
        self.record.append(line)
        return line

    def put_back(self, line: str) -> None:
        """Give `line` again, before all others."""
        self._waiting.insert(0, line)
        self.record.clear()

    def _raw(self) -> bytes:
        while line := self._stream.readline(MAX_LINE_BYTES):
            if len(line) < MAX_LINE_BYTES or line.endswith(b"\n"):
                return line
            self._omissions.long_rows += 1
            while (rest := self._stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                pass
        raise StopIteration


def _records(lines: _Lines, delimiter: str, omissions: Omissions) -> Iterator[list[str]]:
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:  # a quote that does not close, or a field beyond csv's own limit
            broken = list(lines.record)
            lines.record.clear()
            yield from _split_apart(broken, delimiter, omissions)
            continue
        lines.record.clear()
        if cells:
            yield cells


def _split_apart(lines: list[str], delimiter: str, omissions: Omissions) -> Iterator[list[str]]:
    """Split each line by itself: an open quote may have swallowed the rows after it."""
    for line in lines:
        try:
            cells = next(csv.reader([line], delimiter=delimiter), list[str]())
        except csv.Error:
            omissions.long_rows += 1
            continue
        if cells:
            omissions.broken_rows += 1
            yield cells


def column_names(header: list[str]) -> tuple[tuple[str, ...], frozenset[str], bool]:
    """Return the names, those that are not the file's, and whether the first row is one of names.

    A first row that holds personal data is data: taken as names it would be printed.
    """
    if any(find(cell) for cell in header):
        names = tuple(f"column {index + 1}" for index in range(len(header)))
        return names, frozenset(names), False
    found: list[str] = []
    unnamed_columns: set[str] = set()
    for index, cell in enumerate(header):
        name = cell.strip()[:_MAX_NAME_CHARACTERS] or f"column {index + 1}"
        if not cell.strip():
            unnamed_columns.add(name)
        found.append(name if name not in found else f"{name} ({index + 1})")
    return tuple(found), frozenset(unnamed_columns), True
