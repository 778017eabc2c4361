"""Read a text file of unknown encoding: a whole one up to a size, or its encoding alone."""

import codecs
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


_OTHERS = ("cp932", "euc_jp", "gb18030", "big5", "cp1252")
"""Encodings of neighbours whose texts cp949 may take for Korean, and Latin ones."""
_LOOKED_AT = 1 << 20
_MIN_KOREAN, _MIN_LETTERS = 0.75, 8
"""Share of the letters beyond ASCII that are ordinary Korean syllables: about .95 in Korean."""
_ORDINARY_FINALS = frozenset((0, 1, 4, 8, 16, 17, 19, 21))
_DOUBLE_INITIALS = frozenset((1, 4, 8, 10, 13))
"""By Unicode's order of Hangul: no final or one of ㄱㄴㄹㅁㅂㅅㅇ; ㄲㄸㅃㅆㅉ."""


def other_encodings(data: bytes) -> tuple[str, ...]:
    """Return what fits a text in cp949 as well; nothing if it reads like Korean, or is too short.

    Texts of neighbours give Chinese characters and syllables that Korean hardly uses.
    """
    text = data.decode("cp949", "ignore")
    letters = [char for char in text if char > "\x7f" and char.isalpha()]
    korean = sum(map(_is_ordinary, letters))
    if len(letters) < _MIN_LETTERS or korean >= _MIN_KOREAN * len(letters):
        return ()
    return tuple(name for name in _OTHERS if not _fault_in(data, name))


def _is_ordinary(letter: str) -> bool:
    initial, rest = divmod(ord(letter) - ord("가"), 28 * 21)
    return (
        "가" <= letter <= "힣" and rest % 28 in _ORDINARY_FINALS and initial not in _DOUBLE_INITIALS
    )


def _fault_in(data: bytes, encoding: str) -> str:
    try:
        codecs.getincrementaldecoder(encoding)().decode(data)
    except UnicodeDecodeError as error:
        return f"byte 0x{data[error.start]:02X} at {error.start:,}"
    return ""


def check_encoding(data: bytes, encoding: str, *, name: str) -> None:
    """Refuse the bytes of the file `name` if they are not in `encoding`.

    Raises:
        FileFault: they are not; names the byte.
    """
    fault = _fault_in(data, encoding)
    if fault:
        message = f"{name} is not in {encoding}: {fault}."
        raise FileFault(message)


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
        FileFault: it is in no encoding that is known here, names the byte; or in one of several.
    """
    try:
        encoding = text_encoding(file)
    except UndecodableError as error:
        message = (
            f"{name} cannot be decoded: {error}. Save it as UTF-8 from the program it came from."
        )
        raise FileFault(message) from error
    if encoding == "cp949":
        file.seek(0)
        others = other_encodings(file.read(_LOOKED_AT))
        if others:
            message = (
                f"{name} fits cp949 and {', '.join(others)}, and its letters are hardly Korean. "
                "Save it as UTF-8 from the program it came from."
            )
            raise FileFault(message)
    return encoding
