"""Read a whole text file of unknown encoding, up to a size."""

import io
from pathlib import Path

from minerva_governance.core.reading.problem import UnreadableError, not_opened
from minerva_platform.text import UndecodableError, encoding_of


def read_text(path: Path, *, limit: int, takes_utf_16: bool = False) -> str:
    """Return the text of `path`.

    Raises:
        UnreadableError: missing, larger than `limit` bytes, or neither UTF-8 nor CP949 (nor
            UTF-16 with a byte order mark, if `takes_utf_16`).
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise not_opened(error) from None
    if len(data) > limit:
        raise UnreadableError(reason="too_large", limit=limit)
    try:
        encoding = encoding_of(io.BytesIO(data))
    except UndecodableError:  # its text names bytes of the file
        raise UnreadableError(reason="encoding") from None
    if (
        encoding == "utf-16" and not takes_utf_16
    ):  # the reader of rows takes lines at "\n" bytes and refuses it, too
        raise UnreadableError(reason="encoding")
    return data.decode(encoding)
