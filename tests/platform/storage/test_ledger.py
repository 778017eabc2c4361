"""Threads, runs and turns in the ledger, on SQLite and on a real Postgres alike."""

import asyncio
import json
import signal
import sqlite3
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest
from ledger import Store, rows, said, takers
from sqlalchemy import Connection

from minerva_platform import Run, Task, Team
from minerva_platform.durable.active_run import run_team
from minerva_platform.errors import LeaseLostError, StateError, ThreadBusyError
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.engine.postgres import PostgresEngine
from minerva_platform.storage.ledger.lease import TERMS, LeaseTerms, take
from minerva_platform.storage.ledger.run_row import KeptRun, find_run
from minerva_platform.storage.ledger.run_start import NewRun, accepted, enqueue, taken_up
from minerva_platform.storage.ledger.schema import runs, threads, turns, versions
from minerva_platform.storage.ledger.threads import Conversation, last_thread
from minerva_platform.storage.ledger.turn import KeptTurn
from minerva_platform.testing import EachOnceRouter, StubAgent

SHORT = LeaseTerms(seconds=1.0, beat_seconds=0.3)
"""A lease that a test can see the end of."""


def new_run(run_id: str, thread_id: str = "t") -> NewRun:
    """Return a run that can be accepted."""
    return NewRun(run_id, thread_id, "t", Task(request=run_id))


def kept(run_id: str, thread_id: str = "t") -> tuple[Run, KeptTurn]:
    """Return a run that has ended, and its turn."""
    run = Run(run_id=run_id, thread_id=thread_id, status="ok", answer="a")
    turn = KeptTurn(request=run_id, answer="a", topic=run_id, run_id=run_id, status="ok")
    return run, turn


@pytest.mark.small(databases=1)
async def test_a_run_is_a_row_before_anything_is_done_and_whole_after_it(store: Store) -> None:
    """Whoever looks meanwhile sees that it runs; its turn has its number and no words yet."""
    with store.opened() as engine:
        async with accepted(engine, new_run("r1"), seconds=9) as run:
            open_rows = rows(engine, runs.c.run_id, runs.c.status, runs.c.run, runs.c.ended)
            assert open_rows == [("r1", "running", None, None)]
            assert rows(engine, turns.c.number, turns.c.turn) == [(1, None)]
            assert last_thread(engine) is None
            run.end(*kept("r1"))

        found = engine.read(partial(find_run, run_id="r1", place=engine.place), empty=None)
        assert found is not None
        assert (found.task, found.status, found.run) == (new_run("r1").task, "ok", kept("r1")[0])
        ((told, used),) = rows(engine, runs.c.run, runs.c.used)
        assert "answer" not in json.loads(told)  # its turn has it
        assert json.loads(used).keys() == {"ms", "hops", "calls", "tokens"}
        assert rows(engine, threads.c.holder, threads.c.fence) == [(None, 1)]
        assert last_thread(engine) == "t"
        latest = Conversation(engine, "t").latest()
        assert latest == kept("r1")[1]


@pytest.mark.small(databases=1)
async def test_a_thread_that_is_busy_says_when_to_try_again(store: Store) -> None:
    """In seconds, for a program; nothing of the run that is not accepted is kept."""
    with store.opened() as engine:
        async with accepted(engine, new_run("r1"), seconds=9):
            with pytest.raises(ThreadBusyError, match="thread_busy: another run") as raised:
                async with accepted(engine, new_run("r2"), seconds=0):
                    pass
            assert 0 < raised.value.retry_after <= 30
            assert rows(engine, runs.c.run_id) == [("r1",)]
            async with accepted(engine, new_run("r3", "other"), seconds=0):
                pass  # another thread is free


async def test_a_run_that_raises_gives_its_thread_back(store: Store) -> None:
    """The next one need not wait for the end of the lease."""
    with store.opened() as engine:
        with pytest.raises(ZeroDivisionError):
            async with accepted(engine, new_run("r1"), seconds=9):
                raise ZeroDivisionError
        async with accepted(engine, new_run("r2"), seconds=0) as run:
            run.end(*kept("r2"))

        found = rows(engine, runs.c.run_id, runs.c.status, runs.c.reason)
        assert found == [("r1", "failed", "internal_error"), ("r2", "ok", None)]


@pytest.mark.small(databases=1)
async def test_who_lost_the_thread_writes_nothing(store: Store) -> None:
    """Neither its turn nor its run: the fence is another's."""
    with store.opened() as engine:
        async with accepted(engine, new_run("r1"), seconds=9) as late:
            store.shift(3600)  # the clock goes forward, and the lease is over by it
            async with accepted(engine, new_run("r2"), seconds=9) as run:
                run.end(*kept("r2"))
            with pytest.raises(LeaseLostError, match="taken over"):
                late.end(*kept("r1"))

        found = rows(engine, runs.c.run_id, runs.c.status, runs.c.reason)
        assert found == [("r1", "queued", "lost"), ("r2", "ok", None)]
        assert said(engine) == [(2, "r2")]


@pytest.mark.small(databases=1)
async def test_a_run_whose_lease_is_lost_is_stopped(store: Store) -> None:
    """At the next beat, wherever it waits."""
    with store.opened() as engine:

        async def waiting() -> None:
            new = new_run("r1")
            async with accepted(engine, new, seconds=9, terms=SHORT) as run, run.kept_alive():
                engine.write(partial(_raise_fence, "t"))
                await asyncio.Event().wait()

        with pytest.raises(LeaseLostError):
            await waiting()
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0


def _raise_fence(thread_id: str, connection: Connection) -> None:
    """Do what another holder does to the thread."""
    mine = threads.c.thread_id == thread_id
    connection.execute(threads.update().where(mine).values(fence=threads.c.fence + 1))


@pytest.mark.small(1)
def test_two_processes_take_ten_turns_each_in_one_thread(store: Store) -> None:
    """All twenty are kept, numbered in the order in which they were accepted."""
    with takers(store) as two:
        for number in range(10):
            for who, taker in enumerate(two):
                taker.tell("ask", f"{who}-{number}")
        answers = [taker.heard() for _ in range(10) for taker in two]

    assert answers == ["ok"] * 20
    with store.opened() as engine:
        found = said(engine)
        assert [number for number, _ in found] == list(range(1, 21))
        order = [request for _, request in found]
        for who in (0, 1):
            mine = [request for request in order if request.startswith(f"{who}-")]
            assert mine == [f"{who}-{number}" for number in range(10)]
        assert rows(engine, threads.c.fence) == [(20,)]


@pytest.mark.small(1)
def test_a_clock_that_is_set_back_an_hour_changes_no_order_and_holds_nobody_up(
    store: Store,
) -> None:
    """Between turns, and while a killed holder's lease lies there."""
    with takers(store, 3, lease_seconds=1) as (first, second, third):
        assert first.do("ask", "a") == "ok"
        store.shift(-3600)
        assert second.do("ask", "b") == "ok"
        store.shift(0)
        assert first.do("begin", "lost") == "ok"
        first.process.kill()
        first.process.wait()
        store.shift(-3600)
        assert second.do("ask", "c") == "ok"
        assert third.do("ask", "d") == "ok"

    with store.opened() as engine:
        assert said(engine) == [(1, "a"), (2, "b"), (4, "c"), (5, "d")]
        assert ("lost", "queued", "lost") in rows(
            engine, runs.c.run_id, runs.c.status, runs.c.reason
        )


@pytest.mark.small(databases=1)
def test_the_thread_of_a_killed_process_is_free(store: Store) -> None:
    """At once on SQLite, where its death is known; after the end of its lease on Postgres."""
    with takers(store, lease_seconds=600) as (holder, other):
        assert holder.do("begin", "r1") == "ok"
        assert other.do("ask", "early", seconds=1) == "ThreadBusyError"
        holder.process.kill()
        holder.process.wait()
        if not isinstance(store.place, Path):
            with store.opened() as engine:
                engine.write(lambda at: at.execute(threads.update().values(lease_until=0)))
        assert other.do("ask", "r2") == "ok"

    with store.opened() as engine:
        assert said(engine) == [(2, "r2")]


@pytest.mark.small(databases=1)
def test_a_holder_that_was_stopped_beyond_its_lease_writes_nothing(store: Store) -> None:
    """It lives, so its lease has to end; once it goes on, the fence refuses it."""
    with takers(store, lease_seconds=1) as (holder, other):
        assert holder.do("begin", "r1") == "ok"
        holder.process.send_signal(signal.SIGSTOP)
        assert other.do("ask", "r2") == "ok"
        holder.process.send_signal(signal.SIGCONT)
        assert holder.do("end", "r1") == "LeaseLostError"

    with store.opened() as engine:
        assert said(engine) == [(2, "r2")]
        assert rows(engine, threads.c.fence) == [(2,)]


def test_a_later_version_s_database_is_left_alone(store: Store) -> None:
    """It says what to do; nothing is changed."""
    with store.opened() as engine:

        async def once() -> None:
            async with accepted(engine, new_run("r1"), seconds=9):
                pass

        run_sync(once)
        engine.write(_write_version)
    with fresh(store) as engine, pytest.raises(StateError, match="written by a later MINERVA"):
        engine.write(lambda _: None)


def _write_version(connection: Connection) -> None:
    """Do what a later version does."""
    connection.execute(versions.update().values(version_num="9999"))


@contextmanager
def fresh(store: Store) -> Generator[Engine]:
    """Give an engine that knows nothing of the database yet."""
    if isinstance(store.place, PostgresPlace):
        unused = PostgresEngine(store.place)
        yield unused
        unused.core.dispose()
    else:
        with store.opened() as engine:
            yield engine


def test_an_alembic_table_of_another_program_is_no_hindrance(tmp_path: Path) -> None:
    """Ours has a name of its own."""
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num)")
    with opened_engine(path) as engine:
        engine.write(lambda _: None)
        assert rows(engine, threads.c.thread_id) == []


@pytest.mark.small(databases=1)
def test_the_platform_keeps_its_threads_where_it_is_told(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable goes before the home; a follow-up finds the turn before it there."""
    url = store.address if isinstance(store.place, PostgresPlace) else f"sqlite:///{store.address}"
    monkeypatch.setenv("MINERVA_STORAGE_URL", url)
    agent = StubAgent("a")
    team = Team(name="office", description="…", members=[agent], router=EachOnceRouter())
    first = team.ask("list the orders", thread="t")
    team.ask("list the payments", thread="t")

    with store.opened() as engine:
        assert said(engine) == [(1, "list the orders"), (2, "list the payments")]
        assert (first.run_id, "ok") in rows(engine, runs.c.run_id, runs.c.status)
        assert rows(engine, threads.c.root, threads.c.holder) == [("office", None)]


@pytest.mark.small(databases=1)
async def test_a_run_that_lost_its_thread_answers_and_says_that_it_is_not_kept(
    store: Store,
) -> None:
    """The work is done by then; the thread is another's, and holds nothing of it."""
    with store.opened() as engine:

        def overtaken(_: object) -> dict[str, str]:
            engine.write(partial(_raise_fence, "t"))
            return {"summary": "done"}

        agent = StubAgent("a", behave=overtaken)
        team = Team(name="office", description="…", members=[agent], router=EachOnceRouter())
        options = RunOptions(engine=engine, thread_id="t")
        run = await run_team(team.assembled, Task(request="list the orders"), options)

        assert (run.status, run.answer.partition("\n")[0]) == ("ok_degraded", "done")
        assert "Another run has taken over the thread `t`" in run.bypassed[0].cause
        assert said(engine) == []
        assert rows(engine, runs.c.status, runs.c.run) == [("running", None)]


@pytest.mark.small(databases=1)
async def test_nobody_takes_a_thread_while_its_run_is_looked_at(store: Store) -> None:
    """Or the run could end in between, and would be taken up again after its end."""
    with store.opened() as engine, ThreadPoolExecutor(1) as other:
        enqueue(engine, NewRun("r", "t", "team", Task(request="box")))
        taken: list[Future[object]] = []

        def looked_at(_connection: Connection, _row: KeptRun) -> bool:
            work = partial(take, thread_id="t", terms=TERMS)
            taken.append(other.submit(engine.write, work))
            wait(taken, timeout=0.2)  # it would be there by now
            assert not taken[0].done()
            return True

        async with taken_up(engine, "r", seconds=0.0, moves=looked_at, versions={}) as (_, kept):
            assert kept is not None
            assert taken[0].result() is None  # the thread has its holder
