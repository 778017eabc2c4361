"""A proposed word or term. It is in no glossary until a person accepts it."""

import hashlib
from typing import Literal

from minerva_data.core.language.text import key
from minerva_data.core.schema.record import Value

ProposalKind = Literal["word", "term"]
"""A word names are composed of, or a whole name that is decided as such."""

ProposalStatus = Literal["proposed", "accepted", "rejected"]
"""What a person decided; `rejected` is remembered, so that it is not proposed again."""


class ProposalError(Exception):
    """A proposal, or the file they lie in, cannot be used; says where and what to do."""


class Proposal(Value):
    """One row of the proposals file. `abbreviation` of a term is its whole physical name.

    `domain` is a class word's domain class (번호), or a term's value domain (번호V20).
    """

    id: str
    kind: ProposalKind = "word"
    status: ProposalStatus = "proposed"
    name: str
    abbreviation: str
    english: str = ""
    is_class: bool = False
    domain: str | None = None
    description: str = ""
    places: tuple[str, ...] = ()
    """The columns or names in which it was missing."""
    model: str = ""
    """Who proposed it; empty for a person."""
    request: str = ""
    proposed_at: str = ""
    decided_at: str = ""
    decided_by: str = ""
    reason: str = ""
    """Why it was rejected."""
    row: int = 0
    """Where it stands in the file, as an editor counts; 0 while it stands in none."""
    further: tuple[tuple[str, str], ...] = ()
    """Columns that a person added to the file: kept as they are."""

    @property
    def key(self) -> str:
        """What makes it the same as another one."""
        return key(self.name)


def proposal_id(kind: ProposalKind, name: str) -> str:
    """Return the id of a proposal: it follows from kind and name, in every file and run."""
    digest = hashlib.sha256(f"{kind} {key(name)}".encode("utf-8", "replace")).hexdigest()
    return f"p-{digest[:8]}"
