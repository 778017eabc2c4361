"""Learn from the examples themselves when a request is out of scope.

Each example is scored by a model that never saw it. The spread of these scores is all that is known
about later requests, so the thresholds come from it. There is no outside data and nothing to tune.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log, sqrt

from minerva_platform.routing.training.classifier import Unseen

LOST = 0.005
"""Share of true requests that may be refused, as the price of refusing the others."""

DOUBT = 0.05
"""Probability that the true share is larger than the examples suggest."""

SURE = 0.98
"""Share of right choices from which on a choice is sure."""

UNCLEAR = 0.7
"""Share of the wrong choices that are not clear."""


@dataclass(frozen=True)
class ScoreThresholds:
    """The lowest accepted scores and margins."""

    threshold: float
    """Lowest score of a request that the members serve."""
    clear: float
    """Margin over the next member that seven of ten wrong choices stay below."""
    sure: float
    """Margin from which on `SURE` of the choices are right."""


def measure_thresholds(unseen: Unseen, labels: Sequence[int]) -> ScoreThresholds:
    """Return the thresholds, read from the scores of unseen examples with these `labels`.

    Only examples that found their own member count for the lowest scores, because a request that
    would reach the wrong member is better refused.
    """
    right: list[float] = []
    wrong: list[float] = []
    choices: list[tuple[float, bool]] = []
    for row, scores in zip(*unseen, strict=True):
        best, own = max(scores), scores[labels[row]]
        choices.append((_margin(scores), best == own))
        if best == own:
            right.append(own)
        else:
            wrong.append(best - own)
    return ScoreThresholds(
        threshold=_quantile(right, LOST + _doubt(len(right))),
        clear=_quantile(wrong, UNCLEAR),
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
