"""What a glossary holds: words, domains, terms, aliases and subject areas.

Every entry knows the row it came from, so that whatever is built from it can be cited.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from minerva_data.core.language.text import key

Kind = Literal["term", "word", "domain", "alias", "subject_area"]
"""What an entry of a glossary is."""
OTHERS = "others"
"""The field of a word's body that holds abbreviations of other meanings."""
AliasKind = Literal["synonym", "forbidden", "gloss", "abbreviation", "near"]
"""`gloss` is English for a Korean word; `abbreviation` is a legacy short form in a column name;
`near` says something related, or one of several things: terms are offered for it, none chosen."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The row of a glossary: `source` names the glossary, `row` counts its data rows from 1.

    Of an imported file, `row` is the row that a spreadsheet shows.
    """

    source: str
    table: str
    row: int
    entry_id: str
    edition: str = "1"
    file: str | None = None

    @property
    def place(self) -> str:
        """Where the row is found: `terms.csv T001`, `standard.xlsx 표준용어 row 12`."""
        return f"{self.file or f'{self.table}.csv'} {self.entry_id}"


@dataclass(frozen=True, slots=True)
class Domain:
    """A value domain, named class + type letter + length: `번호V20`."""

    name: str
    domain_class: str
    data_type: str
    length: int | None
    scale: int | None
    description: str
    origin: Origin

    @property
    def sql_type(self) -> str:
        """The type as a column declares it: `VARCHAR(20)`, `NUMERIC(15,4)`, `DATETIME`."""
        if self.length is None:
            return self.data_type
        scale = "" if self.scale is None else f",{self.scale}"
        return f"{self.data_type}({self.length}{scale})"


@dataclass(frozen=True, slots=True)
class Word:
    """An atom of names. A class word may end a term and picks its domain class.

    `others` are abbreviations of its other meanings: 조직 is an organisation and a tissue.
    """

    name: str
    abbreviation: str
    english: str
    is_class: bool
    domain_class: str | None
    subject_area: str | None
    origin: Origin
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """A standard name that was decided as a whole; it beats any composition of words."""

    name: str
    physical_name: str
    domain: str | None
    subject_area: str | None
    synonyms: tuple[str, ...]
    is_retired: bool
    replaced_by: str | None
    description: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Alias:
    """Another way to say one or several words."""

    text: str
    kind: AliasKind
    target: tuple[str, ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class SubjectArea:
    """A group of terms (환자정보); a domain priority orders these."""

    name: str
    english: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands in its file; `row` counts as a spreadsheet or an editor shows it."""

    row: int
    sheet: str = ""

    def __str__(self) -> str:
        return f"{self.sheet} row {self.row}".lstrip()


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry on its way into the store: checked, but not yet anybody's.

    `body` holds JSON values only, under the names of the entry's own fields. `support` counts the
    rows that a learned one was seen in.
    """

    kind: Kind
    name: str
    body: dict[str, Any]
    place: Place
    is_retired: bool = False
    support: int | None = None
    also: tuple[str, ...] = field(default=())
    """Other spellings that a search should find it by."""

    @property
    def key(self) -> str:
        """What makes it the same entry as another: its name without spaces and case."""
        return key(self.name)

    @property
    def variant(self) -> str:
        """What tells apart entries of one name that do not contradict each other.

        A retired term and the one that took its name; two meanings of one alias.
        """
        if self.kind == "term" and self.is_retired:
            return f"retired {self.body['physical_name']}"
        if self.kind == "alias":
            return f"{self.body['kind']} {'+'.join(self.body['target'])}"
        return ""


@dataclass(frozen=True, slots=True)
class Reading:
    """One row of a file. Without drafts, `reason` says why it was rejected."""

    place: Place
    drafts: tuple[Draft, ...] = ()
    reason: str = ""
