"""The engines of this process: whoever opens the same database gets the same one."""

import atexit
import os
import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.storage.engine.database import opened
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import Place, PostgresPlace
from minerva_platform.storage.engine.sqlite import SqliteEngine
from minerva_platform.storage.ledger.lease import boot_seconds

if TYPE_CHECKING:
    from minerva_platform.storage.engine.postgres import PostgresEngine

_postgres: "dict[PostgresPlace, PostgresEngine]" = {}
_lock = threading.Lock()


@contextmanager
def opened_engine(place: Place, *, clock: Callable[[], float] = boot_seconds) -> Generator[Engine]:
    """Give the engine of the database at `place`; nothing is opened before its first use.

    `clock` is SQLite's, which has none of its own; the first who opens the database gives it.
    """
    if isinstance(place, PostgresPlace):
        yield _postgres_engine(place)
        return
    with opened(place) as database:
        with _lock:
            if database.engine is None:
                database.engine = SqliteEngine(database, clock)
        yield database.engine


@asynccontextmanager
async def engine_in_loop(place: Place) -> AsyncGenerator[Engine]:
    """Do what `opened_engine` does without holding up the event loop while it is closed."""
    opening = ExitStack()
    try:
        yield opening.enter_context(opened_engine(place))
    finally:
        await in_daemon_thread(opening.close)


def _postgres_engine(place: PostgresPlace) -> "PostgresEngine":
    from minerva_platform.storage.engine.postgres import PostgresEngine  # noqa: PLC0415  # few need it

    with _lock:
        if place not in _postgres:
            _postgres[place] = PostgresEngine(place)
        return _postgres[place]


def close_engines() -> None:
    """Close the connections to Postgres that nobody uses now; a later use makes new ones."""
    for engine in list(_postgres.values()):
        engine.core.dispose()


def _forget() -> None:
    """Leave the connections to the parent, in a forked child; its own are made when needed."""
    global _lock  # noqa: PLW0603  # a lock cannot be made free in any other way
    _lock = threading.Lock()
    for engine in _postgres.values():
        engine.core.dispose(close=False)


atexit.register(close_engines)
os.register_at_fork(after_in_child=_forget)
