"""Read tables, columns and comments out of DDL with sqlglot.

Statement by statement: one that no dialect understands is a problem with its line, the others
still count. Nothing but `CREATE TABLE` and `COMMENT ON` is parsed. A statement that may hold
columns or rows (`ALTER TABLE`, `INSERT`, `CREATE VIEW`) is a problem as well: it was not looked at.
Data never reaches a message.
"""

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from sqlglot import Dialect, ErrorLevel, Token, TokenType, exp
from sqlglot.errors import SqlglotError

from minerva_governance.core.reading.declaration import Schema, SchemaColumn, SchemaTable
from minerva_governance.core.reading.problem import TEXTS, Problem
from minerva_governance.core.reading.source import Source
from minerva_governance.core.reading.text_file import read_text
from minerva_platform.text import Language, read_words

DIALECTS = ("oracle", "mysql", "postgres", "tsql")
MAX_BYTES = 8 * 1024 * 1024
_MAX_DECLARING_WORDS = 6
"""Before TABLE at most: CREATE OR REPLACE GLOBAL TEMPORARY TABLE."""
_MAX_WORDS = 12
"""Of a statement that tell its kind; what follows may be names and values."""

_WORDS = read_words("minerva_governance.core.reading", "statements")


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
        self.tables: dict[str, SchemaTable] = {}
        self.problems: list[Problem] = []

    def read(self, text: str) -> Schema:
        try:
            tokens = self.dialect.tokenize(text)
        except SqlglotError:
            self._problem(1, TEXTS("schema.unsplit", self.language))
            tokens = []
        for statement in _statements(tokens):
            if _declares(statement):
                self._read_statement(statement, text)
            elif not _is_harmless(statement):
                kind = _kind_of(statement)
                self._problem(statement[0].line, TEXTS("schema.unread", self.language, kind=kind))
        if not self.columns and not self.problems:
            self._problem(1, TEXTS("schema.no_table", self.language))
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
            self._problem(line, TEXTS("schema.unparsed", self.language))
        elif isinstance(tree, exp.Create):
            self._read_table(tree, line)
        elif isinstance(tree, exp.Comment):
            self._read_comment(tree)

    def _read_table(self, tree: exp.Create, line: int) -> None:
        table = tree.find(exp.Table)
        if table is None:
            return
        said = tree.find(exp.SchemaCommentProperty)
        self.tables[table.name.upper()] = SchemaTable(
            name=table.name, comment=said.this.name if said else "", line=line
        )
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
            kind = "CREATE TABLE … AS"
            self._problem(line, TEXTS("schema.unread", self.language, kind=kind))

    def _read_comment(self, tree: exp.Comment) -> None:
        words = tree.expression.name if tree.expression else ""
        target = tree.this
        if isinstance(target, exp.Column):
            column = (target.table.upper(), target.name.upper())
            if column in self.columns:
                self.columns[column] = self.columns[column].model_copy(update={"comment": words})
        elif isinstance(target, exp.Table) and target.name.upper() in self.tables:
            key = target.name.upper()
            self.tables[key] = self.tables[key].model_copy(update={"comment": words})

    def _problem(self, line: int, message: str) -> None:
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
    words = [token.text.upper() for token in tokens[:_MAX_DECLARING_WORDS]]
    if words[:2] == ["COMMENT", "ON"]:
        return True
    return words[0] == "CREATE" and "TABLE" in words


def _is_harmless(tokens: list[Token]) -> bool:
    """True if the statement can hold neither a column nor a row."""
    words = [token.text.upper() for token in tokens[:_MAX_WORDS]]
    if words[0] not in {"CREATE", "ALTER"}:
        return words[0] in _WORDS["harmless"]
    if words[:2] == ["ALTER", "TABLE"]:
        # One ADD of a key or constraint touches no column; a second change may be anything.
        changes = [w for w in words[2:] if w in {"ADD", "MODIFY", "RENAME", "CHANGE", "ALTER"}]
        return any(w in _WORDS["alter_table_adds"] for w in words[3:]) and changes in ([], ["ADD"])
    return any(w in _WORDS["harmless_things"] for w in words[1:5])


def _kind_of(tokens: list[Token]) -> str:
    """Return the statement's first word, or first two; never a name or a value of it."""
    words = [token.text.upper() for token in tokens[:2]]
    shown = [word for word in words if word.isalpha() and word.isascii()]
    return " ".join(word for word in shown if word in _WORDS["told"]) or "SQL"
