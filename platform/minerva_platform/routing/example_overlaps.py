"""Find members that take each other's requests, because their examples are too similar.

A router that learns from examples gives a request to the member with the most similar examples. So
a new team whose examples repeat another team's, in the same words or in others, silently takes
requests from that team. The examples alone show both cases.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from minerva_platform.contract.router import MemberCard
from minerva_platform.routing.examples_router import EmbeddedRouter
from minerva_platform.routing.training.classifier import TrainingSet

MIN_NEAR_COSINE = 0.8
"""Cosine from which on two examples count as the same. The nearest examples of two bundled teams
have 0.52, those of two workers of one team 0.77. One word more or less in six leaves about 0.85."""

MIN_WRONG_MARGIN = 1.0
"""Margin of a wrong choice that counts: half of what training puts between two members."""

MIN_TAKEN_SHARE, MIN_TAKEN = 0.05, 3
"""Examples of a member that another must take before a warning. At most 0.4 % are taken among the
bundled teams, and 3.1 % among the workers of one team; from a team of 10 to 40 requests that are
another team's work, 75 to 90 %."""


@dataclass(frozen=True, slots=True)
class NearExamples:
    """Two members with nearly equal examples: the nearest pair, and the members chosen for it."""

    members: tuple[str, str]
    texts: tuple[str, str]
    choices: tuple[str, str]
    count: int


@dataclass(frozen=True, slots=True)
class TakenExamples:
    """A member whose examples would go to another member if the router had not learned them."""

    member: str
    taker: str
    text: str
    """The example that is taken by the widest margin."""
    count: int
    held_out: int


@dataclass(frozen=True, slots=True)
class Overlaps:
    """All overlaps between the members of one supervisor."""

    near: tuple[NearExamples, ...]
    taken_examples: tuple[TakenExamples, ...]


def find_overlaps(members: Sequence[MemberCard]) -> Overlaps:
    """Return the overlaps between `members`. Each must have examples."""
    texts = [text for card in members for text in card.examples]
    labels = [number for number, card in enumerate(members) for _ in card.examples]
    declined = {text for card in members for text in card.declines} - set(texts)
    names = [card.name for card in members]
    examples = TrainingSet(texts, labels, members=len(names), declined_texts=sorted(declined))
    return Overlaps(_near(examples, names, members), _taken_examples(examples, names))


def _near(
    examples: TrainingSet, names: Sequence[str], members: Sequence[MemberCard]
) -> tuple[NearExamples, ...]:
    pairs: dict[tuple[int, int], list[tuple[float, str, str]]] = defaultdict(list)
    for cosine, one, other in examples.near_pairs(MIN_NEAR_COSINE):
        owners = examples.labels[one], examples.labels[other]
        pairs[owners].append((cosine, examples.texts[one], examples.texts[other]))
    if not pairs:
        return ()
    router = EmbeddedRouter(members)
    found: list[NearExamples] = []
    for (one, other), several in sorted(pairs.items()):
        _, *texts = max(several)
        chosen = (router.rank(texts[0]).best, router.rank(texts[1]).best)
        found.append(
            NearExamples((names[one], names[other]), (texts[0], texts[1]), chosen, len(several))
        )
    return tuple(found)


def _taken_examples(examples: TrainingSet, names: Sequence[str]) -> tuple[TakenExamples, ...]:
    taken: dict[tuple[int, int], list[tuple[float, str]]] = defaultdict(list)
    held: Counter[int] = Counter()
    for row, scores in zip(*examples.model_and_unseen[1], strict=True):
        owner = examples.labels[row]
        held[owner] += 1
        best = max(scores)
        if best - scores[owner] >= MIN_WRONG_MARGIN:
            key = owner, scores.index(best)
            taken[key].append((best - scores[owner], examples.texts[row]))
    return tuple(
        TakenExamples(names[owner], names[taker], max(several)[1], len(several), held[owner])
        for (owner, taker), several in sorted(taken.items())
        if len(several) >= max(MIN_TAKEN, MIN_TAKEN_SHARE * held[owner])
    )
