"""Stores that hold something in every table, for tests of their care."""

import json
import os
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import ormsgpack
from sqlalchemy import Connection, Table, func, insert, select

from minerva_platform import Run, Task
from minerva_platform.contract.values import Content, StoredArtifact
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.files.artifacts import ArtifactStore
from minerva_platform.storage.ledger.schema import (
    LOCAL,
    checkpoints,
    decisions,
    effects,
    events,
    idempotency_keys,
    interrupts,
    metadata,
    owned_runs,
    runs,
    threads,
    turns,
    writes,
)
from minerva_platform.storage.ledger.turn import KeptTurn

DAY = 86_400.0
SETTLED = time.time() - DAY
"""A time at which no run that is at work now can have begun."""


def stored(home: Path, text: str, *, at: float = SETTLED) -> str:
    """Store an artifact as a run does, at a time in seconds since 1970; return its sha-256."""
    digest = ArtifactStore(home / "artifacts").write(Content.of(text))
    os.utime(home / "artifacts" / digest, (at, at))
    return digest


def fill(  # what a run of a test is made of
    engine: Engine,
    run_id: str,
    *,
    thread: str = "t",
    status: str = "ok",
    words: str = "words",
    ended: float = 0.0,
    artifacts: Sequence[str] = (),
) -> None:
    """Add a run with a row in every table; `words` stand in each text of it."""
    has_ended = status not in {"running", "needs_human", "queued"}
    stored_as = [
        StoredArtifact(name=f"{a}.md", media_type="", path="", sha256=a) for a in artifacts
    ]
    run = Run(
        run_id=run_id, thread_id=thread, status="ok", answer=words, artifacts=tuple(stored_as)
    )
    turn = KeptTurn(request=words, answer=words, topic=words, run_id=run_id, status="ok")
    ids = {"thread_id": run_id, "checkpoint_ns": "", "checkpoint_id": "1"}
    asked = {"run_id": run_id, "interrupt_id": "i"}
    data, known = ormsgpack.packb(words), json.dumps({"source": words})
    quoted = json.dumps(words)

    def filled(connection: Connection) -> None:
        add = partial(_add, connection)
        owner = {"thread_id": thread, "tenant": LOCAL, "root": "t"}
        connection.execute(engine.insert(threads).values(**owner).on_conflict_do_nothing())
        add(
            runs,
            **owner,
            run_id=run_id,
            task=Task(request=words).model_dump_json(),
            status=status,
            run=run.model_dump_json() if has_ended else None,
            fence=1,
            created=ended,
            ended=ended if has_ended else None,
        )
        number = select(func.count()).where(turns.c.thread_id == thread).scalar_subquery() + 1
        text = turn.model_dump_json() if has_ended else None
        add(turns, thread_id=thread, number=number, run_id=run_id, turn=text)
        add(owned_runs, run_id=run_id, owner="nobody", starter="nothing", path=words)
        add(idempotency_keys, tenant="t", roots="", key=run_id, body_sha256=words, run_id=run_id)
        shown = {"path": words, "shown": json.dumps({"value": words}), "allowed": "[]"}
        shown["shown_sha256"] = words
        add(interrupts, **asked, **shown, asked=ended)
        if has_ended:
            add(decisions, **asked, kind="approve", value=quoted, by=words, batch="b", at=ended)
        done = {"path": "p", "name": "n", "kind": "once", "state": "done", "args_sha256": ""}
        done["arguments"] = json.dumps({"to": words})
        add(events, run_id=run_id, seq=1, event="{}")
        add(effects, key=f"{run_id}/1", run_id=run_id, **done, fence=1, outcome=quoted, at=ended)
        add(checkpoints, **ids, number=1, type="msgpack", checkpoint=data, metadata=known.encode())
        add(writes, **ids, task_id="1", idx=0, channel="c", type="msgpack", value=data)

    engine.write(filled)


def _add(connection: Connection, table: Table, **values: Any) -> None:
    connection.execute(insert(table).values(**values))


def counts(engine: Engine) -> dict[str, int]:
    """Return how many rows each table has, without those that have none."""

    def counted(connection: Connection) -> dict[str, int]:
        return {
            table.name: count
            for table in metadata.sorted_tables
            if (count := connection.execute(select(func.count()).select_from(table)).scalar_one())
        }

    return engine.read(counted, empty=dict[str, int]())
