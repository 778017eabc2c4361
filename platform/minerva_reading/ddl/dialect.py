"""Find the dialect of a schema by what its statements show, or the dialects that fit.

Texts, remarks, names in quotation marks and rows of data show nothing: a schema for PostgreSQL may
say of a column that it was a CLOB in Oracle.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain

from minerva_platform.text import read_words
from minerva_reading.ddl.code import code_of, lines_at
from minerva_reading.ddl.statement import statements

MARKS = read_words("minerva_reading.ddl", "dialect_marks")
DIALECTS = ("postgres", "oracle", "mysql", "tsql", "sqlite", "snowflake", "bigquery", "databricks")
"""sqlglot's names of the dialects that are known here, the most standard first."""

_ROWS = re.compile(r"(?:INSERT|REPLACE|UPDATE|DELETE|MERGE|VALUES)\b", re.IGNORECASE)
_UNKNOWN = "unknown"
_MIN_MAJORITY = 2
"""Marks by which one dialect leads where no dialect knows all of them."""
_MAX_SHOWN = 3
_MAX_SHOWN_CHARACTERS = 30


@dataclass(frozen=True, slots=True)
class DialectFound:
    """The dialect that a schema is read in, why, and which `others` fit as well."""

    name: str
    reason: str
    """Marks with their lines (`VARCHAR2`:3), in no language; empty if no statement shows it."""
    others: tuple[str, ...] = ()


def find_dialect(sql: str) -> DialectFound:
    """Return the dialect of `sql`, which all of its marks know, or most of them by far."""
    code, _ = code_of(sql)
    pieces, position = list[str](), 0
    for one in statements(sql, code):
        if _ROWS.match(one.code):
            pieces += [code[position : one.start], "\n" * one.code.count("\n")]
            position = one.start + len(one.code)
    code = "".join((*pieces, code[position:]))
    marks = [(match, names) for mark, names in _marks() if (match := mark.search(code))]
    scores = {name: sum(name in names for _, names in marks) for name in DIALECTS}
    best = max(scores.values())
    fit = [name for name in DIALECTS if scores[name] == best]
    if best < len(marks):  # no dialect knows all of them
        close = [name for name in DIALECTS if best - scores[name] < _MIN_MAJORITY]
        fit = fit if best and len(close) == len(fit) else close
    telling = [one for one in marks if len(fit) > 1 or fit[0] in one[1]]
    telling.sort(key=lambda one: (len(one[1]), one[0].start()))
    shown = sorted((match for match, _ in telling[:_MAX_SHOWN]), key=lambda match: match.start())
    lines = lines_at(code, iter(match.start() for match in shown))
    pairs = zip(shown, lines, strict=True)
    reason = ", ".join(f"{_excerpt(match)}:{line}" for match, line in pairs)
    return DialectFound(fit[0], reason, tuple(fit[1:]))


def _excerpt(match: re.Match[str]) -> str:
    text = " ".join(match[match.lastindex or 0].split())[:_MAX_SHOWN_CHARACTERS]
    return text if "`" in text else f"`{text}`"


@cache
def _marks() -> list[tuple[re.Pattern[str], frozenset[str]]]:
    """Return each mark with the dialects that know it."""
    lists: Mapping[str, tuple[str, ...]] = MARKS.lists
    return list(
        chain.from_iterable(
            [
                (re.compile(mark, re.IGNORECASE | re.MULTILINE),
                 frozenset(names.split("+")) - {_UNKNOWN})
                for mark in marks
            ]
            for names, marks in lists.items()
        )
    )  # fmt: skip
