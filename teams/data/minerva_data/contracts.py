"""What the team's workers hand to each other, and the one thing that leaves the team.

Other teams read `data.rename_plan` with models of their own; what its fields mean is a
promise, so a change of meaning is a new `version`.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

from minerva_data.core.audit.style import MAX_LENGTH, Style
from minerva_data.core.glossary.datatype import TypeChange, row_type_change
from minerva_data.core.glossary.priority import DEFAULT_PRIORITY
from minerva_data.core.language.question_form import Form
from minerva_data.core.lookup.standard_check import Verdict
from minerva_data.core.proposals.assistance import Assistance
from minerva_data.core.schema.export import cite_row
from minerva_data.core.schema.migration import migration_sql, sure_renames
from minerva_data.core.schema.record import (
    Finding,
    ReadAs,
    Recommended,
    Row,
    SourceRow,
    Unparsed,
    Value,
)
from minerva_platform import Citation, Handoff, Shown


class Recommendation(Handoff):
    """The standard name of every item, or why there is none.

    `total` counts what was asked for; fewer `items` mean that `truncated` is true.
    """

    kind: ClassVar[str] = "data.recommendation"

    items: tuple[Recommended, ...]
    total: int
    truncated: bool = False
    from_schema: bool = False
    unparsed: tuple[Unparsed, ...] = ()
    read_as: tuple[ReadAs, ...] = ()
    assistance: Assistance | None = None
    verdicts: tuple[Verdict, ...] = ()
    """Where the request asks whether names are standard: the answer, name by name."""
    question_forms: tuple[Form, ...] = ()
    """What the request asks of the glossary itself, which no worker gives."""


class StandardTable(Handoff):
    """The rows in the order of the domain priority, each with its place before that."""

    kind: ClassVar[str] = "data.standard_table"

    rows: tuple[Row, ...]
    total: int
    truncated: bool = False
    from_schema: bool = False
    priority: tuple[str, ...] = DEFAULT_PRIORITY
    style: Style = "UPPER_SNAKE"
    max_length: int = MAX_LENGTH
    unparsed: tuple[Unparsed, ...] = ()
    read_as: tuple[ReadAs, ...] = ()
    assistance: Assistance | None = None
    verdicts: tuple[Verdict, ...] = ()
    question_forms: tuple[Form, ...] = ()


class AuditReport(Handoff):
    """What the audit found; `corrections` are fields of the table that it put right.

    Of `total` names the rules judged those with a standard name, `judgements`.
    """

    kind: ClassVar[str] = "data.audit"

    findings: tuple[Finding, ...]
    total: int
    judgements: int
    corrections: int
    inversions_given: int
    inversions_before: int
    inversions_after: int


PlanStatus = Literal["renamed", "standard", "unresolved"]
"""What becomes of a column: one of three, so that their counts add up."""


class PlannedColumn(Value):
    """What becomes of one column. `physical_name` is the standard name, if there is one.

    `table` goes with the schema it is in, where that is known (`crm.customer`); both names are
    spelled as the schema spells them.
    """

    table: str
    column: str
    logical_name: str | None = None
    physical_name: str | None = None
    domain: str | None = None
    data_type: str | None = None
    declared_type: str | None = None
    type_change: TypeChange = ""
    """What the values would meet in `data_type`: `narrower` may cut some."""
    subject_area: str | None = None
    status: PlanStatus
    citation: str = ""
    """The glossary row that the name rests on: `minerva-seed terms.csv T003`."""


class RenamePlan(Handoff):
    """Every column of a schema exactly once, audited."""

    kind: ClassVar[str] = "data.rename_plan"

    columns: tuple[PlannedColumn, ...]


class Migration(Handoff):
    """The renames of a schema, and the statements that would make them; nothing is applied.

    `rows` are all columns of the tables, so that other names can be put in place of the standard's.
    """

    kind: ClassVar[str] = "data.migration"

    rows: tuple[Row, ...]
    sql: str
    renames: int
    tables: int


def row_to_planned(row: Row) -> PlannedColumn:
    """Return a row of a schema's table as other teams read it."""
    return PlannedColumn(
        **row.model_dump(include=PlannedColumn.model_fields.keys() & Row.model_fields.keys()),
        table=row.item.full_table or "",
        column=row.item.name,
        declared_type=row.item.data_type,
        type_change=row_type_change(row),
        citation=cite_row(row.citations),
    )


def rows_to_migration(rows: Sequence[Row]) -> Migration | None:
    """Return the renames of a schema's rows to decide on, or None if there are none."""
    sure = sure_renames(rows)
    if not sure:
        return None
    bare = tuple(
        row.model_copy(update={"citations": (), "alternatives": (), "words": ()}) for row in rows
    )
    tables = {row.item.table_key for row in sure.values()}
    return Migration(rows=bare, sql=migration_sql(bare), renames=len(sure), tables=len(tables))


def shown_columns(table: StandardTable) -> tuple[Shown, ...]:
    """Return what later turns may name: columns as declared, terms by their standard names."""
    terms = (row.item.comment or row.logical_name or row.item.name for row in table.rows)
    columns = (_said_name(row) for row in table.rows)
    unresolved = (_said_name(row) for row in table.rows if row.status == "unresolved")
    said = {"unresolved": unresolved if table.from_schema else (), "column": columns, "term": terms}
    return tuple(Shown(kind=kind, names=tuple(names)) for kind, names in said.items())


def _said_name(row: Row) -> str:
    item = row.item
    if item.full_table:
        return f"{item.full_table}.{item.name}"
    return item.name if "_" in item.name else row.physical_name or item.name


def citations_of(sources: tuple[SourceRow, ...]) -> tuple[Citation, ...]:
    """Return each row cited, once, in order."""
    return tuple(Citation(**source.model_dump()) for source in dict.fromkeys(sources))
