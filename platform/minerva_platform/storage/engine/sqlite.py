"""The ledger in SQLite: over the one connection that this process has to the file.

Reads wait for nobody. A write begins with BEGIN IMMEDIATE: one that only turned out to write
after it had read could not be waited for, and would fail.
"""

import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import sqlalchemy
from sqlalchemy.dialects.sqlite import Insert, insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from minerva_platform.errors import StateError
from minerva_platform.storage.engine.database import Database
from minerva_platform.storage.engine.engine import Engine, Work, is_ready, make_ready
from minerva_platform.storage.engine.refusals import remedy_of
from minerva_platform.storage.ledger.lease import boot_seconds

if TYPE_CHECKING:
    from sqlalchemy import Table

T = TypeVar("T")
Clock = Callable[[], float]


class SqliteEngine(Engine):
    """The engine of a SQLite database; `clock` is what its leases end by."""

    knows_processes = True

    def __init__(self, database: Database, clock: Clock = boot_seconds) -> None:
        self.place = self.file = database.path
        self.clock = clock
        self._database = database
        self._core: sqlalchemy.Engine | None = None
        self._is_ready = False

    def read(self, work: "Work[T]", *, empty: T, seconds: float | None = None) -> T:
        """Return what `work` reads, `empty` if nothing was kept yet."""
        with self._told():
            return self._database.call(partial(self._read_in, work, empty), seconds=seconds)

    async def aread(self, work: "Work[T]", *, empty: T, seconds: float | None = None) -> T:
        """Do what `read` does without holding up the event loop."""
        with self._told():
            return await self._database.acall(partial(self._read_in, work, empty), seconds=seconds)

    def write(self, work: "Work[T]", *, seconds: float | None = None) -> T:
        """Do `work` as one transaction."""
        with self._told():
            return self._database.call(partial(self._write_in, work), seconds=seconds)

    async def awrite(self, work: "Work[T]", *, seconds: float | None = None) -> T:
        """Do what `write` does without holding up the event loop."""
        with self._told():
            return await self._database.acall(partial(self._write_in, work), seconds=seconds)

    def insert(self, table: "Table") -> Insert:
        """Return SQLite's INSERT."""
        return insert(table)

    def _read_in(self, work: "Work[T]", empty: T, driver: sqlite3.Connection) -> T:
        with self._connected(driver) as connection:
            ready = self._is_ready or is_ready(connection)
            if ready is None:
                return empty
            self._is_ready = ready
            if ready:
                self.check_keys(connection)
                return work(connection)
        return self._write_in(work, driver)  # an earlier version's: its tables are changed first

    def _write_in(self, work: "Work[T]", driver: sqlite3.Connection) -> T:
        with self._connected(driver) as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            copy = (
                None
                if self._is_ready
                else make_ready(connection, self.file, is_turned=self.is_turned)
            )
            self.check_keys(connection)
            done = work(connection)
            connection.commit()
        self._is_ready = True
        if copy is not None:
            copy.unlink()
        return done

    @contextmanager
    def _connected(self, driver: sqlite3.Connection) -> Generator[sqlalchemy.Connection]:
        """Give `driver` as SQLAlchemy has connections; its errors are the driver's own.

        `Database` tells by them what is to be done again.
        """
        if self._core is None:
            driver.create_function("db_now", 0, self.clock)
            self._core = sqlalchemy.create_engine(
                "sqlite://", creator=lambda: driver, poolclass=StaticPool
            )
        try:
            with self._core.connect() as connection:
                yield connection
        except DBAPIError as error:
            if isinstance(error.orig, sqlite3.Error):
                raise error.orig from None
            raise

    @contextmanager
    def _told(self) -> Generator[None]:
        """Tell errors of the database in words for a person."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            reason = f"cannot be used: {error}. {remedy_of(error, self.file)}"
            raise StateError(self.file, reason) from error
