"""Everything a review looks at, in one place, and what of it was missing."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from minerva_governance.core.dependencies.dependency import Dependencies
from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.reading.declaration import Schema
from minerva_governance.core.review.notice import Clause
from minerva_governance.core.review.unreviewed import Unreviewed
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.core.review", "review")


class NamedColumn(BaseModel):
    """A column with the name the data standard gives it (None: the standard has none)."""

    model_config = ConfigDict(frozen=True)

    table: str
    column: str
    standard: str | None
    resolved: bool


class CodeUse(BaseModel):
    """A line of code that uses a column; `sink` says that the value flows into a log or print."""

    model_config = ConfigDict(frozen=True)

    name: str
    path: str
    line: int
    sink: str | None = None
    snippet: str = ""


class CodeSearch(BaseModel):
    """All uses that were found, and what the search did not see."""

    model_config = ConfigDict(frozen=True)

    uses: tuple[CodeUse, ...] = ()
    truncated: bool = False
    unparsed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Review:
    """The material of one review; None means that it was not handed over."""

    today: dt.date
    language: Language = "en"
    scans: Sequence[DataScan] = ()
    schemas: Sequence[Schema] = ()
    columns: Sequence[PiiColumn] = ()
    clauses: Sequence[Clause] = ()
    naming: Sequence[NamedColumn] | None = None
    dependencies: Dependencies = field(default_factory=Dependencies)
    code: CodeSearch | None = None
    unreviewed: Sequence[Unreviewed] = ()
    _by_name: dict[str, Entity] = field(
        default_factory=dict[str, Entity], init=False, compare=False
    )

    def __post_init__(self) -> None:
        """Index the personal columns by name: code knows columns by name only."""
        for column in self.columns:
            self._by_name.setdefault(column.column.casefold(), column.entity)

    def entity_of_name(self, name: str) -> Entity | None:
        """Return what a column of this name holds, by the inventory or by the name itself."""
        column = name.rsplit(".", 1)[-1]
        return self._by_name.get(column.casefold()) or promised_entity(column)

    @property
    def columns_seen(self) -> int:
        """How many columns were looked at, of data files and schemas together."""
        scanned = sum(len(scan.columns) for scan in self.scans)
        return scanned + sum(len(schema.columns) for schema in self.schemas)


def gaps(review: Review, problems: Sequence[str]) -> tuple[str, ...]:
    """Return one sentence for each thing that was missing, cut or unreadable."""
    language = review.language
    found = list(problems)
    found += [f"{part.name}: {part.reason}" for part in review.unreviewed]
    if not review.scans:
        found.append(TEXTS("gap.data", language))
    if not review.schemas:
        found.append(TEXTS("gap.schema", language))
    if not review.clauses:
        found.append(TEXTS("gap.notice", language))
    found.extend(_code_gaps(review))
    if review.naming is None:
        found.append(TEXTS("gap.naming", language))
    if not review.dependencies.manifests:
        found.append(TEXTS("gap.licenses", language))
    # These two hold for every review: what is never looked at must be said each time.
    found += [TEXTS("gap.meaning", language), TEXTS("gap.outside", language)]
    return tuple(dict.fromkeys(mask_text(gap) for gap in found))


def _code_gaps(review: Review) -> Iterator[str]:
    code = review.code
    if code is None:
        yield TEXTS("gap.code", review.language)
    elif code.truncated:
        yield TEXTS("gap.more_code", review.language, count=len(code.uses))
