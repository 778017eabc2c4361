"""Files for the research institute."""

import csv
from pathlib import Path
from typing import Any

from app.config import export_folder

COLUMNS = ("JUMIN_NO", "AGE", "SEX", "ZIP", "HP_NO", "EMAIL")


def read_rows(connection: Any) -> list[dict[str, Any]]:
    cursor = connection.execute(
        "SELECT JUMIN_NO, AGE, SEX_CD AS SEX, ZIP, HP_NO, EMAIL FROM TB_PATIENT WHERE USE_AT = 'Y'"
    )
    return [dict(zip(COLUMNS, row, strict=True)) for row in cursor]


def write_export(rows: list[dict[str, Any]]) -> Path:
    """Write export.csv and give its path."""
    path = Path(export_folder()) / "export.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def label(row: dict[str, Any]) -> str:
    return f"{row['PAT_NM']} ({row['PAT_ID']})"


def without_names(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "PAT_NM"} for row in rows]
