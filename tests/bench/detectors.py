"""How many generated values each kind is found in, and how fast.

The generators are by authors who did not see the detectors: `detector_values/<half>/generate.py N
SEED OUT`. Of halves named `blind…` only totals are to be looked at, and only they are printed.

A row counts as found if `find_in_cell` names its kind, given what the column's name promises, or,
in a column that promises nothing, if the value is one of which a whole column is believed
(`weak_forms`), as a review counts it. Values that the generator calls ambiguous or disputed are
left out. `precision` counts resident numbers by form alone as mistakes where the generator says
that they are none, although numbers since October 2020 have no check digit; `certain` counts
answers of score 1.0.

The bar, `MIN_SHARE`, is for the kinds that have a `check` in their table (marked `*`): recall in
cells and precision of what is certain. Timestamps have a bar of their own. The bench fails if one
of the halves is under a bar. `dev_2026_11` has no bar: it is a catalogue of rare writings, each as
often as the common ones, for people who change the detectors, and no data has that frequency.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from minerva_governance.core.detection.cell import find_in_cell, weak_forms
from minerva_governance.core.detection.column_name import promised_entity
from minerva_governance.core.kinds.review_context import current_catalogue

HERE = Path(__file__).parent / "detector_values"
ROWS = 60_000
SEED = 18
MIN_SHARE = 0.99
CATALOGUE = "dev_2026_11"
"""The half whose figures are printed and not judged."""
MAX_STAMPS = 0.01
"""Share of 13-digit numbers of milliseconds in which something may be found."""
_STAMPS = frozenset({"epoch13", "stamp13", "epoch-ms"})
_SAME = {"KR_RRN_NOCHECK": "KR_RRN"}
MAX_MISTAKES = 25


def rows_of(generator: Path) -> list[dict[str, Any]]:
    """Return the rows that a generator writes."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "values.jsonl"
        command = [sys.executable, str(generator), str(ROWS), str(SEED), str(out)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def answers(row: dict[str, Any]) -> dict[str, float]:
    """Return the kinds found in one row: as in a cell, else as a column full of such values."""
    value = str(row["value"])
    promised = promised_entity(row["column"], row.get("comment", ""))
    found = find_in_cell(value, promised)
    return dict(found or (weak_forms(value) if promised is None else ()))


class Tally:
    """What was right and wrong of one kind."""

    def __init__(self) -> None:
        self.cells, self.found_cells = 0, 0
        self.texts, self.found_texts = 0, 0
        self.wrong, self.wrong_certain, self.certain = 0, 0, 0

    def add(self, *, is_text: bool, score: float | None) -> None:
        """Count one value of the kind, found with `score` or not."""
        found = score is not None
        if is_text:
            self.texts += 1
            self.found_texts += found
        else:
            self.cells += 1
            self.found_cells += found
        self.certain += score == 1.0

    @property
    def precision(self) -> float:
        """Of all that were called so."""
        return _share(self.found_cells + self.found_texts, self.wrong)

    @property
    def certain_precision(self) -> float:
        """Of those whose check digit is right, or whose form is no other's."""
        return _share(self.certain, self.wrong_certain)


def _share(right: int, wrong: int) -> float:
    return right / (right + wrong) if right + wrong else 1.0


class Half:
    """What the rows of one generator came to."""

    def __init__(self) -> None:
        self.kinds: defaultdict[str, Tally] = defaultdict(Tally)
        self.nulls: Counter[str] = Counter()
        self.false: Counter[str] = Counter()
        self.mistakes: Counter[str] = Counter()

    def add(self, row: dict[str, Any]) -> None:
        """Count one row."""
        kind = _SAME.get(row["kind"], row["kind"])
        found = answers(row)
        sort = row.get("sub", "").partition(":")[0]
        others = found.keys() - {_SAME.get(each, each) for each in row.get("collides", ())}
        if kind is None:
            self.nulls[sort] += 1
            self.false[sort] += bool(others)
        else:
            self.kinds[kind].add(is_text=bool(row.get("text")), score=found.get(kind))
            self.mistakes[f"{kind}: missed {sort}"] += kind not in found
        for other in others - {kind}:
            self.kinds[other].wrong += 1
            self.kinds[other].wrong_certain += found[other] == 1.0
            self.mistakes[f"{other}: in {kind or row['sub']}"] += 1


def measure(name: str, rows: list[dict[str, Any]]) -> bool:
    """Print precision and recall by kind; True if no checked kind is under the bar."""
    half = Half()
    for row in rows:
        if not (row.get("ambiguous") or row.get("disputed")):
            half.add(row)
    print(f"{name}: {len(rows):,} rows, seed {SEED}")
    print("    kind                  cells  recall  texts  recall precision  certain")
    is_good = True
    for kind, tally in sorted(half.kinds.items()):
        if not tally.cells:
            continue
        cells, texts = tally.found_cells / tally.cells, tally.found_texts / max(1, tally.texts)
        known = current_catalogue().get(kind)
        is_checked = known is not None and bool(known.check)
        is_under = (
            is_checked and name != CATALOGUE and min(cells, tally.certain_precision) < MIN_SHARE
        )
        is_good = is_good and not is_under
        print(
            f"  {'*' if is_checked else ' '} {kind:20} {tally.cells:6,} {cells:7.4f} "
            f"{tally.texts:6,} {texts:7.4f} "
            f"{tally.precision:9.4f} {tally.certain_precision:8.4f}{'  under the bar' * is_under}"
        )
    print("  values of no kind in which one is found:")
    for sort, count in sorted(half.nulls.items()):
        share = half.false[sort] / count
        is_good = is_good and not (sort in _STAMPS and share >= MAX_STAMPS)
        print(f"  {sort:20} {count:7,} {share:9.4f}")
    if not name.startswith("blind"):
        for mistake, count in half.mistakes.most_common(MAX_MISTAKES):
            print(f"    {mistake} {count}")
    return is_good


def speed(rows: list[dict[str, Any]]) -> None:
    """Print how many values a second of CPU is enough for."""
    cells = [(str(row["value"]), promised_entity(row["column"], "")) for row in rows]
    residents = [
        (f"{80 + at % 20}{1 + at % 12:02}{1 + at % 28:02}-1{at:06}", None) for at in range(20_000)
    ]
    for name, given in (("mixed values", cells), ("resident numbers", residents)):
        began = time.process_time()
        for value, named in given:
            find_in_cell(value, named)
        spent = time.process_time() - began
        print(f"  {name}: {len(given) / spent:,.0f} a CPU second by find_in_cell")


def main() -> int:
    """Measure each half that is there."""
    halves = sorted(HERE.glob("*/generate.py"))
    if not halves:
        print(f"No generator in {HERE}.")
        return 1
    is_good = True
    for generator in halves:
        rows = rows_of(generator)
        name = generator.parent.name
        is_good = (measure(name, rows) or name == CATALOGUE) and is_good
        speed(rows)
    return 0 if is_good else 1
