"""Read the columns of a schema from the DDL of any dialect that sqlglot has words for.

A statement that is not understood is reported with its line and costs nothing but itself; what is
known to define no columns, an INSERT say, is passed over.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot.errors import SqlglotError

from minerva_reading.ddl.alteration import read_alteration
from minerva_reading.ddl.code import HEAD, code_of, lines_at
from minerva_reading.ddl.column_definition import Fault
from minerva_reading.ddl.dialect import DialectFound, find_dialect
from minerva_reading.ddl.schema_table import Description, Table, Tables
from minerva_reading.ddl.sql_word import SQL, Word, has, parts_of, words_of
from minerva_reading.ddl.statement import Statement, statements
from minerva_reading.ddl.table_definition import read_table
from minerva_reading.identifier import Identifier
from minerva_reading.schema import Schema, SchemaFault, SchemaTable

_FIRST = re.compile(r"[A-Za-z_]+|\S")
_HEAD = re.compile(HEAD, re.IGNORECASE | re.VERBOSE)
_INTO = re.compile(r"SELECT\b[^;]*?\bINTO\s+(?![@:#])\S+\s+FROM\b", re.IGNORECASE)
_NAME = r'(?:"(?:[^"]|"")+"|`[^`]+`|\[(?:[^\]]|\]\])+\]|[\w$\#@]+)'
_PATH = re.compile(rf"\s*(?:IF\s+EXISTS\s+)?({_NAME}(?:\s*\.\s*{_NAME})*)", re.IGNORECASE)
_IS = re.compile(r"\s+IS\s+", re.IGNORECASE)
_UNREAD = (
    (_INTO, "a table that SELECT … INTO makes is not read"),
    (
        re.compile(r"(?:COMMENT|LABEL)\s+ON\s+(?!(?:COLUMN|FUNCTION|AGGREGATE|PROCEDURE|ROUTINE"
                   r"|OPERATOR)\b)[^()]*\(|LABEL\s+ON\s+COLUMN\b", re.IGNORECASE),
        "the comments on columns are not understood",
    ),
    (
        re.compile(r"CREATE\s+VIRTUAL\s+TABLE\b", re.IGNORECASE),
        "a virtual table is not read: its module says what its columns are",
    ),
    (
        re.compile(r"(?:CREATE|ALTER)\s+CLASS\b", re.IGNORECASE),
        "a class is not read: it is no table of a known dialect",
    ),
)  # fmt: skip
"""Statements that may hold a table or a comment and are not read."""
_PROPERTY = re.compile(r"EXEC(?:UTE)?\s+(?:\w+\s*\.\s*)*sp_addextendedproperty\b", re.IGNORECASE)
_ARGUMENTS = (
    *("name", "value", "level0type", "level0name"),
    *("level1type", "level1name", "level2type", "level2name"),
)
"""The parameters of sp_addextendedproperty in their order."""
_DROP = re.compile(r"DROP\s+(?:(?:FOREIGN|EXTERNAL)\s+)?TABLE\b", re.IGNORECASE)
_PASSING_TABLE = re.compile(
    r"CREATE\s+(?![^(]*\bGLOBAL\b)[^(]*?\bTEMP(?:ORARY)?\s+TABLE\b|CREATE\s+TABLE\s+#",
    re.IGNORECASE,
)
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
_SCHEMA = re.compile(rf"CREATE\s+SCHEMA\s+(?:AUTHORIZATION\s+)?({_NAME})", re.IGNORECASE)
_PASSING = re.compile(r"\bTEMP(?:ORARY)?\b|\bVIEW\b|^ALTER|\s[#@]\w*\Z", re.IGNORECASE)
"""What of a routine leaves no table behind."""
_ABOUT = re.compile(
    r"(?:GRANT|REVOKE|DENY|SHOW|AUDIT|NOAUDIT|EXPLAIN|DESCRIBE|DESC)\b|ALTER\s[^;]*\sCOMMENT\s+ON\b",
    re.IGNORECASE,
)
"""Statements that name the right or the command to create a table, or hold comments themselves."""
_NO_COLUMNS = frozenset(SQL["statements_without_columns"])
_MAX_EXCERPT_CHARACTERS = 80
_LOOKED_AT = 2 * _MAX_EXCERPT_CHARACTERS


def read_columns(sql: str, *, dialect: str | None = None) -> Schema:
    """Return the columns that `sql` creates, with their comments; the dialect is found by marks.

    Whatever begins a definition outside of texts and remarks is counted, and reported with its
    line unless a statement that is followed begins with it.
    """
    choice = DialectFound(dialect, "") if dialect else find_dialect(sql)
    code, doubtful = code_of(sql, choice.name)
    reader, sequence, end = _Reader(choice), list[Statement](), 0
    for statement in statements(sql, code, choice.name):
        if code[end : statement.start].strip():
            reader.element_of = ()
        schema = _SCHEMA.match(statement.text)
        reader.element_of = _path(schema[1]) if schema else reader.element_of
        end = statement.start + len(statement.text)
        reader.follow(statement)
        sequence.append(_short(statement))
    reader.check(sql, code, sequence, doubtful)
    return reader.schema()


class _Reader:
    """Follows the statements of one file; `tables` is what they make together.

    `element_of` is the schema that CREATE SCHEMA makes, as long as no `;` ends it: tables follow.
    """

    def __init__(self, choice: DialectFound) -> None:
        self.element_of: tuple[Identifier, ...] = ()
        self.choice, self.dialect = choice, choice.name
        self.tables = Tables(choice.name)
        self.views: set[str] = set()  # and partitions: no table of their own
        self.faults: list[SchemaFault] = []
        self.duplicates: list[SchemaFault] = []

    def schema(self) -> Schema:
        """Return what the statements made."""
        if not self.tables.all:  # the way back of a migration stands below it
            self.tables.restore()
            self.faults = [one for one in self.faults if not one.error.endswith("dropped again")]
        for note in self.tables.say_comments():
            what = f"the comment is on {_path_text(note.path)}, which this file does not create"
            owner = (note.path[:-1] if note.is_column else note.path)[-1].text
            self._report(note.statement, what, is_loss=owner.casefold() not in self.views)
        choice = self.choice
        schema = Schema(
            self.dialect,
            faults=sorted(self.faults),
            duplicates=self.duplicates,
            dialect_reason=choice.reason,
            other_dialects=choice.others,
        )
        for table in self.tables.all:
            keys = frozenset(table.columns)
            found = SchemaTable(table.name, table.comment, key=table.key, column_keys=keys)
            schema.tables.append(found)
            schema.columns += table.declarations((self.dialect, *choice.others))
            table.columns.clear()  # a second list doubles the memory
        return schema

    def check(
        self, sql: str, code: str, sequence: Sequence[Statement], doubtful: Sequence[int]
    ) -> None:
        """Report each beginning of a definition that no statement begins with."""
        starts = [one.start for one in sequence]
        for found in _HEAD.finditer(code):
            at = bisect_right(starts, found.start()) - 1
            if at < 0 or starts[at] == found.start() or _ABOUT.match(sequence[at].text):
                continue
            place = _PATH.match(code, found.end())
            if sequence[at].is_routine and _PASSING.search(
                f"{found.group()} {place[1] if place else ''}"
            ):
                continue
            where = "a routine" if sequence[at].is_routine else "a statement"
            said = " ".join(found.group().upper().split())
            self._report_at(sql, found.start(), f"`{said}` is not read: it stands in {where} "
                            f"that begins in line {sequence[at].line}")  # fmt: skip
        for start in doubtful:
            self._report_at(sql, start, "a text holds a line that begins a definition")

    def _report_at(self, sql: str, place: int, reason: str) -> None:
        line = next(lines_at(sql, iter((place,))))
        self._report(Statement(sql[place : place + _LOOKED_AT], "", place, line), reason)

    def follow(self, statement: Statement) -> None:
        """Follow one statement."""
        code = statement.code
        first, head = _FIRST.match(code), _HEAD.match(code)
        what = head.group().upper().split() if head else [""]
        if statement.is_routine or first is None:
            return
        if head and what[0] == "COMMENT":
            self._comment(statement, head.end(), is_column=what[-1] == "COLUMN")
        elif what[-1] == "VIEW" and head:
            path = _PATH.match(code, head.end())
            self.views |= {_path(path[1])[-1].text.casefold()} if path else set()
            reason = "a view is not read: its columns are those of its query"
            self._report(statement, reason, is_loss=False)
        elif reason := next((why for one, why in _UNREAD if one.match(code)), ""):
            self._report(statement, reason)
        elif head:
            self._understand(statement, is_new=what[0] == "CREATE")
        elif drop := _DROP.match(code):
            self._drop(statement, drop.end())
        elif _PROPERTY.match(code):
            self._describe(statement)
        elif (current := _CURRENT.match(statement.text)) is not None:
            self.tables.current = _path(current[1])[0].text
        elif first.group().upper() not in _NO_COLUMNS and first.group() not in {"\\", "@"}:
            reason = f"`{first.group()[:20]}` begins no statement that is known"
            self._report(statement, reason, is_loss=False)

    def _drop(self, statement: Statement, place: int) -> None:
        """Forget tables that the file makes for a while, as stand-ins of views are."""
        for name in statement.text[place:].split(","):
            path = _PATH.match(name)
            table = self.tables.find(_path(path[1])) if path else None
            if table is not None:
                self.tables.drop(table)
                reason = f"table {table.name} is created and dropped again"
                self._report(statement, reason, is_loss=False)

    def _comment(self, statement: Statement, place: int, *, is_column: bool) -> None:
        """Keep what COMMENT ON says of a column or a table."""
        path = _PATH.match(statement.text, place)
        sense = _IS.match(statement.text, path.end()) if path else None
        words: list[Word] = []
        if sense:
            try:
                words = words_of(statement.text[sense.end() :], self.dialect)
            except SqlglotError:
                words = []
        names = _path(path[1]) if path else ()
        is_text = bool(words) and (words[0].is_text or words[0].is_double or words[0].text in "EN")
        content = next((word for word in words if word.is_text or word.is_double), None)
        if len(names) < 1 + is_column or not ((is_text and content) or _is_null(words)):
            what = "column" if is_column else "table"
            self._report(statement, f"the comment on a {what} is not understood")
            return
        text = content.text if content else ""
        self.tables.comments.append(Description(names, text, _short(statement), is_column))

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
        if _PASSING_TABLE.match(statement.code):
            self._report(statement, "a temporary table is no part of a schema", is_loss=False)
            return True
        if read.is_part:
            self.views.add(read.path[-1].text.casefold())
            return True
        path = read.path if len(read.path) > 1 else (*self.element_of, *read.path)
        if self.tables.find(path, is_new=True):
            reason = f"table {_path_text(path)} is created twice; the first one is used"
            self.duplicates.append(_fault(statement, reason))
            return True
        table = self.tables.add(path)
        for path in read.like:
            self._copy(path, table, statement)
        for column in read.columns:
            self._note(table, table.add(column, statement.line), column.line, statement)
        table.comment = read.comment
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

    def _describe(self, statement: Statement) -> None:
        """Keep the description that SQL Server gives a column or a table by a procedure."""
        try:
            words = words_of(statement.text, self.dialect)
        except SqlglotError as error:
            self._report(statement, str(error))
            return
        start = next(at for at, word in enumerate(words) if word.upper.endswith("PROPERTY"))
        said: dict[str, str] = {}
        for name, part in zip(_ARGUMENTS, parts_of(words[start + 1 :]), strict=False):
            is_named = len(part) > 2 and part[0].text == "@" and has(part, 2, "=")  # noqa: PLR2004  # @name =
            said[part[1].text.casefold() if is_named else name] = part[-1].text
        names = [said[f"level{level}name"] for level in (0, 1, 2) if f"level{level}name" in said]
        if said.get("name", "").casefold() == "ms_description" and len(names) > 1:
            path = tuple(Identifier(name, is_quoted=True) for name in names)
            is_column = said.get("level2type", "").upper() == "COLUMN"
            if is_column or len(names) == len(("schema", "table")):
                self.tables.comments.append(
                    Description(path, said.get("value", ""), _short(statement), is_column)
                )

    def _report_faults(self, faults: Iterable[Fault], statement: Statement) -> None:
        for fault in faults:
            self._report(statement, fault.error, line=fault.line, is_loss=fault.is_loss)

    def _report(
        self, statement: Statement, reason: str, *, line: int = 1, is_loss: bool = True
    ) -> None:
        self.faults.append(_fault(statement, reason, line=line)._replace(is_loss=is_loss))


def _is_null(words: Sequence[Word]) -> bool:
    return has(words, 0, "NULL")


def _short(statement: Statement) -> Statement:
    """Return a statement with as much of it as a report shows."""
    return replace(statement, text=statement.text[:_LOOKED_AT], code="")


def _path(text: str) -> tuple[Identifier, ...]:
    """Return the names of `a."B".c`."""
    names: list[str] = _PART.findall(text)
    return tuple(
        Identifier(_unquoted(name), is_quoted=True) if name[0] in '"`[' else Identifier(name)
        for name in names
    )


def _unquoted(name: str) -> str:
    return name[1:-1].replace(name[-1] * 2, name[-1])


def _path_text(path: tuple[Identifier, ...]) -> str:
    return ".".join(part.text for part in path)


def _fault(statement: Statement, reason: str, *, line: int = 1) -> SchemaFault:
    excerpt = " ".join(statement.text[:_LOOKED_AT].split())[:_MAX_EXCERPT_CHARACTERS]
    return SchemaFault(statement.line + line - 1, reason[:200], excerpt)
