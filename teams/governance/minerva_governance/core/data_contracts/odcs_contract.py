"""Read a data contract of the Open Data Contract Standard, versions 3.0 to 3.2.

The fields are those of the published schema: https://bitol-io.github.io/open-data-contract-standard.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from minerva_governance.core.data_contracts.yaml_tree import Node
from minerva_governance.core.reading.declaration import SchemaColumn, SchemaTable
from minerva_platform.text import Language, read_texts, read_words

_WORDS = read_words("minerva_governance.core.data_contracts", "tags")
_BETWEEN = re.compile(r"[\s_-]+")
_NUMBER = re.compile(r"\s*(\d{1,6})(?:\.0+)?\s*([^\W\d]*)\s*")
_ISO = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?")
"""A duration by ISO 8601, dates only: P3Y, P18M."""
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_MAX_TAG_CHARACTERS = 200
TEXTS = read_texts("minerva_governance.core.data_contracts", "data_contracts")

CRITICAL = "critical"
"""The tag of a critical data element."""


@dataclass
class Tagging:
    """What an organisation says about one column or table in its own fields.

    Names of fields are compared without case, `_`, `-` and spaces.
    """

    classification: str = ""
    is_encrypted: bool | None = None
    retention: Node | None = None
    """The value that states how long rows are kept."""
    retention_unit: str = ""
    raw_tags: list[str] = field(default_factory=list[str])

    @property
    def tags(self) -> tuple[str, ...]:
        """All tags, the classification among them, each once."""
        every = [*self.raw_tags, self.classification]
        return tuple(dict.fromkeys(tag.strip()[:_MAX_TAG_CHARACTERS] for tag in every if tag))

    def classify(self, text: str) -> None:
        """Take the first classification; another one is a tag."""
        self.classification = self.classification or text.strip()
        self.raw_tags.append(text)

    def add_tags(self, node: Node) -> None:
        """Take a tag, or a list of them; `name: value` pairs of an item are one tag."""
        for item in (*node.items, *([node] if node.text else [])):
            pairs = (f"{key}:{value.text}" for key, value in item.entries.items() if value.text)
            self.raw_tags += [item.text] if item.text else list(pairs)

    def add(self, name: str, value: Node) -> None:
        """Take a field of the organisation's own; a flag that is set is a tag by its name."""
        kind = _kind_of(name)
        if kind == "classification" and value.text:
            self.classify(value.text)
        elif kind == "encrypted" and value.scalar is not None:
            said = _BETWEEN.sub("", value.text.casefold())
            self.is_encrypted = said not in {"", *_WORDS["not_encrypted"]}
        elif kind == "retention" and value.text:
            self.retention = value
            is_days = _BETWEEN.sub("", name.casefold()) in _WORDS["in_days"]
            self.retention_unit = "day" if is_days else ""
        elif kind == "tags":
            self.add_tags(value)
        elif value.flag and value.text != "1":
            self.raw_tags.append(name)
        elif value.text and value.flag is None:
            self.raw_tags.append(f"{name}:{value.text}")
        else:
            self.raw_tags += [f"{name}:{item.text}" for item in value.items if item.text]


def periods_in_days(text: str, unit: str = "") -> int | None:
    """Return how many days `3` of `unit`, `3 years` or `P3Y` are; None if that is not said.

    A year counts 365 days and a month 30, as everywhere in a review.
    """
    iso = _ISO.fullmatch(text.strip().upper())
    if iso is not None and any(iso.groups()):
        years, months, weeks, days = (int(part or 0) for part in iso.groups())
        return years * 365 + months * 30 + weeks * 7 + days
    number = _NUMBER.fullmatch(text)
    if number is None:
        return None
    named = number[2] or unit.strip()
    for name, patterns in _WORDS.table("units").items():
        if re.fullmatch("|".join(patterns), named, re.IGNORECASE):
            return int(number[1]) * _DAYS[name]
    return None


def _kind_of(name: str) -> str:
    plain = _BETWEEN.sub("", name.casefold())
    kinds: Iterable[str] = ("classification", "encrypted", "tags", "retention")
    found: Iterator[str] = (kind for kind in kinds if plain in _WORDS[kind])
    return next(found, "")


@dataclass
class Declarations:
    """What a file declares, and the lines that were not understood with the reason."""

    tables: list[SchemaTable] = field(default_factory=list[SchemaTable])
    columns: list[SchemaColumn] = field(default_factory=list[SchemaColumn])
    problems: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def add_table(
        self, name: str, comment: str, node: Node, tagging: Tagging, language: Language
    ) -> None:
        """Add a table with the period that its tagging states, or a problem if it is unclear."""
        table = SchemaTable(
            name=name,
            comment=comment,
            line=node.line,
            tags=tagging.tags,
            classification=tagging.classification,
        )
        retention = tagging.retention
        if retention is not None:
            days = periods_in_days(retention.text, tagging.retention_unit)
            period = {"retention_days": days, "retention_quote": f"retention: {retention.text}"}
            table = table.model_copy(update=period)
            if days is None:
                self.problems.append((retention.line, TEXTS("retention_unclear", language)))
        self.tables.append(table)


def read_odcs(contract: Node, language: Language) -> Declarations:
    """Return the tables and columns of a contract."""
    declarations = Declarations()
    version = contract["apiVersion"].text
    if not version.startswith("v3"):
        message = TEXTS("odcs_version", language, version=version[:10])
        declarations.problems.append((contract["apiVersion"].line, message))
        return declarations
    whole = Tagging()
    whole.add_tags(contract["tags"])
    _add_custom(whole, contract)
    for element in contract["schema"].items:
        _add_table(declarations, element, whole, language)
    if not contract["schema"].items:
        declarations.problems.append((contract["schema"].line, TEXTS("no_columns", language)))
    _add_retention(declarations, contract, whole, language)
    return declarations


def _add_table(
    declarations: Declarations, element: Node, whole: Tagging, language: Language
) -> None:
    name = element.first_text("physicalName", "name")
    if not name:
        declarations.problems.append((element.line, TEXTS("no_name", language)))
        return
    tagging = _tagging_of(element)
    tagging.raw_tags += whole.tags
    tagging.classification = tagging.classification or whole.classification
    comment = element.first_text("description", "businessName")
    declarations.add_table(name, comment, element, tagging, language)
    before = len(declarations.columns)
    for column in element["properties"].items:
        declarations.columns += _columns(declarations, column, name, "", language)
    if len(declarations.columns) == before:
        declarations.problems.append((element.line, TEXTS("no_columns", language)))
    _mark_encrypted(declarations, element["properties"], before)


def _columns(
    declarations: Declarations, element: Node, table: str, prefix: str, language: Language
) -> Iterator[SchemaColumn]:
    """Give a property, then those inside it: `address`, `address.city`."""
    own = element.first_text("physicalName", "name")
    if not own and not prefix:
        declarations.problems.append((element.line, TEXTS("no_name", language)))
    name = f"{prefix}.{own}" if prefix and own else prefix or own
    tagging = _tagging_of(element)
    if own:
        both = dict.fromkeys(element.first_text(key) for key in ("businessName", "description"))
        yield SchemaColumn(
            table=table,
            name=name,
            data_type=element.first_text("physicalType", "logicalType"),
            comment=": ".join(filter(None, both)),
            line=element.line,
            tags=tagging.tags,
            classification=tagging.classification,
            declared_encrypted=tagging.is_encrypted,
        )
    inner = [*element["properties"].items, *([element["items"]] if element.has("items") else [])]
    for each in inner:
        yield from _columns(declarations, each, table, name, language)


def _tagging_of(element: Node) -> Tagging:
    tagging = Tagging()
    if element["classification"].text:
        tagging.classify(element["classification"].text)
    tagging.add_tags(element["tags"])
    if element["criticalDataElement"].flag:
        tagging.raw_tags.append(CRITICAL)
    _add_custom(tagging, element)
    return tagging


def _add_custom(tagging: Tagging, element: Node) -> None:
    for item in element["customProperties"].items:
        if item["property"].text:
            tagging.add(item["property"].text, item["value"])


def _mark_encrypted(declarations: Declarations, properties: Node, first: int) -> None:
    """Note which columns hold the cipher of another: `encryptedName` of that one names them."""
    ciphers = {item["encryptedName"].text.casefold() for item in properties.items} - {""}
    for index, column in enumerate(declarations.columns[first:], first):
        if column.name.casefold() in ciphers and column.declared_encrypted is None:
            declarations.columns[index] = column.model_copy(update={"declared_encrypted": True})


def _add_retention(
    declarations: Declarations, contract: Node, whole: Tagging, language: Language
) -> None:
    """Take over how long rows are kept: of the tables that an SLA names, or of all."""
    default = contract["slaDefaultElement"].text
    stated = [
        (item["element"].text or default, item["value"].text, item["unit"].text, item.line)
        for item in contract["slaProperties"].items
        if _kind_of(item["property"].text) == "retention"
    ]
    physical = {
        element["name"].text.casefold(): element.first_text("physicalName", "name").casefold()
        for element in contract["schema"].items
    }
    if whole.retention is not None:
        stated.append(("", whole.retention.text, whole.retention_unit, whole.retention.line))
    for elements, value, unit, line in stated:
        days = periods_in_days(value, unit)
        if days is None:
            declarations.problems.append((line, TEXTS("retention_unclear", language)))
            continue
        named = {part.strip().partition(".")[0].casefold() for part in elements.split(",")} - {""}
        named |= {physical[each] for each in named if each in physical}
        if named and not any(table.name.casefold() in named for table in declarations.tables):
            declarations.problems.append((line, TEXTS("no_such_element", language)))
        update = {"retention_days": days, "retention_quote": f"retention: {value} {unit}".strip()}
        for index, table in enumerate(declarations.tables):
            # A table's own word goes before the contract's; of two, the longer one is kept.
            is_meant = table.name.casefold() in named or (not named and not table.retention_days)
            if is_meant and days >= (table.retention_days or 0):
                declarations.tables[index] = table.model_copy(update=update)
