"""Make the rows of the standard table: every item once, with one of three fates.

A column is renamed, standard already, or unresolved. Two columns of one table that would get
the same name are unresolved, since a migration would fail on them and one may be a mistake.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import get_args

from minerva_data.core.audit.style import Style, is_mixed, styled
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Candidate, Item, Recommended, Row, Status
from minerva_reading import folds_case

MODEL_MARK = " (llm)"
"""At the end of an alternative that a model said."""

_IS = " = "


def standard_rows(recommendations: Iterable[Recommended], *, style: Style) -> tuple[Row, ...]:
    """Return one row for each recommendation, in the same order."""
    return refuse_collisions(
        [_row(ordinal, item, style) for ordinal, item in enumerate(recommendations)]
    )


def tables_of_rows(
    recommendations: Iterable[Recommended], *, style: Style
) -> Iterator[tuple[Row, ...]]:
    """Yield the same rows table by table, whose items stand together; one of no table comes alone.

    For schemas of any size: only one table is held, and a row takes two kilobytes.
    """
    ordinal = 0
    for table, columns in groupby(recommendations, key=lambda one: one.item.full_table):
        if table is None:
            for found in columns:
                yield (_row(ordinal, found, style),)
                ordinal += 1
            continue
        rows = [_row(ordinal + place, found, style) for place, found in enumerate(columns)]
        ordinal += len(rows)
        yield refuse_collisions(rows)


def status_counts(rows: Iterable[Row]) -> dict[Status, int]:
    """Count the rows by status, each status that can occur included."""
    counts = Counter(row.status for row in rows)
    statuses: tuple[Status, ...] = get_args(Status)
    return {status: counts[status] for status in statuses}


def alternative(candidate: Candidate, style: Style) -> str:
    """Return what a person might choose, marked where a model said the term."""
    mark = MODEL_MARK if candidate.method == "llm" else ""
    return f"{candidate.logical_name}{_IS}{styled(candidate.physical_name, style)}{mark}"


def model_alternatives(row: Row, lookup: Lookup, style: Style) -> Iterator[str]:
    """Yield the alternatives of `row` that a model said, if the glossary still names them so."""
    for text in row.alternatives:
        if text.endswith(MODEL_MARK):
            best = lookup.best(text.partition(_IS)[0])
            said = best.model_copy(update={"method": "llm"}) if best else None
            if said and alternative(said, style) == text:
                yield text


def refuse_collisions(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Turn renames that would give a table the same column twice into unresolved rows.

    A column that keeps its name can collide with one that would get it, so the check is
    repeated until nothing changes. One that is inherited is renamed by its table, so the other of
    two is refused.
    """
    current = list(rows)
    while True:
        names = Counter(_place(row) for row in current if row.item.table is not None)
        heirs = Counter(_place(row) for row in current if row.item.parent is not None)
        clashing = [
            index
            for index, row in enumerate(current)
            if row.status == "renamed"
            and (
                (heirs if row.item.parent else names)[_place(row)] > 1
                or final_name(row).casefold() in row.item.kin
            )
        ]
        if not clashing:
            return tuple(current)
        for index in clashing:
            current[index] = _refused(current[index])


def final_name(row: Row) -> str:
    """Return the name a column has afterwards: an unresolved one keeps its own."""
    return row.physical_name if row.status == "renamed" and row.physical_name else row.item.name


def _place(row: Row) -> tuple[str, str]:
    if row.status != "renamed":
        return (row.item.table_key, row.item.column_key)
    name = final_name(row)
    is_exact = folds_case(row.item.dialect) and is_mixed(name)
    return (row.item.table_key, f'"{name}"' if is_exact else name.casefold())


def _refused(row: Row) -> Row:
    name = row.physical_name or ""
    changes = {
        "status": "unresolved",
        "physical_name": None,
        "reason": "collision",
        "unresolved_parts": (name,),
        "alternatives": (name,),
    }
    return row.model_copy(update=changes)


def _row(ordinal: int, recommendation: Recommended, style: Style) -> Row:
    item, best = recommendation.item, recommendation.best
    if best is None:
        return Row(
            ordinal=ordinal,
            item=item,
            status="unresolved",
            unresolved_parts=recommendation.unresolved_parts,
            reason=recommendation.reason,
            retired=recommendation.retired,
            alternatives=tuple(alternative(other, style) for other in recommendation.alternatives),
        )
    physical = styled(best.physical_name, style)
    return Row(
        ordinal=ordinal,
        item=item,
        status=_status(item, best, physical),
        logical_name=best.logical_name,
        physical_name=physical,
        domain=best.domain,
        domains=best.domains,
        data_type=best.data_type,
        subject_area=best.subject_area,
        method=best.method,
        confidence=best.confidence,
        words=best.words,
        retired=best.retired,
        citations=best.citations,
    )


def _status(item: Item, best: Candidate, physical: str) -> Status:
    if not item.is_column:
        return "found" if best.is_term else "composed"
    return "standard" if item.name.casefold() == physical.casefold() else "renamed"
