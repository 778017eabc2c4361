"""Read dbt's property files (`schema.yml`, `_models.yml`): models, sources, seeds and snapshots.

The fields are those of https://docs.getdbt.com/reference/configs-and-properties; `meta` and `tags`
stand beside a column or below its `config`.
"""

from collections.abc import Iterator
from typing import Final

from minerva_governance.core.data_contracts.odcs_contract import TEXTS, Declared
from minerva_governance.core.data_contracts.tagging import Said, periods_in_days
from minerva_governance.core.data_contracts.yaml_tree import Node
from minerva_governance.core.reading.declaration import SchemaColumn, SchemaTable
from minerva_platform.text import Language

SECTIONS: Final = ("models", "seeds", "snapshots")


def read_dbt(properties: Node, language: Language) -> Declared:
    """Return the tables and columns of a property file."""
    found = Declared()
    documented: list[int] = []
    for table, around in _tables(properties):
        # A source's table may have another name in the database than in dbt.
        name = table.told("identifier", "name") or table["config"]["alias"].text
        if not name:
            found.problems.append((table.line, TEXTS("no_name", language)))
            continue
        _add_table(found, table, name, around, language)
        if not table["config"]["contract"]["enforced"].flag:
            documented.append(table.line)
    if documented and found.columns:
        found.problems.append((documented[0], TEXTS("documented_only", language)))
    return found


def _tables(properties: Node) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """Give each table with what stands around it and speaks for it, too."""
    for section in SECTIONS:
        for item in properties[section].items:
            yield item, ()
    for source in properties["sources"].items:
        for table in source["tables"].items:
            yield table, (source,)


def _add_table(
    found: Declared, table: Node, name: str, around: tuple[Node, ...], language: Language
) -> None:
    said = _said(table, *around)
    days = None
    if said.retention is not None:
        days = periods_in_days(said.retention.text, said.retention_unit)
        if days is None:
            found.problems.append((said.retention.line, TEXTS("retention_unclear", language)))
    found.tables.append(
        SchemaTable(
            name=name,
            comment=table.told("description"),
            line=table.line,
            tags=said.tags,
            classification=said.classification,
            retention_days=days,
            retention_quote=f"retention: {said.retention.text}" if said.retention else "",
        )
    )
    columns = table["columns"].items
    if not columns:
        found.problems.append((table.line, TEXTS("no_columns", language)))
    for column in columns:
        if not column["name"].text:
            found.problems.append((column.line, TEXTS("no_name", language)))
            continue
        of_column = _said(column)
        found.columns.append(
            SchemaColumn(
                table=name,
                name=column["name"].text,
                data_type=column["data_type"].text,
                comment=column.told("description"),
                line=column.line,
                tags=of_column.tags,
                classification=of_column.classification,
                declared_encrypted=of_column.encrypted,
            )
        )


def _said(*nodes: Node) -> Said:
    """Return what `nodes` say, the first of them before those around it."""
    said = Said()
    for node in nodes:
        for place in (node, node["config"]):
            said.add_tags(place["tags"])
            for key, value in place["meta"].entries.items():
                said.add(key, value)
    return said
