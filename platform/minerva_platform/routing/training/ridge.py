"""Weighted ridge regression: a score for each class, also of rows as if they had not been seen.

Each class pulls its own rows to 1 and all others to -1. Classes with few and with many rows weigh
the same. Up to `Limits.exact_rows` one factorisation gives the weights and, in closed form, the
score of each row by all other rows: it lacks `factor / inverse[row, row]` to the target. Above that
the same equations are solved block by block, and the rows of some blocks are left out in earnest.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from minerva_platform.routing.training.vectors import Floats, Indices, Vectors, Wide

BLOCK_PENALTY = 0.2
"""The penalty of rows in blocks, where trying several would multiply the time."""

_CHOOSING_ROWS = 300
"""Rows of all classes on which the penalty is chosen. All rows would take as long for each."""

_MAX_INVERTED = 192
"""Rows of a triangular matrix up to which it is inverted without being halved."""


class Limits(NamedTuple):
    """How large systems are solved, and how exactly."""

    penalties: tuple[float, ...] = (0.1, 0.2, 0.5, 1.0)
    """Penalties on large weights. The one with the least error of unseen scores is taken."""
    exact_rows: int = 4_000
    """Rows that are solved at once, with 130 MB for each of three matrices."""
    block_rows: int = 512
    held_blocks: int = 3
    """Blocks that are left out. They give the scores of 1,536 unseen rows."""
    target_error: float = 0.02
    """Mean error of a score at which sweeps over the blocks end."""
    max_sweeps: int = 12
    held_sweeps: int = 4
    """The most sweeps, and those after a block is left out, which changes little."""


LIMITS = Limits()


class Solution(NamedTuple):
    """What is learned: weights (features x classes) and unseen scores (`rows` x classes)."""

    weights: Floats
    rows: Indices
    unseen: Wide
    penalty: float


def balanced_slack(labels: Indices, classes: int) -> Wide:
    """Return the inverse weight of each row. The rows of each class weigh the same together."""
    sizes = np.bincount(labels, minlength=classes)
    return sizes[labels] * np.count_nonzero(sizes) / len(labels)


def solve(
    vectors: Vectors, labels: Indices, slack: Wide, *, classes: int, limits: Limits = LIMITS
) -> Solution:
    """Learn from rows with these `labels`, each below `classes`, and these inverse weights."""
    targets = np.where(labels[:, None] == np.arange(classes), 1.0, -1.0)
    if vectors.count <= limits.exact_rows:
        return _exact(vectors, targets, slack, limits.penalties)
    return _Blocks(vectors, targets, slack * BLOCK_PENALTY, limits).solution()


def _exact(vectors: Vectors, targets: Wide, slack: Wide, penalties: tuple[float, ...]) -> Solution:
    products = vectors.products()
    order = np.argsort(targets.argmax(axis=1), kind="stable")
    some = order[:: -(-vectors.count // _CHOOSING_ROWS)]
    among = products[np.ix_(some, some)]
    errors: list[float] = []
    for penalty in penalties:
        _, unseen = _factors_and_scores(among, targets[some], penalty * slack[some])
        errors.append(float(((targets[some] - unseen) ** 2 / slack[some, None]).sum()))
    penalty = penalties[errors.index(min(errors))]
    factors, unseen = _factors_and_scores(products, targets, penalty * slack)
    weights = np.zeros((vectors.width, targets.shape[1]), dtype=np.float32)
    vectors.add_to(weights, factors.astype(np.float32))
    return Solution(weights, np.arange(vectors.count), unseen, penalty)


def _factors_and_scores(products: Wide, targets: Wide, slack: Wide) -> tuple[Wide, Wide]:
    """Return the factor of each row, and its score by all other rows."""
    products[np.diag_indices_from(products)] += slack
    inverse = _inverse_of_lower(np.linalg.cholesky(products).astype(np.float64, copy=False))
    products[np.diag_indices_from(products)] -= slack
    factors = inverse.T @ (inverse @ targets)
    return factors, targets - factors / np.einsum("ij,ij->j", inverse, inverse)[:, None]


def _inverse_of_lower(matrix: Wide) -> Wide:
    """Return the inverse of a lower triangular matrix, whose halves are inverted apart."""
    half = len(matrix) // 2
    if len(matrix) <= _MAX_INVERTED:
        return np.linalg.inv(matrix).astype(np.float64, copy=False)
    upper, lower = _inverse_of_lower(matrix[:half, :half]), _inverse_of_lower(matrix[half:, half:])
    whole = np.zeros_like(matrix)
    whole[:half, :half], whole[half:, half:] = upper, lower
    whole[half:, :half] = -lower @ (matrix[half:, :half] @ upper)
    return whole


class _Blocks:
    """Rows in shuffled blocks. Blocks of one class each would settle after very many sweeps."""

    def __init__(self, vectors: Vectors, targets: Wide, slack: Wide, limits: Limits) -> None:
        self.limits = limits
        order = np.random.default_rng(0).permutation(vectors.count)
        self.rows = np.array_split(order, -(-vectors.count // limits.block_rows))
        self.vectors = [vectors.rows(rows) for rows in self.rows]
        self.targets = [targets[rows].astype(np.float32) for rows in self.rows]
        self.slack = [slack[rows, None].astype(np.float32) for rows in self.rows]
        self.inverses = [
            np.linalg.inv(part.products() + np.diag(slack[rows])).astype(np.float32)
            for part, rows in zip(self.vectors, self.rows, strict=True)
        ]
        self.factors: list[Floats] = [np.zeros_like(part) for part in self.targets]
        self.weights = np.zeros((vectors.width, targets.shape[1]), dtype=np.float32)

    def solution(self) -> Solution:
        """Return the weights of all rows, and the unseen scores of some blocks."""
        self._settle(range(len(self.rows)), self.limits.max_sweeps)
        weights, factors = self.weights, self.factors
        unseen = np.concatenate(list(self._unseen(weights, factors)))
        held = np.concatenate(self.rows[: self.limits.held_blocks])
        return Solution(weights, held, unseen.astype(np.float64), BLOCK_PENALTY)

    def _unseen(self, weights: Floats, factors: list[Floats]) -> Iterator[Floats]:
        """Yield the scores of each held block by the rows of all other blocks."""
        for held in range(self.limits.held_blocks):
            self.weights, self.factors = weights.copy(), [part.copy() for part in factors]
            self.vectors[held].add_to(self.weights, -self.factors[held])
            others = [block for block in range(len(self.rows)) if block != held]
            self._settle(others, self.limits.held_sweeps)
            yield self.vectors[held].times(self.weights)

    def _settle(self, blocks: "range | list[int]", max_sweeps: int) -> None:
        """Solve one block after the other, given the others, until the scores stay."""
        for _ in range(max_sweeps):
            squares = 0.0
            for block in blocks:
                vectors, factors = self.vectors[block], self.factors[block]
                lacking = self.targets[block] - vectors.times(self.weights)
                lacking -= self.slack[block] * factors
                squares += float(np.square(lacking).mean())
                step: Floats = self.inverses[block] @ lacking.astype(np.float32, copy=False)
                factors += step
                vectors.add_to(self.weights, step)
            if squares < self.limits.target_error**2 * len(blocks):
                break
