"""An entry on its way into the store: checked, but not yet anybody's.

`body` holds JSON values only, under the names of the entry's own fields.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from minerva_data.core.language.text import key

Kind = Literal["term", "word", "domain", "alias", "subject_area"]
"""What an entry of a glossary is."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands in its file; `row` counts as a spreadsheet or an editor shows it."""

    row: int
    sheet: str = ""

    def __str__(self) -> str:
        return f"{self.sheet} row {self.row}".lstrip()


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry by kind and name. `support` counts the rows that a learned one was seen in."""

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
