"""Find out how a text file is encoded by reading it to its end, in bounded memory.

Korean agencies send UTF-8, with or without a mark, and cp949. A file that is neither is
refused with the byte that shows it: half a file in wrong letters is worse than none.
"""

import codecs
from dataclasses import dataclass
from typing import BinaryIO

_CHUNK_BYTES = 1 << 20
_MIN_UTF8_LETTERS = 8
"""Letters beyond ASCII that, read as UTF-8 before an error, show that UTF-8 was meant."""

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class UndecodableError(Exception):
    """A file is in no known encoding. The text names the byte and its line."""


@dataclass(frozen=True, slots=True)
class _Trial:
    error: str = ""
    letters: int = 0


def encoding_of(file: BinaryIO) -> str:
    """Return the encoding of an open file: `utf-8`, `utf-8-sig`, `utf-16` or `cp949`.

    Raises:
        UndecodableError: the file is in none of these.
    """
    head = file.read(4)
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            trial = _try(file, encoding.removesuffix("-sig"))
            if trial.error:
                message = f"it is marked as {encoding.upper()}, but {trial.error}"
                raise UndecodableError(message)
            return encoding
    utf8 = _try(file, "utf-8")
    if not utf8.error:
        return "utf-8"
    if utf8.letters >= _MIN_UTF8_LETTERS:
        message = f"as UTF-8, {utf8.error}"
        raise UndecodableError(message)
    cp949 = _try(file, "cp949")
    if not cp949.error:
        return "cp949"
    message = f"as UTF-8, {utf8.error}; as cp949, {cp949.error}"
    raise UndecodableError(message)


def _try(file: BinaryIO, encoding: str) -> _Trial:
    """Decode all of `file`; say the byte that cannot be decoded, and its line."""
    decoder = codecs.getincrementaldecoder(encoding)()
    offset = lines = letters = 0
    file.seek(0)
    while True:
        chunk = file.read(_CHUNK_BYTES)
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
        letters += _letters(text) if letters < _MIN_UTF8_LETTERS else 0


def _letters(text: str) -> int:
    return 0 if text.isascii() else sum(not char.isascii() for char in text)
