"""Write the renames of a schema as SQL of its dialect. Nothing here is ever applied.

Where a column takes the name another one gives up, the other goes first; a ring of names is
opened through a temporary one. What is no plain name, or a reserved word, is quoted.
"""

from collections.abc import Iterable, Iterator

from sqlglot import exp
from sqlglot.errors import SqlglotError

from minerva_data.core.datatype import read_type
from minerva_data.core.record import Row
from minerva_data.core.reserved import is_reserved
from minerva_data.core.text import is_identifier

DIALECTS = ("oracle", "postgres", "mysql", "tsql", "sqlite", "snowflake", "bigquery", "databricks")
"""Dialects whose renames are written as they ask for; others get the standard's form."""

_HEADER = "-- Not applied. Review it, then run it on a copy first."
_BACK = "-- Undoes the migration. Not applied."
_TYPES = "-- Types that differ from their domain (D2). Values have to be converted by hand:"
_TEMPORARY = "_OLD"
_Rename = tuple[str, str, str]


def migration_sql(rows: Iterable[Row], *, dialect: str | None = None) -> str:
    """Return the renames in an order that can be run, then the types to decide on, as comments.

    `dialect` is a name of sqlglot's; without it each table's own.
    """
    given = list(rows)
    lines = [_HEADER]
    lines += [_renamed(table, old, new, kind) for table, old, new, kind in _steps(given, dialect)]
    types = list(_types(given, dialect))
    return "\n".join([*lines, *([_TYPES] if types else []), *types]) + "\n"


def rollback_sql(rows: Iterable[Row], *, dialect: str | None = None) -> str:
    """Return the renames backwards: after both, the schema is as it was."""
    steps = reversed(list(_steps(list(rows), dialect)))
    lines = [_renamed(table, new, old, kind) for table, old, new, kind in steps]
    return "\n".join([_BACK, *lines]) + "\n"


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


def _steps(rows: list[Row], dialect: str | None) -> Iterator[tuple[str, str, str, str | None]]:
    """Yield table, old name, new name and dialect of each rename."""
    tables: dict[str, list[Row]] = {}
    for row in rows:
        if row.item.table is not None:
            tables.setdefault(row.item.table, []).append(row)
    for table, columns in tables.items():
        kind = dialect or columns[0].item.dialect
        for old, new in _renames(columns):
            yield table, old, new, kind


def _renames(columns: list[Row]) -> Iterator[tuple[str, str]]:
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


def _types(rows: list[Row], dialect: str | None) -> Iterator[str]:
    """Yield the columns whose declared type is not their domain's, as comments of one line."""
    for row in rows:
        declared = row.item.data_type
        if row.item.table is None or declared is None or row.data_type is None:
            continue
        if read_type(declared, dialect=row.item.dialect) != read_type(row.data_type):
            wanted = type_in(row.data_type, dialect or row.item.dialect)
            name = row.physical_name or row.item.name
            line = f"{row.item.table}.{name}: {declared} -> {wanted} ({row.domain})"
            yield "--   " + "".join(char for char in line if char.isprintable())
