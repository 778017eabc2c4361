"""Read a YAML file that declares tables, whichever standard it follows."""

import re
from collections.abc import Iterator
from typing import Final, Literal

from minerva_governance.core.data_contracts.odcs_contract import (
    TEXTS,
    Declarations,
    Tagging,
    read_odcs,
)
from minerva_governance.core.data_contracts.yaml_tree import Node, read_tree
from minerva_governance.core.reading.declaration import Schema, SchemaColumn
from minerva_governance.core.reading.problem import Problem
from minerva_governance.core.reading.source_files import Source
from minerva_platform.text import Language
from minerva_reading import UnreadableError, read_text

SECTIONS: Final = ("models", "seeds", "snapshots")
MAX_BYTES: Final = 16 * 1024 * 1024
"""A contract of 50,000 columns has about 12 MiB."""
_MAX_GUESS_BYTES: Final = 65_536

ContractKind = Literal["odcs", "dbt"]

_ODCS: Final = re.compile(
    r"""(?:^|[{,])\s*["']?kind["']?\s*:\s*["']?DataContract\b""", re.MULTILINE
)
_DBT: Final = re.compile(
    r"""
    ^(?:models|sources|seeds|snapshots)\s*:[ \t]*(?:\#.*)?\r?\n    # a section
    (?:[ \t]*(?:\#.*)?\r?\n)*                                      # comments
    [ \t]*-[ \t]                                                   # a list below it
    """,
    re.MULTILINE | re.VERBOSE,
)
_OTHERS: Final = re.compile(r"""^["']?(?:apiVersion|rules|services|jobs)["']?\s*:""", re.MULTILINE)
"""Keys of files that may have a list of models or sources, too."""


def contract_kind(text: str) -> ContractKind | None:
    """Return which standard the beginning of a YAML text follows, or None."""
    if _ODCS.search(text):
        return "odcs"
    return "dbt" if _DBT.search(text) and not _OTHERS.search(text) else None


def kind_of_contract(source: Source) -> ContractKind | None:
    """Return which standard the YAML file follows by its beginning; None also if it is closed."""
    try:
        with source.path.open("rb") as stream:
            return contract_kind(stream.read(_MAX_GUESS_BYTES).decode("utf-8-sig", "replace"))
    except OSError:
        return None


def read_contract(source: Source, kind: ContractKind, *, language: Language) -> Schema:
    """Return what the file declares.

    Raises:
        UnreadableError: it cannot be opened, is too large, or is no YAML that is read.
    """
    documents = read_tree(read_text(source.path, max_bytes=MAX_BYTES).text)
    first = documents[0] if documents else Node(1)
    found = read_odcs(first, language) if kind == "odcs" else read_dbt(first, language)
    if len(documents) > 1:
        found.problems.append((documents[1].line, TEXTS("more_documents", language)))
    if not found.columns and not found.problems:
        raise UnreadableError(reason="no_yaml")
    return Schema(
        source=source.name,
        columns=tuple(found.columns),
        tables=tuple(found.tables),
        problems=tuple(
            Problem(file=source.name, line=line, message=message)
            for line, message in found.problems
        ),
    )


def read_dbt(properties: Node, language: Language) -> Declarations:
    """Return the tables and columns of a property file of dbt: `schema.yml`, `_models.yml`.

    The fields are those of https://docs.getdbt.com/reference/configs-and-properties; `meta` and
    `tags` stand beside a column or below its `config`.
    """
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
    declarations.add_table(name, table.first_text("description"), table, tagging, language)
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
