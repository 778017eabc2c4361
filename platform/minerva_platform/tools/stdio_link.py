"""A server that is a process: messages are lines of its standard input and output.

The process leads a group of its own, and the whole group is gone when the link is closed: a
launcher (`uvx`, `npx`, a shell) leaves nothing behind. What the server writes to standard error is
shown nowhere; its last line says in an error why the server ended.
"""

import os
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.abc import ByteReceiveStream, Process
from mcp.client.stdio import get_default_environment

from minerva_platform.contract.bounds import MAX_SERVER_MESSAGE_BYTES
from minerva_platform.tools.link import Link, new_link, to_json

GRACE_S = 0.5
"""Seconds that a server has to end after its input was closed, and again after SIGTERM."""
_EXIT_S = 1.0
"""Seconds in which the exit status of a process is there that has closed its output."""
_MAX_LINE_SHOWN = 300
"""Bytes of the last line of a server that an error shows."""


class ServerStartError(Exception):
    """The server cannot be started. The text ends a sentence about it."""


@asynccontextmanager
async def stdio_link(command: Sequence[str], env: Mapping[str, str]) -> AsyncGenerator[Link]:
    """Start a server and yield the link to it. No process of it is left after the block.

    Raises:
        ServerStartError: there is no such program, or it cannot be started.
    """
    process = await _start(command, env)
    link, words = new_link(), _LastWords()
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_write, process, link)
            tasks.start_soon(_read_messages, process, link, words)
            tasks.start_soon(words.listen, process)
            yield link
            await _end_politely(process)
            tasks.cancel_scope.cancel()
    finally:
        _signal_group(process, signal.SIGKILL)
        link.close()
        with anyio.CancelScope(shield=True):
            await process.aclose()


async def _start(command: Sequence[str], env: Mapping[str, str]) -> Process:
    try:
        return await anyio.open_process(
            list(command), env={**get_default_environment(), **env}, start_new_session=True
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        message = f"cannot be started ({why}); install `{command[0]}`, or mend its `command`."
        raise ServerStartError(message) from error


async def _write(process: Process, link: Link) -> None:
    assert process.stdin is not None  # noqa: S101  # it is a pipe
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the reader says why
        async for message in link.outgoing:
            await process.stdin.send(f"{to_json(message)}\n".encode())


async def _read_messages(process: Process, link: Link, words: "_LastWords") -> None:
    assert process.stdout is not None  # noqa: S101  # it is a pipe
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # the session is closed
        async for line in _lines(process.stdout):
            if line is None:
                link.end(f"sent more than {MAX_SERVER_MESSAGE_BYTES:,} bytes at once.")
                return
            if line.strip() and not await link.receive(line):
                words.note(line)
    with anyio.move_on_after(_EXIT_S):
        await process.wait()
        await words.heard.wait()
    link.end(f"{_exit_text(process.returncode)}{words.text}.")


async def _lines(stream: ByteReceiveStream) -> AsyncIterator[bytes | None]:
    """Yield the lines of a stream; None, as the last item, for one that is too long."""
    parts, size = list[bytes](), 0
    async for chunk in stream:
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join((*parts, line))
            parts, size = [], 0
        parts.append(rest)
        size += len(rest)
        if size > MAX_SERVER_MESSAGE_BYTES:
            yield None
            return


class _LastWords:
    """The last line that a server wrote for people: to standard error, else where messages go."""

    def __init__(self) -> None:
        self._error, self._noise = b"", b""
        self.heard = anyio.Event()
        """Set when standard error has ended."""

    def note(self, line: bytes) -> None:
        """Keep a line that is no message."""
        self._noise = line.strip()[:_MAX_LINE_SHOWN]

    async def listen(self, process: Process) -> None:
        """Read standard error to its end."""
        assert process.stderr is not None  # noqa: S101  # it is a pipe
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for chunk in process.stderr:
                lines = [line.strip() for line in chunk.splitlines() if line.strip()]
                self._error = (lines or [self._error])[-1][:_MAX_LINE_SHOWN]
        self.heard.set()

    @property
    def text(self) -> str:
        """The line as a part of a sentence; empty if there is none."""
        said = (self._error or self._noise).decode("utf-8", "replace").replace("`", "'")
        seen = "".join(char if char.isprintable() else " " for char in said).strip()
        return f"; its last words: `{seen}`" if seen else ""


async def _end_politely(process: Process) -> None:
    """Close the server's input, then send SIGTERM, each time waiting for its end."""
    if process.stdin is not None:
        with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            await process.stdin.aclose()
    for again in (signal.SIGTERM, None):
        with anyio.move_on_after(GRACE_S):
            await process.wait()
            return
        if again is not None:
            _signal_group(process, again)


def _signal_group(process: Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _exit_text(code: int | None) -> str:
    if code is None:
        return "closed its output"
    if code < 0:
        known = {number.value: number.name for number in signal.Signals}
        return f"was ended by {known.get(-code, f'signal {-code}')}"
    return f"ended with exit code {code}"
