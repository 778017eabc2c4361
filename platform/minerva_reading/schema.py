"""What a schema declares: tables, their columns, and the rows that statements put into them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

LITERALS: Final = "literals"
"""The column of values that stand in no known column."""

Cells = list[tuple[str, str]]
"""The values of a row, each after the name of its column."""


class SchemaColumn(NamedTuple):
    """A column as its schema declares it; `line` is the schema's, from 1.

    `table_path` is what stands before the table's name, outermost first: ("crm",). `is_exact` says
    that the column keeps its case only in quotation marks, `exact_path` the same of each name of
    the path and, last, of the table; none is if it is empty.
    """

    table: str
    name: str
    data_type: str | None
    comment: str | None
    line: int
    table_path: tuple[str, ...] = ()
    is_exact: bool = False
    exact_path: tuple[bool, ...] = ()


class SchemaTable(NamedTuple):
    """A table as its schema declares it.

    `key` is what no other table of the schema has, `column_keys` the same of its columns; both are
    empty where rows are read.
    """

    name: str
    comment: str = ""
    line: int = 1
    key: str = ""
    column_keys: frozenset[str] = frozenset()


class SchemaFault(NamedTuple):
    """What of a schema is not understood, its line, from 1, and how the statement begins.

    `statement` is empty where rows are read, because it may hold their values. `is_loss` is False
    if neither a table nor a column or a comment is lost by it.
    """

    line: int
    error: str
    statement: str = ""
    is_loss: bool = True


ColumnKey = tuple[str, str]
"""The key of a table and that of a column of it."""


class Dependent(NamedTuple):
    """An object of the database that uses a column: its kind in capitals, its name, its line.

    `follows`: the database itself gives it the new name of a column.
    """

    kind: str
    name: str
    line: int
    follows: bool = False


@dataclass(slots=True)
class Ties:
    """What a schema builds on its columns, so that a rename moves it or breaks it.

    `references` are the columns that foreign keys refer to, `bars` the clauses that keep the
    database from renaming a column, `parents` the tables whose columns a table inherits. `schemas`
    are those of tables whose names do not say them: `SET search_path` or `SET SCHEMA` do.
    """

    dependents: dict[ColumnKey, list[Dependent]] = field(
        default_factory=dict[ColumnKey, list[Dependent]]
    )
    references: dict[ColumnKey, ColumnKey] = field(default_factory=dict[ColumnKey, ColumnKey])
    bars: dict[ColumnKey, str] = field(default_factory=dict[ColumnKey, str])
    parents: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    schemas: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class InsertedRows:
    """The rows that a script puts into one table, each as its line and the cells by column.

    `table` is "" for values that stand in no table that is known.
    """

    table: str
    columns: Sequence[str] = ()
    rows: list[tuple[int, Cells]] = field(default_factory=list[tuple[int, Cells]])


@dataclass(slots=True)
class Schema:
    """The columns of all tables in their order, and what could not be read.

    `duplicates` are tables and columns that are defined twice, the later ones of which do not
    count. `dialect` is sqlglot's name of the SQL, `dialect_reason` what shows it, and
    `other_dialects` are those that fit as well.
    """

    dialect: str
    columns: list[SchemaColumn] = field(default_factory=list[SchemaColumn])
    tables: list[SchemaTable] = field(default_factory=list[SchemaTable])
    faults: list[SchemaFault] = field(default_factory=list[SchemaFault])
    duplicates: list[SchemaFault] = field(default_factory=list[SchemaFault])
    rows: list[InsertedRows] = field(default_factory=list[InsertedRows])
    dialect_reason: str = ""
    other_dialects: tuple[str, ...] = ()
