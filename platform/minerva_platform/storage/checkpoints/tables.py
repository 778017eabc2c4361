"""Reads and writes rows of checkpoints, in a transaction that the caller has open."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, select

from minerva_platform.storage.checkpoints.rows import CheckpointRow, Row, WriteRow
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.schema import checkpoints, runs, turns, writes

Kept: TypeAlias = Literal["last", "all"]
"""What stays when a run has ended: the last state of its thread's latest run, or all."""

Condition: TypeAlias = ColumnElement[bool]

_STATE: Final = ("parent_id", "type", "checkpoint", "metadata")
_DELETE: Final = tuple(
    delete(table).where(table.c.thread_id.in_(bindparam("its", expanding=True)))
    for table in (writes, checkpoints)
)
_ENDED: Final = select(runs.c.ended).where(runs.c.run_id == bindparam("its"))


def _near() -> Any:
    """Return the statement that finds a run, the one before it and the one after it."""
    mine = turns.alias()
    its = mine.c.run_id == bindparam("its")
    number = select(mine.c.number).where(its).scalar_subquery()
    thread_id = select(mine.c.thread_id).where(its).scalar_subquery()
    return (
        select(turns.c.run_id)
        .where(turns.c.thread_id == thread_id, turns.c.number >= number - 1)
        .order_by(turns.c.number)
        .limit(3)
    )


_NEAR: Final = _near()


def of_checkpoint(
    thread_id: str, namespace: str | None = None, checkpoint_id: str | None = None
) -> tuple[Condition, ...]:
    """Return what is true of a checkpoint, of all of a graph, or of all of a thread."""
    columns = (checkpoints.c.thread_id, checkpoints.c.checkpoint_ns, checkpoints.c.checkpoint_id)
    pairs = zip(columns, (thread_id, namespace, checkpoint_id), strict=True)
    return tuple(column == value for column, value in pairs if value is not None)


def read_checkpoints(
    connection: Connection, *where: Condition, limit: int | None = None
) -> list[CheckpointRow]:
    """Return checkpoints, newest first."""
    asked = select(checkpoints).where(*where).order_by(checkpoints.c.number.desc())
    return [CheckpointRow(*row) for row in connection.execute(asked.limit(limit))]


def read_writes(connection: Connection, of: str | CheckpointRow) -> list[WriteRow]:
    """Return what tasks have written in a run, or after a checkpoint."""
    if isinstance(of, str):
        where: tuple[Condition, ...] = (writes.c.thread_id == of,)
    else:
        names = (writes.c.thread_id, writes.c.checkpoint_ns, writes.c.checkpoint_id)
        where = tuple(column == value for column, value in zip(names, of.key, strict=True))
    return [WriteRow(*row) for row in connection.execute(select(writes).where(*where))]


def last_number(connection: Connection, thread_id: str) -> int:
    """Return the number of a thread's latest checkpoint, 0 if there is none."""
    query = select(func.max(checkpoints.c.number)).where(*of_checkpoint(thread_id))
    return connection.execute(query).scalar() or 0


def keep(connection: Connection, engine: Engine, rows: Iterable[Row]) -> None:
    """Add rows. Of a task's values the first count, of LangGraph's own the last."""
    found: list[CheckpointRow] = []
    values: list[WriteRow] = []
    own: list[WriteRow] = []
    for row in rows:
        if isinstance(row, CheckpointRow):
            found.append(row)
        else:
            (values if row.idx >= 0 else own).append(row)
    kinds = ((checkpoints, _set_checkpoints, found), (writes, _add_writes, values))
    for table, statement, several in (*kinds, (writes, _set_writes, own)):
        if several:  # a row has the fields of the columns, in their order
            new = [dict(zip(table.c.keys(), astuple(row), strict=True)) for row in several]
            connection.execute(engine.statement(statement), new)


def delete_runs(connection: Connection, thread_ids: Sequence[str]) -> None:
    """Delete all checkpoints of runs."""
    for statement in _DELETE:
        connection.execute(statement, {"its": [*thread_ids]})


def forget_run_before(connection: Connection, run_id: str) -> bool:
    """Delete the checkpoints of the run before, in its thread, if it has ended.

    Return True if no run came after `run_id`: the state of the thread is then its.
    """
    ids = [*connection.execute(_NEAR, {"its": run_id}).scalars()]
    place = ids.index(run_id) if run_id in ids else 0
    for before in ids[:place]:
        ended = connection.execute(_ENDED, {"its": before}).scalar()
        if ended is not None:
            delete_runs(connection, [before])
    return place == len(ids) - 1 or not ids


def _add_writes(engine: Engine) -> Any:
    return engine.insert(writes).on_conflict_do_nothing()


def _set_writes(engine: Engine) -> Any:
    insert = engine.insert(writes)
    changed = {name: insert.excluded[name] for name in ("channel", "type", "value")}
    return insert.on_conflict_do_update(index_elements=writes.primary_key, set_=changed)


def _set_checkpoints(engine: Engine) -> Any:
    insert = engine.insert(checkpoints)
    changed = {name: insert.excluded[name] for name in _STATE}
    return insert.on_conflict_do_update(index_elements=checkpoints.primary_key, set_=changed)
