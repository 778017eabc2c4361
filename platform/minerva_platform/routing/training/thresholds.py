"""Learn from the examples themselves when a supervisor should say "nobody".

Each example is scored by a model that never saw it. How those scores spread is
all that is known about requests yet to come, so both thresholds come from there:
no outside data, nothing to tune.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log, sqrt

from minerva_platform.routing.training.classifier import TrainingSet

MAX_FOLDS = 20
"""With few examples, each one that a held-out model lacks makes its scores too low."""

MIN_FOLDS, MAX_FITS = 4, 200
"""Many members need few folds: a fold costs a fit for each, and thirty teams must start fast."""

MAX_FITTED_EXAMPLES = 12_000
"""Examples that are fitted in all: of a thousand, a fold's tenth is not missed, and costs 0.1 s."""

ENOUGH_SCORES = 2_000
"""Held-out scores after which more folds would not move the thresholds any more."""

LOST = 0.04
"""Share of true requests that may be turned away: the price of refusing the others."""

DOUBT = 0.05
"""How probable it may be that the true share is larger than the examples let expect."""

SURE = 0.98
"""Share of right choices from which on nobody else need be asked."""

_HALF = 0.5


@dataclass(frozen=True)
class ScoreThresholds:
    """What scores must reach, and how far ahead they must be."""

    threshold: float
    """Lowest score of a request that is served here."""
    floor: float
    """Lowest score of a further clause of a request that is served here."""
    clear: float
    """Margin over another member below which a choice is as likely wrong as right."""
    sure: float
    """Margin from which on `SURE` of the choices are right."""


def measure_thresholds(examples: TrainingSet) -> ScoreThresholds:
    """Hold out one fold of examples after the other and read the thresholds off their scores.

    Only examples that found their own member count for the lowest scores: a
    request that would reach the wrong member is not worth keeping.
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
    """Return how far `count` scores may be off the true share.

    Few scores say little about the lowest ones. The bound is Dvoretzky, Kiefer
    and Wolfowitz's: 9 points with 200 examples, 2 with 3,000. In doubt the
    router refuses, which a person sees, rather than bother a team with what is
    not its work.
    """
    return sqrt(log(1.0 / DOUBT) / (2.0 * max(count, 1)))


def _quantile(values: list[float], share: float) -> float:
    """Return the value that `share` of `values` stay below; 0 if there are none."""
    ordered = sorted(values)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0
