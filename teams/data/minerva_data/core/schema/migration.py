"""Write the renames of a schema as SQL of its dialect. Nothing here is ever applied.

Where a column takes the name another one gives up, the other goes first; a ring of names is
opened through a temporary one. What is no plain name, a reserved word, or another name without its
quotation marks (`"emailAddr"` in PostgreSQL) is quoted; a table goes with its schema.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import SqlglotError

from minerva_data.core.glossary.datatype import read_type, row_type_change
from minerva_data.core.schema.identifier import is_mixed, quoted
from minerva_data.core.schema.record import Item, Row
from minerva_reading import folds_case

DIALECTS = ("oracle", "postgres", "mysql", "tsql", "sqlite", "snowflake", "bigquery", "databricks")
"""Dialects whose renames are written as they ask for; others get the standard's form."""

MIN_CONFIDENCE = 0.5
"""Confidence from 0 to 1 below which a rename is no statement, only a comment."""

_MAX_TYPES = 4_096
HEADER = "-- Not applied. Review it, then run it on a copy first."
BACK = "-- Undoes the migration. Not applied."
TYPES = "-- Types that differ from their domain (D2). Values have to be converted by hand:"
_CUTS = ", NARROWER: values may be cut"
_TEMPORARY = "_OLD"


@dataclass(frozen=True, slots=True)
class TableMigration:
    """The lines about one table: its renames, the way back, and types to decide on."""

    renames: tuple[str, ...]
    back: tuple[str, ...]
    types: tuple[str, ...]


def migration_sql(rows: Iterable[Row]) -> str:
    """Return the renames in an order that can be run, then the types to decide on, as comments."""
    groups = list(rows_by_table(rows))
    tables = [table_migration(columns) for columns in groups]
    said = [dialect_line(groups[0][0].item)] if groups else []
    renames = [line for table in tables for line in table.renames]
    types = [line for table in tables for line in table.types]
    return "\n".join([HEADER, *said, *renames, *([TYPES] if types else []), *types]) + "\n"


def dialect_line(item: Item, dialect: str | None = None) -> str:
    """Return, as a comment, in which SQL a migration is written and why."""
    name = dialect or item.dialect
    if name is None:
        return "-- The standard's SQL: no dialect is named."
    fit = f"; {', '.join(item.other_dialects)} fit as well" * bool(item.other_dialects)
    reason = (
        "named by a person" if dialect else f"{item.dialect_reason or 'named by a person'}{fit}"
    )
    return f"-- Dialect {name}: {' '.join(reason.split())}."


def open_dialects(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return the dialects that fit a schema and rename its columns differently; none if all agree.

    What a comment says of types does not count.
    """
    for columns in rows_by_table(rows):
        item = columns[0].item
        fit = (item.dialect, *item.other_dialects) if item.dialect else ()
        written = {tuple(_statements(columns, dialect)) for dialect in fit if item.other_dialects}
        if len(written) > 1:
            return tuple(filter(None, fit))
    return ()


def _statements(columns: Sequence[Row], dialect: str | None) -> Iterator[str]:
    migration = table_migration(columns, dialect)
    yield from (line for line in (*migration.renames, *migration.back) if not line.startswith("--"))


def with_dialect(rows: Iterable[Row], dialect: str) -> tuple[Row, ...]:
    """Return `rows` in the dialect that a person has named."""
    said = {"dialect": dialect, "other_dialects": (), "dialect_reason": ""}
    return tuple(row.model_copy(update={"item": row.item.model_copy(update=said)}) for row in rows)


def rollback_sql(rows: Iterable[Row]) -> str:
    """Return the renames backwards: after both, the schema is as it was."""
    back = [line for columns in rows_by_table(rows) for line in table_migration(columns).back]
    return "\n".join([BACK, *back]) + "\n"


def table_migration(columns: Sequence[Row], dialect: str | None = None) -> TableMigration:
    """Return what is to be done with the columns of one table; tables do not touch each other.

    `dialect` is a name of sqlglot's; without it the table's own.
    """
    item = columns[0].item
    kind = dialect or item.dialect
    unsure = _unsure(columns)
    sure = [row.model_copy(update={"status": "unresolved"}) if row in unsure else row
            for row in columns]  # fmt: skip
    table, steps = _table(item, kind), list(_renames(sure))
    narrower = {row.item.name: row for row in sure if row_type_change(row) == "narrower"}
    renames: list[str] = []
    for old, new in steps:
        if old.text in narrower:
            renames.append(_narrower(narrower[old.text], kind))
        renames.append(_renamed(table, old, new, kind))
    return TableMigration(
        renames=(*renames, *map(_doubt_line, unsure)),
        back=tuple(_renamed(table, new, old, kind) for old, new in reversed(steps)),
        types=tuple(_types(columns, dialect)),
    )


def sure_renames(rows: Iterable[Row]) -> dict[str, Row]:
    """Return the rows that a migration renames, by `TABLE.COLUMN`; doubtful ones are left out."""
    return {
        f"{row.item.full_table}.{row.item.name}": row
        for columns in rows_by_table(rows)
        for row in columns
        if row.status == "renamed" and row not in _unsure(columns)
    }


def with_names(rows: Sequence[Row], names: Mapping[str, str]) -> tuple[Row, ...]:
    """Return `rows` with the new names that a person wrote, by `TABLE.COLUMN`.

    A rename that is not among `names`, or that gives a column its own name, is left out. A name
    that a person changed is exact. The others stay as they are.
    """
    sure = sure_renames(rows)
    return tuple(
        _with_name(row, names.get(f"{row.item.full_table}.{row.item.name}"))
        if row in sure.values()
        else row
        for row in rows
    )


def _with_name(row: Row, name: str | None) -> Row:
    if name is None or name == row.item.name:
        return row.model_copy(update={"status": "standard", "physical_name": row.item.name})
    if name == row.physical_name:
        return row
    return row.model_copy(update={"physical_name": name, "name_is_exact": True})


def name_clashes(rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    """Yield each table with a name that two of its columns would have after the migration."""
    for columns in rows_by_table(rows):
        unsure = _unsure(columns)
        after = Counter(
            (_new_name(row).key if row.status == "renamed" and row not in unsure
             else row.item.name.casefold())
            for row in columns
        )  # fmt: skip
        table = columns[0].item.full_table or ""
        yield from ((table, name) for name, count in after.items() if count > 1)


def rows_by_table(rows: Iterable[Row]) -> Iterable[list[Row]]:
    """Return the rows of each table, in their order; what is in no table is left out."""
    tables: dict[str, list[Row]] = {}
    for row in rows:
        if row.item.table is not None:
            tables.setdefault(row.item.table_key, []).append(row)
    return tables.values()


@lru_cache(_MAX_TYPES)
def type_in(data_type: str, dialect: str | None) -> str:
    """Return a domain's type as a dialect writes it: DATETIME is TIMESTAMP in PostgreSQL."""
    try:
        return exp.DataType.build(data_type).sql(dialect or "postgres")
    except (SqlglotError, ValueError):
        return data_type


@dataclass(frozen=True, slots=True)
class _Name:
    """A column's name before or after a step; `is_exact`: without its marks it is another."""

    text: str
    is_exact: bool = False

    @property
    def key(self) -> str:
        return self.text.casefold()


def _table(item: Item, dialect: str | None) -> str:
    """Return the name of a table with its schema, each part quoted where it needs to be."""
    names = (*item.table_path, item.table or "")
    exact = item.exact_path or (False,) * len(names)
    pairs = zip(names, exact, strict=True)
    return ".".join(quoted(name, dialect, is_exact=is_exact) for name, is_exact in pairs)


def _renamed(table: str, old: _Name, new: _Name, dialect: str | None) -> str:
    before = quoted(old.text, dialect, is_exact=old.is_exact)
    if dialect == "tsql":
        return f"EXEC sp_rename {_text(f'{table}.{before}')}, {_text(new.text)}, N'COLUMN';"
    after = quoted(new.text, dialect, is_exact=new.is_exact)
    return f"ALTER TABLE {table} RENAME COLUMN {before} TO {after};"


def _text(value: str) -> str:
    """Return a text of SQL Server: a quote in it ends nothing."""
    visible = "".join(char for char in value if char.isprintable())
    return "N'" + visible.replace("'", "''") + "'"


def _renames(columns: Sequence[Row]) -> Iterator[tuple[_Name, _Name]]:
    """Yield the steps in an order that can be run; no step takes a name that is in use."""
    todo = {
        _Name(row.item.name, row.item.is_exact): _new_name(row)
        for row in columns
        if row.status == "renamed"
    }
    taken = {row.item.name.casefold() for row in columns}
    while todo:
        free = [old for old, new in todo.items() if new.key not in taken - {old.key}]
        if not free:
            old, new = next(iter(todo.items()))
            between = _Name(_unused(f"{new.text}{_TEMPORARY}", taken), new.is_exact)
            yield old, between
            todo = {between if key == old else key: value for key, value in todo.items()}
            taken = taken - {old.key} | {between.key}
            continue
        for old in free:
            new = todo.pop(old)
            yield old, new
            taken = taken - {old.key} | {new.key}


def _unsure(columns: Sequence[Row]) -> list[Row]:
    """Return the renames that are not sure enough, and those to a name that one of them keeps."""
    renamed = [row for row in columns if row.status == "renamed"]
    unsure = [row for row in renamed if (row.confidence or 0) < MIN_CONFIDENCE]
    while True:
        kept = {row.item.name.casefold() for row in unsure}
        more = [row for row in renamed
                if row not in unsure and (row.physical_name or "").casefold() in kept]  # fmt: skip
        if not more:
            return unsure
        unsure += more


def _doubt_line(row: Row) -> str:
    """Return a rename to decide on, as a comment of one line."""
    line = f"{row.item.full_table}.{row.item.name} -> {row.physical_name}"
    return f"-- Not sure enough: {''.join(char for char in line if char.isprintable())}"


def _narrower(row: Row, dialect: str | None) -> str:
    """Return, as a comment before a rename, that the standard's type has less room."""
    wanted = type_in(row.data_type or "", dialect)
    line = (
        f"{row.item.full_table}.{row.item.name}: only the name changes. "
        f"{row.item.data_type} has more room than the standard's {wanted}; values may be cut."
    )
    return f"-- {''.join(char for char in line if char.isprintable())}"


def _new_name(row: Row) -> _Name:
    """Return the name a column gets: one in both cases, `emlAddr`, keeps them."""
    name = row.physical_name or row.item.name
    return _Name(name, row.name_is_exact or (folds_case(row.item.dialect) and is_mixed(name)))


def _unused(name: str, names: set[str]) -> str:
    while name.casefold() in names:
        name += _TEMPORARY
    return name


def _types(rows: Sequence[Row], dialect: str | None) -> Iterator[str]:
    """Yield the columns whose declared type is not their domain's, as comments of one line."""
    for row in rows:
        declared = row.item.data_type
        if declared is None or row.data_type is None:
            continue
        if read_type(declared, dialect=row.item.dialect) != read_type(row.data_type):
            wanted = type_in(row.data_type, dialect or row.item.dialect)
            name = row.physical_name or row.item.name
            line = f"{row.item.full_table}.{name}: {declared} -> {wanted} ({row.domain})"
            line += _CUTS if row_type_change(row) == "narrower" else ""
            yield "--   " + "".join(char for char in line if char.isprintable())
