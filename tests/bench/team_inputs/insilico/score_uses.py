"""Scores the uses of fields on one half of tests/bench/team_inputs/insilico/uses: open or kept.

    .venv/bin/python tests/bench/team_inputs/insilico/score_uses.py open|kept

Prints recall (certain and possible), precision of the certain ones, the share of the uses that is
certain, how many possible ones there are for each use, and the share of them that is right. Of
`kept` only the totals are printed. A line of `may_or_may_not` counts in no figure.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from minerva_insilico.core.fields.usage import field_uses
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import index_tree

USES = Path(__file__).parent / "uses"


def counts(folder: Path) -> list[int]:
    """Return uses, found, certain, right of certain, possible, right of possible."""
    entry = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    may, uses = set(entry["may_or_may_not"]), set(entry["uses"])
    certain: set[str] = set()
    possible: set[str] = set()
    with TemporaryDirectory() as home, Index(index_tree(folder, home=Path(home)).database) as index:
        for use in field_uses(index, [entry["field"]], with_variables=False).items:
            (certain if use.score == 1 else possible).add(f"{use.path}:{use.line}")
    certain -= may
    possible -= may | certain
    return [
        len(uses), len(uses & (certain | possible)),
        len(certain), len(uses & certain), len(possible), len(uses & possible),
    ]


def line(name: str, found: list[int]) -> str:
    uses, shown, certain, right, possible, right_possible = found
    return (
        f"{name:<6} uses {uses:>4}  recall {shown / uses:.3f}"
        f"  certain right {right / max(1, certain):.3f}  certain share {right / uses:.3f}"
        f"  possible {possible:>3} ({possible / uses:.2f} a use),"
        f" right {right_possible / max(1, possible):.2f}"
    )


half = sys.argv[1] if len(sys.argv) == 2 else ""
if half not in {"open", "kept"}:
    sys.exit(__doc__)
found = {one.name: counts(one) for one in sorted((USES / half).iterdir()) if one.is_dir()}
if half == "open":
    for name, one in found.items():
        print(line(name, one))
print(line("total", [sum(column) for column in zip(*found.values(), strict=True)]))
