"""Cut a SQL text into statements with their lines, whatever state the text is in.

A quote that never ends, or a missing `;`, costs the statement it is in and no other: a line that
begins a definition ends what stands before it. The body of a routine, rows to copy and comments
hold no statements of the schema.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_BEGINS = r"""
    [ \t]*
    (?:CREATE\s+(?:OR\s+REPLACE\s+)?(?:\w+\s+){0,3}?(?:TABLE|VIEW)\b
      |ALTER\s+TABLE\b|COMMENT\s+ON\s+(?:COLUMN|TABLE)\b)
"""
"""What a line begins with that belongs to no statement before it."""

_ROUTINE = re.compile(
    r"""
    CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:DEFINER\s*=\s*\S+\s+)?
    (?:(?!TABLE|VIEW|INDEX)\w+\s+){0,2}?
    (?:FUNCTION|PROCEDURE|PROC|TRIGGER|PACKAGE|EVENT)\b
    | (?:DECLARE|BEGIN)\b(?!\s*(?:;|TRAN|WORK))          # BEGIN of a transaction is no block
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COPY = re.compile(r"COPY\s.*\bFROM\s+stdin\b", re.IGNORECASE | re.DOTALL)
_COPY_END = re.compile(r"^\\\.[ \t]*$", re.MULTILINE)
_LEADING = re.compile(r"(?:\s+|--[^\n]*|/\*.*?\*/)*", re.DOTALL)
_BACKSLASH = frozenset({"mysql", "bigquery", "databricks", "snowflake"})
"""Dialects whose texts end at no quotation mark after a backslash."""

_BRACKETS = frozenset({"tsql", "sqlite"})
"""Dialects that quote names in square brackets."""


@dataclass(frozen=True, slots=True)
class Statement:
    """The text of a statement and the line of the file, from 1, on which it starts."""

    text: str
    line: int


@lru_cache
def _tokens(dialect: str | None) -> re.Pattern[str]:
    """Return what matters to where a statement ends, in the order in which it is looked for."""
    escape = r"|\\." if dialect in _BACKSLASH else ""
    stops = r"'\\" if escape else "'"
    bracket = r"|(?P<bracket>\[[^\]\n]*\])" if dialect in _BRACKETS else ""
    return re.compile(
        rf"""
        (?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z)|^[ \t]*\#[^\n]*)
        # A text or a name that is not closed ends before a line that begins a statement.
        |(?P<text>'(?:[^{stops}\n]++|''{escape}|\n(?!{_BEGINS}))*+(?:'|(?=\n)|\Z))
        |(?P<name>"(?:[^"\n]++|""|\n(?!{_BEGINS}))*+(?:"|(?=\n)|\Z)
          |`(?:[^`\n]++|``|\n(?!{_BEGINS}))*+(?:`|(?=\n)|\Z))
        {bracket}
        |(?P<dollar>\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z))
        |(?P<end>;)
        |(?P<batch>^[ \t]*(?:/|GO(?:[ \t]+\d+)?)[ \t]*$)       # Oracle's and SQL Server's
        |(?P<delimiter>^[ \t]*DELIMITER[ \t]+(?P<mark>\S+)[ \t]*$)
        |(?P<begin>^(?={_BEGINS}))
        |\b(?P<block>BEGIN|CASE)\b
        |\b(?P<over>END)\b(?P<of>\s+(?:IF|LOOP|REPEAT|WHILE|FOR)\b|\s+CASE\b)?
        """,
        re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE,
    )


class _Cutter:
    """Walks through a text once; `start` is where the statement at hand begins."""

    def __init__(self, sql: str, dialect: str | None) -> None:
        self.sql, self.pattern = sql, _tokens(dialect)
        self.start, self.line, self.line_position = 0, 1, 0

    def cut(self) -> Iterator[Statement]:
        """Yield the statements."""
        position = 0
        while found := self.pattern.search(self.sql, position):
            position = found.end()
            kind = found.lastgroup
            if kind == "begin":
                position += 1  # it has no width
                if self._is_new(found.start()):
                    yield from self._upto(found.start(), found.start())
            elif kind == "batch":
                yield from self._upto(found.start(), found.end())
            elif kind == "delimiter":
                yield from self._upto(found.start(), found.end())
                position = self.start = self._other_delimiter(found)
            elif kind == "end":
                end = self._routine_end(found.end()) if self._is_routine() else None
                is_copy = end is None and self._is_copy(found.start())
                yield from self._upto(end or found.start(), end or found.end())
                position = self.start = self._after_rows() if is_copy else self.start
        yield from self._upto(len(self.sql), len(self.sql))

    def _upto(self, end: int, start_of_next: int) -> Iterator[Statement]:
        text = self.sql[self.start : end]
        first = self.start + len(text) - len(text.lstrip())
        bare = text.strip()
        if bare:
            self.line += self.sql.count("\n", self.line_position, first)
            self.line_position = first
            yield Statement(bare, self.line)
        self.start = start_of_next

    def _code(self) -> int:
        """Return where the statement's first word is: after comments."""
        found = _LEADING.match(self.sql, self.start)
        return found.end() if found else self.start

    def _is_new(self, at: int) -> bool:
        """True if a line at `at` begins a statement: it may be the first word of this one."""
        return at > self._code() and not self._is_routine()

    def _is_routine(self) -> bool:
        return _ROUTINE.match(self.sql, self._code()) is not None

    def _is_copy(self, end: int) -> bool:
        return _COPY.match(self.sql, self._code(), end) is not None

    def _after_rows(self) -> int:
        found = _COPY_END.search(self.sql, self.start)
        return found.end() if found else self.start

    def _other_delimiter(self, match: re.Match[str]) -> int:
        """Return where `;` ends statements again: what stands before are routines."""
        if match["mark"] == ";":
            return match.end()
        back = re.compile(r"^[ \t]*DELIMITER[ \t]+;[ \t]*$", re.IGNORECASE | re.MULTILINE)
        last = back.search(self.sql, match.end())
        return last.end() if last else match.end()

    def _routine_end(self, position: int) -> int | None:
        """Return where a routine ends, one of whose `;` is before `position`; None: there."""
        depth, is_block = 0, False
        for found in self.pattern.finditer(self.sql, self._code()):
            if found["batch"] is not None:
                return found.start() if found.start() >= position else None
            if found["block"]:
                depth, is_block = depth + 1, True
            elif found["over"] and (found["of"] or "").strip().upper() in {"", "CASE"}:
                depth, is_block = depth - 1, True
            elif found["end"] and depth <= 0 and (is_block or not self._has_head(found.start())):
                return found.end() if found.end() > position else None
        return None

    def _has_head(self, end: int) -> bool:
        """True if declarations, which end in `;`, may stand before a routine's BEGIN."""
        head = self.sql[self._code() : end]
        return re.search(r"\b(?:IS|AS|DECLARE)\b(?!\s*\$)", head, re.IGNORECASE) is not None


def statements(sql: str, dialect: str | None = None) -> Iterator[Statement]:
    """Yield the statements of `sql`, cut at `;`, at lines of `/` or `GO`, and at definitions."""
    return _Cutter(sql, dialect).cut()
