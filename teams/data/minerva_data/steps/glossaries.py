"""Where workers take their glossary from: what was imported into the home, and the bundled one.

A worker asks at the start of its work, so that a running server answers from an import the
moment it is finished.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from minerva_data.core.glossary.glossary import SEED_NAME
from minerva_data.core.language.sentence import SentenceReader
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.proposals.file import ProposalFile, Proposals, UnkeptProposals
from minerva_data.core.store.schema import StoreError
from minerva_data.core.store.store import FILE, GlossaryStore
from minerva_data.core.store.stored_terms import StoredTerms
from minerva_platform import AgentError
from minerva_platform.config import home_directory
from minerva_platform.routing import Evidence

_MAX_LOOKUPS = 4
"""Lookups kept at once; one over 13,000 terms takes 40 MB."""


_OF_LIST = 0.7
_MAX_LISTED = 1_000
"""Characters of a request that may be a list of names; a longer one is pasted text."""


class GlossaryUnusableError(AgentError):
    """The imported glossaries cannot be read, or the configuration names one that is not there."""


class Glossaries(Protocol):
    """What a worker looks names up in, and where new words wait for a person."""

    def lookup(self) -> Lookup:
        """Return the lookup as it is now; the same object until a glossary changes."""
        ...

    def proposals(self) -> Proposals:
        """Return the place of proposals."""
        ...


@dataclass(frozen=True, slots=True)
class FixedGlossary:
    """One lookup, whatever was imported; proposals are kept nowhere."""

    always: Lookup

    def lookup(self) -> Lookup:
        """Return that lookup."""
        return self.always

    def proposals(self) -> Proposals:
        """Return a place that forgets."""
        return UnkeptProposals()


@dataclass(frozen=True, slots=True)
class ImportedGlossaries:
    """The glossaries in the home: `names` in that order, or all in their own order."""

    names: tuple[str, ...] | None = None

    def lookup(self) -> Lookup:
        """Return the lookup over what is imported now; the same one until that changes.

        Raises:
            GlossaryUnusableError: glossary.db cannot be read, or a name is not in it.
        """
        with _opened() as store:
            return _lookup(store.path.absolute(), store.generation, self.names)

    def proposals(self) -> Proposals:
        """Return the file of proposals in the home."""
        return ProposalFile(home_directory())

    def answering(self) -> tuple[str, ...]:
        """Return who answers, with the edition, the first before the others.

        Raises:
            GlossaryUnusableError: glossary.db cannot be read, or a name is not in it.
        """
        with _opened() as store:
            chosen = store.choose_editions(self.names)
        return tuple(f"{one.glossary}@{one.edition}" if one else SEED_NAME for one in chosen)


ALL_IMPORTED = ImportedGlossaries()


def evidence_of_list(glossaries: Glossaries, request: str) -> Evidence:
    """Return what the names of a list say for the team, less than plain words for another do.

    Each worker that works on a list gives it, so that it chooses the team and none of them.
    """
    if len(request) > _MAX_LISTED:
        return Evidence()
    names = _reader(glossaries.lookup()).listed_names(request)
    return Evidence(score=_OF_LIST, why="lists terms", words=names) if names else Evidence()


@lru_cache(_MAX_LOOKUPS)
def _reader(lookup: Lookup) -> SentenceReader:
    return SentenceReader(lookup)


@contextmanager
def _opened() -> Generator[GlossaryStore]:
    try:
        with GlossaryStore(home_directory() / FILE) as store:
            yield store
    except StoreError as error:
        message = f"{error} (`minerva glossary list` shows what there is.)"
        raise GlossaryUnusableError(message) from error


@lru_cache(_MAX_LOOKUPS)
def _lookup(path: Path, _: int, names: tuple[str, ...] | None) -> Lookup:
    """Return the lookup of one generation of the store."""
    with GlossaryStore(path) as store:
        return Lookup(store.glossary(names), more=StoredTerms.of(store, names))
