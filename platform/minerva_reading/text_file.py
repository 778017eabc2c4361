"""Read a text file of unknown encoding: a whole one up to a size, or its encoding alone."""

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from minerva_platform.text import UndecodableError, encoding_of as text_encoding
from minerva_reading.unreadable import FileFault, UnreadableError, not_opened


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a file, Python's name of its encoding, and the digest of its bytes."""

    text: str
    encoding: str
    sha256: str


def read_text(path: Path, *, max_bytes: int, takes_utf_16: bool = False) -> Text:
    """Return the text of `path` with its ends of lines as they are.

    Raises:
        UnreadableError: missing, larger than `max_bytes`, or neither UTF-8 nor CP949 (nor
            UTF-16 with a byte order mark, if `takes_utf_16`).
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(max_bytes + 1)
    except OSError as error:
        raise not_opened(error) from None
    if len(data) > max_bytes:
        raise UnreadableError(reason="too_large", limit=max_bytes)
    try:
        encoding = text_encoding(io.BytesIO(data))
    except UndecodableError:  # its text names bytes of the file
        raise UnreadableError(reason="encoding") from None
    if (
        encoding == "utf-16" and not takes_utf_16
    ):  # the reader of rows takes lines at "\n" bytes and refuses it, too
        raise UnreadableError(reason="encoding")
    return Text(data.decode(encoding), encoding, hashlib.sha256(data).hexdigest())


def find_encoding(path: Path) -> str:
    """Return how `path` is encoded, by Python's name.

    Raises:
        FileFault: it is in no encoding that is known here; names the byte.
    """
    with path.open("rb") as file:
        return encoding_of(file, name=path.name)


def encoding_of(file: BinaryIO, *, name: str) -> str:
    """Return how an open file, which errors call `name`, is encoded.

    Raises:
        FileFault: it is in no encoding that is known here; names the byte.
    """
    try:
        return text_encoding(file)
    except UndecodableError as error:
        message = (
            f"{name} cannot be decoded: {error}. Save it as UTF-8 from the program it came from."
        )
        raise FileFault(message) from error
