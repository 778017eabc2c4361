"""The files of a standard table: all rows of it, whatever the answer shows."""

from collections.abc import Iterable

from minerva_data.answers.table import table_text
from minerva_data.contracts import AuditReport, StandardTable
from minerva_data.core.schema.declaration import dbt_yaml, odcs_yaml
from minerva_data.core.schema.export import FINDINGS_HEADER, finding_values, mapping_csv
from minerva_data.core.schema.migration import migration_sql, rollback_sql
from minerva_data.core.schema.record import Row
from minerva_platform import Artifact
from minerva_platform.text import Language, csv_text

CSV = "text/csv"
SQL = "application/sql"
YAML = "application/yaml"
MIGRATION, ROLLBACK = "migration.sql", "rollback.sql"
_TABLE = "standard_table.md"
_SCHEMA_FILES = {
    "mapping.csv": CSV,
    "contract.odcs.yaml": YAML,
    "schema.yml": YAML,
}
"""What a schema's table has beside it, and of what type each is."""

CONTRACT = "standardised-schema"
"""Name of the data contract; its publisher gives it another."""


def table_file_names(table: StandardTable) -> tuple[str, ...]:
    """Return the names of the files that a table has, without writing them."""
    if not table.rows:
        return ()
    return (_TABLE, *_SCHEMA_FILES) if table.from_schema else (_TABLE,)


def table_files(table: StandardTable, language: Language) -> tuple[Artifact, ...]:
    """Return the whole table; for a schema also the files to go on with, none applied.

    A workbook is bytes, which no artifact can be; the command line writes it.
    """
    if not table.rows:
        return ()
    whole = f"{table_text(table, language, limit=None)}\n"
    files = [Artifact(name=_TABLE, media_type="text/markdown", content=whole)]
    if table.from_schema:
        rows = table.rows
        contents = (
            mapping_csv(rows),
            odcs_yaml(rows, name=CONTRACT),
            dbt_yaml(rows),
        )
        files += [
            Artifact(name=name, media_type=kind, content=text)
            for (name, kind), text in zip(_SCHEMA_FILES.items(), contents, strict=True)
        ]
    return tuple(files)


def migration_files(rows: Iterable[Row]) -> tuple[Artifact, ...]:
    """Return the renames and the way back as SQL; a person has said yes to them."""
    every = tuple(rows)
    return (
        Artifact(name=MIGRATION, media_type=SQL, content=migration_sql(every)),
        Artifact(name=ROLLBACK, media_type=SQL, content=rollback_sql(every)),
    )


def audit_files(report: AuditReport) -> tuple[Artifact, ...]:
    """Return every finding; nothing if there is none."""
    if not report.findings:
        return ()
    content = csv_text(FINDINGS_HEADER, map(finding_values, report.findings))
    return (Artifact(name="audit.csv", media_type=CSV, content=content),)
