"""The background runs of a thread: those that its members have started, and those put in its queue.

A member's run has a thread of its own, because a thread has one writer at a time. It is found by
its owner alone, so a conversation never sees the runs of another one.
"""

from dataclasses import dataclass, replace

from sqlalchemy import Connection, and_, func, or_, select, true

from minerva_platform.contract.run_object import IS_OVER
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.lease import renew
from minerva_platform.storage.ledger.open_run import OpenRun
from minerva_platform.storage.ledger.run_row import in_sight, request_in, row_to_roots
from minerva_platform.storage.ledger.run_start import NewRun, add_queued
from minerva_platform.storage.ledger.schema import owned_runs, runs, turns
from minerva_platform.storage.queue.background_runs import count_workers


@dataclass(frozen=True, slots=True)
class OwnedRun:
    """A run that a thread owns, as its row has it now."""

    run_id: str
    path: str
    """Of the call: `platform/office/review_agent`; of a run that was queued, its root alone."""
    status: str
    reason: str | None
    request: str
    is_told: bool
    """True if a turn of the owner has told that it ended."""

    @property
    def member(self) -> str:
        """The member that works: `review_agent`."""
        return self.path.rpartition("/")[2].partition("#")[0]

    @property
    def is_of_member(self) -> bool:
        """True if a member has started it; False if it was put in the queue of the thread."""
        return "/" in self.path

    @property
    def is_over(self) -> bool:
        """True if nothing of it goes on."""
        return self.status in IS_OVER


def start_owned(
    connection: Connection, engine: Engine, new: NewRun, *, path: str, starter: OpenRun
) -> int:
    """Put the run of a member into the queue, once; return how many worker processes are alive.

    The call may be made again after a crash: it finds the run that it started before.

    Raises:
        LeaseLostError: another process goes on with the starter; nothing is written.
    """
    renew(connection, starter.lease, starter.terms)
    known = select(owned_runs.c.run_id).where(owned_runs.c.run_id == new.run_id)
    if connection.execute(known).first() is None:
        its = select(runs.c.thread_id, runs.c.tenant, runs.c.requester, runs.c.roots).where(
            runs.c.run_id == starter.run_id
        )
        thread_id, tenant, requester, roots = connection.execute(its).one()
        above = select(owned_runs.c.owner).where(owned_runs.c.run_id == starter.run_id)
        owner = connection.execute(above).scalar() or thread_id
        whose = {"tenant": tenant, "requester": requester, "roots": row_to_roots(roots)}
        add_queued(connection, engine, replace(new, **whose))
        row = {"run_id": new.run_id, "owner": owner, "starter": starter.run_id, "path": path}
        connection.execute(owned_runs.insert().values(row))
    return count_workers(connection, engine)


def runs_owned_by(connection: Connection, thread_id: str, asker: str) -> tuple[OwnedRun, ...]:
    """Return the background runs of a thread, in the order in which they were started.

    They are those that the run `asker` may read, and that came before it. What only answered a
    question is no work that somebody asks about.
    """
    path = func.coalesce(owned_runs.c.path, runs.c.root)
    its_number = select(turns.c.number).where(turns.c.run_id == asker).scalar_subquery()
    is_queued = and_(
        runs.c.thread_id == thread_id,
        runs.c.background.is_(true()),
        turns.c.number < func.coalesce(its_number, turns.c.number + 1),
        func.coalesce(runs.c.reason, "").not_in(("about", "asked_back", "small_talk")),
    )
    query = (
        select(runs.c.run_id, path, runs.c.status, runs.c.reason, runs.c.task, runs.c.told)
        .join_from(runs, turns, turns.c.run_id == runs.c.run_id)
        .outerjoin(owned_runs, owned_runs.c.run_id == runs.c.run_id)
        .where(or_(owned_runs.c.owner == thread_id, is_queued), in_sight(connection, asker))
        .order_by(turns.c.place)
    )
    return tuple(
        OwnedRun(run_id, path, status, reason, request_in(task), told)
        for run_id, path, status, reason, task, told in connection.execute(query)
    )


def threads_owned_by(connection: Connection, thread_id: str) -> tuple[str, ...]:
    """Return the threads of the runs that a thread owns."""
    query = (
        select(runs.c.thread_id)
        .join_from(owned_runs, runs, runs.c.run_id == owned_runs.c.run_id)
        .where(owned_runs.c.owner == thread_id)
        .order_by(runs.c.thread_id)
    )
    return tuple(dict.fromkeys(connection.execute(query).scalars()))
