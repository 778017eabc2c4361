"""Evidence for `retention_days`: how old the rows of the rule's tables are, where data are there.

Rows past the limit break the rule where the table is certainly one of the rule's and a column tells
when its rows began. Else they are evidence that a person must look at. Of a date the year is shown.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from minerva_governance.core.counting.ages import Ages, DateColumns, ages, date_columns
from minerva_governance.core.counting.tally import TooManyClassesError
from minerva_governance.core.detection.data_file_scan import open_again
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.kinds.review_context import current_context
from minerva_governance.core.policy.policy import is_named
from minerva_governance.core.predicates.rule_check import TEXTS, RuleCheck
from minerva_governance.core.review.finding import Finding, Reference
from minerva_reading import UnreadableError

_LIFE = frozenset({"BIRTH_DATE", "DEATH_DATE"})
_MIN_SHARED = 2
"""Rows of a year that strict masks may show: of one row it would tell one person."""


@dataclass(frozen=True)
class KeptRows:
    """What the rows of one data table say about a rule on retention."""

    scan: DataScan
    table: str
    """The schema's table that they belong to, or ""."""
    is_certain: bool
    """True if the rule is about this table and its dates tell when rows began."""
    doubt: str
    ages: Ages
    limit_days: int

    @property
    def is_whole(self) -> bool:
        """True if every row was read and dated."""
        lost = self.ages.undated_rows + self.ages.uncounted_rows
        return bool(self.ages.rows) and not lost and not self.scan.gaps


def kept_rows(check: RuleCheck, tables: Sequence[str]) -> list[KeptRows]:
    """Return what the data tables of the rule say; `tables` are the schema's that it is about."""
    limit = check.requirement.argument.get("max")
    if limit is None:
        return []
    found = (_of_scan(check, scan, tables, int(limit)) for scan in check.review.scans)
    return [each for each in found if each is not None]


def _of_scan(
    check: RuleCheck, scan: DataScan, tables: Sequence[str], limit_days: int
) -> KeptRows | None:
    table = next((name for name in tables if _is_table(scan.table, name)), "")
    if not table and not check.covers(scan.table, is_dataset=scan.is_dataset):
        return None
    columns = _dates_of(check, scan, table)
    if not (columns.starts or columns.others):
        return None
    try:
        before = check.review.today - dt.timedelta(days=limit_days)
        found = ages(open_again(scan), columns, before=before)
    except (TooManyClassesError, UnreadableError, OverflowError):
        return None  # the scan has said already that it cannot be read; the rule stays as it was
    rule, policy = check.rule, check.policy
    is_meant = bool(table or rule.tables or any(tag in policy.tags for tag in rule.tags))
    doubts = [
        TEXTS(f"kept_rows.{key}", check.language)
        for key, is_known in (("which_table", is_meant), ("which_date", found.has_start))
        if not is_known
    ]
    return KeptRows(scan, table, not doubts, " ".join(doubts), found, limit_days)


def _is_table(data: str, table: str) -> bool:
    """True if a data table is called as the schema's: `clinic.db.patient`, `patient.csv`."""
    name = table.rpartition(".")[2].casefold()
    return is_named(data, [name]) or data.casefold().rpartition(".")[2] == name


def _dates_of(check: RuleCheck, scan: DataScan, table: str) -> DateColumns:
    comments = {
        column.name.casefold(): column.comment
        for schema in check.review.schemas
        for column in schema.columns
        if column.table == table
    }
    return date_columns(
        (column.name, comments.get(column.name.casefold(), ""))
        for column in scan.columns
        if column.promised not in _LIFE
    )


def describe_rows(check: RuleCheck, rows: KeptRows) -> str:
    """Return the figures in words."""
    year = _year(rows.ages)
    text = TEXTS(
        "kept_rows.counted",
        check.language,
        table=rows.scan.table,
        oldest="-" if year is None else year,
        columns=", ".join(rows.ages.columns),
        limit=rows.limit_days,
        past=rows.ages.past,
        rows=rows.ages.rows,
    )
    undated_rows = rows.ages.undated_rows
    return text + (
        TEXTS("kept_rows.undated", check.language, rows=undated_rows) if undated_rows else ""
    )


def _year(figures: Ages) -> int | None:
    return (
        None
        if current_context().is_strict and figures.oldest_rows < _MIN_SHARED
        else figures.oldest_year
    )


def measures(rows: KeptRows) -> dict[str, int]:
    """Return the figures by name."""
    year = _year(rows.ages)
    return {
        **({} if year is None else {"oldest_year": year}),
        "limit_days": rows.limit_days,
        "rows": rows.ages.rows,
        "rows_past": rows.ages.past,
        "rows_undated": rows.ages.undated_rows,
    }


def places(rows: KeptRows) -> tuple[Reference, ...]:
    """Return the first rows that are past."""
    return tuple(Reference(source=rows.scan.source, row=row) for row in rows.ages.rows_past)


def with_rows(check: RuleCheck, finding: Finding, rows_of_tables: Sequence[KeptRows]) -> Finding:
    """Return the answer for a schema's table with what its rows say."""
    for rows in rows_of_tables:
        text = describe_rows(check, rows)
        changes: dict[str, object] = {
            "evidence": "; ".join(filter(None, (finding.evidence, text))),
            "measures": measures(rows),
            "citations": (*finding.citations, *places(rows)),
        }
        if rows.ages.past and rows.is_certain:
            changes |= {"status": "fail", "reason": "", "must_decide": False}
            changes |= {"count": rows.ages.past, "total": rows.ages.rows}
        elif rows.ages.past and finding.status != "fail":
            # A pass would say that no row is kept for longer.
            reason = " ".join(filter(None, (finding.reason, f"{text}.", rows.doubt)))
            changes |= {"status": "not_evaluated", "reason": reason, "must_decide": True}
        finding = finding.model_copy(update=changes)
    return finding


def of_rows(check: RuleCheck, rows_of_tables: Sequence[KeptRows]) -> Iterator[Finding]:
    """Yield an answer for each data table that no table of a schema stands for.

    One that may be none of the rule's is named only if rows seem to be past.
    """
    for rows in rows_of_tables:
        text, name = describe_rows(check, rows), rows.scan.table
        fields = {
            "evidence": text,
            "total": rows.ages.rows,
            "measures": measures(rows),
            "citations": places(rows),
        }
        if rows.is_certain and rows.ages.past:
            yield check.finding("fail", name, count=rows.ages.past, **fields)
        elif rows.is_certain and rows.is_whole:
            yield check.pass_finding(name, within=name, **fields)
        elif rows.is_certain or rows.ages.past:
            reason = " ".join(filter(None, (f"{text}.", rows.doubt)))
            yield check.not_evaluated(name, reason, must_decide=rows.ages.past > 0, **fields)
