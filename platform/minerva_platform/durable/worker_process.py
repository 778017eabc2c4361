"""A process that works off the queue of background runs.

Every run moves by `advance`, here as anywhere. The process looks for runs that are free, and
`advance` takes them up under the lease of their thread, so any number of these processes may look
at once. If one dies, the others take its runs up where their state was kept.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection

from minerva_platform.config.settings import home_directory
from minerva_platform.contract.run_object import Run
from minerva_platform.durable.events import EventWriter
from minerva_platform.durable.run_continuation import advance
from minerva_platform.errors import (
    MinervaError,
    RunCancelledError,
    RunError,
    StateBusyError,
    StateError,
    ThreadBusyError,
)
from minerva_platform.run_context.blocked_loop import named_blocks
from minerva_platform.run_context.blocking import GRACE_S, in_daemon_thread
from minerva_platform.storage.engine.database import Outage
from minerva_platform.storage.files.artifacts import find_artifacts
from minerva_platform.storage.ledger.decisions import settle_late
from minerva_platform.storage.ledger.run_row import KeptRun
from minerva_platform.storage.maintenance.restored import find_restored
from minerva_platform.storage.queue.background_runs import (
    BEAT_S,
    MAX_LONE_STARTS,
    Caps,
    FreeRun,
    beat,
    cancelled_of,
    free_runs,
    give_up,
    has_room,
    leave,
    leave_runs,
    open_runs,
)
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.runtime.run_options import RunOptions
    from minerva_platform.storage.engine.engine import Engine
    from minerva_platform.storage.maintenance.prune import PruneRule

LOOK_S: Final = 0.5
"""Seconds between two looks at the queue while nothing else happens."""
_RETAIN_S: Final = 600.0
"""Seconds after which this process asks again whether it is to remove runs that are too old."""
_REST_S: Final = 30.0
"""Seconds for which a run is left alone that could not go on here."""

_LOG = logging.getLogger(__name__)
TEXTS = read_texts("minerva_platform.durable", "worker_process")


@dataclass(slots=True)
class WorkerProcess:
    """What this process does with the queue. `team_of` gives the root of a run by its name."""

    team_of: Callable[[str], "AssembledTeam"]
    options: "RunOptions"
    """Of every run; with an engine."""
    at_once: int = 4
    """The most runs that this process works on at once."""
    caps: Caps = field(default_factory=Caps)
    """The most runs that all processes work on at once."""
    on_end: Callable[[str, Run | MinervaError], None] = lambda run_id, end: None  # noqa: ARG005
    """Called with what became of each run that was at work here."""
    writer: EventWriter | None = None
    """Writes the events of its runs."""
    retention: "PruneRule | None" = None
    """Which runs go by themselves; None: none."""
    _tasks: dict[str, "asyncio.Task[None]"] = field(
        default_factory=dict["str", "asyncio.Task[None]"]
    )
    _resting: dict[str, float] = field(default_factory=dict[str, float])
    _wakeup: asyncio.Event = field(default_factory=asyncio.Event)
    _outage: Outage = field(default_factory=lambda: Outage(_LOG, "the queue cannot be read"))
    _alone: str | None = None
    """The suspect that was begun last; nothing begins beside it."""
    _begun_beside: int = 0
    """How many other runs were begun since."""
    _is_draining: bool = False
    _is_empty: bool = False
    _beaten: float = float("-inf")
    _retention_look: float = float("-inf")
    _retention_task: "asyncio.Task[None] | None" = None

    async def work(self, *, until_empty: bool = False) -> None:
        """Take runs until `drain` was called and those at work have ended.

        With `until_empty`, also end once no background run waits or is at work, in any process,
        but those that cannot go on here.
        """
        self.writer = self.writer or EventWriter(self.engine)
        try:
            async with self.writer.writing():
                with named_blocks():
                    await self._work(is_until_empty=until_empty)
        finally:
            await self._leave()

    async def check_store(self) -> None:
        """See that the store can be used, and say what rests in it if it is a restored copy.

        Raises:
            StateError: it cannot be written, and not because others hold it.
        """
        with contextlib.suppress(StateBusyError):
            await self.engine.awrite(beat)
            if not self.at_once:  # other processes do the runs
                await self._leave()
            if (copy := await self.engine.aread(find_restored, empty=None)) and copy.runs:
                _LOG.warning("%s", copy.warning)

    async def _work(self, *, is_until_empty: bool) -> None:
        while True:
            self._wakeup.clear()
            await self._look()
            is_done = self._is_draining or (is_until_empty and self._is_empty)
            if is_done and not self._tasks:
                return
            await self._next()

    def wake(self) -> None:
        """Look at the queue at once: something was put into it."""
        self._wakeup.set()

    def drain(self) -> None:
        """Take no more runs."""
        self._is_draining = True
        self.wake()

    @property
    def at_work(self) -> tuple[str, ...]:
        """The runs that this process works on now."""
        return tuple(self._tasks)

    async def let_go(self, grace: float) -> tuple[str, ...]:
        """Take no more runs, and give those at work `grace` seconds to end.

        Leave the others to other processes, from where their state is kept; return their ids.
        """
        self.drain()
        if not (tasks := {task: run_id for run_id, task in self._tasks.items()}):
            return ()
        _, left = await asyncio.wait(tasks, timeout=grace)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=GRACE_S)
        if self.is_held and (held := self.at_work):  # the process ends with them on purpose
            with contextlib.suppress(StateError):
                await self.engine.awrite(partial(leave_runs, run_ids=held))
        return tuple(tasks[task] for task in left)

    @property
    def is_held(self) -> bool:
        """True if a run is still at work, though it was let go."""
        return self._is_draining and any(
            task.cancelling() and not task.done() for task in self._tasks.values()
        )

    async def _look(self) -> None:
        """Do what the ledger asks for: end what was cancelled or is late, begin what is free."""
        try:
            await self._end_cancelled()
            await in_daemon_thread(settle_late, self.engine)
            if not self._is_draining:
                await self._beat()
                await self._begin_free()
                waiting = await self.engine.aread(open_runs, empty=set[str]())
                self._is_empty = waiting <= self._resting.keys()
        except StateError as error:  # it may work again; runs at work see to themselves
            self._outage.begin(error)
        else:
            self._outage.end()

    async def _next(self) -> None:
        """Wait until a run ends, at most until the next look."""
        woken = asyncio.create_task(self._wakeup.wait())
        until = {*self._tasks.values(), woken}
        await asyncio.wait(until, timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
        woken.cancel()
        for run_id in [run_id for run_id, task in self._tasks.items() if task.done()]:
            task = self._tasks.pop(run_id)
            if not task.cancelled() and (error := task.exception()) is not None:
                self._resting[run_id] = time.monotonic() + _REST_S
                _LOG.error("run %s ended its task", run_id, exc_info=error)

    async def _end_cancelled(self) -> None:
        if not self._tasks:
            return
        work = partial(cancelled_of, run_ids=tuple(self._tasks))
        for run_id in await self.engine.aread(work, empty=set[str]()):
            task = self._tasks[run_id]
            if not task.done() and not task.cancelling():
                task.cancel()
                self.on_end(run_id, RunCancelledError(run_id))

    async def _begin_free(self) -> None:
        """Begin runs beside those at work, or a suspect alone: both in turn, if both wait."""
        room = self.at_once - len(self._tasks)
        if room <= 0 or self._alone in self._tasks:
            return
        limit = room + len(self._resting) + len(self._tasks)
        work = partial(free_runs, engine=self.engine, caps=self.caps, limit=limit)
        nothing: tuple[list[FreeRun], list[FreeRun]] = [], []
        found = await self.engine.aread(work, empty=nothing)
        free, suspects = ([run for run in some if self._may_begin(run)] for some in found)
        if self._is_draining:  # since the question
            return
        if suspects and (not free or self._begun_beside >= self.at_once):
            if not self._tasks:
                self._alone, self._begun_beside = suspects[0].run_id, 0
                self._begin(suspects[0])
            return
        for run in free[:room]:
            self._begin(run)
            self._begun_beside += 1

    def _begin(self, run: FreeRun) -> None:
        self._tasks[run.run_id] = asyncio.create_task(self._move(run))

    def _may_begin(self, run: FreeRun) -> bool:
        return run.run_id not in self._tasks and not self._rests(run.run_id)

    def _rests(self, run_id: str) -> bool:
        until = self._resting.get(run_id)
        if until is not None and until <= time.monotonic():
            del self._resting[run_id]
            return False
        return until is not None

    async def _move(self, free: FreeRun) -> None:
        """Move a run on. What hinders it here is told, and it rests for a while."""
        run_id, is_alone = free.run_id, free.is_suspect
        failed: RunError | None = None
        begins = is_ours = False

        def began() -> None:
            nonlocal is_ours
            is_ours = True

        def let_begin(connection: Connection, row: KeptRun) -> bool:
            nonlocal failed, begins
            failed, begins = None, False
            if row.status == "running" and not is_alone:  # cut off since it was found free
                return False
            answer = TEXTS("ended_processes", row.task.language, count=MAX_LONE_STARTS)
            if give_up(connection, self.engine, row, answer):
                failed = RunError(f"Run `{run_id}` has failed: {answer}")
            else:
                begins = has_room(connection, self.engine, row, self.caps)
            return begins

        try:
            team = self.team_of(free.root)
            run = await advance(
                team,
                run_id,
                self.options,
                let_begin=let_begin,
                began=began,
                writer=self.writer,
                is_alone=is_alone,
            )
        except ThreadBusyError:
            return  # another process was faster
        except MinervaError as error:
            if isinstance(error, StateBusyError) and not begins:
                return  # others wrote all the time; the next look tries again
            self._resting[run_id] = time.monotonic() + _REST_S
            self.on_end(run_id, error)
            return
        if is_ours or failed:  # it may have begun and ended elsewhere since it was found free
            self.on_end(run_id, failed or run)

    async def _beat(self) -> None:
        if time.monotonic() - self._beaten >= BEAT_S:
            await self.engine.awrite(beat)
            self._beaten = time.monotonic()
        if self.retention and time.monotonic() - self._retention_look >= _RETAIN_S:
            self._retention_look = time.monotonic()
            self._retention_task = asyncio.create_task(self._retain(self.retention))

    async def _retain(self, rule: "PruneRule") -> None:
        from minerva_platform.storage.maintenance.retention import retain  # noqa: PLC0415  # few configure it

        home = self.options.home or home_directory()
        artifacts = self.options.artifacts or find_artifacts(home)
        try:
            await in_daemon_thread(retain, self.engine, artifacts, rule)
        except StateError as error:  # the next look tries again
            _LOG.warning("runs that are too old stay: %s", error)

    async def _leave(self) -> None:
        with contextlib.suppress(StateError):  # its beats end anyway
            await self.engine.awrite(leave)

    @property
    def engine(self) -> "Engine":
        """The engine of the ledger that is the queue."""
        assert self.options.engine is not None  # noqa: S101  # said in the constructor
        return self.options.engine
