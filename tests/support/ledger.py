"""Databases of tests, SQLite and Postgres alike, and processes that take turns in them."""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TextIO

import copies
import psycopg
from postgres import Cluster
from sqlalchemy import Connection, select

from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import Place, PostgresPlace
from minerva_platform.storage.engine.opening import close_engines, opened_engine
from minerva_platform.storage.ledger.lease import boot_seconds
from minerva_platform.storage.ledger.schema import turns

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


class TakingProcess:
    """A process that takes turns, as `subprocess` would show it."""

    def __init__(self, pid: int, stream: TextIO) -> None:
        self.pid, self._stream = pid, stream

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def wait(self) -> None:
        """Wait for its end: it is the only one at the other end of the connection."""
        with suppress(ConnectionError):
            while self._stream.readline():
                """What it had still said."""
        while True:
            try:
                os.kill(self.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.005)


class Taker:
    """A process that takes turns (tests/support/turn_taker.py)."""

    def __init__(self, store: Store, lease_seconds: float) -> None:
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(str(_turn_takers()))
        # apart: a stream for both forgets what it has read ahead when it writes
        self._heard, self._said = self._connection.makefile("r"), self._connection.makefile("w")
        shift = store.arguments[0] if store.arguments else None
        self._write({"place": store.address, "lease": lease_seconds, "shift": shift})
        self.process = TakingProcess(int(self.heard()), self._heard)

    def tell(self, do: str, run: str, thread: str = "t", **more: float) -> None:
        """Tell it something; `heard` gives the answer."""
        self._write({"do": do, "run": run, "thread": thread, **more})

    def heard(self) -> str:
        """Wait for the next answer."""
        return self._heard.readline().strip()

    def do(self, do: str, run: str, thread: str = "t", **more: float) -> str:
        """Tell it something and wait for the answer."""
        self.tell(do, run, thread, **more)
        return self.heard()

    def end(self) -> None:
        """Kill it, and close the connection."""
        self.process.kill()
        self.process.wait()
        self._heard.close()
        with suppress(OSError):  # what was not sent has nobody to read it
            self._said.close()
        self._connection.close()

    def _write(self, told: dict[str, Any]) -> None:
        self._said.write(json.dumps(told) + "\n")
        self._said.flush()


@cache
def _turn_takers() -> Path:
    """Start the program that forks takers, once; return its socket."""
    folder = TemporaryDirectory(prefix="takers")
    path = Path(folder.name) / "socket"
    program = copies.Popen(
        (sys.executable, TURN_TAKER, path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def ended() -> None:
        program.kill()
        program.communicate()
        folder.cleanup()

    atexit.register(ended)
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    return path


@contextmanager
def takers(store: Store, count: int = 2, *, lease_seconds: float = 30.0) -> Generator[list[Taker]]:
    """Give processes that take turns in one database."""
    started = [Taker(store, lease_seconds) for _ in range(count)]
    try:
        yield started
    finally:
        for taker in started:
            taker.end()


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
