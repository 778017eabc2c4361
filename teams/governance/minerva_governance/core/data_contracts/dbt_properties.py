"""Read dbt's property files (`schema.yml`, `_models.yml`): models, sources, seeds and snapshots.

The fields are those of https://docs.getdbt.com/reference/configs-and-properties; `meta` and `tags`
stand beside a column or below its `config`.
"""

from collections.abc import Iterator
from typing import Final

from minerva_governance.core.data_contracts.odcs_contract import TEXTS, Declarations
from minerva_governance.core.data_contracts.tagging import Tagging, periods_in_days
from minerva_governance.core.data_contracts.yaml_tree import Node
from minerva_governance.core.reading.declaration import SchemaColumn, SchemaTable
from minerva_platform.text import Language

SECTIONS: Final = ("models", "seeds", "snapshots")


def read_dbt(properties: Node, language: Language) -> Declarations:
    """Return the tables and columns of a property file."""
    declarations = Declarations()
    documented: list[int] = []
    for table, around in _tables(properties):
        # A source's table may have another name in the database than in dbt.
        name = table.first_text("identifier", "name") or table["config"]["alias"].text
        if not name:
            declarations.problems.append((table.line, TEXTS("no_name", language)))
            continue
        _add_table(declarations, table, name, around, language)
        if not table["config"]["contract"]["enforced"].flag:
            documented.append(table.line)
    if documented and declarations.columns:
        declarations.problems.append((documented[0], TEXTS("documented_only", language)))
    return declarations


def _tables(properties: Node) -> Iterator[tuple[Node, tuple[Node, ...]]]:
    """Give each table with what stands around it and speaks for it, too."""
    for section in SECTIONS:
        for item in properties[section].items:
            yield item, ()
    for source in properties["sources"].items:
        for table in source["tables"].items:
            yield table, (source,)


def _add_table(
    declarations: Declarations, table: Node, name: str, around: tuple[Node, ...], language: Language
) -> None:
    tagging = _tagging_of(table, *around)
    days = None
    if tagging.retention is not None:
        days = periods_in_days(tagging.retention.text, tagging.retention_unit)
        if days is None:
            declarations.problems.append(
                (tagging.retention.line, TEXTS("retention_unclear", language))
            )
    declarations.tables.append(
        SchemaTable(
            name=name,
            comment=table.first_text("description"),
            line=table.line,
            tags=tagging.tags,
            classification=tagging.classification,
            retention_days=days,
            retention_quote=f"retention: {tagging.retention.text}" if tagging.retention else "",
        )
    )
    columns = table["columns"].items
    if not columns:
        declarations.problems.append((table.line, TEXTS("no_columns", language)))
    for column in columns:
        if not column["name"].text:
            declarations.problems.append((column.line, TEXTS("no_name", language)))
            continue
        of_column = _tagging_of(column)
        declarations.columns.append(
            SchemaColumn(
                table=name,
                name=column["name"].text,
                data_type=column["data_type"].text,
                comment=column.first_text("description"),
                line=column.line,
                tags=of_column.tags,
                classification=of_column.classification,
                declared_encrypted=of_column.is_encrypted,
            )
        )


def _tagging_of(*nodes: Node) -> Tagging:
    """Return what `nodes` say, the first of them before those around it."""
    tagging = Tagging()
    for node in nodes:
        for place in (node, node["config"]):
            tagging.add_tags(place["tags"])
            for key, value in place["meta"].entries.items():
                tagging.add(key, value)
    return tagging
