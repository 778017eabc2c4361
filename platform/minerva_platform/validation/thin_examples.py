"""Find workers whose examples teach a router little: too few, or too much alike.

Ten sentences from one template count as one. A router that learned "lines of text 1" to "lines of
text 10" knows a single way to ask.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.routing.router_choice import learns_from_examples
from minerva_platform.text.language import has_hangul
from minerva_platform.validation.team_declarations import ENOUGH_EXAMPLES

MIN_ALIKE: Final = 0.7
"""Share of common letter triples (Jaccard) from which on two examples are alike. Sentences that
differ by one word of six have about 0.7."""
RELIABLE_EXAMPLES: Final = 30
"""Different examples with which a router is reliable about what to refuse; ten are enough to
begin (routing/README.md)."""
MAX_COMPARED: Final = 500
"""Examples of a worker that are compared with each other; the others count as different."""

_NUMBER: Final = re.compile(r"\d+")
_LENGTH: Final = 3


@dataclass(frozen=True, slots=True)
class ExampleCount:
    """The examples of one worker."""

    path: str
    examples: int
    different: int
    """Examples without those that are like an earlier one."""
    korean: int
    """Examples with Hangul."""
    alike: tuple[str, str] | None
    """The first two that are alike."""

    @property
    def is_thin(self) -> bool:
        """True if they are too few to begin with, without those that are alike."""
        return self.different < ENOUGH_EXAMPLES

    @property
    def is_reliable(self) -> bool:
        """True if they are enough for reliable refusals."""
        return self.different >= RELIABLE_EXAMPLES


def count_examples(team: AssembledTeam, path: str = "") -> Iterator[ExampleCount]:
    """Yield the counts of every worker below `team` whose router learns from examples."""
    for agent in team.agents:
        inner = f"{path or team.name}/{agent.name}"
        if isinstance(agent, AssembledTeam):
            yield from count_examples(agent, inner)
        elif learns_from_examples(team):
            yield _count(inner, agent.examples)


def _count(path: str, examples: Sequence[str]) -> ExampleCount:
    kept: list[tuple[str, frozenset[str]]] = []
    alike: tuple[str, str] | None = None
    for text in examples[:MAX_COMPARED]:
        triples = _triples(text)
        like = next((other for other, its in kept if _is_alike(triples, its)), None)
        if like is None:
            kept.append((text, triples))
        else:
            alike = alike or (like, text)
    rest = max(0, len(examples) - MAX_COMPARED)
    korean = sum(map(has_hangul, examples))
    return ExampleCount(path, len(examples), len(kept) + rest, korean, alike)


def _triples(text: str) -> frozenset[str]:
    """Return the triples of letters, without regard to case, blanks and numbers."""
    plain = f"  {' '.join(_NUMBER.sub('0', text.casefold()).split())} "
    return frozenset(plain[start : start + _LENGTH] for start in range(len(plain) - _LENGTH + 1))


def _is_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= MIN_ALIKE * len(one | other)
