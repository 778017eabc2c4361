"""Texts and states that take less room in the database than they are long.

A run, its turn and its states say much of the same, in words that repeat: packed they take less
than half. A column of texts holds short ones, and those of earlier versions, as they are.
"""

import binascii
import zlib
from typing import Any, Final

from sqlalchemy import Dialect, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

MARK: Final = "z"
"""What packed text begins with where it is letters; JSON never does."""

MIN_PACKED_BYTES: Final = 200
"""Shorter texts gain nothing."""

_PLAIN, _PACKED = b"\x00", b"\x01"

LEVEL: Final = 1
"""A higher one takes a twentieth less room and a fifth more time."""


class PackedText(TypeDecorator[str]):
    """JSON as text, packed if it is long: as bytes on SQLite, as letters on Postgres.

    SQLite's columns take both, so that a database of an earlier version needs no change.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> Any:
        """Return what is kept of a text."""
        return value if value is None else pack(value, as_bytes=dialect.name == "sqlite")

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002  # the signature is SQLAlchemy's
        """Return the text that was kept."""
        return value if value is None else unpack(value)


class PackedBytes(TypeDecorator[bytes]):
    """Bytes, packed if they are many."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002  # the signature is SQLAlchemy's
        """Return what is kept of the bytes: the first one says whether they are packed."""
        if value is None:
            return None
        if len(value) >= MIN_PACKED_BYTES:
            packed = zlib.compress(value, LEVEL)
            if len(packed) < len(value):
                return _PACKED + packed
        return _PLAIN + value

    def process_result_value(self, value: Any, dialect: Dialect) -> bytes | None:  # noqa: ARG002  # the signature is SQLAlchemy's
        """Return the bytes that were kept; what is damaged comes back as it is."""
        if value is None:
            return None
        kept = bytes(value)
        if kept[:1] == _PLAIN:
            return kept[1:]
        try:
            return zlib.decompress(kept[1:])
        except zlib.error:
            return kept


def pack(text: str, *, as_bytes: bool) -> str | bytes:
    """Return `text` in as little room as possible."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) < MIN_PACKED_BYTES:
        return text
    packed = zlib.compress(data, LEVEL)
    if as_bytes:
        return packed if len(packed) < len(data) else text
    letters = MARK + binascii.b2a_base64(packed, newline=False).decode("ascii")
    return letters if len(letters) < len(data) else text


def unpack(kept: str | bytes) -> str:
    """Return the text that was packed. What is damaged comes back as it is, and is no JSON."""
    if isinstance(kept, str) and not kept.startswith(MARK):
        return kept
    try:
        packed = binascii.a2b_base64(kept[1:]) if isinstance(kept, str) else kept
        return zlib.decompress(packed).decode("utf-8", "surrogatepass")
    except (ValueError, zlib.error):
        return str(kept)
