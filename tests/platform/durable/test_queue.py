"""Background runs and the processes that work them off, on SQLite and on Postgres.

Each process is a real one. Those that are killed get SIGKILL.
"""

import asyncio
import itertools
import signal
import time
from collections.abc import Generator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from filled import fill
from ledger import Store, rows, said
from run_mover import Mover, Movers, running_movers
from sqlalchemy import Connection, text, update

from minerva_observability import MemorySink
from minerva_observability.records import read_records
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Platform, Run, Team, ask_person
from minerva_platform.cli.background.shutdown import Ending
from minerva_platform.contract.run_object import Notice
from minerva_platform.contract.task import Task
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.background.member_runs import own_run_id
from minerva_platform.errors import RunError, StateBusyError, UnknownRunError
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import find_schema
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.run_row import KeptRun, RunHead, find_run, heads_of
from minerva_platform.storage.ledger.schema import SCHEMA, runs, versions
from minerva_platform.storage.queue.background_runs import (
    MAX_LONE_STARTS,
    FreeRun,
    beat,
    cancel_run,
    count_workers,
    leave,
)
from minerva_platform.storage.queue.finished_run_notices import mark_told, untold_runs
from minerva_platform.testing import EachOnceRouter, StubAgent

HOLD = "hold-packer"
PART = "ask counter for its part number"
"""The beginning of what the router knows the worker `counter` by."""


@pytest.fixture(scope="module")
def movers() -> Generator[Movers]:
    """Give what starts processes."""
    with running_movers() as started:
        yield started


class Depot:
    """A folder and a database in which processes put runs into the queue and work them off."""

    def __init__(self, movers: Movers, store: Store, folder: Path) -> None:
        self.movers, self.store, self.folder = movers, store, folder

    def submit(self, request: str, thread: str | None = None) -> str:
        """Put a run into the queue."""
        mover = self.movers.start(
            "submit", self.store.address, self.folder, request=request, thread=thread
        )
        told = mover.result()
        assert told["status"] == "queued"
        return str(told["run"])

    def work(self, **more: Any) -> Mover:
        """Start a worker process that ends when nothing is left to do."""
        return self.movers.start("work", self.store.address, self.folder, **more)

    def log(self) -> list[str]:
        """Return what the packer did."""
        log = self.folder / "log"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def wait_for(self, line: str, mover: Mover) -> None:
        """Wait until the packer has written something down, which `mover` runs."""
        while line not in self.log():
            assert mover.lives, mover.result()
            time.sleep(0.01)

    def statuses(self) -> dict[str, str]:
        """Return how each run ended, or where it is."""
        with self.store.opened() as engine:
            return dict(rows(engine, runs.c.run_id, runs.c.status))


@pytest.fixture
def depot(movers: Movers, store: Store, tmp_path: Path) -> Depot:
    """Give a folder and a database."""
    return Depot(movers, store, tmp_path)


def packed(log: list[str]) -> list[str]:
    """Return what was packed."""
    return [line.removeprefix("packer packed ") for line in log if " packed " in line]


@pytest.mark.small("sqlite")
def test_two_processes_do_each_run_once_and_a_thread_in_its_order(depot: Depot) -> None:
    """What has no thread goes on beside; each run has its turn."""
    asked = [f"box {number}" for number in range(4)]
    of_thread = [depot.submit(request, "t") for request in asked]
    alone = [depot.submit(f"bag {number}") for number in range(4)]

    results = [mover.result() for mover in (depot.work(), depot.work())]

    done = [run for result in results for run in result["ends"]]
    assert sorted(done) == sorted([*of_thread, *alone])
    assert set(depot.statuses().values()) == {"ok"}
    boxes = [line for line in packed(depot.log()) if line.startswith("box")]
    assert boxes == asked
    assert len(packed(depot.log())) == 8
    with depot.store.opened() as engine:
        turns = [turn for turn in said(engine) if turn[1].startswith("box")]
        assert turns == [(number + 1, request) for number, request in enumerate(asked)]
        assert set(rows(engine, runs.c.resumes)) == {(0,)}


@pytest.mark.small("postgres")
def test_a_killed_process_loses_no_run_and_repeats_no_effect(depot: Depot) -> None:
    """Another one goes on with its runs when the lease is over, or its holder known to be dead."""
    (depot.folder / HOLD).touch()
    run = depot.submit("box")
    killed = depot.work(lease=1)
    depot.wait_for("packer began box", killed)
    killed.kill()
    (depot.folder / HOLD).unlink()

    assert depot.work(lease=1).result()["ends"] == {run: "ok"}

    assert packed(depot.log()) == ["box"]
    with depot.store.opened() as engine:
        assert rows(engine, runs.c.status, runs.c.resumes) == [("ok", 1)]


@pytest.mark.small("sqlite")
def test_what_a_killed_process_leaves_waits_for_the_next_one(depot: Depot) -> None:
    """On record, from the last sign of life until the run goes on."""
    (depot.folder / HOLD).touch()
    run = depot.submit("box")
    killed = depot.work(lease=1, recorded=True)
    depot.wait_for("packer began box", killed)
    killed.kill()
    (depot.folder / HOLD).unlink()
    assert depot.work(lease=1, recorded=True).result()["ends"] == {run: "ok"}

    rows = [row for row in read_records(depot.folder / "home") if row["kind"] in {"wait", "run"}]
    assert [(row["kind"], row.get("reason"), row.get("resume_no")) for row in rows] == [
        ("wait", "queue", 0),
        ("wait", "queue", 1),
        ("run", None, 1),
    ]
    put_in, put_back, end = (row.get("started_at", "") for row in rows)
    assert put_in <= put_back < end
    assert rows[1]["ms"] > 0


@pytest.mark.small("sqlite")
def test_a_killed_process_loses_no_run_of_a_background_member(depot: Depot) -> None:
    """The process that asked has ended, and the one that works is killed: the deed is done once."""
    address, folder = depot.store.address, depot.folder
    (folder / HOLD).touch()
    asked = depot.movers.start("ask", address, folder, request="box", team="bureau").result()
    killed = depot.work(lease=1, team="bureau")
    depot.wait_for("packer began box", killed)
    killed.kill()
    (folder / HOLD).unlink()
    done = depot.work(lease=1, team="bureau").result()

    assert done["ends"] == {own_run_id(asked["run"], "bureau/packer"): "ok"}
    assert packed(depot.log()) == ["box"]


@pytest.mark.small("postgres")
def test_the_cap_holds_over_all_processes(depot: Depot) -> None:
    """With a cap of one, each run begins after the one before has packed."""
    for number in range(5):
        depot.submit(f"box {number}")

    results = [mover.result() for mover in (depot.work(cap=1), depot.work(cap=1))]

    assert sum(len(result["ends"]) for result in results) == 5
    steps = [line.split()[1] for line in depot.log() if "prepared" not in line]
    assert steps == ["began", "packed"] * 5


@pytest.mark.small("postgres")
def test_a_cancelled_run_does_nothing_more(depot: Depot) -> None:
    """Neither one that waits nor one that is at work in another process: no effect begins."""
    (depot.folder / HOLD).touch()
    going, waiting = depot.submit("box", "t"), depot.submit("bag", "t")
    worker = depot.work()
    depot.wait_for("packer began box", worker)

    with depot.store.opened() as engine:
        assert [cancel_run(engine, run).status for run in (waiting, going)] == ["queued", "running"]
        with pytest.raises(RunError, match="is over"):
            cancel_run(engine, going)
    assert worker.result()["ends"] == {going: "RunCancelledError"}  # though its worker is held
    (depot.folder / HOLD).unlink()

    assert depot.statuses() == {going: "cancelled", waiting: "cancelled"}
    assert packed(depot.log()) == []
    with depot.store.opened() as engine:
        assert [request for _, request in said(engine)] == ["box", "bag"]


@pytest.mark.small("postgres")
def test_a_process_that_lets_go_leaves_its_runs_to_others(depot: Depot) -> None:
    """From where their state was kept, under the same number."""
    (depot.folder / HOLD).touch()
    run = depot.submit("box")
    leaving = depot.work(drain_after="enough")
    depot.wait_for("packer began box", leaving)
    (depot.folder / "enough").touch()
    assert leaving.result()["left"] == 1
    assert depot.statuses() == {run: "queued"}
    (depot.folder / HOLD).unlink()

    assert depot.work(lease=1).result()["ends"] == {run: "ok"}
    assert packed(depot.log()) == ["box"]


@pytest.mark.small("sqlite")
def test_a_run_that_ends_its_processes_fails_alone(depot: Depot) -> None:
    """It is tried alone, thrice. What was at work beside it goes on; what waits has its turn."""
    poison, *others = [depot.submit(words) for words in ("poison", *"abc")]
    (depot.folder / HOLD).touch()  # or a deed may be in doubt
    processes = [depot.work(lease=1) for _ in range(2)]
    while all(each.lives for each in processes):
        time.sleep(0.05)
    (depot.folder / HOLD).unlink()
    while {"queued", "running"} & {*depot.statuses().values()}:
        processes = [each if each.lives else depot.work(lease=1) for each in processes]
        time.sleep(0.05)

    assert depot.statuses() == {poison: "failed", **dict.fromkeys(others, "ok")}
    assert sorted(packed(depot.log())) == ["a", "b", "c"]
    lone = MAX_LONE_STARTS
    assert depot.log().count("packer began poison") == lone + 1
    with depot.store.opened() as engine:
        nothing: KeptRun | None = None
        told = engine.read(lambda at: find_run(at, poison, depot.store.place), empty=nothing)
    assert told is not None
    assert f"its process ended, {lone} times in a row" in told.to_run().answer


@pytest.mark.small("sqlite")
def test_only_a_process_that_ends_by_itself_counts(depot: Depot) -> None:
    """Neither one that is told to end, nor one that stands still: its run goes on elsewhere."""
    (depot.folder / HOLD).touch()
    run, log, starts = depot.submit("box"), depot.log, []

    def begin(**more: Any) -> Mover:
        process, before = depot.work(lease=1, **more), log().count("packer began box")
        while log().count("packer began box") == before:
            assert process.lives, process.result()
            time.sleep(0.01)
        with depot.store.opened() as engine:
            starts.extend(rows(engine, runs.c.lone_starts))
        return process

    begin().kill()
    begin(drain_after="enough")
    (depot.folder / "enough").touch()
    while depot.statuses() != {run: "queued"}:
        time.sleep(0.01)
    still = begin()
    with depot.store.opened() as engine:
        engine.write(lambda _: still.stop())  # while it holds no lock on the database
    last = begin()
    (depot.folder / HOLD).unlink()
    assert last.result()["ends"] == {run: "ok"}
    still.kill()

    assert starts == [(0,), (1,), (0,), (1,)]
    assert packed(log()) == ["box"]


@pytest.mark.small(databases=1)
def test_what_waits_is_listed_and_who_works_is_counted(depot: Depot) -> None:
    """The latest first, with the words."""
    asked = [depot.submit("box"), depot.submit("bag", "t")]
    with depot.store.opened() as engine:
        look = partial(heads_of, its=runs.c.status == "queued")
        waiting = engine.read(look, empty=dict[str, RunHead]())
        counts = []
        for work in (beat, beat, leave):
            engine.write(work)
            counts.append(
                engine.read(lambda connection: count_workers(connection, engine), empty=0)
            )

    assert [*waiting] == asked[::-1]
    assert [each.request for each in waiting.values()] == ["bag", "box"]
    assert counts == [1, 1, 0]


def count() -> Team:
    """Return a team with one worker that counts words."""
    counter = StubAgent("counter", behave=lambda task: {"summary": f"{len(task.request.split())}"})
    return Team(name="count", description="…", members=(counter,), router=EachOnceRouter())


def asking() -> Team:
    """Return a team whose worker asks a person."""
    asker = StubAgent("asker", behave=lambda _: {"summary": str(ask_person("May I?", answer=bool))})
    return Team(name="asking", description="…", members=(asker,), router=EachOnceRouter())


async def test_a_program_submits_finds_and_cancels(tmp_path: Path) -> None:
    """And may work off the queue itself; a later turn of the thread sees what was answered."""
    app = Platform(teams=[count()], home=tmp_path)
    done, gone = await app.asubmit(f"{PART} 3", thread="t"), await app.asubmit(f"{PART} 4")
    assert (app.find(done.run_id).status, app.cancel(gone.run_id).status) == ("queued", "cancelled")
    ends: list[str] = []
    async with app.worker_process() as process:
        process.on_end = lambda run_id, _: ends.append(run_id)
        await process.work(until_empty=True)

    assert ends == [done.run_id]
    assert (app.find(done.run_id).status, app.find(done.run_id).answer) == ("ok", "7")
    assert app.find(done.run_id) == await app.aresume(done.run_id)
    with pytest.raises(UnknownRunError):
        app.find("nobody")


async def test_words_that_answer_a_question_are_not_put_off(tmp_path: Path) -> None:
    """They would wait behind the run that they let go on."""
    app = Platform(teams=[asking()], home=tmp_path)
    asked = await app.aask("ask asker for its part number 3", thread="t")
    assert asked.status == "needs_human"

    with pytest.raises(RunError, match=f"answers a question of run `{asked.run_id}`"):
        await app.asubmit("yes", thread="t")
    assert app.find(asked.run_id).status == "needs_human"


class Between:
    """An engine, some of whose methods are others."""

    def __init__(self, engine: Any, **others: Any) -> None:
        self.engine, self.others = engine, others

    def __getattr__(self, name: str) -> Any:
        return self.others.get(name) or getattr(self.engine, name)


async def test_a_busy_database_keeps_no_run_from_its_turn(tmp_path: Path) -> None:
    """A process that works until nothing waits takes it up once others let it write."""
    app = Platform(teams=[count()], home=tmp_path)
    waiting = await app.asubmit(f"{PART} 3")
    ends: list[str] = []
    writes = itertools.count()
    async with app.worker_process() as process:

        async def write(work: Any, **more: Any) -> Any:
            if next(writes) == 1:  # after the first sign of life, what takes the run up
                process.options = options
                raise StateBusyError(tmp_path, "by a test")
            return await engine.awrite(work, **more)

        engine, options = process.engine, process.options
        process.options = replace(options, engine=cast("Any", Between(engine, awrite=write)))
        process.on_end = lambda run_id, _: ends.append(run_id)
        await process.work(until_empty=True)

    assert ends == [waiting.run_id]
    assert app.find(waiting.run_id).status == "ok"


@pytest.mark.parametrize(
    ("words", "told"),
    [("any news?", "waits for its turn"), ("좀 더 자세히 알려줘", "차례를 기다리고")],
)
async def test_a_request_that_waits_in_the_queue_has_not_failed(
    tmp_path: Path, words: str, told: str
) -> None:
    """Who asks in its thread hears where it is."""
    app = Platform(teams=[count()], home=tmp_path)
    waiting = await app.asubmit(f"{PART} 3", thread="t")
    run = await app.aask(words, thread="t")

    assert told in run.answer
    assert waiting.run_id[:8] in run.answer
    assert app.find(waiting.run_id).status == "queued"


async def test_a_wait_for_the_thread_is_on_record(tmp_path: Path) -> None:
    """Who found it free has none, however slow the database was."""
    first, second = MemorySink(), MemorySink()
    is_held, has_tried = asyncio.Event(), asyncio.Event()
    with opened_engine(tmp_path / "state.db") as engine:

        async def write(work: Any, **more: Any) -> Any:
            answer = await engine.awrite(work, **more)
            has_tried.set()
            return answer

        later = cast("Any", Between(engine, awrite=write))
        options = RunOptions(engine=engine, home=tmp_path, thread_id="t", recorder=first)
        task = Task(request=f"{PART} 3")

        async def hold(_: Any) -> dict[str, str]:
            is_held.set()
            await has_tried.wait()
            return {"summary": "done"}

        members = (StubAgent("holder", behave=hold),)
        team = Team(name="hold", description="…", members=members, router=EachOnceRouter())
        holding = asyncio.create_task(run_team(team.assembled, task, options))
        await is_held.wait()
        its = replace(options, engine=later, recorder=second)
        await asyncio.gather(holding, run_team(count().assembled, task, its))

    assert [each.kind for each in first.records if each.kind == "wait"] == []
    assert [each.reason for each in second.records if each.kind == "wait"] == ["lease"]


async def test_a_signal_while_the_queue_is_read_begins_no_run(tmp_path: Path) -> None:
    """It would hold the process up: who lets go of runs counts those that are at work by then."""
    app = Platform(teams=[count()], home=tmp_path)
    waiting = await app.asubmit(f"{PART} 3")
    async with app.worker_process() as process:

        async def read(work: Any, **more: Any) -> Any:
            answer = await engine.aread(work, **more)
            if answer == ([FreeRun(waiting.run_id, "platform", is_suspect=False)], []):
                assert await process.let_go(0) == ()
            return answer

        engine = process.engine
        process.options = replace(process.options, engine=cast("Any", Between(engine, aread=read)))
        await process.work()

    assert app.find(waiting.run_id).status == "queued"


class Interrupting(BaseAgent[AgentInput, AgentOutput]):
    """A worker in whose context a signal comes."""

    name = "desk_agent"
    description = "Waits."
    examples = StubAgent(name).examples

    async def work(self, given: AgentInput, /) -> AgentOutput:
        """Wait for what does not come."""
        signal.raise_signal(signal.SIGTERM)
        await asyncio.Event().wait()
        return AgentOutput(summary=given.request)


def test_a_signal_in_the_context_of_a_worker_lets_go_of_the_runs(tmp_path: Path) -> None:
    """No worker may cancel a run, but the signal's handler runs in what it interrupts."""
    members = (Interrupting(),)
    team = Team(name="desk", description="…", members=members, router=EachOnceRouter())
    app = Platform(teams=[team], home=tmp_path)
    ends: list[str] = []

    async def work() -> str:
        waiting = await app.asubmit("ask desk_agent for its part number 3")
        async with app.worker_process() as process:
            ending = Ending(process, 0.0, "en", says=ends.append)
            with ending.by_signals():
                await process.work()
                await ending.letting_go  # type: ignore[misc]  # the signal came
        return waiting.run_id

    run_id = run_sync(work)

    assert run_id in ends[-1], ends
    assert app.find(run_id).status == "queued"


async def test_a_run_that_cannot_go_on_here_is_told_and_kept(tmp_path: Path) -> None:
    """Its team is not here; the process goes on with other runs, and ends when these have."""
    await Platform(teams=[count()], home=tmp_path).asubmit(f"{PART} 3")
    with opened_engine(tmp_path / "state.db") as engine:
        engine.write(lambda at: at.execute(runs.update().values(root="other")))
    app = Platform(teams=[count()], home=tmp_path)
    second = await app.asubmit(f"{PART} 4")
    ends: dict[str, object] = {}
    async with app.worker_process() as process:
        process.on_end = ends.__setitem__
        await process.work(until_empty=True)

    answered = ends.pop(second.run_id)
    assert isinstance(answered, Run)
    assert answered.answer == "7"
    assert ["was asked of `other`" in str(hindered) for hindered in ends.values()] == [True]


@pytest.mark.small(databases=1)
def test_the_next_turn_tells_what_ended_in_the_background(store: Store) -> None:
    """Once, and in the thread alone; who cancelled a run knows it."""
    ends = ("queued", "ok", "failed", "cancelled")
    with store.opened() as engine:
        for number, status in enumerate(ends):
            fill(engine, f"r{number}", status=status, words=f"words {number}")
        fill(engine, "elsewhere", thread="other", status="ok")
        fill(engine, "now", status="running")
        background = update(runs).where(runs.c.run_id != "now").values(background=True)
        engine.write(lambda connection: connection.execute(background))
        look = partial(untold_runs, run_id="now")
        nothing: tuple[Notice, ...] = ()
        told = engine.read(look, empty=nothing)
        engine.write(partial(mark_told, notices=told))

        assert [(each.run_id, each.status) for each in told] == [("r1", "ok"), ("r2", "failed")]
        assert engine.read(look, empty=nothing) == ()


ADDED_SINCE = {
    "threads": ("created", "metadata"),
    "runs": (
        *("requester", "metadata", "told", "roots", "of_original", "lone_starts"),
        *("traceparent", "versions"),
    ),
    "decisions": ("shown_sha256",),
    "effects": ("target_sha256", "arguments", "target"),
    "minerva_schema": ("restored",),
}
"""Columns that an earlier version did not have; it had none of the tables, either."""


@pytest.mark.small("sqlite")
def test_a_run_of_an_earlier_version_goes_on_after_the_upgrade(depot: Depot) -> None:
    """One that waited and one that was cut off: both end, and each effect comes once."""
    (depot.folder / HOLD).touch()
    cut_off = depot.submit("box")
    killed = depot.work(lease=1)
    depot.wait_for("packer began box", killed)
    killed.kill()
    waiting = depot.submit("bag")
    with depot.store.opened() as engine:
        engine.write(to_schema_0003)
    (depot.folder / HOLD).unlink()

    assert depot.work(lease=1).result()["ends"] == {cut_off: "ok", waiting: "ok"}

    assert sorted(packed(depot.log())) == ["bag", "box"]
    with depot.store.opened() as engine:
        assert engine.read(find_schema, empty=None) == SCHEMA


def to_schema_0003(connection: Connection) -> None:
    """Make the database one of an earlier version, with all its rows."""
    since = ("owned_runs", "events", "tokens", "contents", "uploads")
    for name in (*since, "team_uploads", "idempotency_keys", "host_effects", "storage_keys"):
        connection.execute(text(f"DROP TABLE {name}"))
    connection.execute(text("DROP INDEX questions_that_expire"))
    for name, columns in ADDED_SINCE.items():
        for column in columns:
            connection.execute(text(f"ALTER TABLE {name} DROP COLUMN {column}"))
    connection.execute(versions.update().values(version_num="0003"))
