"""What a review goes by: its day, the kinds of personal data that it knows, and its masks.

Detection and masks ask for it each time, so that a mask knows the kinds that a person added, too.
It holds in this task and the threads that copy its context.
"""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, lru_cache
from typing import Self

from minerva_governance.core.kinds.catalogue import Catalogue, bundled_catalogue
from minerva_governance.core.kinds.kind import Kind
from minerva_platform.text import check_digits


@dataclass(frozen=True)
class ReviewContext:
    """What a review goes by; without a policy, the bundled kinds and partial masks.

    Births after `today` are doubted. `is_strict` shows nothing of any value, and the addresses and
    phone numbers in `owners` are shown in a text.
    """

    today: date = date(check_digits.LAST_BIRTH_YEAR, 12, 31)  # no clock is asked
    kinds: Catalogue = field(default_factory=bundled_catalogue)
    is_strict: bool = False
    owners: frozenset[str] = frozenset()

    def with_kinds(self, kinds: Iterable[Kind]) -> Self:
        """Return a context that knows `kinds`, too."""
        new = tuple(kinds)
        return replace(self, kinds=_extended(self.kinds, new)) if new else self

    @contextmanager
    def in_force(self) -> Generator[None]:
        """Let all that detects and masks go by this context."""
        token = _IN_FORCE.set(self)
        try:
            yield
        finally:
            _IN_FORCE.reset(token)


_IN_FORCE: ContextVar[ReviewContext] = ContextVar("review_context")


@lru_cache(maxsize=16)  # the detectors of a catalogue are compiled once for it
def _extended(catalogue: Catalogue, kinds: tuple[Kind, ...]) -> Catalogue:
    return catalogue.with_kinds(kinds)


_bare_context = cache(ReviewContext)


def current_context() -> ReviewContext:
    """Return the context in force."""
    return _IN_FORCE.get(None) or _bare_context()


def current_catalogue() -> Catalogue:
    """Return the kinds in use: the bundled ones, and those of the context in force."""
    return current_context().kinds


@contextmanager
def use_kinds(kinds: Iterable[Kind]) -> Generator[Catalogue]:
    """Know `kinds`, too."""
    extended = current_context().with_kinds(kinds)
    with extended.in_force():
        yield extended.kinds
