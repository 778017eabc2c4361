"""The file of a database that several processes share: made, opened and set aside when damaged.

SQLite's locks are POSIX locks. They belong to the process, and closing any descriptor of the file
drops all of them ("How to corrupt an SQLite database", 2.2). So only SQLite opens the file.
Processes agree on everything beyond its transactions by `flock` on a file beside it: a process
that has the database open holds it shared, one that makes or renames the database holds it alone.
"""

import glob
import os
import sqlite3
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from minerva_observability.file_lock import open_lock_file, release_lock, take_lock
from minerva_platform.errors import StateBusyError, StateLostError
from minerva_platform.run_context.user_messages import notice
from minerva_platform.storage.engine.refusals import READ_ONLY

BUSY_S = 0.1
"""Seconds that SQLite waits for a lock before the caller's deadline is looked at again."""

LOCK_ENDING = ".lock"
"""Of the file beside the database by which processes agree."""

_PAUSE_S = 0.02
_WITNESS = b"a database was made beside this file\n"
_APPLICATION = 0x4D494E56
"""The number in the header of MINERVA's databases: `MINV`."""
_PARTS = ("-wal", "-shm", "-journal", "")
"""The files of a database. The main file is renamed last. If the process were killed between, a log
that stayed behind alone would belong to a new database."""
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A connection, with the lock that keeps other processes from renaming its file."""

    path: Path
    connection: sqlite3.Connection
    lock: int
    """A descriptor of the lock file."""

    def close(self) -> None:
        """Close the connection, then let go of the lock."""
        try:
            self.connection.close()
        finally:
            os.close(self.lock)

    def mark_damaged(self, cause: str) -> None:
        """Make the next process that opens the database check it and set it aside."""
        with suppress(OSError):  # there is no room: the next one will find the damage itself
            _mark(self.path).write_text(cause, encoding="utf-8")


def open_file(path: Path, *, until: float) -> OpenFile:
    """Open the database at `path`. A missing one is made; a damaged one is set aside.

    Raises:
        StateLostError: it is empty or gone, though runs were kept in it.
        StateBusyError: other processes use a damaged one, or make one, beyond `until` (monotonic
            seconds).
        OSError: a folder or a file cannot be made.
        sqlite3.Error: the file cannot be opened, and not because it is damaged.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = lock_file_of(path)
    try:
        connection = _waited_for(path, lock, until)
        if not os.fstat(lock).st_size:
            with suppress(OSError):  # no room: the next process that opens it writes this
                os.write(lock, _WITNESS)
        return OpenFile(path, connection, lock)
    except BaseException:
        os.close(lock)
        raise


def is_damage(error: sqlite3.Error) -> bool:
    """True if SQLite says that the file is no whole database."""
    return _code(error) in _DAMAGED


def is_busy(error: sqlite3.Error) -> bool:
    """True if another connection holds a lock, so the same may succeed later."""
    return _code(error) in _BUSY


def copies_set_aside(path: Path) -> list[Path]:
    """Return the databases that were set aside as damaged."""
    return sorted(path.parent.glob(f"{glob.escape(path.stem)}.damaged-*{path.suffix}"))


def is_marked(path: Path) -> bool:
    """True if the database was found damaged and has not been set aside since."""
    return _mark(path).exists()


def lock_file_of(path: Path) -> int:
    """Return a descriptor by which processes agree about the database at `path`.

    Where nothing can be written, the file is opened as it is; without one, its folder serves.

    Raises:
        OSError: neither can be opened.
    """
    file = _beside(path, LOCK_ENDING)
    try:
        return open_lock_file(file)
    except OSError as error:
        if error.errno not in READ_ONLY:
            raise
        return os.open(file if file.exists() else path.parent, os.O_RDONLY | os.O_CLOEXEC)


def is_lost(path: Path) -> bool:
    """True if the database is empty or gone, though something beside it tells of its runs.

    MINERVA itself leaves no empty database. A lock file that is not empty was written when a
    database was there; a home whose runs were never kept has none.
    """
    if _size(path):
        return False
    files = [_beside(path, "-wal"), _beside(path, LOCK_ENDING)]
    if path.exists():
        for pattern in ("runs*.jsonl", "runs/*.parquet", "artifacts/*"):
            files += path.parent.glob(pattern)
    return any(_size(file) for file in files)


def begin_anew(path: Path, *, until: float) -> None:
    """Let a new database begin where one was lost. What is left of it is kept beside.

    Raises:
        StateBusyError: other processes use it beyond `until` (monotonic seconds).
    """
    lock = lock_file_of(path)
    try:
        while not take_lock(lock):
            if time.monotonic() >= until:
                raise StateBusyError(path, "others hold it alone")
            time.sleep(_PAUSE_S)
        if is_lost(path):
            _set_aside(path, lock, "it was empty or gone")
    finally:
        os.close(lock)


def _waited_for(path: Path, lock: int, until: float) -> sqlite3.Connection:
    while True:
        connection = _opened_beside_others(path, lock) or _opened_after_repair(path, lock)
        if connection is not None:
            return connection
        if time.monotonic() >= until:
            damage = "it is damaged, and others still have it open"
            raise StateBusyError(path, damage if is_marked(path) else "others hold it alone")
        time.sleep(_PAUSE_S)


def _opened_beside_others(path: Path, lock: int) -> sqlite3.Connection | None:
    """Open a database that exists and is whole. None if it must be made or repaired first."""
    if not take_lock(lock, is_shared=True):
        return None
    try:
        if _size(path) and not is_marked(path):
            return _open_whole(path)
    except sqlite3.DatabaseError as error:
        if not (is_damage(error) or is_busy(error)):
            raise
    release_lock(lock)
    return None


def _opened_after_repair(path: Path, lock: int) -> sqlite3.Connection | None:
    """Make the database or set it aside, then open it. None while other processes have it open."""
    if not take_lock(lock):
        return None
    _prepare(path, lock)
    # The exclusive lock is not turned into a shared one: the kernel lets go of it in between, and
    # another process that got it then could rename the file of an open connection.
    release_lock(lock)
    return _opened_beside_others(path, lock)


def _open_whole(path: Path) -> sqlite3.Connection:
    """Open the database and read its schema, without which damage would not be seen yet.

    With `mode=rw` SQLite does not make the file, which others could read until its mode was
    changed. Where nothing can be written, SQLite can make no file of shared memory beside it. So a
    database whose log is empty is read without one.
    """
    connection = _connect(path, "rw", BUSY_S)
    try:
        # some builds of SQLite have NORMAL here: a loss of power then takes back what was kept
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def open_to_read(path: Path, *, seconds: float) -> sqlite3.Connection:
    """Return a connection that changes nothing, and waits `seconds` for locks of others."""
    return _connect(path, "ro", seconds)


def _connect(path: Path, mode: str, seconds: float) -> sqlite3.Connection:
    # Where nothing can be written, SQLite can make no shared memory for its log. It needs none to
    # read a database whose log is empty, because nobody writes to that.
    if not (os.access(path.parent, os.W_OK) or _size(_beside(path, "-wal"))):
        mode = "ro&immutable=1"
    address = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, uri=True, timeout=seconds, check_same_thread=False)


def _prepare(path: Path, lock: int) -> None:
    """Make the database fit to open. No other process may have it open meanwhile.

    Raises:
        StateLostError: it is empty or gone, though runs were kept in it.
    """
    if is_lost(path):
        raise StateLostError(path)
    cause = _damage(path)
    if cause is not None:
        _set_aside(path, lock, cause)
    _mark(path).unlink(missing_ok=True)
    if not _size(path):
        # It has its name once it has its first page: an empty one is a lost one. Closing this
        # descriptor drops no lock: locks belong to the process, and nobody else knows the file.
        new = _beside(path, ".new")
        os.close(os.open(new, os.O_CREAT | os.O_TRUNC | os.O_RDWR | os.O_CLOEXEC, 0o600))
        with closing(_open_whole(new)) as connection:
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
        new.replace(path)
    with suppress(sqlite3.OperationalError), closing(_open_whole(path)) as connection:
        # If two processes change the mode of a new file at once, one fails. So it is done here. If
        # the mode cannot be changed, SQLite goes on with the journal it has.
        connection.execute("PRAGMA journal_mode = WAL")


def _damage(path: Path) -> str | None:
    """Return the fault of the database, or None if none is known.

    A database in which a run found damage is read whole, because it may have been replaced from a
    backup.
    """
    if not path.exists():
        return None
    try:
        with closing(_open_whole(path)) as connection:
            if not is_marked(path):
                return None
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error) if is_damage(error) else None
    return None if found == ("ok",) else _mark(path).read_text(encoding="utf-8")


def _set_aside(path: Path, lock: int, cause: str) -> None:
    """Rename the damaged files, so a person can still read them."""
    os.ftruncate(lock, 0)  # from now on, a database that is not there was not lost
    number = 1
    while any(_beside(_aside(path, number), part).exists() for part in _PARTS):
        number += 1
    kept = _aside(path, number)
    for part in _PARTS:
        with suppress(FileNotFoundError):
            _beside(path, part).rename(_beside(kept, part))
    notice(
        f"{path} was damaged ({cause}). It is kept as {kept.name}; a new one begins without its "
        "conversations."
    )


def _size(path: Path) -> int:
    """Return the bytes of a file; 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _aside(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")


def _mark(path: Path) -> Path:
    return _beside(path, ".damaged")


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code. Errors of Python's own module have none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
