"""The index on disk: one SQLite file per root, never changed once it is published.

A new index is written beside the old one and takes its place by one rename, so that whoever reads
keeps a whole index. What a killed process had written beside it is what the next one goes on with.
"""

import contextlib
import hashlib
import os
import shutil
import sqlite3
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

from minerva_insilico.core.facts.errors import UnusableIndexError
from minerva_insilico.core.index.schema import FORMAT, INDEXES, TABLES
from minerva_insilico.core.parsing.encoding import well_formed
from minerva_insilico.core.visitors.visit_state import split_lines

_CACHE_KIB = 8_000
_COMPANIONS = ("", "-wal", "-shm")


def database_for(root: Path, *, home: Path | None = None) -> Path:
    """Return where the index of `root` lies, under `home` or `MINERVA_HOME`."""
    base = home or Path(os.environ.get("MINERVA_HOME") or ".minerva")
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return base.absolute() / "insilico" / f"{name}.db"


def make_folder(database: Path) -> None:
    """Make the folder of indexes, and the home above it if it is missing, for the owner alone."""
    folder = database.parent
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def open_index(database: Path) -> sqlite3.Connection:
    """Open a published index for reading.

    Raises:
        UnusableIndexError: it is missing, damaged or of another format.
    """
    if not database.is_file():
        raise UnusableIndexError(database, "missing")
    try:
        address = f"{database.absolute().as_uri()}?mode=ro"
        connection = sqlite3.connect(address, uri=True, factory=_Reading)
    except sqlite3.Error as error:
        raise UnusableIndexError(database, "unopened", str(error)) from error
    try:
        row = connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
    except sqlite3.DatabaseError as error:
        connection.close()
        raise UnusableIndexError(database, "damaged", str(error)) from error
    if row is None or row[0] != FORMAT:
        connection.close()
        raise UnusableIndexError(database, "format", f"{row and row[0]}, not {FORMAT}")
    return connection


def known_digests(database: Path) -> dict[str, str] | None:
    """Return {path: digest} of an index. None if there is none to build on."""
    try:
        with contextlib.closing(open_index(database)) as connection:
            return dict(connection.execute("SELECT path, sha256 FROM files"))
    except (UnusableIndexError, sqlite3.DatabaseError):
        return None


def stage(database: Path, root: Path, *, is_fresh: bool = False) -> Path:
    """Return the private file to write into, and hold the lock.

    It is what a process that was killed left there, else a copy of the published index, else (or
    with `is_fresh`) empty.
    """
    make_folder(database)
    staged = staged_path(database)
    if not is_fresh and staged.exists() and _is_sound(staged):
        return staged
    discard(staged)
    if not is_fresh and known_digests(database) is not None:
        # Closing the copied file drops this process's SQLite locks on it. They are readers' only:
        # No process writes into a published index, so there is nothing that they keep out.
        shutil.copyfile(database, staged)
        return staged
    with writing(staged) as connection:
        connection.executescript(TABLES)
        rows = [("format", FORMAT), ("root", str(root))]
        connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
        connection.commit()
    return staged


def staged_path(database: Path) -> Path:
    """Return where an index is written before it is published."""
    return database.with_name(f".{database.stem}.staged")


@contextlib.contextmanager
def writing(path: Path) -> Generator[sqlite3.Connection]:
    """Open a staged index. Commits survive a kill, and the block's end commits."""
    connection = sqlite3.connect(path)
    try:
        # No other process sees a staged file; `publish` waits for the disk.
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        yield connection
        connection.commit()
    finally:
        connection.close()


def complete(connection: sqlite3.Connection) -> None:
    """Make what questions are answered with, where a new index does not have it yet."""
    connection.executescript(INDEXES)
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('complete', '1')")


def open_again(connection: sqlite3.Connection) -> None:
    """Note that an index is being written: it must not be published before it is complete."""
    connection.execute("DELETE FROM meta WHERE key = 'complete'")
    connection.commit()


def is_complete(path: Path) -> bool:
    """True if an index is there and was written to its end."""
    if not path.exists():
        return False
    with contextlib.closing(sqlite3.connect(path)) as connection:
        query = "SELECT 1 FROM meta WHERE key = 'complete'"
        return connection.execute(query).fetchone() is not None


def publish(path: Path, database: Path) -> None:
    """Put a staged index in the place of the published one, in one step."""
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA journal_mode = DELETE")
    finally:
        connection.close()
    with path.open("rb+") as file:
        os.fsync(file.fileno())
    path.replace(database)


def discard(path: Path) -> None:
    """Remove a staged index."""
    for companion in _COMPANIONS:
        path.with_name(path.name + companion).unlink(missing_ok=True)


def source_text(blob: bytes) -> str:
    """Return the text kept for a file."""
    return zlib.decompress(blob).decode()


def source_lines(blob: bytes) -> list[str]:
    """Return the text kept for a file, as lines."""
    return split_lines(source_text(blob))


class _Reading(sqlite3.Connection):
    """Takes any text as a value: what people type may hold a byte that is no UTF-8."""

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        """Run a query, with its values spelled as an index spells them."""
        return super().execute(sql, tuple(well_formed(list(parameters))) if parameters else ())


def _is_sound(path: Path) -> bool:
    """True if a file left behind can be built on: the machine may have gone down."""
    try:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
            checked = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError:
        return False
    return row is not None and row[0] == FORMAT and checked == ("ok",)
