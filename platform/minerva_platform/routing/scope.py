"""Learn from the examples themselves when a supervisor should say "nobody".

Each example is scored by a model that never saw it. How those scores spread is
all that is known about requests yet to come, so both limits come from there:
no outside data, nothing to tune.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt

from minerva_platform.routing.linear import train_linear_model

FOLDS = 5
ENOUGH = 1_000
"""Held-out scores after which more folds would not move the limits any more."""

LOST = 0.03
"""Share of true requests that may be turned away: the price of refusing the others."""

DOUBT = 0.05
"""How probable it may be that the true share is larger than the examples let expect."""

_HALF = 0.5


@dataclass(frozen=True)
class Limits:
    """What a score must reach, and how far ahead it must be."""

    threshold: float
    """Lowest score of a request that is served here."""
    clear: float
    """Margin over the second member from which a choice is hardly ever wrong."""


def measure_limits(texts: Sequence[str], labels: Sequence[int], *, members: int) -> Limits:
    """Hold out one fold of examples after the other and read the limits off their scores.

    Examples are dealt to folds in turn within each member, so that a member
    with five examples or more is known in every fold.
    """
    dealt: Counter[int] = Counter()
    folds: list[int] = []
    for label in labels:
        folds.append(dealt[label] % FOLDS)
        dealt[label] += 1
    right: list[float] = []
    wrong: list[float] = []
    for fold in range(FOLDS):
        kept = [index for index, number in enumerate(folds) if number != fold]
        if not kept or len(kept) == len(folds) or len(right) >= ENOUGH:
            continue
        model = train_linear_model(
            [texts[index] for index in kept], [labels[index] for index in kept], members=members
        )
        for index, number in enumerate(folds):
            if number == fold:
                scores = model.scores(texts[index])
                best = max(range(members), key=scores.__getitem__)
                if best == labels[index]:
                    right.append(scores[best])
                else:
                    wrong.append(scores[best] - scores[labels[index]])
    return Limits(threshold=_quantile(right, _share(len(right))), clear=_quantile(wrong, _HALF))


def _share(count: int) -> float:
    """Return the share of `count` held-out scores that stay below the threshold.

    Few scores say little about the lowest ones, so the bound of Dvoretzky,
    Kiefer and Wolfowitz is added: with 200 examples it is 9 points, with 3,000
    it is 2. In doubt the router refuses, which a person sees, rather than
    bother a team with what is not its work.
    """
    return LOST + sqrt(log(1.0 / DOUBT) / (2.0 * max(count, 1)))


def _quantile(values: list[float], share: float) -> float:
    """Return the value that `share` of `values` stay below; 0 if there are none."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0
