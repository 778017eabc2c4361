"""Learn from the examples themselves when a request is out of scope.

Each example is scored by a model that never saw it. The spread of these scores is all that is known
about later requests, so both thresholds come from it. There is no outside data and nothing to tune.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log, sqrt

from minerva_platform.routing.training.classifier import TrainingSet

MAX_FOLDS = 20
"""The most folds. With few examples, each one that a held-out model lacks makes its scores too
low."""

MIN_FOLDS, MAX_FITS = 4, 200
"""The fewest folds, and fits in all. A fold costs one fit per member, and thirty teams must start
fast."""

MAX_FITTED_EXAMPLES = 12_000
"""Examples that are fitted in all. Of a thousand, a fold's tenth is not missed and costs 0.1 s."""

ENOUGH_SCORES = 2_000
"""Held-out scores after which more folds would not move the thresholds."""

LOST = 0.04
"""Share of true requests that may be refused, as the price of refusing the others."""

DOUBT = 0.05
"""Probability that the true share is larger than the examples suggest."""

SURE = 0.98
"""Share of right choices from which on a choice is sure."""

_HALF = 0.5


@dataclass(frozen=True)
class ScoreThresholds:
    """The lowest accepted scores and margins."""

    threshold: float
    """Lowest score of a request that the members serve."""
    floor: float
    """Lowest score of a further clause of a request that the members serve."""
    clear: float
    """Margin over the next member below which a choice is as likely wrong as right."""
    sure: float
    """Margin from which on `SURE` of the choices are right."""


def measure_thresholds(examples: TrainingSet) -> ScoreThresholds:
    """Return the thresholds, read from the held-out scores of one fold after the other.

    Only examples that found their own member count for the lowest scores, because a request that
    would reach the wrong member is better refused.
    """
    right: list[float] = []
    wrong: list[float] = []
    choices: list[tuple[float, bool]] = []
    count = max(
        MIN_FOLDS,
        min(MAX_FOLDS, MAX_FITS // examples.members, MAX_FITTED_EXAMPLES // len(examples.labels)),
    )
    for rows in deal_folds(examples.labels, count):
        if len(right) >= ENOUGH_SCORES:
            break
        for row, scores in zip(rows, examples.held_out(rows), strict=True):
            best, own = max(scores), scores[examples.labels[row]]
            choices.append((_margin(scores), best == own))
            if best == own:
                right.append(own)
            else:
                wrong.append(best - own)
    return ScoreThresholds(
        threshold=_quantile(right, LOST + _doubt(len(right))),
        floor=_quantile(right, LOST),
        clear=_quantile(wrong, _HALF),
        sure=_sure_margin(choices),
    )


def _margin(scores: Sequence[float]) -> float:
    best, *others = sorted(scores, reverse=True)
    return best - others[0] if others else 0.0


def _sure_margin(choices: list[tuple[float, bool]]) -> float:
    """Return the lowest margin such that `SURE` of the choices with at least that are right."""
    sure, right = inf, 0
    for count, (margin, is_right) in enumerate(sorted(choices, reverse=True), start=1):
        right += is_right
        if right >= SURE * count:
            sure = margin
    return sure


def deal_folds(labels: Sequence[int], count: int) -> list[list[int]]:
    """Deal each member's examples out in turn, so that every fold holds some of each.

    A single example in all cannot be held out: then there is no fold.
    """
    dealt: Counter[int] = Counter()
    folds: list[list[int]] = [[] for _ in range(count)]
    for row, label in enumerate(labels):
        folds[(label + dealt[label]) % count].append(row)
        dealt[label] += 1
    return [fold for fold in folds if 0 < len(fold) < len(labels)]


def _doubt(count: int) -> float:
    """Return how far the share in `count` scores may be from the true share.

    Few scores say little about the lowest ones. The bound is Dvoretzky, Kiefer and Wolfowitz's: 9
    points with 200 examples, 2 with 3,000. In doubt the router refuses, which a person sees,
    instead of giving a team work that is not its own.
    """
    return sqrt(log(1.0 / DOUBT) / (2.0 * max(count, 1)))


def _quantile(values: list[float], share: float) -> float:
    """Return the value that `share` of `values` stay below; 0 without values."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0
