"""Removes what cannot be read, and nothing else: `minerva doctor --mend`.

A damaged row costs its run, never the thread. A run that has not ended goes on from the newest
checkpoint of its root that can be read; its journal keeps effects from being repeated. Without
such a checkpoint it ends.
"""

import time
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, Table, and_, delete, exists, select, update

from minerva_platform.contract.run_object import IS_OVER
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.files.contents import remove_contents
from minerva_platform.storage.ledger.lease import find_holders, take_away
from minerva_platform.storage.ledger.open_run import CUT_OFF
from minerva_platform.storage.ledger.schema import (
    checkpoints,
    decisions,
    interrupts,
    metadata,
    runs,
    threads,
    turns,
    writes,
)
from minerva_platform.storage.maintenance.examination.artifacts import examine_contents
from minerva_platform.storage.maintenance.examination.checkpoints import Readable, read_states
from minerva_platform.storage.maintenance.examination.rows import examine_rows
from minerva_platform.storage.maintenance.examination.runs import examine_runs
from minerva_platform.storage.maintenance.run_rows import OF_RUN, remove_runs

DAMAGED: Final = "damaged"
"""The reason of a run that ended because what it needs to go on cannot be read."""


_OF_CHECKPOINT: Final = ("thread_id", "checkpoint_ns", "checkpoint_id")


@dataclass(frozen=True, slots=True)
class Mend:
    """One thing that was done."""

    deed: Literal["fell_back", "ended", "row_removed", "rows_removed", "lease_released"]
    where: str
    run_id: str = ""


def mend(engine: Engine) -> list[Mend]:
    """Remove what cannot be read, in one transaction; return what was done.

    A run that is at work is left alone.

    Raises:
        StateError: the database cannot be read or written; nothing was changed.
    """
    return engine.write(partial(_mend_all, engine=engine, now=time.time()))


def _mend_all(connection: Connection, engine: Engine, now: float) -> list[Mend]:
    holders = find_holders(connection, engine, locks=True).values()
    busy = {holder.thread_id for holder in holders if holder.is_at_work}
    at_work = set(
        connection.execute(select(runs.c.run_id).where(runs.c.thread_id.in_(busy))).scalars()
    )
    done = _mend_rows(connection, at_work, now)
    for finding in list(examine_contents(connection)):
        remove_contents(connection, {str(finding.values["digest"]): None})
        done.append(Mend("row_removed", finding.where))
    for state in list(read_states(connection)):
        if state.run_id not in at_work:
            done += _mend_checkpoints(connection, state, now)
    for finding in examine_runs(connection, engine):
        if finding.code == "run_lost":
            run_id = str(finding.values["run"])
            _end(connection, run_id, now)
            done.append(Mend("ended", finding.where, run_id))
        elif finding.code == "lease_left":
            take_away(connection, threads.c.thread_id == str(finding.values["thread"]))
            done.append(Mend("lease_released", finding.where))
    return done


def _mend_rows(connection: Connection, at_work: Collection[str], now: float) -> list[Mend]:
    done: list[Mend] = []
    for finding in examine_rows(connection):
        run_id, key = str(finding.values["run"]), finding.values["key"]
        if run_id in at_work:
            continue
        table = metadata.tables[str(finding.values["table"])]
        if table is turns:
            connection.execute(update(turns).where(_is(table, key)).values(turn=None))
            done.append(Mend("row_removed", finding.where, run_id))
            continue
        if table is runs:
            _remove_but_turn(connection, run_id)
            done.append(Mend("rows_removed", finding.where, run_id))
            continue
        if table is interrupts:  # its decision points to it
            connection.execute(delete(decisions).where(_is(decisions, key)))
        connection.execute(delete(table).where(_is(table, key)))
        done.append(Mend("row_removed", finding.where, run_id))
        its_status = select(runs.c.status).where(runs.c.run_id == run_id)
        if connection.execute(its_status).scalar() not in {*IS_OVER, None}:
            _end(connection, run_id, now)
            done.append(Mend("ended", f"runs/{run_id}", run_id))
    return done


def _mend_checkpoints(connection: Connection, state: Readable, now: float) -> list[Mend]:
    where = f"run_checkpoints/{state.run_id}"
    if state.status is None:
        remove_runs(connection, [state.run_id])
        return [Mend("rows_removed", where, state.run_id)]
    if not state.is_damaged:
        return []
    for row in state.lost:
        for table in (writes, checkpoints):
            names = (table.c[name] for name in _OF_CHECKPOINT)
            connection.execute(delete(table).where(*map(_equal, names, row.key)))
    for write in state.lost_writes:  # the whole task runs again
        task = (*(writes.c[name] for name in _OF_CHECKPOINT), writes.c.task_id)
        connection.execute(delete(writes).where(*map(_equal, task, write.key)))
    if state.status in IS_OVER or state.is_behind:
        return [Mend("rows_removed", where, state.run_id)]
    if state.newest is None:
        _end(connection, state.run_id, now)
        return [Mend("ended", where, state.run_id)]
    _fall_back(connection, state.run_id)
    return [Mend("fell_back", where, state.run_id)]


def _fall_back(connection: Connection, run_id: str) -> None:
    """Let the run be gone on with; what it had asked and nobody decided, it asks anew."""
    answer = exists().where(
        decisions.c.run_id == interrupts.c.run_id,
        decisions.c.interrupt_id == interrupts.c.interrupt_id,
    )
    connection.execute(delete(interrupts).where(interrupts.c.run_id == run_id, ~answer))
    status, reason = CUT_OFF
    mine = update(runs).where(runs.c.run_id == run_id)
    connection.execute(mine.values(status=status, reason=reason, run=None))


def _end(connection: Connection, run_id: str, now: float) -> None:
    """End a run that cannot go on; its thread does."""
    for table in (writes, checkpoints):
        connection.execute(delete(table).where(table.c.thread_id == run_id))
    mine = update(runs).where(runs.c.run_id == run_id)
    connection.execute(mine.values(status="failed", reason=DAMAGED, run=None, ended=now))


def _remove_but_turn(connection: Connection, run_id: str) -> None:
    """Remove a run whose own row is damaged; what was said stays in the thread."""
    for table, owner in OF_RUN.items():
        if table is not turns:
            connection.execute(delete(table).where(owner == run_id))


def _is(table: Table, key: Any) -> ColumnElement[bool]:
    """Return the condition that a row has this key: its columns, each with its value."""
    return and_(*(_equal(table.c[name], value) for name, value in key.items()))


def _equal(column: Any, value: object) -> ColumnElement[bool]:
    return column == value  # type: ignore[no-any-return]  # of any column, a condition
