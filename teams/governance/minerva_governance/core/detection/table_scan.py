"""Look at the values of one table, cell by cell: how many of each column have the form of what."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from minerva_governance.core.detection.ciphertext import decoded, is_out_of_sight
from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.detector import (
    find,
    find_in_cell,
    normalised,
    region_of,
    weak_forms,
)
from minerva_governance.core.detection.entity import TEXTS, Entity
from minerva_governance.core.detection.mask import is_strict, mask, mask_text
from minerva_governance.core.reading.data_table import MAX_COLUMNS, DataTable, Skipped
from minerva_platform.text import Language

_MAX_SHOWN_HITS = 3
_MAX_SHOWN_NAMES = 5
_NULLS = frozenset({"", "null", "none", "nan", "n/a", "\\n"})
_MAX_NULL_CHARACTERS = 16
"""Of a cell that may be a null, blanks included: longer cells are not folded to be compared."""
_MIN_HIT_CHARACTERS = 6
"""Of the shortest value that any form fits: a@b.kr."""
_MAX_KEPT_CELLS = 1_000
_MAX_KEPT_CHARACTERS = 64


class MaskedHit(BaseModel):
    """One value that matched: where, how sure, and what may be shown of it."""

    model_config = ConfigDict(frozen=True)

    row: int
    shown: str
    score: float
    region: str = ""
    """Of a phone number: the country whose plan it follows, ISO 3166-1; strict masks tell none."""

    @property
    def told(self) -> str:
        """What is shown, with its region."""
        return f"{self.shown} ({self.region})" if self.region else self.shown


class ScannedColumn(BaseModel):
    """What the values of one column looked like."""

    model_config = ConfigDict(frozen=True)

    name: str
    promised: Entity | None
    sampled: int
    out_of_sight: int
    hits: dict[Entity, int]
    evidence: dict[Entity, tuple[MaskedHit, ...]]


class DataScan(BaseModel):
    """One scanned table: its columns, how much of it was looked at, and what was not."""

    model_config = ConfigDict(frozen=True)

    path: str
    """Where it lies on this machine: never shown."""
    source: str
    """The file, named relative to the input."""
    table: str
    columns: tuple[ScannedColumn, ...]
    rows: int
    more_rows: int
    max_bytes: int
    """The budget that it was read with."""
    is_dataset: bool = True
    """False for rows that a script inserts: they were not handed in as a file of data."""
    gaps: tuple[str, ...]
    """Clauses on what was not looked at; no rule passes by this table if there are any."""


class _ColumnTally:
    """What was seen of one column so far."""

    def __init__(self, name: str, promised: Entity | None) -> None:
        self.name = name
        self.promised: Entity | None = promised
        self.sampled = self.out_of_sight = 0
        self.has_long = False
        self.hits: Counter[Entity] = Counter()
        self.evidence: dict[Entity, list[MaskedHit]] = {}
        self._plain: set[str] = set()
        """Cells in which nothing was found: most columns repeat a few."""

    def add(self, row: int, cell: str) -> None:
        if cell in self._plain:
            self.sampled += 1
            return
        size = len(cell)
        if size <= _MAX_NULL_CHARACTERS and cell.strip().casefold() in _NULLS:
            return
        self.sampled += 1
        if size < _MIN_HIT_CHARACTERS:
            return
        self.has_long = True
        found = find_in_cell(cell, self.promised)
        if not found and self.promised is None:
            found = weak_forms(cell)
        if not found:
            if self.promised is not None:
                self.out_of_sight += is_out_of_sight(cell)
            elif size <= _MAX_KEPT_CHARACTERS and len(self._plain) < _MAX_KEPT_CELLS:
                self._plain.add(cell)
            return
        for entity, score in found:
            self.hits[entity] += 1
            shown = self.evidence.setdefault(entity, [])
            if len(shown) < _MAX_SHOWN_HITS:
                region = region_of(cell) if entity == "PHONE" and not is_strict() else ""
                shown.append(
                    MaskedHit(row=row, shown=_shown(cell, entity), score=score, region=region)
                )

    def result(self) -> ScannedColumn:
        return ScannedColumn(
            name=mask_text(self.name),
            promised=self.promised,
            sampled=self.sampled,
            out_of_sight=self.out_of_sight,
            hits=dict(self.hits),
            evidence={entity: tuple(hits) for entity, hits in self.evidence.items()},
        )


class _Tallies:
    """What was seen of all columns so far; a reader may give new ones in any row."""

    def __init__(self, names: Sequence[str], promises: Mapping[str, Entity]) -> None:
        self._promises = promises
        self.columns: dict[str, _ColumnTally] = {}
        self.beyond: set[str] = set()
        """Columns that were left out; their number is bounded, too."""
        for name in names[:MAX_COLUMNS]:
            self._new(name)

    def add(self, row: int, name: str, cell: str) -> None:
        column = self.columns.get(name)
        if column is None and len(self.columns) < MAX_COLUMNS:
            column = self._new(name)
        if column is not None:
            column.add(row, cell)
        elif len(self.beyond) < MAX_COLUMNS:
            self.beyond.add(name)

    def _new(self, name: str) -> _ColumnTally:
        short = name.rpartition(".")[2]
        promised = self._promises.get(short.casefold()) or promised_entity(short)
        return self.columns.setdefault(name, _ColumnTally(name, promised))


def _shown(cell: str, entity: Entity) -> str:
    """Return the masked value and nothing else of the cell: the rest may hold a name."""
    for text in (normalised(cell), normalised(decoded(cell) or "")):
        for match in find(text):
            if match.entity == entity:
                return mask(entity, text[match.start : match.end])
    inner = decoded(cell)
    return mask(entity, normalised(cell if inner is None else inner).strip())


def scan_data(
    data: DataTable,
    *,
    promises: Mapping[str, Entity] | None = None,
    language: Language = "en",
) -> DataScan:
    """Look at every row within the budget of `data`, cell by cell.

    `promises` tells what columns hold, by case-folded name, where a schema's comment says more
    than the name. Cells beyond the header are looked at too.

    Raises:
        UnreadableError: the file cannot be read to its end.
    """
    tallies = _Tallies(data.columns, promises or {})
    skipped, rows = Skipped(), 0
    for row in data.rows(skipped):
        rows += 1
        for name, cell in row.cells:
            tallies.add(row.number, name, cell)
    skipped.wide_columns = len(tallies.beyond)
    gaps = [*skipped.told(language), *_odd_gaps(data, tallies.columns, rows, language)]
    return DataScan(
        path=str(data.source.path),
        source=mask_text(data.source.name),
        table=mask_text(data.name),
        columns=tuple(column.result() for column in tallies.columns.values()),
        rows=rows,
        more_rows=skipped.more_rows,
        max_bytes=data.max_bytes,
        gaps=tuple(gaps),
    )


def _odd_gaps(
    data: DataTable, tallies: Mapping[str, _ColumnTally], rows: int, language: Language
) -> Iterator[str]:
    """Give what makes columns or rows unknown although all of them were read."""
    if not rows:
        yield TEXTS("table.no_rows", language)
    if not data.has_header:
        yield TEXTS("table.no_header", language)
        return
    unnamed = [name for name in data.unnamed if name in tallies and tallies[name].has_long]
    if unnamed:
        names = ", ".join(sorted(unnamed)[:_MAX_SHOWN_NAMES])
        yield TEXTS("table.unnamed", language, names=names)
