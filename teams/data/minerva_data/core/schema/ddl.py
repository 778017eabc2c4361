"""Read the columns of a schema: Oracle, MySQL and PostgreSQL DDL.

A statement that does not parse is reported with its line and costs nothing but itself.
"""

import logging
import re
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from minerva_data.core.schema.record import Item, Unparsed
from minerva_data.core.schema.statement import Statement, recut, statements

MAX_CHARACTERS = 20_000_000
"""Characters of a schema file that are read; a larger file is refused."""

_RELEVANT = re.compile(
    r"(?:--[^\n]*\n|/\*.*?\*/|\s)*(?:CREATE\s+(?:\w+\s+){0,3}?TABLE|COMMENT\s+ON|ALTER\s+TABLE)\b",
    re.IGNORECASE | re.DOTALL,
)
_NAME = r'(?:"([^"]+)"|(\w[\w$#]*))'
_PLAIN_COMMENT = re.compile(
    rf"\s*COMMENT\s+ON\s+COLUMN\s+(?:\w+\s*\.\s*)?{_NAME}\s*\.\s*{_NAME}\s+IS\s+'((?:[^'\\]|'')*)'\s*",
    re.IGNORECASE,
)
_MARKS = {
    "oracle": re.compile(r"\bVARCHAR2\b|\bNUMBER\s*\(|\bSYSDATE\b", re.IGNORECASE),
    "mysql": re.compile(r"`|\bENGINE\s*=|\bAUTO_INCREMENT\b|\bCOMMENT\s+'", re.IGNORECASE),
    "postgres": re.compile(r"\bSERIAL\b|\bTIMESTAMPTZ\b|::|\bCHARACTER VARYING\b", re.IGNORECASE),
}
_EXCERPT = 80
_QUIET: ContextVar[bool] = ContextVar("_QUIET", default=False)

Comments = dict[tuple[str, str], str]
"""Comments of columns by table and column, without case."""


class SchemaError(Exception):
    """A schema file cannot be read at all; says what to do."""


@dataclass(slots=True)
class Schema:
    """The columns of the tables, in order, and what could not be read.

    `duplicates` are tables and columns defined twice, the later ones of which are not used.
    """

    dialect: str
    columns: list[Item] = field(default_factory=list[Item])
    unparsed: list[Unparsed] = field(default_factory=list[Unparsed])
    duplicates: list[Unparsed] = field(default_factory=list[Unparsed])
    tables: dict[str, set[str]] = field(default_factory=dict[str, set[str]])


def read_schema_file(path: Path, *, dialect: str | None = None) -> Schema:
    """Return the schema in a file, read as UTF-8 or, where that fails, as cp949.

    Raises:
        SchemaError: the file is missing, too large, or in neither encoding.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        message = f"{path.name} cannot be read ({error.strerror}). Attach a readable file."
        raise SchemaError(message) from error
    if len(content) > MAX_CHARACTERS:
        message = f"{path.name} has {len(content)} bytes; split it below {MAX_CHARACTERS}."
        raise SchemaError(message)
    for encoding in ("utf-8-sig", "cp949"):
        try:
            return read_schema(content.decode(encoding), file=path.name, dialect=dialect)
        except UnicodeDecodeError:
            continue
    message = f"{path.name} is neither UTF-8 nor cp949. Save it as UTF-8 and attach it again."
    raise SchemaError(message)


def read_schema(sql: str, *, file: str = "schema.sql", dialect: str | None = None) -> Schema:
    """Return the columns that `sql` creates, with their comments; the dialect is found by marks."""
    schema = Schema(dialect or dialect_of(sql))
    comments: Comments = {}
    for statement in statements(sql):
        _read(statement, schema, comments, file, may_recut=True)
    for place, column in enumerate(schema.columns):  # in place: a second list doubles the memory
        schema.columns[place] = _commented(column, comments)
    return schema


def dialect_of(sql: str) -> str:
    """Return the dialect whose marks are most frequent; PostgreSQL, the most standard, if none."""
    counts = {name: len(mark.findall(sql)) for name, mark in _MARKS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] else "postgres"


def _read(
    statement: Statement, schema: Schema, comments: Comments, file: str, *, may_recut: bool
) -> None:
    """Add what one statement says to `schema` and `comments`."""
    plain = _PLAIN_COMMENT.fullmatch(statement.text)
    if plain:  # half of a large schema, of which a parser would take a minute
        table, column = plain[1] or plain[2], plain[3] or plain[4]
        comments[table.casefold(), column.casefold()] = plain[5].replace("''", "'")
        return
    pieces = recut(statement)
    if not _RELEVANT.match(statement.text) and len(pieces) == 1:
        return
    try:
        tree = _parse(statement.text, schema.dialect)
    except (SqlglotError, RecursionError) as error:
        if may_recut and len(pieces) > 1:
            for piece in pieces:
                _read(piece, schema, comments, file, may_recut=False)
        else:
            reason = str(error).splitlines()[0] if str(error) else repr(error)
            schema.unparsed.append(_problem(statement, file, reason))
        return
    if isinstance(tree, exp.Create):
        _add_table(tree, statement, schema, file)
    elif isinstance(tree, exp.Alter):
        _add_columns(tree.this, tree.find_all(exp.ColumnDef), statement, schema, file)
    elif isinstance(tree, exp.Comment) and isinstance(tree.this, exp.Column):
        place = (tree.this.table.casefold(), tree.this.name.casefold())
        comments[place] = cast("str", tree.expression.name)


def _parse(text: str, dialect: str) -> exp.Expr:
    """Return the tree of a statement; a table's storage clauses may be unknown.

    Raises:
        SqlglotError: it does not parse, or only as a text without structure.
    """
    try:
        tree = _parse_whole(text, dialect)
    except SqlglotError:
        body = _until_columns_end(text)
        if body is None or body == text:
            raise
        tree = _parse_whole(body, dialect)
    return tree


def _parse_whole(text: str, dialect: str) -> exp.Expr:
    quiet = _QUIET.set(True)
    try:
        tree = sqlglot.parse_one(text, read=dialect)
    finally:
        _QUIET.reset(quiet)
    if isinstance(tree, exp.Command):
        message = "the statement has syntax that is not understood"
        raise SqlglotError(message)
    return tree


def _is_loud(_: logging.LogRecord) -> bool:
    """Let through what sqlglot logs, but not while this module reports the same itself."""
    return not _QUIET.get()


logging.getLogger("sqlglot").addFilter(_is_loud)


def _until_columns_end(text: str) -> str | None:
    """Return a CREATE TABLE up to the bracket that closes its columns."""
    depth = 0
    for found in re.finditer(r"'(?:[^']|'')*'|\"[^\"]*\"|[()]", text):
        depth += {"(": 1, ")": -1}.get(found.group(), 0)
        if found.group() == ")" and depth == 0:
            return text[: found.end()]
    return None


def _add_table(tree: exp.Create, statement: Statement, schema: Schema, file: str) -> None:
    if tree.kind != "TABLE" or not isinstance(tree.this, exp.Schema):
        return
    table = tree.this.this
    if table.name.casefold() in schema.tables:
        reason = f"table {table.name} is created twice; the first one is used"
        schema.duplicates.append(_problem(statement, file, reason))
        return
    parts = tree.this.expressions
    columns = [part for part in parts if isinstance(part, exp.ColumnDef | exp.Identifier)]
    _add_columns(table, columns, statement, schema, file)


def _add_columns(
    table: exp.Expr,
    definitions: Iterable[exp.Expr],
    statement: Statement,
    schema: Schema,
    file: str,
) -> None:
    """Add the columns of a table that it does not have yet; one without a type counts too."""
    known = schema.tables.setdefault(table.name.casefold(), set())
    for definition in definitions:
        if definition.name.casefold() in known:
            reason = f"column {definition.name} of {table.name} is defined twice; the first is used"
            schema.duplicates.append(_problem(statement, file, reason))
            continue
        known.add(definition.name.casefold())
        kind = definition.args.get("kind")
        inline = definition.find(exp.CommentColumnConstraint)
        name = definition.this if isinstance(definition.this, exp.Identifier) else definition
        line = cast("int", name.meta.get("line", 1))
        schema.columns.append(
            Item(
                name=definition.name,
                comment=inline.this.name if inline else None,
                data_type=kind.sql(schema.dialect) if isinstance(kind, exp.DataType) else None,
                table=table.name,
                dialect=schema.dialect,
                line=statement.line + line - 1,
            )
        )


def _commented(column: Item, comments: Comments) -> Item:
    comment = comments.pop(((column.table or "").casefold(), column.name.casefold()), None)
    return column if comment is None else column.model_copy(update={"comment": comment})


def _problem(statement: Statement, file: str, reason: str) -> Unparsed:
    excerpt = " ".join(statement.text[: _EXCERPT * 2].split())[:_EXCERPT]
    return Unparsed(file=file, line=statement.line, error=reason[:200], statement=excerpt)
