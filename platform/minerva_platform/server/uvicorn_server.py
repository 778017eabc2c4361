"""Listen with patience that ends: half-open connections are closed, signals are left to others."""

import asyncio
import contextlib
import re
import socket
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, ClassVar, Final

import h11
import uvicorn
from h11._receivebuffer import ReceiveBuffer
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_S: Final = 10.0
"""Seconds in which a request's head has to arrive."""
_BACKLOG: Final = 2048
_LAST_S: Final = 1.0
"""Seconds that open answers have at least once the server ends."""
_LF_ALONE: Final = re.compile(rb"(?<!\r)\n")
_FRAMING: Final = (b"content-length", b"transfer-encoding")


class StrictLines(ReceiveBuffer):
    """h11's buffer of what was received, which takes lines in the one form that all servers read.

    h11 is more lenient. A proxy that reads such a request otherwise sees other requests than this
    server does, so somebody could smuggle one past it (RFC 9112, 11.2).
    """

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """Return the lines of a head, or of what follows the last chunk; None: they are not whole.

        Raises:
            h11.RemoteProtocolError: LF stands without CR, a line is folded, or the length of the
                body is said twice, or as HTTP/1.0 does not say it.
        """
        self.head = bytearray()
        lines = super().maybe_extract_lines()
        if _LF_ALONE.search(self.head) or not _is_clear(lines or []):
            what = "a head that servers read in several ways"
            raise h11.RemoteProtocolError(what)
        return lines

    def _extract(self, count: int) -> bytearray:
        self.head = super()._extract(count)
        return self.head


def _is_clear(lines: Sequence[bytearray]) -> bool:
    """True if no line is folded, and one line at most says how long the body is."""
    names = [bytes(line.partition(b":")[0].strip().lower()) for line in lines]
    lengths = [line for line, name in zip(lines, names, strict=True) if name in _FRAMING]
    if b"transfer-encoding" in names and lines[0].endswith(b"HTTP/1.0"):
        return False
    is_folded = any(line.startswith((b" ", b"\t")) for line in lines)
    return not is_folded and len(lengths) <= 1 and not any(b"," in line for line in lengths)


class PatientProtocol(H11Protocol):
    """uvicorn's protocol, which closes a connection whose request does not arrive in time."""

    head_seconds: ClassVar[float] = HEADER_S
    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self.conn._receive_buffer = StrictLines()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # h11 offers no stricter reading
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Take data; a whole head ends the waiting, and the beginning of another one begins it."""
        super().data_received(data)
        if self._is_at_work():
            self._forget()
        elif self._head is None and not self.transport.is_closing():
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._forget()
        super().connection_lost(exc)

    def _is_at_work(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete

    def _expect(self) -> None:
        self._forget()
        self._head = self.loop.call_later(self.head_seconds, self._close)

    def _forget(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _close(self) -> None:
        if not self._is_at_work():
            self.transport.close()


class QuietServer(uvicorn.Server):
    """uvicorn, which leaves signals to whoever started it, and says when it answers."""

    def __init__(self, config: uvicorn.Config, answers: Callable[[], None]) -> None:
        super().__init__(config)
        self._answers = answers
        self.until = 0.0
        """Until when (monotonic seconds) open answers may come after the server was to end."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        if self.started:
            self._answers()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening; cut off answers that have not come in time, so that clients ask anew.

        uvicorn would cancel their tasks, and print the traceback of each.
        """
        ending = asyncio.create_task(super().shutdown(sockets))
        await asyncio.wait([ending], timeout=max(_LAST_S, self.until - time.monotonic()))
        for connection in [*self.server_state.connections]:
            connection.transport.abort()
        self.force_exit = True  # it waits for no request that hangs
        await ending

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Take no signals."""
        yield


def build_server(
    app: Any, *, answers: Callable[[], None], head_seconds: float = HEADER_S
) -> QuietServer:
    """Return a server of `app`, which calls `answers` once it listens."""
    patience = {"head_seconds": head_seconds}
    config = uvicorn.Config(
        app,
        http=type("Protocol", (PatientProtocol,), patience),
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        backlog=_BACKLOG,
        timeout_keep_alive=30,
        proxy_headers=False,
    )
    return QuietServer(config, answers)
