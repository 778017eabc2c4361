"""The scores of unseen rows are what learning without them gives; blocks agree with the whole."""

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from minerva_platform.routing.training.ridge import (
    BLOCK_PENALTY,
    LIMITS,
    Limits,
    Solution,
    balanced_slack,
    solve,
)
from minerva_platform.routing.training.vectors import Vectors, vectorise

WORDS = "invoice pay city map rain snow horse cat colour paint 송장 결제 날씨 비 고양이".split()
CLASSES = 4


def texts_of(count: int) -> tuple[Vectors, NDArray[np.int64]]:
    """Return vectors of texts whose words lean to their class, and the classes."""
    random = Random(1)  # noqa: S311  # a seeded draw, no secret
    labels = np.asarray([random.choice((0, 0, 1, 2, 3)) for _ in range(count)])
    texts = [
        " ".join(random.choices(WORDS, k=4) + random.choices(WORDS[label * 3 :], k=3))
        for label in labels.tolist()
    ]
    return vectorise(texts)[2], labels


def learn(vectors: Vectors, labels: NDArray[np.int64], limits: Limits = LIMITS) -> Solution:
    """Return what is learned with balanced classes."""
    slack = balanced_slack(labels, CLASSES)
    return solve(vectors, labels, slack, classes=CLASSES, limits=limits)


@pytest.mark.slow
def test_an_unseen_score_is_what_a_refit_without_the_row_gives() -> None:
    """Features, weights and penalty stay; the linear system loses one row and one column."""
    vectors, labels = texts_of(120)
    found = learn(vectors, labels)
    products = vectors.products() + found.penalty * np.diag(balanced_slack(labels, CLASSES))
    targets = np.where(labels[:, None] == np.arange(CLASSES), 1.0, -1.0)

    for row in range(vectors.count):
        others = np.delete(np.arange(vectors.count), row)
        factors = np.linalg.solve(products[np.ix_(others, others)], targets[others])
        assert found.unseen[row] == pytest.approx(products[row, others] @ factors, abs=1e-3)


def test_products_are_those_of_the_dense_rows() -> None:
    """Whether a feature is rare and listed, or frequent and multiplied."""
    vectors, _ = texts_of(60)
    dense = np.zeros((vectors.count, vectors.width))
    dense[vectors.owners, vectors.columns] = vectors.values

    assert vectors.products() == pytest.approx(dense @ dense.T, abs=1e-5)
    near = {(one, other) for _, one, other in vectors.near_pairs(0.5, below=50)}
    cosines = (dense[:50, 1:] @ dense[:50, 1:].T).round(6)
    assert near == {(i, j) for i in range(50) for j in range(i + 1, 50) if cosines[i, j] >= 0.5}
    assert near


@pytest.mark.slow
def test_blocks_learn_what_the_whole_does() -> None:
    """Beyond what one matrix holds, as exactly as the sweeps are told to."""
    vectors, labels = texts_of(300)
    whole = learn(vectors, labels, Limits(penalties=(BLOCK_PENALTY,)))
    limits = Limits(exact_rows=10, block_rows=64, target_error=1e-4, max_sweeps=1_000)
    blocks = learn(vectors, labels, limits)

    assert vectors.times(blocks.weights) == pytest.approx(vectors.times(whole.weights), abs=1e-2)
    assert len(blocks.rows) == 3 * 60


def test_a_text_without_words_has_only_the_offset() -> None:
    """So "???" among the examples breaks nothing."""
    _, _, vectors = vectorise(["???", "pay the bill", ""])

    assert vectors.times(np.ones((vectors.width, 1), dtype=np.float32))[[0, 2], 0].tolist() == [
        1,
        1,
    ]
    assert np.diff(vectors.starts).tolist() == [1, vectors.width, 1]
