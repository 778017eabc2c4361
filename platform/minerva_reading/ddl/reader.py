"""Read the columns of a schema from the DDL of any dialect that sqlglot has words for.

A statement that is not understood is reported with its line and costs nothing but itself; what is
known to define no columns, an INSERT say, is passed over.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache

from sqlglot.errors import SqlglotError

from minerva_platform.text import read_words
from minerva_reading.ddl.alteration import read_alteration
from minerva_reading.ddl.column_definition import Fault
from minerva_reading.ddl.schema_table import Table, Tables
from minerva_reading.ddl.sql_word import SQL
from minerva_reading.ddl.statement import Statement, statements
from minerva_reading.ddl.table_definition import read_table
from minerva_reading.identifier import Identifier
from minerva_reading.schema import Schema, SchemaFault, SchemaTable

_LEADING = re.compile(
    r"(?:\s+|--[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z)|^[ \t]*#[^\n]*)*", re.DOTALL | re.MULTILINE
)
_FIRST = re.compile(r"[A-Za-z_]+|\S")
_CREATE = re.compile(
    r"""
    CREATE\s+(?:OR\s+\w+\s+)?
    (?:(?!TABLE|VIEW|AS|ON|FUNCTION|INDEX|TRIGGER|PROCEDURE)\w+\s+){0,4}?  # GLOBAL TEMPORARY, …
    (?P<what>TABLE|VIEW)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ALTER = re.compile(r"ALTER\s+(?:FOREIGN\s+|EXTERNAL\s+|ICEBERG\s+)?TABLE\b", re.IGNORECASE)
_INTO = re.compile(r"SELECT\b[^;]*?\bINTO\s+(?![@:])\S+\s+FROM\b", re.IGNORECASE)
_NAME = r'(?:"[^"]+"|`[^`]+`|\[[^\]]+\]|[\w$\#@]+)'
_COMMENT = re.compile(
    rf"""
    COMMENT\s+ON\s+COLUMN\s+
    ({_NAME}(?:\s*\.\s*{_NAME})+)\s+IS\s+       # sales.orders.amount IS
    (?:[EN]?'((?:[^']|'')*)'|NULL)\s*\Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SAYS = re.compile(r"COMMENT\s+ON\s+COLUMN\b", re.IGNORECASE)
_PROPERTY = re.compile(r"EXEC(?:UTE)?\s+(?:\w+\s*\.\s*)*sp_addextendedproperty\b", re.IGNORECASE)
_ARGUMENT = re.compile(r"@(\w+)\s*=\s*N?'((?:[^']|'')*)'")
_PART = re.compile(_NAME)
_CURRENT = re.compile(
    rf"""
    (?:
      SET\s+(?:SESSION\s+)?search_path\s*(?:=|\bTO\b)
    | USE(?:\s+(?:SCHEMA|DATABASE))?
    )\s*'?({_NAME})
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NO_COLUMNS = frozenset(SQL["statements_without_columns"])
_MAX_EXCERPT_CHARACTERS = 80


def read_columns(sql: str, *, dialect: str | None = None) -> Schema:
    """Return the columns that `sql` creates, with their comments; the dialect is found by marks."""
    reader = _Reader(dialect or dialect_of(sql))
    for statement in statements(sql, reader.dialect):
        reader.follow(statement)
    return reader.schema()


class _Reader:
    """Follows the statements of one file; `tables` is what they make together."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.tables = Tables(dialect)
        self.faults: list[SchemaFault] = []
        self.duplicates: list[SchemaFault] = []

    def schema(self) -> Schema:
        """Return what the statements made."""
        self.tables.say_comments()
        schema = Schema(self.dialect, faults=self.faults, duplicates=self.duplicates)
        for table in self.tables.all:
            keys = frozenset(table.columns)
            schema.tables.append(SchemaTable(table.name, key=table.key, column_keys=keys))
            schema.columns += table.declarations(self.dialect)
            table.columns.clear()  # a second list doubles the memory
        return schema

    def follow(self, statement: Statement) -> None:
        """Follow one statement."""
        found = _LEADING.match(statement.text)
        code = statement.text[found.end() :] if found else statement.text
        first = _FIRST.match(code)
        if first is None:
            return
        comment = _COMMENT.match(code)
        create = _CREATE.match(code)
        if comment:
            said = (comment[2] or "").replace("''", "'")
            self.tables.comments.append((_path(comment[1]), said))
        elif _SAYS.match(code):
            self._report(statement, "the comment on a column is not understood")
        elif create and create["what"].upper() == "VIEW":
            self._report(statement, "a view is not read: its columns are those of its query")
        elif create or _ALTER.match(code):
            self._understand(statement, is_new=create is not None)
        elif _PROPERTY.match(code):
            self._describe(code)
        elif (current := _CURRENT.match(code)) is not None:
            self.tables.current = _path(current[1])[0].text
        elif _INTO.match(code):
            self._report(statement, "a table that SELECT … INTO makes is not read")
        elif first.group().upper() not in _NO_COLUMNS and first.group() not in {"\\", "@"}:
            self._report(statement, f"`{first.group()[:20]}` begins no statement that is known")

    def _understand(self, statement: Statement, *, is_new: bool) -> None:
        try:
            done = self._create(statement) if is_new else self._alter(statement)
        except (SqlglotError, RecursionError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            self._report(statement, reason)
            return
        if not done:
            self._report(statement, "Expected table name, and there is none")

    def _create(self, statement: Statement) -> bool:
        read = read_table(statement.text, self.dialect)
        if read is None:
            return False
        if read.is_part:
            return True
        if self.tables.find(read.path, is_new=True):
            reason = f"table {_path_text(read.path)} is created twice; the first one is used"
            self.duplicates.append(_fault(statement, reason))
            return True
        table = self.tables.add(read.path)
        if read.like:
            self._copy(read.like, table, statement)
        for column in read.columns:
            self._note(table, table.add(column, statement.line), column.line, statement)
        self._report_faults(read.faults, statement)
        return True

    def _alter(self, statement: Statement) -> bool:
        read = read_alteration(statement.text, self.dialect)
        if read is None:
            return False
        table = self.tables.find(read.path)
        if table is None and any(change.does == "add" for change in read.changes):
            table = self.tables.add(read.path)
        for change in read.changes:
            if table is None:
                reason = f"table {_path_text(read.path)} is not created before it"
            else:
                reason = table.change(change, statement.line)
            if table is not None and change.does == "rename_table":
                self.tables.rename(table, change.name)
            self._note(table, reason, change.line, statement)
        self._report_faults(read.faults, statement)
        return True

    def _note(self, table: Table | None, reason: str, line: int, statement: Statement) -> None:
        """Report why a column is not as a statement says, if there is a reason."""
        if reason and table is not None and reason.endswith("the first is used"):
            self.duplicates.append(_fault(statement, reason))
        elif reason:
            self._report(statement, reason, line=line)

    def _copy(self, path: tuple[Identifier, ...], table: Table, statement: Statement) -> None:
        source = self.tables.find(path)
        if source is None:
            reason = f"its columns are those of {_path_text(path)}, which this file does not create"
            self._report(statement, reason)
            return
        table.columns.update(source.columns)

    def _describe(self, code: str) -> None:
        """Keep the description that SQL Server gives a column by a procedure."""
        said = {
            name.casefold(): value.replace("''", "'") for name, value in _ARGUMENT.findall(code)
        }
        names = [said.get(f"level{level}name", "") for level in (0, 1, 2)]
        if said.get("name", "").casefold() == "ms_description" and all(names):
            path = tuple(Identifier(name, is_quoted=True) for name in names)
            self.tables.comments.append((path, said.get("value", "")))

    def _report_faults(self, faults: Iterable[Fault], statement: Statement) -> None:
        for fault in faults:
            self._report(statement, fault.error, line=fault.line)

    def _report(self, statement: Statement, reason: str, *, line: int = 1) -> None:
        self.faults.append(_fault(statement, reason, line=line))


def _path(text: str) -> tuple[Identifier, ...]:
    """Return the names of `a."B".c`."""
    names: list[str] = _PART.findall(text)
    return tuple(
        Identifier(name[1:-1], is_quoted=True) if name[0] in '"`[' else Identifier(name)
        for name in names
    )


def _path_text(path: tuple[Identifier, ...]) -> str:
    return ".".join(part.text for part in path)


def _fault(statement: Statement, reason: str, *, line: int = 1) -> SchemaFault:
    excerpt = " ".join(statement.text[: _MAX_EXCERPT_CHARACTERS * 2].split())[
        :_MAX_EXCERPT_CHARACTERS
    ]
    return SchemaFault(statement.line + line - 1, reason[:200], excerpt)


MARKS = read_words("minerva_reading.ddl", "dialect_marks")

_WEIGHTS = {"sure": 3, "likely": 1}
"""A sure mark is of one dialect alone. Two marks that a few dialects share may be chance, three
of them are as good as one."""

_DEFAULT = "postgres"
"""The most standard dialect."""


def dialect_of(sql: str) -> str:
    """Return the dialect with most of its marks in `sql`; PostgreSQL, the most standard, if none.

    How often a mark occurs does not count: a dump repeats one, and the others tell as much.
    """
    scores = {
        name: sum(weight for mark, weight in marks if mark.search(sql))
        for name, marks in _patterns().items()
    }
    best = max(scores, key=lambda name: (scores[name], name == _DEFAULT))
    return best if scores[best] else _DEFAULT


@cache
def _patterns() -> Mapping[str, list[tuple[re.Pattern[str], int]]]:
    """Return each dialect's marks with their weights."""
    found: dict[str, list[tuple[re.Pattern[str], int]]] = {}
    for listed, marks in MARKS.lists.items():
        name, _, weight = listed.partition(".")
        compiled = (re.compile(mark, re.IGNORECASE | re.MULTILINE) for mark in marks)
        found.setdefault(name, []).extend((mark, _WEIGHTS[weight]) for mark in compiled)
    return found
