"""Frames between a process and the child that a worker runs in: a tag, a length, bytes of JSON.

A frame begins with a mark. So bytes that a worker has written into the channel are recognised at
once, instead of being taken for a length.
"""

import asyncio
import socket
import struct
from enum import IntEnum
from typing import NamedTuple

MAX_MESSAGE_BYTES = 256 * 1024 * 1024
"""Bytes of one frame: an Input or an Output as JSON. The firewall's own limits come after."""

_MARK = b"\x93MNV"
_HEAD = struct.Struct(">4sBQ")
_PIECE_BYTES = 1024 * 1024


class Tag(IntEnum):
    """The kind of a frame's body."""

    START = 1
    """To the child: which worker to make, and its surroundings."""
    READY = 2
    """The worker is made."""
    ENVIRONMENT = 3
    """To the child: the variables, where they have changed."""
    CALL = 4
    """To the child: the run that a call belongs to. The next frame is its INPUT."""
    INPUT = 5
    SPAN_BEGAN = 6
    SPAN_ENDED = 7
    WORN = 8
    """The call has left an OS thread behind: this process may not be used again."""
    OUTPUT = 9
    FAILED = 10
    """The failure of a call, or of making the worker, as an `ErrorInfo`."""


class Frame(NamedTuple):
    """One message."""

    tag: Tag
    body: bytes


class FrameError(Exception):
    """The received bytes are no frame, or announce one that is too large."""


class ChannelClosedError(Exception):
    """The other end is gone."""


def pack(tag: Tag, body: bytes) -> bytes:
    """Return a frame as it is sent.

    Raises:
        FrameError: the body is larger than a frame may be.
    """
    if len(body) > MAX_MESSAGE_BYTES:
        raise FrameError(_too_large(len(body)))
    return _HEAD.pack(_MARK, tag, len(body)) + body


def receive(channel: socket.socket) -> Frame | None:
    """Return the next frame of a blocking socket, None if the other end has closed it."""
    head = _exactly(channel, _HEAD.size)
    if head is None:
        return None
    tag, length = _unpack(head)
    body = _exactly(channel, length)
    return None if body is None else Frame(tag, body)


async def areceive(channel: socket.socket) -> Frame:
    """Return the next frame of a socket that does not block.

    Raises:
        FrameError: the bytes are no frame, or announce a body that is too large.
        ChannelClosedError: the other end closed it, perhaps within a frame.
    """
    tag, length = _unpack(await _aexactly(channel, _HEAD.size))
    return Frame(tag, await _aexactly(channel, length))


def _unpack(head: bytes) -> tuple[Tag, int]:
    mark, tag, length = _HEAD.unpack(head)
    if mark != _MARK or tag not in frozenset(Tag):
        message = f"{head!r} is the beginning of no message"
        raise FrameError(message)
    if length > MAX_MESSAGE_BYTES:
        raise FrameError(_too_large(length))
    return Tag(tag), length


def _too_large(length: int) -> str:
    mebibyte = 1024 * 1024
    return (
        f"a message of {length / mebibyte:,.0f} MiB; between processes "
        f"{MAX_MESSAGE_BYTES // mebibyte} MiB may pass"
    )


def _exactly(channel: socket.socket, length: int) -> bytes | None:
    found = bytearray()
    while len(found) < length:
        piece = channel.recv(min(length - len(found), _PIECE_BYTES))
        if not piece:
            return None
        found += piece
    return bytes(found)


async def _aexactly(channel: socket.socket, length: int) -> bytes:
    loop = asyncio.get_running_loop()
    found = bytearray()
    while len(found) < length:
        try:
            piece = await loop.sock_recv(channel, min(length - len(found), _PIECE_BYTES))
        except OSError as error:
            raise ChannelClosedError from error
        if not piece:
            raise ChannelClosedError
        found += piece
    return bytes(found)
