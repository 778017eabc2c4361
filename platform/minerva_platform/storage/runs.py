"""The ledger's runs: each is a row from when it is accepted, and the only writer of its thread.

The run and its turn are written in one transaction, which gives the lease back. So a thread never
has half of a turn, and a process that was stopped for too long writes nothing.
"""

import asyncio
import json
import math
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, func, insert, literal, select, update

from minerva_platform.contract.run_object import Run
from minerva_platform.contract.task import Task
from minerva_platform.errors import LeaseLostError, StateError, ThreadBusyError
from minerva_platform.storage.database import MIN_WAIT_S
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.lease import (
    TERMS,
    Holding,
    Lease,
    LeaseTerms,
    Watch,
    look,
    release,
    renew,
    take,
)
from minerva_platform.storage.schema import LOCAL, is_at_work, removed_threads, runs, threads, turns
from minerva_platform.storage.turn import KeptTurn

if TYPE_CHECKING:
    from minerva_platform.storage.checkpoints.run_checkpointer import RunCheckpointer
    from minerva_platform.storage.checkpoints.tables import Kept

_PAUSES_S: Final = (0.02, 0.25)
"""Seconds between two looks at a thread that is busy: the first, and the longest."""
_LAST_WORDS_S: Final = 0.25
"""Seconds that a run which cannot be kept waits to give its thread back."""


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run as it is accepted."""

    run_id: str
    thread_id: str
    root: str
    task: Task


@dataclass(slots=True)
class OpenRun:
    """A run that was accepted and has not ended: it alone writes to its thread."""

    engine: Engine
    lease: Lease
    run_id: str
    terms: LeaseTerms = TERMS
    checkpointer: "RunCheckpointer | None" = None
    """Of the run, once it has one: what it has not written yet is kept with the run."""
    keep_checkpoints: "Kept" = "last"
    waited: float = 0.0
    """Seconds that others were waited for."""
    started: float = field(default_factory=time.monotonic)
    is_ending: bool = False
    """True from the last write on: a beat that comes then finds the lease given back."""
    is_over: bool = False

    def end(self, run: Run, turn: KeptTurn, *, seconds: float | None = None) -> None:
        """Keep the run with its turn, and give the thread back.

        Raises:
            LeaseLostError: another run has the thread by now; nothing was written.
            StateError: the database cannot be written.
        """
        used = {
            "ms": round(1000 * (time.monotonic() - self.started)),
            "hops": len(run.hops),
            "calls": run.usage.model_calls,
            "tokens": run.usage.prompt_tokens + run.usage.completion_tokens,
        }
        self._end(
            turn,
            seconds,
            status=run.status,
            reason=run.reason,
            run=json.dumps(run.to_json_dict(), ensure_ascii=False),
            used=json.dumps(used),
        )

    def cancel(self, turn: KeptTurn | None, *, seconds: float) -> None:
        """Keep that the run was cancelled, with what was asked, and give the thread back.

        Raises:
            LeaseLostError: another run has the thread by now; nothing was written.
            StateError: the database cannot be written.
        """
        self._end(turn, seconds, status="cancelled", reason="cancelled")

    def leave(self, *, status: str, reason: str) -> None:
        """Give the thread back if that was not done: nothing, or no turn, could be kept."""
        if not self.is_over:
            with suppress(LeaseLostError, StateError):
                self._end(None, _LAST_WORDS_S, status=status, reason=reason)

    @asynccontextmanager
    async def kept_alive(self) -> AsyncGenerator[None]:
        """Renew the lease while the block runs; end the block if it is lost.

        Raises:
            LeaseLostError: another run took the thread, because this process stood still.
        """
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # a coroutine runs in a task
        beating = asyncio.create_task(self._beat(task))
        try:
            yield
        except asyncio.CancelledError:
            is_lost = beating.done() and not beating.cancelled() and beating.exception() is not None
            if not is_lost or task.uncancel() > 0:  # the person cancelled it, too
                raise
            beating.result()  # raises why
        finally:
            if not beating.cancel() and not beating.cancelled():
                beating.exception()  # asked for, so that nobody complains that nobody did

    async def _beat(self, work: "asyncio.Task[object]") -> None:
        renewed = partial(renew, lease=self.lease, terms=self.terms)
        while True:
            await asyncio.sleep(self.terms.beat_seconds)
            try:
                await self.engine.awrite(renewed, seconds=self.terms.beat_seconds)
            except LeaseLostError:
                if self.is_ending:
                    return
                work.cancel()
                raise
            except StateError:
                continue  # the next beat may find it free; the fence guards what is written

    def _end(self, turn: KeptTurn | None, seconds: float | None, **values: str | None) -> None:
        mine, checkpointer = runs.c.run_id == self.run_id, self.checkpointer
        kept: Kept = "all" if values["status"] == "needs_human" else self.keep_checkpoints

        def ended(connection: Connection) -> None:
            release(connection, self.lease)
            if checkpointer is not None:
                checkpointer.end(connection, kept)
            connection.execute(update(runs).where(mine).values(ended=time.time(), **values))
            if turn is not None:
                text = turn.model_dump_json()
                connection.execute(
                    update(turns).where(turns.c.run_id == self.run_id).values(turn=text)
                )

        self.is_ending = True
        try:
            self.engine.write(ended, seconds=seconds)
        except (LeaseLostError, StateError):
            self.is_ending = False
            raise
        self.is_over = True


@asynccontextmanager
async def accepted(
    engine: Engine, new: NewRun, *, seconds: float, terms: LeaseTerms = TERMS
) -> AsyncGenerator[OpenRun]:
    """Give a run once nobody else runs in its thread, in this process or another.

    Raises:
        ThreadBusyError: somebody still runs in it after `seconds`.
        StateError: the database cannot be used.
    """
    run = await _accept(engine, new, seconds, terms)
    try:
        yield run
    except asyncio.CancelledError:
        run.leave(status="cancelled", reason="cancelled")
        raise
    except BaseException:
        run.leave(status="failed", reason="internal_error")
        raise
    run.leave(status="failed", reason="not_kept")


async def _accept(engine: Engine, new: NewRun, seconds: float, terms: LeaseTerms) -> OpenRun:
    started, watch, free = time.monotonic(), Watch(engine, terms), None
    while True:
        left = max(MIN_WAIT_S, seconds - (time.monotonic() - started))
        work = partial(_accepted, engine=engine, new=new, terms=terms, free=free)
        writing = asyncio.ensure_future(engine.awrite(work, seconds=left))
        try:
            lease = await asyncio.shield(writing)
        except asyncio.CancelledError:
            await _given_back(writing, engine, new)
            raise
        if lease is not None:
            waited = round(time.monotonic() - started, 1)
            return OpenRun(engine, lease, new.run_id, terms, waited=waited)
        free = await _freed(watch, new.thread_id, started + seconds)


async def _given_back(writing: "asyncio.Future[Lease | None]", engine: Engine, new: NewRun) -> None:
    """Give the thread back if it was taken while the run was cancelled."""
    done, _ = await asyncio.wait({writing}, timeout=_LAST_WORDS_S)
    writing.cancel()
    if done and not writing.exception() and (lease := writing.result()) is not None:
        OpenRun(engine, lease, new.run_id).leave(status="cancelled", reason="cancelled")


async def _freed(watch: Watch, thread_id: str, until: float) -> Holding | None:
    """Wait until the thread can be taken; return what was seen of its holder then."""
    pause, longest = _PAUSES_S
    while True:
        seen = await watch.engine.aread(partial(look, thread_id=thread_id), empty=None)
        if seen is None or watch.is_free(seen):
            return seen
        if time.monotonic() >= until:
            retry_after = math.ceil(min(seen.left, watch.terms.seconds))
            raise ThreadBusyError(thread_id, retry_after)
        await asyncio.sleep(pause)
        pause = min(2 * pause, longest)


def _accepted(
    connection: Connection, engine: Engine, new: NewRun, terms: LeaseTerms, free: Holding | None
) -> Lease | None:
    """Take the thread and add the run's row and the place of its turn; None if it is busy."""
    thread = {"thread_id": new.thread_id, "tenant": LOCAL, "root": new.root}
    highest = select(func.coalesce(func.max(removed_threads.c.fence), 0)).scalar_subquery()
    begun = engine.insert(threads).values(**thread, fence=highest)
    connection.execute(begun.on_conflict_do_nothing())
    lease = take(connection, new.thread_id, terms, free=free)
    if lease is None:
        return None
    now, mine = time.time(), runs.c.thread_id == new.thread_id
    lost = update(runs).where(mine, is_at_work).values(status="failed", reason="lost", ended=now)
    connection.execute(lost)  # whoever ran here stood still, or died
    connection.execute(
        insert(runs).values(
            run_id=new.run_id,
            **thread,
            task=new.task.model_dump_json(),
            status="running",
            fence=lease.fence,
            created=now,
        )
    )
    number = select(
        literal(new.thread_id),
        func.coalesce(func.max(turns.c.number), 0) + 1,
        literal(new.run_id),
    ).where(turns.c.thread_id == new.thread_id)
    connection.execute(insert(turns).from_select(["thread_id", "number", "run_id"], number))
    return lease
