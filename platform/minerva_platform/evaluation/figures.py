"""Judge what became of requests, and count it: exact sets, recall, refusals, workers, facts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from minerva_platform.evaluation.cases import Case
from minerva_platform.evaluation.outcome import Outcome

_ESCAPED: Final = re.compile(r"\\(?=[^\w\s])")
"""A backslash of Markdown before a sign."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A request with what became of it."""

    case: Case
    outcome: Outcome

    @property
    def is_exact(self) -> bool:
        """True if just the expected teams were asked."""
        return self.outcome.teams == self.case.teams

    @property
    def has_right_workers(self) -> bool:
        """True if just the expected workers were asked for. True if none are named."""
        named = self.case.workers
        if not named:
            return True
        paths = [f"/{path}" for path in self.outcome.workers]
        ends = [f"/{name}" for name in named]
        return all(any(path.endswith(end) for end in ends) for path in paths) and all(
            any(path.endswith(end) for path in paths) for end in ends
        )

    @property
    def missing_facts(self) -> tuple[str, ...]:
        """The expected facts that the answer does not hold. None are if nothing was run."""
        if self.outcome.answer is None:
            return ()
        answer = _plain(self.outcome.answer)
        return tuple(fact for fact in self.case.facts if _plain(fact) not in answer)

    @property
    def is_right(self) -> bool:
        """True if all is as expected."""
        return self.is_exact and self.has_right_workers and not self.missing_facts


@dataclass(frozen=True, slots=True)
class Share:
    """A count, and over how many."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """The share. None over nothing."""
        return self.count / self.of if self.of else None

    def is_below(self, least: float) -> bool:
        """True if the share is smaller than `least`. Over nothing it is not."""
        return self.value is not None and self.value < least


@dataclass(frozen=True, slots=True)
class Figures:
    """How well requests were met."""

    right: Share
    """Teams, workers and facts as expected."""
    exact: Share
    """Just the expected teams."""
    recall: Share
    """Expected teams that were asked."""
    kept: Share
    """Requests that some team serves, and some team was asked."""
    refused: Share
    """Requests that no team serves, and none was asked."""
    workers: Share
    """Requests that name workers, and just these were asked for."""
    facts: Share
    """Expected facts that the answers hold. Over nothing if nothing was run."""


def tally(verdicts: Sequence[Verdict]) -> Figures:
    """Return the figures of `verdicts`."""
    served = [verdict for verdict in verdicts if verdict.case.teams]
    others = [verdict for verdict in verdicts if not verdict.case.teams]
    named = [verdict for verdict in verdicts if verdict.case.workers]
    expected = sum(len(verdict.case.teams) for verdict in served)
    asked = sum(len(verdict.case.teams & verdict.outcome.teams) for verdict in served)
    judged = [verdict for verdict in verdicts if verdict.outcome.answer is not None]
    facts = sum(len(verdict.case.facts) for verdict in judged)
    missing = sum(len(verdict.missing_facts) for verdict in judged)
    return Figures(
        right=_share(verdict.is_right for verdict in verdicts),
        exact=_share(verdict.is_exact for verdict in verdicts),
        recall=Share(asked, expected),
        kept=_share(bool(verdict.outcome.teams) for verdict in served),
        refused=_share(not verdict.outcome.teams for verdict in others),
        workers=_share(verdict.has_right_workers for verdict in named),
        facts=Share(facts - missing, facts),
    )


def groups_of(verdicts: Iterable[Verdict]) -> dict[str, dict[str, list[Verdict]]]:
    """Return the verdicts by kind and by language, each in alphabetical order."""
    found: dict[str, dict[str, list[Verdict]]] = {"kind": {}, "language": {}}
    for verdict in verdicts:
        found["kind"].setdefault(verdict.case.kind, []).append(verdict)
        found["language"].setdefault(verdict.case.language, []).append(verdict)
    return {name: dict(sorted(groups.items())) for name, groups in found.items()}


Names = tuple[str, ...]


def confusion(verdicts: Iterable[Verdict]) -> list[tuple[Names, Names, int]]:
    """Return how often which teams were expected and which were asked, in alphabetical order."""
    counts = Counter(
        (tuple(sorted(verdict.case.teams)), tuple(sorted(verdict.outcome.teams)))
        for verdict in verdicts
    )
    return [(expected, asked, count) for (expected, asked), count in sorted(counts.items())]


def _share(facts: Iterable[bool]) -> Share:
    every = list(facts)
    return Share(sum(every), len(every))


def _plain(text: str) -> str:
    """Return `text` without regard to case, blanks and Markdown's escapes."""
    bare = _ESCAPED.sub("", unicodedata.normalize("NFC", text))
    return " ".join(bare.casefold().split())
