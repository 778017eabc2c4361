"""Read Parquet files and the tables of DuckDB databases, by DuckDB, each as a table of rows."""

import json
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

import duckdb

from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.tables.data_table import MAX_COLUMNS, Omissions, Row
from minerva_governance.core.tables.json_file import json_cells
from minerva_governance.core.tables.relation import Relation, allow_only, connect, literal, quoted
from minerva_governance.core.tables.sqlite_file import MAX_TABLES, cell_text
from minerva_reading import UnreadableError

_BATCH_ROWS: Final = 2_048
_NESTED: Final = ("STRUCT", "UNION", "VARIANT")
_LIBRARY_KEYS: Final = ("ARROW:schema", "pandas", "geo", "iceberg.schema", "parquet.avro.schema")
"""Entries of a Parquet file by which its writers describe its types; `org.apache.…` are others."""
_MAGIC_AT: Final = 8
_MAGIC: Final = b"DUCK"
"""Of a DuckDB database, after the checksum of its first block."""


@dataclass(frozen=True)
class ColumnarTable:
    """A Parquet file (`table` is empty), or one table of a DuckDB database."""

    source: Source
    table: str
    types: tuple[tuple[str, str], ...]
    """The name and DuckDB's type of each column."""
    unnamed_columns: frozenset[str] = frozenset()
    has_header: bool = True
    schema: str = "main"
    metadata: int = 0
    """Entries beside the rows that no writer of such files makes."""

    @property
    def name(self) -> str:
        """The file's name, and the table's if it has several: `clinic.duckdb.patient`."""
        parts = (self.source.name, self.schema if self.schema != "main" else "", self.table)
        return ".".join(part for part in parts if part)

    @property
    def columns(self) -> tuple[str, ...]:
        """Their names; those inside of a nested one are known when the rows are read."""
        return tuple(name for name, _ in self.types)

    @contextmanager
    def relation(self) -> Generator[Relation | None]:
        """Open the table for queries; None if a column is nested, binary or one too many."""
        if len(self.types) > MAX_COLUMNS or any(_is_nested(kind) for _, kind in self.types):
            yield None
            return
        if any(kind == "BLOB" for _, kind in self.types):
            yield None
            return
        columns = tuple((name, _selected(name, kind)) for name, kind in self.types)
        with closing(_connect(self.source, is_database=bool(self.table))) as database:
            yield Relation(database, _relation(self), columns)

    def rows(self, omissions: Omissions) -> Iterator[Row]:
        """Give all rows, in the order of the file."""
        types = self.types[:MAX_COLUMNS]
        omissions.wide_columns += len(self.types) - len(types)
        omissions.metadata += self.metadata
        chosen = ", ".join(_selected(name, kind) for name, kind in types)
        number = 0
        try:
            with closing(_connect(self.source, is_database=bool(self.table))) as database:
                cursor = database.execute(f"SELECT {chosen} FROM {_relation(self)}")  # noqa: S608  # quoted
                while batch := cursor.fetchmany(_BATCH_ROWS):
                    for values in batch:
                        number += 1
                        yield Row(number, list(_cells(types, values, omissions)))
        except (duckdb.Error, ValueError, OverflowError, RecursionError):  # may quote the content
            raise UnreadableError(reason="no_columnar") from None


def is_duckdb(source: Source) -> bool:
    """Return whether the file begins as a DuckDB database does, whatever its name says."""
    try:
        with source.path.open("rb") as stream:
            return stream.read(_MAGIC_AT + len(_MAGIC))[_MAGIC_AT:] == _MAGIC
    except OSError:  # whoever opens it next says why
        return False


def open_columnar_tables(source: Source, *, is_database: bool) -> list[ColumnarTable]:
    """Return the tables of a DuckDB database by name, or the one of a Parquet file.

    Raises:
        UnreadableError: neither, damaged, without tables, or with a log beside it.
    """
    log = source.path.with_name(source.path.name + ".wal")
    if is_database and log.is_file() and log.stat().st_size:
        raise UnreadableError(reason="has_log")
    try:
        with closing(_connect(source, is_database=is_database)) as database:
            names = _tables(database) if is_database else [("main", "")]
            tables = [ColumnarTable(source, name, (), schema=schema) for schema, name in names]
            found = [replace(each, types=_types(database, each)) for each in tables[:MAX_TABLES]]
            if not is_database:
                found = [replace(each, metadata=_entries(database)) for each in found]
    except (duckdb.Error, ValueError):
        raise UnreadableError(reason="no_columnar") from None
    if not found:
        raise UnreadableError(reason="no_tables")
    if len(names) > MAX_TABLES:
        raise UnreadableError(reason="many_tables", limit=MAX_TABLES)
    return found


def _connect(source: Source, *, is_database: bool) -> duckdb.DuckDBPyConnection:
    database = connect()
    path = str(source.path.absolute())
    try:
        if is_database:
            database.execute(f"ATTACH {literal(path)} AS reviewed (TYPE duckdb, READ_ONLY)")
        else:
            database.execute(
                "CREATE VIEW parquet AS SELECT * FROM "  # noqa: S608  # quoted
                f"read_parquet({allow_only(database, source)}, hive_partitioning = false)"
            )
            database.execute(
                "CREATE TEMP TABLE entries AS SELECT decode(key) AS key FROM "  # noqa: S608  # quoted
                f"parquet_kv_metadata({literal(path)})"
            )
        database.execute("SET enable_external_access = false")
    except duckdb.Error:
        database.close()
        raise
    return database


def _tables(database: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    rows = database.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() "
        "WHERE database_name = 'reviewed' AND NOT internal ORDER BY ALL"
    ).fetchall()
    return [(str(schema), str(table)) for schema, table in rows]


def _entries(database: duckdb.DuckDBPyConnection) -> int:
    """Count the entries of a file's metadata that describe no types, as its writers' do."""
    others = (
        f"key NOT IN ({', '.join(map(literal, _LIBRARY_KEYS))}) AND key NOT LIKE 'org.apache.%'"
    )
    rows = database.execute(f"SELECT count(*) FROM entries WHERE {others}").fetchall()  # noqa: S608  # ours
    ((count,),) = rows
    return int(count)


def _relation(table: ColumnarTable) -> str:
    if not table.table:
        return "parquet"
    return f"reviewed.{quoted(table.schema)}.{quoted(table.table)}"


def _types(
    database: duckdb.DuckDBPyConnection, table: ColumnarTable
) -> tuple[tuple[str, str], ...]:
    rows = database.execute(f"DESCRIBE SELECT * FROM {_relation(table)}").fetchall()  # noqa: S608  # quoted
    return tuple((str(name), str(kind)) for name, kind, *_ in rows)


def _is_nested(kind: str) -> bool:
    return kind.startswith((*_NESTED, "MAP")) or kind.endswith("]")


def _selected(name: str, kind: str) -> str:
    """Return the expression of a column: nested ones as JSON, a map's keys as values, not names."""
    column = quoted(name)
    if kind.startswith("MAP") and not kind.endswith("]"):
        return f"CAST(to_json(map_entries({column})) AS VARCHAR)"
    if _is_nested(kind):
        return f"CAST(to_json({column}) AS VARCHAR)"
    return column if kind == "BLOB" else f"CAST({column} AS VARCHAR)"


def _cells(
    types: tuple[tuple[str, str], ...], values: tuple[Any, ...], omissions: Omissions
) -> Iterator[tuple[str, str]]:
    for (name, kind), value in zip(types, values, strict=True):
        if value is not None and _is_nested(kind):
            for inner, text in json_cells(json.loads(value), name):
                yield inner, cell_text(text, omissions)
        else:
            yield name, cell_text(value, omissions)
