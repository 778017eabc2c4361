"""The turns of threads, kept by the platform. Members have no memory of their own.

A thread's turns lie in the database where runs keep their state. A follow-up finds there what it
refers to: the earlier words, their files and the hand-offs.
"""

import asyncio
import hashlib
import logging
import re
import sqlite3
import time
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from pydantic import Field, ValidationError

from minerva_observability.file_lock import take_lock
from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.run_object import RunStatus
from minerva_platform.contract.task import Turn
from minerva_platform.errors import RunError, StateError
from minerva_platform.storage.database import STATE, Database, opened

LAST = "last"
"""Typed instead of a thread's id. It means the thread with the latest turn."""

MAX_CONVERSATION = 200_000
"""Characters of earlier turns that a member may be given. Older turns are left out."""

_LOG = logging.getLogger(__name__)

TurnT = TypeVar("TurnT", bound=Turn)

StateDatabase: TypeAlias = Path | Database
"""A database that is open, or the path of one that is opened for each operation."""

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_AFTER_ALL = 2**63 - 1
"""Above the number of every turn."""
_PAUSE_S = 0.02
_TABLE = """
CREATE TABLE IF NOT EXISTS turns (
    thread_id TEXT NOT NULL, number INTEGER NOT NULL, turn TEXT NOT NULL,
    PRIMARY KEY (thread_id, number)
)
"""
"""Rows are only added, so SQLite's own row numbers are their order over all threads."""
_IS_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'turns'"


class KeptTurn(Turn):
    """A turn with the values that the next one may need."""

    topic: str
    """The latest words that stood alone. A follow-up is about these."""
    run_id: str
    status: RunStatus
    members: tuple[str, ...] = ()
    """The members directly below the root that worked for it."""
    root: str = ""
    """The platform, or the team that was asked alone."""
    answer_sha256: str = ""
    """Digest of the members' last answers, of this or an earlier turn. Empty without answers."""
    attachments: tuple[Attachment, ...] = ()
    handoffs: Handoffs = Field(default_factory=dict)


class Conversations:
    """The threads of one database."""

    def __init__(self, database: StateDatabase) -> None:
        self.database = database

    def of(self, thread_id: str) -> "Conversation":
        """Return the thread `thread_id`, which may have no turns yet."""
        return Conversation(self.database, thread_id)

    def last(self) -> str | None:
        """Return the id of the thread with the latest turn, or None."""
        query = "SELECT thread_id FROM turns ORDER BY rowid DESC LIMIT 1"
        with _opened(self.database) as database:
            rows = database.call(partial(_rows, query=query))
        return str(rows[0][0]) if rows else None


class Conversation:
    """The turns of one thread, oldest first."""

    def __init__(self, database: StateDatabase, thread_id: str) -> None:
        self.database, self.thread_id = database, thread_id

    def latest(self) -> KeptTurn | None:
        """Return the latest turn that can be read, if there is one."""
        return next(self.newest_first(), None)

    def newest_first(self) -> Iterator[KeptTurn]:
        """Yield the turns that can be read, the latest one first."""
        return self._newest_first(KeptTurn)

    def turns(self) -> tuple[Turn, ...]:
        """Return requests and answers, as far back as `MAX_CONVERSATION` characters reach."""
        found: list[Turn] = []
        room = MAX_CONVERSATION
        for turn in self._newest_first(Turn):
            room -= len(turn.request) + len(turn.answer)
            if room < 0:
                break
            found.append(turn)
        return tuple(reversed(found))

    def keep(self, turn: KeptTurn, *, seconds: float | None = None) -> None:
        """Add `turn` at the end. Wait at most `seconds`, or until the run's deadline.

        Raises:
            StateError: the database is held by others, or damaged.
            sqlite3.Error: it cannot be written.
            OSError: it cannot be made.
        """
        number = "SELECT coalesce(max(number), 0) + 1 FROM turns WHERE thread_id = ?"
        insert = f"INSERT INTO turns VALUES (?, ({number}), ?)"  # noqa: S608  # no outside text
        row = (self.thread_id, self.thread_id, turn.model_dump_json())

        def add(connection: sqlite3.Connection) -> None:
            connection.execute(_TABLE)
            with connection:
                connection.execute(insert, row)

        with _opened(self.database) as database:
            database.call(add, seconds=seconds)

    def _newest_first(self, model: type[TurnT]) -> Iterator[TurnT]:
        """Yield the turns. A turn of another version, or a damaged one, is skipped."""
        for row in self._texts():
            try:
                yield model.model_validate_json(row)
            except ValidationError as error:
                _LOG.warning("a turn of %s cannot be read: %s", self.thread_id, error)

    def _texts(self) -> Iterator[str]:
        """Yield the rows, one first and then more at once.

        No read stays open while the caller works. It would hold up the connection's other users and
        keep the log from being written back.
        """
        query = (
            "SELECT number, turn FROM turns WHERE thread_id = ? AND number < ? "
            "ORDER BY number DESC LIMIT ?"
        )
        before, count = _AFTER_ALL, 1
        with _opened(self.database) as database:
            while True:
                values = (self.thread_id, before, count)
                rows = database.call(partial(_rows, query=query, values=values))
                yield from (text for _, text in rows)
                if len(rows) < count:
                    return
                before, count = rows[-1][0], 2 * count


def check_thread(name: str, home: Path) -> str:
    """Return the id of the thread that a person named; `last` is looked up.

    Raises:
        RunError: the name is no id, or there is no turn yet.
    """
    if name == LAST:
        try:
            last = Conversations(home / STATE).last()
        except (OSError, sqlite3.Error) as error:
            reason = f"cannot be read: {error}. Move it away, or leave --thread out."
            raise StateError(home / STATE, reason) from error
        if last is None:
            message = 'There is no thread yet. Begin one: minerva ask "…", or minerva chat.'
            raise RunError(message)
        return last
    if not _ID.fullmatch(name):
        message = (
            f"--thread {name!r}: an id has letters, digits, `.`, `_` and `-`, at most 64. "
            f"The latest thread is `{LAST}`."
        )
        raise RunError(message)
    return name


@asynccontextmanager
async def only_writer(home: Path, thread_id: str, *, seconds: float) -> AsyncGenerator[None]:
    """Wait until no other run works in the thread, in this process or another.

    The lock is the operating system's. It ends with the process, also after a crash.

    Raises:
        RunError: another run still works in it after `seconds`.
    """
    deadline = time.monotonic() + seconds
    with _lock_file(home, thread_id).open("ab") as file:
        while not take_lock(file.fileno()):
            if time.monotonic() > deadline:
                message = (
                    f"thread_busy: another run goes on in the thread `{thread_id}`. "
                    "Wait for it, or leave --thread out."
                )
                raise RunError(message)
            await asyncio.sleep(_PAUSE_S)
        yield


def _lock_file(home: Path, thread_id: str) -> Path:
    folder = home / "threads"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"{hashlib.sha256(thread_id.encode()).hexdigest()[:16]}.lock"


def _rows(
    connection: sqlite3.Connection, query: str, values: tuple[object, ...] = ()
) -> list[tuple[Any, ...]]:
    if not connection.execute(_IS_THERE).fetchall():  # a reader waits for no writer
        return []
    return connection.execute(query, values).fetchall()


@contextmanager
def _opened(database: StateDatabase) -> Generator[Database]:
    if isinstance(database, Database):
        yield database
        return
    with opened(database) as connected:
        yield connected
