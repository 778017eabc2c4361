"""Count what becomes of the parts of compound requests: served, said to be nobody's, or lost.

A part is named if an unserved text of the decision covers half of it (or of itself, if that is
shorter). It is lost cut if some clause holds it alone and nobody named it, lost uncut if no clause
does: then it went unseen with a part that is served.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict, get_args

import yaml

from minerva_platform.routing import Decision
from minerva_platform.routing.clauses import split_clauses

NOBODY = "none"
"""The label of a part that no team serves."""
ENOUGH = 0.5
"""Share of a part, or of what names it, that must be the same words."""

Fate = Literal["named", "lost cut", "lost uncut"]
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
    """Return the requests of `file`, spaces made alike."""
    entries: list[Compound] = yaml.safe_load(file.read_text(encoding="utf-8"))
    for entry in entries:
        entry["text"] = _spaced(entry["text"])
        for part in entry["parts"]:
            part["text"] = _spaced(part["text"])
    return entries


def teams_of(request: Compound) -> set[str]:
    """Return the teams that serve its parts."""
    return {part["team"] for part in request["parts"]} - {NOBODY}


def fates(request: Compound, decision: Decision) -> Iterator[Fate]:
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
                yield "lost cut" if _is_cut(span, request) else "lost uncut"


def false_alarms(request: Compound, decision: Decision) -> int:
    """Return how many texts are said not to be done that are no part of nobody's."""
    nobodys = [_span(p["text"], request) for p in request["parts"] if p["team"] == NOBODY]
    told = [_span(words, request) for words in decision.unserved]
    return sum(not any(words.covers(span) for span in nobodys) for words in told)


def _is_cut(part: Span, request: Compound) -> bool:
    """Tell whether some clause holds words of `part` and of no part that is served."""
    served = [_span(p["text"], request) for p in request["parts"] if p["team"] != NOBODY]
    start = 0
    for clause in split_clauses(request["text"]):
        span = Span(start, start + len(clause.rstrip()))
        start += len(clause)
        if span.shared(part) and not any(span.shared(other) for other in served):
            return True
    return False


def _span(words: str, request: Compound) -> Span:
    start = request["text"].find(words)
    if start < 0:
        message = f"no quote of its request: {words[:20]!r}… ({request['kind']})"
        raise ValueError(message)
    return Span(start, start + len(words))


def _spaced(text: str) -> str:
    return " ".join(text.split())


def tally(requests: list[Compound], decisions: list[Decision]) -> Counter[Any]:
    """Return the counts that the benchmark prints."""
    counts: Counter[Any] = Counter()
    for request, decision in zip(requests, decisions, strict=True):
        counts.update(fates(request, decision))
        kind = request["kind"]
        counts[kind] += 1
        counts[kind, "exact"] += {goal.member for goal in decision.goals} == teams_of(request)
        if teams_of(request):
            counts[kind, "false"] += false_alarms(request, decision) > 0
    return counts
