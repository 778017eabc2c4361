"""Find the dialect of a schema by words that only this dialect has."""

import re
from collections.abc import Mapping
from functools import cache

from minerva_platform.text import read_words

MARKS = read_words("minerva_reading.ddl", "dialect_marks")

_WEIGHTS = {"sure": 3, "likely": 1}
"""A sure mark is of one dialect alone. Two marks that a few dialects share may be chance, three
of them are as good as one."""

_DEFAULT = "postgres"
"""The most standard dialect."""


def dialect_of(sql: str) -> str:
    """Return the dialect with most of its marks in `sql`; PostgreSQL, the most standard, if none.

    How often a mark occurs does not count: a dump repeats one, and the others tell as much.
    """
    scores = {
        name: sum(weight for mark, weight in marks if mark.search(sql))
        for name, marks in _patterns().items()
    }
    best = max(scores, key=lambda name: (scores[name], name == _DEFAULT))
    return best if scores[best] else _DEFAULT


@cache
def _patterns() -> Mapping[str, list[tuple[re.Pattern[str], int]]]:
    """Return each dialect's marks with their weights."""
    found: dict[str, list[tuple[re.Pattern[str], int]]] = {}
    for listed, marks in MARKS.lists.items():
        name, _, weight = listed.partition(".")
        compiled = (re.compile(mark, re.IGNORECASE | re.MULTILINE) for mark in marks)
        found.setdefault(name, []).extend((mark, _WEIGHTS[weight]) for mark in compiled)
    return found
