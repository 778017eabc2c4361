"""The ledger's events: what happened in runs, for whoever watches them.

The process that is at work on a run numbers its events, in a transaction that has checked the
run's lease. So the numbers of a run have no gap, and no event has two, whichever processes worked
on it.
"""

import threading
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Connection, and_, func, insert, select

from minerva_platform.contract.run_object import Event
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.lease import Lease
from minerva_platform.storage.ledger.schema import events, runs, threads

MAX_READ: Final = 500
"""Events of a run that one read returns."""


@dataclass(slots=True, eq=False)
class EventLog:
    """The events of a run that are not written yet. Any OS thread may add some."""

    run_id: str
    lease: Lease
    _waiting: list[Event] = field(default_factory=list[Event])
    _adding: threading.Lock = field(default_factory=threading.Lock)
    _writing: threading.Lock = field(default_factory=threading.Lock)

    @property
    def has_some(self) -> bool:
        """True if something waits to be written."""
        return bool(self._waiting)

    def add(self, event: Event) -> None:
        """Keep an event for the next write."""
        with self._adding:
            self._waiting.append(event)

    @contextmanager
    def taken(self, *, waits: bool = True) -> Generator[Sequence[Event]]:
        """Give what is to be written in the block; if the block raises, it stays.

        Without `waits`, nothing is given while somebody else writes.
        """
        if not self._writing.acquire(blocking=waits):
            yield ()
            return
        try:
            waiting = tuple(self._waiting)
            yield waiting
            with self._adding:
                del self._waiting[: len(waiting)]
        finally:
            self._writing.release()


def flush(engine: Engine, logs: Iterable[EventLog]) -> None:
    """Write what the logs hold in one transaction. What is of a lost lease is dropped.

    Raises:
        StateError: the database cannot be written; the logs keep what they hold.
    """
    with ExitStack() as held:
        waiting = {log: held.enter_context(log.taken(waits=False)) for log in logs}
        if not any(waiting.values()):
            return

        def work(connection: Connection) -> None:
            for log, its_events in waiting.items():
                if its_events and _is_held(connection, log.lease):
                    write_events(connection, log.run_id, its_events)

        engine.write(work)


def write_events(connection: Connection, run_id: str, its_events: Iterable[Event]) -> None:
    """Add events to a run, after those that are there. The caller holds the run's thread."""
    rows: list[dict[str, Any]] = []
    of_run = select(func.coalesce(func.max(events.c.seq), 0)).where(events.c.run_id == run_id)
    for event in its_events:
        text = event.model_dump_json(exclude={"seq"}, exclude_defaults=True)
        rows.append({"run_id": run_id, "event": text})
    if rows:
        before = connection.execute(of_run).scalar_one()
        numbered = [{**row, "seq": before + n} for n, row in enumerate(rows, start=1)]
        connection.execute(insert(events), numbered)


def read_events(connection: Connection, run_id: str, after: int) -> list[Event]:
    """Return the events of a run with a higher number than `after`, at most `MAX_READ`."""
    mine = (events.c.run_id == run_id, events.c.seq > after)
    query = select(events.c.seq, events.c.event).where(*mine).order_by(events.c.seq)
    rows = connection.execute(query.limit(MAX_READ))
    return [_event(seq, text) for seq, text in rows]


def latest_progress(connection: Connection, run_id: str) -> Event | None:
    """Return the last of a run's latest events that says how far a worker is; None if none does."""
    query = select(events.c.seq, events.c.event).where(events.c.run_id == run_id)
    rows = connection.execute(query.order_by(events.c.seq.desc()).limit(MAX_READ))
    latest = (_event(seq, text) for seq, text in rows)
    return next((event for event in latest if event.type == "progress"), None)


def cancelled_by(connection: Connection, its: ColumnElement[bool]) -> dict[str, str]:
    """Return who cancelled the runs of which `its` is true, as far as their last events say it."""
    of_run = events.alias()
    latest = select(func.max(of_run.c.seq)).where(of_run.c.run_id == runs.c.run_id)
    its_last = and_(events.c.run_id == runs.c.run_id, events.c.seq == latest.scalar_subquery())
    query = select(runs.c.run_id, events.c.event).join_from(runs, events, its_last)
    mine = (its, runs.c.status == "cancelled")
    ends = {each: _event(0, text).data for each, text in connection.execute(query.where(*mine))}
    return {each: str(data["by"]) for each, data in ends.items() if "by" in data}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: its status, and the number of its latest event."""

    status: str
    seq: int


def progress_of(connection: Connection, run_ids: Collection[str]) -> dict[str, Progress]:
    """Return how far these runs are; a run that is not there is left out."""
    latest = select(func.max(events.c.seq)).where(events.c.run_id == runs.c.run_id)
    columns = (runs.c.run_id, runs.c.status, func.coalesce(latest.scalar_subquery(), 0))
    rows = connection.execute(select(*columns).where(runs.c.run_id.in_(run_ids)))
    return {run_id: Progress(str(status), int(seq)) for run_id, status, seq in rows}


def _event(seq: int, text: str) -> Event:
    try:
        return Event.model_validate_json(text).model_copy(update={"seq": seq})
    except ValidationError:  # a later version's; its number may not be missing
        return Event(seq=seq, type="notice", path="", at=0.0, data={"unreadable": True})


def _is_held(connection: Connection, lease: Lease) -> bool:
    """True if the lease is ours until the transaction ends."""
    mine = (threads.c.thread_id == lease.thread_id, threads.c.fence == lease.fence)
    query = select(threads.c.fence).where(*mine, threads.c.holder.is_not(None))
    return connection.execute(query.with_for_update(read=True)).first() is not None
