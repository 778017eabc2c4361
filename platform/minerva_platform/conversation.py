"""What was said in a thread, kept at the platform: no member has a memory of its own.

A thread's turns lie in the database where runs keep their state. The next turn finds there what
a follow-up leans on: the earlier words, the files that came with them and the hand-offs.
"""

import asyncio
import fcntl
import hashlib
import logging
import os
import re
import sqlite3
import time
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, ValidationError

from minerva_platform.contract import Attachment, Handoffs, RunStatus, Turn
from minerva_platform.errors import RunError

STATE = "state.db"
"""Where runs keep their state, below the home directory."""

LAST = "last"
"""Typed instead of a thread's id: the one that was spoken in most recently."""

MAX_CONVERSATION = 200_000
"""Characters of earlier turns that a member may be given; older turns are left out."""

_LOG = logging.getLogger(__name__)

TurnT = TypeVar("TurnT", bound=Turn)

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PAUSE_S = 0.02
_TABLE = """
CREATE TABLE IF NOT EXISTS turns (
    thread_id TEXT NOT NULL, number INTEGER NOT NULL, turn TEXT NOT NULL,
    PRIMARY KEY (thread_id, number)
)
"""
"""Rows are only added, so SQLite's own row numbers are their order over all threads."""


class KeptTurn(Turn):
    """A turn with what the next one may need."""

    topic: str
    """The latest words that stood alone: what a follow-up is about."""
    run_id: str
    status: RunStatus
    members: tuple[str, ...] = ()
    """Who worked for it, directly below the root."""
    root: str = ""
    """The platform, or the team that was asked alone."""
    attachments: tuple[Attachment, ...] = ()
    handoffs: Handoffs = Field(default_factory=dict)


class Conversations:
    """The threads of one database."""

    def __init__(self, database: Path) -> None:
        self.database = database

    def of(self, thread_id: str) -> "Conversation":
        """Return the thread `thread_id`, which may have no turns yet."""
        return Conversation(self.database, thread_id)

    def last(self) -> str | None:
        """Return the id of the thread that was spoken in most recently."""
        with _opened(self.database) as database:
            query = "SELECT thread_id FROM turns ORDER BY rowid DESC LIMIT 1"
            row: tuple[str] | None = database.execute(query).fetchone()
        return row[0] if row else None


class Conversation:
    """The turns of one thread, oldest first."""

    def __init__(self, database: Path, thread_id: str) -> None:
        self.database, self.thread_id = database, thread_id

    def latest(self) -> KeptTurn | None:
        """Return the latest turn that can be read, if there is one."""
        return next(self.newest_first(), None)

    def newest_first(self) -> Iterator[KeptTurn]:
        """Yield the turns that can be read, the latest one first."""
        return self._newest_first(KeptTurn)

    def turns(self) -> tuple[Turn, ...]:
        """Return what was asked and answered, as far back as `MAX_CONVERSATION` reaches."""
        found: list[Turn] = []
        room = MAX_CONVERSATION
        for turn in self._newest_first(Turn):
            room -= len(turn.request) + len(turn.answer)
            if room < 0:
                break
            found.append(turn)
        return tuple(reversed(found))

    def keep(self, turn: KeptTurn) -> None:
        """Add `turn` at the end.

        Raises:
            sqlite3.Error: the database cannot be written.
        """
        with _opened(self.database) as database, database:
            number = "SELECT coalesce(max(number), 0) + 1 FROM turns WHERE thread_id = ?"
            database.execute(
                f"INSERT INTO turns VALUES (?, ({number}), ?)",  # noqa: S608  # no outside text
                (self.thread_id, self.thread_id, turn.model_dump_json()),
            )

    def _newest_first(self, model: type[TurnT]) -> Iterator[TurnT]:
        """Yield the turns; one that another version wrote, or that is damaged, is passed over."""
        with _opened(self.database) as database:
            query = "SELECT turn FROM turns WHERE thread_id = ? ORDER BY number DESC"
            for (row,) in database.execute(query, (self.thread_id,)):
                try:
                    yield model.model_validate_json(row)
                except ValidationError as error:
                    _LOG.warning("a turn of %s cannot be read: %s", self.thread_id, error)


def check_thread(name: str, home: Path) -> str:
    """Return the id of the thread that a person named; `last` is looked up.

    Raises:
        RunError: it is no id, or nothing was said yet.
    """
    if name == LAST:
        try:
            last = Conversations(home / STATE).last()
        except sqlite3.Error as error:
            message = (
                f"{home / STATE} cannot be read: {error}. Move it away, or leave --thread out."
            )
            raise RunError(message) from error
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
    """Wait until nobody else runs in the thread, in this process or another.

    The lock is the operating system's: it ends with the process, however that ends.

    Raises:
        RunError: somebody still runs in it after `seconds`.
    """
    folder = home / "threads"
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(thread_id.encode()).hexdigest()[:16]
    deadline = time.monotonic() + seconds
    with (folder / f"{name}.lock").open("ab") as file:
        while not _locked(file):
            if time.monotonic() > deadline:
                message = (
                    f"thread_busy: another run goes on in the thread `{thread_id}`. "
                    "Wait for it, or leave --thread out."
                )
                raise RunError(message)
            await asyncio.sleep(_PAUSE_S)
        yield


def _locked(file: Any) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def make_private(path: Path) -> None:
    """Make `path`, if it is not there, so that only its owner can read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_RDONLY, 0o600))


@contextmanager
def _opened(path: Path) -> Generator[sqlite3.Connection]:
    make_private(path)
    with closing(sqlite3.connect(path)) as database:
        database.execute(_TABLE)
        yield database
