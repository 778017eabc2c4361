"""Cut a SQL text into statements with their lines, whatever state the text is in.

A quote that never ends, or a missing `;`, costs the statement it is in and no other: what
does not parse is cut again at the lines that start a new statement.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, pairwise

_TOKEN = re.compile(
    r"--[^\n]*"
    r"|/\*.*?(?:\*/|\Z)"
    r"|'(?:[^']|'')*(?:'|\Z)"
    r'|"[^"]*(?:"|\Z)'
    r"|`[^`]*(?:`|\Z)"
    r"|\$\$.*?(?:\$\$|\Z)"
    r"|;"
    r"|(?m:^[ \t]*/[ \t]*$)",
    re.DOTALL,
)
_START = re.compile(
    r"^[ \t]*(?:CREATE|COMMENT\s+ON|ALTER|DROP|INSERT|GRANT|SET)\b",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """The text of a statement and the line of the file, from 1, on which it starts."""

    text: str
    line: int


def statements(sql: str) -> Iterator[Statement]:
    """Yield the statements of `sql`, cut at `;` and at SQL*Plus's `/` lines."""
    start, line = 0, 1
    ends = (t for t in _TOKEN.finditer(sql) if t.group() == ";" or t.group().strip() == "/")
    for found in chain(ends, (None,)):
        end = found.start() if found else len(sql)
        text = sql[start:end]
        bare = text.lstrip()
        if bare:
            yield Statement(bare.rstrip(), line + text.count("\n", 0, len(text) - len(bare)))
        start_of_next = found.end() if found else end
        line += sql.count("\n", start, start_of_next)
        start = start_of_next


def recut(statement: Statement) -> list[Statement]:
    """Cut a statement again at the lines that begin like one; itself alone if there is none."""
    starts = [found.start() for found in _START.finditer(statement.text)]
    cuts = sorted({0, *starts, len(statement.text)})
    pieces = [
        Statement(text, statement.line + statement.text.count("\n", 0, first))
        for first, last in pairwise(cuts)
        if (text := statement.text[first:last].rstrip().rstrip(";"))
    ]
    return pieces if len(pieces) > 1 else [statement]
