"""How well a file hides its people: k-anonymity and l-diversity of its classes.

A class are the rows with equal quasi-identifiers. k is the size of the smallest one (Sweeney 2002);
l is the smallest number of different values of a sensitive column within one (distinct l-diversity,
Machanavajjhala and others 2007). Both are counted over the whole file: of a sample they say nothing
about the file.
"""

from collections.abc import Sequence

import duckdb
from pydantic import BaseModel

from minerva_governance.core.counting.tally import Group, only_row, tallied
from minerva_governance.core.tables.data_table import DataTable

MAX_NAMED_ROWS = 5


class ClassFigures(BaseModel, frozen=True):
    """The classes of one set of quasi-identifiers.

    A class is small if it has fewer rows than the minimum; where a sensitive column is counted, if
    it has fewer different values of it.
    """

    quasi: tuple[str, ...]
    sensitive: str = ""
    """The column whose values are counted in each class, or none."""
    k: int
    distinct: int | None = None
    """l of `sensitive`."""
    classes: int
    rows: int
    small_classes: int
    small_rows: int
    lacking: int
    """How many rows, at least, must be added until no class is small."""
    rows_below: tuple[int, ...] = ()
    """The numbers of the first rows of the first small classes."""
    person: str = ""
    """The column of keys by which persons were counted in place of rows, or none."""
    rows_k: int = 0
    """k over rows, where persons were counted."""
    alike: int | None = None
    """l, if values that look like spellings of one word were one; None if none do."""
    uncounted_rows: int = 0
    """Rows that could not be counted; each may belong to any class."""


def k_anonymity(
    data: DataTable, sets: Sequence[Group], *, minimum: int, person: str = ""
) -> list[ClassFigures]:
    """Count the classes of each of `sets` over all rows of `data`, which is read once.

    Where `person` names a column of keys, k counts its different values: several rows of one person
    hide nobody.

    A missing value is a value: rows that lack the same one share a class. Blanks around a value do
    not count, its case does.

    Raises:
        TooManyClassesError: the classes do not fit into the memory.
        UnreadableError: the file cannot be read to its end.
    """
    all_figures = _figures(data, [(quasi, person) for quasi in sets], minimum)
    if not person:
        return all_figures
    return [
        each.model_copy(
            update={"k": each.distinct, "rows_k": each.k, "person": person}
            | {"distinct": None, "sensitive": "", "alike": None}
        )
        for each in all_figures
    ]


def l_diversity(
    data: DataTable, sets: Sequence[Group], sensitive: Sequence[str], *, minimum: int
) -> list[ClassFigures]:
    """Count the values of each sensitive column in the classes of each of `sets`.

    A missing sensitive value is a value, too; case, blanks and signs make no other one. Errors
    are those of `k_anonymity`.
    """
    return _figures(data, [(quasi, column) for quasi in sets for column in sensitive], minimum)


def _figures(
    data: DataTable, asked: Sequence[tuple[Group, str]], minimum: int
) -> list[ClassFigures]:
    groups = [(*quasi, column) if column else quasi for quasi, column in asked]
    with tallied(data, groups) as tally:
        found: list[ClassFigures] = []
        for (quasi, column), relation in zip(asked, tally.relations, strict=True):
            figures = class_figures(
                tally.connection,
                relation,
                quasi=[f"c{at}" for at in range(len(quasi))],
                sensitive=f"c{len(quasi)}" if column else None,
                minimum=minimum,
            )
            keys = [f"c{at}" for at in range(len(quasi))]
            alike = (
                _if_alike(tally.connection, relation, keys, f"c{len(quasi)}") if column else None
            )
            figures = figures.model_copy(update={"alike": alike})
            names = {"quasi": quasi, "sensitive": column, "uncounted_rows": tally.uncounted_rows}
            found.append(figures.model_copy(update=names))
        return found


_FOLDING = (
    "coalesce(nullif(lower(regexp_replace(nfc_normalize({value}), "
    "'[^\\p{{L}}\\p{{N}}]+', '', 'g')), ''), {value})"
)
"""A value without case, blanks and signs; one of signs alone is as it is."""
_MAX_SPELLINGS = 500
_ALIKE = """
    CREATE OR REPLACE TEMP TABLE alike AS
    WITH known AS (SELECT DISTINCT {folding} AS v FROM {relation} LIMIT {limit})
    SELECT a.v, first(b.v ORDER BY length(b.v), b.v) AS root FROM known AS a JOIN known AS b
    ON a.v = b.v OR (
        NOT regexp_matches(a.v || b.v, '[0-9]') AND least(length(a.v), length(b.v)) >= 6 AND (
            starts_with(a.v, b.v) OR starts_with(b.v, a.v) OR levenshtein(a.v, b.v) <= 1))
    GROUP BY a.v
"""
"""Words of six letters or more that differ by one letter, or of which one begins the other."""


def _if_alike(
    connection: duckdb.DuckDBPyConnection, relation: str, quasi: Sequence[str], sensitive: str
) -> int | None:
    """Return l if values that look like spellings of one word were one; None if none do."""
    folding = _FOLDING.format(value=sensitive)
    connection.execute(_ALIKE.format(folding=folding, relation=relation, limit=_MAX_SPELLINGS))
    if not connection.execute("SELECT 1 FROM alike WHERE v <> root").fetchall():
        return None
    keys = ", ".join(quasi)
    ((least,),) = connection.execute(
        f"SELECT min(n) FROM (SELECT count(DISTINCT coalesce(root, {folding})) AS n "  # noqa: S608  # our names
        f"FROM {relation} LEFT JOIN alike ON v = {folding} GROUP BY {keys})"
    ).fetchall()
    return int(least or 0)


def class_figures(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    *,
    quasi: Sequence[str],
    sensitive: str | None,
    minimum: int,
) -> ClassFigures:
    """Return the figures of a relation in the form of `Tally`, whose columns are SQL names.

    Raises:
        duckdb.OutOfMemoryException: the classes do not fit into the memory.
    """
    keys = ", ".join(quasi)
    folding = _FOLDING.format(value=sensitive)
    counted, measure, distinct = relation, "sum(n)", "NULL"
    if sensitive is not None:
        distinct = "coalesce(min(size), 0)"
        counted = (
            f"(SELECT {keys}, sum(n) AS n, min(first_row) AS first_row "  # noqa: S608  # our names
            f"FROM {relation} GROUP BY {keys}, {folding})"
        )
        measure = "count(*)"
    query = f"""
        WITH classes AS (
            SELECT sum(n) AS n, {measure} AS size, min(first_row) AS first_row
            FROM {counted} GROUP BY {keys}
        )
        SELECT coalesce(min(n), 0) AS k, {distinct} AS "distinct",
            count(*) AS classes, coalesce(sum(n), 0) AS "rows",
            count(*) FILTER (size < $minimum) AS small_classes,
            coalesce(sum(n) FILTER (size < $minimum), 0) AS small_rows,
            coalesce(sum($minimum - size) FILTER (size < $minimum), 0) AS lacking,
            coalesce(min(first_row, {MAX_NAMED_ROWS}) FILTER (size < $minimum), []) AS rows_below
        FROM classes
    """  # noqa: S608  # our names
    figures = only_row(connection.execute(query, {"minimum": minimum}))
    return ClassFigures(quasi=tuple(quasi), sensitive=sensitive or "", **figures)
