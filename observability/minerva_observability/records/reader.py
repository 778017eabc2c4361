"""Read records from files that may be damaged: every good row comes, every bad line is counted.

A killed process leaves half a line, a crashed file system leaves zeros, an editor leaves anything.
Such damage hides no other row and is always reported. Rows come file by file in the order in which
they were written, whatever their timestamps say.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, NamedTuple, Protocol, TypeGuard

import orjson

from minerva_observability.records.plain_data import is_mapping
from minerva_observability.records.record import RecordRow
from minerva_observability.records.segments import Source, record_files

ROW_START: Final = b'{"schema":'
"""The first bytes of every record. Inside a JSON string the quotes would be escaped."""
CHUNK: Final = 64 * 1024
"""Bytes of a block; small enough for the processor's cache."""
_STEP: Final = 1024 * 1024
"""Bytes that are read at once where only newlines count."""
Cause = Literal["torn", "nul", "not_utf8", "not_json", "not_a_record", "too_long"]

MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""Bytes of a line; a longer one is skipped without being held in memory."""
MAX_SPAN_MS: Final = 1e15
"""Milliseconds of a span, 31,700 years. More than that, less than 0 or NaN is no duration."""
MAX_BAD_LINES: Final = 100
"""The number of bad lines that are kept with their cause; further ones are only counted."""

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


class Readable(Protocol):
    """The part of a binary file's interface that reading lines needs."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; empty at the end."""
        ...


def line_blocks(file: Readable, longest: int) -> Iterator[bytes | int]:
    """Yield blocks of whole lines, about `CHUNK` bytes each.

    For a line of more than `longest` bytes, yield its size in bytes and not the line.
    """
    begun: list[bytes] = []  # the line that the last chunk broke off
    size = 0
    while chunk := file.read(CHUNK):
        first, end = chunk.find(b"\n") + 1, chunk.rfind(b"\n") + 1
        if size + (first or len(chunk)) > longest:
            begun.clear()
        if not end:
            size += len(chunk)
            begun += [chunk] if size <= longest else []
            continue
        if size + first > longest:
            yield size + first
            chunk, end = chunk[first:], end - first
        if end:
            yield b"".join((*begun, chunk[:end]))
        begun, size = [chunk[end:]], len(chunk) - end
    if size:
        yield size if size > longest else b"".join(begun)


def count_plain_rows(lines: bytes) -> int:
    r"""Return the number of `lines` if the shape of each shows one whole row; else return 0.

    An escape such as `\u0061` may stand for any letter, so a search for text would miss it. Lines
    with a backslash therefore do not count as plain.
    """
    count = lines.count(b"\n")
    is_plain = (
        lines.isascii()
        and b"\\" not in lines
        and b"\0" not in lines
        and lines.startswith(ROW_START)
        and lines.endswith(b"}\n")
        and lines.count(b"}\n" + ROW_START) == count - 1
        and lines.count(ROW_START) == count
    )
    return count if is_plain else 0


class LinesUpTo:
    """The bytes of an open file from its position up to an offset, even while the file grows."""

    def __init__(self, file: BinaryIO, end: int) -> None:
        self._file, self._bytes_left = file, max(0, end - file.tell())

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; empty at the end."""
        block = self._file.read(min(size, self._bytes_left))
        self._bytes_left -= len(block)
        return block


def end_of_last_line(file: BinaryIO, size: int, *, above: int = 0) -> int:
    """Return the offset at which the last whole line of the first `size` bytes ends.

    Only bytes from `above` on are searched; without a newline there, return `above`.
    """
    while size > above:
        start = max(above, size - _STEP)
        file.seek(start)
        block = file.read(size - start)
        if (newline := block.rfind(b"\n")) >= 0:
            return start + newline + 1
        size = start
    return above


def count_lines(file: BinaryIO, end: int) -> int:
    """Return the number of lines before the offset `end`."""
    file.seek(0)
    before = LinesUpTo(file, end)
    lines = 0
    while block := before.read(_STEP):
        lines += block.count(b"\n")
    return lines


class BadLine(NamedTuple):
    """A line, or the damaged part of one, that holds no row."""

    line: int
    """Its number in the file, from 1."""
    cause: Cause
    detail: str
    file: Path


@dataclass(slots=True)
class ReadSummary:
    """The lines that a reader has seen so far; complete once the reader is exhausted."""

    missing: bool = False
    """True if there is no file of records, because nothing was recorded yet."""
    good: int = 0
    bad: int = 0
    causes: Counter[Cause] = field(default_factory=Counter[Cause])
    bad_lines: list[BadLine] = field(default_factory=list[BadLine])
    """The first `MAX_BAD_LINES` bad lines."""

    @property
    def truncated(self) -> bool:
        """True if there are more bad lines than `bad_lines` holds."""
        return self.bad > len(self.bad_lines)

    def move(self, file: Path, *, lines_before: int) -> None:
        """Renumber the bad lines of a part of `file` that has `lines_before` lines before it."""
        self.bad_lines = [
            bad._replace(file=file, line=lines_before + bad.line) for bad in self.bad_lines
        ]

    def add_all(self, other: "ReadSummary") -> None:
        """Add the counts and the bad lines of another reader."""
        self.good += other.good
        self.bad += other.bad
        self.causes.update(other.causes)
        self.bad_lines.extend(other.bad_lines[: MAX_BAD_LINES - len(self.bad_lines)])


class RecordReader:
    """Iterates over the good rows of a source; `summary` counts and names the bad lines."""

    def __init__(
        self,
        source: Source,
        *,
        longest_line: int = MAX_LINE_BYTES,
        mentioning: str = "",
        damaged_only: bool = False,
    ) -> None:
        """Read `source`: a file, a folder or a pattern.

        `longest_line` is in bytes; a longer line is a bad one. With `mentioning`, rows without
        this text may be passed over, and are counted by their shape alone, which is much faster.
        With `damaged_only`, rows of sound lines are counted but do not come.
        """
        self.source = source
        self.file = Path()
        """The file that holds the row that came last."""
        self.summary = ReadSummary()
        self._longest_line = longest_line
        plain = re.fullmatch(r"[\w-]*", mentioning, re.ASCII)  # JSON may escape any other text
        self._mentioning = mentioning.encode() if plain else b""
        self._damaged_only = damaged_only

    def __iter__(self) -> Iterator[RecordRow]:
        files = record_files(self.source)
        self.summary = ReadSummary(missing=not files)
        for self.file in files:
            try:
                file = self.file.open("rb")
            except FileNotFoundError:  # compacted since it was listed
                continue
            with file:
                yield from self.rows_in(file)

    def rows_in(self, file: Readable) -> Iterator[RecordRow]:
        """Yield the good rows of an open file, or of a part that begins at a line's start."""
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
        """Return the number of rows in `lines` if none is wanted; return 0 if they must be read."""
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
        value = _parse(whole)
        if value is None:
            return self._salvage(number, whole, is_whole=line.endswith(b"\n"))
        if not is_row(value):
            self._add_bad(number, "not_a_record", _excerpt(whole))
            return None
        return value

    def _salvage(self, number: int, line: bytes, *, is_whole: bool) -> RecordRow | None:
        """Return the whole row that follows a torn one on the same line, or None.

        Inside a JSON string the quotes of `ROW_START` would be escaped, so `ROW_START` always
        marks the beginning of a row.
        """
        start = line.rfind(ROW_START)
        value = _parse(line[start:]) if start > 0 else None
        if is_row(value):
            self._add_bad(number, *_diagnose(line[:start], is_whole=False))
            return value
        self._add_bad(number, *_diagnose(line, is_whole=is_whole))
        return None

    def _add_bad(self, number: int, cause: Cause, detail: str) -> None:
        self.summary.bad += 1
        self.summary.causes[cause] += 1
        if len(self.summary.bad_lines) < MAX_BAD_LINES:
            self.summary.bad_lines.append(BadLine(number, cause, detail, self.file))


def read_records(source: Source) -> RecordReader:
    """Return a reader of the rows of a file, a folder or a pattern, file by file.

    It needs bounded memory. A source that does not exist has no rows. After the iteration,
    `.summary` counts and names the bad lines.
    """
    return RecordReader(source)


def is_row(value: object) -> TypeGuard[RecordRow]:
    """True if `value` has every required field of a row; it may have fields of later versions."""
    return (
        is_mapping(value)
        and all(isinstance(value.get(name), types) for name, types in _REQUIRED.items())
        and 0 <= value["ms"] <= MAX_SPAN_MS
        and 0 <= value["schema"] <= _HIGHEST_SCHEMA
    )


def is_sound_line(line: bytes) -> bool:
    """True if the line is one whole row and nothing else."""
    try:
        return is_row(orjson.loads(line))
    except orjson.JSONDecodeError:
        return False


def _parse(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass  # orjson refuses lone surrogates and NaN; files of other writers may hold them
    try:
        return json.loads(text, parse_constant=_nothing)
    except (ValueError, RecursionError):
        return None


def _nothing(_: str) -> None:
    """Return None for NaN and Infinity, because no figure can be computed from them."""


def _diagnose(line: bytes, *, is_whole: bool) -> tuple[Cause, str]:
    if b"\0" in line:
        return "nul", f"zero byte at {line.index(0):,}"
    try:
        line.decode("utf-8")
    except UnicodeDecodeError as error:
        return "not_utf8", f"byte {error.start:,}: {error.reason}"
    if line.startswith(b"{") and (not is_whole or not line.endswith(b"}")):
        return "torn", _excerpt(line)
    return "not_json", _excerpt(line)


def _excerpt(line: bytes) -> str:
    text = line[:80].decode("utf-8", "replace")
    return text if len(line) <= len(text) else f"{text}… ({len(line):,} bytes)"
