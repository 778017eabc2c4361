"""Read tables, columns and comments out of DDL with sqlglot.

Statement by statement: one that no dialect understands is a problem with its line, the others
still count. Nothing but `CREATE TABLE` and `COMMENT ON` is parsed. A statement that may hold
columns or rows (`ALTER TABLE`, `INSERT`, `CREATE VIEW`) is a problem as well: it was not looked at.
Data never reaches a message.
"""

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from pydantic import BaseModel, ConfigDict
from sqlglot import Dialect, ErrorLevel, Token, TokenType, exp
from sqlglot.errors import SqlglotError

from minerva_governance.core.reading.source import Source
from minerva_governance.core.reading.text_file import read_text
from minerva_governance.core.report.wording import Language, Problem, Wording

DIALECTS = ("oracle", "mysql", "postgres", "tsql")
MAX_BYTES = 8 * 1024 * 1024

_UNSPLIT = Wording(
    "문장으로 나눌 수 없어 보지 않았습니다.", "cannot be split into statements; not looked at."
)
_UNPARSED = Wording(
    "CREATE TABLE이나 COMMENT 문장을 해석하지 못해 보지 않았습니다.",
    "a CREATE TABLE or COMMENT that cannot be parsed; not looked at.",
)
_UNREAD = Wording(
    "{} 문장은 해석하지 않아 그 안의 컬럼과 값을 보지 않았습니다.",
    "a {} statement, which is not parsed: its columns and values were not looked at.",
)
_NO_TABLE = Wording("테이블 선언이 없습니다.", "it declares no table.")
_HARMLESS = frozenset(
    "ANALYZE BEGIN COMMIT DROP END EXIT GRANT LOCK PRAGMA PROMPT QUIT RELEASE REVOKE ROLLBACK "
    "SAVEPOINT SET SPOOL START TRUNCATE UNLOCK USE VACUUM".split()
)
"""Statements that hold neither columns nor rows."""
_HARMLESS_THINGS = frozenset(
    "COLLATION DATABASE DOMAIN EXTENSION INDEX KEYSPACE LANGUAGE ROLE SCHEMA SEQUENCE SYNONYM "
    "TABLESPACE USER WAREHOUSE".split()
)
"""What `CREATE` and `ALTER` may be about without a column or a row."""
_ADDED = frozenset(
    "CHECK CONSTRAINT FOREIGN FULLTEXT INDEX KEY OWNER PRIMARY UNIQUE ENABLE DISABLE VALIDATE SET "
    "CLUSTER WITH NOCHECK".split()
)
"""What `ALTER TABLE` may add or change without touching a column."""


class SchemaColumn(BaseModel):
    """A column as the schema declares it."""

    model_config = ConfigDict(frozen=True)

    table: str
    name: str
    data_type: str
    comment: str = ""
    line: int


class Schema(BaseModel):
    """What a DDL file declares, and what of it could not be read."""

    model_config = ConfigDict(frozen=True)

    source: str
    """The file, named relative to the input."""
    columns: tuple[SchemaColumn, ...] = ()
    tables: tuple[tuple[str, str, int], ...] = ()
    """(name, comment, line)"""
    problems: tuple[Problem, ...] = ()


def read_schema(source: Source, *, language: Language) -> Schema:
    """Return what the DDL file declares, in the dialect that understands most.

    Raises:
        UnreadableError: it cannot be opened, is too large, or is no text.
    """
    text = read_text(source.path, limit=MAX_BYTES)
    readings: list[Schema] = []
    for dialect in DIALECTS:
        readings.append(_Reading(source.name, dialect, language).read(text))
        if not readings[-1].problems:
            break
    return min(readings, key=lambda schema: (-len(schema.columns), len(schema.problems)))


class _Reading:
    """One reading of a file in one dialect."""

    def __init__(self, name: str, dialect: str, language: Language) -> None:
        self.name = name
        self.language: Language = language
        self.dialect = Dialect.get_or_raise(dialect)
        self.columns: dict[tuple[str, str], SchemaColumn] = {}
        self.tables: dict[str, tuple[str, str, int]] = {}
        self.problems: list[Problem] = []

    def read(self, text: str) -> Schema:
        try:
            tokens = self.dialect.tokenize(text)
        except SqlglotError:
            self._problem(1, _UNSPLIT)
            tokens = []
        for statement in _statements(tokens):
            if _declares(statement):
                self._read_statement(statement, text)
            elif not _is_harmless(statement):
                self._problem(statement[0].line, _UNREAD, _kind_of(statement))
        if not self.columns and not self.problems:
            self._problem(1, _NO_TABLE)
        return Schema(
            source=self.name,
            columns=tuple(self.columns.values()),
            tables=tuple(self.tables.values()),
            problems=tuple(self.problems),
        )

    def _read_statement(self, tokens: list[Token], text: str) -> None:
        line = tokens[0].line
        parser = self.dialect.parser(error_level=ErrorLevel.IMMEDIATE)
        try:
            with _silenced():
                tree = parser.parse(tokens, text)[0]
        except (SqlglotError, RecursionError):  # its text quotes the SQL, so it is not kept
            tree = None
        if tree is None or isinstance(tree, exp.Command):
            self._problem(line, _UNPARSED)
        elif isinstance(tree, exp.Create):
            self._read_table(tree, line)
        elif isinstance(tree, exp.Comment):
            self._read_comment(tree)

    def _read_table(self, tree: exp.Create, line: int) -> None:
        table = tree.find(exp.Table)
        if table is None:
            return
        said = tree.find(exp.SchemaCommentProperty)
        self.tables[table.name.upper()] = (table.name, said.this.name if said else "", line)
        before = len(self.columns)
        for column in tree.find_all(exp.ColumnDef):
            comment = column.find(exp.CommentColumnConstraint)
            data_type = column.args.get("kind")
            self.columns[table.name.upper(), column.name.upper()] = SchemaColumn(
                table=table.name,
                name=column.name,
                data_type=data_type.sql(self.dialect) if data_type else "",
                comment=comment.this.name if comment else "",
                line=int(column.this.meta.get("line", line)),
            )
        if len(self.columns) == before:  # CREATE TABLE … AS SELECT, LIKE, a clone
            self._problem(line, _UNREAD, "CREATE TABLE … AS")

    def _read_comment(self, tree: exp.Comment) -> None:
        words = tree.expression.name if tree.expression else ""
        target = tree.this
        if isinstance(target, exp.Column):
            key = (target.table.upper(), target.name.upper())
            if key in self.columns:
                self.columns[key] = self.columns[key].model_copy(update={"comment": words})
        elif isinstance(target, exp.Table) and target.name.upper() in self.tables:
            name, _, line = self.tables[target.name.upper()]
            self.tables[target.name.upper()] = (name, words, line)

    def _problem(self, line: int, what: Wording, kind: str = "") -> None:
        message = what.said_in(self.language).format(kind)
        self.problems.append(Problem(file=self.name, line=line, message=message))


@contextmanager
def _silenced() -> Generator[None]:
    """Keep sqlglot from logging statements it does not know: they may quote data."""
    logger = logging.getLogger("sqlglot")
    logger.addFilter(_say_nothing)
    try:
        yield
    finally:
        logger.removeFilter(_say_nothing)


def _say_nothing(record: logging.LogRecord) -> bool:
    del record
    return False


def _statements(tokens: list[Token]) -> Iterator[list[Token]]:
    statement: list[Token] = []
    for token in tokens:
        if token.token_type == TokenType.SEMICOLON:
            if statement:
                yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _declares(tokens: list[Token]) -> bool:
    words = [token.text.upper() for token in tokens[:6]]
    if words[:2] == ["COMMENT", "ON"]:
        return True
    return words[0] == "CREATE" and "TABLE" in words


def _is_harmless(tokens: list[Token]) -> bool:
    """True if the statement can hold neither a column nor a row."""
    words = [token.text.upper() for token in tokens[:12]]
    if words[0] not in {"CREATE", "ALTER"}:
        return words[0] in _HARMLESS
    if words[:2] == ["ALTER", "TABLE"]:
        changes = [w for w in words[2:] if w in {"ADD", "MODIFY", "RENAME", "CHANGE", "ALTER"}]
        return bool(_ADDED.intersection(words[3:])) and changes in ([], ["ADD"])
    return bool(_HARMLESS_THINGS.intersection(words[1:5]))


def _kind_of(tokens: list[Token]) -> str:
    """Return the statement's first word, or first two; never a name or a value of it."""
    words = [token.text.upper() for token in tokens[:2]]
    shown = [word for word in words if word.isalpha() and word.isascii()]
    known = {"ALTER", "CREATE", "INSERT", "COPY", "MERGE", "REPLACE", "UPDATE", "DELETE", "SELECT"}
    known |= {"TABLE", "VIEW", "INTO", "FUNCTION", "PROCEDURE", "TRIGGER", "TYPE", "WITH", "CALL"}
    return " ".join(word for word in shown if word in known) or "SQL"
