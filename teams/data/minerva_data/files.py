"""The files of a standard table: all rows of it, whatever the answer shows."""

from minerva_data.contracts import AuditReport, StandardTable
from minerva_data.core.export import findings_csv, mapping_csv
from minerva_data.core.migration import migration_sql
from minerva_data.markdown import table_text
from minerva_data.wording import Wording
from minerva_platform import Artifact

CSV = "text/csv"


def table_files(table: StandardTable, words: Wording) -> tuple[Artifact, ...]:
    """Return the whole table; for a schema also its mapping and the migration, not applied."""
    if not table.rows:
        return ()
    whole = f"{table_text(table, words, limit=None)}\n"
    files = [Artifact(name="standard_table.md", media_type="text/markdown", content=whole)]
    if table.from_schema:
        mapping, migration = mapping_csv(table.rows), migration_sql(table.rows)
        files.append(Artifact(name="mapping.csv", media_type=CSV, content=mapping))
        files.append(
            Artifact(name="migration.sql", media_type="application/sql", content=migration)
        )
    return tuple(files)


def audit_files(report: AuditReport) -> tuple[Artifact, ...]:
    """Return every finding; nothing if there is none."""
    if not report.findings:
        return ()
    content = findings_csv(report.findings)
    return (Artifact(name="audit.csv", media_type=CSV, content=content),)
