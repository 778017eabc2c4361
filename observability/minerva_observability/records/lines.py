"""Read files of lines in blocks, so that lines which are not wanted are passed over unread.

Handling each line by itself costs more than searching all bytes of a block at once.
"""

from collections.abc import Iterator
from typing import BinaryIO, Final, Protocol

ROW_START: Final = b'{"schema":'
"""The first bytes of every record. Inside a JSON string the quotes would be escaped."""
CHUNK: Final = 64 * 1024
"""Bytes of a block; small enough for the processor's cache."""
_STEP: Final = 1024 * 1024
"""Bytes that are read at once where only newlines count."""


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
