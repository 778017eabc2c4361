"""Uses of fields in public applications, labelled by reading: certain, possible, left out.

    make bench ARGS=field_uses PUBLIC=FOLDER LABELS=FILE

`LABELS` (else `FOLDER/field_uses.json`) is a list of objects: `repository` ("Netflix/dispatch"),
`commit`, `field` ("Incident.stable_at"), and the places `uses` and `may_or_may_not`
("path:line"). `FOLDER/dispatch` holds the repository at that commit (`git archive`). None of that
is ours to ship.
"""

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from minerva_insilico.core.fields.usage import field_uses
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import index_tree

_RECALL, _PRECISION, _CERTAIN, _MOST_POSSIBLE, _RIGHT = 0.97, 0.97, 0.70, 2.0, 0.5


@dataclass(frozen=True)
class Score:
    """What the search says about fields, against what a reader says. Sets of (field, place)."""

    name: str
    uses: frozenset[tuple[str, str]]
    certain: frozenset[tuple[str, str]]
    possible: frozenset[tuple[str, str]]
    """Without the certain ones; both without what the reader left open."""

    @property
    def figures(self) -> tuple[float, float, float, float, float]:
        """Recall, precision of certain, share of certain, possible for each use, share right."""
        uses, certain, possible = self.uses, self.certain, self.possible
        return (
            len(uses & (certain | possible)) / len(uses),
            len(uses & certain) / max(1, len(certain)),
            len(uses & certain) / len(uses),
            len(possible) / len(uses),
            len(uses & possible) / len(possible) if possible else 1.0,
        )

    @property
    def holds(self) -> bool:
        """True if all five figures reach their targets."""
        recall, precision, share, most, right = self.figures
        return (
            recall >= _RECALL
            and precision >= _PRECISION
            and share >= _CERTAIN
            and most <= _MOST_POSSIBLE
            and right >= _RIGHT
        )


def score(index: Index, entry: dict[str, Any]) -> Score:
    """Score one labelled field."""
    name = str(entry["field"])
    open_places = {*entry.get("may_or_may_not", ())}
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for use in field_uses(index, [name], with_variables=False).items:
        found[use.certainty == "certain"].add(f"{use.path}:{use.line}")

    def named(places: Iterable[str]) -> frozenset[tuple[str, str]]:
        return frozenset((name, place) for place in places if place not in open_places)

    return Score(name, named(entry["uses"]), named(found[True]), named(found[False] - found[True]))


def together(name: str, scores: Iterable[Score]) -> Score:
    """Return one score of several applications."""
    kept = [*scores]
    return Score(
        name,
        frozenset((one.name, *use) for one in kept for use in one.uses),  # type: ignore[misc]
        frozenset((one.name, *use) for one in kept for use in one.certain),  # type: ignore[misc]
        frozenset((one.name, *use) for one in kept for use in one.possible),  # type: ignore[misc]
    )
