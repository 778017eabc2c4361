"""Examining the store and mending it, on SQLite and on a real Postgres."""

import json
import os
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from filled import DAY, fill, stored
from forms import each_with
from langgraph.types import interrupt
from ledger import Store, rows, said, takers
from sqlalchemy import Connection, Table, select, update

from minerva_platform import Run, Task, Team
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import find_artifacts
from minerva_platform.storage.ledger.run_start import NewRun, enqueue
from minerva_platform.storage.ledger.schema import (
    checkpoints,
    decisions,
    effects,
    interrupts,
    runs,
    threads,
    turns,
    writes,
)
from minerva_platform.storage.maintenance.examination.artifacts import examine_artifacts
from minerva_platform.storage.maintenance.examination.checkpoints import examine_checkpoints
from minerva_platform.storage.maintenance.examination.finding import Finding
from minerva_platform.storage.maintenance.examination.rows import examine_rows
from minerva_platform.storage.maintenance.examination.runs import examine_runs, find_resumable
from minerva_platform.storage.maintenance.repair import mend
from minerva_platform.testing import EachOnceRouter, StubAgent

NOTHING = list[Finding]()


def found(engine: Engine) -> list[str]:
    """Return what is wrong with rows, checkpoints and runs: codes and places."""

    def looked(connection: Connection) -> list[str]:
        findings = [
            *examine_rows(connection),
            *examine_checkpoints(connection),
            *examine_runs(connection, engine),
        ]
        return [f"{finding.code} {finding.where}" for finding in findings]

    return engine.read(looked, empty=list[str]())


def spoil(engine: Engine, table: Table, of: str = "", **values: Any) -> None:
    """Write something unreadable into the rows of a run, or of a turn's place."""
    owner = table.c["thread_id" if table in {checkpoints, writes} else "run_id"]

    def spoilt(connection: Connection) -> None:
        connection.execute(update(table).where(owner == of).values(**values))

    engine.write(spoilt)


def office(*members: Any) -> Team:
    """Return a team that calls each member once, all at once."""
    return Team(name="office", description="…", members=members, router=EachOnceRouter())


def asker() -> StubAgent:
    """Return a worker that asks a person and says what it heard."""
    return StubAgent("asker", behave=lambda _: {"summary": f"heard {interrupt('may I?')}"})


async def ask(engine: Engine, home: Path, team: Team, words: str = "list the orders") -> Run:
    """Ask a team in the thread `t`."""
    options = RunOptions(engine=engine, home=home, thread_id="t")
    return await run_team(team.assembled, Task(request=words), options)


async def answer(engine: Engine, home: Path, team: Team, run: Run) -> Run:
    """Say yes to each question of a run, and go on."""
    yes = {question.id: {"type": "respond", "message": "yes"} for question in run.interrupts}
    options = RunOptions(engine=engine, home=home, thread_id="t")
    return await resume_team(team.assembled, run.run_id, DecisionBatch(yes), options)


def spoil_newest(engine: Engine) -> None:
    """Make the newest checkpoint of a root unreadable."""
    is_root = checkpoints.c.checkpoint_ns == ""
    last = select(checkpoints.c.number).where(is_root).order_by(checkpoints.c.number.desc())
    damage = update(checkpoints).where(checkpoints.c.number == last.limit(1).scalar_subquery())
    engine.write(lambda at: at.execute(damage.values(checkpoint=b"\xc1\xc1\xc1")))


@pytest.mark.small(1)
async def test_a_damaged_checkpoint_costs_a_step_and_not_the_run(
    store: Store, minerva_home: Path
) -> None:
    """The run falls back to the newest one that can be read, asks again and ends right."""
    team = office(asker(), StubAgent("beside"))
    with store.opened() as engine:
        paused = await ask(engine, minerva_home, team)
        where = f"run_checkpoints/{paused.run_id}"
        assert found(engine) == [f"run_waits runs/{paused.run_id}"]
        spoil_newest(engine)
        assert f"checkpoint_unreadable {where}" in found(engine)

        again = await answer(engine, minerva_home, team, paused)
        assert (again.status, len(again.interrupts)) == ("needs_human", 1)
        assert f"checkpoint_unreadable {where}" in found(engine)
        assert [each.deed for each in mend(engine)] == ["rows_removed"]

        spoil_newest(engine)
        assert [each.deed for each in mend(engine)] == ["fell_back"]
        assert found(engine) == [f"run_cut_off runs/{paused.run_id}"]
        anew = await answer(engine, minerva_home, team, again.model_copy(update={"interrupts": ()}))
        assert (anew.status, len(anew.interrupts)) == ("needs_human", 1)
        run = await answer(engine, minerva_home, team, anew)
        assert (run.status, "heard" in run.answer, found(engine)) == ("ok", True, [])
        assert said(engine) == [(1, "list the orders")]


@pytest.mark.small(databases=1)
async def test_without_a_readable_checkpoint_the_run_ends_and_its_thread_goes_on(
    store: Store, minerva_home: Path
) -> None:
    """The thread's next turns are answered before the mend and after it."""
    team, other = office(asker()), office(StubAgent("a"))
    with store.opened() as engine:
        paused = await ask(engine, minerva_home, team)
        spoil(engine, checkpoints, paused.run_id, checkpoint=b"\xc1")
        assert f"run_lost run_checkpoints/{paused.run_id}" in found(engine)
        assert (await ask(engine, minerva_home, other, "list the payments")).status == "ok"

        assert [each.deed for each in mend(engine)] == ["ended"]
        assert found(engine) == []
        ended = rows(engine, runs.c.run_id, runs.c.status, runs.c.reason)
        assert (paused.run_id, "failed", "damaged") in ended
        assert (await ask(engine, minerva_home, other, "list the bills")).status == "ok"
        assert [number for number, _ in said(engine)] == [1, 2, 3]


DAMAGE: dict[str, tuple[Table, dict[str, Any]]] = {
    "the task": (runs, {"task": '{"request'}),
    "the run": (runs, {"run": "]"}),
    "the limits": (runs, {"limits": "[1]"}),
    "a question": (interrupts, {"shown": "{"}),
    "an effect": (effects, {"outcome": "{"}),
    "the metadata of a checkpoint": (checkpoints, {"metadata": b"\xff"}),
    "what a task wrote": (writes, {"value": b"\xc1"}),
    "what would run code": (writes, {"type": "pickle"}),
    "a decision": (decisions, {"value": "{"}),
    "the turn": (turns, {"turn": '{"request": 1}'}),
}
ONLY_OF_ENDED = {"a decision", "the turn"}


@pytest.mark.small(5)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("store", "what"), each_with(["sqlite", "postgres"], DAMAGE), indirect=["store"]
)
async def test_a_damaged_row_costs_its_run_and_never_the_thread(
    store: Store, minerva_home: Path, what: str
) -> None:
    """It is named, the thread goes on beside it, and the mend leaves nothing that is wrong."""
    table, values = DAMAGE[what]
    team = office(StubAgent("a"))
    with store.opened() as engine:
        fill(engine, "whole")
        fill(engine, "ended")
        if what not in ONLY_OF_ENDED:
            fill(engine, "waits", status="needs_human")
            spoil(engine, table, "waits", **values)
        spoil(engine, table, "ended", **values)
        hurt = [entry for entry in found(engine) if not entry.startswith("run_waits")]

        assert len(hurt) == 1 + (what not in ONLY_OF_ENDED)
        assert all(re.search("ended|waits|turns/2$", entry) for entry in hurt)
        assert (await ask(engine, minerva_home, team)).status == "ok"
        assert mend(engine)
        assert [entry for entry in found(engine) if "run_cut_off" not in entry] == []
        assert (await ask(engine, minerva_home, team)).status == "ok"
        assert ("whole", "ok") in rows(engine, runs.c.run_id, runs.c.status)
        assert len(said(engine)) == 3 + (what != "the turn")


def test_a_background_run_that_waits_is_no_fault(store: Store) -> None:
    """A worker process takes it: that is what to type."""
    with store.opened() as engine:
        enqueue(engine, NewRun("r", "t", "office", Task(request="r")))
        findings = engine.read(partial(examine_runs, engine=engine), empty=NOTHING)

        assert [(each.code, each.command) for each in findings] == [("run_queued", "worker")]
        nobody: tuple[str, ...] = ()
        assert engine.read(partial(find_resumable, engine=engine), empty=nobody) == ()


@pytest.mark.small(1)
def test_runs_and_leases_of_dead_processes_are_named(store: Store) -> None:
    """With what to type; a run that is at work is no finding."""
    with (
        store.opened() as engine,
        takers(store, 1, lease_seconds=1) as (dead,),
        takers(store, 1) as (alive,),
    ):
        assert dead.do("begin", "cut") == "ok"
        assert dead.do("begin", "lost", thread="u") == "ok"
        dead.process.kill()
        dead.process.wait()
        engine.write(
            lambda at: at.execute(update(runs).where(runs.c.run_id == "lost").values(status="ok"))
        )
        fill(engine, "decided", thread="d", status="needs_human")
        engine.write(partial(_decide, "decided"))
        assert alive.do("begin", "works", thread="w") == "ok"
        while (seen := found(engine))[-1] != "lease_left threads/u":
            time.sleep(0.05)  # Postgres knows it when the lease is over

        assert seen == [
            "run_decided runs/decided",
            "run_cut_off runs/cut",
            "lease_left threads/u",
        ]
        assert [each.deed for each in mend(engine)] == ["lease_released"]
        assert alive.do("end", "works") == "ok"
        holders = rows(engine, threads.c.thread_id, threads.c.holder)
        assert ("u", None) in holders


def _decide(run_id: str, connection: Connection) -> None:
    row = {"kind": "approve", "value": "{}", "by": "me", "batch": "b", "at": 0.0}
    connection.execute(decisions.insert().values(run_id=run_id, interrupt_id="i", **row))


def test_artifacts_are_held_against_the_rows_that_name_them(
    store: Store, minerva_home: Path
) -> None:
    """Missing, changed, used by nobody, or half-written."""
    with store.opened() as engine:
        whole, changed, gone = (stored(minerva_home, text) for text in ("a", "b", "c"))
        unused, fresh = stored(minerva_home, "d"), stored(minerva_home, "e", at=time.time())
        fill(engine, "r1", artifacts=[whole, changed, gone])
        folder = minerva_home / "artifacts"
        (folder / changed).write_text("x")
        (folder / gone).unlink()
        (folder / ".part-1").write_text("half")
        long_ago = time.time() - DAY
        os.utime(folder / ".part-1", (long_ago, long_ago))
        look = partial(examine_artifacts, place=find_artifacts(minerva_home), now=time.time())
        findings = engine.read(look, empty=NOTHING)

        assert {(finding.code, Path(finding.where).name) for finding in findings} == {
            ("artifact_missing", gone),
            ("artifact_changed", changed),
            ("artifacts_unused", "artifacts"),
            ("artifacts_unfinished", "artifacts"),
        }
        assert [f.values["count"] for f in findings if f.code == "artifacts_unused"] == [1]
        assert {unused, fresh, whole} <= {path.name for path in folder.iterdir()}


def test_the_command_ends_with_0_if_all_is_well(
    type_in: Callable[..., Any], minerva_home: Path
) -> None:
    """A run that waits for a person is no fault; nothing is made where nothing was kept."""
    empty = type_in("doctor")
    assert (empty.returncode, minerva_home.exists()) == (0, False)
    with opened_engine(minerva_home / "state.db") as engine:
        fill(engine, "r1")
        fill(engine, "r2", thread="w", status="needs_human")
        well = type_in("doctor")
        assert (well.returncode, well.stdout.splitlines()[-1]) == (0, "Nothing is wrong.")
        assert "minerva waiting show r2" in well.stdout
        told = json.loads(type_in("doctor", "--json").stdout)
        assert (told["ok"], told["findings"], len(told["notes"])) == (True, [], 1)
        assert told["examined"]["runs"] == 2


def test_the_command_names_every_fault_with_its_place_and_what_to_type(
    type_in: Callable[..., Any],
    minerva_home: Path,
    tmp_path: Path,
) -> None:
    """It ends with 1; the mend takes what cannot be read, and the rest stays named."""
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "platform.yaml").write_text("limits: {hop: 1}\n")
    with opened_engine(minerva_home / "state.db") as engine:
        fill(engine, "r1")
        spoil(engine, runs, "r1", run="]")
        (minerva_home / "state.db").chmod(0o644)
        (minerva_home / "runs.jsonl").write_text('{"schema": 1, "run\n')
        sick = type_in("doctor", "--language", "ko")
        assert sick.returncode == 1
        assert re.findall(r"^\d", sick.stdout, re.MULTILINE) == ["1", "2", "3", "4"]
        assert sick.stdout.count("입력할 것: ") == 4
        assert "$" not in sick.stdout

        told = json.loads(type_in("doctor", "--json").stdout)
        assert {(entry["code"], _words(entry["type"])) for entry in told["findings"]} == {
            ("configuration", "minerva check"),
            ("database_open_to_others", "chmod 600 state.db"),
            ("row_unreadable", "minerva doctor --mend"),
            ("records_unreadable", "minerva compact"),
        }
        refused = type_in("doctor", "--mend")
        assert "minerva doctor --mend --yes" in refused.stderr
        mended = json.loads(type_in("doctor", "--mend", "--yes", "--json").stdout)
        assert [each["deed"] for each in mended["mended"]] == ["rows_removed"]
        assert len(mended["findings"]) == 3


def _words(command: str) -> str:
    """Return a command without paths."""
    return re.sub(r"\S*/(minerva)?", r"\1", command).strip()


@pytest.mark.parametrize("part", ["header", "page"])
def test_a_damaged_file_is_named_and_left_as_it_is(
    type_in: Callable[..., Any], minerva_home: Path, part: str
) -> None:
    """Who opened it as runs do would set it aside; the doctor looks only."""
    place = minerva_home / "state.db"
    with opened_engine(place) as engine:
        for number in range(30):
            fill(engine, f"r{number}", words="w" * 2_000)
    content = bytearray(place.read_bytes())
    start = 0 if part == "header" else len(content) // 2
    content[start : start + 9_000] = b"\xff" * 9_000
    place.write_bytes(content)
    told = json.loads(type_in("doctor", "--json").stdout)

    assert [entry["code"] for entry in told["findings"]] == ["database_damaged"]
    assert told["findings"][0]["type"].startswith("mv ")
    assert place.read_bytes() == content


def test_a_database_of_a_later_version_is_named(
    type_in: Callable[..., Any], minerva_home: Path
) -> None:
    """And one that lacks a column."""
    with opened_engine(minerva_home / "state.db") as engine:
        fill(engine, "r1")
        engine.write(lambda at: at.exec_driver_sql("ALTER TABLE effects DROP COLUMN outcome"))
        told = json.loads(type_in("doctor", "--json").stdout)
        assert [(each["code"], each["where"]) for each in told["findings"]] == [
            ("schema_differs", "effects.outcome")
        ]
    with opened_engine(minerva_home / "state.db") as engine:
        engine.write(lambda at: at.exec_driver_sql("UPDATE minerva_schema SET version_num='9999'"))
    told = json.loads(type_in("doctor", "--json").stdout)
    assert [entry["code"] for entry in told["findings"]] == ["database_unusable"]
    assert "written by a later MINERVA" in told["findings"][0]["what"]
