"""Write the files of a standardised schema: the mapping, and the migration that is not applied."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from minerva_data.core.record import Finding, Row, SourceRow
from minerva_data.core.text import is_identifier

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
    "subject_area",
    "method",
    "confidence",
    "unresolved_parts",
    "reason",
    "alternatives",
    "source",
)
FINDINGS_HEADER = ("rule", "severity", "place", "field", "before", "after", "corrected", "source")
_FORMULA = re.compile(r"[=+\-@\t\r]")
_TEMPORARY = "_OLD"


def mapping_csv(rows: Iterable[Row]) -> str:
    """Return every row, none cut. A cell that a spreadsheet would run starts with `'`."""
    return _csv(MAPPING_HEADER, (_values(row) for row in rows))


def findings_csv(findings: Iterable[Finding]) -> str:
    """Return every finding, none cut."""
    return _csv(
        FINDINGS_HEADER,
        (
            (
                finding.rule,
                finding.severity,
                finding.place,
                finding.field,
                finding.before,
                finding.after,
                "Y" if finding.corrected else "N",
                cited(finding.citations),
            )
            for finding in findings
        ),
    )


def migration_sql(rows: Iterable[Row]) -> str:
    """Return the renames as `ALTER TABLE … RENAME COLUMN …`, in an order that can be run.

    Where a column takes the name another one gives up, the other goes first; a ring of names
    is opened through a temporary one.
    """
    tables: dict[str, list[Row]] = {}
    dialect: str | None = None
    for row in rows:
        if row.item.table is not None:
            tables.setdefault(row.item.table, []).append(row)
            dialect = row.item.dialect
    lines = ["-- Not applied. Review it, then run it on a copy first."]
    for table, columns in tables.items():
        target = _quoted(table, dialect)
        for old, new in _renames(columns):
            names = f"{_quoted(old, dialect)} TO {_quoted(new, dialect)}"
            lines.append(f"ALTER TABLE {target} RENAME COLUMN {names};")
    return "\n".join(lines) + "\n"


def cited(citations: Sequence[SourceRow]) -> str:
    """Return the glossary row a name rests on, short: `minerva-seed terms.csv T001`."""
    if not citations:
        return ""
    return f"{citations[0].source} {citations[0].quote.partition(':')[0]}"


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
    return text.getvalue()


def _renames(columns: list[Row]) -> Iterator[tuple[str, str]]:
    todo = {
        row.item.name: row.physical_name
        for row in columns
        if row.status == "renamed" and row.physical_name is not None
    }
    taken = {row.item.name.casefold() for row in columns}
    while todo:
        free = [old for old, new in todo.items() if new.casefold() not in taken - {old.casefold()}]
        if not free:
            old, new = next(iter(todo.items()))
            between = f"{new}{_TEMPORARY}"
            yield old, between
            todo = {between if key == old else key: value for key, value in todo.items()}
            taken = taken - {old.casefold()} | {between.casefold()}
            continue
        for old in free:
            new = todo.pop(old)
            yield old, new
            taken = taken - {old.casefold()} | {new.casefold()}


def _quoted(name: str, dialect: str | None) -> str:
    """Return `name` so that SQL reads it as one name, whatever it holds."""
    if is_identifier(name):
        return name
    mark = "`" if dialect == "mysql" else '"'
    visible = "".join(char for char in name if char.isprintable())
    return f"{mark}{visible.replace(mark, mark * 2)}{mark}"


def _values(row: Row) -> tuple[object, ...]:
    item = row.item
    return (
        item.table,
        item.name,
        item.comment,
        item.data_type,
        row.status,
        row.physical_name,
        row.logical_name,
        row.domain,
        row.data_type,
        row.subject_area,
        row.method,
        row.confidence,
        "; ".join(row.unresolved_parts),
        row.reason,
        "; ".join(row.alternatives),
        cited(row.citations),
    )


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return f"'{text}" if _FORMULA.match(text) else text
