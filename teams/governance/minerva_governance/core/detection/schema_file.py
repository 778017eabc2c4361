"""Read tables, columns and comments out of DDL with sqlglot.

Statement by statement: one that no dialect understands is a problem with its line, the others
still count. Nothing but `CREATE TABLE` and `COMMENT ON` is parsed; data in `INSERT`s is never
looked at, and never reaches a message.
"""

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from sqlglot import Dialect, ErrorLevel, Token, TokenType, exp
from sqlglot.errors import SqlglotError

from minerva_governance.core.detection.text_file import read_text
from minerva_governance.core.report.wording import Language, Problem, UnreadableError, Wording

DIALECTS = ("oracle", "mysql", "postgres", "tsql")
MAX_BYTES = 8 * 1024 * 1024

_UNSPLIT = Wording(
    "문장으로 나눌 수 없어 보지 않았습니다.", "cannot be split into statements; not looked at."
)
_UNPARSED = Wording(
    "CREATE TABLE이나 COMMENT 문장을 해석하지 못해 보지 않았습니다.",
    "a CREATE TABLE or COMMENT that cannot be parsed; not looked at.",
)


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
    columns: tuple[SchemaColumn, ...] = ()
    tables: tuple[tuple[str, str, int], ...] = ()
    """(name, comment, line)"""
    problems: tuple[Problem, ...] = ()


def read_schema(path: Path, *, language: Language) -> Schema:
    """Return what the DDL file at `path` declares, in the dialect that understands most."""
    try:
        text = read_text(path, limit=MAX_BYTES)
    except UnreadableError as error:
        problem = Problem(file=path.name, message=error.reason.said_in(language))
        return Schema(source=str(path), problems=(problem,))
    readings: list[Schema] = []
    for dialect in DIALECTS:
        readings.append(_Reading(path, dialect, language).read(text))
        if not readings[-1].problems:
            break
    return min(readings, key=lambda schema: (-len(schema.columns), len(schema.problems)))


class _Reading:
    """One reading of a file in one dialect."""

    def __init__(self, path: Path, dialect: str, language: Language) -> None:
        self.path = path
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
        return Schema(
            source=str(self.path),
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

    def _problem(self, line: int, what: Wording) -> None:
        message = what.said_in(self.language)
        self.problems.append(Problem(file=self.path.name, line=line, message=message))


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
