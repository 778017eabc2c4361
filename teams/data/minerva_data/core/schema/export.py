"""Write the rows of a standardised schema and the audit's findings as CSV, none cut."""

import csv
from collections.abc import Iterable, Sequence
from typing import TextIO

from minerva_data.core.glossary.datatype import row_type_change
from minerva_data.core.schema.record import Finding, Row, SourceRow, Unparsed
from minerva_platform.text import csv_cell, csv_text

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
)
FINDINGS_HEADER = ("rule", "severity", "place", "field", "before", "after", "corrected", "source")
UNPARSED_HEADER = ("file", "line", "error", "statement")


def mapping_csv(rows: Iterable[Row]) -> str:
    """Return every row, none cut. A cell that a spreadsheet would run starts with `'`."""
    return csv_text(MAPPING_HEADER, map(row_values, rows))


def write_mapping(rows: Iterable[Row], file: TextIO) -> int:
    """Write the rows as they come and return how many there were; none is held."""
    return _write(file, MAPPING_HEADER, map(row_values, rows))


def findings_csv(findings: Iterable[Finding]) -> str:
    """Return every finding, none cut."""
    return csv_text(FINDINGS_HEADER, map(finding_values, findings))


def write_findings(findings: Iterable[Finding], file: TextIO) -> int:
    """Write the findings as they come and return how many there were."""
    return _write(file, FINDINGS_HEADER, map(finding_values, findings))


def write_unparsed(problems: Iterable[Unparsed], file: TextIO) -> int:
    """Write what could not be read as it comes and return how much there was."""
    cells = ((one.file, one.line, one.error, one.statement) for one in problems)
    return _write(file, UNPARSED_HEADER, cells)


def cite_row(citations: Sequence[SourceRow]) -> str:
    """Return the glossary row a name rests on, short: `minerva-seed terms.csv T001`."""
    if not citations:
        return ""
    return f"{citations[0].source} {citations[0].quote.partition(':')[0]}"


def _write(file: TextIO, header: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    count = 0
    for row in rows:
        writer.writerow(map(csv_cell, row))
        count += 1
    return count


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
