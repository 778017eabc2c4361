"""Declare standardised tables for other tools: an ODCS 3.1 data contract, dbt's `schema.yml`.

Both are plain YAML that can be imported again as a glossary. A column without a standard name
keeps its own and says so; none is left out.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from minerva_data.core.audit.table import final_name
from minerva_data.core.schema.migration import rows_by_table, type_in
from minerva_data.core.schema.record import Row, SourceRow
from minerva_platform.text import read_words

ODCS = "v3.1.0"
"""Version of the Open Data Contract Standard that is written (bitol.io)."""

_LOGICAL_TYPES = {
    "CHAR": "string",
    "VARCHAR": "string",
    "NUMERIC": "number",
    "DATETIME": "timestamp",
}
_WORDS = read_words("minerva_data.core.schema", "logical_types")
_ID = re.compile(r"[^a-z0-9]+")


def odcs_yaml(rows: Iterable[Row], *, name: str) -> str:
    """Return the tables as a draft of a data contract."""
    tables = [odcs_table(columns) for columns in _tables(rows)]
    return "".join((odcs_head(name, is_empty=not tables), *tables))


def odcs_head(name: str, *, is_empty: bool = False) -> str:
    """Return what stands before the first table of a contract."""
    contract = {
        "apiVersion": ODCS,
        "kind": "DataContract",
        "id": _ID.sub("-", name.casefold()).strip("-") or "standardised-schema",
        "name": _line(name),
        "version": "1.0.0",
        "status": "draft",
    }
    return _text([*yaml_lines(contract), "schema: []" if is_empty else "schema:"])


def odcs_table(columns: Sequence[Row], *, dialect: str | None = None) -> str:
    """Return one table as an element of a contract's `schema`."""
    table = _line(columns[0].item.full_table)
    element: Plain = {
        "name": table,
        "physicalName": table,
        "logicalType": "object",
        "physicalType": "table",
        "properties": [_property(row, dialect) for row in columns],
    }
    return _text(yaml_lines([element]))


def dbt_yaml(rows: Iterable[Row]) -> str:
    """Return the tables as models of a dbt project, what the standard says under `meta`."""
    models = [dbt_model(columns) for columns in _tables(rows)]
    return "".join((dbt_head(is_empty=not models), *models))


def dbt_head(*, is_empty: bool = False) -> str:
    """Return what stands before the first model."""
    return _text(["version: 2", "models: []" if is_empty else "models:"])


def dbt_model(columns: Sequence[Row], *, dialect: str | None = None) -> str:
    """Return one table as an element of `models`; of a schema other than dbt's own it says so."""
    item = columns[0].item
    names = [_line(name) for name in (*item.table_path, item.table)]
    element: dict[str, Any] = {"name": "__".join(names).lower()}
    if item.table_path:
        element["config"] = {"schema": names[-2], "alias": names[-1]}
    element["columns"] = [_model_column(row, dialect) for row in columns]
    return _text(yaml_lines([element]))


def _tables(rows: Iterable[Row]) -> Iterable[list[Row]]:
    """Return the columns by table, tables and columns in the schema's own order."""
    return rows_by_table(sorted(rows, key=lambda row: row.ordinal))


def _property(row: Row, dialect: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": _line(final_name(row)),
        "physicalName": _line(final_name(row)),
        "physicalType": _physical_type(row, dialect),
        "logicalType": _logical_type(row),
        "businessName": row.logical_name,
        "description": _line(row.item.comment),
        "customProperties": [
            {"property": key, "value": value} for key, value in _row_meta(row).items()
        ],
    }
    return {key: value for key, value in found.items() if value}


def _logical_type(row: Row) -> str:
    """Return the standard's type, else what the declared type reads like."""
    standard = _LOGICAL_TYPES.get((row.data_type or "").partition("(")[0])
    declared = row.item.data_type or ""
    fitting = (name for name in _WORDS.lists if _WORDS.pattern(name).match(declared))
    return standard or next(fitting)


def _model_column(row: Row, dialect: str | None) -> dict[str, Any]:
    description = row.item.comment or row.logical_name
    found: dict[str, Any] = {
        "name": _line(final_name(row)),
        "description": _line(description),
        "data_type": _physical_type(row, dialect),
        "config": {"meta": {"logical_name": row.logical_name, **_row_meta(row)}},
    }
    found["config"]["meta"] = {k: v for k, v in found["config"]["meta"].items() if v}
    return {key: value for key, value in found.items() if value}


def _row_meta(row: Row) -> dict[str, str]:
    """Return what the glossary says about a column, as far as it says it."""
    said = {
        "standardStatus": row.status,
        "standardDomain": row.domain,
        "subjectArea": row.subject_area,
        "formerName": _line(row.item.name) if row.status == "renamed" else None,
        "unresolvedParts": ", ".join(_line(part) for part in row.unresolved_parts),
        "source": _source(row.citations),
    }
    return {key: value for key, value in said.items() if value}


def _source(citations: tuple[SourceRow, ...]) -> str | None:
    if not citations:
        return None
    first = citations[0]
    return f"{first.source}@{first.edition} {first.quote.partition(':')[0]}"


def _physical_type(row: Row, dialect: str | None) -> str | None:
    if row.data_type is not None:
        return type_in(row.data_type, dialect or row.item.dialect)
    return _line(row.item.data_type) or None


def _line(text: str | None) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text or "").split())


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


Plain = Mapping[str, "Plain"] | Sequence["Plain"] | str | int | None
"""What can be written; keys are plain words of ours."""

_BARE = re.compile(r"[^\W\d](?:[\w .,()/@+-]*[\w)])?")
_SPOKEN_FOR = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


def yaml_lines(value: Plain) -> list[str]:
    """Return `value` as lines of YAML; texts must be printable."""
    if isinstance(value, Mapping):
        return [line for key, inner in value.items() for line in _entry(key, inner)]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [line for item in value for line in _item(yaml_lines(item))]
    return [plain_scalar(value)]


def _entry(key: str, value: Plain) -> list[str]:
    if isinstance(value, Mapping) and value:
        return [f"{key}:", *(f"  {line}" for line in yaml_lines(value))]
    if isinstance(value, Sequence) and not isinstance(value, str) and value:
        return [f"{key}:", *yaml_lines(value)]
    return [f"{key}: {plain_scalar(value)}"]


def _item(lines: list[str]) -> list[str]:
    first, *rest = lines
    return [f"- {first}", *(f"  {line}" for line in rest)]


def plain_scalar(value: Plain) -> str:
    """Return a scalar, or what is empty; in quotes, if YAML could read a text as something else."""
    if isinstance(value, str) and _BARE.fullmatch(value) and value.casefold() not in _SPOKEN_FOR:
        return value
    return json.dumps(value, ensure_ascii=False)
