"""Queries inside a statement: what they are called, and of which tables their columns are.

`WITH late AS (SELECT s.seen FROM shipment s) SELECT late.seen FROM late` reads `shipment.seen`.
"""

from collections.abc import Iterable, Iterator
from typing import Any


def queries_of(nodes: Iterable[object]) -> Iterator[tuple[str, Any]]:
    """Yield (name, query) for `WITH name AS (query)` and `(query) name`."""
    from sqlglot import exp  # noqa: PLC0415

    for node in nodes:
        if isinstance(node, exp.CTE | exp.Subquery) and isinstance(node.this, exp.Select):
            yield str(node.alias_or_name).lower(), node.this


def short_names(tables: Iterable[Any], queries: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (short name, the tables it stands for)."""
    read = {
        name: " ".join(dict.fromkeys(_tables_in(query).values())) for name, query in queries.items()
    }
    for table in tables:
        name = str(table.name)
        yield str(table.alias_or_name).lower(), read.get(name.lower()) or name
    yield from read.items()


def outputs_of(tables: Iterable[Any], queries: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what each inner query gives, under each name that the query has."""
    names: dict[str, set[str]] = {name: {name} for name in queries}
    for table in tables:
        if str(table.name).lower() in names:
            names[str(table.name).lower()].add(str(table.alias_or_name).lower())
    for name, query in queries.items():
        given = dict(_given(name, query))
        for short in sorted(names[name]):
            yield from ((short, column, found) for column, found in given.items())


def _given(name: str, query: Any) -> Iterator[tuple[str, str]]:
    """Yield (column, its possible tables). A computed column is of the query itself."""
    from sqlglot import exp  # noqa: PLC0415

    inner = _tables_in(query)
    every = " ".join(dict.fromkeys(inner.values()))
    for given in query.expressions:
        if given.alias_or_name and not given.is_star:
            is_column = isinstance(given, exp.Column)
            found = inner.get(str(given.table).lower(), every) if is_column else name
            yield str(given.alias_or_name).lower(), found


def _tables_in(query: Any) -> dict[str, str]:
    """Return {short name: table} of a query."""
    from sqlglot import exp  # noqa: PLC0415

    found = query.find_all(exp.Table)
    return {str(table.alias_or_name).lower(): str(table.name) for table in found}
