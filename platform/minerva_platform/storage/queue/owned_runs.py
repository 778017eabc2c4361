"""The runs that a thread owns: those that its members in the background have started.

Such a run has a thread of its own, because a thread has one writer at a time. It is found by its
owner alone, so a conversation never sees the runs of another one.
"""

from dataclasses import dataclass, replace

from sqlalchemy import Connection, select

from minerva_platform.contract.run_object import IS_OVER
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.lease import Lease, LeaseTerms, renew
from minerva_platform.storage.ledger.run_row import in_sight, request_in, row_to_roots
from minerva_platform.storage.ledger.run_start import NewRun, add_queued
from minerva_platform.storage.ledger.schema import owned_runs, runs, turns
from minerva_platform.storage.queue.background_runs import count_workers


@dataclass(frozen=True, slots=True)
class Starter:
    """The run that calls a member in the background, and its right to write."""

    run_id: str
    lease: Lease
    terms: LeaseTerms


@dataclass(frozen=True, slots=True)
class OwnedRun:
    """A run that a thread owns, as its row has it now."""

    run_id: str
    path: str
    """Of the call: `platform/office/review_agent`."""
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
    def is_over(self) -> bool:
        """True if nothing of it goes on."""
        return self.status in IS_OVER


def start_owned(
    connection: Connection, engine: Engine, new: NewRun, *, path: str, starter: Starter
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
    """Return the runs that a thread owns, in the order in which they were started.

    They are those that the run `asker` may read.
    """
    query = (
        select(
            runs.c.run_id, owned_runs.c.path, runs.c.status, runs.c.reason, runs.c.task, runs.c.told
        )
        .join_from(owned_runs, runs, runs.c.run_id == owned_runs.c.run_id)
        .join(turns, turns.c.run_id == runs.c.run_id)
        .where(owned_runs.c.owner == thread_id, in_sight(connection, asker))
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
