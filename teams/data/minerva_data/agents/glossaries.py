"""Where workers take their glossary from: what was imported into the home, and the bundled one.

A worker asks at the start of its work, so that a running server answers from an import the
moment it is finished.
"""

from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from minerva_data.core.glossary.glossary import SEED_NAME
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.store.proposals import StoredTerms
from minerva_data.core.store.schema import StoreError
from minerva_data.core.store.store import FILE, GlossaryStore
from minerva_platform import AgentError
from minerva_platform.config import home_directory

_KEPT = 4
"""Lookups kept at once; one over 13,000 terms takes 40 MB."""


class GlossaryUnusableError(AgentError):
    """The imported glossaries cannot be read, or the configuration names one that is not there."""


class Shelf:
    """The glossaries that answer: `names` in that order, or all in their own order."""

    def __init__(self, names: tuple[str, ...] | None = None) -> None:
        self.names = names

    def lookup(self) -> Lookup:
        """Return the lookup over what is imported now; the same one until that changes.

        Raises:
            GlossaryUnusableError: glossary.db cannot be read, or a name is not in it.
        """
        with self._opened() as store:
            return _lookup(store.path.absolute(), store.generation, self.names)

    def answering(self) -> tuple[str, ...]:
        """Return who answers, with the edition, the first before the others.

        Raises:
            GlossaryUnusableError: glossary.db cannot be read, or a name is not in it.
        """
        with self._opened() as store:
            chosen = store.chosen(self.names)
        return tuple(f"{one.glossary}@{one.edition}" if one else SEED_NAME for one in chosen)

    @contextmanager
    def _opened(self) -> Generator[GlossaryStore]:
        try:
            with GlossaryStore(home_directory() / FILE) as store:
                yield store
        except StoreError as error:
            message = f"{error} (`minerva glossary list` shows what there is.)"
            raise GlossaryUnusableError(message) from error


@lru_cache(_KEPT)
def _lookup(path: Path, _: int, names: tuple[str, ...] | None) -> Lookup:
    """Return the lookup of one generation of the store."""
    with GlossaryStore(path) as store:
        return Lookup(store.glossary(names), more=StoredTerms.of(store, names))
