"""A linear text classifier. Training needs scikit-learn; prediction does not.

Only this module imports scikit-learn, and only to train. A trained model answers from plain arrays,
in about 0.1 ms for a clause.

A member's score is the sum of two parts. The *margin* of a linear SVM says how much more a text
resembles the member than what is out of scope. The *familiarity*, from 0 to 1, is the part of the
text's weight that the member's examples hold. Without it a text about something else goes to the
member with the least negative margin.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

from minerva_platform.routing.clauses.content_words import carrier_phrases
from minerva_platform.routing.training.training_data import ngrams, unserved

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_COST = 3.0
"""C of the SVM, chosen by cross-validation within CLINC150's training part (README.md)."""

_ITERATIONS = 20_000
"""Iterations of the SVM, twenty times the default. Near-identical examples need 5,000 to
converge."""

_ROWS_AT_ONCE = 512
"""Examples that are compared with all others at once. Nine thousand then need 20 MB, not 300."""


@dataclass(frozen=True)
class LinearModel:
    """Weights of each feature (rows) for each member (columns). The last column is out of scope."""

    features: Mapping[str, int]
    idf: "NDArray[np.float32]"
    unseen_idf: float
    margins: "NDArray[np.float32]"
    offsets: "NDArray[np.float32]"
    familiarities: "NDArray[np.float32]"

    def scores(self, text: str) -> list[float]:
        """Return the score of `text` for each member.

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
        if not rows:
            return [float(offset - self.offsets[-1]) for offset in self.offsets[:-1]]
        vector = np.asarray(weights, dtype=np.float32) * self.idf[rows]
        squares = vector * vector
        length = float(squares.sum()) + unseen
        scores = vector @ self.margins[rows] / length**0.5 + self.offsets
        members = scores[:-1] - scores[-1] + squares @ self.familiarities[rows] / length
        return [float(score) for score in members]


class _Vectors(NamedTuple):
    vectoriser: Any
    matrix: Any
    owners: "NDArray[np.int64]"


class TrainingSet:
    """Example texts with their members, and out-of-scope texts. Vectors are made on first use.

    Args:
        texts: The examples of all members.
        labels: The member of each text, a number below `members`.
        members: The number of members.
        declined: Texts that the members declare as out of scope.
    """

    def __init__(
        self,
        texts: Sequence[str],
        labels: Sequence[int],
        *,
        members: int,
        declined: Sequence[str] = (),
    ) -> None:
        self.texts, self.labels, self.members = tuple(texts), tuple(labels), members
        self.declined = tuple(declined)

    @cached_property
    def _vectors(self) -> "_Vectors":
        """The texts, out-of-scope ones included, as TF-IDF vectors."""
        import numpy as np  # noqa: PLC0415
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415  # 0.8 s of CPU

        tfidf: Any = TfidfVectorizer
        nobodys = (*carrier_phrases(), *unserved(self.texts), *self.declined)
        vectoriser = tfidf(analyzer=ngrams, sublinear_tf=True, dtype=np.float32)
        matrix = vectoriser.fit_transform([*self.texts, *nobodys])
        owners = np.asarray([*self.labels, *[self.members] * len(nobodys)])
        return _Vectors(vectoriser, matrix, owners)

    def train(self) -> LinearModel:
        """Return the model of all examples. The same set gives the same model."""
        import numpy as np  # noqa: PLC0415

        every = np.ones(len(self._vectors.owners), dtype=np.bool_)
        margins, offsets, familiarities = self._fit(every)
        return LinearModel(
            features=self._vectors.vectoriser.vocabulary_,
            idf=self._vectors.vectoriser.idf_.astype(np.float32),
            unseen_idf=1.0 + log(1.0 + self._vectors.matrix.shape[0]),
            margins=margins,
            offsets=offsets,
            familiarities=familiarities,
        )

    def held_out(self, rows: Sequence[int]) -> list[list[float]]:
        """Return the scores of the examples `rows` by a model that never saw them."""
        import numpy as np  # noqa: PLC0415

        kept = np.ones(len(self._vectors.owners), dtype=np.bool_)
        kept[list(rows)] = False
        margins, offsets, familiarities = self._fit(kept)
        held = self._vectors.matrix[list(rows)]
        scores: Any = held @ margins + offsets
        scores = scores[:, :-1] - scores[:, -1:]
        scores += held.multiply(held).tocsr() @ familiarities
        return [[float(score) for score in row] for row in scores]

    def near_pairs(self, least: float) -> Iterator[tuple[float, int, int]]:
        """Yield each two examples of different members with a cosine of at least `least`."""
        labels = self.labels
        examples = self._vectors.matrix[: len(labels)].tocsr()
        columns = examples.T.tocsr()
        for start in range(0, len(labels), _ROWS_AT_ONCE):
            cosines = (examples[start : start + _ROWS_AT_ONCE] @ columns).tocoo()
            near = cosines.data >= least
            found: Any = (side[near].tolist() for side in (cosines.data, cosines.row, cosines.col))
            for cosine, row, other in zip(*found, strict=True):
                one: int = start + row
                if one < other and labels[one] != labels[other]:
                    yield cosine, one, other

    def _fit(self, rows: "NDArray[np.bool_]") -> tuple[Any, Any, Any]:
        """Return margins, offsets and familiarities learned from `rows`, with members as columns.

        The last column of margins and offsets is out of scope. Members with few and with many
        examples weigh the same.
        """
        import numpy as np  # noqa: PLC0415
        from sklearn.svm import LinearSVC  # noqa: PLC0415

        matrix, owners = self._vectors.matrix[rows], self._vectors.owners[rows]
        machine: Any = LinearSVC(
            C=_COST, class_weight="balanced", random_state=0, max_iter=_ITERATIONS
        )
        machine.fit(matrix, owners)
        weights, intercepts = machine.coef_, machine.intercept_
        if len(machine.classes_) == 2:  # noqa: PLR2004  # one row then says both sides
            weights = np.vstack([-weights, weights])
            intercepts = np.hstack([-intercepts, intercepts])
        margins = np.zeros((matrix.shape[1], self.members + 1), dtype=np.float32)
        offsets = np.full(self.members + 1, -1.0, dtype=np.float32)
        margins[:, machine.classes_], offsets[machine.classes_] = weights.T, intercepts
        seen = np.vstack([matrix[owners == n].getnnz(axis=0) for n in range(self.members)]).T
        familiarities = (seen / (seen + 1.0)).astype(np.float32)
        return margins, offsets, familiarities
