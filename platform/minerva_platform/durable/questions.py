"""What a run asks people, between LangGraph's interrupts and the ledger's questions."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from minerva_platform.contract.run_object import Interrupt
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.schema import decisions, interrupts

if TYPE_CHECKING:
    from langgraph.types import Interrupt as Asked


def to_questions(
    asked: "Sequence[Asked[Any]]", paths: Mapping[str, str], root: str
) -> tuple[Interrupt, ...]:
    """Return what workers asked as questions; `paths` tells who asked which."""
    now = time.time()
    return tuple(
        Interrupt(id=item.id, value=item.value, path=paths.get(item.id, root), asked=now)
        for item in asked
    )


def keep_questions(
    connection: Connection, engine: Engine, run_id: str, asked: Sequence[Interrupt]
) -> None:
    """Keep the questions of a run that are not kept yet."""
    for question in asked:
        row = {
            "run_id": run_id,
            "interrupt_id": question.id,
            "path": question.path,
            "shown": question.model_dump_json(),
            "shown_sha256": question.shown_sha256,
            "allowed": json.dumps(question.allowed),
            "asked": question.asked,
        }
        connection.execute(engine.insert(interrupts).values(**row).on_conflict_do_nothing())


def ask(
    connection: Connection, engine: Engine, run_id: str, asked: Sequence[Interrupt]
) -> dict[str, Any] | None:
    """Keep what a run asks, and return decisions about it that are there already."""
    keep_questions(connection, engine, run_id, asked)
    decided = resume_values(connection, run_id)
    now = {item.id: decided[item.id] for item in asked if item.id in decided}
    return now or None


def keep_decisions(
    connection: Connection, engine: Engine, run_id: str, decided: Mapping[str, Any], by: str
) -> None:
    """Keep decisions."""
    for interrupt_id, value in decided.items():
        row = {
            "run_id": run_id,
            "interrupt_id": interrupt_id,
            "kind": "respond",
            "value": json.dumps(value),
            "by": by,
            "batch": "",
            "at": time.time(),
        }
        connection.execute(engine.insert(decisions).values(**row).on_conflict_do_nothing())


def resume_values(connection: Connection, run_id: str) -> dict[str, Any]:
    """Return what was decided, by the ids of the questions."""
    rows = connection.execute(
        select(decisions.c.interrupt_id, decisions.c.value).where(decisions.c.run_id == run_id)
    )
    return {row.interrupt_id: json.loads(row.value) for row in rows}
