"""Which columns hold personal data, by their values, by their names, or by both.

A column is personal if at least `rate` of its non-null values match, or if its name promises
the kind and at least one value matches. Everything weaker is *suspected*: a telling name whose
values were not seen or do not match, or values that match too rarely.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.data_file import DataFile
from minerva_governance.core.detection.detector import find, find_in_cell, normalised
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.mask import mask, mask_text
from minerva_governance.core.detection.schema_file import Schema

RATE = 0.6
SAMPLE_ROWS = 10_000
MAX_COLUMNS = 2_000
_SHOWN_HITS = 3
_NULLS = frozenset({"", "null", "none", "nan", "n/a", "\\n"})


class MaskedHit(BaseModel):
    """One value that matched: where, how sure, and what may be shown of it."""

    model_config = ConfigDict(frozen=True)

    row: int
    shown: str
    score: float


class PiiColumn(BaseModel):
    """A column that holds personal data, or is suspected to."""

    model_config = ConfigDict(frozen=True)

    table: str
    column: str
    entity: Entity
    by: Literal["value", "name", "both"]
    suspected: bool
    hits: int = 0
    sampled: int = 0
    """Non-null values looked at; 0 where only the declaration was seen."""
    rate: float | None = None
    evidence: tuple[MaskedHit, ...] = ()
    source: str
    line: int | None = None
    comment: str = ""
    data_type: str = ""
    declared: bool = False
    """True for a column of a schema, False for a column of a data file."""

    @property
    def target(self) -> str:
        """The name findings and waivers use."""
        return f"{self.table}.{self.column}"


class ScannedColumn(BaseModel):
    """What the values of one column looked like."""

    model_config = ConfigDict(frozen=True)

    name: str
    promised: Entity | None
    sampled: int
    hits: dict[Entity, int]
    evidence: dict[Entity, tuple[MaskedHit, ...]]


class DataScan(BaseModel):
    """One scanned data file: columns, and how much of it was looked at."""

    model_config = ConfigDict(frozen=True)

    source: str
    table: str
    encoding: str
    delimiter: str
    columns: tuple[ScannedColumn, ...]
    rows: int
    more_rows: bool
    skipped_rows: int
    cut_cells: int
    has_header: bool


class _ColumnTally:
    """What was seen of one column so far."""

    def __init__(self, name: str, promised: Entity | None) -> None:
        self.name = name
        self.promised: Entity | None = promised
        self.sampled = 0
        self.hits: Counter[Entity] = Counter()
        self.evidence: dict[Entity, list[MaskedHit]] = {}

    def add(self, row: int, cell: str) -> None:
        if cell.strip().casefold() in _NULLS:
            return
        self.sampled += 1
        for entity, score in find_in_cell(cell, self.promised):
            self.hits[entity] += 1
            shown = self.evidence.setdefault(entity, [])
            if len(shown) < _SHOWN_HITS:
                shown.append(MaskedHit(row=row, shown=_shown(cell, entity), score=score))

    def result(self) -> ScannedColumn:
        return ScannedColumn(
            name=mask_text(self.name),
            promised=self.promised,
            sampled=self.sampled,
            hits=dict(self.hits),
            evidence={entity: tuple(hits) for entity, hits in self.evidence.items()},
        )


def _shown(cell: str, entity: Entity) -> str:
    """Return the masked value and nothing else of the cell: the rest may hold a name."""
    text = normalised(cell)
    for match in find(text):
        if match.entity == entity:
            return mask(entity, text[match.start : match.end])
    return mask(entity, text.strip())


def scan_data(
    data: DataFile,
    *,
    sample_rows: int = SAMPLE_ROWS,
    promises: Mapping[str, Entity] | None = None,
) -> DataScan:
    """Look at the first `sample_rows` rows of `data`, cell by cell.

    `promises` tells what columns hold, by case-folded name, where a schema's comment says more
    than the name. Cells beyond the header are looked at too.
    """
    known = promises or {}

    def tally(name: str) -> _ColumnTally:
        return _ColumnTally(name, known.get(name.casefold()) or promised_entity(name))

    tallies = [tally(name) for name in data.columns[:MAX_COLUMNS]]
    rows, more = 0, False
    for number, cells in data.rows():
        if number > sample_rows:
            more = True
            break
        rows = number
        for index, cell in enumerate(cells[:MAX_COLUMNS]):
            if index == len(tallies):
                tallies.append(tally(f"column {index + 1}"))
            tallies[index].add(number, cell)
    return DataScan(
        source=str(data.path),
        table=mask_text(data.path.name),
        encoding=data.encoding,
        delimiter=data.delimiter,
        columns=tuple(column.result() for column in tallies),
        rows=rows,
        more_rows=more,
        skipped_rows=data.skipped.rows,
        cut_cells=data.skipped.cells_cut,
        has_header=data.has_header,
    )


def schema_promises(schemas: Sequence[Schema]) -> dict[str, Entity]:
    """Return what the schemas' columns promise, by case-folded column name."""
    promises: dict[str, Entity] = {}
    for schema in schemas:
        for column in schema.columns:
            entity = promised_entity(column.name, column.comment)
            if entity is not None:
                promises.setdefault(column.name.casefold(), entity)
    return promises


def inventory(
    scans: Sequence[DataScan], schemas: Sequence[Schema], *, rate: float = RATE
) -> tuple[PiiColumn, ...]:
    """Return all personal and suspected columns: data files first, then schemas."""
    found: list[PiiColumn] = []
    for scan in scans:
        for column in scan.columns:
            found.extend(_judge(scan, column, rate))
    for schema in schemas:
        for declared in schema.columns:
            entity = promised_entity(declared.name, declared.comment)
            if entity is not None:
                found.append(
                    PiiColumn(
                        table=mask_text(declared.table),
                        column=mask_text(declared.name),
                        entity=entity,
                        by="name",
                        suspected=True,
                        source=schema.source,
                        line=declared.line,
                        comment=mask_text(declared.comment),
                        data_type=declared.data_type,
                        declared=True,
                    )
                )
    return tuple(found)


def _judge(scan: DataScan, column: ScannedColumn, rate: float) -> list[PiiColumn]:
    entities = list(column.hits)
    if column.promised is not None and column.promised not in column.hits:
        entities.append(column.promised)
    found: list[PiiColumn] = []
    for entity in entities:
        hits = column.hits.get(entity, 0)
        share = hits / column.sampled if column.sampled else None
        named = entity == column.promised
        by: Literal["value", "name", "both"] = "value"
        if named:
            by = "both" if hits else "name"
        found.append(
            PiiColumn(
                table=scan.table,
                column=column.name,
                entity=entity,
                by=by,
                suspected=not hits or (not named and (share or 0.0) < rate),
                hits=hits,
                sampled=column.sampled,
                rate=None if share is None else round(share, 4),
                evidence=column.evidence.get(entity, ()),
                source=scan.source,
            )
        )
    return found
