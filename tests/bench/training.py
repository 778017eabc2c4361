"""What a first training costs, and whether the scores of unseen examples are what a refit gives.

    python tests/bench/training.py

Trees of 3 x 3, 10 x 10 and 30 x 30 members learn ten distinct examples each, in a process of their
own each. CPU seconds are those of all routers of the tree, whose first loads numpy. The peak is the
process's, numpy and MINERVA included.

Then 1,000 and 4,000 rows are learned by one router. For some of them, drawn by a seed, the linear
system is solved again without the row: features, weights and penalty stay. The largest difference
to the row's score in closed form is printed.

The examples are CLINC150's (`MINERVA_CLINC`), dealt by a seed.
"""

import multiprocessing
import resource
import sys
import time
from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from routing_quality import Clinc, load_clinc

from minerva_platform.routing import MemberCard
from minerva_platform.routing.examples_router import EmbeddedRouter

EXAMPLES: Final = 10
TARGETS: Final = {3: 1.5, 10: 5.0, 30: 15.0}
"""The most CPU seconds for each width of a tree."""
MAX_MB: Final = 500
REFITS: Final = {1_000: 50, 4_000: 10}
"""Rows that are left out in earnest, for each number of rows."""
MAX_DIFFERENCE: Final = 1e-3


class Cost(NamedTuple):
    """What the training of a tree took."""

    teams: float
    """CPU seconds of the teams' routers."""
    platform: float
    peak_mb: float


def train(texts: Sequence[str], width: int) -> Cost:
    """Train the routers of `width` teams with `width` workers each, and of their platform."""
    deal = iter(texts)
    began = time.process_time()
    cards: list[MemberCard] = []
    for team in range(width):
        workers = [
            _card(f"worker_{number}", [next(deal) for _ in range(EXAMPLES)])
            for number in range(width)
        ]
        EmbeddedRouter(workers).prepare()
        cards.append(_card(f"team_{team}", [text for card in workers for text in card.examples]))
    between = time.process_time()
    EmbeddedRouter(cards, subjects=True).prepare()
    ended = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Cost(between - began, ended - between, peak)


def _card(name: str, examples: Sequence[str]) -> MemberCard:
    return MemberCard(name=name, description=name, examples=tuple(examples))


def largest_difference(clinc: Clinc, count: int, refits: int) -> float:
    """Return how far scores in closed form are from those of a refit, at most."""
    import numpy as np  # noqa: PLC0415  # a first training loads it

    from minerva_platform.routing.training.ridge import balanced_slack, solve  # noqa: PLC0415  # see above
    from minerva_platform.routing.training.vectors import one_thread, vectorise  # noqa: PLC0415  # see above

    random = Random(count)  # noqa: S311  # a seeded draw, no secret
    rows = random.sample(clinc.train, count)
    labels = np.asarray([clinc.teams.index(clinc.team_of[worker]) for _, worker in rows])
    classes = len(clinc.teams)
    worst = 0.0
    with one_thread():
        vectors = vectorise([text for text, _ in rows])[2]
        slack = balanced_slack(labels, classes)
        found = solve(vectors, labels, slack, classes=classes)
        system = vectors.products() + np.diag(found.penalty * slack)
        targets = np.where(labels[:, None] == np.arange(classes), 1.0, -1.0)
        for row in random.sample(range(count), refits):
            others = np.delete(np.arange(count), row)
            factors = np.linalg.solve(system[np.ix_(others, others)], targets[others])
            refit = system[row, others] @ factors
            worst = max(worst, float(np.abs(found.unseen[row] - refit).max()))
    return worst


def main() -> int:
    """Print both tables; exit 0 (a benchmark reports, it does not judge)."""
    clinc = load_clinc()
    if clinc is None:
        return 0
    texts = sorted({text for text, _ in clinc.train})
    Random(3).shuffle(texts)  # noqa: S311  # a seeded draw, no secret
    print(f"{'members':>10}{'CPU s':>8}{'teams':>8}{'platform':>10}{'target':>8}{'peak MB':>9}")
    context = multiprocessing.get_context("spawn")
    for width, target in TARGETS.items():
        with context.Pool(1) as pool:
            cost = pool.apply(train, (texts, width))
        total = cost.teams + cost.platform
        mark = "" if total <= target and cost.peak_mb <= MAX_MB else "  MISSED"
        print(
            f"{f'{width} x {width}':>10}{total:>8.2f}{cost.teams:>8.2f}{cost.platform:>10.2f}"
            f"{target:>8.1f}{cost.peak_mb:>9.0f}{mark}",
            flush=True,
        )
    print(f"\n{'rows':>10}{'refits':>8}   largest difference (target {MAX_DIFFERENCE})")
    for count, refits in REFITS.items():
        worst = largest_difference(clinc, count, refits)
        print(f"{count:>10,}{refits:>8}   {worst:.1e}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
