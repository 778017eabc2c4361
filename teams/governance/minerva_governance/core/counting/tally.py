"""Count how many rows share the values of some columns, in DuckDB, with bounded memory.

What is kept are the classes of equal rows and not the rows, in memory only: nothing is written to
the disk. Where there are more classes than the memory holds, the count is given up and said.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import duckdb

from minerva_governance.core.tables.data_table import DataTable, Omissions, Row
from minerva_governance.core.tables.relation import REFUSED, Relation, connect, literal

BATCH_ROWS: Final = 50_000
"""Rows that are counted in Python before their classes go to DuckDB."""
DEFAULT_MEMORY: Final = "256MB"
_MIN_MERGED: Final = 200_000
"""Classes of single batches that wait before those of the same values are added up."""

Group = tuple[str, ...]
"""Columns by their names; rows of equal values in them are a class."""


class TooManyClassesError(Exception):
    """The rows differ so much that their classes do not fit into the memory."""


@dataclass(frozen=True)
class Tally:
    """The rows of a table, counted.

    Each relation has the columns `c0`, `c1`, … of its group, `n` (how many rows have these values)
    and `first_row` (the number of the first). It may have several rows of the same values.
    """

    connection: duckdb.DuckDBPyConnection
    relations: tuple[str, ...]
    """One for each group, in their order."""
    rows: int
    uncounted_rows: int
    """Rows that could not be counted; each may belong to any class."""


def missing_columns(columns: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """Return those of `names` that are not among `columns` (compared without case)."""
    folded_names = {name.casefold() for name in columns}
    return tuple(name for name in names if name.casefold() not in folded_names)


@contextmanager
def tallied(
    data: DataTable,
    groups: Sequence[Group],
    *,
    value_of: Callable[[str], str] = str.strip,
    memory: str = DEFAULT_MEMORY,
) -> Generator[Tally]:
    """Read `data` once and count its rows by each of `groups`.

    `value_of` gives what of a cell is compared; a missing cell is an empty one. `memory` is what
    DuckDB may use, in its own words.

    Raises:
        TooManyClassesError: the classes do not fit into the memory, now or where they are queried.
        UnreadableError: the file cannot be read to its end.
    """
    with data.relation() as relation:
        if relation is not None and value_of is str.strip:
            counted = _query_tally(relation, groups, memory)
            if counted is not None:
                try:
                    yield counted
                except duckdb.OutOfMemoryException:
                    raise TooManyClassesError from None
                return
    with closing(connect()) as connection:
        connection.execute(f"SET memory_limit = {literal(memory)}")
        connection.execute("SET enable_external_access = false")
        counts = [_Count(connection, f"g{at}", group) for at, group in enumerate(groups)]
        omissions, rows = Omissions(), 0
        try:
            source = data.rows(omissions)
            while batch := list(islice(source, BATCH_ROWS)):
                rows += len(batch)
                for count in counts:
                    count.add(batch, value_of)
            uncounted = omissions.long_rows + omissions.broken_rows
            yield Tally(connection, tuple(count.relation for count in counts), rows, uncounted)
        except duckdb.OutOfMemoryException:
            raise TooManyClassesError from None


def _query_tally(relation: Relation, groups: Sequence[Group], memory: str) -> Tally | None:
    """Let DuckDB count by itself; None if the file is not all that its format allows."""
    database = relation.database
    by_name = {name.casefold(): text for name, text in relation.columns}  # the last one counts
    database.execute(f"SET memory_limit = {literal(memory)}")
    tables: list[str] = []
    try:
        for at, group in enumerate(groups):
            columns = [f"c{place}" for place in range(len(group))]
            values = ", ".join(
                f"coalesce(trim({by_name[name.casefold()]}, {literal(_BLANKS)}), '') AS {column}"
                for name, column in zip(group, columns, strict=True)
            )
            database.execute(
                f"CREATE TEMP TABLE g{at} AS SELECT {', '.join(columns)}, count(*) AS n, "  # noqa: S608  # quoted
                f"min(number) AS first_row FROM (SELECT row_number() OVER () AS number, {values} "
                f"FROM {relation.sql}) GROUP BY ALL"
            )
            tables.append(f"g{at}")
        ((rows,),) = database.execute(f"SELECT sum(n) FROM {tables[0]}").fetchall()  # noqa: S608  # our names
    except duckdb.OutOfMemoryException:
        raise TooManyClassesError from None
    except REFUSED:  # its text may quote the content
        return None
    return Tally(database, tuple(tables), int(rows or 0), uncounted_rows=0)


_BLANKS: Final = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""What `str.strip` takes away."""


class _Count:
    """The classes of one group."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, relation: str, group: Group) -> None:
        self.connection, self.relation = connection, relation
        self._places: dict[str, list[int]] = {}
        for at, name in enumerate(group):
            self._places.setdefault(name.casefold(), []).append(at)
        self._columns = [f"c{at}" for at in range(len(group))]
        self._waiting = self._merged_classes = 0
        fields = ", ".join(f"{column} VARCHAR" for column in self._columns)
        connection.execute(f"CREATE TABLE {relation} ({fields}, n BIGINT, first_row BIGINT)")

    def add(self, batch: Sequence[Row], value_of: Callable[[str], str]) -> None:
        """Count the rows of a batch."""
        empty = [""] * len(self._columns)
        classes: dict[tuple[str, ...], list[int]] = {}
        for number, cells in batch:
            key = empty.copy()
            for name, cell in cells:
                for at in self._places.get(name.casefold(), ()):
                    key[at] = value_of(cell)
            found = classes.setdefault(tuple(key), [0, number])
            found[0] += 1
        values = [[_storable(value) for value in column] for column in zip(*classes, strict=True)]
        counted = [list(column) for column in zip(*classes.values(), strict=True)]
        given = ", ".join(["unnest(?::VARCHAR[])"] * len(values) + ["unnest(?::BIGINT[])"] * 2)
        self.connection.execute(
            f"INSERT INTO {self.relation} SELECT {given}", [*values, *counted]
        )  # our names
        self._waiting += len(classes)
        if self._waiting > max(_MIN_MERGED, self._merged_classes):
            self._merge()

    def _merge(self) -> None:
        """Add up the classes of the same values, so that there is one of each."""
        keys, relation = ", ".join(self._columns), self.relation
        self.connection.execute(
            f"CREATE TABLE merged AS SELECT {keys}, sum(n)::BIGINT AS n, "  # noqa: S608  # our names
            f"min(first_row) AS first_row FROM {relation} GROUP BY {keys}"
        )
        self.connection.execute(f"DROP TABLE {relation}")
        self.connection.execute(f"ALTER TABLE merged RENAME TO {relation}")
        (found,) = self.connection.execute(f"SELECT count(*) FROM {relation}").fetchall()  # noqa: S608  # our names
        self._merged_classes, self._waiting = int(found[0]), 0


def only_row(result: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """Return the one row of a query by the names of its columns."""
    (row,) = result.fetchall()
    return dict(zip((name for name, *_ in result.description), row, strict=True))


def _storable(value: str) -> str:
    """Return `value` with what is no character written out: half of a pair is no text to DuckDB."""
    if value.isascii():
        return value
    return value.encode("utf-8", "backslashreplace").decode("utf-8")
