"""Erasing a thread, on SQLite and on a real Postgres."""

import json
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from filled import counts, fill, stored
from ledger import Store, rows, said, takers

from minerva_platform import Team
from minerva_platform.errors import RunError
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import find_artifacts
from minerva_platform.storage.ledger.schema import runs, threads
from minerva_platform.storage.maintenance.forget import ForgetPlan, forget, plan_forget
from minerva_platform.testing import EachOnceRouter, StubAgent

CANARY = "canary-7f3d"
LONG = 16
"""Bytes of a cell that no other one holds by chance."""


def planned(engine: Engine, home: Path, thread_id: str) -> ForgetPlan | None:
    """Return what would be erased."""
    work = partial(plan_forget, engine=engine, place=find_artifacts(home), thread_id=thread_id)
    return engine.read(work, empty=None)


def erase(engine: Engine, home: Path, thread_id: str) -> ForgetPlan:
    """Erase a thread."""
    plan = planned(engine, home, thread_id)
    assert plan is not None
    forget(engine, plan)
    return plan


def files_with(folder: Path, word: str) -> list[str]:
    """Return the files below a folder that hold a word, by their raw bytes."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and word.encode() in path.read_bytes()
    ]


def cells(place: Path, words: str) -> set[bytes]:
    """Return each cell of the file as its bytes: packed text says nothing to a grep for words."""
    with closing(sqlite3.connect(place)) as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'table'"
        found = [
            cell
            for (table,) in connection.execute(query).fetchall()
            for row in connection.execute(f"SELECT * FROM {table}")  # noqa: S608  # its own names
            for cell in row
            if isinstance(cell, str | bytes)
        ]
    as_bytes = {cell.encode() if isinstance(cell, str) else cell for cell in found}
    mine = {cell for cell in as_bytes if len(cell) >= LONG and words.encode() in unpacked(cell)}
    assert any(words.encode() not in cell for cell in mine)
    return mine


def unpacked(cell: bytes) -> bytes:
    """Return the text of a cell."""
    try:
        return zlib.decompress(cell)
    except zlib.error:
        return cell


@pytest.mark.small(databases=1)
def test_a_thread_goes_with_all_that_was_kept_of_it(store: Store, minerva_home: Path) -> None:
    """Its rows in every table and its artifacts; what another thread uses stays."""
    with store.opened() as engine:
        mine, shared = stored(minerva_home, "mine"), stored(minerva_home, "shared")
        fill(engine, "r1", artifacts=[mine, shared])
        fill(engine, "r2", status="needs_human")
        fill(engine, "other", thread="o", artifacts=[shared])
        before = counts(engine)
        plan = erase(engine, minerva_home, "t")

        assert (plan.rows["runs"], plan.unfinished_runs) == (2, 1)
        assert [file.digest for file in plan.files] == [mine]
        assert rows(engine, threads.c.thread_id, threads.c.root) == [("o", "t")]
        assert counts(engine) == dict.fromkeys(before, 1) | {"removed_threads": 1}
        assert files_with(minerva_home / "artifacts", "e") == [f"{shared}"]
        assert planned(engine, minerva_home, "t") is None


def test_nothing_readable_is_left_in_the_file(minerva_home: Path) -> None:
    """Of rows deleted before, either: a grep of all files of the home finds nothing."""
    with opened_engine(minerva_home / "state.db") as engine:
        for number in range(30):
            fill(engine, f"r{number}", thread=f"of {CANARY}", words=f"{CANARY} {number} " * 200)
        fill(engine, "kept", thread="o", words="other words " * 200)
        with closing(sqlite3.connect(minerva_home / "state.db")) as beside:  # without overwriting
            beside.execute("PRAGMA secure_delete = OFF")
            beside.execute("DELETE FROM run_writes WHERE thread_id = 'r7'")
            beside.commit()
        stored(minerva_home, f"{CANARY} is only named by its digest")
        digest = stored(minerva_home, f"{CANARY} as an artifact")
        fill(engine, "last", thread=f"of {CANARY}", artifacts=[digest])
        assert len(files_with(minerva_home, CANARY)) > 2
        secret = cells(minerva_home / "state.db", CANARY)
        erase(engine, minerva_home, f"of {CANARY}")

        left = files_with(minerva_home, CANARY)
        assert [path for path in left if not path.startswith("artifacts/")] == []
        raw = b"".join(path.read_bytes() for path in minerva_home.glob("state.db*"))
        assert [cell for cell in secret if cell in raw] == []
        assert not (minerva_home / "artifacts" / digest).exists()
        assert len(rows(engine, runs.c.run_id)) == 1
    assert files_with(minerva_home, "other words") == ["state.db"]  # a grep does find words


@pytest.mark.small(1)
def test_a_conversation_is_erased_beside_another_process_that_writes(
    store: Store, minerva_home: Path
) -> None:
    """Real runs, with their checkpoints; what the other writes meanwhile is whole."""
    agent = StubAgent("a", behave=lambda _: {"summary": f"the answer {CANARY}"})
    team = Team(name="office", description="…", members=[agent], router=EachOnceRouter())
    with store.opened() as engine, pytest.MonkeyPatch.context() as patch:
        is_sqlite = isinstance(store.place, Path)
        url = f"sqlite:///{store.address}" if is_sqlite else store.address
        patch.setenv("MINERVA_STORAGE_URL", url)
        team.ask(f"list the orders of {CANARY}", thread="secret")
        team.ask(f"and those before {CANARY}", thread="secret")
        with takers(store, 1) as (other,):
            for number in range(20):
                other.tell("ask", f"o{number}")
            erase(engine, minerva_home, "secret")
            assert [other.heard() for _ in range(20)] == ["ok"] * 20

            assert other.do("begin", "o20", thread="busy") == "ok"
            with pytest.raises(RunError, match="thread_busy"):
                planned(engine, minerva_home, "busy")
        assert len(said(engine)) == 20
        if is_sqlite:
            assert files_with(minerva_home, CANARY) == []


def test_the_command_asks_first_and_says_what_remains(
    type_in: Callable[..., Any], minerva_home: Path
) -> None:
    """In a pipe it must be confirmed by an option; records keep rows of the thread."""
    minerva_home.mkdir()
    row = {"schema": 1, "span_id": "s", "path": "p", "kind": "run", "status": "ok", "ms": 1}
    lines = [
        {**row, "run_id": "r1"},
        {**row, "run_id": "x", "thread_id": "t"},
        {**row, "run_id": "y"},
    ]
    (minerva_home / "runs.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with opened_engine(minerva_home / "state.db") as engine:
        fill(engine, "r1")
        asked = type_in("forget", "last")
        assert asked.returncode == 2
        assert "The thread t: runs: 1, turns: 1" in asked.stdout
        assert "minerva forget t --yes" in asked.stderr
        assert len(rows(engine, runs.c.run_id)) == 1

        done = type_in("forget", "t", "--yes", "--language", "ko")
        assert done.returncode == 0
        assert "runs.jsonl에 이 스레드의 행 2개가 남아 있습니다" in done.stdout
        assert rows(engine, threads.c.thread_id) == []

        fill(engine, "r2", thread="u")
        told = json.loads(type_in("forget", "u", "--yes", "--json").stdout)
        assert told["erased"]["rows"]["turns"] == 1
        assert "There is no thread `t`" in type_in("forget", "t", "--yes").stderr
