"""One owner of the database of runs in each process, for all its runs and OS threads.

One connection per run was too many: of 200 runs at once, 65 ended with "database is locked". Here
all operations of a process queue for one connection, and only processes wait for each other's
locks. Each operation is one transaction. It is repeated while another process holds the lock, and
given up at the deadline of its run.
"""

import asyncio
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from minerva_platform.errors import StateBusyError, StateDamagedError, StateError
from minerva_platform.run_context.blocking import SerialThread
from minerva_platform.run_context.context import run_or_none
from minerva_platform.storage.engine.database_file import (
    OpenFile,
    is_busy,
    is_damage,
    is_marked,
    open_file,
)

if TYPE_CHECKING:
    from minerva_platform.storage.engine.engine import Engine

PATIENCE_S = 30.0
"""Seconds that an operation outside of a run waits for the database."""

MIN_WAIT_S = 0.1
"""Seconds that an operation waits if its run has none left. They suffice if no other waits."""

_CROWDED = "other runs of this process wait for it"

T = TypeVar("T")
Operation = Callable[[sqlite3.Connection], T]
"""A function of the connection: one transaction, which can be repeated if it failed."""


class _Wait:
    """How long the caller waits for an operation. The caller may give up early."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.until = time.monotonic() + seconds

    def give_up(self) -> None:
        self.until = 0.0

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.until


class Database:
    """The one connection of this process to a database. Get it from `opened`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.users = 0
        self.engine: Engine | None = None
        """What the ledger is read and written by, once somebody has asked for it."""
        self._pid = os.getpid()
        self._thread = SerialThread("minerva-database")
        self._file: OpenFile | None = None

    @property
    def is_spoilt(self) -> bool:
        """True if the file was found damaged after it was opened here. It takes no new users."""
        return self._file is not None and is_marked(self.path)

    def call(self, operation: "Operation[T]", *, seconds: float | None = None) -> T:
        """Return the result of `operation`, waiting at most `seconds` or until the run's deadline.

        Raises:
            StateBusyError: another process held the lock all the time.
            StateDamagedError: the file is damaged; the next run begins a new one.
            sqlite3.Error: SQLite says anything else.
            OSError: the file or its folder cannot be made.
        """
        wait = _Wait(_seconds_left() if seconds is None else seconds)
        future = self._submit(operation, wait)
        try:
            return future.result(wait.seconds)
        except TimeoutError:
            if future.cancel():  # others of this process wait before it
                raise StateBusyError(self.path, _CROWDED) from None
            return future.result()
        except BaseException:  # the wait was interrupted, or the operation failed
            wait.give_up()
            raise

    async def acall(self, operation: "Operation[T]", *, seconds: float | None = None) -> T:
        """Do what `call` does without holding up the event loop."""
        wait = _Wait(_seconds_left() if seconds is None else seconds)
        try:
            return await asyncio.wrap_future(self._submit(operation, wait))
        except asyncio.CancelledError:
            wait.give_up()
            raise

    def close(self) -> None:
        """Close the connection after the queued operations, and wait for that."""
        self._thread.submit(self._close)
        self._thread.stop()
        self._thread.join()

    def disown(self) -> None:
        """Leave the connection to the process that this one was forked from.

        Closing the connection here would remove files that the other process uses. The lock's
        descriptor is closed, so that the lock ends with that process. This releases nothing
        earlier.
        """
        if self._file is not None:
            os.close(self._file.lock)

    def _submit(self, operation: "Operation[T]", wait: _Wait) -> "Future[T]":
        if os.getpid() != self._pid:
            reason = "was opened before this process was forked. Open it again: a connection is "
            raise StateError(self.path, reason + "the process's that made it.")
        return self._thread.submit(lambda: self._do(operation, wait))

    def _do(self, operation: "Operation[T]", wait: _Wait) -> T:
        if wait.is_over:  # the caller is gone, and each try may take as long as SQLite waits
            raise StateBusyError(self.path, _CROWDED)
        file = self._file = self._file or open_file(self.path, until=wait.until)
        while True:
            try:
                return operation(file.connection)
            except sqlite3.DatabaseError as error:
                if is_damage(error):
                    file.mark_damaged(str(error))
                    raise StateDamagedError(self.path, str(error)) from error
                if not is_busy(error):
                    raise
                if wait.is_over:
                    raise StateBusyError(self.path, str(error)) from error
            finally:  # its open transaction would be in the next operation's commit
                if file.connection.in_transaction:
                    with suppress(sqlite3.Error):
                        file.connection.rollback()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


_owners: dict[Path, Database] = {}
_owners_lock = threading.Lock()
_inherited: list[Database] = []
"""Connections that a forked child has from its parent. Kept, because garbage collection would close
them."""


@contextmanager
def opened(path: Path) -> Generator[Database]:
    """Yield the process's database at `path`. The last user closes it.

    Nothing is opened before the first operation.
    """
    database = _take(path)
    try:
        yield database
    finally:
        if _let_go(database):
            database.close()


def _take(path: Path) -> Database:
    real = Path(os.path.realpath(path))
    with _owners_lock:
        database = _owners.get(real)
        if database is None or database.is_spoilt:  # users of the damaged one keep it
            database = _owners[real] = Database(real)
        database.users += 1
    return database


def _let_go(database: Database) -> bool:
    """Return True if the last user in this process has left the database."""
    with _owners_lock:
        database.users -= 1
        if database.users:
            return False
        if _owners.get(database.path) is database:
            del _owners[database.path]
    return True


def _seconds_left() -> float:
    """Return the seconds that an operation may wait.

    An operation of a run has until the middle of the run's grace. So the results at the deadline
    are still kept, and an operation that waited in vain can say so before the run is cut off.
    """
    run = run_or_none()
    if run is None:
        return PATIENCE_S
    budget = run.budget
    return max(MIN_WAIT_S, budget.deadline + budget.limits.grace_seconds / 2 - budget.clock())


def _forget() -> None:
    """Begin without any connection in a forked child; an OS thread it lacks may hold the lock."""
    global _owners_lock  # noqa: PLW0603  # a lock cannot be made free in any other way
    _owners_lock = threading.Lock()
    for database in _owners.values():
        database.disown()
        _inherited.append(database)
    _owners.clear()


os.register_at_fork(after_in_child=_forget)


@dataclass(slots=True)
class Outage:
    """What is tried again and again. It is logged when it first fails, and when it works again."""

    log: logging.Logger
    what: str
    """Such as "the queue cannot be read"."""
    is_there: bool = False

    def begin(self, error: Exception) -> None:
        """Log the failure, unless the try before has failed, too."""
        if not self.is_there:
            self.log.warning("%s: %s", self.what, error)
        self.is_there = True

    def end(self) -> None:
        """Log that it works again, if it had failed."""
        if self.is_there:
            self.log.warning("%s: it works again", self.what)
        self.is_there = False
