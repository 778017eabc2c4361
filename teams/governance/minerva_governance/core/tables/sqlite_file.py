"""Read the tables of a SQLite database, read-only, each as a data file of its own.

The file is opened as immutable: nothing beside it is made. What a log beside it would add is
therefore not seen, so a database with one is refused.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.tables.data_table import MAX_CELL_CHARACTERS, ByRows, Omissions, Row
from minerva_reading import UnreadableError

MAX_TABLES: Final = 500
MAX_STEPS: Final = 2_000_000_000
"""Steps of SQLite's machine for one table: a view of a hostile file could run for ever."""
_STEPS_A_CALL: Final = 1_000_000
"""Between two looks at the limit; each look calls back into Python."""


@dataclass(frozen=True)
class SqliteTable(ByRows):
    """One table of a database."""

    source: Source
    table: str
    columns: tuple[str, ...]
    unnamed_columns: frozenset[str] = frozenset()
    has_header: bool = True

    @property
    def name(self) -> str:
        """The file's name and the table's: `clinic.db.patient`."""
        return f"{self.source.name}.{self.table}"

    def rows(self, omissions: Omissions) -> Iterator[Row]:
        """Give all rows, in the order of the database."""
        try:
            with closing(_connect(self.source.path)) as database:
                cursor = database.execute(f"SELECT * FROM {_quoted(self.table)}")  # noqa: S608  # quoted
                for number, values in enumerate(cursor, 1):
                    cells = [cell_text(value, omissions) for value in values]
                    yield Row(number, list(zip(self.columns, cells, strict=True)))
        except sqlite3.Error:  # its text may quote names of the file
            raise UnreadableError(reason="no_database") from None


def open_sqlite_tables(source: Source) -> list[SqliteTable]:
    """Return the tables of the database at `source`, in the order of their names.

    Raises:
        UnreadableError: no SQLite, damaged, without tables, or with a log beside it.
    """
    for ending in ("-wal", "-journal"):
        log = source.path.with_name(source.path.name + ending)
        if log.is_file() and log.stat().st_size:
            raise UnreadableError(reason="has_log")
    try:
        with closing(_connect(source.path)) as database:
            found = database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' "
                "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
            ).fetchall()
            tables = [
                SqliteTable(source, str(name), _columns(database, str(name)))
                for (name,) in found[:MAX_TABLES]
            ]
    except sqlite3.Error:  # its text may quote names of the file
        raise UnreadableError(reason="no_database") from None
    if not tables:
        raise UnreadableError(reason="no_tables")
    if len(found) > MAX_TABLES:
        raise UnreadableError(reason="many_tables", limit=MAX_TABLES)
    return tables


def _connect(path: Path) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    database = sqlite3.connect(address, uri=True)
    database.text_factory = partial(str, encoding="utf-8", errors="replace")
    database.execute("PRAGMA query_only = ON")
    database.execute("PRAGMA trusted_schema = OFF")
    steps = iter(range(MAX_STEPS // _STEPS_A_CALL))
    database.set_progress_handler(lambda: int(next(steps, None) is None), _STEPS_A_CALL)
    return database


def _columns(database: sqlite3.Connection, table: str) -> tuple[str, ...]:
    cursor = database.execute(f"SELECT * FROM {_quoted(table)} LIMIT 0")  # noqa: S608  # quoted
    return tuple(str(column[0]) for column in cursor.description)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def cell_text(value: Any, omissions: Omissions) -> str:
    """Return a value as the text that is looked at; bytes that are no text count as binary."""
    if value is None:
        return ""
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            omissions.binary_cells += 1
            return f"\\x{value[:32].hex()}"
    text = str(value)
    if len(text) > MAX_CELL_CHARACTERS:
        omissions.long_rows += 1
    elif "\ufffd" in text:
        omissions.undecodable += 1
    return text[:MAX_CELL_CHARACTERS]
