"""What was seen of each column of one table so far, by SQL or cell by cell."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pydantic import BaseModel

from minerva_governance.core.detection.cell import (
    find_in_cell,
    has_named_form,
    named_value,
    region_of,
    weak_forms,
)
from minerva_governance.core.detection.ciphertext import decode, is_out_of_sight
from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.detector import find
from minerva_governance.core.detection.entity import Entity, category
from minerva_governance.core.detection.mask import mask, mask_text
from minerva_governance.core.detection.sql_prefilter import (
    MAX_NULL_CHARACTERS,
    MIN_HIT_CHARACTERS,
    NULLS,
)
from minerva_governance.core.kinds.kind import Category
from minerva_governance.core.kinds.review_context import current_context
from minerva_governance.core.tables.data_table import MAX_COLUMNS
from minerva_governance.core.values.value_check import WEAK
from minerva_governance.core.values.writing import normalised

MAX_SHOWN_HITS: Final = 3
_NULLS: Final = frozenset(NULLS)
_MAX_DISTINCT: Final = 2_000_000
"""Different keys of one column; beyond it the count is given up, so that memory stays bounded."""
_KEYS: Final[frozenset[Category | None]] = frozenset({"unique_identifier", "internal_id"})
_MAX_KEPT_CELLS: Final = 1_000
_MAX_KEPT_CHARACTERS: Final = 64
_HIDDEN: Final = re.compile(r"[^\W_]")


class MaskedHit(BaseModel, frozen=True):
    """One value that matched: where, how sure, and what may be shown of it."""

    row: int
    shown: str
    score: float
    region: str = ""
    """Of a phone number: the country whose plan it follows, ISO 3166-1; strict masks tell none."""

    @property
    def text(self) -> str:
        """What is shown, with its region."""
        return f"{self.shown} ({self.region})" if self.region else self.shown


class ScannedColumn(BaseModel, frozen=True):
    """What the values of one column looked like."""

    name: str
    promised: Entity | None
    sampled: int
    out_of_sight: int
    readable: int = 0
    """Of the first rows: values that are words or plain numbers, and so no cipher."""
    may_be: tuple[Entity, int] | None = None
    """What no form proves, and how many of the first rows have it: births, places."""
    distinct: int | None = None
    """How many different values a key has that leads to a person; None where none were counted."""
    hits: dict[Entity, int]
    evidence: dict[Entity, tuple[MaskedHit, ...]]


class ColumnTally:
    """What was seen of one column so far."""

    def __init__(self, name: str, promise: Entity | None) -> None:
        self.name = name
        self.promise: Entity | None = promise
        self.value_count = self.out_of_sight = 0
        self.has_long = False
        self.hits: Counter[Entity] = Counter()
        self.evidence: dict[Entity, list[MaskedHit]] = {}
        self._has_form = promise is not None and has_named_form(promise)
        self.distinct: int | None = None
        self.is_key = promise is not None and category(promise) in _KEYS
        self._keys: set[int] | None = set() if self.is_key else None
        """Hashes of the values, which are counted and nothing else."""
        self._plain: set[str] = set()
        """Cells in which nothing was found: most columns repeat a few."""

    def add(self, row: int, cell: str) -> None:
        """Look at one cell."""
        if cell in self._plain:
            self.value_count += 1
            return
        if _is_null(cell):
            return
        self.value_count += 1
        is_short = len(cell) < MIN_HIT_CHARACTERS
        self.has_long = self.has_long or not is_short
        if is_short and not self._has_form:
            return
        found = find_in_cell(cell, self.promise)
        if not found and self.promise is None:
            found = weak_forms(cell)
        if not found:
            self._note_nothing(cell, is_short=is_short)
        for entity, score in found:
            self.hits[entity] += 1
            self._show(row, cell, entity, score)

    def count_keys(self, cells: Iterable[str]) -> None:
        """Count the different values among `cells`, if the column is one of keys."""
        if self._keys is None:
            return
        self._keys.update(hash(cell.strip()) for cell in cells if not _is_null(cell))
        self.distinct = len(self._keys)
        if self.distinct > _MAX_DISTINCT:
            self._keys = self.distinct = None

    def add_counted(
        self, *, value_count: int, out_of_sight: int, has_long: bool, hits: Mapping[Entity, int]
    ) -> None:
        """Add what SQL counted; `show` gives examples of its hits."""
        self.value_count += value_count
        self.out_of_sight += out_of_sight
        self.has_long = self.has_long or has_long
        self.hits.update(hits)

    def show(self, entity: Entity, cells: Iterable[tuple[int, str]]) -> None:
        """Keep the first of the cells that SQL took for `entity`, with their rows, as evidence."""
        for row, cell in cells:
            score = dict(find_in_cell(cell, self.promise))[entity]
            self._show(row, cell, entity, score)

    def result(self) -> ScannedColumn:
        """Return what is known of the column, masked."""
        return ScannedColumn(
            name=mask_text(self.name),
            promised=self.promise,
            sampled=self.value_count,
            out_of_sight=self.out_of_sight,
            distinct=self.distinct,
            hits=dict(self.hits),
            evidence={entity: tuple(hits) for entity, hits in self.evidence.items()},
        )

    def _note_nothing(self, cell: str, *, is_short: bool) -> None:
        if self.promise is not None:
            self.out_of_sight += not is_short and is_out_of_sight(cell)
        elif len(cell) <= _MAX_KEPT_CHARACTERS and len(self._plain) < _MAX_KEPT_CELLS:
            self._plain.add(cell)

    def _show(self, row: int, cell: str, entity: Entity, score: float) -> None:
        shown = self.evidence.setdefault(entity, [])
        if len(shown) == MAX_SHOWN_HITS and (score <= WEAK, row) > _order(shown[-1]):
            return
        region = region_of(cell) if entity == "PHONE" and not current_context().is_strict else ""
        hit = MaskedHit(row=row, shown=_shown(cell, entity), score=score, region=region)
        shown.append(hit)
        shown.sort(key=_order)
        del shown[MAX_SHOWN_HITS:]


def _is_null(cell: str) -> bool:
    return len(cell) <= MAX_NULL_CHARACTERS and cell.strip().casefold() in _NULLS


class TableTally:
    """What was seen of all columns so far; a reader may give new ones in any row."""

    def __init__(
        self,
        names: Sequence[str],
        promises: Mapping[str, Entity],
        types: Iterable[tuple[str, str]] = (),
        table: str = "",
    ) -> None:
        self._table = table
        self._promises = promises
        self._types = dict(types)
        self.columns: dict[str, ColumnTally] = {}
        self.beyond: set[str] = set()
        """Columns that were left out; their number is bounded, too."""
        self.rows = 0
        for name in names[:MAX_COLUMNS]:
            self._new(name)

    def column(self, name: str) -> ColumnTally | None:
        """Return the tally of a column, which may be new; None for one too many."""
        column = self.columns.get(name)
        if column is None and len(self.columns) < MAX_COLUMNS:
            column = self._new(name)
        if column is None and len(self.beyond) < MAX_COLUMNS:
            self.beyond.add(name)
        return column

    def _new(self, name: str) -> ColumnTally:
        short = name.rpartition(".")[2]
        told = self._promises.get(short.casefold())
        promised = told or promised_entity(short, "", self._types.get(name, ""), self._table)
        return self.columns.setdefault(name, ColumnTally(name, promised))


def _order(hit: MaskedHit) -> tuple[bool, int]:
    """Weak hits last: a column all of whose evidence is weak has no other hit."""
    return hit.score <= WEAK, hit.row


def _shown(cell: str, entity: Entity) -> str:
    """Return the masked value and nothing else of the cell: the rest may hold a name."""
    for text in (normalised(cell), normalised(decode(cell) or "")):
        for match in find(text):
            if match.entity == entity:
                return mask(entity, text[match.start : match.end])
    inner = decode(cell)
    text = cell if inner is None else inner
    value = named_value(text, entity)
    if value is not None:
        return mask(entity, value.text)
    # It stands among other words, of which nothing may be shown.
    return mask(entity, _HIDDEN.sub("*", normalised(text).strip()))
