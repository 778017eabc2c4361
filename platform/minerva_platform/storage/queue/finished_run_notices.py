"""What the next turn of a thread tells of its background runs: each that has ended, once."""

from collections.abc import Iterable

from sqlalchemy import Connection, and_, or_, select, true, update

from minerva_platform.contract.run_object import Notice
from minerva_platform.storage.ledger.run_row import in_sight, request_in
from minerva_platform.storage.ledger.schema import owned_runs, runs, turns


def untold_runs(connection: Connection, run_id: str) -> tuple[Notice, ...]:
    """Return the background runs that ended, that this run may read, and that were not told of.

    They came before this run in its thread, or the thread owns them. Who cancelled a run knows that
    it has ended.
    """
    mine = select(turns.c.thread_id, turns.c.number).where(turns.c.run_id == run_id).subquery()
    is_before = and_(turns.c.thread_id == mine.c.thread_id, turns.c.number < mine.c.number)
    query = (
        select(runs.c.run_id, runs.c.status, runs.c.task)
        .join_from(runs, turns, turns.c.run_id == runs.c.run_id)
        .outerjoin(owned_runs, owned_runs.c.run_id == runs.c.run_id)
        .join(mine, or_(is_before, owned_runs.c.owner == mine.c.thread_id))
        .where(runs.c.background.is_(true()), runs.c.told.is_not(true()))
        .where(runs.c.status.in_(("ok", "ok_degraded", "failed")), in_sight(connection, run_id))
        .order_by(turns.c.place)
    )
    rows = connection.execute(query)
    return tuple(
        Notice(run_id=each, status=status, request=request_in(task)) for each, status, task in rows
    )


def mark_told(connection: Connection, notices: Iterable[Notice]) -> None:
    """Keep that these runs were told of."""
    ids = [notice.run_id for notice in notices]
    connection.execute(update(runs).where(runs.c.run_id.in_(ids)).values(told=True))


def tell_once(connection: Connection, run_id: str, owner: str, *, is_over: bool) -> bool:
    """True if the thread `owner` owns this run and has not told of it; keep that it does now.

    A run that is not over, because it waits for a person, is told of again.
    """
    is_own = select(owned_runs.c.run_id).where(
        owned_runs.c.run_id == run_id, owned_runs.c.owner == owner
    )
    mine = update(runs).where(runs.c.run_id.in_(is_own), runs.c.told.is_not(true()))
    changed = connection.execute(mine.values(told=is_over).returning(runs.c.run_id))
    return changed.first() is not None
