"""Databases of tests, SQLite and Postgres alike, and processes that take turns in them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from postgres import Cluster
from sqlalchemy import Connection, select

from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import close_engines, opened_engine
from minerva_platform.storage.engine.place import Place, PostgresPlace
from minerva_platform.storage.holder import boot_seconds
from minerva_platform.storage.schema import turns

_numbers = count()
TURN_TAKER = Path(__file__).with_name("turn_taker.py")
CLOCK = """
CREATE SCHEMA OURS; SET search_path = OURS, pg_catalog;
CREATE TABLE shift AS SELECT 0.0::float8 AS seconds;
CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    'SELECT pg_catalog.clock_timestamp() + make_interval(secs => seconds) FROM OURS.shift';
"""


@dataclass(frozen=True, slots=True)
class Store:
    """A database of a test, its address for other processes, and what sets its clock."""

    place: Place
    address: str
    shift: Callable[[float], None]
    arguments: tuple[str, ...] = ()
    clock: Callable[[], float] = boot_seconds

    def opened(self) -> AbstractContextManager[Engine]:
        """Give its engine."""
        return opened_engine(self.place, clock=self.clock)


@contextmanager
def sqlite_store(folder: Path) -> Generator[Store]:
    """Give a SQLite database whose clock is wrong by what a file says."""
    path, shift = folder / "state.db", folder / "shift"
    shift.write_text("0")

    def clock() -> float:
        return boot_seconds() + float(shift.read_text())

    def set_shift(by: float) -> None:
        shift.write_text(str(by))

    yield Store(path, str(path), set_shift, (str(shift),), clock)


@contextmanager
def postgres_store(cluster: Cluster) -> Generator[Store]:
    """Give a schema of its own, in which `clock_timestamp` is wrong by what a table says."""
    name = f"of_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(cluster.url, autocommit=True) as connection:
        connection.execute(CLOCK.replace("OURS", name).encode())

        def shift(by: float) -> None:
            connection.execute("UPDATE shift SET seconds = %s", [by])

        url = f"{cluster.url}&options=-csearch_path%3D{name},pg_catalog"
        yield Store(PostgresPlace(url), url, shift)
        close_engines()


class Taker:
    """A process that takes turns (tests/support/turn_taker.py)."""

    def __init__(self, store: Store, lease_seconds: float) -> None:
        command = (
            sys.executable,
            str(TURN_TAKER),
            store.address,
            str(lease_seconds),
            *store.arguments,
        )
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
        return str(self.process.stdout.readline().strip())

    def do(self, do: str, run: str, thread: str = "t", **more: float) -> str:
        """Tell it something and wait for the answer."""
        self.tell(do, run, thread, **more)
        return self.heard()


@contextmanager
def takers(store: Store, count: int = 2, *, lease_seconds: float = 30.0) -> Generator[list[Taker]]:
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

    nothing: list[tuple[Any, ...]] = []
    return sorted(engine.read(found, empty=nothing), key=str)


def said(engine: Engine) -> list[tuple[int, str]]:
    """Return the kept turns of the thread `t`, by their numbers."""
    found = rows(engine, turns.c.number, turns.c.turn)
    return sorted((number, json.loads(turn)["request"]) for number, turn in found if turn)
