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
    for table in tables:
        query = queries.get(str(table.name).lower())
        read = _tables_of(query) if query is not None else str(table.name)
        yield str(table.alias_or_name).lower(), read
    for name, query in queries.items():
        yield name, _tables_of(query)


def outputs_of(tables: Iterable[Any], queries: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield what each inner query gives, under each name that the query has."""
    from sqlglot import exp  # noqa: PLC0415

    names = {(str(table.alias_or_name).lower(), str(table.name).lower()) for table in tables}
    names |= {(name, name) for name in queries}
    for short, name in sorted(names):
        query = queries.get(name)
        for given in query.expressions if query is not None else ():
            is_column = isinstance(given, exp.Column)
            found = _tables_of(query, str(given.table)) if is_column else name
            if given.alias_or_name and not given.is_star:
                yield short, str(given.alias_or_name).lower(), found


def _tables_of(query: Any, alias: str = "") -> str:
    """Return the tables that a query reads, or the one that has a short name there."""
    from sqlglot import exp  # noqa: PLC0415

    tables = list(query.find_all(exp.Table))
    named = [one for one in tables if str(one.alias_or_name).lower() == alias.lower()]
    return " ".join(dict.fromkeys(str(one.name) for one in named or tables))
