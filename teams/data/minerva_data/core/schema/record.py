"""The values that the core computes and the team's workers hand to each other.

They are frozen and hold only JSON types, so that a hand-off is one of them with a kind.
"""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from minerva_platform.text import masked

Method = Literal["term_exact", "synonym", "composed", "abbreviation", "fuzzy", "bm25", "llm"]
"""How a name was found; `fuzzy` and `bm25` only ever propose. `llm`: a model said the term, the
glossary names it."""

Via = Literal["word", "synonym", "forbidden", "gloss", "abbreviation"]
"""How a piece of a name was recognised."""

Status = Literal["found", "composed", "renamed", "standard", "unresolved"]
"""`found`: a term asked for by name; `composed`: a name asked for that is no term and is made of
words; `renamed`, `standard`: a column of a schema."""

Reason = Literal[
    "unknown_words",
    "refused",
    "ambiguous",
    "too_long",
    "collision",
    "retired",
    "close_term",
    "no_class_word",
    "scattered",
    "no_domain",
    "bundled_alias",
    "other_type",
    "several_names",
    "foreign_schema",
]
"""Why something has no standard name. `foreign_schema`: the bundled glossary alone answers,
and knows little of the schema. `bundled_alias`: a name beside an imported glossary that only the
bundled one gives. `other_type`: its domain holds other values than the declared type."""

Said = Literal["name", "phrase", "scattered"]
"""`name`: given as a name. `phrase`: words of a sentence that stand together. `scattered`: what a
whole sentence says, gathered from it; that is never decided, only offered for."""

Severity = Literal["high", "medium", "low"]


Shown = Annotated[str, AfterValidator(masked)]
"""A text of somebody's file, with values of persons masked."""


class Value(BaseModel):
    """A value: compared by content, never changed, unknown keys ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class SourceRow(Value):
    """The glossary row that a statement rests on."""

    source: str
    row: int
    quote: str
    edition: str


class WordHit(Value):
    """A word of a name, and how it was recognised in what was written."""

    word: str
    abbreviation: str
    written: str
    via: Via
    is_class: bool


class Candidate(Value):
    """A standard name with all that the glossary says about it."""

    logical_name: str
    physical_name: str
    words: tuple[WordHit, ...] = ()
    domain: str | None = None
    domains: tuple[str, ...] = ()
    """What to choose from where no domain is a fact, the likeliest first."""
    data_type: str | None = None
    subject_area: str | None = None
    method: Method
    is_term: bool = False
    """The glossary has the name as a whole."""
    confidence: float
    retired: str | None = None
    citations: tuple[SourceRow, ...] = ()

    @property
    def has_domain(self) -> bool:
        """True if the kind of its values is known, be it by a choice of domains."""
        return self.domain is not None or bool(self.domains)


class Dependent(Value):
    """An object of the database that uses a column; `place` is its file and line.

    `follows`: the database itself gives it the new name of a column.
    """

    kind: str
    name: Shown
    place: Shown
    follows: bool = False


class Item(Value):
    """A column, or a term asked for by name, that wants its standard name.

    `table_path` is what stands before the table's name, outermost first: ("crm",). `is_exact` says
    that the column keeps its case only in quotation marks, `exact_path` the same of each name of
    the path and, last, of the table; none is if it is empty. Values of persons in its texts are
    masked, so that whatever is written of a column holds none.

    `parent` is the table whose rename of the column is also this one's, because it inherits the
    column; `kin` are the names of columns, in tables that inherit or that it inherits from, which
    no column of this name may get. `bar` is the clause that keeps the database from renaming it.
    `schema_key` is the schema of the table where its path does not say it: that was the current one
    or `SET SCHEMA` names it; in quotation marks if it keeps its case in them alone.
    """

    name: Shown
    wording: Shown | None = None
    """The words of a list that ask for it, where they are others than its name."""
    comment: Shown | None = None
    data_type: Shown | None = None
    table: Shown | None = None
    dialect: str | None = None
    line: int | None = None
    said: Said = "name"
    table_path: tuple[str, ...] = ()
    is_exact: bool = False
    exact_path: tuple[bool, ...] = ()
    other_dialects: tuple[str, ...] = ()
    """Dialects that fit its schema as well as `dialect`, in which it is read."""
    dialect_reason: str = ""
    dependents: tuple[Dependent, ...] = ()
    refers_to: tuple[str, str] | None = None
    """The keys of the table and the column that a foreign key refers to."""
    is_referred_to: bool = False
    bar: str = ""
    parent: str | None = None
    kin: tuple[str, ...] = ()
    schema_key: str = ""

    @property
    def is_column(self) -> bool:
        """True if it is a column that somebody has, and not a term asked for by name."""
        return self.table is not None or self.comment is not None or self.data_type is not None

    @property
    def full_table(self) -> str | None:
        """The table with its schema, as it is shown: `crm.customer`."""
        return None if self.table is None else ".".join((*self.table_path, self.table))

    @property
    def table_key(self) -> str:
        """What two spellings of one table share."""
        names = () if self.table is None else (*self.table_path, self.table)
        exact = self.exact_path or (False,) * len(names)
        return ".".join(map(_key, names, exact))

    @property
    def column_key(self) -> str:
        """What two spellings of one column share."""
        return _key(self.name, self.is_exact)


def _key(name: str, is_exact: bool) -> str:  # noqa: FBT001  # mapped over names
    return f'"{name}"' if is_exact else name.casefold()


class Recommended(Value):
    """What the glossary says about one item: `best` is None rather than a guess.

    `retired` is the term that the item names, where that must not be used any more.
    """

    item: Item
    best: Candidate | None = None
    alternatives: tuple[Candidate, ...] = ()
    unresolved_parts: tuple[str, ...] = ()
    reason: Reason | None = None
    retired: str | None = None


class Unparsed(Value):
    """What of a file could not be read.

    `is_loss` is False if neither a table nor a column or a comment is lost by it.
    """

    file: Shown
    line: int
    error: Shown
    statement: Shown
    is_loss: bool = True


class ReadAs(Value):
    """How a file is read: its encoding, its dialect and why, and the dialects that fit as well."""

    file: Shown
    encoding: str = ""
    dialect: str | None = None
    dialect_reason: str = ""
    other_dialects: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What is said of it, in no language: `oracle (`VARCHAR2`:3), cp949`."""
        dialects = " / ".join(filter(None, (self.dialect, *self.other_dialects)))
        reason = f" ({self.dialect_reason})" if dialects and self.dialect_reason else ""
        return ", ".join(filter(None, (f"{dialects}{reason}", self.encoding)))


class Row(Value):
    """A row of the standard table. `ordinal` is its place before the table was ordered."""

    ordinal: int
    item: Item
    status: Status
    logical_name: str | None = None
    physical_name: str | None = None
    name_is_exact: bool = False
    """A person wrote the physical name, so it stands in quotation marks as it was written."""
    domain: str | None = None
    domains: tuple[str, ...] = ()
    data_type: str | None = None
    subject_area: str | None = None
    method: Method | None = None
    confidence: float | None = None
    words: tuple[WordHit, ...] = ()
    retired: str | None = None
    unresolved_parts: tuple[str, ...] = ()
    reason: Reason | None = None
    alternatives: tuple[str, ...] = ()
    citations: tuple[SourceRow, ...] = ()

    @property
    def domain_text(self) -> str | None:
        """The domain, or those to choose from: `번호V20 | 번호V10`."""
        return self.domain or " | ".join(self.domains) or None


class Finding(Value):
    """What a rule of the audit says about one row, and what it changed or asks to change."""

    rule: str
    severity: Severity
    place: str
    field: str
    before: str
    after: str
    corrected: bool = False
    citations: tuple[SourceRow, ...] = ()
