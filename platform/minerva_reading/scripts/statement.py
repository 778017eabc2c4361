"""Divide a script into statements, and tell by its words what each may hold."""

from collections.abc import Iterator, Sequence
from typing import Final

from sqlglot import Token, TokenType

from minerva_platform.text import read_words

_MAX_DECLARING_WORDS: Final = 8
"""Before TABLE or VIEW at most: CREATE OR REPLACE GLOBAL TEMPORARY TABLE."""
_MAX_WORDS: Final = 12
"""Of a statement that tell its kind; what follows may be names and values."""

_WORDS = read_words("minerva_reading.scripts", "statements")
_CHANGES: Final = frozenset({"ADD", "MODIFY", "RENAME", "CHANGE", "ALTER", "DROP"})
_ALONE: Final = frozenset({"GO", "/"})
"""A line of its own that ends a batch of SQL Server, and a block of Oracle."""


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
