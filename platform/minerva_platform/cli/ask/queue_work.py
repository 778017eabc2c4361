"""Works off the queue while a conversation goes on, so that a person needs no second process.

It is a worker process as any other, in an OS thread of the conversation's. When the conversation
ends, or is killed, its runs go on wherever the queue is worked off next.
"""

import asyncio
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from minerva_observability import FanOut
from minerva_platform.cli.ask.execution import check_home
from minerva_platform.cli.views.progress import say
from minerva_platform.contract.run_object import IS_OVER, Run
from minerva_platform.errors import MinervaError, StateError
from minerva_platform.run_context.blocking import GRACE_S, run_sync
from minerva_platform.server.roots import Roots
from minerva_platform.storage.queue.background_runs import beat
from minerva_platform.storage.queue.finished_run_notices import tell_once

if TYPE_CHECKING:
    from minerva_platform.app import Platform
    from minerva_platform.durable.worker_process import WorkerProcess
    from minerva_platform.storage.engine.engine import Engine

_LET_GO_S: Final = 0.2
"""Seconds that runs at work have to end when the conversation does."""

RunListener = Callable[[Run], None]
"""Called once for each run of the conversation that has ended, or waits for a person."""


@contextmanager
def working_off(
    app: "Platform",
    thread: Callable[[], str],
    listener: RunListener | None,
    report_left: Callable[[int], None],
) -> Generator[None]:
    """Work off the queue in the block, if members of `app` work in the background.

    `thread` is the conversation of the moment, `listener` hears of its runs, and `report_left` how
    many runs are still at work at the end.
    """
    if not (app.team.starts_runs and app.settings.platform.keep_state):
        yield
        return
    check_home(app.home)
    recorder = app.build_recorder()
    work = _Work(app, recorder, thread, listener)
    at_work = threading.Thread(target=work.run, name="minerva-queue", daemon=True)
    at_work.start()
    work.has_begun.wait()
    try:
        yield
    finally:
        if count := work.let_go():
            report_left(count)
        at_work.join(GRACE_S)
        recorder.close()


@dataclass(slots=True)
class _Work:
    app: "Platform"
    recorder: FanOut
    thread: Callable[[], str]
    listener: RunListener | None
    has_begun: threading.Event = field(default_factory=threading.Event)
    loop: asyncio.AbstractEventLoop | None = None
    process: "WorkerProcess | None" = None

    def run(self) -> None:
        """Work until the process is let go. A fault ends this work, not the conversation."""
        try:
            run_sync(self._work)
        except MinervaError as error:
            say(f"minerva: {error}")
        finally:
            self.has_begun.set()

    def let_go(self) -> int:
        """Leave the runs at work to other processes; return how many there were."""
        if self.process is None or self.loop is None or self.loop.is_closed():
            return 0
        letting_go = asyncio.run_coroutine_threadsafe(self.process.let_go(_LET_GO_S), self.loop)
        with suppress(TimeoutError):
            return len(letting_go.result(2 * GRACE_S))
        return len(self.process.at_work)

    async def _work(self) -> None:
        app = copy(self.app)  # the conversation gives its own a recorder for each turn
        app.recorder = self.recorder
        async with app.worker_process(Roots(app).team_of) as process:
            process.on_end = partial(self._tell, process.engine)
            with suppress(StateError):  # the next look tries again
                await process.engine.awrite(beat)
            self.loop, self.process = asyncio.get_running_loop(), process
            self.has_begun.set()
            await process.work()

    def _tell(self, engine: "Engine", run_id: str, end: Run | MinervaError) -> None:
        """Tell of a run that the conversation owns, unless one of its turns has told of it."""
        if self.listener is None or isinstance(end, MinervaError):
            return
        if end.status not in {*IS_OVER, "needs_human"}:
            return
        with suppress(StateError):  # the next turn tells it
            is_over = end.status in IS_OVER
            work = partial(tell_once, run_id=run_id, owner=self.thread(), is_over=is_over)
            if engine.write(work):
                self.listener(end)
