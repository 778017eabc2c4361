"""Read records whatever happened to their files: every good row, every bad one counted.

A killed process leaves half a line, a crashed file system zeros, a stray editor
anything. None of it may hide the rows around it, and none is passed over in
silence. Rows come file by file in the order they were written, which no clock can change.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeGuard

import orjson

from minerva_observability.records.lines import ROW_START, Readable, count_plain_rows, line_blocks
from minerva_observability.records.plain_data import is_mapping
from minerva_observability.records.record import RecordRow
from minerva_observability.records.segments import Source, record_files

Cause = Literal["torn", "nul", "not_utf8", "not_json", "not_a_record", "too_long"]

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Bytes; a longer line is skipped without being held in memory."""
MAX_SPAN_MS: Final = 1e15
"""Of a span, 31,700 years; beyond it, below zero or not a number, it is no duration."""
MAX_BAD_LINES: Final = 100
"""Bad lines kept with their cause; beyond it they are only counted."""

_HIGHEST_SCHEMA: Final = 2**31 - 1
_REQUIRED: Final[dict[str, type | tuple[type, ...]]] = {
    "schema": int,
    "run_id": str,
    "span_id": str,
    "path": str,
    "kind": str,
    "status": str,
    "ms": (int, float),
}


class BadLine(NamedTuple):
    """A line, or the spoiled part of one, that holds no row."""

    line: int
    """From 1."""
    cause: Cause
    detail: str
    file: Path


@dataclass(slots=True)
class ReadSummary:
    """What a reader has seen so far; complete when it is exhausted."""

    missing: bool = False
    """There is no file of records: nothing was recorded yet."""
    good: int = 0
    bad: int = 0
    causes: Counter[Cause] = field(default_factory=Counter[Cause])
    bad_lines: list[BadLine] = field(default_factory=list[BadLine])
    """The first `MAX_BAD_LINES` of them."""

    @property
    def truncated(self) -> bool:
        """Whether there are more bad lines than `bad_lines` shows."""
        return self.bad > len(self.bad_lines)

    def add_bad(self, bad: BadLine) -> None:
        """Count a bad line."""
        self.bad += 1
        self.causes[bad.cause] += 1
        if len(self.bad_lines) < MAX_BAD_LINES:
            self.bad_lines.append(bad)

    def move(self, file: Path, *, lines_before: int) -> None:
        """Name bad lines by where they stand in `file`, of which a part was read."""
        self.bad_lines = [
            bad._replace(file=file, line=lines_before + bad.line) for bad in self.bad_lines
        ]

    def add_all(self, other: "ReadSummary") -> None:
        """Add what another reader has seen."""
        self.good += other.good
        self.bad += other.bad
        self.causes.update(other.causes)
        self.bad_lines.extend(other.bad_lines[: MAX_BAD_LINES - len(self.bad_lines)])


class RecordReader:
    """Iterates over the good rows of a source; `summary` tells about the others."""

    def __init__(
        self,
        source: Source,
        *,
        longest_line: int = MAX_LINE_BYTES,
        mentioning: str = "",
        damaged_only: bool = False,
    ) -> None:
        """Read `source`; with `mentioning`, only rows that hold this text need to come.

        Lines without it are told to be rows by their shape, at the speed of reading. With
        `damaged_only`, no row comes that any JSON reader finds in its line.
        """
        self.source = source
        self.file = Path()
        """Where the row that came last was found."""
        self.summary = ReadSummary()
        self._longest_line = longest_line
        plain = re.fullmatch(r"[\w-]*", mentioning, re.ASCII)  # else JSON may spell it otherwise
        self._mentioning = mentioning.encode() if plain else b""
        self._damaged_only = damaged_only

    def __iter__(self) -> Iterator[RecordRow]:
        files = record_files(self.source)
        self.summary = ReadSummary(missing=not files)
        for self.file in files:
            try:
                file = self.file.open("rb")
            except FileNotFoundError:  # converted meanwhile
                continue
            with file:
                yield from self.rows_in(file)

    def rows_in(self, file: Readable) -> Iterator[RecordRow]:
        """Yield the good rows of an open file, or of a part that begins with a line."""
        number = 0
        for block in line_blocks(file, self._longest_line):
            if isinstance(block, int):
                number += 1
                self._add_bad(number, "too_long", f"{block:,} bytes")
            elif passed := self._passed_over(block):
                number += passed
            else:
                for line in BytesIO(block):
                    number += 1
                    row = None if self._passed_over(line) else self._row(number, line)
                    if row is not None:
                        self.summary.good += 1
                        yield row

    def _passed_over(self, lines: bytes) -> int:
        """Count the rows in `lines` if plainly none is wanted; return 0 to have them read."""
        if not self._mentioning or self._mentioning in lines:
            return 0
        rows = count_plain_rows(lines)
        self.summary.good += rows
        return rows

    def _row(self, number: int, line: bytes) -> RecordRow | None:
        if self._damaged_only and is_sound_line(line):
            self.summary.good += 1
            return None
        whole = line.strip(b"\0 \t\r\n")
        if not whole:
            if b"\0" in line:
                self._add_bad(number, "nul", "only zero bytes")
            return None
        value = _parsed(whole)
        if value is None:
            return self._salvaged(number, whole, ended=line.endswith(b"\n"))
        if not is_row(value):
            self._add_bad(number, "not_a_record", _excerpt(whole))
            return None
        return value

    def _salvaged(self, number: int, line: bytes, *, ended: bool) -> RecordRow | None:
        """Return the row that follows a torn one on the same line, if it is whole.

        Inside a JSON string the quotes of `ROW_START` would be escaped, so it
        marks a row of its own wherever it stands.
        """
        start = line.rfind(ROW_START)
        value = _parsed(line[start:]) if start > 0 else None
        if is_row(value):
            self._add_bad(number, *_diagnosed(line[:start], ended=False))
            return value
        self._add_bad(number, *_diagnosed(line, ended=ended))
        return None

    def _add_bad(self, number: int, cause: Cause, detail: str) -> None:
        self.summary.add_bad(BadLine(number, cause, detail, self.file))


def read_records(source: Source) -> RecordReader:
    """Return the rows of a file, a folder or a pattern, file by file, in bounded memory.

    Where nothing was recorded there are no rows. Iterate, then look at `.summary`.
    """
    return RecordReader(source)


def is_row(value: object) -> TypeGuard[RecordRow]:
    """Tell whether `value` has what every row has; later versions may add to it."""
    return (
        is_mapping(value)
        and all(isinstance(value.get(name), types) for name, types in _REQUIRED.items())
        and 0 <= value["ms"] <= MAX_SPAN_MS
        and 0 <= value["schema"] <= _HIGHEST_SCHEMA
    )


def is_sound_line(line: bytes) -> bool:
    """Tell whether the line is a row and nothing else."""
    try:
        return is_row(orjson.loads(line))
    except orjson.JSONDecodeError:
        return False


def _parsed(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass  # orjson refuses lone surrogates and NaN, which other writers may have left
    try:
        return json.loads(text, parse_constant=_nothing)
    except (ValueError, RecursionError):
        return None


def _nothing(_: str) -> None:
    """Return what NaN and Infinity stand for: no figure can be made with them."""


def _diagnosed(line: bytes, *, ended: bool) -> tuple[Cause, str]:
    if b"\0" in line:
        return "nul", f"zero byte at {line.index(0):,}"
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        return "not_utf8", f"byte {error.start:,}: {error.reason}"
    if line.startswith(b"{") and (not ended or not line.endswith(b"}")):
        return "torn", _excerpt(line)
    return "not_json", _excerpt(line)


def _excerpt(line: bytes) -> str:
    text = line[:80].decode("utf-8", "replace")
    return text if len(line) <= len(text) else f"{text}… ({len(line):,} bytes)"
