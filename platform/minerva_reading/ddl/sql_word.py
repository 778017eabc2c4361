"""Read a statement as words with brackets and lines, whatever a dialect's grammar says of them.

The words are sqlglot's tokens for the dialect, which knows its quotation marks, comments and texts;
`PRIMARY KEY`, one token there, is two words here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import Dialect, Token, TokenType
from sqlglot.parser import Parser

from minerva_platform.text import read_words
from minerva_reading.identifier import Identifier

SQL = read_words("minerva_reading.ddl", "sql")
"""Words by what they mean for the columns of a table."""

_TEXTS = {
    *(TokenType.STRING, TokenType.NATIONAL_STRING, TokenType.RAW_STRING),
    *(TokenType.BYTE_STRING, TokenType.HEREDOC_STRING, TokenType.UNICODE_STRING),
}
_NESTED = frozenset({"ARRAY", "STRUCT", "MAP", "NESTED", "LIST"})
"""Types whose angle brackets hold types."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word, mark or text of a statement, from `start` to `end` in it, on a line from 1.

    `upper` is the word in capitals, "" for what stands in quotation marks: that is no keyword.
    `is_double` says that these are `"`, which may hold a name where they else hold a text: MySQL's
    ANSI_QUOTES; SQLite takes `'` so, too.
    """

    text: str
    upper: str
    start: int
    end: int
    line: int
    kind: TokenType
    is_double: bool = False

    @property
    def is_text(self) -> bool:
        """True if it is a text in quotation marks."""
        return self.kind in _TEXTS

    @property
    def is_word(self) -> bool:
        """True if it may be a name: a word, or in the quotation marks of names."""
        if self.kind is TokenType.IDENTIFIER or self.is_double:
            return True
        return bool(self.upper) and (self.upper[0].isalnum() or self.upper[0] in "_#")

    @property
    def is_type(self) -> bool:
        """True if it is the name of a type that the dialect knows."""
        return self.kind in Parser.TYPE_TOKENS

    @property
    def is_free(self) -> bool:
        """True if it is a word without a meaning of its own in SQL."""
        return self.kind in {TokenType.VAR, TokenType.IDENTIFIER}

    def identifier(self) -> Identifier:
        """Return the name that the word is."""
        return Identifier(self.text, self.kind is TokenType.IDENTIFIER or self.is_double)


def words_of(text: str, dialect: str) -> list[Word]:
    """Return the words of a statement.

    Raises:
        SqlglotError: a quotation mark in it is not closed.
    """
    quotes = "\"'" if dialect == "sqlite" else '"'
    tokens = Dialect.get_or_raise(dialect).tokenize(text)
    return [word for token in tokens for word in _words(token, text, quotes)]


def _words(token: Token, source: str, quotes: str) -> Iterator[Word]:
    start, end, kind = token.start, token.end + 1, token.token_type
    if kind is TokenType.IDENTIFIER or kind in _TEXTS:  # its line is that of its end
        line = token.line - token.text.count("\n")
        is_double = kind in _TEXTS and source[start] in quotes
        yield Word(token.text, "", start, end, line, kind, is_double)
        return
    for part in token.text.split() or [token.text]:
        yield Word(part, part.upper(), start, end, token.line, kind)


def close_of(words: Sequence[Word], opening: int) -> int | None:
    """Return where the bracket at `opening` is closed, None if it never is."""
    depth = 0
    for place in range(opening, len(words)):
        depth += {"(": 1, ")": -1}.get(words[place].upper, 0)
        if depth == 0:
            return place
    return None


def outer(words: Sequence[Word]) -> Iterator[tuple[int, Word]]:
    """Yield the words outside of round brackets with their places; of a pair, only the first."""
    depth = 0
    for place, word in enumerate(words):
        if depth == 0:
            yield place, word
        depth += {"(": 1, ")": -1}.get(word.upper, 0)


def parts_of(words: Sequence[Word]) -> list[Sequence[Word]]:
    """Cut words at the commas outside of brackets, those of `STRUCT<a INT64, b STRING>` too."""
    parts: list[Sequence[Word]] = []
    depth = angle = first = 0
    for place, word in enumerate(words):
        mark = word.upper
        if mark in {"(", "[", "{"}:
            depth += 1
        elif mark in {")", "]", "}"}:
            depth -= 1
        elif mark == "<" and place and (angle or words[place - 1].upper in _NESTED):
            angle += 1
        elif angle and mark and not mark.strip(">"):
            angle -= len(mark)
        elif mark == "," and depth == 0 and angle == 0:
            parts.append(words[first:place])
            first = place + 1
    return [part for part in (*parts, words[first:]) if part]


def has(words: Sequence[Word], place: int, *keywords: str) -> bool:
    """True if the words from `place` on are the `keywords`, in capitals."""
    found = words[place : place + len(keywords)]
    return tuple(word.upper for word in found) == keywords


def skip(words: Sequence[Word], place: int, *groups: tuple[str, ...]) -> int:
    """Return the place after each of the `groups` of words that stand there, in their order."""
    for group in groups:
        place += len(group) if has(words, place, *group) else 0
    return place
