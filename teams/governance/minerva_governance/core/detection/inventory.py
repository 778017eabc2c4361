"""Which columns hold personal data, by their values, by their names, or by both.

A column is personal if at least `rate` of its non-null values match, or if its name promises
the kind and at least one value matches. Everything weaker is *suspected*: a telling name whose
values were not seen or do not match, values that match too rarely, or resident numbers of people
who are not born yet.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from pydantic import BaseModel

from minerva_governance.core.detection.cell import WEAK_ALONE, has_named_form
from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.column_tally import MaskedHit, ScannedColumn
from minerva_governance.core.detection.entity import Entity, category
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.kinds.kind import Category
from minerva_governance.core.reading.declaration import Schema
from minerva_governance.core.values.value_check import CERTAIN, UNBORN, WEAK

RATE = 0.6
"""Share of non-null values that must match before values alone make a column personal.

Lower, a column of free numbers of which some pass a check digit by chance would be one.
"""

_WEIGHT: Final = (
    frozenset[Category | None]({"health", "special"}),
    frozenset[Category | None]({"unique_identifier"}),
    frozenset[Category | None]({"financial", "credential"}),
    frozenset[Category | None]({"contact"}),
    frozenset[Category | None]({"name"}),
    frozenset[Category | None]({"location", "online"}),
    frozenset[Category | None]({"quasi_identifier"}),
)
"""Categories from what the law protects most; a key that tells nothing alone comes last."""


class PiiColumn(BaseModel, frozen=True):
    """A column that holds personal data, or is suspected to."""

    table: str
    column: str
    entity: Entity
    by: Literal["value", "name", "both"]
    suspected: bool
    hits: int = 0
    sampled: int = 0
    """Non-null values looked at; 0 where only the declaration was seen."""
    rate: float | None = None
    out_of_sight: int = 0
    """Values that read like a cipher, a hash or a mask."""
    readable: int = 0
    """Of the first `LOOKED_AT` rows: values that are words or plain numbers."""
    evidence: tuple[MaskedHit, ...] = ()
    source: str
    """The file, named relative to the input."""
    line: int | None = None
    comment: str = ""
    data_type: str = ""
    declared_encrypted: bool | None = None
    """What the declaration says in a field of its own."""
    proved_by: str = ""
    """The column of a data file of the same name, whose values leave no doubt."""
    declared: bool = False
    """True for a column of a schema, False for a column of a data file."""

    @property
    def target(self) -> str:
        """The name findings and waivers use."""
        return f"{self.table}.{self.column}"

    @property
    def has_no_shape(self) -> bool:
        """True if values were seen that nobody could recognise: a code, an age, a diagnosis."""
        return bool(self.sampled) and not self.hits and not has_named_form(self.entity)


def by_importance(columns: Iterable[PiiColumn]) -> list[PiiColumn]:
    """Return special categories first, then unique identifiers, money, contact, names and the rest.

    What is certain comes before what is suspected; else the order stays.
    """

    def weight(column: PiiColumn) -> tuple[int, bool]:
        of = category(column.entity)
        at = (at for at, group in enumerate(_WEIGHT) if of in group)
        return next(at, len(_WEIGHT)), column.suspected

    return sorted(columns, key=weight)


def schema_promises(schemas: Sequence[Schema]) -> dict[str, Entity]:
    """Return what the schemas' columns promise, by case-folded column name."""
    promises: dict[str, Entity] = {}
    for schema in schemas:
        for column in schema.columns:
            entity = promised_entity(column.name, column.comment, column.data_type)
            if entity is not None:
                promises.setdefault(column.name.casefold(), entity)
    return promises


def inventory(scans: Sequence[DataScan], schemas: Sequence[Schema]) -> tuple[PiiColumn, ...]:
    """Return all personal and suspected columns: data files first, then schemas."""
    found: list[PiiColumn] = []
    for scan in scans:
        for column in scan.columns:
            found.extend(_judge(scan, column))
            if column.may_be is not None:
                kind, hits = column.may_be
                found.append(
                    PiiColumn(table=scan.table, column=column.name, entity=kind, by="value",
                              source=scan.source, hits=hits, sampled=column.sampled,
                              suspected=True)
                )  # fmt: skip
    proved = {
        (each.column.casefold(), each.entity): each.target for each in found if not each.suspected
    }
    for schema in schemas:
        for declared in schema.columns:
            entity = promised_entity(
                declared.name, declared.comment, declared.data_type, declared.table
            )
            if entity is not None:
                found.append(
                    PiiColumn(
                        table=mask_text(declared.table),
                        column=mask_text(declared.name),
                        entity=entity,
                        by="name",
                        suspected=(declared.name.casefold(), entity) not in proved,
                        proved_by=proved.get((declared.name.casefold(), entity), ""),
                        source=schema.source,
                        line=declared.line,
                        comment=mask_text(declared.comment),
                        data_type=declared.data_type,
                        declared_encrypted=declared.declared_encrypted,
                        declared=True,
                    )
                )
    return tuple(found)


def _judge(scan: DataScan, column: ScannedColumn) -> list[PiiColumn]:
    entities = list(column.hits)
    if column.promised is not None and column.promised not in column.hits:
        entities.append(column.promised)
    found: list[PiiColumn] = []
    for entity in entities:
        hits = column.hits.get(entity, 0)
        share = hits / column.sampled if column.sampled else None
        named = entity == column.promised
        is_weak = not named and entity in (*WEAK_ALONE, "IP_ADDRESS")  # a version is written alike
        evidence = column.evidence.get(entity, ())
        # No stronger hit is left out of the evidence.
        best = max((hit.score for hit in evidence), default=CERTAIN)
        by_chance = (not named and entity in WEAK_ALONE) or (not named and best <= WEAK)
        if by_chance and (share or 0.0) < RATE:
            continue
        by: Literal["value", "name", "both"] = "value"
        if named:
            by = "both" if hits else "name"
        found.append(
            PiiColumn(
                table=scan.table,
                column=column.name,
                entity=entity,
                by=by,
                suspected=not hits
                or is_weak
                or best <= UNBORN
                or (not named and (share or 0.0) < RATE),
                hits=hits,
                sampled=column.sampled,
                rate=None if share is None else round(share, 4),
                out_of_sight=column.out_of_sight,
                readable=column.readable,
                evidence=evidence,
                source=scan.source,
            )
        )
    return found
