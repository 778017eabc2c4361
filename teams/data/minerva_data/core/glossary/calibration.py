"""How often a name of a glossary was right where the standard's own name was hidden.

Platt's and isotonic scaling need scores; here the ways to a name are few, so that right and wrong
are counted for each of them, and a rare way leans on the commoner one that it is a case of
(additive smoothing with back-off).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

Cell = tuple[str, ...]
"""A way to a name, from the general to the special: the method, then what else is known of it."""

POSSIBLE = 0.5
"""Confidence of a name that no import has measured: it is possible, and nothing more is known."""

MOST = 0.99
"""No name is surer that is not the glossary's own: with two digits .995 would read as certain."""

_WEIGHT = 2
"""Names by which a commoner way counts beside a rarer one's own (Laplace's rule of succession)."""


@dataclass(frozen=True)
class Calibration:
    """Names asked and names right, by way; counts of a way include those of its special cases."""

    counts: Mapping[Cell, tuple[int, int]]

    @cached_property
    def _sums(self) -> Mapping[Cell, tuple[int, int]]:
        sums: dict[Cell, tuple[int, int]] = {}
        for cell, (total, right) in self.counts.items():
            for size in range(1, len(cell) + 1):
                before = sums.get(cell[:size], (0, 0))
                sums[cell[:size]] = (before[0] + total, before[1] + right)
        return sums

    def share(self, cell: Cell) -> float:
        """Return the share from 0 to 1 of names found in this way that were right.

        Each name counts once: of a commoner way those that are not of the rarer one within it. No
        way is surer than all names of its method could show.
        """
        share = POSSIBLE
        for size in range(1, len(cell) + 1):
            total, right = self._sums.get(cell[:size], (0, 0))
            inside = self._sums.get(cell[: size + 1], (0, 0)) if size < len(cell) else (0, 0)
            share = (right - inside[1] + _WEIGHT * share) / (total - inside[0] + _WEIGHT)
        total, _ = self._sums.get(cell[:1], (0, 0))
        return min(share, (total + 1) / (total + _WEIGHT), MOST)


def least_share(calibrations: Iterable[Calibration | None], cell: Cell) -> float:
    """Return the least share that the glossaries have which a name rests on."""
    return min((one.share(cell) if one else POSSIBLE for one in calibrations), default=POSSIBLE)
