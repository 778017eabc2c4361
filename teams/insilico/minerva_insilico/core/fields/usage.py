"""Where a field is used: in SQL, as an attribute, as a key, as a keyword.

Names are compared without regard to case, because SQL does so and mapped
attributes are mostly written in lower case (`PAT_NM`, `patient.pat_nm`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from minerva_insilico.core.facts.receiver_types import CLASS_NAME
from minerva_insilico.core.fields.field_filter import FieldFilter
from minerva_insilico.core.index.index import Index, Page

_DEFAULT_LIMIT = 2000
_SELECT = (
    "SELECT u.name, f.path, u.line, u.kind, f.module, s.qualname, u.sink, u.tables,"
    " u.owner"
    " FROM uses AS u JOIN files AS f ON f.id = u.file JOIN symbols AS s ON s.id = u.symbol"
)


@dataclass(frozen=True)
class FieldUse:
    """One use of a name on one line."""

    name: str
    """The name that was asked for."""
    path: str
    line: int
    kind: str
    symbol: str
    snippet: str
    sink: str | None
    tables: tuple[str, ...]
    """The tables of the statement, for a use in SQL."""


def field_uses(
    index: Index, names: Iterable[str], *, limit: int = _DEFAULT_LIMIT, with_variables: bool = True
) -> Page[FieldUse]:
    """Return the uses of each of `names`, in their order, then by path and line.

    `Patient.status` and `tb_patient.status` leave out what is shown to be another model's field.
    A plain variable is a use only where it flows into a log or a print, and no place that breaks:
    `with_variables=False` leaves it out, as does the name of a model where others have the field.
    """
    rows: list[Sequence[Any]] = []
    for name in dict.fromkeys(names):
        qualifier, _, field = name.rpartition(".")
        of_model = FieldFilter(index, qualifier, field) if qualifier else None
        names = of_model.names if of_model else (field,)
        if of_model and not of_model.model:  # no such class or table: every use counts
            of_model = None
        shows_variables = with_variables and not (of_model and of_model.is_shared)
        for row in _rows_of(index, names):
            written, path, line, kind, tables, owner = (row[0], *row[1:4], *row[7:9])
            if (kind == "name" and not shows_variables) or _is_class(index, written, field, kind):
                continue
            if of_model is None or of_model.is_field(kind, tables, owner, path=path, line=line):
                rows.append((name, *row[1:8]))
    return _page(index, rows, limit)


def _rows_of(index: Index, names: Iterable[str]) -> list[Sequence[Any]]:
    """Return the uses of any of the names, by path and line."""
    known = tuple(names)
    marks = ", ".join("?" * len(known))
    return index.connection.execute(
        f"{_SELECT} WHERE u.name COLLATE NOCASE IN ({marks}) ORDER BY f.path, u.line, u.kind", known
    ).fetchall()


def _is_class(index: Index, name: str, field: str, kind: str) -> bool:
    """True if `Patient.Status` is a class, where the field `status` was asked for."""
    if name == field or kind != "attribute" or not CLASS_NAME.fullmatch(name):
        return False
    query = "SELECT 1 FROM symbols WHERE name = ? COLLATE NOCASE AND name = ? AND kind = 'class'"
    return index.connection.execute(query, (name, name)).fetchone() is not None


def sink_uses(index: Index, *, limit: int = _DEFAULT_LIMIT) -> Page[FieldUse]:
    """Return every use whose value flows straight into a log or a print."""
    rows = index.connection.execute(
        _SELECT + " WHERE u.sink IS NOT NULL ORDER BY f.path, u.line, u.name"
    ).fetchall()
    return _page(index, rows, limit)


def sql_columns(index: Index, *, limit: int = _DEFAULT_LIMIT) -> Page[FieldUse]:
    """Return every name that stands as a column in SQL."""
    rows = index.connection.execute(
        _SELECT + " WHERE u.kind = 'sql_string' ORDER BY f.path, u.line, u.name"
    ).fetchall()
    return _page(index, rows, limit)


def is_used(index: Index, name: str) -> bool:
    """True if the code knows a name at all, as a symbol, a field or a module."""
    for query in (
        "SELECT 1 FROM symbols WHERE name = ? COLLATE NOCASE LIMIT 1",
        "SELECT 1 FROM uses WHERE name = ? COLLATE NOCASE LIMIT 1",
        "SELECT 1 FROM calls WHERE name = ? LIMIT 1",
    ):
        if index.connection.execute(query, (name,)).fetchone():
            return True
    return False


def _page(index: Index, rows: Sequence[Sequence[Any]], limit: int) -> Page[FieldUse]:
    return Page(tuple(_use(index, row) for row in rows[:limit]), len(rows))


def _use(index: Index, row: Sequence[Any]) -> FieldUse:
    name, path, line, kind, module, qualname, sink, tables = row[:8]
    return FieldUse(
        name=name,
        path=path,
        line=line,
        kind=kind,
        symbol=f"{module}.{qualname}" if qualname else module,
        snippet=index.snippet(path, line),
        sink=sink,
        tables=tuple(tables.split()),
    )
