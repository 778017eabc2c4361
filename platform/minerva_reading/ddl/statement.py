"""Cut a SQL text into statements with their lines, whatever state the text is in.

A quote that never ends, or a missing `;`, costs the statement it is in and no other: a line that
begins a definition ends what stands before it. The body of a routine, rows to copy and remarks
hold no statements of the schema.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from minerva_reading.ddl.code import HEAD

_ROUTINE = re.compile(
    r"""
    CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:DEFINER\s*=\s*\S+\s+)?
    (?:(?!TABLE|VIEW|INDEX)\w+\s+){0,3}?(?:TABLE\s+FUNCTION\b|
    (?:FUNCTION|PROCEDURE|PROC|TRIGGER|PACKAGE|EVENT)\b)
    | (?:DECLARE|BEGIN)\b(?!\s*(?:;|TRAN|WORK|GLOBAL|@))      # BEGIN of a transaction is no block
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ENDS = re.compile(
    rf"""
    (?P<end>;|@[ \t]*$)                                     # DB2's own is `@` at the end of a line
    |(?P<batch>^[ \t]*(?:/|GO(?:[ \t]+\d+)?)[ \t]*$)          # Oracle's and SQL Server's
    |(?P<delimiter>^[ \t]*DELIMITER[ \t]+(?P<mark>\S+)[ \t]*$)
    |(?P<begin>^(?=[ \t]*{HEAD}))
    |\b(?P<block>BEGIN|CASE)\b
    |\b(?P<over>END)\b(?P<of>\s+(?:IF|LOOP|REPEAT|WHILE|FOR)\b|\s+CASE\b)?
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_CREATE = re.compile(r"^[ \t]*CREATE\b", re.IGNORECASE | re.MULTILINE)
_SPACE = re.compile(r"\s*")
_BODY = re.compile(
    r"\b(?:IS|AS|DECLARE)\b"
    r"(?!\s*(?:\w{0,2}['\"]|[$(]|(?:LANGUAGE|RETURN|DISTINCT|NOT|NULL)\b))",
    re.IGNORECASE,
)
"""What declarations may follow: no text, no expression."""


@dataclass(frozen=True, slots=True)
class Statement:
    """The text of a statement, its code, and where it starts in the file: place and line from 1."""

    text: str
    code: str
    start: int
    line: int
    is_routine: bool = False


class _Cutter:
    """Walks through a text once; `start` is where the statement at hand begins."""

    def __init__(self, sql: str, code: str, dialect: str | None) -> None:
        self.sql, self.code, self.dialect = sql, code, dialect
        self.start, self.line, self.line_position = 0, 1, 0
        self.mark = ";"
        self.routine: tuple[int, int | None] = (-1, None)

    def cut(self) -> Iterator[Statement]:
        """Yield the statements."""
        position = 0
        while found := self._next(position):
            position = found.end()
            kind = found.lastgroup if found.lastgroup != "mark" else "delimiter"
            if kind == "begin":
                position += 1  # it has no width
                if found.start() > self._first() and self.mark == ";" and not self._is_routine():
                    yield from self._upto(found.start(), found.start())
            elif kind == "delimiter":
                yield from self._upto(found.start(), found.end())
                self.mark = found["mark"]
            elif kind == "batch" or (kind == "end" and not self._is_routine()):
                yield from self._upto(found.start(), found.end())
            elif kind == "end":
                end = found.end() if self.mark != ";" else self._routine_end()
                if end is not None and end >= found.end():
                    yield from self._upto(end, end)
                    position = self.start
        yield from self._upto(len(self.sql), len(self.sql))

    def _next(self, position: int) -> re.Match[str] | None:
        """Return what may end a statement: another mark than `;` ends routines as well."""
        if self.mark == ";":
            return _ENDS.search(self.code, position)
        own = rf"(?P<end>{re.escape(self.mark)})|^[ \t]*DELIMITER[ \t]+(?P<mark>\S+)[ \t]*$"
        return re.compile(own, re.IGNORECASE | re.MULTILINE).search(self.code, position)

    def _upto(self, end: int, start_of_next: int) -> Iterator[Statement]:
        first = self._first()
        code = self.code[first:end].rstrip().removesuffix(";")
        if code:
            self.line += self.sql.count("\n", self.line_position, first)
            self.line_position = first
            text = self.sql[first : first + len(code)]
            yield Statement(text, code, first, self.line, self._is_routine())
        self.start = start_of_next

    def _first(self) -> int:
        """Return where the statement's first word is."""
        found = _SPACE.match(self.code, self.start)
        return found.end() if found else self.start

    def _is_routine(self) -> bool:
        return _ROUTINE.match(self.code, self._first()) is not None

    def _routine_end(self) -> int | None:
        """Return where a routine ends; None: at the next batch or the end of the file."""
        first = self._first()
        if self.routine[0] != first:
            self.routine = (first, self._find_routine_end(first))
        return self.routine[1]

    def _find_routine_end(self, first: int) -> int | None:
        depth, is_block, is_body = 0, False, False
        create = _CREATE.search(self.code, first + 1)
        limit = create.start() if create and self.dialect != "tsql" else len(self.code)
        if self.dialect in {"oracle", "tsql"}:  # their clients end it at a line of its own
            ends = _ENDS.finditer(self.code, first, limit)
            batch = next((found.start() for found in ends if found["batch"] is not None), None)
            if batch is not None:
                return batch
        for found in _ENDS.finditer(self.code, first):
            if found["batch"] is not None:
                return found.start()
            if found["block"]:
                depth, is_block = depth + 1, True
            elif found["over"] and (found["of"] or "").strip().upper() in {"", "CASE"}:
                depth, is_block = depth - 1, True
            elif found["end"] and depth <= 0:
                # declarations, which end in `;`, may stand before a routine's BEGIN
                is_body = is_body or _BODY.search(self.code, first, found.start()) is not None
                if is_block or not is_body:
                    return found.end()
        return None


def statements(sql: str, code: str, dialect: str | None = None) -> Iterator[Statement]:
    """Yield the statements of `sql`, cut at `;`, at lines of `/` or `GO`, and at definitions.

    `code` is `sql` without what is no code, of the same length.
    """
    return _Cutter(sql, code, dialect).cut()
