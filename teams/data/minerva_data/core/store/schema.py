"""The tables of `glossary.db`, and how a file of another version is met.

One table holds entries of all kinds: what is common to them (edition, import, row, key) are
columns, what is a kind's own is JSON.
"""

import os
import sqlite3
import threading
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

VERSION = 1
"""`PRAGMA user_version` of the files that this code reads and writes."""

BUSY_SECONDS = 30.0
"""How long a writer waits for another one."""

_CALIBRATION = """
CREATE TABLE IF NOT EXISTS calibration (
    edition_id INTEGER NOT NULL REFERENCES edition ON DELETE CASCADE,
    cell TEXT NOT NULL,
    asked INTEGER NOT NULL,
    is_right INTEGER NOT NULL
)
"""
"""Files of this version that were made before names were measured get it when they are opened."""

_making = threading.Lock()


class StoreError(Exception):
    """The glossary file cannot be used; says what to do."""


def connect(path: Path, *, is_shared: bool = False) -> sqlite3.Connection:
    """Return a connection to the file, which is made (for its owner alone) if it is not there.

    `is_shared`: several threads use it, which take turns.

    Raises:
        StoreError: it is no glossary file, is of a newer MINERVA, or cannot be opened.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _making:
            _make_private(path)
            connection = sqlite3.connect(
                path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=not is_shared
            )
    except (OSError, sqlite3.Error) as error:
        message = f"{path} cannot be opened ({error}). Check the folder and its rights."
        raise StoreError(message) from error
    try:
        _prepare(connection, path)
    except sqlite3.Error as error:
        connection.close()
        message = f"{path} cannot be used ({error}). Move it away and import the glossaries again."
        raise StoreError(message) from error
    except StoreError:
        connection.close()
        raise
    return connection


def _make_private(path: Path) -> None:
    """Make the file if it is missing, readable by its owner alone.

    Closing any descriptor of a database drops the locks that SQLite has taken on it in this
    process ("How to corrupt an SQLite database", 2.2). So one that is there is not opened, and
    nobody connects to a new one before the descriptor that made it is closed.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode = WAL")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == 0:
        version = _create(connection)
    if version != VERSION:
        message = (
            f"{path} is of version {version}, this MINERVA reads {VERSION}. "
            "Use the MINERVA that wrote it, or move it away and import the glossaries again."
        )
        raise StoreError(message)
    connection.execute(_CALIBRATION)


def _create(connection: sqlite3.Connection) -> int:
    """Make the tables, unless another process did so meanwhile; return the file's version."""
    connection.execute("BEGIN IMMEDIATE")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == 0:
        tables = (files("minerva_data.core.store") / "tables.sql").read_text("utf-8")
        for statement in _statements(tables):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        version = VERSION
    connection.execute("COMMIT")
    return int(version)


def _statements(script: str) -> list[str]:
    """Cut the script at `;` where a statement is complete: `executescript` would commit first."""
    found: list[str] = []
    text = ""
    for line in script.splitlines(keepends=True):
        text += line
        if sqlite3.complete_statement(text):
            found.append(text)
            text = ""
    return found
