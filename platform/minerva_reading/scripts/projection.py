"""The columns of a view, and of a table that is made of a query.

A column that is computed of others holds what they hold, so it carries their comments, or their
names where they have none.
"""

from collections.abc import Iterator
from typing import NamedTuple

from sqlglot import exp

from minerva_reading.schema import SchemaColumn
from minerva_reading.scripts.declared_tables import DeclaredTables


class _Output(NamedTuple):
    """A column that a query gives, and the declared columns it is made of."""

    name: str
    sources: tuple[SchemaColumn, ...]


def add_projection(tables: DeclaredTables, tree: exp.Create, name: str, line: int) -> bool:
    """Declare the columns of `CREATE VIEW` or `CREATE TABLE … AS`; False if one is not known."""
    query = tree.expression
    if not isinstance(query, exp.Select):  # a UNION, a table's name, nothing
        return False
    outputs = list(_outputs(tables, query))
    given = tree.this.expressions if isinstance(tree.this, exp.Schema) else []
    names = [each.name for each in given]
    if names and len(names) == len(outputs):
        outputs = [
            _Output(new, each.sources if each else ())
            for new, each in zip(names, outputs, strict=True)
        ]
    known = [each for each in outputs if each is not None and each.name]
    for output in known:
        comments = dict.fromkeys(one.comment or one.name for one in output.sources)
        types = {one.data_type for one in output.sources}
        tables.add_column(
            SchemaColumn(
                table=name,
                name=output.name,
                data_type=types.pop() if len(types) == 1 else "",
                comment="; ".join(comments),
                line=line,
            )
        )
    return bool(outputs) and len(known) == len(outputs)


def _outputs(tables: DeclaredTables, query: exp.Select) -> Iterator[_Output | None]:
    """Give what each item of a query's list names; None for what is not declared in the script."""
    sources = _sources(query)
    for item in query.expressions:
        star = item.this if isinstance(item, exp.Column) else item
        if isinstance(star, exp.Star):
            wanted = item.table if isinstance(item, exp.Column) else ""
            places = [sources.get(wanted.upper())] if wanted else list(sources.values())
            for place in places:
                columns = tables.columns_of(place) if place else ()
                yield from (_Output(one.name, (one,)) for one in columns)
                if not columns:
                    yield None
        else:
            made_of = [_find_column(tables, sources, each) for each in item.find_all(exp.Column)]
            found = tuple(one for one in made_of if one is not None)
            is_known = len(found) == len(made_of)
            yield _Output(item.alias_or_name, found) if is_known else None


def _sources(query: exp.Select) -> dict[str, str | None]:
    """Return the tables of FROM and JOIN by alias; None for what is no declared name."""
    named: dict[str, str | None] = {}
    begin = query.args.get("from_") or query.args.get("from")
    joins: list[exp.Join] = query.args.get("joins") or []
    inner = {cte.alias.upper() for cte in query.find_all(exp.CTE)}
    for place in (*([begin.this] if begin else []), *(join.this for join in joins)):
        is_table = isinstance(place, exp.Table) and place.name.upper() not in inner
        named[place.alias_or_name.upper()] = place.name if is_table else None
    return named


def _find_column(
    tables: DeclaredTables, sources: dict[str, str | None], column: exp.Column
) -> SchemaColumn | None:
    places = [sources.get(column.table.upper())] if column.table else list(sources.values())
    for place in places:
        for one in tables.columns_of(place or ""):
            if one.name.upper() == column.name.upper():
                return one
    return None
