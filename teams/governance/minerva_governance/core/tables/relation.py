"""What DuckDB reads by itself of one file, and of no other.

DuckDB opens the one file: neither extensions nor further paths, and a name is never a pattern.
Nothing is written: what does not fit into `MEMORY_LIMIT` fails instead of going to the disk.
"""

import re
from typing import Final, NamedTuple

import duckdb

from minerva_governance.core.reading.source_files import Source

MEMORY_LIMIT: Final = "256MB"

REFUSED: Final = (
    *(duckdb.InvalidInputException, duckdb.IOException, duckdb.ConversionException),
    *(duckdb.OutOfMemoryException, duckdb.OutOfRangeException, duckdb.SerializationException),
)
"""What DuckDB raises on a file that is not all that its format allows, or is too much for it."""


class Relation(NamedTuple):
    """A table that a query can be asked of; `columns` are expressions of its texts, by name.

    A query raises one of `REFUSED` if the file cannot be read so.

    The order of its rows is the file's: `row_number() OVER ()` numbers them from 1.
    """

    database: duckdb.DuckDBPyConnection
    sql: str
    columns: tuple[tuple[str, str], ...]


def connect() -> duckdb.DuckDBPyConnection:
    """Return a database in memory that loads no extension and writes no file."""
    database = duckdb.connect(
        config={
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "memory_limit": MEMORY_LIMIT,
            "temp_directory": "",
            "threads": 2,
        }
    )
    database.execute("SET enable_progress_bar = false")  # on a terminal it is drawn over our words
    return database


def allow_only(database: duckdb.DuckDBPyConnection, source: Source) -> str:
    """Let `database` open the file of `source` and nothing else; return its path as a literal."""
    path = str(source.path.absolute())
    pattern = re.sub(r"([\[*?])", r"[\1]", path)
    database.execute(f"SET allowed_paths = [{literal(path)}, {literal(pattern)}]")
    return literal(pattern)


def quoted(name: str) -> str:
    """Return `name` as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return `text` as a string of SQL."""
    return "'" + text.replace("'", "''") + "'"
