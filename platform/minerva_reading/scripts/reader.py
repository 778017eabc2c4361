"""Read tables, columns, comments and rows out of DDL with sqlglot.

A script is divided into statements, and the words of each tell what it may hold. One that no
dialect understands is a problem with its line, the others still count. The rows of `INSERT` and
`COPY` are handed on to be looked at. Every other statement that may hold columns or rows is a fault
as well: it was not looked at. Data never reaches a message.
"""

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from sqlglot import Dialect, ErrorLevel, Token, TokenType, exp
from sqlglot.errors import SqlglotError

from minerva_platform.text import Language, read_texts, read_words
from minerva_reading.ddl.table_definition import TableDefinition, read_table
from minerva_reading.schema import Schema, SchemaColumn, SchemaFault
from minerva_reading.scripts.declared_tables import DeclaredTables, add_projection, change_table
from minerva_reading.scripts.inserted_rows import ScriptRows

_MAX_DECLARING_WORDS: Final = 8
"""Before TABLE or VIEW at most: CREATE OR REPLACE GLOBAL TEMPORARY TABLE."""
_MAX_WORDS: Final = 12
"""Of a statement that tell its kind; what follows may be names and values."""

_WORDS = read_words("minerva_reading.scripts", "statements")
_CHANGES: Final = frozenset({"ADD", "MODIFY", "RENAME", "CHANGE", "ALTER", "DROP"})
_ALONE: Final = frozenset({"GO", "/"})
"""A line of its own that ends a batch of SQL Server, and a block of Oracle."""
TEXTS = read_texts("minerva_reading.scripts", "script")

DIALECTS = ("oracle", "mysql", "postgres", "tsql", "sqlite")
"""In turn, until one understands everything; a statement that it does not know is tried in all."""
_MAX_RETRIED_CHARACTERS = 20_000
"""Of a statement that is tried in the other dialects, too."""


def read_script(sql: str, *, is_wanted: Callable[[str], object], language: Language) -> Schema:
    """Return what a script declares, and the rows that it puts into tables.

    It is read in the dialect that understands most. Faults are told in `language`.
    """
    readings: list[_Reading] = []
    for dialect in DIALECTS:
        readings.append(_Reading(dialect, is_wanted, language))
        readings[-1].follow(sql)
        if not readings[-1].faults:
            break
    best = min(readings, key=lambda each: (-each.tables.change_count, len(each.faults)))
    return best.schema()


class _Reading:
    """One reading of a file in one dialect."""

    def __init__(
        self, dialect: str, is_wanted: Callable[[str], object], language: Language
    ) -> None:
        self.name = dialect
        self.language: Language = language
        self.dialect = Dialect.get_or_raise(dialect)
        self.others = [Dialect.get_or_raise(other) for other in DIALECTS if other != dialect]
        self.tables = DeclaredTables(self.dialect)
        self.rows = ScriptRows(is_wanted)
        self.faults: list[SchemaFault] = []

    def schema(self) -> Schema:
        return Schema(
            self.name,
            self.tables.columns,
            self.tables.tables,
            self.faults,
            rows=self.rows.tables,
        )

    def follow(self, text: str) -> None:
        text = self.rows.cut_copies(text)
        try:
            tokens = self.dialect.tokenize(text)
        except (SqlglotError, RecursionError):
            self._report(1, TEXTS("unsplit", self.language))
            tokens = []
        for statement in statements(tokens):
            if inserts(statement):
                self._read_insert(statement)
            elif declares(statement):
                self._read_statement(statement, text)
            elif asks(statement):
                self.rows.add_literals(statement)
            elif not is_harmless(statement) and not take_over_property(self.tables, statement):
                self._unread(statement, kind_of(statement))
        if not self.tables.change_count and not self.rows.tables and not self.faults:
            self._report(1, TEXTS("no_table", self.language))

    def _read_insert(self, tokens: list[Token]) -> None:
        named = [token.text for token in tokens[1:8]]
        known = (self.tables.columns_of(name) for name in named)
        columns = next((each for each in known if each), ())
        if not self.rows.add_insert(tokens, [column.name for column in columns]):
            self._unread(tokens, kind_of(tokens))

    def _read_statement(self, tokens: list[Token], text: str) -> None:
        line = tokens[0].line
        if tokens[0].text.upper() == "ALTER" and is_harmless(tokens):
            return
        tree = self._parse_any(tokens, text)
        if tree is None:
            self._read_list(tokens, text)
        elif isinstance(tree, exp.Create):
            self._read_create(tree, tokens, text)
        elif isinstance(tree, exp.Comment):
            self._read_comment(tree)
        elif not (isinstance(tree, exp.Alter) and change_table(self.tables, tree, tokens)):
            self._unread(tokens, kind_of(tokens))
        if tree is not None:
            self._read_defaults(tree, line)

    def _read_list(self, tokens: list[Token], text: str) -> None:
        """Take over the columns of a table whose other clauses no parser knows."""
        table = self._by_words(tokens, text)
        if table is not None:
            self._take_over(table, tokens)
        else:
            self._report(tokens[0].line, TEXTS("unparsed", self.language))
            self.rows.add_literals(tokens)

    def _by_words(self, tokens: list[Token], text: str) -> TableDefinition | None:
        """Return the table that a CREATE TABLE declares, read without a grammar, if it has columns.

        Exports of Oracle and Snowflake are full of storage clauses of their own; the list of
        columns has the same form in all of them.
        """
        if tokens[0].text.upper() != "CREATE":
            return None
        try:
            table = read_table(_text_of(tokens, text), self.name)
        except (SqlglotError, RecursionError, ValueError):
            return None
        return table if table is not None and table.columns else None

    def _take_over(self, table: TableDefinition, tokens: list[Token]) -> None:
        name, line = table.path[-1].text, tokens[0].line
        self.tables.add_table(name, table.comment, line)
        for one in table.columns:
            kind, comment = (" ".join(each.split()) for each in (one.own_type, one.comment or ""))
            column = SchemaColumn(name, one.name.text, kind, comment, line + one.line - 1)
            self.tables.add_column(column)
            self.rows.add_defaults(column, [one.default or ""])
        if table.faults or table.like or any(each.text.upper() == "SELECT" for each in tokens):
            self._report(line, TEXTS("unparsed", self.language))

    def _read_defaults(self, tree: exp.Expr, line: int) -> None:
        """Hand on what columns hold that are not given a value."""
        table = tree.find(exp.Table)
        for definition in tree.find_all(exp.ColumnDef):
            column = self.tables.column_of(table.name if table else "", definition, line)
            for default in definition.find_all(exp.DefaultColumnConstraint):
                values = [each.name for each in default.find_all(exp.Literal)]
                self.rows.add_defaults(column, values)

    def _parse_any(self, tokens: list[Token], text: str) -> exp.Expr | None:
        """Return the tree of a statement: in this dialect, or in the first that knows it."""
        trees = [_parse(self.dialect, tokens, text)]
        written = _text_of(tokens, text)
        if trees[0] is None and len(written) <= _MAX_RETRIED_CHARACTERS:
            trees += (_parse(other, None, written) for other in self.others)
        return next((tree for tree in trees if tree is not None), None)

    def _read_create(self, tree: exp.Create, tokens: list[Token], text: str) -> None:
        table = tree.find(exp.Table)
        if table is None:
            return
        line = tokens[0].line
        counted = self._by_words(tokens, text) if tree.expression is None else None
        # The parser drops columns without a type, and lists behind clauses that it does not know.
        if counted is not None and (
            len(counted.columns) + len(counted.faults) > len(list(tree.find_all(exp.ColumnDef)))
        ):
            self._take_over(counted, tokens)
            return
        said = tree.find(exp.SchemaCommentProperty)
        self.tables.add_table(table.name, said.this.name if said else "", line)
        found = [tree.this] if isinstance(tree.this, exp.Schema) else []
        definitions = [each for schema in found for each in schema.find_all(exp.ColumnDef)]
        for definition in definitions:
            self.tables.add_column(self.tables.column_of(table.name, definition, line))
        models = [each.find(exp.Table) for each in tree.find_all(exp.LikeProperty, exp.Clone)]
        copied = [
            model is not None and self.tables.copy_columns(model.name, table.name, line)
            for model in models
        ]
        is_query = tree.expression is not None
        if is_query and not definitions:
            copied.append(add_projection(self.tables, tree, table.name, line))
        if not (definitions or copied) or not all(copied):
            kind = "CREATE VIEW" if tree.kind == "VIEW" else "CREATE TABLE … AS"
            self._unread(tokens, kind)

    def _read_comment(self, tree: exp.Comment) -> None:
        words = tree.expression.name if tree.expression else ""
        target = tree.this
        if isinstance(target, exp.Column):
            self.tables.comment(target.table, target.name, words)
        elif isinstance(target, exp.Table):
            self.tables.comment(target.name, None, words)

    def _unread(self, tokens: list[Token], kind: str) -> None:
        """Note a statement that is not understood; its literals are looked at all the same."""
        self._report(tokens[0].line, TEXTS("unread", self.language, kind=kind))
        self.rows.add_literals(tokens)

    def _report(self, line: int, message: str) -> None:
        self.faults.append(SchemaFault(line, message))


def _text_of(tokens: Sequence[Token], text: str) -> str:
    return text[tokens[0].start : tokens[-1].end + 1]


def _parse(dialect: Dialect, tokens: list[Token] | None, text: str) -> exp.Expr | None:
    """Return the tree of one statement, or None if the dialect does not know it."""
    parser = dialect.parser(error_level=ErrorLevel.IMMEDIATE)
    try:
        with _silenced():
            tree = parser.parse(tokens or dialect.tokenize(text), text)[0]
    except (SqlglotError, RecursionError):  # its text quotes the SQL, so it is not kept
        return None
    return None if isinstance(tree, exp.Command) else tree


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


_PROCEDURES: Final = frozenset({"SP_ADDEXTENDEDPROPERTY", "SP_UPDATEEXTENDEDPROPERTY"})
_ARGUMENTS: Final = (
    *("name", "value", "level0type", "level0name"),
    *("level1type", "level1name", "level2type", "level2name"),
)
"""In the order of the procedure, for calls that do not name them."""
_MAX_PROCEDURE_WORDS: Final = 6
"""Before the procedure's name: EXEC server.database.sys."""


def take_over_property(tables: DeclaredTables, tokens: Sequence[Token]) -> bool:
    """Take over a description; False if the statement is anything else."""
    words = [token.text.upper() for token in tokens[: _MAX_PROCEDURE_WORDS + 2]]
    at = next((index for index, word in enumerate(words) if word in _PROCEDURES), None)
    if words[0] not in {"EXEC", "EXECUTE"} or at is None:
        return False
    given = _arguments(tokens[at + 1 :])
    if given.get("name", "").upper() != "MS_DESCRIPTION":
        return True  # another property says nothing about what a column holds
    if given.get("level1name"):
        tables.comment(given["level1name"], given.get("level2name") or None, given.get("value", ""))
    return True


def _arguments(tokens: Sequence[Token]) -> dict[str, str]:
    found: dict[str, str] = {}
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type == TokenType.COMMA:
            parts.append([])
        else:
            parts[-1].append(token)
    for name, part in zip(_ARGUMENTS, parts, strict=False):
        is_named = bool(part[1:]) and part[0].token_type == TokenType.PARAMETER
        key = part[1].text.casefold() if is_named else name
        found[key] = part[-1].text if part else ""
    return found


def statements(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Give the tokens of each statement."""
    statement: list[Token] = []
    for index, token in enumerate(tokens):
        if token.token_type == TokenType.SEMICOLON or _is_batch_end(tokens, index):
            if statement:
                yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _is_batch_end(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    if token.text.upper() not in _ALONE:
        return False
    before, after = tokens[index - 1 : index], tokens[index + 1 : index + 2]
    return all(other.line != token.line for other in (*before, *after))


def declares(tokens: Sequence[Token]) -> bool:
    """True if the statement declares or changes tables in a way that a parser may know."""
    words = [token.text.upper() for token in tokens[:_MAX_DECLARING_WORDS]]
    if words[:2] in (["COMMENT", "ON"], ["ALTER", "TABLE"]):
        return True
    return words[0] == "CREATE" and not {"TABLE", "VIEW"}.isdisjoint(words)


def inserts(tokens: Sequence[Token]) -> bool:
    """True if the statement puts rows into tables."""
    words = [token.text.upper() for token in tokens[:2]]
    return words[0] == "INSERT" or words == ["REPLACE", "INTO"]


def asks(tokens: Sequence[Token]) -> bool:
    """True if the statement is a question, which makes neither a column nor a row."""
    words = {token.text.upper() for token in tokens}
    return tokens[0].text.upper() == "SELECT" and "INTO" not in words


def is_harmless(tokens: Sequence[Token]) -> bool:
    """True if the statement can hold neither a column nor a row."""
    words = [token.text.upper() for token in tokens[:_MAX_WORDS]]
    if words[0] not in {"CREATE", "ALTER"}:
        return words[0] in _WORDS["harmless"]
    if words[:2] == ["ALTER", "TABLE"]:
        return _is_harmless_change([token.text.upper() for token in tokens[2:]])
    if words[0] == "ALTER" and "OWNER" in words:
        return True
    return any(w in _WORDS["harmless_things"] for w in words[1:5])


def _is_harmless_change(words: Sequence[str]) -> bool:
    """True if an ALTER TABLE adds one key or constraint, or sets what is about no column."""
    changes = [at for at, word in enumerate(words) if word in _CHANGES]
    if not changes:
        return any(word in _WORDS["alter_table_adds"] for word in words[1:])
    added = words[changes[0] + 1 : changes[0] + 2]
    is_one = len(changes) == 1 and words[changes[0]] == "ADD"
    return is_one and any(word in _WORDS["alter_table_adds"] for word in added)


def kind_of(tokens: Sequence[Token]) -> str:
    """Return the statement's first word, or first two; never a name or a value of it."""
    words = [token.text.upper() for token in tokens[:2]]
    shown = [word for word in words if word.isalpha() and word.isascii()]
    return " ".join(word for word in shown if word in _WORDS["told"]) or "SQL"
