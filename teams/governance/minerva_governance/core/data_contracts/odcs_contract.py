"""Read a data contract of the Open Data Contract Standard, versions 3.0 to 3.2.

The fields are those of the published schema: https://bitol-io.github.io/open-data-contract-standard.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from minerva_governance.core.data_contracts.tagging import Said, is_retention, periods_in_days
from minerva_governance.core.data_contracts.yaml_tree import Node
from minerva_governance.core.reading.declaration import SchemaColumn, SchemaTable
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.core.data_contracts", "data_contracts")

CRITICAL = "critical"
"""The tag of a critical data element."""


@dataclass
class Declared:
    """What a file declares, and the lines that were not understood with the reason."""

    tables: list[SchemaTable] = field(default_factory=list[SchemaTable])
    columns: list[SchemaColumn] = field(default_factory=list[SchemaColumn])
    problems: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])


def read_odcs(contract: Node, language: Language) -> Declared:
    """Return the tables and columns of a contract."""
    found = Declared()
    version = contract["apiVersion"].text
    if not version.startswith("v3"):
        message = TEXTS("odcs_version", language, version=version[:10])
        found.problems.append((contract["apiVersion"].line, message))
        return found
    whole = Said()
    whole.add_tags(contract["tags"])
    _add_custom(whole, contract)
    for element in contract["schema"].items:
        _add_table(found, element, whole, language)
    if not contract["schema"].items:
        found.problems.append((contract["schema"].line, TEXTS("no_columns", language)))
    _add_retention(found, contract, whole, language)
    return found


def _add_table(found: Declared, element: Node, whole: Said, language: Language) -> None:
    name = element.told("physicalName", "name")
    if not name:
        found.problems.append((element.line, TEXTS("no_name", language)))
        return
    said = _said(element)
    said.found += whole.tags
    days = None
    if said.retention is not None:
        days = periods_in_days(said.retention.text, said.retention_unit)
        if days is None:
            found.problems.append((said.retention.line, TEXTS("retention_unclear", language)))
    found.tables.append(
        SchemaTable(
            name=name,
            comment=element.told("description", "businessName"),
            line=element.line,
            tags=said.tags,
            classification=said.classification or whole.classification,
            retention_days=days,
            retention_quote=f"retention: {said.retention.text}" if said.retention else "",
        )
    )
    before = len(found.columns)
    for column in element["properties"].items:
        found.columns += _columns(found, column, name, "", language)
    if len(found.columns) == before:
        found.problems.append((element.line, TEXTS("no_columns", language)))
    _mark_encrypted(found, element["properties"], before)


def _columns(
    found: Declared, element: Node, table: str, prefix: str, language: Language
) -> Iterator[SchemaColumn]:
    """Give a property, then those inside it: `address`, `address.city`."""
    own = element.told("physicalName", "name")
    if not own and not prefix:
        found.problems.append((element.line, TEXTS("no_name", language)))
    name = f"{prefix}.{own}" if prefix and own else prefix or own
    said = _said(element)
    if own:
        business, description = element.told("businessName"), element.told("description")
        both = [business, description] if business != description else [business]
        yield SchemaColumn(
            table=table,
            name=name,
            data_type=element.told("physicalType", "logicalType"),
            comment=": ".join(filter(None, both)),
            line=element.line,
            tags=said.tags,
            classification=said.classification,
            declared_encrypted=said.encrypted,
        )
    inner = [*element["properties"].items, *([element["items"]] if element.has("items") else [])]
    for each in inner:
        yield from _columns(found, each, table, name, language)


def _said(element: Node) -> Said:
    said = Said()
    if element["classification"].text:
        said.classify(element["classification"].text)
    said.add_tags(element["tags"])
    if element["criticalDataElement"].flag:
        said.found.append(CRITICAL)
    _add_custom(said, element)
    return said


def _add_custom(said: Said, element: Node) -> None:
    for item in element["customProperties"].items:
        if item["property"].text:
            said.add(item["property"].text, item["value"])


def _mark_encrypted(found: Declared, properties: Node, first: int) -> None:
    """Note which columns hold the cipher of another: `encryptedName` of that one names them."""
    ciphers = {item["encryptedName"].text.casefold() for item in properties.items} - {""}
    for index, column in enumerate(found.columns[first:], first):
        if column.name.casefold() in ciphers and column.declared_encrypted is None:
            found.columns[index] = column.model_copy(update={"declared_encrypted": True})


def _add_retention(found: Declared, contract: Node, whole: Said, language: Language) -> None:
    """Take over how long rows are kept: of the tables that an SLA names, or of all."""
    default = contract["slaDefaultElement"].text
    stated = [
        (item["element"].text or default, item["value"].text, item["unit"].text, item.line)
        for item in contract["slaProperties"].items
        if is_retention(item["property"].text)
    ]
    physical = {
        element["name"].text.casefold(): element.told("physicalName", "name").casefold()
        for element in contract["schema"].items
    }
    if whole.retention is not None:
        stated.append(("", whole.retention.text, whole.retention_unit, whole.retention.line))
    for elements, value, unit, line in stated:
        days = periods_in_days(value, unit)
        if days is None:
            found.problems.append((line, TEXTS("retention_unclear", language)))
            continue
        named = {part.strip().partition(".")[0].casefold() for part in elements.split(",")} - {""}
        named |= {physical[each] for each in named if each in physical}
        if named and not any(table.name.casefold() in named for table in found.tables):
            found.problems.append((line, TEXTS("no_such_element", language)))
        update = {"retention_days": days, "retention_quote": f"retention: {value} {unit}".strip()}
        for index, table in enumerate(found.tables):
            # A table's own word goes before the contract's; of two, the longer one is kept.
            is_meant = table.name.casefold() in named or (not named and not table.retention_days)
            if is_meant and days >= (table.retention_days or 0):
                found.tables[index] = table.model_copy(update=update)
