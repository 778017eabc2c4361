"""Read a statement as names and marks, with the code in its texts: `EXECUTE 'DELETE FROM t'`.

sqlglot's words would do for tables. The bodies of routines are texts to it, in many dialects.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from minerva_reading.identifier import Identifier

Path = tuple[str, ...]
"""The keys of a name and of what stands before it, outermost first."""

_BACKSLASH = frozenset({"mysql", "bigquery", "databricks", "snowflake"})
_TEXTS = _BACKSLASH - {"snowflake"}
"""Dialects in which `"` begins a text."""
_BRACKETS = frozenset({"tsql", "sqlite"})


@dataclass(frozen=True, slots=True)
class Token:
    """A name, a mark or a text of one word. `upper`: the word or mark in capitals, "" if quoted.

    `key` is what two spellings of a name share, "" for marks.
    """

    text: str
    upper: str
    key: str
    is_literal: bool = False


def key_of(name: Identifier, dialect: str) -> str:
    """Return what two spellings of a name share."""
    return f'"{name.text}"' if name.is_exact(dialect) else name.text.casefold()


@lru_cache
def _pattern(dialect: str) -> re.Pattern[str]:
    text = r"'(?:[^'\\]|''|\\.)*'" if dialect in _BACKSLASH else r"'(?:[^']|'')*'"
    bracket = r"|\[[^\]\n]+\]" if dialect in _BRACKETS else ""
    hashes = r"|\#[^\n]*" if dialect == "mysql" else ""
    return re.compile(
        rf"""
        --[^\n]*|/\*.*?(?:\*/|\Z)|\$\w*\${hashes}               # remarks, marks of a body
        |(?P<text>{text})
        |(?P<quoted>"(?:[^"]|"")+"|`(?:[^`]|``)+`{bracket})
        |(?P<word>[^\W\d][\w$\#]*)
        |(?P<mark>[^\s\w])
        """,
        re.DOTALL | re.VERBOSE,
    )


def tokens_of(text: str, dialect: str, *, with_texts: bool = False) -> Iterator[Token]:
    """Yield the names and marks of `text`; `with_texts`, those in its texts as well."""
    for match in _pattern(dialect).finditer(text):
        inner = match[0][1:-1]
        if match["word"]:
            yield Token(match[0], match[0].upper(), match[0].casefold())
        elif match["mark"]:
            yield Token(match[0], match[0], "")
        elif match["quoted"] and match[0][0] == '"' and dialect in _TEXTS and " " in inner:
            yield from tokens_of(inner, dialect, with_texts=True) if with_texts else ()
        elif match["quoted"]:
            name = inner.replace(match[0][0] * 2, match[0][0])
            yield Token(name, "", key_of(Identifier(name, is_quoted=True), dialect))
        elif match["text"] and with_texts and re.search(r"\s", inner):
            yield Token("'", "'", "")
            yield from tokens_of(inner.replace("''", "'"), dialect, with_texts=True)
        elif match["text"] and with_texts:
            name = inner.replace("''", "'")
            key = key_of(Identifier(name, is_quoted=True), dialect)
            yield Token(name, "", key, is_literal=True)


def path_at(tokens: Sequence[Token], place: int) -> tuple[Path, int]:
    """Return the name that begins at `place`, `a."B".c`, and the place after it."""
    keys: list[str] = []
    while place < len(tokens) and tokens[place].key and not tokens[place].is_literal:
        keys.append(tokens[place].key)
        place += 1
        if not is_at(tokens, place, "."):
            break
        place += 1
    return tuple(keys), place


def is_at(tokens: Sequence[Token], place: int, word: str) -> bool:
    """True if `word`, in capitals, stands at `place`."""
    return place < len(tokens) and tokens[place].upper == word


def bracket(tokens: Sequence[Token], place: int) -> tuple[Sequence[Token], int]:
    """Return what the next bracket from `place` on holds, and the place after it."""
    while place < len(tokens) and tokens[place].upper != "(":
        place += 1
    depth, start = 0, place + 1
    for end in range(place, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[end].upper, 0)
        if depth == 0:
            return tokens[start:end], end + 1
    return tokens[start:], len(tokens)
