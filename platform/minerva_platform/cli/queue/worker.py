"""`minerva worker`: a process that works off the queue of background runs."""

import asyncio
import os
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from minerva_observability import build_recorder, configure_logging
from minerva_platform.app import PLATFORM_NAME, Platform
from minerva_platform.calls.blocking import run_sync
from minerva_platform.cli.asking.execution import check_home
from minerva_platform.cli.asking.open_app import open_app
from minerva_platform.cli.care.opened_store import reader_language
from minerva_platform.cli.io.process import ExitCode
from minerva_platform.cli.queue.background import TEXTS
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import Settings, find_settings
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.team import Team
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.errors import MinervaError
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.text.language import Language

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_KILLED: Final = 128
"""Added to a signal's number: the exit code of a process that it ended."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """What was typed after `minerva worker`."""

    at_once: int = 4
    grace: float = 30.0
    """Seconds that runs at work have to end after the first signal."""
    until_empty: bool = False
    language: str | None = None
    config: Path | None = None


def work(options: WorkerOptions) -> ExitCode:
    """Work off the queue until a signal ends it; return how the command ends."""
    settings = find_settings(options.config)
    configure_logging()
    app = open_app(settings)
    check_home(app.home)
    segment_bytes = settings.platform.segment_bytes
    recorder = app.recorder = build_recorder(app.home, segment_bytes=segment_bytes)
    try:
        return run_sync(_worked, app, options)
    finally:
        recorder.close()


async def _worked(app: Platform, options: WorkerOptions) -> ExitCode:
    language = reader_language(options.language)
    roots = _Roots(app, app.settings)
    async with app.worker_process(roots.team_of, at_once=options.at_once) as process:
        process.told = partial(_tell, language)
        ending = _Ending(process, options.grace, language)
        say(TEXTS("begins", language, count=options.at_once))
        with ending.by_signals():
            await process.work(until_empty=options.until_empty)
        return ending.code


@dataclass(slots=True)
class _Roots:
    """The roots of runs: the platform, and teams that were asked alone, each made once."""

    app: Platform
    settings: Settings
    alone: dict[str, Team] = field(default_factory=dict[str, Team])

    def team_of(self, root: str) -> Team:
        """Return the root of a run.

        Raises:
            SettingsError: no team of this name is installed.
            ContractError: it cannot be used.
        """
        if root == PLATFORM_NAME:
            return self.app.team
        if root not in self.alone:
            self.alone[root] = Platform(settings=self.settings, only_team=root).team
        return self.alone[root]


def _tell(language: Language, run_id: str, end: Run | MinervaError) -> None:
    """Print what became of a run that was at work here."""
    if isinstance(end, MinervaError):
        say(TEXTS("hindered", language, run=run_id[:8], cause=str(end)))
        return
    status = f"{end.status} ({end.reason})" if end.reason else end.status
    command = f"{minerva_command()} runs {run_id[:8]}"
    say(TEXTS("ended", language, run=run_id[:8], status=status, command=command))


@dataclass(slots=True)
class _Ending:
    """Ends the process: the first signal lets runs come to their end, the second ends at once."""

    process: WorkerProcess
    grace: float
    language: Language
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

        def signalled(number: int, _frame: object) -> None:
            if self.is_signalled:
                os._exit(_KILLED + number)  # what is at work is free with this process's leases
            self.is_signalled = True
            loop.call_soon_threadsafe(self._begin, number)

        before = {number: signal.signal(number, signalled) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _begin(self, number: int) -> None:
        if number == signal.SIGINT:
            self.code = ExitCode.INTERRUPTED
        count = len(self.process.at_work)
        key = "drains" if count else "ends"
        say(TEXTS(key, self.language, count=count, seconds=self.grace))
        self.letting_go = asyncio.create_task(self._let_go())

    async def _let_go(self) -> None:
        count = await self.process.let_go(self.grace)
        if count:
            worker = f"{minerva_command()} worker"
            say(TEXTS("left", self.language, count=count, worker=worker))
        if self.process.is_held:
            os._exit(self.code)
