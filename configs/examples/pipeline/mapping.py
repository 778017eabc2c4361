"""Which table and which names the rows get, by the data team's plan."""

from collections.abc import Sequence

from minerva_platform.text import code_span

from .contract import Extracted, Mapped, RenamePlan
from .count import MAX_ROWS_NAMED, Problems
from .target import KEY, LOADS

MAX_NAME_BYTES = 63
"""Bytes of a name. Postgres would cut a longer one."""


def mapped_columns(extracted: Extracted, plan: RenamePlan) -> Mapped:
    """Return the table and the names of its columns, as the plan has them."""
    problems = Problems()
    tables = {one.table.rpartition(".")[2] for one in plan.columns}
    same = [name for name in tables if name.casefold() == extracted.table.casefold()]
    table = same[0] if same else next(iter(tables)) if len(tables) == 1 else extracted.table
    if table not in tables:
        there = ", ".join(map(code_span, sorted(tables))) or "no table"
        problems.add("columns", f"the schema has {there}, and no {code_span(table)}")
    known = {
        one.column.casefold(): one for one in plan.columns if one.table.rpartition(".")[2] == table
    }
    columns = [known.get(name.casefold()) for name in extracted.header]
    strange = [name for name, one in zip(extracted.header, columns, strict=True) if one is None]
    header = {name.casefold() for name in extracted.header}
    missing = [one.column for name, one in known.items() if name not in header]
    if table in tables and (strange or missing) and extracted.header:
        listed = ", ".join(map(code_span, [*strange, *missing][:MAX_ROWS_NAMED]))
        problems.add("columns", f"only one of the source and the schema has {listed}")
    names = tuple(
        (one and one.physical_name) or name
        for name, one in zip(extracted.header, columns, strict=True)
    )
    check_names(table, names, problems)
    return Mapped(
        table=table,
        columns=names,
        unresolved=tuple(one.column for one in columns if one and not one.physical_name),
        problems=problems.listed(),
    )


def check_names(table: str, names: Sequence[str], problems: Problems) -> None:
    """Note names that a table of the target cannot have."""
    every = [name.casefold() for name in (*names, KEY)]
    if len(set(every)) < len(every):
        problems.add("names", f"two columns would have one name, or one is {code_span(KEY)}")
    if table.casefold() == LOADS.name or table.casefold().startswith("sqlite_"):
        problems.add("names", f"{code_span(table)} is the name of another table")
    if any(len(name.encode()) > MAX_NAME_BYTES for name in (table, *names)):
        problems.add("names", f"a name has more than {MAX_NAME_BYTES} bytes")
