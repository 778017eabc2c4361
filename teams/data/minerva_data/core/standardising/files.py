"""Write the tables of a standardisation, each row of it, as they are asked for."""

from collections.abc import Sequence
from pathlib import Path

from minerva_data.core.schema.export import (
    finding_values,
    row_values,
    write_findings,
    write_mapping,
    write_unparsed,
)
from minerva_data.core.schema.workbook import write_workbook
from minerva_data.core.standardising.job import Job
from minerva_data.core.standardising.options import EMITTED, Emitted

MAPPING, WORKBOOK, AUDIT, UNREAD = "mapping.csv", "mapping.xlsx", "audit.csv", "unread.csv"


def wanted(emit: Sequence[Emitted] | None) -> tuple[Emitted, ...]:
    """Return what is to be written, in one order; None wants everything."""
    return tuple(kind for kind in EMITTED if emit is None or kind in emit)


def write_tables(job: Job, folder: Path, emit: Sequence[Emitted]) -> None:
    """Write the mapping and the audit's findings."""
    if "csv" in emit:
        with (
            (folder / MAPPING).open("w", encoding="utf-8-sig", newline="") as mapping,
            (folder / AUDIT).open("w", encoding="utf-8-sig", newline="") as audit,
        ):
            write_mapping(job.ordered(f"rows in {MAPPING}"), mapping)
            write_findings(job.spool.findings(), audit)
        if job.tally.problems:
            with (folder / UNREAD).open("w", encoding="utf-8-sig", newline="") as unread:
                write_unparsed(job.spool.problems(), unread)
    if "xlsx" in emit:
        rows = (row_values(row) for row in job.ordered(f"rows in {WORKBOOK}"))
        findings = (finding_values(found) for found in job.spool.findings())
        with (folder / WORKBOOK).open("wb") as file:
            write_workbook(rows, findings, file)
