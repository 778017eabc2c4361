"""The index on disk: one SQLite file per root, never changed once it is published.

A new index is written beside the old one and takes its place by one rename.
Whoever reads keeps a whole index, processes that index at the same time cannot
mix their rows, and a killed one leaves only a file that the next removes.
"""

import contextlib
import hashlib
import os
import shutil
import sqlite3
import sys
import tempfile
import time
import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

from minerva_insilico.core.fault import UnusableIndexError
from minerva_insilico.core.parser import Failure
from minerva_insilico.core.walk import module_parts, split_lines

FORMAT = f"3-python{sys.version_info.major}.{sys.version_info.minor}"
"""Another format is not read: the rows, or the grammar they came from, differ."""

_STALE_SECONDS = 3600.0
_STAGED = ".staged"

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, sha256 TEXT NOT NULL,
    lines INTEGER, module TEXT NOT NULL DEFAULT '', error TEXT, error_line INTEGER, source BLOB
);
CREATE TABLE symbols (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, qualname TEXT NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, line INTEGER NOT NULL, end_line INTEGER NOT NULL, signature TEXT NOT NULL,
    decorators TEXT NOT NULL, docstring TEXT, documented INTEGER NOT NULL,
    complexity INTEGER NOT NULL
);
CREATE TABLE calls (
    file INTEGER NOT NULL, line INTEGER NOT NULL, symbol INTEGER NOT NULL, name TEXT NOT NULL,
    binding TEXT NOT NULL
);
CREATE TABLE imports (
    file INTEGER NOT NULL, line INTEGER NOT NULL, target TEXT NOT NULL, tail TEXT NOT NULL,
    name TEXT NOT NULL, bound TEXT NOT NULL, binding TEXT NOT NULL, guard TEXT NOT NULL
);
CREATE TABLE uses (
    file INTEGER NOT NULL, line INTEGER NOT NULL, symbol INTEGER NOT NULL, name TEXT NOT NULL,
    kind TEXT NOT NULL, sink TEXT, tables TEXT NOT NULL
);
CREATE INDEX symbols_by_file ON symbols (file);
CREATE INDEX symbols_by_name ON symbols (name COLLATE NOCASE);
CREATE INDEX calls_by_file ON calls (file);
CREATE INDEX calls_by_name ON calls (name);
CREATE INDEX imports_by_file ON imports (file);
CREATE INDEX imports_by_tail ON imports (tail);
CREATE INDEX imports_by_name ON imports (name);
CREATE INDEX uses_by_file ON uses (file);
CREATE INDEX uses_by_name ON uses (name COLLATE NOCASE);
CREATE INDEX uses_by_sink ON uses (sink) WHERE sink IS NOT NULL;
"""
_OWNED = ("symbols", "calls", "imports", "uses")


def database_for(root: Path, *, home: Path | None = None) -> Path:
    """Return where the index of `root` lies, under `home` or `MINERVA_HOME`."""
    base = home or Path(os.environ.get("MINERVA_HOME") or ".minerva")
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return base.absolute() / "insilico" / f"{name}.db"


def open_index(database: Path) -> sqlite3.Connection:
    """Open a published index for reading.

    Raises:
        UnusableIndexError: it is missing, damaged or of another format.
    """
    if not database.is_file():
        raise UnusableIndexError(database, "does not exist")
    try:
        connection = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise UnusableIndexError(database, f"cannot be opened ({error})") from error
    try:
        row = connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
    except sqlite3.DatabaseError as error:
        connection.close()
        raise UnusableIndexError(database, f"is damaged ({error})") from error
    if row is None or row[0] != FORMAT:
        connection.close()
        raise UnusableIndexError(database, f"has the format {row and row[0]}, not {FORMAT}")
    return connection


def known_hashes(database: Path) -> dict[str, str]:
    """Return {path: sha256} of a published index; empty if there is none to build on."""
    try:
        with contextlib.closing(open_index(database)) as connection:
            return dict(connection.execute("SELECT path, sha256 FROM files"))
    except (UnusableIndexError, sqlite3.DatabaseError):
        return {}


def stage(database: Path, root: Path, *, is_fresh: bool) -> Path:
    """Return a private copy of the index to write into; a fresh one starts from nothing."""
    database.parent.mkdir(parents=True, exist_ok=True)
    _remove_stale(database)
    handle, name = tempfile.mkstemp(_STAGED, f".{database.stem}-", database.parent)
    os.close(handle)
    staged = Path(name)
    if not is_fresh:
        shutil.copyfile(database, staged)
        return staged
    with writing(staged) as connection:
        connection.executescript(_SCHEMA)
        rows = [("format", FORMAT), ("root", str(root))]
        connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
    return staged


@contextlib.contextmanager
def writing(staged: Path) -> Generator[sqlite3.Connection]:
    """Open a staged index; commit at the end of the block."""
    connection = sqlite3.connect(staged, isolation_level=None)
    try:
        # Nobody else sees a staged file, and a torn one is never published.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        yield connection
        if connection.in_transaction:
            connection.execute("COMMIT")
    finally:
        connection.close()


def remove_file(connection: sqlite3.Connection, path: str) -> None:
    """Take a file and all its rows out."""
    row = connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
    if row is not None:
        for table in _OWNED:
            connection.execute(f"DELETE FROM {table} WHERE file = ?", row)  # noqa: S608 - ours
        connection.execute("DELETE FROM files WHERE id = ?", row)


def add_failure(connection: sqlite3.Connection, path: str, sha256: str, failure: Failure) -> None:
    """Note a file that gave no facts; one that may succeed later keeps no hash."""
    remove_file(connection, path)
    connection.execute(
        "INSERT INTO files (path, sha256, error, error_line) VALUES (?, ?, ?, ?)",
        (path, sha256 if failure.lasting else "", failure.error, failure.line),
    )


def add_facts(
    connection: sqlite3.Connection, path: str, sha256: str, facts: dict[str, Any], source: bytes
) -> None:
    """Put the rows of one module in, in place of what the path had."""
    remove_file(connection, path)
    file = connection.execute(
        "INSERT INTO files (path, sha256, lines, source) VALUES (?, ?, ?, ?)",
        (path, sha256, facts["lines"], source),
    ).lastrowid
    last = connection.execute("SELECT coalesce(max(id), 0) FROM symbols").fetchone()[0]
    first = last + 1
    connection.executemany(
        "INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (first + number, file, qualname, _name(qualname, path), *rest[:4],
             "\n".join(rest[4]), *rest[5:])
            for number, (qualname, *rest) in enumerate(facts["symbols"])
        ),
    )  # fmt: skip
    connection.executemany(
        "INSERT INTO calls VALUES (?, ?, ?, ?, ?)",
        ((file, line, first + symbol, *rest) for line, symbol, *rest in facts["calls"]),
    )
    connection.executemany(
        "INSERT INTO imports VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (file, line, target, target.rpartition(".")[2], *rest)
            for line, target, *rest in facts["imports"]
        ),
    )
    connection.executemany(
        "INSERT INTO uses VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (file, line, first + symbol, name, kind, sink, tables)
            for name, kind, line, symbol, sink, tables in facts["uses"]
        ),
    )


def publish(staged: Path, database: Path) -> None:
    """Put a staged index in the place of the published one, in one step."""
    with staged.open("rb+") as file:
        os.fsync(file.fileno())
    staged.replace(database)


def source_lines(blob: bytes) -> list[str]:
    """Return the text kept for a file, as lines."""
    return split_lines(zlib.decompress(blob).decode())


def _name(qualname: str, path: str) -> str:
    """Return the last name of a symbol; a module is named by its path."""
    return qualname.rpartition(".")[2] or "".join(module_parts(path)[-1:])


def _remove_stale(database: Path) -> None:
    oldest = time.time() - _STALE_SECONDS
    for staged in database.parent.glob(f".{database.stem}-*{_STAGED}"):
        with contextlib.suppress(OSError):  # another process removed it first
            if staged.stat().st_mtime < oldest:
                staged.unlink()
