"""Turn the bytes of a source into text, as Python would."""

import io
import tokenize


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
