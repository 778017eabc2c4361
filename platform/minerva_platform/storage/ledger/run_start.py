"""The ledger's runs: each is a row from when it is accepted, and the only writer of its thread.

The run and its turn are written in one transaction, which gives the lease back. So a thread never
has half of a turn, and a process that was stopped for too long writes nothing. A run that waits
for a person, or whose process has ended, is taken up again under its own number.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Text, bindparam, func, insert, select, update

from minerva_observability.tracing import caller_traceparent
from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.task import Task
from minerva_platform.errors import (
    LeaseLostError,
    OtherTeamsError,
    RunCancelledError,
    StateError,
    UnknownRunError,
    UnknownThreadError,
)
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.lease import (
    TERMS,
    Holding,
    Lease,
    LeaseTerms,
    cut_off_others,
    is_alive,
    lock_thread,
    look,
    take,
    take_when_free,
)
from minerva_platform.storage.ledger.open_run import CUT_OFF, OpenRun
from minerva_platform.storage.ledger.questions import decisions_of
from minerva_platform.storage.ledger.run_row import KeptRun, find_run, limits_to_row, roots_to_row
from minerva_platform.storage.ledger.schema import LOCAL, removed_threads, runs, threads, turns


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run as it is accepted."""

    run_id: str
    thread_id: str
    root: str
    task: Task
    limits: RunLimits = field(default_factory=RunLimits)
    tenant: str = LOCAL
    requester: str | None = None
    """Who asks, as decisions name people; None: nobody said."""
    metadata: Mapping[str, Any] | None = None
    """What a client says about the run."""
    roots: frozenset[str] | None = None
    """The roots whose turns it may read, because its asker may ask these alone; None: all."""
    traceparent: str | None = field(default_factory=caller_traceparent)
    versions: Mapping[str, str] | None = None
    """What its teams are installed from; None if another process begins it."""


@asynccontextmanager
async def accepted(
    engine: Engine, new: NewRun, *, seconds: float, terms: LeaseTerms = TERMS
) -> AsyncGenerator[OpenRun]:
    """Give a run once nobody else runs in its thread, in this process or another.

    Raises:
        ThreadBusyError: somebody still runs in it after `seconds`.
        StateError: the database cannot be used.
    """

    def take_it(connection: Connection, free: Holding | None) -> OpenRun | None:
        lease = _accept(connection, engine, new, terms, free)
        if lease is None:
            return None
        return OpenRun(engine, lease, new.run_id, terms, has_waited=free is not None)

    started = time.monotonic()
    run = await take_when_free(
        engine, new.thread_id, take_it, seconds=seconds, terms=terms, give_back=_leave_cancelled
    )
    run.wait_seconds = round(time.monotonic() - started, 1)
    async with _held(run):
        yield run


@asynccontextmanager
async def taken_up(
    engine: Engine,
    run_id: str,
    *,
    seconds: float,
    moves: Callable[[Connection, KeptRun], bool],
    versions: Mapping[str, str],
    terms: LeaseTerms = TERMS,
    is_alone: bool = False,
) -> AsyncGenerator[tuple[KeptRun, OpenRun | None]]:
    """Give a kept run, as its thread's one writer if `moves` says that it can go on.

    `is_alone`: nothing else is at work in this process. It is counted of a run that was cut off.
    `versions`: what the teams here are installed from, kept of a run that begins.

    Raises:
        UnknownRunError: there is no such run.
        OriginalsRunError: the store is a restored copy, and the run is from before that.
        ThreadBusyError: somebody still runs in its thread after `seconds`.
        StateError: the database cannot be used, or the run's row is damaged.
    """
    found = await engine.aread(partial(find_run, run_id=run_id, place=engine.place), empty=None)
    if found is None:
        raise UnknownRunError(run_id)
    thread_id = found.thread_id

    def take_it(
        connection: Connection, free: Holding | None
    ) -> tuple[KeptRun, OpenRun | None] | None:
        lock_thread(connection, thread_id)  # or the run may end before the lease is taken
        kept = find_run(connection, run_id, engine.place)
        if kept is None:
            raise UnknownRunError(run_id)
        kept.check_owner()
        if kept.is_over or not moves(connection, kept):
            return kept, None
        lone_starts = _count_lone_starts(connection, engine, kept, is_alone=is_alone)
        kept = replace(kept, idle_since=_idle_since(connection, engine, kept, terms))
        if (lease := take(connection, kept.thread_id, terms, free=free)) is None:
            return None
        cut_off_others(connection, kept.thread_id)
        _mark_running(connection, kept, lease, versions, lone_starts)
        return kept, OpenRun(engine, lease, run_id, terms, has_waited=free is not None)

    started = time.monotonic()
    kept, run = await take_when_free(
        engine, thread_id, take_it, seconds=seconds, terms=terms, give_back=_give_back
    )
    if run is None:
        yield kept, None
        return
    run.wait_seconds = round(time.monotonic() - started, 1)
    async with _held(run):
        try:
            yield kept, run
        except OtherTeamsError as error:
            _left_as_it_was(run, kept)
            where = (error.run_id, error.path, error.what)
            raise OtherTeamsError(*where, kept.versions, versions) from error


@asynccontextmanager
async def _held(run: OpenRun) -> AsyncGenerator[None]:
    """Give the thread back after the block, whatever became of the run in it."""
    try:
        yield
    except asyncio.CancelledError:
        if run.goes_on:
            _cut_off(run)
        else:
            _leave_cancelled(run)
        raise
    except (LeaseLostError, StateError) as error:
        _cut_off(run)
        if isinstance(error, LeaseLostError) and await _was_cancelled(run):
            raise RunCancelledError(run.run_id, run.lease.thread_id) from error
        raise
    except BaseException:
        run.leave(status="failed", reason="internal_error")
        raise
    _cut_off(run)


async def _was_cancelled(run: OpenRun) -> bool:
    """True if a person cancelled the run from elsewhere, as far as that can be read."""

    def status(connection: Connection) -> str | None:
        mine = select(runs.c.status).where(runs.c.run_id == run.run_id)
        return connection.execute(mine).scalar()

    try:
        return await run.engine.aread(status, empty=None) == "cancelled"
    except StateError:
        return False


def _idle_since(
    connection: Connection, engine: Engine, row: KeptRun, terms: LeaseTerms
) -> float | None:
    """Return since when a run waits for a process: its latest decision, or its last sign of life.

    None if it waits for none, or if another run had its thread since.
    """
    if row.is_new or row.status == "needs_human":
        return None
    at = [decision.at for decision in decisions_of(connection, row.run_id).values()]
    last = look(connection, engine, row.thread_id)
    if last is not None and last.fence == row.fence and last.lease_until:
        ago = (terms.seconds if last.holder else 0.0) - last.seconds_left
        at += [time.time() - ago] * (ago >= 0)  # a machine that started anew has another clock
    elif (row.status, row.reason) in {CUT_OFF, ("running", None)}:
        return None
    return max(at, default=None)


def _count_lone_starts(
    connection: Connection, engine: Engine, row: KeptRun, *, is_alone: bool
) -> int:
    """Return how often a run was taken up alone because it was cut off, this time included.

    A process that stood still has not ended, so its start does not count.
    """
    if not is_alone or row.status != "running":
        return row.lone_starts
    before = look(connection, engine, row.thread_id)
    stood_still = before is not None and is_alive(before.holder or "")
    return max(1, row.lone_starts + (not stood_still))


def _mark_running(
    connection: Connection,
    row: KeptRun,
    lease: Lease,
    versions: Mapping[str, str],
    lone_starts: int,
) -> None:
    """Keep that a run goes on; one that begins keeps what the teams here are installed from."""
    again = {"status": "running", "reason": None, "fence": lease.fence}
    counts = {"resumes": row.next_resume, "lone_starts": lone_starts}
    more = {"versions": json.dumps(dict(versions))} if row.is_new else {}
    its = update(runs).where(runs.c.run_id == row.run_id)
    connection.execute(its.values(**counts, **again, **more))


def _give_back(result: tuple[KeptRun, OpenRun | None]) -> None:
    kept, run = result
    if run is not None:
        _left_as_it_was(run, kept)


def _leave_cancelled(run: OpenRun) -> None:
    run.leave(status="cancelled", reason="cancelled")


def _cut_off(run: OpenRun) -> None:
    status, reason = CUT_OFF
    run.leave(status=status, reason=reason)


def _left_as_it_was(run: OpenRun, row: KeptRun) -> None:
    status, reason = (row.status, row.reason) if row.status == "needs_human" else CUT_OFF
    run.leave(status=status, reason=reason)


def _accept(
    connection: Connection, engine: Engine, new: NewRun, terms: LeaseTerms, free: Holding | None
) -> Lease | None:
    """Take the thread and add the run's row and the place of its turn; None if it is busy."""
    _begin(connection, engine, new)
    lease = take(connection, new.thread_id, terms, free=free)
    if lease is None:
        return None
    cut_off_others(connection, new.thread_id)
    _add_run(connection, new, status="running", fence=lease.fence)
    return lease


def enqueue(
    engine: Engine, new: NewRun, *, refuses: Callable[[Connection], None] = lambda _: None
) -> None:
    """Keep a run for a worker process to take. Its turn has its place in the thread from now on.

    `refuses` is called in the same transaction, and raises what forbids the run.

    Raises:
        UnknownThreadError: the thread is another tenant's.
        StateError: the database cannot be used.
    """
    engine.write(partial(add_queued, engine=engine, new=new, refuses=refuses))


def add_queued(
    connection: Connection,
    engine: Engine,
    new: NewRun,
    *,
    refuses: Callable[[Connection], None] = lambda _: None,
) -> None:
    """Do what `enqueue` does, in the transaction that is open."""
    _begin(connection, engine, new)
    refuses(connection)
    _add_run(connection, new, status="queued", fence=0, background=True)


def _begin(connection: Connection, engine: Engine, new: NewRun) -> None:
    """Add the run's thread if it is a new one.

    Raises:
        UnknownThreadError: it is another tenant's.
    """
    thread = {**_thread_of(new), "created": time.time()}
    connection.execute(engine.statement(_begin_thread), thread)
    if connection.execute(_TENANT_OF, thread).scalar_one() != new.tenant:
        raise UnknownThreadError(new.thread_id)


def _thread_of(new: NewRun) -> dict[str, Any]:
    return {"thread_id": new.thread_id, "tenant": new.tenant, "root": new.root}


def _add_run(connection: Connection, new: NewRun, **values: str | float) -> None:
    """Add the run's row and the place of its turn."""
    connection.execute(
        _ADD_RUN,
        {
            "run_id": new.run_id,
            **_thread_of(new),
            "task": new.task.model_dump_json(exclude_unset=True),
            "limits": limits_to_row(new.limits),
            "created": time.time(),
            "background": False,
            "requester": new.requester,
            "roots": roots_to_row(new.roots),
            "traceparent": new.traceparent,
            "versions": None if new.versions is None else json.dumps(dict(new.versions)),
            "metadata": None if new.metadata is None else json.dumps(dict(new.metadata)),
            **values,
        },
    )
    connection.execute(_ADD_TURN, {"its": new.thread_id, "run": new.run_id})


def _begin_thread(engine: Engine) -> Any:
    """Return the statement that adds a thread, with a fence above those of removed threads."""
    highest = select(func.coalesce(func.max(removed_threads.c.fence), 0)).scalar_subquery()
    columns = ("thread_id", "tenant", "root", "created")
    names: dict[str, Any] = {name: bindparam(name) for name in columns}
    return engine.insert(threads).values(**names, fence=highest).on_conflict_do_nothing()


_TENANT_OF: Final = select(threads.c.tenant).where(threads.c.thread_id == bindparam("thread_id"))
_ADD_RUN: Final = insert(runs)
_ADD_TURN: Final = insert(turns).from_select(
    ["thread_id", "number", "run_id"],
    select(
        bindparam("its", type_=Text),
        func.coalesce(func.max(turns.c.number), 0) + 1,
        bindparam("run", type_=Text),
    ).where(turns.c.thread_id == bindparam("its", type_=Text)),
)
