"""What the next turn of a thread tells of its background runs: each that has ended, once."""

import json
from collections.abc import Iterable

from sqlalchemy import Connection, select, true, update

from minerva_platform.contract.run_object import Notice
from minerva_platform.storage.schema import runs, turns


def untold_runs(connection: Connection, run_id: str) -> tuple[Notice, ...]:
    """Return the background runs before this run in its thread that ended, and were not told of.

    Who cancelled a run knows that it has ended.
    """
    mine = select(turns.c.thread_id, turns.c.number).where(turns.c.run_id == run_id).subquery()
    query = (
        select(runs.c.run_id, runs.c.status, runs.c.task)
        .join_from(runs, turns, turns.c.run_id == runs.c.run_id)
        .join(mine, mine.c.thread_id == turns.c.thread_id)
        .where(runs.c.background.is_(true()), runs.c.told.is_not(true()))
        .where(turns.c.number < mine.c.number)
        .where(runs.c.status.in_(("ok", "ok_degraded", "failed")))
        .order_by(turns.c.number)
    )
    rows = connection.execute(query)
    return tuple(
        Notice(run_id=each, status=status, request=_words(task)) for each, status, task in rows
    )


def mark_told(connection: Connection, notices: Iterable[Notice]) -> None:
    """Keep that these runs were told of."""
    ids = [notice.run_id for notice in notices]
    if ids:
        connection.execute(update(runs).where(runs.c.run_id.in_(ids)).values(told=True))


def _words(task: str) -> str:
    try:
        return str(json.loads(task)["request"])
    except (TypeError, ValueError, KeyError):  # a damaged row; `minerva doctor` names it
        return ""
