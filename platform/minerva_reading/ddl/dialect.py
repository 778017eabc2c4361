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
    marks = [(found, known) for mark, known in _marks() if (found := mark.search(code))]
    scores = {name: sum(name in known for _, known in marks) for name in DIALECTS}
    best = max(scores.values())
    fit = [name for name in DIALECTS if scores[name] == best]
    if best < len(marks):  # no dialect knows all of them
        close = [name for name in DIALECTS if best - scores[name] < _MIN_MAJORITY]
        fit = fit if best and len(close) == len(fit) else close
    telling = [(found, known) for found, known in marks if len(fit) > 1 or fit[0] in known]
    telling.sort(key=lambda one: (len(one[1]), one[0].start()))
    shown = sorted((found for found, _ in telling[:_MAX_SHOWN]), key=lambda found: found.start())
    lines = lines_at(code, iter(found.start() for found in shown))
    pairs = zip(shown, lines, strict=True)
    said = ", ".join(f"{_excerpt(found)} in line {line}" for found, line in pairs)
    return DialectFound(fit[0], said or "no statement shows it", tuple(fit[1:]))


def _excerpt(found: re.Match[str]) -> str:
    said = " ".join(found[found.lastindex or 0].split())[:_MAX_SHOWN_CHARACTERS]
    return said if "`" in said else f"`{said}`"


@cache
def _marks() -> list[tuple[re.Pattern[str], frozenset[str]]]:
    """Return each mark with the dialects that know it."""
    lists: Mapping[str, tuple[str, ...]] = MARKS.lists
    return list(
        chain.from_iterable(
            [
                (re.compile(mark, re.IGNORECASE | re.MULTILINE),
                 frozenset(known.split("+")) - {_UNKNOWN})
                for mark in marks
            ]
            for known, marks in lists.items()
        )
    )  # fmt: skip
