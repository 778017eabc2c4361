"""Take files of lines in blocks, so that what nobody asked for is passed over unread.

To look at each line by itself costs more than to look at all of its letters.
"""

from collections.abc import Iterator
from typing import BinaryIO, Final

ROW_START: Final = b'{"schema":'
"""How every line of ours begins. Inside a JSON string its quotes would be escaped."""
CHUNK: Final = 64 * 1024
"""Bytes; stays in the processor's cache."""


def line_blocks(file: BinaryIO, longest: int) -> Iterator[bytes | int]:
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
