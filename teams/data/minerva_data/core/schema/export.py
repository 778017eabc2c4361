"""Write the rows of a standardised schema and the audit's findings as CSV, none cut."""

from collections.abc import Iterable, Sequence

from minerva_data.core.glossary.datatype import row_type_change
from minerva_data.core.schema.record import Finding, Row, SourceRow
from minerva_platform.text import csv_text

MAPPING_HEADER = (
    "table",
    "column",
    "comment",
    "declared_type",
    "status",
    "physical_name",
    "logical_name",
    "domain",
    "data_type",
    "type_change",
    "subject_area",
    "method",
    "confidence",
    "unresolved_parts",
    "reason",
    "alternatives",
    "source",
    "domain_choices",
)
FINDINGS_HEADER = ("rule", "severity", "place", "field", "before", "after", "corrected", "source")


def mapping_csv(rows: Iterable[Row]) -> str:
    """Return every row, none cut. A cell that a spreadsheet would run starts with `'`."""
    return csv_text(MAPPING_HEADER, map(row_values, rows))


def cite_row(citations: Sequence[SourceRow]) -> str:
    """Return the glossary row a name rests on, short: `minerva-seed terms.csv T001`."""
    if not citations:
        return ""
    return f"{citations[0].source} {citations[0].quote.partition(':')[0]}"


def row_values(row: Row) -> tuple[object, ...]:
    """Return the cells of a row, as `MAPPING_HEADER` names them."""
    item = row.item
    return (
        item.full_table,
        item.name,
        item.comment,
        item.data_type,
        row.status,
        row.physical_name,
        row.logical_name,
        row.domain,
        row.data_type,
        row_type_change(row),
        row.subject_area,
        row.method,
        row.confidence,
        "; ".join(row.unresolved_parts),
        row.reason,
        "; ".join(row.alternatives),
        cite_row(row.citations),
        "; ".join(row.domains),
    )


def finding_values(finding: Finding) -> tuple[object, ...]:
    """Return the cells of a finding, as `FINDINGS_HEADER` names them."""
    return (
        finding.rule,
        finding.severity,
        finding.place,
        finding.field,
        finding.before,
        finding.after,
        "Y" if finding.corrected else "N",
        cite_row(finding.citations),
    )
