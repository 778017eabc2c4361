"""The values that a script puts into tables, read as rows of data.

Nothing is parsed: the tokens of a statement are walked, because a dump of a million values would
take a parser minutes. A row's number is its line in the script.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from sqlglot import Token, TokenType

from minerva_reading.schema import LITERALS, InsertedRows, SchemaColumn

_VALUES: Final = frozenset(
    {
        *(TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.RAW_STRING),
        *(TokenType.HEREDOC_STRING, TokenType.UNICODE_STRING, TokenType.BYTE_STRING),
        *(TokenType.HEX_STRING, TokenType.NUMBER),
        TokenType.IDENTIFIER,  # "text" is a string in MySQL, a name elsewhere: here it is a value
    }
)
_COPY: Final = re.compile(
    r"""
    ^COPY \s+ (?P<table>[^\s(]+) \s* (?: \( (?P<columns>[^)\n]*) \) )? \s+ FROM \s+ stdin [^\n]* ;
    [ \t]*\r?\n
    (?P<rows>.*?)
    ^\\\.[ \t]*\r?$                                            # the line that ends the rows
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL | re.IGNORECASE,
)


class ScriptRows:
    """All rows of a script, by table; a value that stands in no row counts if it `is_wanted`."""

    def __init__(self, is_wanted: Callable[[str], object]) -> None:
        self._is_wanted = is_wanted
        self._tables: dict[str, InsertedRows] = {}

    @property
    def tables(self) -> list[InsertedRows]:
        """The tables that rows are put into."""
        return list(self._tables.values())

    def add(self, table: str, line: int, cells: list[tuple[str, str]]) -> None:
        """Note a row."""
        rows = self._tables.setdefault(table.upper(), InsertedRows(table))
        new = [name for name, _ in cells if name not in rows.columns]
        rows.columns = (*rows.columns, *dict.fromkeys(new))
        rows.rows.append((line, cells))

    def add_literals(self, tokens: Sequence[Token]) -> None:
        """Note the wanted values of a statement that is not understood."""
        for token in tokens:
            if token.token_type in _VALUES and self._is_wanted(token.text):
                self.add("", token.line, [(LITERALS, token.text)])

    def add_defaults(self, column: SchemaColumn, values: Sequence[str]) -> None:
        """Note the wanted defaults of a column."""
        for value in filter(self._is_wanted, values):
            self.add(column.table, column.line, [(column.name, value)])

    def add_insert(self, tokens: Sequence[Token], columns: Sequence[str]) -> bool:
        """Note the rows of an INSERT; False if they come from elsewhere than its own values.

        `columns` are those of the table by its declaration, for rows that name none.
        """
        walk = _Walk(tokens)
        count = 0
        for table, named, line, cells in walk.rows():
            known = named or list(columns)
            padded = [*known, *(f"column {at + 1}" for at in range(len(known), len(cells)))]
            values = [(padded[at], text) for at, texts in enumerate(cells) for text in texts]
            self.add(table, line, values)
            count += 1
        self.add_literals(walk.rest)
        return count > 0 and not walk.has_query

    def cut_copies(self, text: str) -> str:
        """Return `text` without the rows of PostgreSQL's COPY, line by line; note the rows."""

        def note_rows(hit: re.Match[str]) -> str:
            table = hit["table"].rpartition(".")[2].strip('"')
            names = [name.strip().strip('"') for name in (hit["columns"] or "").split(",")]
            first = text.count("\n", 0, hit.start("rows")) + 1
            for line, raw in enumerate(hit["rows"].splitlines(), first):
                cells = raw.split("\t")
                padded = [*filter(None, names), *(f"column {n + 1}" for n in range(len(cells)))]
                pairs = [(n, c) for n, c in zip(padded, cells, strict=False) if c != "\\N"]
                self.add(table, line, pairs)
            return "\n" * hit.group().count("\n")

        return _COPY.sub(note_rows, text)


class _Walk:
    """One pass over the tokens of an INSERT, in any dialect."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 1
        self._table = ""
        self._columns: list[str] = []
        self._in_values = False
        self.has_query = False
        """Rows come from a query as well."""
        self.rest: list[Token] = []
        """Tokens outside all rows and names."""

    def rows(self) -> Iterator[tuple[str, list[str], int, list[list[str]]]]:
        """Give table, named columns, line and the values of each cell, row by row."""
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if token.token_type != TokenType.L_PAREN:
                self._word(token)
                continue
            inside, cells = self._group()
            if self._in_values:
                yield self._table, self._columns, token.line, cells
            elif self._table and not self._columns and not self.has_query:
                self._columns = [t.text for t in inside if t.token_type != TokenType.COMMA]
            else:
                self.rest += inside

    def _word(self, token: Token) -> None:
        word = token.text.upper() if token.token_type not in _VALUES else ""
        is_name = token.token_type in {TokenType.VAR, TokenType.IDENTIFIER} or word.isidentifier()
        if word == "VALUES":
            self._in_values = True
        elif word == "SELECT":
            self.has_query = True
        elif word == "INTO":  # Oracle's INSERT ALL has several
            self._table, self._columns, self._in_values = "", [], False
        elif is_name and not self._table and not self.has_query:
            self._table = self._name()
        elif token.token_type != TokenType.COMMA:
            self.rest.append(token)
        self._at += 1

    def _name(self) -> str:
        """Return the last part of a dotted name, and stay on it."""
        while self._tokens[self._at + 1 : self._at + 2] and (
            self._tokens[self._at + 1].token_type == TokenType.DOT
        ):
            self._at = min(self._at + 2, len(self._tokens) - 1)
        return self._tokens[self._at].text

    def _group(self) -> tuple[list[Token], list[list[str]]]:
        """Return the tokens between the brackets that open here, and the values of each cell."""
        start, depth = self._at, 0
        cells: list[list[str]] = [[]]
        for token in self._tokens[start:]:
            self._at += 1
            if token.token_type == TokenType.L_PAREN:
                depth += 1
            elif token.token_type == TokenType.R_PAREN:
                depth -= 1
                if not depth:
                    return list(self._tokens[start + 1 : self._at - 1]), cells
            elif token.token_type == TokenType.COMMA and depth == 1:
                cells.append([])
            elif token.token_type in _VALUES:
                cells[-1].append(token.text)
            self.has_query = self.has_query or token.token_type == TokenType.SELECT
        return list(self._tokens[start + 1 :]), cells
