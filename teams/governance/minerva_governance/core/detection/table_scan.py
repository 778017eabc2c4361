"""Look at the values of one table: how many of each column have the form of what.

SQL looks first, and answers for most cells; Python looks at what SQL leaves. A small table is
looked at cell by cell, because preparing the expressions takes longer.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain, islice
from typing import Any, Final, cast

import duckdb
from pydantic import BaseModel

from minerva_governance.core.detection.column_tally import (
    MAX_SHOWN_HITS,
    ColumnTally,
    ScannedColumn,
    TableTally,
)
from minerva_governance.core.detection.entity import TEXTS, Entity
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.detection.split_values import (
    LOOKED_AT,
    count_readable,
    doubtful_kinds,
    named_values,
    split_columns,
)
from minerva_governance.core.detection.sql_prefilter import (
    FIRST_KIND,
    MIN_HIT_CHARACTERS,
    OUT_OF_SIGHT,
    UNSETTLED,
    Sieve,
    sieve,
)
from minerva_governance.core.kinds.review_context import current_catalogue, current_context
from minerva_governance.core.tables.data_table import MIB, DataTable, Omissions, Row
from minerva_governance.core.tables.relation import REFUSED, Relation, connect
from minerva_platform.text import Language

_MAX_SHOWN_NAMES: Final = 5
SMALL_ROWS: Final = 2_000
"""Rows of a table that is looked at cell by cell."""
_RARE: Final = 1_000
"""A kind in fewer than one of so many rows is looked for together with what is unsettled."""
_BATCH_ROWS: Final = 50_000
_BATCH_CHARACTERS: Final = 8 * MIB
_FETCHED_ROWS: Final = 2_048


class DataScan(BaseModel, frozen=True):
    """One scanned table: its columns, how much of it was looked at, and what was not."""

    path: str
    """Where it lies on this machine: never shown."""
    source: str
    """The file, named relative to the input."""
    table: str
    columns: tuple[ScannedColumn, ...]
    rows: int
    is_dataset: bool = True
    """False for rows that a script inserts: they were not handed in as a file of data."""
    gaps: tuple[str, ...]
    """Clauses on what was not looked at; no rule passes by this table if there are any."""


def scan_data(
    data: DataTable,
    *,
    promises: Mapping[str, Entity] | None = None,
    language: Language = "en",
) -> DataScan:
    """Look at every cell of `data`.

    `promises` tells what columns hold, by case-folded name, where a schema's comment says more
    than the name. Cells beyond the header are looked at too.

    Raises:
        UnreadableError: the file cannot be read to its end.
    """
    omissions = Omissions()
    tally = _tally_table(data, promises or {}, omissions)
    omissions.wide_columns += len(tally.beyond)
    gaps = [*omissions.describe(language), *_odd_gaps(data, tally, language)]
    first_rows = list(islice(data.rows(Omissions()), LOOKED_AT))
    columns = [
        column.result().model_copy(update={"readable": count_readable(first_rows, name)})
        for name, column in tally.columns.items()
    ]
    doubts = doubtful_kinds(first_rows, columns, today=current_context().today)
    columns = [
        one.model_copy(update={"may_be": doubts[one.name]}) if one.name in doubts else one
        for one in columns
    ]
    columns += split_columns(first_rows)
    names = named_values(tally.columns) if data.has_header else None
    columns += [names] if names else []
    return DataScan(
        path=str(data.source.path),
        source=mask_text(data.source.name),
        table=mask_text(data.name),
        columns=tuple(columns),
        rows=tally.rows,
        gaps=tuple(gaps),
    )


def _tally_table(
    data: DataTable, promises: Mapping[str, Entity], omissions: Omissions
) -> TableTally:
    tally = TableTally(data.columns, promises, data.types, data.name)
    rows = data.rows(omissions)
    _add_cells(tally, islice(rows, SMALL_ROWS))
    following = next(rows, None)
    if following is None:
        return tally
    with data.relation() as relation:
        queried = None if relation is None else _query_table(relation, data, promises)
    if queried is not None:
        return queried
    with closing(connect()) as database:
        for batch in _batches(chain([following], rows)):
            batch.add_to(tally, database)
    return tally


def _add_cells(tally: TableTally, rows: Iterable[Row]) -> None:
    for number, cells in rows:
        tally.rows += 1
        for name, cell in cells:
            column = tally.column(name)
            if column is not None:
                column.add(number, cell)
                column.count_keys((cell,))


def _query_table(
    relation: Relation, data: DataTable, promises: Mapping[str, Entity]
) -> TableTally | None:
    """Let DuckDB read the whole table; None if it is not all that the format allows."""
    tally = TableTally(data.columns, promises, data.types, data.name)
    pairs = [(tally.columns[name], text) for name, text in relation.columns]
    columns = [_QueriedColumn(column, text) for column, text in pairs]
    try:
        tally.rows = _count(relation, columns)
        _look_at_unsettled(relation, columns)
        for column in columns:
            column.show_settled(relation)
            column.count_keys(relation)
    except REFUSED:  # its text may quote the content
        return None
    return tally


class _QueriedColumn:
    """A column of a relation, with what SQL counted of it."""

    def __init__(self, tally: ColumnTally, text: str) -> None:
        self.tally, self.text = tally, text
        self.sieve: Sieve = sieve(current_catalogue(), tally.promise)
        self.looked_at: list[int] = []
        """The answers whose cells Python looks at."""
        self.shown: list[int] = []
        """The answers that SQL counted."""

    def add_counts(self, counts: Mapping[int, int], *, rows: int, has_long: bool) -> None:
        """Take what SQL counted; kinds that are rare are left to Python, with their rows."""
        self.looked_at = [
            answer
            for answer, count in counts.items()
            if answer == UNSETTLED or (answer >= FIRST_KIND and count * _RARE < rows)
        ]
        self.shown = [
            answer for answer in counts if answer >= FIRST_KIND and answer not in self.looked_at
        ]
        self.tally.add_counted(
            value_count=sum(counts[each] for each in counts if each not in self.looked_at),
            out_of_sight=counts.get(OUT_OF_SIGHT, 0),
            has_long=has_long,
            hits={self.sieve.kind(answer): counts[answer] for answer in self.shown},
        )

    def show_settled(self, relation: Relation) -> None:
        """Fetch the first cells of each kind that SQL counted."""
        for answer in self.shown:
            found = relation.database.execute(
                f"SELECT number, text FROM (SELECT row_number() OVER () AS number, "  # noqa: S608  # quoted
                f"{self.text} AS text FROM {relation.sql}) "
                f"WHERE {self.sieve.sql('text')} = {answer} LIMIT {MAX_SHOWN_HITS}"
            ).fetchall()
            self.tally.show(self.sieve.kind(answer), found)

    def count_keys(self, relation: Relation) -> None:
        """Count the different values of a column of keys, if they fit into the memory."""
        if not self.tally.is_key:
            return
        try:
            found: Any = relation.database.execute(
                f"SELECT count(DISTINCT hash(trim(text))) FROM (SELECT {self.text} AS text "  # noqa: S608  # quoted
                f"FROM {relation.sql}) WHERE {self.sieve.sql('text')} IS NOT NULL"
            ).fetchone()
        except duckdb.OutOfMemoryException:
            return
        self.tally.distinct = int(found[0])


def _count(relation: Relation, columns: list[_QueriedColumn]) -> int:
    """Ask SQL about all cells in one pass; return the number of rows."""
    texts = ", ".join(f"{column.text} AS t{at}" for at, column in enumerate(columns))
    answers = ", ".join(
        f"{column.sieve.sql(f't{at}')} AS a{at}, length(t{at}) AS n{at}"
        for at, column in enumerate(columns)
    )
    counts = ", ".join(
        f"histogram(a{at}), max(n{at}) FILTER (a{at} IS NOT NULL)" for at in range(len(columns))
    )
    found: Any = relation.database.execute(
        f"SELECT count(*), {counts} "  # noqa: S608  # quoted
        f"FROM (SELECT {answers} FROM (SELECT {texts} FROM {relation.sql}))"
    ).fetchone()
    rows = int(found[0])
    for at, column in enumerate(columns):
        counted, longest = found[1 + 2 * at : 3 + 2 * at]
        has_long = (longest or 0) >= MIN_HIT_CHARACTERS
        column.add_counts(dict(counted or {}), rows=rows, has_long=has_long)
    return rows


def _look_at_unsettled(relation: Relation, columns: list[_QueriedColumn]) -> None:
    """Fetch the cells that SQL leaves, with the numbers of their rows."""
    asked = [column for column in columns if column.looked_at]
    if not asked:
        return
    texts = ", ".join(f"{column.text} AS t{at}" for at, column in enumerate(asked))
    left = ", ".join(
        f"CASE WHEN {column.sieve.sql(f't{at}')} IN ({', '.join(map(str, column.looked_at))}) "
        f"THEN t{at} END AS left{at}"
        for at, column in enumerate(asked)
    )
    some = " OR ".join(f"left{at} IS NOT NULL" for at in range(len(asked)))
    cursor = relation.database.execute(
        f"SELECT * FROM (SELECT row_number() OVER () AS number, {left} "  # noqa: S608  # quoted
        f"FROM (SELECT {texts} FROM {relation.sql})) WHERE {some}"
    )
    while batch := cursor.fetchmany(_FETCHED_ROWS):
        for number, *cells in batch:
            for column, cell in zip(asked, cells, strict=True):
                if cell is not None:
                    column.tally.add(number, cell)


class _Batch:
    """Cells by column, with the numbers of their rows."""

    def __init__(self) -> None:
        self.rows = self.characters = 0
        self.cells: dict[str, tuple[list[int], list[str]]] = {}

    def add(self, row: Row) -> None:
        self.rows += 1
        for name, cell in row.cells:
            numbers, texts = self.cells.setdefault(name, ([], []))
            numbers.append(row.number)
            texts.append(cell)
            self.characters += len(cell)

    def add_to(self, tally: TableTally, database: duckdb.DuckDBPyConnection) -> None:
        """Let SQL look at the cells, and Python at those that SQL leaves."""
        tally.rows += self.rows
        for name, (numbers, texts) in self.cells.items():
            column = tally.column(name)
            if column is not None:
                _add_batch(column, numbers, texts, database)
                column.count_keys(texts)


def _batches(rows: Iterable[Row]) -> Iterator[_Batch]:
    batch = _Batch()
    for row in rows:
        batch.add(row)
        if batch.rows >= _BATCH_ROWS or batch.characters >= _BATCH_CHARACTERS:
            yield batch
            batch = _Batch()
    yield batch


def _add_batch(
    tally: ColumnTally, numbers: list[int], texts: list[str], database: duckdb.DuckDBPyConnection
) -> None:
    known = sieve(current_catalogue(), tally.promise)
    found: list[Any] = database.execute(
        "SELECT answer, count(*), max(length(text)), "  # noqa: S608  # our own expressions
        f"list(place) FILTER (answer = {UNSETTLED}), min(place, {MAX_SHOWN_HITS}) "
        f"FROM (SELECT *, {known.sql('text')} AS answer "
        "FROM (SELECT unnest($1::VARCHAR[]) AS text, unnest(range($2)) AS place)) "
        "WHERE answer IS NOT NULL GROUP BY answer ORDER BY answer",
        [texts, len(texts)],
    ).fetchall()
    for answer, count, longest, left, first in found:
        if answer == UNSETTLED:
            for place in cast("list[int]", left):
                tally.add(numbers[place], texts[place])
            continue
        hits = {known.kind(answer): count} if answer >= FIRST_KIND else {}
        tally.add_counted(
            value_count=count,
            out_of_sight=count if answer == OUT_OF_SIGHT else 0,
            has_long=longest >= MIN_HIT_CHARACTERS,
            hits=hits,
        )
        for entity in hits:
            places = cast("list[int]", first)
            tally.show(entity, ((numbers[place], texts[place]) for place in places))


def _odd_gaps(data: DataTable, tally: TableTally, language: Language) -> Iterator[str]:
    """Give what makes columns or rows unknown although all of them were read."""
    if not tally.rows:
        yield TEXTS("table.no_rows", language)
    if not data.has_header:
        yield TEXTS("table.no_header", language)
        return
    seen = tally.columns
    unnamed = [name for name in data.unnamed_columns if name in seen and seen[name].has_long]
    if unnamed:
        names = ", ".join(sorted(unnamed)[:_MAX_SHOWN_NAMES])
        yield TEXTS("table.unnamed", language, names=names)
