"""Turn the bytes of a source into text, as Python would."""

import io
import tokenize
from typing import Any


def encoding_of(source: bytes) -> str:
    """Return the encoding of a source: its mark, its cookie, or UTF-8.

    Raises:
        SyntaxError: the cookie names none that exists, or contradicts the mark.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    return encoding


def decode(source: bytes) -> str:
    """Return the text of a source with its mark, if it has one."""
    encoding = encoding_of(source)
    return source.decode("utf-8" if encoding == "utf-8-sig" else encoding)


def well_formed(value: Any) -> Any:
    r"""Return JSON data in which each lone surrogate is spelled as in a source: `\ud800`.

    A source may write half of a surrogate pair (`"\ud800"`), and a path or a word on the command
    line may hold a byte that is no UTF-8. Neither SQLite nor a terminal takes such a character.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {well_formed(key): well_formed(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [well_formed(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value
