"""Texts and states that take less room in the database than they are long.

A run, its turn and its states say much of the same, in words that repeat: packed they take less
than half. A column of texts holds short ones, and those of earlier versions, as they are.
If the store is encrypted, a value is packed first.
"""

import base64
import zlib
from contextlib import suppress
from typing import Any, Final

from sqlalchemy import Dialect, LargeBinary, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

from minerva_platform.storage.engine.encryption import MARK, keyring

MIN_PACKED_BYTES: Final = 100
"""Shorter texts gain nothing."""

_PLAIN, _PACKED = b"\x00", b"\x01"
_ZLIB: Final = b"x"
"""What zlib's bytes begin with; JSON never does."""

LEVEL: Final = 6
"""A higher one gains nothing; the lowest is a fifth faster and takes a fortieth more room."""


class PackedText(TypeDecorator[str]):
    """JSON as bytes, packed if it is long, and encrypted if the store is.

    On SQLite the column is one of texts, which takes bytes as well: so a database of an earlier
    version needs no change, and its texts are read as they are.
    """

    impl = LargeBinary
    cache_ok = True
    place = ""
    """The table and the column, `runs.task`, once it is in the schema."""

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type of the column."""
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else LargeBinary())

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002  # the signature is SQLAlchemy's
        """Return what is kept of a text."""
        return None if value is None else keyring().seal(pack(value), self.place)

    def process_result_value(self, value: str | bytes | None, dialect: Dialect) -> str | None:  # noqa: ARG002  # the signature is SQLAlchemy's
        """Return the text that was kept."""
        if isinstance(value, bytes):
            return unpack(keyring().unseal(value, self.place))
        return value


class PackedBytes(TypeDecorator[bytes]):
    """Bytes, packed if they are many, and encrypted if the store is."""

    impl = LargeBinary
    cache_ok = True
    place = ""

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002  # the signature is SQLAlchemy's
        """Return what is kept of the bytes: the first one says whether they are packed."""
        if value is None:
            return None
        data = _PLAIN + value
        if len(value) >= MIN_PACKED_BYTES:
            packed = zlib.compress(value, LEVEL)
            if len(packed) < len(value):
                data = _PACKED + packed
        return keyring().seal(data, self.place)

    def process_result_value(self, value: Any, dialect: Dialect) -> bytes | None:  # noqa: ARG002  # the signature is SQLAlchemy's
        """Return the bytes that were kept; what is damaged comes back as it is."""
        if value is None:
            return None
        kept = keyring().unseal(bytes(value), self.place)
        if kept[:1] == _PLAIN:
            return kept[1:]
        try:
            return zlib.decompress(kept[1:])
        except zlib.error:
            return kept


class SealedText(TypeDecorator[str]):
    """A text as it is, or encrypted and in base64 if the store is encrypted."""

    impl = Text
    cache_ok = True
    place = ""
    is_name = False
    """True if rows are found by it: then the same text has one form."""

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  # the signature is SQLAlchemy's
        """Return what is kept of a text."""
        if value is None or not keyring().current:
            return value
        data = value.encode("utf-8", "surrogatepass")
        data = keyring().seal(data, self.place, is_name=self.is_name)
        return MARK.decode() + base64.b64encode(data).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002  # the signature is SQLAlchemy's
        """Return the text that was kept; what is damaged comes back as it is."""
        if value is None or not value.startswith(MARK.decode()):
            return value
        with suppress(ValueError):
            data = base64.b64decode(value[1:], validate=True)
            return keyring().decrypt(self.place, data).decode("utf-8", "surrogatepass")
        return value


class NameText(SealedText):
    """A text by which rows are found."""

    cache_ok = True
    is_name = True


ENCRYPTED_TYPES: Final = (PackedText, PackedBytes, SealedText)
"""The types of columns that are encrypted."""


def pack(text: str) -> bytes:
    """Return `text` in as little room as possible."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) < MIN_PACKED_BYTES:
        return data
    packed = zlib.compress(data, LEVEL)
    return packed if len(packed) < len(data) else data


def unpack(value: str | bytes) -> str:
    """Return the text that was packed. What is damaged comes back as no JSON."""
    if isinstance(value, str):
        return value
    try:
        data = zlib.decompress(value) if value[:1] == _ZLIB else value
        return data.decode("utf-8", "surrogatepass")
    except (UnicodeDecodeError, zlib.error):
        return value.decode("utf-8", "replace")
