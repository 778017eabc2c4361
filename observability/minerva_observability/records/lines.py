"""Take files of lines in blocks, so that what nobody asked for is passed over unread.

To look at each line by itself costs more than to look at all of its letters.
"""

from collections.abc import Iterator
from typing import BinaryIO, Final, Protocol

ROW_START: Final = b'{"schema":'
"""How every line of ours begins. Inside a JSON string its quotes would be escaped."""
CHUNK: Final = 64 * 1024
"""Bytes; stays in the processor's cache."""
_STEP: Final = 1024 * 1024
"""Bytes that are looked at at once where only newlines count."""


class Readable(Protocol):
    """As much of a file as is needed to take its lines."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; none at the end."""
        ...


def line_blocks(file: Readable, longest: int) -> Iterator[bytes | int]:
    """Yield whole lines, about a chunk at once; of one that is too long only its size in bytes."""
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
    r"""Count `lines` if by their shape each is one whole row, and says what it says; else return 0.

    An escape may spell any letter, as `\u0061`, so lines with a backslash do not count as plain.
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
    """The lines of an open file from where it stands to an offset: it may grow meanwhile."""

    def __init__(self, file: BinaryIO, end: int) -> None:
        self._file, self._left = file, max(0, end - file.tell())

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; none at the end."""
        block = self._file.read(min(size, self._left))
        self._left -= len(block)
        return block


def end_of_last_line(file: BinaryIO, size: int, *, above: int = 0) -> int:
    """Return where the last whole line ends within the first `size` bytes; `above` if none does."""
    while size > above:
        start = max(above, size - _STEP)
        file.seek(start)
        block = file.read(size - start)
        if (newline := block.rfind(b"\n")) >= 0:
            return start + newline + 1
        size = start
    return above


def count_lines(file: BinaryIO, end: int) -> int:
    """Return how many lines there are before the offset `end`."""
    file.seek(0)
    before = LinesUpTo(file, end)
    lines = 0
    while block := before.read(_STEP):
        lines += block.count(b"\n")
    return lines
