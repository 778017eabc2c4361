"""Read a CSV that may be hostile: any encoding, NULs, cells of megabytes, no header.

Bounded in memory by the longest line it accepts. What is not read is counted and said.
"""

import csv
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from minerva_governance.core.detection.detector import find
from minerva_governance.core.detection.text_file import ENCODINGS, NO_ENCODING, not_opened
from minerva_governance.core.report.wording import UnreadableError, Wording

MAX_LINE = 1_000_000
"""Characters; a longer line is counted and left out."""
MAX_CELL = 4_096
"""Characters of a cell that are looked at."""


_EMPTY = Wording("비어 있습니다.", "it is empty.")
_TOO_LONG = Wording("모든 줄이 너무 깁니다.", "every line of it is too long.")


@dataclass
class Skipped:
    """What reading left out, by kind."""

    rows: int = 0
    cells_cut: int = 0


@dataclass(frozen=True)
class DataFile:
    """A CSV with its encoding, delimiter and column names found out."""

    path: Path
    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    has_header: bool
    skipped: Skipped = field(default_factory=Skipped, compare=False)

    def rows(self, limit: int | None = None) -> Iterator[tuple[int, list[str]]]:
        """Give (row number, cells) for each data row; the first data row is 1.

        Raises:
            UnreadableError: the file stops being text of its encoding.
        """
        with _opened(self.path, self.encoding) as stream:
            number = 0
            for index, cells in enumerate(_records(stream, self.delimiter, self.skipped)):
                if index == 0 and self.has_header:
                    continue
                number += 1
                if limit is not None and number > limit:
                    return
                yield number, cells


def open_data_file(path: Path, *, sample_rows: int) -> DataFile:
    """Find out how to read `path`; the encoding is tried on the rows that will be sampled.

    Raises:
        UnreadableError: empty, not a file, or in no encoding we try.
    """
    for encoding in ENCODINGS:
        try:
            with _opened(path, encoding) as stream:
                first = stream.readline(MAX_LINE)
                delimiter = max(",;\t|", key=first.count)
                skipped = Skipped()
                records = _records(_Rewound(first, stream), delimiter, skipped)
                header = next(records, None)
                for count, _ in enumerate(records):
                    if count >= sample_rows:
                        break
        except UnreadableError:
            continue
        except OSError as error:
            raise UnreadableError(not_opened(error)) from None
        if header is None:
            raise UnreadableError(_TOO_LONG if skipped.rows else _EMPTY)
        names, has_header = _column_names(header)
        return DataFile(path, encoding, delimiter, names, has_header)
    raise UnreadableError(NO_ENCODING)


class _Rewound:
    """A stream whose first line was read already."""

    def __init__(self, first: str, stream: TextIO) -> None:
        self._first: str | None = first
        self._stream = stream

    def readline(self, limit: int) -> str:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        return self._stream.readline(limit)


@contextmanager
def _opened(path: Path, encoding: str) -> Generator[TextIO]:
    with path.open(encoding=encoding, newline="") as stream:
        try:
            yield stream
        except UnicodeDecodeError:  # it carries the bytes, so it goes no further
            reason = Wording(
                f"끝까지 {encoding}로 읽히지 않습니다.", f"it is not {encoding} throughout."
            )
            raise UnreadableError(reason) from None


def _records(stream: "TextIO | _Rewound", delimiter: str, skipped: Skipped) -> Iterator[list[str]]:
    reader = csv.reader(_lines(stream, skipped), delimiter=delimiter)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:  # a field beyond csv's own limit
            skipped.rows += 1
            continue
        if cells:
            skipped.cells_cut += sum(len(cell) > MAX_CELL for cell in cells)
            yield [cell[:MAX_CELL] for cell in cells]


def _lines(stream: "TextIO | _Rewound", skipped: Skipped) -> Iterator[str]:
    while line := stream.readline(MAX_LINE):
        if len(line) < MAX_LINE or line.endswith("\n"):
            yield line.replace("\0", "")
            continue
        skipped.rows += 1
        while (rest := stream.readline(MAX_LINE)) and not rest.endswith("\n"):
            pass


def _column_names(header: list[str]) -> tuple[tuple[str, ...], bool]:
    """Return the names, and whether the first row is one of names.

    A first row that holds personal data is data: taken as names it would be printed.
    """
    if any(find(cell) for cell in header):
        return tuple(f"column {index + 1}" for index in range(len(header))), False
    names: list[str] = []
    for index, cell in enumerate(header):
        name = cell.strip()[:128] or f"column {index + 1}"
        names.append(name if name not in names else f"{name} ({index + 1})")
    return tuple(names), True
