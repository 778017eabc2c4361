"""Where a field is used: in SQL, as an attribute, as a key, as a keyword.

Names are compared without regard to case, because SQL does so and mapped
attributes are mostly written in lower case (`PAT_NM`, `patient.pat_nm`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from minerva_insilico.core.facts.receiver_types import CLASS_NAME
from minerva_insilico.core.fields.class_family import FAILURES
from minerva_insilico.core.fields.field_filter import FieldFilter, FieldUseRow
from minerva_insilico.core.fields.verdict import (
    BY_NAME,
    BY_TEXT,
    Certainty,
    Reason,
    Verdict,
    left_out,
)
from minerva_insilico.core.index.index import Index, Page, cut_snippet

_DEFAULT_LIMIT = 2000
_SELECT = (
    "SELECT u.name, f.path, u.line, u.kind, f.module, s.qualname, u.sink, u.tables,"
    " u.owner, s.kind"
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
    score: float = 1.0
    """From 0 to 1, by the reason; 1 is certain."""
    reason: Reason = "asked"

    @property
    def certainty(self) -> Certainty:
        """Whether it is certain, possible or left out."""
        return Verdict(self.score, self.reason).certainty


@dataclass(frozen=True)
class JudgedUses:
    """The uses of one name, and those of the same name that were left out, each with its reason."""

    uses: tuple[FieldUse, ...]
    left_out: tuple[FieldUse, ...]


def field_uses(
    index: Index, names: Iterable[str], *, limit: int = _DEFAULT_LIMIT, with_variables: bool = True
) -> Page[FieldUse]:
    """Return the uses of each of `names`, in their order, then by path and line.

    `Patient.status` and `tb_patient.status` leave out what is shown to be another model's field.
    A plain variable is a use only where it flows into a log or a print, and no place that breaks:
    `with_variables=False` leaves it out, as does the name of a model where others have the field.
    """
    uses = [
        use
        for name in dict.fromkeys(names)
        for use in judged_uses(index, name, with_variables=with_variables).uses
    ]
    return Page(tuple(uses[:limit]), len(uses))


def judged_uses(index: Index, name: str, *, with_variables: bool = False) -> JudgedUses:
    """Return the uses of one name, certain or possible, and what was left out, by path and line."""
    qualifier, _, field = name.rpartition(".")
    of_model = FieldFilter(index, qualifier, field) if qualifier else None
    names = of_model.names if of_model else (field,)
    if of_model and not of_model.model:  # no such class or table: every use counts
        of_model = None
    shows_variables = with_variables and not (of_model and of_model.is_shared)
    uses: list[FieldUse] = []
    others: list[FieldUse] = []
    for row in _rows_of(index, names):
        if row[3] == "name" and not shows_variables:
            continue
        verdict = (
            of_model.judge(FieldUseRow._make((*row[:4], *row[7:9], row[5], row[9])))
            if of_model
            else BY_NAME
        )
        if _is_class(index, row[0], field, row[3]):
            verdict = left_out("other_class")
        use = _use(index, (name, *row[1:8]))
        with_verdict = replace(use, score=verdict.score, reason=verdict.reason)
        (uses if verdict.score else others).append(with_verdict)
    uses += _in_unparsed(index, name, field) if qualifier else ()
    return JudgedUses(tuple(uses), tuple(others))


def _in_unparsed(index: Index, name: str, field: str) -> Iterator[FieldUse]:
    """Yield the lines with a name in Python files that do not parse, comments left out."""
    word = re.compile(rf"(?<!\w){re.escape(field)}(?!\w)", re.IGNORECASE)
    for (path,) in index.connection.execute(FAILURES).fetchall():
        for number, line in enumerate(index.lines(path), start=1):
            if word.search(line.partition("#")[0]):
                yield FieldUse(
                    name, path, number, "text", "", cut_snippet(line), None, (), *BY_TEXT
                )


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
