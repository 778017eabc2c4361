"""Worker processes beside the HTTP process: a member that blocks or crashes stops no request.

Each is a `minerva worker` that a socket links to the server. A byte means that there is something
new: for the worker in the queue, for the server in the events. The end of the link, however it
came about, ends the worker, so none outlives its server.
"""

import asyncio
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from minerva_platform.cli.background.shutdown import Ending
from minerva_platform.cli.serve.tokens import TEXTS
from minerva_platform.cli.views.progress import say
from minerva_platform.durable.events import EventWriter
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.text.language import Language

_NEWS: Final = b"."
_LATE_S: Final = 3.0
"""Seconds after the grace in which a worker that is held ends all the same."""
_RESTS_S: Final = (0.5, 30.0)
"""Seconds before a worker that ended is started again: at first, and at most."""
_STEADY_S: Final = 60.0
"""Seconds after which a worker is no longer one that ends again and again."""


def send_news(link: socket.socket) -> None:
    """Let the other end look. What it has not read yet says the same."""
    with suppress(OSError):
        link.send(_NEWS, socket.MSG_DONTWAIT)


def stand_beside(link: socket.socket, process: WorkerProcess, ending: Ending) -> None:
    """Link this worker process to its server; without it, the process ends.

    The link is heard in an OS thread, which a member that blocks the event loop does not hold up.
    """
    loop = asyncio.get_running_loop()
    process.writer = EventWriter(process.engine, lambda: send_news(link))
    send_news(link)

    def hear() -> None:
        with suppress(RuntimeError):  # the loop is closed, and the process ends
            with suppress(OSError):
                while link.recv(4096):
                    loop.call_soon_threadsafe(process.wake)
            loop.call_soon_threadsafe(ending.begin)
        time.sleep(ending.grace + _LATE_S)
        os._exit(ending.code)

    threading.Thread(target=hear, name="minerva-link", daemon=True).start()


@dataclass(slots=True)
class WorkersBeside:
    """The worker processes of a server. One that ends is started again after a rest."""

    options: Sequence[str]
    """Of `minerva worker`."""
    count: int
    language: Language
    on_news: Callable[[], None]
    """Called when one of them has written something."""
    _running: dict[asyncio.subprocess.Process, socket.socket] = field(
        default_factory=dict[asyncio.subprocess.Process, socket.socket]
    )
    _live_links: set[socket.socket] = field(default_factory=set[socket.socket])
    """The links of those that have said something."""
    _ends: asyncio.Event = field(default_factory=asyncio.Event)
    _work: "asyncio.Future[list[None]] | None" = None

    is_held: bool = False
    """What is held in a worker holds up that process alone."""
    at_work: tuple[str, ...] = ()
    """None in this process."""

    def start(self) -> None:
        """Start them, and keep them running until they are let go."""
        self._work = asyncio.gather(*(self._keep() for _ in range(self.count)))

    def wake(self) -> None:
        """Let each look at the queue now."""
        for link in self._running.values():
            send_news(link)

    async def let_go(self, grace: float) -> tuple[str, ...]:
        """End them: they take no more runs, and those at work have `grace` seconds.

        The ledger says what did not end; nothing is returned.
        """
        self._ends.set()
        for process, link in self._running.items():
            with suppress(OSError):  # it has ended by itself
                link.shutdown(socket.SHUT_WR)
                if link not in self._live_links:  # it has not begun
                    process.kill()
        if self._work is not None:
            await asyncio.wait([self._work], timeout=grace + 2 * _LATE_S)
            self.kill()
            await self._work
        return ()

    def kill(self) -> None:
        """End them at once."""
        for process in self._running:
            with suppress(ProcessLookupError):
                process.kill()

    async def _keep(self) -> None:
        shortest, longest = _RESTS_S
        rest = shortest
        while not self._ends.is_set():
            began = time.monotonic()
            code = await self._one()
            if self._ends.is_set():
                return
            if time.monotonic() - began > _STEADY_S:
                rest = shortest
            say(TEXTS("worker_ended", self.language, code=code, seconds=rest))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ends.wait(), rest)
            rest = min(2 * rest, longest)

    async def _one(self) -> int:
        """Run a worker process to its end; return its exit code."""
        loop = asyncio.get_running_loop()
        ours, its = socket.socketpair()
        with ours:
            ours.settimeout(0)
            with its:
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-c", _PROGRAM, "worker", *self.options),
                    *("--beside", str(its.fileno())),
                    stdin=asyncio.subprocess.DEVNULL,
                    pass_fds=[its.fileno()],
                    start_new_session=True,  # Ctrl-C reaches the server alone, which lets go
                )
            self._running[process] = ours
            loop.add_reader(ours, self._hear, ours)
            try:
                if self._ends.is_set():
                    ours.shutdown(socket.SHUT_WR)
                return await process.wait()
            finally:
                loop.remove_reader(ours)
                del self._running[process]
                self._live_links.discard(ours)

    def _hear(self, link: socket.socket) -> None:
        with suppress(ConnectionError):
            if link.recv(4096):
                self._live_links.add(link)
                self.on_news()
                return
        asyncio.get_running_loop().remove_reader(link)  # its process ends


_PROGRAM: Final = "from minerva_platform.cli.main import main; main()"
