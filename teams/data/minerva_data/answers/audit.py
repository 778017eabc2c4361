"""Write what the audit of a table found as Markdown.

Renames are only counted, because the table shows them row by row.
"""

from collections import Counter
from typing import get_args

from minerva_data.answers.table import MAX_ROWS, TEXTS as TABLE, cell
from minerva_data.contracts import AuditReport
from minerva_data.core.schema.record import Finding, Severity
from minerva_platform.text import Language, markdown_table, read_texts

TEXTS = read_texts("minerva_data.answers", "audit")


def audit_text(report: AuditReport, language: Language, *, files: str = "") -> str:
    """Return the findings, worst first. Renames are only counted: the table shows them."""
    if not report.findings:
        clean = clean_text(report.judgements, report.total, language)
        return "\n\n".join((clean, *_order_text(report, language)))
    counts = Counter(finding.severity for finding in report.findings)
    levels = {level: counts[level] for level in get_args(Severity)}
    title = TEXTS("findings_title", language, total=len(report.findings), **levels)
    rules = sorted(Counter(finding.rule for finding in report.findings).items())
    parts = [f"{title}: {', '.join(f'{rule} {count}' for rule, count in rules)}"]
    listed = [finding for finding in report.findings if not is_rename(finding)]
    rows = [finding_cells(finding, language) for finding in listed[:MAX_ROWS]]
    parts += [markdown_table(TEXTS.row("finding_header", language), rows)] if rows else []
    if len(listed) > len(rows):
        cut = TABLE("shown", language, total=len(listed), shown=len(rows))
        parts.append(" ".join(part for part in (cut, files) if part))
    renames = len(report.findings) - len(listed)
    parts += [TEXTS("renames", language, count=renames)] if renames else []
    parts += [TEXTS("judged", language, judged=report.judgements, total=report.total)]
    parts += [TEXTS("corrected", language, count=report.corrections)] if report.corrections else []
    return "\n\n".join((*parts, *_order_text(report, language)))


def clean_text(judgements: int, total: int, language: Language) -> str:
    """Return that nothing is wrong with the names that were judged, if any of `total` was."""
    return TEXTS("clean" if judgements else "unjudged", language, judged=judgements, total=total)


def is_rename(finding: Finding) -> bool:
    """True if a finding says no more than the table's row: that a column is renamed."""
    return finding.rule == "N1" and not finding.corrected


def _order_text(report: AuditReport, language: Language) -> tuple[str, ...]:
    before = report.inversions_before or report.inversions_given
    if not before:
        return ()
    return (TEXTS("order", language, before=before, after=report.inversions_after),)


def finding_cells(finding: Finding, language: Language) -> tuple[str, ...]:
    """Return a finding as cells of a table under `finding_header`."""
    severity = TEXTS(f"severities.{finding.severity}", language)
    return (finding.rule, severity, *map(cell, (finding.place, finding.before, finding.after)))
