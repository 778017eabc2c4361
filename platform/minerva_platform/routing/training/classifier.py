"""A linear text classifier. It learns from a few examples per member, in numpy alone.

A member's score is the sum of two parts. The *margin* of a ridge regression says how much more a
text resembles the member than what is out of scope. The *familiarity*, from 0 to 1, is the part of
the text's weight that the member's examples hold. Without it a text about something else goes to
the member with the least negative margin.

Code that cuts or joins clauses needs two things. `EmbeddedRouter.rank(text)` gives the scores of
all members for any piece of text, in about 0.1 ms. `EmbeddedRouter.thresholds` are on
the scale of these scores: `threshold` for one score, `clear` and `sure` for the difference of two.
They hold for every member of a supervisor, because all members weigh the same.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import TYPE_CHECKING, NamedTuple

from minerva_platform.routing.clauses.content_words import carrier_phrases
from minerva_platform.routing.training.training_data import background, ngrams, unserved

if TYPE_CHECKING:
    from minerva_platform.routing.training.vectors import Floats, Indices, Vectors


@dataclass(frozen=True)
class LinearModel:
    """Weights of each feature (rows) for each member (columns).

    Behind the members comes what is only said around wishes (`background`). The last column of
    `margins` is out of scope, and its first row is the offset of each column.
    """

    features: Mapping[str, int]
    idf: "Floats"
    unseen_idf: float
    margins: "Floats"
    familiarities: "Floats"

    def scores(self, text: str) -> list[float]:
        """Return the score of `text` for each member, and last as mere background.

        Features that no example holds count in the text's length. So the smaller the known part of
        a text, the lower its weight.
        """
        import numpy as np  # noqa: PLC0415  # numpy must not load with the command line

        rows: list[int] = []
        weights: list[float] = []
        unseen = 0.0
        for gram, count in Counter(ngrams(text)).items():
            frequency = 1.0 + log(count)
            row = self.features.get(gram)
            if row is None:
                unseen += (frequency * self.unseen_idf) ** 2
            else:
                rows.append(row)
                weights.append(frequency)
        scores = self.margins[0].copy()
        if rows:
            vector = np.asarray(weights, dtype=np.float32) * self.idf[rows]
            squares = vector * vector
            length = float(squares.sum()) + unseen
            scores += vector @ self.margins[rows] / length**0.5
            scores[:-2] += squares @ self.familiarities[rows] / length
        return [float(score) for score in scores[:-1] - scores[-1]]


class Unseen(NamedTuple):
    """Scores of examples by a model that has not seen them: all examples, or a sample of many."""

    examples: list[int]
    """Their places among the training texts."""
    scores: list[list[float]]
    """For each of them, one score per member."""


class TrainingSet:
    """Example texts with their members, and out-of-scope texts. It learns on first use.

    Args:
        texts: The examples of all members.
        labels: The member of each text, a number below `members`.
        members: The number of members.
        declined_texts: Texts that the members declare as out of scope.
    """

    def __init__(
        self,
        texts: Sequence[str],
        labels: Sequence[int],
        *,
        members: int,
        declined_texts: Sequence[str] = (),
    ) -> None:
        self.texts, self.labels, self.members = tuple(texts), tuple(labels), members
        self.declined_texts = tuple(declined_texts)

    def near_pairs(self, least: float) -> Iterator[tuple[float, int, int]]:
        """Yield each two examples of different members with a cosine of at least `least`."""
        from minerva_platform.routing.training.vectors import one_thread, vectorise  # noqa: PLC0415  # numpy

        with one_thread():
            _, _, vectors = vectorise(self._all_texts)
        for cosine, one, other in vectors.near_pairs(least, below=len(self.texts)):
            if self.labels[one] != self.labels[other]:
                yield cosine, one, other

    @cached_property
    def _all_texts(self) -> tuple[str, ...]:
        return (
            *self.texts,
            *background(),
            *carrier_phrases(),
            *unserved(self.texts),
            *self.declined_texts,
        )

    @cached_property
    def model_and_unseen(self) -> tuple[LinearModel, Unseen]:
        """The model of all examples, and the scores of unseen ones. Always the same for a set."""
        import numpy as np  # noqa: PLC0415  # numpy must not load with the command line

        from minerva_platform.routing.training.ridge import balanced_slack, solve  # noqa: PLC0415  # see above
        from minerva_platform.routing.training.vectors import one_thread, vectorise  # noqa: PLC0415  # see above

        with one_thread():
            texts = self._all_texts
            features, idf, vectors = vectorise(texts)
            labels = np.full(len(texts), self.members + 1)
            labels[: len(self.labels)] = self.labels
            labels[len(self.labels) :][: len(background())] = self.members
            slack = balanced_slack(labels, self.members + 2)
            slack[len(texts) - len(self.declined_texts) :] = slack[: len(self.labels)].min()
            solution = solve(vectors, labels, slack, classes=self.members + 2)
            seen = vectors.holders(labels, self.members + 2)[:, :-2]
            model = LinearModel(
                features={feature: row for row, feature in enumerate(features)},
                idf=idf,
                unseen_idf=1.0 + log(1.0 + len(texts)),
                margins=solution.weights,
                familiarities=_familiarities(seen),
            )
            sizes = np.bincount(labels)  # without its only example a member is unknown
            tells = (solution.rows < len(self.labels)) & (sizes[labels[solution.rows]] > 1)
            rows, margins = solution.rows[tells], solution.unseen[tells]
            scores = (
                margins[:, :-2]
                - margins[:, -1:]
                + _unseen_familiarities(vectors.rows(rows), labels[rows], seen)
            )
            return model, Unseen(rows.tolist(), scores.tolist())


def _familiarities(seen: "Floats") -> "Floats":
    """Return how well a feature is known by the number of examples that hold it."""
    return (seen / (seen + 1.0)).astype(seen.dtype, copy=False)


def _unseen_familiarities(vectors: "Vectors", labels: "Indices", seen: "Floats") -> "Floats":
    """Return the familiarity of each row with each member, its own text not counted."""
    import numpy as np  # noqa: PLC0415  # see above

    squares = vectors.squares()
    known = squares.times(_familiarities(seen))
    own = seen[squares.columns, labels[squares.owners]]  # at least 1, but for the constant
    lost = squares.values * (own / (own + 1.0) - np.maximum(own - 1.0, 0.0) / np.maximum(own, 1.0))
    known[np.arange(len(labels)), labels] -= np.add.reduceat(lost, squares.starts[:-1])
    return known
