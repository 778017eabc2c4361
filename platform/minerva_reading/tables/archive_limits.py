"""Refuse a ZIP container (a workbook) that is larger inside than any real one.

Nothing of the archive is written anywhere. What it declares about itself is checked first, then
each part is inflated in pieces and counted, because declared sizes may lie.
"""

import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, Final

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
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError)
"""What zipfile raises on bytes that are not what they say; the texts may quote them."""


def check_archive(
    path: Path,
    *,
    max_inflated_bytes: int = MAX_INFLATED_BYTES,
    max_whole_part_bytes: int = MAX_WHOLE_PART_BYTES,
    max_members: int = MAX_MEMBERS,
) -> int:
    """Return how many bytes the parts of the ZIP file at `path` have when inflated.

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
    except (*_BROKEN, NotImplementedError, RuntimeError):  # methods of packing that Python lacks
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
