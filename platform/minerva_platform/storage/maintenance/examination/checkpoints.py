"""Examines checkpoints: all must be readable without running any code."""

import json
import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sqlalchemy import Connection, select

from minerva_platform.storage.checkpoints.rows import CheckpointRow, WriteRow
from minerva_platform.storage.checkpoints.serializer import StrictSerializer
from minerva_platform.storage.checkpoints.tables import of_checkpoint, read_checkpoints, read_writes
from minerva_platform.storage.ledger.schema import checkpoints, runs
from minerva_platform.storage.maintenance.examination.finding import MEND, Finding, FindingCode


@dataclass(slots=True)
class Readable:
    """What can be read of a run's checkpoints, and what cannot."""

    run_id: str
    status: str | None
    """None if there is no such run."""
    lost: list[CheckpointRow] = field(default_factory=list[CheckpointRow])
    lost_writes: list[WriteRow] = field(default_factory=list[WriteRow])
    newest: CheckpointRow | None = None
    """The newest checkpoint of the root that can be read: the run goes on from there."""
    cause: str = ""
    numbers: dict[tuple[str, str, str], int] = field(
        default_factory=dict[tuple[str, str, str], int]
    )
    """The order of all its checkpoints."""

    @property
    def is_behind(self) -> bool:
        """True if the run does not need what is lost: it has a later state that can be read."""
        keys = [*(row.key for row in self.lost), *(write.key[:3] for write in self.lost_writes)]
        newest = self.newest.number if self.newest else 0
        return all(self.numbers.get(key, 0) < newest for key in keys)

    @property
    def is_damaged(self) -> bool:
        """True if something cannot be read."""
        return bool(self.lost or self.lost_writes)


def examine_checkpoints(connection: Connection) -> list[Finding]:
    """Return the runs with checkpoints that cannot be read, or whose run is not there."""
    found: list[Finding] = []
    for state in read_states(connection):
        if state.status is None:
            found.append(Finding("stray_checkpoints", f"run_checkpoints/{state.run_id}", MEND))
        elif state.is_damaged:
            values = {
                "run": state.run_id,
                "count": len(state.lost) + len(state.lost_writes),
                "cause": state.cause,
                "number": state.newest.number if state.newest else 0,
            }
            code: FindingCode = "checkpoint_unreadable" if state.newest else "run_lost"
            found.append(Finding(code, f"run_checkpoints/{state.run_id}", MEND, values))
    return found


def read_states(connection: Connection) -> Iterator[Readable]:
    """Yield each run that has checkpoints, one after the other; each row is tried."""
    query = (
        select(checkpoints.c.thread_id, runs.c.status)
        .outerjoin(runs, runs.c.run_id == checkpoints.c.thread_id)
        .distinct()
        .order_by(checkpoints.c.thread_id)
    )
    with _quiet():
        for run_id, status in connection.execute(query).all():
            yield _state(connection, run_id, status)


def _state(connection: Connection, run_id: str, status: str | None) -> Readable:
    state, serde = Readable(run_id, status), StrictSerializer()
    for row in read_checkpoints(connection, *of_checkpoint(run_id)):
        state.numbers[row.key] = row.number
        cause = _cause(serde, row.type, row.checkpoint) or _cause_of_json(row.metadata)
        if cause:
            state.lost.append(row)
            state.cause = state.cause or cause
        elif row.namespace == "" and state.newest is None:
            state.newest = row
    for write in read_writes(connection, run_id):
        cause = _cause(serde, write.type, write.value)
        if cause:
            state.lost_writes.append(write)
            state.cause = state.cause or cause
    return state


def _cause(serde: StrictSerializer, form: str, data: bytes) -> str:
    """Return why bytes cannot be read; empty if they can."""
    try:
        serde.loads_typed((form, bytes(data)))
    except Exception as error:  # noqa: BLE001  # a reader of foreign bytes may raise anything
        return f"{type(error).__name__}: {error}"[:200]
    return ""


def _cause_of_json(data: bytes) -> str:
    try:
        json.loads(data)
    except ValueError as error:
        return str(error)
    return ""


@contextmanager
def _quiet() -> Generator[None]:
    """Keep LangGraph from logging each class that only a graph would name."""
    logger = logging.getLogger("langgraph.checkpoint.serde.jsonplus")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
