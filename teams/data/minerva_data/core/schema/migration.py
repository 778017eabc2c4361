"""Write the renames of a schema as SQL of its dialect. Nothing here is ever applied.

Where a column takes the name another one gives up, the other goes first; a ring of names is
opened through a temporary one. What is no plain name, or a reserved word, is quoted.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import SqlglotError

from minerva_data.core.audit.reserved import is_reserved
from minerva_data.core.glossary.datatype import read_type
from minerva_data.core.language.text import is_identifier
from minerva_data.core.schema.record import Row

DIALECTS = ("oracle", "postgres", "mysql", "tsql", "sqlite", "snowflake", "bigquery", "databricks")
"""Dialects whose renames are written as they ask for; others get the standard's form."""

_TYPES_KEPT = 4_096
HEADER = "-- Not applied. Review it, then run it on a copy first."
BACK = "-- Undoes the migration. Not applied."
TYPES = "-- Types that differ from their domain (D2). Values have to be converted by hand:"
_TEMPORARY = "_OLD"


@dataclass(frozen=True, slots=True)
class TableMigration:
    """The lines about one table: its renames, the way back, and types to decide on."""

    renames: tuple[str, ...]
    back: tuple[str, ...]
    types: tuple[str, ...]


def migration_sql(rows: Iterable[Row], *, dialect: str | None = None) -> str:
    """Return the renames in an order that can be run, then the types to decide on, as comments.

    `dialect` is a name of sqlglot's; without it each table's own.
    """
    tables = [table_migration(columns, dialect) for columns in _by_table(rows)]
    renames = [line for table in tables for line in table.renames]
    types = [line for table in tables for line in table.types]
    return "\n".join([HEADER, *renames, *([TYPES] if types else []), *types]) + "\n"


def rollback_sql(rows: Iterable[Row], *, dialect: str | None = None) -> str:
    """Return the renames backwards: after both, the schema is as it was."""
    back = [line for columns in _by_table(rows) for line in table_migration(columns, dialect).back]
    return "\n".join([BACK, *back]) + "\n"


def table_migration(columns: Sequence[Row], dialect: str | None = None) -> TableMigration:
    """Return what is to be done with the columns of one table; tables do not touch each other."""
    table, kind = columns[0].item.table or "", dialect or columns[0].item.dialect
    steps = list(_renames(columns))
    return TableMigration(
        renames=tuple(_renamed(table, old, new, kind) for old, new in steps),
        back=tuple(_renamed(table, new, old, kind) for old, new in reversed(steps)),
        types=tuple(_types(columns, dialect)),
    )


def _by_table(rows: Iterable[Row]) -> Iterable[list[Row]]:
    tables: dict[str, list[Row]] = {}
    for row in rows:
        if row.item.table is not None:
            tables.setdefault(row.item.table, []).append(row)
    return tables.values()


@lru_cache(_TYPES_KEPT)
def type_in(data_type: str, dialect: str | None) -> str:
    """Return a domain's type as a dialect writes it: DATETIME is TIMESTAMP in PostgreSQL."""
    try:
        return exp.DataType.build(data_type).sql(dialect or "postgres")
    except (SqlglotError, ValueError):
        return data_type


def quoted(name: str, dialect: str | None) -> str:
    """Return `name` so that SQL reads it as one name, whatever it holds."""
    if is_identifier(name) and not is_reserved(name, dialect):
        return name
    visible = "".join(char for char in name if char.isprintable())
    return exp.to_identifier(visible, quoted=True).sql(dialect or "postgres")


def _renamed(table: str, old: str, new: str, dialect: str | None) -> str:
    if dialect == "tsql":
        place = f"{quoted(table, dialect)}.{quoted(old, dialect)}"
        return f"EXEC sp_rename {_text(place)}, {_text(new)}, N'COLUMN';"
    names = f"{quoted(old, dialect)} TO {quoted(new, dialect)}"
    return f"ALTER TABLE {quoted(table, dialect)} RENAME COLUMN {names};"


def _text(value: str) -> str:
    """Return a text of SQL Server: a quote in it ends nothing."""
    visible = "".join(char for char in value if char.isprintable())
    return "N'" + visible.replace("'", "''") + "'"


def _renames(columns: Sequence[Row]) -> Iterator[tuple[str, str]]:
    todo = {
        row.item.name: row.physical_name
        for row in columns
        if row.status == "renamed" and row.physical_name is not None
    }
    taken = {row.item.name.casefold() for row in columns}
    while todo:
        free = [old for old, new in todo.items() if new.casefold() not in taken - {old.casefold()}]
        if not free:
            old, new = next(iter(todo.items()))
            between = f"{new}{_TEMPORARY}"
            yield old, between
            todo = {between if key == old else key: value for key, value in todo.items()}
            taken = taken - {old.casefold()} | {between.casefold()}
            continue
        for old in free:
            new = todo.pop(old)
            yield old, new
            taken = taken - {old.casefold()} | {new.casefold()}


def _types(rows: Sequence[Row], dialect: str | None) -> Iterator[str]:
    """Yield the columns whose declared type is not their domain's, as comments of one line."""
    for row in rows:
        declared = row.item.data_type
        if declared is None or row.data_type is None:
            continue
        if read_type(declared, dialect=row.item.dialect) != read_type(row.data_type):
            wanted = type_in(row.data_type, dialect or row.item.dialect)
            name = row.physical_name or row.item.name
            line = f"{row.item.table}.{name}: {declared} -> {wanted} ({row.domain})"
            yield "--   " + "".join(char for char in line if char.isprintable())
