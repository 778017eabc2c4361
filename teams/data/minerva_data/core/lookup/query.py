"""What is looked up for an item, and what its words gave."""

from dataclasses import dataclass

from minerva_data.core.language.text import (
    MAX_PHRASE,
    cleaned,
    headline,
    identifier_parts,
    is_description,
    is_identifier,
)
from minerva_data.core.schema.record import Candidate, Item, Reason


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked up for an item: the head of its comment, else its own name."""

    item: Item
    text: str
    is_identifier: bool


@dataclass(frozen=True, slots=True)
class Composition:
    """What the words gave: one candidate, several that differ, or the parts in the way."""

    candidates: tuple[Candidate, ...] = ()
    unresolved_parts: tuple[str, ...] = ()
    reason: Reason | None = None
    retired: str | None = None

    @property
    def only(self) -> Candidate | None:
        """The candidate, if there is exactly one and no part is in the way."""
        is_one = len(self.candidates) == 1 and not self.unresolved_parts
        return self.candidates[0] if is_one else None


def item_to_query(item: Item) -> Query:
    """Choose what to read: a comment that is a name says more than a legacy column name."""
    head = headline(item.comment or "")
    text = ("" if is_description(head) else head) or cleaned(item.name[: MAX_PHRASE * 4])
    return Query(item, text, is_identifier=is_identifier(text) and _is_column_name(text))


def _is_column_name(text: str) -> bool:
    """True if Latin letters are meant as a column name: `PAT_ID`, `patId`, `EMAIL`; not `sex`."""
    return "_" in text or text.isupper() or len(identifier_parts(text)) > 1
