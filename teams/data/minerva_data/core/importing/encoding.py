"""The digest and the encoding of a file that is imported."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from minerva_data.core.importing.reading import ImportFault
from minerva_platform.text import UndecodableError, encoding_of as shared_encoding_of

_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Text:
    """A text file that can be read to its end."""

    path: Path
    encoding: str


def file_digest(path: Path) -> str:
    """Return the sha256 of a file.

    Raises:
        ImportFault: it cannot be read, or is empty.
    """
    digest = hashlib.sha256()
    size = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
                size += len(chunk)
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}). Name a file that you may read."
        raise ImportFault(message) from error
    if not size:
        message = f"{path.name} is empty. Save the glossary into it again, then import it."
        raise ImportFault(message)
    return digest.hexdigest()


def find_encoding(path: Path) -> Text:
    """Return how `path` is encoded.

    Raises:
        ImportFault: it is in no encoding that is known here; names the byte.
    """
    with path.open("rb") as file:
        return Text(path, encoding_of(file, name=path.name))


def encoding_of(file: BinaryIO, *, name: str) -> str:
    """Return how an open file, which errors call `name`, is encoded.

    Raises:
        ImportFault: it is in no encoding that is known here; names the byte.
    """
    try:
        return shared_encoding_of(file)
    except UndecodableError as error:
        message = (
            f"{name} cannot be decoded: {error}. Save it as UTF-8 from the program it came from."
        )
        raise ImportFault(message) from error
