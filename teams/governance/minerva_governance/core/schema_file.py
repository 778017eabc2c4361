"""Read tables, columns and comments out of DDL with sqlglot.

Statement by statement: one that no dialect understands is a problem with its line, the others
still count. Nothing but `CREATE TABLE` and `COMMENT ON` is parsed; data in `INSERT`s is never
looked at, and never reaches a message.
"""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from sqlglot import Dialect, ErrorLevel, exp
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType

DIALECTS = ("oracle", "mysql", "postgres", "tsql")
MAX_BYTES = 8 * 1024 * 1024
ENCODINGS = ("utf-8-sig", "cp949")


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
    problems: tuple[str, ...] = ()


def read_schema(path: Path) -> Schema:
    """Return what the DDL file at `path` declares, in the dialect that understands most."""
    text, problem = decoded(path)
    if problem:
        return Schema(source=str(path), problems=(problem,))
    readings: list[Schema] = []
    for dialect in DIALECTS:
        readings.append(_Reading(str(path), dialect).read(text))
        if not readings[-1].problems:
            break
    return min(readings, key=lambda schema: (-len(schema.columns), len(schema.problems)))


def decoded(path: Path, limit: int = MAX_BYTES) -> tuple[str, str]:
    """Return the text of a file and "", or "" and why it cannot be read."""
    try:
        with path.open("rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        return "", f"{path.name}: cannot be opened ({error.strerror or type(error).__name__})."
    if len(data) > limit:
        return "", f"{path.name}: larger than {limit:,} bytes; split it."
    for encoding in ENCODINGS:
        try:
            return data.decode(encoding), ""
        except UnicodeDecodeError:
            continue
    return "", f"{path.name}: neither {' nor '.join(ENCODINGS)}; save it as UTF-8."


class _Reading:
    """One reading of a file in one dialect."""

    def __init__(self, source: str, dialect: str) -> None:
        self.source = source
        self.dialect = Dialect.get_or_raise(dialect)
        self.columns: dict[tuple[str, str], SchemaColumn] = {}
        self.tables: dict[str, tuple[str, str, int]] = {}
        self.problems: list[str] = []

    def read(self, text: str) -> Schema:
        try:
            tokens = self.dialect.tokenize(text)
        except SqlglotError:
            self._problem(1, "cannot be split into statements")
            tokens = []
        for statement in _statements(tokens):
            if _declares(statement):
                self._read_statement(statement, text)
        return Schema(
            source=self.source,
            columns=tuple(self.columns.values()),
            tables=tuple(self.tables.values()),
            problems=tuple(self.problems),
        )

    def _read_statement(self, tokens: list[Token], text: str) -> None:
        line = tokens[0].line
        parser = self.dialect.parser(error_level=ErrorLevel.IMMEDIATE)
        try:
            tree = parser.parse(tokens, text)[0]
        except (SqlglotError, RecursionError):  # its text quotes the SQL, so it is not kept
            self._problem(line, "a CREATE TABLE or COMMENT that cannot be parsed")
            return
        if isinstance(tree, exp.Create):
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

    def _problem(self, line: int, what: str) -> None:
        self.problems.append(f"{Path(self.source).name}:{line}: {what}; not looked at.")


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
