"""Length-prefixed messages between this process and the one that parses."""

import json
import struct
from typing import Any, BinaryIO

from minerva_insilico.core.parsing.encoding import well_formed

_LENGTH = struct.Struct(">II")
_SURROGATE = "\\ud"
"""How every surrogate begins in JSON, those of pairs included."""


class BrokenWireError(Exception):
    """The other end has gone in the middle of a message."""


def send(stream: BinaryIO, message: dict[str, Any], blob: bytes = b"") -> None:
    """Write one JSON message and its bytes. Lone surrogates become text."""
    written = json.dumps(message, separators=(",", ":"))
    if _SURROGATE in written:
        written = json.dumps(well_formed(message), separators=(",", ":"))
    head = written.encode()
    stream.write(_LENGTH.pack(len(head), len(blob)) + head + blob)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], bytes]:
    """Read one message and its bytes.

    Raises:
        BrokenWireError: the stream ends before the message does.
    """
    head_length, blob_length = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    message: dict[str, Any] = json.loads(_exactly(stream, head_length))
    return message, _exactly(stream, blob_length)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    found = stream.read(length)
    if len(found) < length:
        raise BrokenWireError
    return found
