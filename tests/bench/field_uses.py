"""Uses of fields in public applications, labelled by reading: certain, possible, left out.

    make bench ARGS=field_uses PUBLIC=FOLDER LABELS=FILE

`LABELS` (else `FOLDER/field_uses.json`) is a list of objects: `repository` ("Netflix/dispatch"),
`commit`, `field` ("Incident.stable_at"), and the places `uses` and `may_or_may_not`
("path:line"); the latter count in no figure. `FOLDER/dispatch` holds the files of the repository at
that commit. None of that is ours to ship.
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

FOLDER, LABELS = "PUBLIC", "LABELS"

Places = frozenset[tuple[str, str]]
"""Fields with a place."""


@dataclass(frozen=True)
class Score:
    """What the search says about fields, against what a reader says."""

    uses: Places
    certain: Places
    possible: Places
    """Without the certain ones."""

    def __add__(self, other: "Score") -> "Score":
        """Return the score of both."""
        return Score(
            self.uses | other.uses, self.certain | other.certain, self.possible | other.possible
        )

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
        return recall >= 0.97 and precision >= 0.97 and share >= 0.7 and most <= 2 and right >= 0.5


def score(index: Index, entry: dict[str, Any]) -> Score:
    """Score one labelled field."""
    name = str(entry["field"])
    left_open = {*entry.get("may_or_may_not", ())}
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for use in field_uses(index, [name], with_variables=False).items:
        found[use.certainty == "certain"].add(f"{use.path}:{use.line}")

    def named(places: Iterable[str]) -> Places:
        return frozenset((name, place) for place in places if place not in left_open)

    return Score(named(entry["uses"]), named(found[True]), named(found[False] - found[True]))


def main() -> int:
    """Print the figures of each application and of all; return 1 if a target is missed."""
    folder = Path(os.environ.get(FOLDER) or "")
    labels = Path(os.environ.get(LABELS) or folder / "field_uses.json")
    if not os.environ.get(FOLDER) or not labels.is_file():
        print(f"not measured: name the folder of the sources.\n{__doc__}")
        return 0
    scores: dict[str, list[Score]] = {}
    entries: list[dict[str, Any]] = json.loads(labels.read_text(encoding="utf-8"))
    for repository in dict.fromkeys(str(entry["repository"]) for entry in entries):
        name = repository.rpartition("/")[2]
        if not (folder / name).is_dir():
            print(f"not measured: {folder / name} is no folder")
            continue
        with TemporaryDirectory() as home:
            database = index_tree(folder / name, home=Path(home)).database
            with Index(database) as index:
                scores[name] = [
                    score(index, one) for one in entries if one["repository"] == repository
                ]
    print(f"  {'application':<22}{'uses':>6}{'recall':>9}{'precision':>11}{'certain':>9}"
          f"{'possible':>10}{'right':>8}")  # fmt: skip
    totals = {name: sum(found[1:], found[0]) for name, found in scores.items()}
    for name, one in totals.items():
        _show(name, one)
    if not totals:
        return 0
    first, *others = totals.values()
    whole = sum(others, first)
    _show("all", whole)
    return 0 if whole.holds else 1


def _show(name: str, one: Score) -> None:
    recall, precision, share, most, right = one.figures
    print(f"  {name:<22}{len(one.uses):>6}{recall:>9.3f}{precision:>11.3f}{share:>9.3f}"
          f"{most:>10.2f}{right:>8.2f}")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
