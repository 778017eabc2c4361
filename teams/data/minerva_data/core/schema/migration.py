"""Write the renames of a schema as SQL of its dialect. Nothing here is ever applied.

Where a column takes the name another one gives up, the other goes first; a ring of names is
opened through a temporary one. What is no plain name, a reserved word, or another name without its
quotation marks (`"emailAddr"` in PostgreSQL) is quoted; a table goes with its schema. A column that
is inherited is renamed with that of its table. What the database would refuse is a comment.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import SqlglotError

from minerva_data.core.audit.rule import is_reserved
from minerva_data.core.audit.style import is_mixed
from minerva_data.core.glossary.datatype import read_type, row_type_change
from minerva_data.core.language.text import is_identifier
from minerva_data.core.schema.record import Dependent, Item, Row
from minerva_reading import fold, folds_case

DIALECTS = ("oracle", "postgres", "mysql", "tsql", "sqlite", "snowflake", "bigquery", "databricks")
"""Dialects whose renames are written as they ask for; others get the standard's form."""

MIN_CONFIDENCE = 0.5
"""Confidence from 0 to 1 below which a rename is no statement, only a comment."""

_PLACEHOLDER = re.compile(r"[@:&]\w+|\$\{?\w+\}?|\{\{? *[\w.]+ *\}?\}|%\(\w+\)s")
_MAX_TYPES = 4_096
HEADER = "-- Not applied. Review it, then run it on a copy first."
BACK = "-- Undoes the migration. Not applied."
TYPES = "-- Types that differ from their domain (D2). Values have to be converted by hand:"
_MARKS = {
    "narrower": ", NARROWER: values may be cut",
    "converted": ", OTHER FORM: values are converted, without what it cannot hold",
}
_USES = {
    False: "-- Left to a person: what uses a renamed column by its old name.",
    True: "-- The database itself renames in these; what a view calls its own columns stays:",
}
_KEYS = "-- Foreign keys whose two columns were called alike, and are not afterwards:"
_TEMPORARY = "_OLD"


@dataclass(frozen=True, slots=True)
class TableMigration:
    """The lines about one table: its renames, the way back, and types to decide on."""

    renames: tuple[str, ...]
    back: tuple[str, ...]
    types: tuple[str, ...]


def migration_sql(rows: Iterable[Row]) -> str:
    """Return the renames in an order that can be run, then the types to decide on, as comments."""
    groups, ends = list(rows_by_table(rows)), LooseEnds()
    tables = [table_migration(columns) for columns in groups]
    for columns in groups:
        ends.add(columns)
    said = [dialect_line(groups[0][0].item)] if groups else []
    renames = [line for table in tables for line in table.renames]
    types = [line for table in tables for line in table.types]
    head = [TYPES] if types else []
    return "\n".join([HEADER, *said, *renames, *ends.lines(), *head, *types]) + "\n"


def dialect_line(item: Item, dialect: str | None = None) -> str:
    """Return, as a comment, in which SQL a migration is written and why."""
    name = dialect or item.dialect
    if name is None:
        return "-- The standard's SQL: no dialect is named."
    fit = f"; {', '.join(item.other_dialects)} fit as well" * bool(item.other_dialects)
    unseen = "no statement shows it" if item.other_dialects else "named by a person"
    reason = "named by a person" if dialect else f"{item.dialect_reason or unseen}{fit}"
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
    exceptions, sure = _exceptions(columns), made_rows(columns)
    table, steps = _table(item, kind), list(_renames(sure, columns))
    narrower = {row.item.name: row for row in sure if row_type_change(row) == "narrower"}
    renames: list[str] = []
    for old, new in steps:
        if old.text in narrower:
            renames.append(_narrower(narrower[old.text], kind))
        renames.append(_renamed(table, old, new, kind))
    return TableMigration(
        renames=(*renames, *map(_held_line, exceptions), *_inherited_lines(columns)),
        back=tuple(_renamed(table, new, old, kind) for old, new in reversed(steps)),
        types=tuple(_types(columns, dialect)),
    )


def sure_renames(rows: Iterable[Row]) -> dict[str, Row]:
    """Return the rows that a migration renames, by `TABLE.COLUMN`; doubtful ones are left out."""
    return {_key(row): row for columns in rows_by_table(rows) for row in made_rows(columns)}


def made_rows(columns: Sequence[Row]) -> list[Row]:
    """Return the rows of one table that statements rename: sure and not inherited ones."""
    exceptions = _exceptions(columns)
    return [row for row in columns if row.status == "renamed" and not row.item.parent
            and row not in exceptions]  # fmt: skip


def _key(row: Row) -> str:
    return f"{row.item.parent or row.item.full_table}.{row.item.name}"


def with_names(rows: Sequence[Row], names: Mapping[str, str]) -> tuple[Row, ...]:
    """Return `rows` with the new names that a person wrote, by `TABLE.COLUMN`.

    A rename that is not among `names`, or that gives a column its own name, is left out. A name
    that a person changed is exact. The others stay as they are.
    """
    sure = sure_renames(rows)
    return tuple(
        _with_name(row, names.get(_key(row))) if _key(row) in sure else row for row in rows
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
        exceptions = _exceptions(columns)
        moved = [row for row in columns if row.status == "renamed" and row not in exceptions]
        new = Counter(_new_name(row).text.casefold() for row in moved)
        kept = {row.item.name.casefold() for row in columns if row not in moved}
        kept |= {name for row in moved for name in row.item.kin}
        table = columns[0].item.full_table or ""
        yield from ((table, name) for name, count in new.items() if count > 1 or name in kept)


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
        return f'"{self.text}"' if self.is_exact else self.text.casefold()


def _table(item: Item, dialect: str | None) -> str:
    """Return the name of a table with its schema, each part quoted where it needs to be."""
    names = (*item.table_path, item.table or "")
    exact = item.exact_path or (False,) * len(names)
    if item.schema_key:
        names = (item.schema_key.strip('"'), names[-1])
        exact = (item.schema_key.startswith('"'), exact[-1])
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


def _renames(rows: Sequence[Row], columns: Sequence[Row]) -> Iterator[tuple[_Name, _Name]]:
    """Yield the steps in an order that can be run; no step takes a name that is in use."""
    todo = {_Name(row.item.name, row.item.is_exact): _new_name(row) for row in rows}
    taken = {row.item.column_key for row in columns}
    while todo:
        free = [old for old, new in todo.items() if new.key not in taken - {old.key}]
        if not free:
            old_keys = {old.key for old in todo}
            old, new = next(one for one in todo.items() if one[1].key in old_keys)
            between = _Name(_unused(f"{new.text}{_TEMPORARY}", taken), new.is_exact)
            yield old, between
            todo = {between if key == old else key: value for key, value in todo.items()}
            taken = taken - {old.key} | {between.key}
            continue
        for old in free:
            new = todo.pop(old)
            yield old, new
            taken = taken - {old.key} | {new.key}


def _exceptions(columns: Sequence[Row]) -> list[Row]:
    """Return the renames that are not sure enough or barred, and those to a name that is kept.

    The name of an inherited column counts as kept: when it goes, is up to another table.
    """
    renamed = [row for row in columns if row.status == "renamed" and not row.item.parent]
    exceptions = [row for row in renamed if _is_doubtful(row)]
    heirs = {row.item.name.casefold() for row in columns if row.item.parent}
    while True:
        kept = heirs | {row.item.name.casefold() for row in exceptions}
        others = (row for row in renamed if row not in exceptions)
        more = [row for row in others if (row.physical_name or "").casefold() in kept]
        if not more:
            return exceptions
        exceptions += more


def _is_doubtful(row: Row) -> bool:
    return bool(row.item.bar) or (row.confidence or 0) < MIN_CONFIDENCE


def comment_line(line: str) -> str:
    """Return a comment of one line, whatever the names in it hold."""
    return f"-- {''.join(char for char in line if char.isprintable())}"


def _held_line(row: Row) -> str:
    """Return a rename to decide on, and why."""
    why = f"Refused by the database, {row.item.bar}" if row.item.bar else "Not sure enough"
    return comment_line(f"{why}: {row.item.full_table}.{row.item.name} -> {row.physical_name}")


def _inherited_lines(columns: Sequence[Row]) -> Iterator[str]:
    """Yield from which tables the renamed columns of this one come."""
    heirs = [row.item for row in columns
             if row.status == "renamed" and row.item.parent and not _is_doubtful(row)]  # fmt: skip
    for parent, count in Counter(item.parent for item in heirs).items():
        table = heirs[0].full_table
        yield comment_line(f"{table}: columns renamed with those of {parent}: {count}")


class LooseEnds:
    """What the renames leave to a person, gathered table by table: `lines` are comments."""

    def __init__(self) -> None:
        self._uses: dict[Dependent, list[str]] = {}
        self._keys: list[Item] = []
        self._names: dict[tuple[str, str], str] = {}

    def add(self, columns: Sequence[Row]) -> None:
        """Take up one table."""
        made = {row.item.column_key: row for row in made_rows(columns)}
        for row in columns:
            item = row.item
            new = made[item.column_key].physical_name or "" if item.column_key in made else ""
            for one in item.dependents if new else ():
                self._uses.setdefault(one, []).append(f"{item.full_table}.{item.name} -> {new}")
            if item.refers_to:
                self._keys.append(item)
            if item.refers_to or item.is_referred_to:
                self._names[item.table_key, item.column_key] = new or item.name

    def lines(self) -> Iterator[str]:
        """Yield what uses a renamed column, then the foreign keys that got two names."""
        for follows, head in _USES.items():
            uses = [one for one in self._uses if one.follows == follows]
            yield from [head] if uses else ()
            for one in uses:
                names = ", ".join(self._uses[one])
                yield comment_line(f"  {one.kind.lower()} {one.name} ({one.place}): {names}")
        apart = [(item, old, new) for item in self._keys for old, new in self._split(item)]
        yield from [_KEYS] if apart else ()
        for item, own, other in apart:
            table, column = item.refers_to or ("", "")
            here = f"{item.full_table}.{item.name}"
            yield comment_line(f"  {here}: {own}, in {table}.{column}: {other}")

    def _split(self, item: Item) -> Iterator[tuple[str, str]]:
        """Yield the two names of a foreign key whose columns were called alike before."""
        table, column = item.refers_to or ("", "")
        own = self._names[item.table_key, item.column_key]
        other = self._names.get((table, column), column)
        if item.column_key == column and own.casefold() != other.casefold():
            yield own, other


def _narrower(row: Row, dialect: str | None) -> str:
    """Return, as a comment before a rename, that the standard's type has less room."""
    wanted = type_in(row.data_type or "", dialect)
    line = (
        f"{row.item.full_table}.{row.item.name}: only the name changes. "
        f"{row.item.data_type} has more room than the standard's {wanted}; values may be cut."
    )
    return comment_line(line)


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
            yield comment_line(f"  {line}{_MARKS.get(row_type_change(row), '')}")


def quoted(name: str, dialect: str | None, *, is_exact: bool = False) -> str:
    """Return `name` so that SQL reads it as one name, whatever it holds.

    `is_exact` keeps its case where the dialect would fold it; else marks get the folded name.
    """
    is_plain = is_identifier(name) and not is_reserved(name, dialect)
    if not is_exact and (is_plain or _PLACEHOLDER.fullmatch(name)):
        return name
    text = name if is_exact else fold(name, dialect)
    visible = "".join(char for char in text if char.isprintable())
    return exp.to_identifier(visible, quoted=True).sql(dialect or "postgres")
