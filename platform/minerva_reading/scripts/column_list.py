"""Read a `CREATE TABLE` that no parser knows by its brackets, commas and words.

Exports of Oracle and Snowflake are full of storage clauses of their own; the list of columns has
the same form in all of them: a name, a type, and words behind it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from sqlglot import Token, TokenType

from minerva_platform.text import read_words
from minerva_reading.schema import SchemaColumn

_WORDS = read_words("minerva_reading.scripts", "statements")
_MAX_TYPE_WORDS: Final = 12
_MAX_DECLARING_WORDS: Final = 10
"""Before the name: CREATE OR REPLACE GLOBAL TEMPORARY TABLE IF NOT EXISTS."""


@dataclass
class ColumnList:
    """What the brackets of a CREATE TABLE declare."""

    table: str
    comment: str = ""
    columns: list[SchemaColumn] = field(default_factory=list[SchemaColumn])
    defaults: list[tuple[SchemaColumn, str]] = field(default_factory=list[tuple[SchemaColumn, str]])
    items: int = 0
    """Entries of the list that are no key or constraint, also where they name no column."""
    is_whole: bool = True
    """False if rows or columns come from elsewhere as well: a query, another table."""


def read_column_list(tokens: Sequence[Token], text: str) -> ColumnList | None:
    """Return what the statement declares, or None if it is no table with a list of columns."""
    words = [token.text.upper() for token in tokens]
    if words[0] != "CREATE" or "TABLE" not in words[:_MAX_DECLARING_WORDS]:
        return None
    at = words.index("TABLE") + 1
    while at < len(words) and words[at] in {"IF", "NOT", "EXISTS"}:
        at += 1
    while at + 2 < len(tokens) and tokens[at + 1].token_type == TokenType.DOT:
        at += 2
    begin = _opening(tokens, at + 1)
    if begin is None:
        return None
    column_list = ColumnList(tokens[at].text)
    items, after = _items(tokens, begin)
    if not after:  # brackets that do not close may have swallowed the next statement
        return None
    for item in items:
        _read_item(column_list, item, text)
    column_list.comment = _comment(tokens[after:])
    column_list.is_whole = column_list.is_whole and "SELECT" not in words[after:]
    return column_list if column_list.columns else None


def _opening(tokens: Sequence[Token], at: int) -> int | None:
    """Return where the list of columns opens; brackets behind BY are those of a key."""
    depth = 0
    for index in range(at, len(tokens)):
        kind = tokens[index].token_type
        if kind == TokenType.L_PAREN:
            if not depth and not tokens[index - 1].text.upper().endswith("BY"):
                return index
            depth += 1
        elif kind == TokenType.R_PAREN:
            depth -= 1
    return None


def _items(tokens: Sequence[Token], begin: int) -> tuple[list[list[Token]], int]:
    """Return what stands between the commas of the brackets at `begin`, and where they end.

    The end is 0 if they do not close.
    """
    items: list[list[Token]] = [[]]
    depth = 0
    for index in range(begin, len(tokens)):
        token = tokens[index]
        depth += token.token_type == TokenType.L_PAREN
        depth -= token.token_type == TokenType.R_PAREN
        if not depth:
            return items, index + 1
        if token.token_type == TokenType.COMMA and depth == 1:
            items.append([])
        elif index != begin:
            items[-1].append(token)
    return items, 0


def _read_item(column_list: ColumnList, item: Sequence[Token], text: str) -> None:
    if not item:
        return
    name = item[0]
    first = name.text.upper().partition(" ")[0]  # PRIMARY KEY is one token in some dialects
    if name.token_type != TokenType.IDENTIFIER and first in _WORDS["no_column"]:
        column_list.is_whole = column_list.is_whole and first != "LIKE"
        return
    column_list.items += 1
    if name.token_type != TokenType.IDENTIFIER and not name.text.isidentifier():
        column_list.is_whole = False  # quotes of another dialect
        return
    type_tokens = list(_type(item[1:]))
    data_type = text[type_tokens[0].start : type_tokens[-1].end + 1] if type_tokens else ""
    column = SchemaColumn(
        table=column_list.table,
        name=name.text,
        data_type=" ".join(data_type.split()),
        comment=_comment(item),
        line=name.line,
    )
    column_list.columns.append(column)
    for before, value in pairwise(item):
        if before.text.upper() == "DEFAULT" and value.token_type == TokenType.STRING:
            column_list.defaults.append((column, value.text))


def _type(tokens: Sequence[Token]) -> Iterator[Token]:
    """Give the tokens of a type: up to the first word that says something else."""
    depth = 0
    for token in tokens[:_MAX_TYPE_WORDS]:
        if not depth and token.text.upper().partition(" ")[0] in _WORDS["after_type"]:
            return
        depth += token.token_type == TokenType.L_PAREN
        depth -= token.token_type == TokenType.R_PAREN
        yield token


def _comment(tokens: Sequence[Token]) -> str:
    """Return the text behind COMMENT, with or without an equals sign."""
    for index, token in enumerate(tokens):
        if token.text.upper() == "COMMENT":
            behind = [each for each in tokens[index + 1 : index + 3] if each.text != "="]
            if behind and behind[0].token_type == TokenType.STRING:
                return " ".join(behind[0].text.split())
    return ""
