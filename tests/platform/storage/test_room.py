"""What runs leave behind: bytes in the database, and memory in the process that ran them."""

import gc
import sys
from pathlib import Path
from typing import ClassVar

import psycopg
import pytest
from forms import forms
from ledger import Store, rows
from psycopg import sql
from room import room_of

from minerva_platform import Handoff, Task, Team
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.schema import checkpoints, metadata, writes
from minerva_platform.testing import EachOnceRouter, StubAgent

PARAGRAPH = "Eleven entries matter. Eight stand in the table, and the last could not be settled. "


class Found(Handoff):
    """What a worker gives."""

    kind: ClassVar[str] = "room.found"
    name: str


def tree() -> Team:
    """Return two teams, whose workers say a paragraph each."""
    teams = [
        Team(
            name=name,
            description="…",
            members=[
                StubAgent(f"{name}_{n}", behave=lambda _: {"summary": 5 * PARAGRAPH}) for n in "ab"
            ],
            router=EachOnceRouter(),
        )
        for name in ("one", "two")
    ]
    return Team(name="root", description="…", members=teams, router=EachOnceRouter())


async def ask(team: Team, engine: Engine, thread: str | None = None) -> None:
    """Run a team once."""
    run = await run_team(
        team.assembled, Task(request="go"), RunOptions(engine=engine, thread_id=thread)
    )
    assert run.status == "ok"


def tidy(store: Store) -> None:
    """Let PostgreSQL drop the rows of replaced ones now: of itself it does so by its clock."""
    if isinstance(store.place, PostgresPlace):
        with psycopg.connect(store.address, autocommit=True) as connection:
            names = sql.SQL(", ").join(map(sql.Identifier, metadata.tables))
            connection.execute(sql.SQL("VACUUM FULL {}").format(names))


@pytest.mark.small("sqlite")
@pytest.mark.slow
@pytest.mark.parametrize("count", forms([24], [12]))
async def test_a_conversation_takes_little_more_room_than_its_turns(
    store: Store, count: int
) -> None:
    """Beside them are the runs, packed, and one checkpoint; nothing of the steps stays."""
    team = tree()
    with store.opened() as engine:
        await ask(team, engine, "t")
        tidy(store)
        first = room_of(engine)
        for _ in range(count):
            await ask(team, engine, "t")
        tidy(store)

        assert room_of(engine).since(first).ratio < 1.2  # a page of 4 KiB is a sixth
        assert len(rows(engine, checkpoints.c.thread_id)) == 1
        assert rows(engine, writes.c.thread_id) == []


@pytest.mark.slow
@pytest.mark.parametrize("runs", forms([400], [200]))
async def test_small_runs_leave_no_memory_behind(minerva_home: Path, runs: int) -> None:
    """Many of them: less than four objects each, with what LangGraph and SQLAlchemy keep for good.

    Objects have 100 bytes on average, so that is less than 1 KB. `make bench ARGS=memory` counts
    the bytes of 10,000 runs.
    """
    worker = StubAgent("a")
    team = Team(name="t", description="…", members=[worker], router=EachOnceRouter())
    with opened_engine(minerva_home / "state.db") as engine:
        for _ in range(50):
            await ask(team, engine)
        worker.calls.clear()
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(runs):
            await ask(team, engine)
        worker.calls.clear()
        gc.collect()

        left = sys.getallocatedblocks() - before

    assert left < 4 * runs
