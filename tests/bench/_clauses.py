"""Count what becomes of the parts of compound requests: served, said to be nobody's, or lost.

A part is named if an unserved text of the decision covers half of it (or of itself, if that is
shorter). Else it is lost: uncut if it went unseen in one clause with a part that is served, taken
if a clause of its own looked like some member's work, dropped if it did not.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, get_args

import yaml

from minerva_platform.routing import Decision
from minerva_platform.routing.clauses.splitting import cut
from minerva_platform.routing.examples_router import EmbeddedRouter

NOBODY = "none"
"""The label of a part that no team serves."""
ENOUGH = 0.5
"""Share of a part, or of what names it, that must be the same words."""

Fate = Literal["named", "taken", "dropped", "lost uncut"]
FATES: tuple[Fate, ...] = get_args(Fate)


class Part(TypedDict):
    """One wish of a request, and the team that serves it."""

    text: str
    team: str


class Compound(TypedDict):
    """A labelled request."""

    text: str
    lang: str
    kind: Literal["half", "both", "single", "none"]
    parts: list[Part]


@dataclass(frozen=True)
class Span:
    """Where some words stand in a request, spaces made alike."""

    start: int
    end: int

    def shared(self, other: "Span") -> int:
        """Return how many characters the two share."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))

    def covers(self, other: "Span") -> bool:
        """Tell whether enough of the shorter one is shared."""
        return self.shared(other) >= ENOUGH * min(self.end - self.start, other.end - other.start)


def read_compounds(file: Path) -> list[Compound]:
    """Return the requests of `file`."""
    entries: list[Compound] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return entries


def teams_of(request: Compound) -> set[str]:
    """Return the teams that serve its parts."""
    return {part["team"] for part in request["parts"]} - {NOBODY}


def fates(request: Compound, decision: Decision, router: EmbeddedRouter) -> Iterator[Fate]:
    """Yield what became of each part that nobody serves, where another part is served."""
    if not teams_of(request):
        return
    told = [_span(words, request) for words in decision.unserved]
    for part in request["parts"]:
        if part["team"] == NOBODY:
            span = _span(part["text"], request)
            if any(words.covers(span) for words in told):
                yield "named"
            else:
                yield _lost(_clauses_of(span, request), router)


def false_alarms(request: Compound, decision: Decision) -> int:
    """Return how many texts are said not to be done that are no part of nobody's."""
    nobodys = [_span(p["text"], request) for p in request["parts"] if p["team"] == NOBODY]
    told = [_span(words, request) for words in decision.unserved]
    return sum(not any(words.covers(span) for span in nobodys) for words in told)


def _lost(clauses: Sequence[str], router: EmbeddedRouter) -> Fate:
    """Return how the part that `clauses` hold was lost."""
    if not clauses:
        return "lost uncut"
    is_taken = any(router.rank(clause).score >= router.thresholds.threshold for clause in clauses)
    return "taken" if is_taken else "dropped"


def _clauses_of(part: Span, request: Compound) -> list[str]:
    """Return the clauses that hold words of `part` and of no part that is served."""
    served = [_span(p["text"], request) for p in request["parts"] if p["team"] != NOBODY]
    start, found = 0, list[str]()
    for clause, *_ in cut(request["text"]):
        span = _span(clause, request, start)
        start = span.end
        if span.shared(part) and not any(span.shared(other) for other in served):
            found.append(clause)
    return found


def _span(quoted: str, request: Compound, after: int = 0) -> Span:
    return span_of(quoted, request["text"], after)


def span_of(quoted: str, text: str, after: int = 0) -> Span:
    """Return where `quoted` stands in `text`, from the character `after` on."""
    words = _spaced(quoted)
    start = _spaced(text).find(words, after)
    if start < 0:
        message = f"no quote of its request: {words[:20]!r}…"
        raise ValueError(message)
    return Span(start, start + len(words))


def _spaced(text: str) -> str:
    return " ".join(text.split())


def tally(
    requests: Sequence[Compound], decisions: Sequence[Decision], router: EmbeddedRouter
) -> Counter[Any]:
    """Return the counts that the benchmark prints."""
    counts: Counter[Any] = Counter()
    for request, decision in zip(requests, decisions, strict=True):
        counts.update(fates(request, decision, router))
        kind = request["kind"]
        counts[kind] += 1
        counts[kind, "exact"] += {goal.member for goal in decision.goals} == teams_of(request)
        if teams_of(request):
            counts[kind, "false"] += false_alarms(request, decision) > 0
    return counts
