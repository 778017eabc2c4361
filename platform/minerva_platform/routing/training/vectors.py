"""Texts as TF-IDF vectors, and the products of such vectors, in numpy alone.

A gram has one number in the whole process, so a text that several supervisors of a tree learn is
cut once. Within one router the columns stand in the order in which its texts first name them. So
what a router learns does not depend on what was learned before it.
"""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from minerva_platform.routing.training.training_data import ngrams

Floats = NDArray[np.float32]
Wide = NDArray[np.float64]
Indices = NDArray[np.int64]

CONSTANT = 0
"""The column that is 1 in every row. Its weight is the offset of a score."""

_MAX_KEPT_TEXTS = 50_000
"""Texts whose grams are kept for the next supervisor, about 1 kB each."""

_MAX_LISTED = 12
"""Rows of a feature up to which its pairs of rows are listed, and beyond which it is multiplied."""

_COLUMNS_AT_ONCE = 512

_ROUNDING = 1e-5
"""What single precision may take from a sum of squares."""


_learning, _libraries = Lock(), ThreadpoolController()


@contextmanager
def one_thread() -> Generator[None]:
    """Run the block with one OS thread of linear algebra, one such block at a time.

    On small matrices a second OS thread doubles the CPU for the same time, and on a busy machine
    its waiting multiplies both.
    """
    with _learning, _libraries.limit(limits=1, user_api="blas"):
        yield


@dataclass(frozen=True)
class Vectors:
    """Sparse rows. Row i has `values[starts[i]:starts[i + 1]]` in these `columns`.

    Column `CONSTANT` is 1 in every row. The other values of a row have length 1 together.
    """

    starts: Indices
    columns: Indices
    values: Floats
    width: int

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.starts) - 1

    @cached_property
    def owners(self) -> Indices:
        """The row of each value."""
        return np.repeat(np.arange(self.count), np.diff(self.starts))

    @cached_property
    def _by_column(self) -> tuple[Indices, Indices, Indices]:
        """The values' places in the order of columns, the columns, and where each begins."""
        order = np.argsort(self.columns, kind="stable")
        columns, begins = np.unique(self.columns[order], return_index=True)
        return order, columns, begins

    def rows(self, indices: Indices) -> "Vectors":
        """Return the rows of `indices`, in that order."""
        lengths = np.diff(self.starts)[indices]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        shift: Indices = np.repeat(self.starts[indices] - starts[:-1], lengths)
        places = shift + np.arange(int(starts[-1]))
        return Vectors(starts, self.columns[places], self.values[places], self.width)

    def times(self, weights: Floats) -> Floats:
        """Return the rows times `weights` (features x outputs): rows x outputs."""
        products = self.values[:, None] * weights[self.columns]
        return np.add.reduceat(products, self.starts[:-1])

    def add_to(self, weights: Floats, factors: Floats) -> None:
        """Add the rows times `factors` (rows x outputs) to `weights` (features x outputs)."""
        order, columns, begins = self._by_column
        products = self.values[order, None] * factors[self.owners[order]]
        weights[columns] += np.add.reduceat(products, begins)

    def squares(self) -> "Vectors":
        """Return the squares of the values. Those of a row add up to 1, without the constant."""
        values = self.values**2
        values[self.columns == CONSTANT] = 0.0
        return replace(self, values=values)

    def holders(self, labels: Indices, classes: int) -> Floats:
        """Return how many rows of each class hold a feature: features x classes."""
        cells = self.columns * classes + labels[self.owners]
        counted = np.bincount(cells, minlength=self.width * classes)
        counted[: classes * (CONSTANT + 1)] = 0
        return counted.reshape(self.width, classes).astype(np.float32)

    def near_pairs(self, least: float, *, below: int) -> Iterator[tuple[float, int, int]]:
        """Yield each two rows before the row `below` with a cosine of at least `least`.

        If two rows are near, their rarest common feature is among the rarest of each: the rest of
        a row is too short to make up the cosine.
        """
        squares, holding = self.squares().values, np.bincount(self.columns)
        order = np.lexsort((self.columns, holding[self.columns], self.owners))
        sums = np.cumsum(squares[order], dtype=np.float64)
        ends = sums[self.starts[1:] - 1]
        rest = ends[self.owners[order]] - sums + squares[order]
        is_rare = (rest >= least**2 - _ROUNDING) & (squares[order] > 0.0)
        rows_of: dict[int, list[int]] = {}
        near: dict[int, set[int]] = {}
        for place in order[is_rare & (self.owners[order] < below)].tolist():
            row, column = int(self.owners[place]), int(self.columns[place])
            near.setdefault(row, set()).update(rows_of.setdefault(column, []))
            rows_of[column].append(row)
        dense = np.zeros(self.width, dtype=np.float32)
        for row, others in sorted(near.items()):
            own = slice(self.starts[row] + 1, self.starts[row + 1])
            dense[self.columns[own]] = self.values[own]
            for other in sorted(others):
                its = slice(self.starts[other] + 1, self.starts[other + 1])
                cosine = float(self.values[its] @ dense[self.columns[its]])
                if cosine >= least:
                    yield cosine, other, row
            dense[self.columns[own]] = 0.0

    def products(self) -> Wide:
        """Return the products of all pairs of rows: rows x rows.

        The pairs of a rare feature are listed. Frequent features are multiplied as dense columns.
        """
        order, _, begins = self._by_column
        sizes = np.diff(np.append(begins, len(order)))
        products = np.zeros((self.count, self.count))
        cells = products.reshape(-1)
        for size in range(1, _MAX_LISTED + 1):
            places = order[begins[sizes == size][:, None] + np.arange(size)]
            rows, values = self.owners[places], self.values[places].astype(np.float64)
            pairs = rows[:, :, None] * self.count + rows[:, None, :]
            np.add.at(cells, pairs.ravel(), (values[:, :, None] * values[:, None, :]).ravel())
        frequent = np.flatnonzero(sizes > _MAX_LISTED)
        for some in np.split(frequent, range(_COLUMNS_AT_ONCE, len(frequent), _COLUMNS_AT_ONCE)):
            dense = np.zeros((self.count, len(some)), dtype=np.float32)
            for place, feature in enumerate(some):
                at = order[begins[feature] : begins[feature] + sizes[feature]]
                dense[self.owners[at], place] = self.values[at]
            products += dense @ dense.T
        return products


class _Grams:
    """The grams of texts, by their number in this process."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.names: list[str] = []
        self.texts: dict[str, tuple[Indices, Floats]] = {}

    def of(self, text: str) -> tuple[Indices, Floats]:
        """Return the numbers of the grams of `text`, and how often each occurs."""
        found = self.texts.get(text)
        if found is None:
            counts = Counter(ngrams(text))
            for gram in counts:
                if gram not in self.numbers:
                    self.numbers[gram] = len(self.names)
                    self.names.append(gram)
            numbers = np.fromiter(map(self.numbers.__getitem__, counts), np.int64, len(counts))
            found = numbers, np.fromiter(counts.values(), np.float32, len(counts))
            self.texts[text] = found
        return found


_kept = [_Grams()]


def vectorise(texts: Sequence[str]) -> tuple[tuple[str, ...], Floats, Vectors]:
    """Return the features of `texts`, the inverse document frequency of each, and the vectors.

    The first feature is the empty text. It stands for the column `CONSTANT`.
    """
    if len(_kept[0].texts) > _MAX_KEPT_TEXTS:
        _kept[0] = _Grams()
    grams = _kept[0]
    cut = [grams.of(text) for text in texts]
    lengths = np.asarray([len(numbers) + 1 for numbers, _ in cut])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    first = np.asarray([-1])
    numbers = np.concatenate(list(chain.from_iterable((first, numbers) for numbers, _ in cut)))
    found, firsts, columns = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    columns = ranks[columns]
    numbered: list[int] = found[order][1:].tolist()
    features = ("", *(grams.names[number] for number in numbered))
    holding = np.bincount(columns, minlength=len(found))
    idf = 1.0 + np.log((1.0 + len(texts)) / (1.0 + holding))
    one = np.ones(1, dtype=np.float32)
    often = np.concatenate(list(chain.from_iterable((one, counts) for _, counts in cut)))
    values = (1.0 + np.log(often)) * idf[columns]
    values[starts[:-1]] = 0.0
    norms = np.sqrt(np.add.reduceat(values * values, starts[:-1]))
    values /= np.repeat(np.where(norms > 0.0, norms, 1.0), lengths)
    values[starts[:-1]] = 1.0
    vectors = Vectors(starts, columns, values.astype(np.float32), len(found))
    return features, idf.astype(np.float32), vectors
