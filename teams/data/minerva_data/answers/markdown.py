"""Write the team's answers as Markdown.

What comes from a schema or a request is data: it can neither end a cell nor become markup.
A table that is cut says how many rows there are and where the whole one is.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from minerva_data.answers.unread import unread_reason
from minerva_data.answers.wording import VerdictWording, Wording
from minerva_data.contracts import AuditReport, StandardTable
from minerva_data.core.audit.rule import place
from minerva_data.core.audit.table import status_counts
from minerva_data.core.lookup.verdict import Verdict
from minerva_data.core.schema.export import cited
from minerva_data.core.schema.record import Finding, Row, Unparsed

MAX_ROWS = 15
"""Rows of a table that an answer shows; the artifact has all of them."""

_MAX_CELL = 60
_MAX_CANDIDATES = 3
_ESCAPED = str.maketrans(
    {
        "|": "\\|",
        "`": "\\`",
        "[": "\\[",
        "]": "\\]",
        "*": "\\*",
        "<": "&lt;",
        ">": "&gt;",
        "\\": "\\\\",
    }
)


def cell(text: str | None) -> str:
    """Return `text` as one line that Markdown shows as it is."""
    if not text:
        return "-"
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    shown = line if len(line) <= _MAX_CELL else f"{line[: _MAX_CELL - 1]}…"
    return shown.translate(_ESCAPED)


def table_text(
    table: StandardTable, words: Wording, *, limit: int | None = MAX_ROWS, files: str = ""
) -> str:
    """Return title, table and unresolved rows; `limit=None` writes every row.

    Where nothing could be read, why is all there is to say.
    """
    if not table.rows:
        unread = unparsed_text(table.unparsed, words, limit)
        return f"{words.nothing_read}\n\n{unread}" if unread else words.nothing
    verdicts = "\n\n".join(_verdict_line(one, words.verdict) for one in table.verdicts)
    parts = [verdicts, _title(table, words), _rows_text(table, words, limit)]
    hidden = limit is not None and len(table.rows) > limit
    if hidden:
        shown = words.shown.format(total=len(table.rows), shown=limit)
        parts.append(" ".join(part for part in (shown, files) if part))
    if table.truncated:
        parts.append(words.read_cut.format(total=table.total, shown=len(table.rows)))
    parts += [
        unresolved_text(table.rows, words, limit),
        unparsed_text(table.unparsed, words, limit),
    ]
    return "\n\n".join(part for part in parts if part)


def _verdict_line(verdict: Verdict, words: VerdictWording) -> str:
    """Return yes or no about one name, and what is standard instead of it."""
    name, best = cell(verdict.name), verdict.instead
    if verdict.is_standard:
        return words.yes.format(name=name, term=f"{verdict.term} = {verdict.physical_name}")
    if verdict.composed is not None:
        return words.composed.format(name=name, term=verdict.composed)
    text = (words.retired if verdict.is_retired else words.no).format(name=name)
    if best is not None:
        return text + words.instead.format(physical=best.physical_name, term=best.logical_name)
    offered = verdict.candidates[:_MAX_CANDIDATES]
    names = ", ".join(f"`{one.physical_name}` ({one.logical_name})" for one in offered)
    return text + (words.candidates.format(names=names) if names else words.none)


def audit_text(report: AuditReport, words: Wording, *, files: str = "") -> str:
    """Return the findings, worst first. Renames are only counted: the table shows them."""
    if not report.findings:
        return "\n\n".join((words.clean, *_order_text(report, words)))
    counts = Counter(finding.severity for finding in report.findings)
    title = words.findings_title.format(
        total=len(report.findings), high=counts["high"], medium=counts["medium"], low=counts["low"]
    )
    rules = sorted(Counter(finding.rule for finding in report.findings).items())
    parts = [f"{title}: {', '.join(f'{rule} {count}' for rule, count in rules)}"]
    listed = [finding for finding in report.findings if not is_rename(finding)]
    rows = [finding_cells(finding, words) for finding in listed[:MAX_ROWS]]
    parts += [grid(words.finding_header, rows)] if rows else []
    if len(listed) > len(rows):
        cut = words.shown.format(total=len(listed), shown=len(rows))
        parts.append(" ".join(part for part in (cut, files) if part))
    renames = len(report.findings) - len(listed)
    parts += [words.renames.format(count=renames)] if renames else []
    parts += [words.corrected.format(count=report.corrections)] if report.corrections else []
    return "\n\n".join((*parts, *_order_text(report, words)))


def is_rename(finding: Finding) -> bool:
    """True if a finding says no more than the table's row: that a column is renamed."""
    return finding.rule == "N1" and not finding.corrected


def _order_text(report: AuditReport, words: Wording) -> tuple[str, ...]:
    before = report.inversions_before or report.inversions_given
    if not before:
        return ()
    return (words.order.format(before=before, after=report.inversions_after),)


def grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; the cells are escaped already."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def unresolved_text(rows: Sequence[Row], words: Wording, limit: int | None) -> str:
    """Return what has no name, why, and what a person might choose."""
    found = [row for row in rows if row.status == "unresolved"]
    if not found:
        return ""
    shown = found[:limit]
    lines = [words.unresolved_title.format(total=len(found)), ""]
    lines += [unresolved_line(row, words) for row in shown]
    if len(found) > len(shown):
        lines += ["", words.shown.format(total=len(found), shown=len(shown))]
    return "\n".join(lines)


def unresolved_line(row: Row, words: Wording) -> str:
    """Return why a row has no name, the parts in the way, and what a person might choose."""
    parts = words.parts.format(parts=", ".join(cell(part) for part in row.unresolved_parts))
    names = ", ".join(cell(name) for name in row.alternatives)
    return words.unresolved.format(
        place=cell(_label(row)),
        reason=words.reasons[row.reason or "unknown_words"],
        parts=parts if row.unresolved_parts else "",
        alternatives=words.alternatives.format(names=names) if names else "",
    )


def unparsed_text(unparsed: Sequence[Unparsed], words: Wording, limit: int | None) -> str:
    """Return the statements that could not be read, with file and line."""
    if not unparsed:
        return ""
    shown = unparsed[:limit]
    lines = [words.unparsed_title.format(total=len(unparsed)), ""]
    lines += [unparsed_line(one, words) for one in shown]
    if len(unparsed) > len(shown):
        lines += ["", words.shown.format(total=len(unparsed), shown=len(shown))]
    return "\n".join(lines)


def unparsed_line(one: Unparsed, words: Wording) -> str:
    """Return where something could not be read, and why."""
    reason = cell(unread_reason(one, words.language))
    return f"- {cell(one.file)}:{one.line}: {reason} ({cell(one.statement)})"


def _title(table: StandardTable, words: Wording) -> str:
    counts = status_counts(table.rows)
    total = len(table.rows)
    areas = " > ".join(cell(area) for area in table.priority)
    order = f"\n\n{words.priority.format(priority=areas)}" if areas else ""
    if not table.from_schema:
        found = total - counts["unresolved"]
        title = words.terms_title.format(total=total, found=found, unresolved=counts["unresolved"])
        return f"{title}{order}"
    title = words.columns_title.format(total=total)
    return f"{title}: {words.counts.format(total=total, **counts)}{order}"


def _rows_text(table: StandardTable, words: Wording, limit: int | None) -> str:
    if table.from_schema:
        rows = (_column_cells(row, words) for row in table.rows[:limit])
        return grid(words.column_header, rows)
    return grid(words.term_header, (_term_cells(row) for row in table.rows[:limit]))


def _common_cells(row: Row) -> tuple[str, ...]:
    named = (row.logical_name, row.physical_name, row.domain, row.data_type, row.subject_area)
    return tuple(cell(value) for value in named)


def _term_cells(row: Row) -> tuple[str, ...]:
    return (cell(_label(row)), *_common_cells(row), cell(row.method), cell(cited(row.citations)))


def _column_cells(row: Row, words: Wording) -> tuple[str, ...]:
    return (
        cell(place(row)),
        words.statuses[row.status],
        *_common_cells(row),
        cell(cited(row.citations)),
    )


def _label(row: Row) -> str:
    return f"{place(row)} {row.item.comment or ''}".strip()


def finding_cells(finding: Finding, words: Wording) -> tuple[str, ...]:
    """Return a finding as cells of a table under `words.finding_header`."""
    severity = words.severities[finding.severity]
    return (
        finding.rule,
        severity,
        cell(finding.place),
        cell(finding.before),
        cell(finding.after),
    )
