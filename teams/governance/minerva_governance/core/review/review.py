"""Everything a review looks at, in one place, and what of it was missing."""

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import BaseModel, field_validator

from minerva_governance.core.dependencies.dependency import Dependencies
from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.detection.inventory import PiiColumn
from minerva_governance.core.detection.literal_scan import COLUMN, LiteralHit
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.detection.table_scan import DataScan
from minerva_governance.core.detection.unread_call import UnreadCall
from minerva_governance.core.policy.sink_name import sink_name
from minerva_governance.core.reading.declaration import Schema
from minerva_governance.core.review.notice import Clause
from minerva_governance.core.review.unreviewed import Unreviewed
from minerva_platform.text import Language, read_texts

TEXTS = read_texts("minerva_governance.core.review", "review")

_TEST_NAME: Final = re.compile(r"test_.*|.*_test\.py|tests?\.py|conftest\.py")
LITERAL = "(literal)"
"""The name under which the code search hands on a text that is typed into a sink."""


class NamedColumn(BaseModel, frozen=True):
    """A column with the name the data standard gives it (None: the standard has none)."""

    table: str
    column: str
    standard: str | None
    is_resolved: bool


class CodeUse(BaseModel, frozen=True):
    """A line of code that uses a column; `sink` says where the value goes."""

    name: str
    path: str
    line: int
    kind: str = ""
    """How the code uses it; a `name` is a variable that is called alike."""
    sink: str | None = None
    """By its one name: `log`, `print`, `exception`, `file`, `http`, `queue`, `template`."""
    destination: str = ""
    """The host of a request, else the name of a queue, a template, a file or an exception."""
    via: str = ""
    """What the value passes through; of a literal the lines where it stands: `:12-14`."""
    suspected: bool = False
    """True if the code does not prove that the value itself arrives."""
    snippet: str = ""

    @field_validator("sink")
    @classmethod
    def _by_one_name(cls, value: str | None) -> str | None:
        return value and sink_name(value)

    @property
    def is_literal(self) -> bool:
        """True for a text that was typed into the sink itself, and not for a column."""
        return self.name == LITERAL

    def holds(self, hit: LiteralHit) -> bool:
        """True if the literal is the one in which `hit` was found."""
        first, _, last = self.via.lstrip(":").partition("-")
        lines = range(int(first), int(last or first) + 1) if first.isdigit() else range(0)
        return hit.source == self.path and hit.line in (self.line, *lines)


class CodeSearch(BaseModel, frozen=True):
    """All uses that were found, and what the search did not see."""

    uses: tuple[CodeUse, ...] = ()
    truncated: bool = False
    unparsed_paths: tuple[str, ...] = ()
    literals: tuple[LiteralHit, ...] = ()
    """Personal data that is typed into the code."""
    unread_calls: tuple[UnreadCall, ...] | None = None
    """Personal values that are given to code that nobody read; None if no code was looked at."""

    def kinds_of_literal(self, use: CodeUse) -> list[Entity]:
        """Return the kinds of personal data in a literal that reaches a sink."""
        found = [hit.entity for hit in self.literals if use.is_literal and use.holds(hit)]
        return list(dict.fromkeys(found))


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
    unreviewed_parts: Sequence[Unreviewed] = ()
    has_jurisdiction: bool = False
    """True if a policy says whose law the controller is under."""
    _by_name: dict[str, Entity] = field(
        default_factory=dict[str, Entity], init=False, compare=False
    )

    def __post_init__(self) -> None:
        """Index the personal columns by name: code knows columns by name only."""
        for column in self.columns:
            # What only the table tells, as of `name`, says nothing of what code calls so.
            if column.hits or promised_entity(column.column, column.comment, column.data_type):
                self._by_name.setdefault(column.column.casefold(), column.entity)

    def entity_of_name(self, name: str) -> Entity | None:
        """Return what a column of this name holds, by the inventory or by the name itself."""
        column = name.rsplit(".", 1)[-1]
        return self._by_name.get(column.casefold()) or promised_entity(column)

    @property
    def columns_seen(self) -> int:
        """How many columns were looked at, of data files, schemas and models together.

        What is typed into a file of code counts as a column of it where it is personal.
        """
        typed = sum(column.column == COLUMN for column in self.columns)
        scanned = sum(len(scan.columns) for scan in self.scans)
        return typed + scanned + sum(len(schema.columns) for schema in self.schemas)

    @property
    def other_columns(self) -> tuple[str, ...]:
        """The columns that were looked at and in which nothing personal was found, by name."""
        personal = {column.target for column in self.columns}
        seen = [(scan.table, each.name) for scan in self.scans for each in scan.columns]
        seen += [(each.table, each.name) for schema in self.schemas for each in schema.columns]
        names = (f"{mask_text(table)}.{mask_text(name)}" for table, name in seen)
        return tuple(name for name in dict.fromkeys(names) if name not in personal)


def is_test(path: str) -> bool:
    """True if a file is a test by its folder or name, as pytest and Django find them."""
    *folders, name = path.partition(":")[0].split("/")
    return bool({"test", "tests"} & set(folders)) or _TEST_NAME.fullmatch(name) is not None


def gaps(review: Review, problems: Sequence[str]) -> tuple[str, ...]:
    """Return one sentence for each thing that was missing, cut or unreadable."""
    language = review.language
    found = [f"{part.name}: {part.reason}" for part in review.unreviewed_parts]
    found += problems
    if not review.scans:
        found.append(TEXTS("gap.data", language))
    if not review.schemas:
        found.append(TEXTS("gap.schema", language))
    if not review.clauses:
        found.append(TEXTS("gap.notice", language))
    found.extend(_code_gaps(review))
    if review.naming is None:
        found.append(TEXTS("gap.naming", language))
    if not review.has_jurisdiction:
        found.append(TEXTS("gap.law", language))
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
