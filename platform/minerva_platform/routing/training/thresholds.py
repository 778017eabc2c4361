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

DOUBTFUL = 0.2
"""Share of choices that are doubtful: those with the smallest margins. If more are wrong, more."""

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
    """Margin that `DOUBTFUL` of the choices stay below. Infinite if there were none."""


def measure_thresholds(unseen: Unseen, labels: Sequence[int]) -> ScoreThresholds:
    """Return the thresholds, read from the scores of unseen examples with these `labels`.

    Only examples that found their own member count for the lowest scores, because a request that
    would reach the wrong member is better refused.
    """
    right: list[float] = []
    wrong: list[float] = []
    for row, scores in zip(*unseen, strict=True):
        best, own = max(scores), scores[labels[row]]
        if best == own:
            right.append(own)
        else:
            wrong.append(best - own)
    threshold = _quantile(right, LOST + _doubt(len(right)))
    margins = [_margin(scores, threshold) for scores in unseen.scores]
    doubtful = max(DOUBTFUL, len(wrong) / max(len(margins), 1))
    return ScoreThresholds(
        threshold=threshold,
        clear=_quantile(wrong, UNCLEAR),
        sure=_quantile(margins, doubtful) if margins else inf,
    )


def _margin(scores: Sequence[float], threshold: float) -> float:
    """Return what the best score has over the next member's, or its distance to a refusal."""
    best, *others = sorted(scores, reverse=True)
    return best - others[0] if others else abs(best - threshold)


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
