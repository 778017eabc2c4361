"""How a process ends that works off the queue: the first signal drains it, the second ends it."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass
from typing import Final, Protocol

from minerva_platform.cli.background.background import TEXTS
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.views.progress import say
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_KILLED: Final = 128
"""Added to a signal's number: the exit code of a process that it ended."""


class Leaving(Protocol):
    """What is ended: a process that works off the queue, or several."""

    @property
    def at_work(self) -> tuple[str, ...]:
        """The runs at work in this process."""
        ...

    @property
    def is_held(self) -> bool:
        """True if this process does not end, because a run is still at work."""
        ...

    async def let_go(self, grace: float) -> tuple[str, ...]:
        """End in `grace` seconds; return the runs that were left."""
        ...


@dataclass(slots=True)
class Ending:
    """Ends the process: the first signal lets runs come to their end, the second ends at once."""

    process: Leaving
    grace: float
    language: Language
    begins: Callable[[], None] = lambda: None
    """Called with the first signal."""
    ends: Callable[[], None] = lambda: None
    """Called once no run is at work any more."""
    kills: Callable[[], None] = lambda: None
    """Called with the second signal."""
    says: Callable[[str], None] = say
    names_left: bool = True
    """False: a server says which runs were left, for all processes beside it."""
    code: ExitCode = ExitCode.ANSWERED
    letting_go: "asyncio.Task[None] | None" = None
    is_signalled: bool = False

    @contextmanager
    def by_signals(self) -> Generator[None]:
        """Take signals in the block; in another OS thread than the main one there are none."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()

        def on_signal(number: int, _frame: object) -> None:
            if self.is_signalled:
                self.kills()
                os._exit(_KILLED + number)  # what is at work is free with this process's leases
            self.is_signalled = True
            # a handler runs in the context of what it interrupts, and a worker may cancel no run
            loop.call_soon_threadsafe(self.begin, number, context=Context())

        before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def begin(self, number: int = signal.SIGTERM) -> None:
        """Do what the first signal does."""
        if self.letting_go is not None:
            return
        if number == signal.SIGINT:
            self.code = ExitCode.INTERRUPTED
        self.begins()
        count = len(self.process.at_work)
        key = "drains" if count else "ends"
        self.says(TEXTS(key, self.language, count=count, seconds=self.grace))
        self.letting_go = asyncio.create_task(self._let_go())

    async def _let_go(self) -> None:
        runs = await self.process.let_go(self.grace)
        if runs and self.names_left:
            values = {"runs": ", ".join(runs), "worker": f"{minerva_command()} worker"}
            self.says(TEXTS("left", self.language, count=len(runs), **values))
        self.ends()
        if self.process.is_held:
            os._exit(self.code)
