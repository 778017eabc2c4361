"""How old the rows of a table are, by its columns of dates.

A row is as old as the latest of its dates, a person's birth and days to come left out: a row that
was changed last year is not past because it was registered long ago.
"""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import duckdb
from pydantic import BaseModel

from minerva_governance.core.counting.tally import only_row, tallied
from minerva_governance.core.tables.data_table import DataTable
from minerva_platform.text import read_words

MAX_NAMED_ROWS: Final = 5
_WORDS = read_words("minerva_governance.core.counting", "dates")
_NAME_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W_a-zA-Z0-9]+")
_DAY: Final = re.compile(
    r"""
    (?P<year>(?:19|20)[0-9]{2})
    (?: (?P<mark>[-/.])[ ]?(?P<month>[0-9]{1,2})(?P=mark)[ ]?(?P<day>[0-9]{1,2})\.?
      | 년[ ]?(?P<month_ko>[0-9]{1,2})월[ ]?(?P<day_ko>[0-9]{1,2})일
      | (?P<month_8>[0-9]{2})(?P<day_8>[0-9]{2})
    )
    (?: [ T].{0,40} | [0-9]{6} )?      # a time of day
    """,
    re.VERBOSE,
)
_NULLS: Final = frozenset({"", "null", "none", "nan", "nat", "n/a", "-", "0", "00000000", "\\n"})
_PLACEHOLDERS: Final = frozenset({"1900-01-01", "1970-01-01"})
"""What programs write where there is no date."""
_UNREAD: Final = "?"
_MAX_CHARACTERS: Final = 64


class DateColumns(NamedTuple):
    """The columns of a table that hold dates of its rows."""

    starts: tuple[str, ...]
    """From these a period is counted: registered, collected, discharged."""
    others: tuple[str, ...]


class Ages(BaseModel, frozen=True):
    """How old the rows of a table are."""

    columns: tuple[str, ...]
    has_start: bool
    """False if no name tells that a period is counted from these dates."""
    oldest_year: int | None
    oldest_rows: int
    """Rows of the oldest year."""
    rows: int
    past: int
    """Rows of which every date is before the day that was asked for."""
    undated_rows: int
    """Rows without a date that can be read; each may be past."""
    uncounted_rows: int
    rows_past: tuple[int, ...] = ()
    """The numbers of the first rows of the first days that are past."""


def date_columns(columns: Iterable[tuple[str, str]]) -> DateColumns:
    """Return which of `columns` (name and comment) hold dates of their rows."""
    starts: list[str] = []
    others: list[str] = []
    for name, comment in columns:
        words = " ".join(_NAME_WORD.findall(name.rpartition(".")[2])).casefold()
        told = (words, comment.strip().casefold())
        if any(_WORDS.pattern("never").search(each) for each in told):
            continue
        if any(_WORDS.pattern("start").search(each) for each in told):
            starts.append(name)
        elif any(_WORDS.pattern("date").search(each) for each in told):
            others.append(name)
    return DateColumns(tuple(starts), tuple(others))


def ages(data: DataTable, columns: DateColumns, *, before: dt.date) -> Ages:
    """Return how old the rows of `data` are, and how many are from before a day.

    Raises:
        TooManyClassesError: the combinations of dates do not fit into the memory.
        UnreadableError: the file cannot be read to its end.
    """
    names = (*columns.starts, *columns.others)
    with tallied(data, [names], value_of=day_of) as tally:
        found = age_figures(
            tally.connection,
            tally.relations[0],
            starts=[f"c{at}" for at in range(len(columns.starts))],
            others=[f"c{at}" for at in range(len(columns.starts), len(names))],
            before=before,
        )
        return found.model_copy(update={"columns": names, "uncounted_rows": tally.uncounted_rows})


@lru_cache(maxsize=16_384)  # a column holds a few thousand days again and again
def day_of(cell: str) -> str:
    """Return the day of a cell as 2026-11-24, "" if it holds none, "?" if it cannot be read.

    The year comes first: 03/04/2015 may be in March or in April.
    """
    text = cell.strip()
    if text.casefold() in _NULLS:
        return ""
    hit = _DAY.fullmatch(text) if len(text) <= _MAX_CHARACTERS else None
    if hit is None:
        return _UNREAD
    month = hit["month"] or hit["month_ko"] or hit["month_8"]
    day = hit["day"] or hit["day_ko"] or hit["day_8"]
    try:
        found = dt.date(int(hit["year"]), int(month), int(day)).isoformat()
    except ValueError:
        return _UNREAD
    return "" if found in _PLACEHOLDERS else found


def age_figures(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    *,
    starts: Sequence[str],
    others: Sequence[str],
    before: dt.date,
) -> Ages:
    """Return the figures of a relation in the form of `Tally`, whose cells are those of `day_of`.

    A row counts if all of its dates can be read and, where there are columns to start from, one of
    those holds a date.
    """
    every = [*starts, *others]
    unread = " OR ".join(f"{column} = '{_UNREAD}'" for column in every)
    started = " || ".join(starts or others)
    query = f"""
        WITH dated AS (
            SELECT n, first_row, CASE WHEN {unread} OR {started} = '' THEN NULL
                ELSE greatest({", ".join(every)}) END AS day
            FROM {relation}
        ), oldest AS (SELECT left(min(day), 4) AS year FROM dated)
        SELECT (SELECT year FROM oldest) AS oldest_year,
            coalesce(sum(n) FILTER (left(day, 4) = (SELECT year FROM oldest)), 0) AS oldest_rows,
            coalesce(sum(n), 0) AS "rows",
            coalesce(sum(n) FILTER (day < $before), 0) AS past,
            coalesce(sum(n) FILTER (day IS NULL), 0) AS undated_rows,
            coalesce(min(first_row, {MAX_NAMED_ROWS}) FILTER (day < $before), []) AS rows_past
        FROM dated
    """  # noqa: S608  # our names
    figures = only_row(connection.execute(query, {"before": before.isoformat()}))
    return Ages(columns=tuple(every), has_start=bool(starts), uncounted_rows=0, **figures)
