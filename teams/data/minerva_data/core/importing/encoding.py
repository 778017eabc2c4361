"""Find out how a text file is encoded by reading it to its end, in bounded memory.

Korean agencies send UTF-8, with or without a mark, and cp949. A file that is neither is
refused with the byte that shows it: half a glossary in wrong letters is worse than none.
"""

import codecs
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from minerva_data.core.importing.reading import ImportFault

_CHUNK = 1 << 20
_SURE = 8
"""Letters beyond ASCII that, read as UTF-8 before an error, show that UTF-8 was meant."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Text:
    """A text file that can be read to its end."""

    path: Path
    encoding: str


@dataclass(frozen=True, slots=True)
class _Trial:
    error: str = ""
    letters: int = 0


def file_digest(path: Path) -> str:
    """Return the sha256 of a file.

    Raises:
        ImportFault: it cannot be read, or is empty.
    """
    digest = hashlib.sha256()
    size = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
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
    head = file.read(4)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            trial = _try(file, encoding.removesuffix("-sig"))
            if trial.error:
                raise _refused(name, f"it is marked as {encoding.upper()}, but {trial.error}")
            return encoding
    utf8 = _try(file, "utf-8")
    if not utf8.error:
        return "utf-8"
    if utf8.letters >= _SURE:
        raise _refused(name, f"as UTF-8, {utf8.error}")
    cp949 = _try(file, "cp949")
    if not cp949.error:
        return "cp949"
    raise _refused(name, f"as UTF-8, {utf8.error}; as cp949, {cp949.error}")


def _refused(name: str, why: str) -> ImportFault:
    return ImportFault(
        f"{name} cannot be decoded: {why}. Save it as UTF-8 from the program it came from."
    )


def _try(file: BinaryIO, encoding: str) -> _Trial:
    """Decode all of `file`; say the byte that cannot be decoded, and its line."""
    decoder = codecs.getincrementaldecoder(encoding)()
    offset = lines = letters = 0
    file.seek(0)
    while True:
        chunk = file.read(_CHUNK)
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            data: bytes = error.object
            before = data[: error.start]
            letters += _letters(before.decode(encoding, "ignore"))
            at = offset - pending + error.start
            line = lines + before.count(b"\n") + 1
            said = f"byte 0x{data[error.start]:02X} at {at:,} (line {line:,}): {error.reason}"
            return _Trial(said, letters)
        if not chunk:
            return _Trial()
        offset += len(chunk)
        lines += chunk.count(b"\n")
        letters += _letters(text) if letters < _SURE else 0


def _letters(text: str) -> int:
    return 0 if text.isascii() else sum(not char.isascii() for char in text)
