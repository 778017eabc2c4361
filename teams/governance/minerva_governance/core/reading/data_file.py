"""Read a delimited file that may be hostile: any encoding, NULs, cells of megabytes, no header.

Bounded in memory by the longest line it accepts. What is not read is counted and said; a row that
cannot be split for certain is still looked at.
"""

import codecs
import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final

from minerva_governance.core.detection.detector import find
from minerva_governance.core.reading.data_table import DEFAULT_MAX_BYTES, MIB, Row, Skipped
from minerva_governance.core.reading.problem import UnreadableError, not_opened
from minerva_governance.core.reading.source import Source

MAX_LINE_BYTES: Final = MIB
"""A longer line is counted and left out."""
_MAX_NAME_CHARACTERS: Final = 128
_DELIMITERS: Final = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_ENCODINGS: Final = ("utf-8-sig", "cp949")
"""Tried side by side: cp949 accepts nearly anything, so it counts only where UTF-8 fails."""


@dataclass(frozen=True)
class DataFile:
    """A delimited file with its encoding, delimiter and column names found out."""

    source: Source
    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    unnamed: frozenset[str]
    has_header: bool
    max_bytes: int = DEFAULT_MAX_BYTES

    @property
    def name(self) -> str:
        """The file's own name: it holds one table."""
        return self.source.name

    def rows(self, skipped: Skipped) -> Iterator[Row]:
        """Give the rows within the budget; the first data row is 1."""
        try:
            with self.source.path.open("rb") as stream:
                lines = _Lines(stream, self.encoding, skipped, self.max_bytes)
                yield from self._numbered(lines, skipped)
                skipped.more_rows += lines.count_rest()
        except OSError as error:
            raise not_opened(error) from None

    def _numbered(self, lines: "_Lines", skipped: Skipped) -> Iterator[Row]:
        number = 0 if self.has_header else 1
        known = len(self.columns)
        for cells in _records(lines, self.delimiter, skipped):
            if number:
                skipped.wide_rows += len(cells) > known
                more = (f"column {at + 1}" for at in range(known, len(cells)))
                yield Row(number, list(zip((*self.columns, *more), cells, strict=False)))
            number += 1


def open_data_file(source: Source, *, max_bytes: int = DEFAULT_MAX_BYTES) -> DataFile:
    """Find out how to read `source`, by its beginning and by all bytes within the budget.

    Raises:
        UnreadableError: empty, not a file, or in no encoding we try.
    """
    skipped = Skipped()
    try:
        encoding = _encoding_of(source, max_bytes)
        with source.path.open("rb") as stream:
            lines = _Lines(stream, encoding, skipped, max_bytes)
            first = next(lines, "")
            delimiter = _DELIMITERS.get(source.path.suffix.casefold()) or max(
                ",;\t|", key=first.count
            )
            lines.put_back(first)
            header = next(_records(lines, delimiter, skipped), None)
    except OSError as error:
        raise not_opened(error) from None
    if header is None:
        raise UnreadableError(reason="long_lines" if skipped.long_rows else "empty")
    if skipped.undecodable:
        raise UnreadableError(reason="encoding")
    names, unnamed, has_header = column_names(header)
    return DataFile(source, encoding, delimiter, names, unnamed, has_header, max_bytes)


def _encoding_of(source: Source, max_bytes: int) -> str:
    """Return the first encoding that fits all bytes within the budget; UTF-8 if none does.

    The platform's `encoding_of` reads a file to its end and refuses one broken byte. Here a file
    may be larger than the budget, and a broken byte costs its line only, which is counted.
    """
    decoders = {name: codecs.getincrementaldecoder(name)() for name in _ENCODINGS}
    read = 0
    with source.path.open("rb") as stream:
        while read < max_bytes and decoders and (chunk := stream.read(MIB)):
            if not read and chunk.startswith(_UTF_16):
                raise UnreadableError(reason="encoding")
            read += len(chunk)
            for name, decoder in list(decoders.items()):
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:  # it carries the bytes, so it goes no further
                    del decoders[name]
    return next(iter(decoders), _ENCODINGS[0])


class _Lines:
    """The decoded lines of a file; those of the current record can be had again."""

    def __init__(self, stream: BinaryIO, encoding: str, skipped: Skipped, max_bytes: int) -> None:
        self._stream, self._encoding, self._skipped = stream, encoding, skipped
        self._left = max_bytes
        self._waiting: list[str] = []
        self.record: list[str] = []
        """Lines that were taken since the last whole record."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        while not self._waiting:
            raw = self._raw()
            text = raw.decode(self._encoding, "replace").replace("\0", "")
            self._skipped.undecodable += "\ufffd" in text
            # A lone CR ends a line, too; `splitlines` of text would also divide at U+2028.
            self._waiting = re.split(r"(?<=\r)(?!\n)(?!$)", text) if "\r" in text else [text]
        line = self._waiting.pop(0)
        self.record.append(line)
        return line

    def put_back(self, line: str) -> None:
        """Give `line` again, before all others."""
        self._waiting.insert(0, line)
        self.record.clear()

    def count_rest(self) -> int:
        """Return how many lines there are beyond the budget."""
        count, last = 0, b"\n"
        while chunk := self._stream.read(MIB):
            count += chunk.count(b"\n")
            last = chunk[-1:]
        return count + (last != b"\n")

    def _raw(self) -> bytes:
        while self._left > 0:
            line = self._stream.readline(MAX_LINE_BYTES)
            if not line:
                break
            self._left -= len(line)
            if len(line) < MAX_LINE_BYTES or line.endswith(b"\n"):
                return line
            self._skipped.long_rows += 1
            while (rest := self._stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                self._left -= len(rest)
        raise StopIteration


def _records(lines: _Lines, delimiter: str, skipped: Skipped) -> Iterator[list[str]]:
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:  # a quote that does not close, or a field beyond csv's own limit
            broken = list(lines.record)
            lines.record.clear()
            yield from _split_apart(broken, delimiter, skipped)
            continue
        lines.record.clear()
        if cells:
            yield cells


def _split_apart(broken: list[str], delimiter: str, skipped: Skipped) -> Iterator[list[str]]:
    """Split each line by itself: an open quote may have swallowed the rows after it."""
    for line in broken:
        try:
            cells = next(csv.reader([line], delimiter=delimiter), list[str]())
        except csv.Error:
            skipped.long_rows += 1
            continue
        if cells:
            skipped.broken_rows += 1
            yield cells


def column_names(header: list[str]) -> tuple[tuple[str, ...], frozenset[str], bool]:
    """Return the names, those that are not the file's, and whether the first row is one of names.

    A first row that holds personal data is data: taken as names it would be printed.
    """
    if any(find(cell) for cell in header):
        names = tuple(f"column {index + 1}" for index in range(len(header)))
        return names, frozenset(names), False
    found: list[str] = []
    unnamed: set[str] = set()
    for index, cell in enumerate(header):
        name = cell.strip()[:_MAX_NAME_CHARACTERS] or f"column {index + 1}"
        if not cell.strip():
            unnamed.add(name)
        found.append(name if name not in found else f"{name} ({index + 1})")
    return tuple(found), frozenset(unnamed), True
