"""Threads, runs and turns in the ledger, on SQLite and on a real Postgres alike."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from postgres import Cluster
from sqlalchemy import Connection, select

from minerva_platform import Run, Task
from minerva_platform.calls.blocking import run_sync
from minerva_platform.errors import LeaseLostError, StateError, ThreadBusyError
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.engine.place import Place, PostgresPlace
from minerva_platform.storage.lease import LeaseTerms
from minerva_platform.storage.runs import NewRun, accepted
from minerva_platform.storage.schema import runs, threads, turns
from minerva_platform.storage.threads import Conversations
from minerva_platform.storage.turn import KeptTurn

TURN_TAKER = Path(__file__).parents[1] / "support" / "turn_taker.py"
SHORT = LeaseTerms(seconds=1.0, beat_seconds=0.3)
"""A lease that a test can see the end of."""


@dataclass(frozen=True, slots=True)
class Store:
    """A database of a test, its address for other processes, and what sets its clock."""

    place: Place
    address: str
    shift: Callable[[float], None]
    arguments: tuple[str, ...] = ()


@contextmanager
def sqlite_store(folder: Path) -> Iterator[Store]:
    """Give a SQLite database whose clock is wrong by what a file says."""
    path, shift = folder / "state.db", folder / "shift"
    shift.write_text("0")
    yield Store(path, str(path), lambda by: void(shift.write_text(str(by))), (str(shift),))


@contextmanager
def postgres_store(cluster: Cluster, name: str) -> Iterator[Store]:
    """Give a schema of its own, in which `clock_timestamp` is wrong by what a table says."""
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")
        connection.execute(f"CREATE TABLE {name}.shift AS SELECT 0.0 AS seconds")
        connection.execute(
            f"CREATE FUNCTION {name}.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE "
            "AS 'SELECT pg_catalog.clock_timestamp() + make_interval(secs => seconds::float8) "
            f"FROM {name}.shift'"
        )

        def shift(by: float) -> None:
            connection.execute(f"UPDATE {name}.shift SET seconds = {by}")

        url = f"{cluster.url}&options=-csearch_path%3D{name},pg_catalog"
        yield Store(PostgresPlace(url), url, shift)


def void(_: object) -> None:
    """Forget a value."""


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path, minerva_home: Path) -> Iterator[Store]:
    """Give an empty database of each kind."""
    minerva_home.mkdir()
    if request.param == "sqlite":
        with sqlite_store(minerva_home) as made:
            yield made
    else:
        server = request.getfixturevalue("postgres_server")
        with postgres_store(server, f"s{os.getpid()}_{abs(hash(tmp_path))}") as made:
            yield made


class Taker:
    """A process that takes turns (tests/support/turn_taker.py)."""

    def __init__(self, store: Store, lease_seconds: float) -> None:
        command = (sys.executable, TURN_TAKER, store.address, str(lease_seconds), *store.arguments)
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def tell(self, do: str, run: str, thread: str = "t", **more: float) -> None:
        """Tell it something; `heard` gives the answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(
            json.dumps({"do": do, "run": run, "thread": thread, **more}) + "\n"
        )
        self.process.stdin.flush()

    def heard(self) -> str:
        """Wait for the next answer."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def do(self, do: str, run: str, thread: str = "t", **more: float) -> str:
        """Tell it something and wait for the answer."""
        self.tell(do, run, thread, **more)
        return self.heard()


@contextmanager
def takers(store: Store, count: int = 2, *, lease_seconds: float = 30.0) -> Iterator[list[Taker]]:
    """Give processes that take turns in one database."""
    started = [Taker(store, lease_seconds) for _ in range(count)]
    try:
        yield started
    finally:
        for taker in started:
            taker.process.send_signal(signal.SIGKILL)
            taker.process.communicate()


def rows(engine: Engine, *columns: Any) -> list[tuple[Any, ...]]:
    """Return columns of a table, as they were inserted."""

    def found(connection: Connection) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in connection.execute(select(*columns)).all()]

    return sorted(engine.read(found, empty=[]), key=str)


def said(engine: Engine) -> list[tuple[int, str]]:
    """Return the kept turns of the thread `t`, by their numbers."""
    found = rows(engine, turns.c.number, turns.c.turn)
    return sorted((number, json.loads(turn)["request"]) for number, turn in found if turn)


def new_run(run_id: str, thread_id: str = "t") -> NewRun:
    """Return a run that can be accepted."""
    return NewRun(run_id, thread_id, "t", Task(request=run_id))


def kept(run_id: str, thread_id: str = "t") -> tuple[Run, KeptTurn]:
    """Return a run that has ended, and its turn."""
    run = Run(run_id=run_id, thread_id=thread_id, status="ok", answer="a")
    turn = KeptTurn(request=run_id, answer="a", topic=run_id, run_id=run_id, status="ok")
    return run, turn


async def test_a_run_is_a_row_before_anything_is_done_and_whole_after_it(store: Store) -> None:
    """Whoever looks meanwhile sees that it runs; its turn has its number and no words yet."""
    with opened_engine(store.place) as engine:
        async with accepted(engine, new_run("r1"), seconds=9) as run:
            open_rows = rows(engine, runs.c.run_id, runs.c.status, runs.c.run, runs.c.ended)
            assert open_rows == [("r1", "running", None, None)]
            assert rows(engine, turns.c.number, turns.c.turn) == [(1, None)]
            assert Conversations(engine).last() is None
            run.end(*kept("r1"))

        ((task, status, told, used),) = rows(
            engine, runs.c.task, runs.c.status, runs.c.run, runs.c.used
        )
        assert (json.loads(task)["request"], status, json.loads(told)["answer"]) == (
            "r1",
            "ok",
            "a",
        )
        assert json.loads(used).keys() == {"ms", "hops", "calls", "tokens"}
        assert rows(engine, threads.c.holder, threads.c.fence) == [(None, 1)]
        assert Conversations(engine).last() == "t"
        latest = Conversations(engine).of("t").latest()
        assert latest == kept("r1")[1]


async def test_a_thread_that_is_busy_says_when_to_try_again(store: Store) -> None:
    """In seconds, for a program; nothing of the run that is not accepted is kept."""
    with opened_engine(store.place) as engine:
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
    with opened_engine(store.place) as engine:
        with pytest.raises(ZeroDivisionError):
            async with accepted(engine, new_run("r1"), seconds=9):
                raise ZeroDivisionError
        async with accepted(engine, new_run("r2"), seconds=0) as run:
            run.end(*kept("r2"))

        found = rows(engine, runs.c.run_id, runs.c.status, runs.c.reason)
        assert found == [("r1", "failed", "internal_error"), ("r2", "ok", None)]


async def test_who_lost_the_thread_writes_nothing(store: Store) -> None:
    """Neither its turn nor its run: the fence is another's."""
    with opened_engine(store.place) as engine, pytest.raises(LeaseLostError, match="taken over"):
        async with accepted(engine, new_run("r1"), seconds=9) as late:
            store.shift(3600)  # the clock goes forward: the lease is over by it
            with opened_engine(store.place) as same:
                engine.write(partial(_end_lease, late.lease.thread_id))
                async with accepted(same, new_run("r2"), seconds=9) as run:
                    run.end(*kept("r2"))
            late.end(*kept("r1"))

    with opened_engine(store.place) as engine:
        found = rows(engine, runs.c.run_id, runs.c.status, runs.c.reason)
        assert found == [("r1", "failed", "lost"), ("r2", "ok", None)]
        assert said(engine) == [(2, "r2")]


def _end_lease(thread_id: str, connection: Connection) -> None:
    """Let the lease of a thread be over, whatever the clock says."""
    mine = threads.c.thread_id == thread_id
    connection.execute(threads.update().where(mine).values(lease_until=0))


async def test_a_run_whose_lease_is_lost_is_stopped(store: Store) -> None:
    """At the next beat, wherever it waits."""
    import asyncio  # noqa: PLC0415

    with opened_engine(store.place) as engine, pytest.raises(LeaseLostError):
        async with accepted(engine, new_run("r1"), seconds=9, terms=SHORT) as run, run.kept_alive():
            engine.write(partial(_raise_fence, "t"))
            await asyncio.Event().wait()
    assert asyncio.current_task() is not None
    assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]  # asserted above


def _raise_fence(thread_id: str, connection: Connection) -> None:
    """Do what another holder does to the thread."""
    mine = threads.c.thread_id == thread_id
    connection.execute(threads.update().where(mine).values(fence=threads.c.fence + 1))


def test_two_processes_take_ten_turns_each_in_one_thread(store: Store) -> None:
    """All twenty are kept, numbered in the order in which they were accepted."""
    with takers(store) as two:
        for number in range(10):
            for who, taker in enumerate(two):
                taker.tell("ask", f"{who}-{number}")
        answers = [taker.heard() for _ in range(10) for taker in two]

    assert answers == ["ok"] * 20
    with opened_engine(store.place) as engine:
        found = said(engine)
        assert [number for number, _ in found] == list(range(1, 21))
        order = [request for _, request in found]
        for who in (0, 1):
            mine = [request for request in order if request.startswith(f"{who}-")]
            assert mine == [f"{who}-{number}" for number in range(10)]
        assert rows(engine, threads.c.fence) == [(20,)]


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

    with opened_engine(store.place) as engine:
        assert said(engine) == [(1, "a"), (2, "b"), (4, "c"), (5, "d")]
        assert ("lost", "failed", "lost") in rows(
            engine, runs.c.run_id, runs.c.status, runs.c.reason
        )


def test_the_thread_of_a_killed_process_is_free(store: Store) -> None:
    """At once on SQLite, where its death is known; after the end of its lease on Postgres."""
    is_sqlite = isinstance(store.place, Path)
    with takers(store, lease_seconds=600 if is_sqlite else 1) as (holder, other):
        assert holder.do("begin", "r1") == "ok"
        assert other.do("ask", "early", seconds=0) == "ThreadBusyError"
        holder.process.kill()
        holder.process.wait()
        assert other.do("ask", "r2") == "ok"

    with opened_engine(store.place) as engine:
        assert said(engine) == [(2, "r2")]


def test_a_holder_that_was_stopped_beyond_its_lease_writes_nothing(store: Store) -> None:
    """It lives, so its lease has to end; once it goes on, the fence refuses it."""
    with takers(store, lease_seconds=1) as (holder, other):
        assert holder.do("begin", "r1") == "ok"
        holder.process.send_signal(signal.SIGSTOP)
        assert other.do("ask", "r2") == "ok"
        holder.process.send_signal(signal.SIGCONT)
        assert holder.do("end", "r1") == "LeaseLostError"

    with opened_engine(store.place) as engine:
        assert said(engine) == [(2, "r2")]
        assert rows(engine, threads.c.fence) == [(2,)]


def test_a_later_version_s_database_is_left_alone(store: Store) -> None:
    """It says what to do; nothing is changed."""
    with opened_engine(store.place) as engine:

        async def once() -> None:
            async with accepted(engine, new_run("r1"), seconds=9):
                pass

        run_sync(once)
        engine.write(
            lambda it: void(it.exec_driver_sql("UPDATE minerva_schema SET version_num = '9'"))
        )
    with fresh(store) as engine, pytest.raises(StateError, match="written by a later MINERVA"):
        engine.write(lambda _: None)


@contextmanager
def fresh(store: Store) -> Iterator[Engine]:
    """Give an engine that knows nothing of the database yet."""
    if isinstance(store.place, PostgresPlace):
        from minerva_platform.storage.engine.postgres import PostgresEngine  # noqa: PLC0415

        yield PostgresEngine(store.place)
    else:
        with opened_engine(store.place) as engine:
            yield engine


def test_an_alembic_table_of_another_program_is_no_hindrance(tmp_path: Path) -> None:
    """Ours has a name of its own."""
    path = tmp_path / "state.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num)")
    with opened_engine(path) as engine:
        engine.write(lambda _: None)
        assert rows(engine, threads.c.thread_id) == []
