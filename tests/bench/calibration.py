"""Is a name right as often as MINERVA says? On a fifth of a standard that no import has seen.

The other four fifths are imported, which measures on a fifth of them how sure its names are. Then
each term of the fifth that is left out is asked for by its name, and by its physical name as a
column's. Names that are given are sorted by the confidence that is stated for them, and cut into
five bins of equal size; in each, what is stated and what is true should differ by at most .05.

    MINERVA_GLOSSARY_DATA=FOLDER python tests/bench/run.py calibration

The folder holds a standard's files (*.xlsx, *.csv), as `standardise` takes them.
"""

import os
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from minerva_data.core.importing.calibrating import is_hidden, measure
from minerva_data.core.importing.importer import Wanted, import_file, learn
from minerva_data.core.importing.report import ImportReport
from minerva_data.core.language.text import key
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Item
from minerva_data.core.store.store import FILE, GlossaryStore
from minerva_data.core.store.writer import EditionWriter, Source

DATA = "MINERVA_GLOSSARY_DATA"
BINS = 5
MAX_DIFFERENCE = 0.05
LOW = 0.9
"""Names that are less sure are few, and are shown by themselves, too."""
UNSEEN = 1
"""The fifth that is left out; an import hides part 0 of the others from itself."""


def main() -> int:
    """Print a table for each file; return 1 if a bin is further off than it may be."""
    folder = os.environ.get(DATA)
    if not folder:
        print(f"{DATA} is not set. Set it to a folder with a standard's files (*.xlsx, *.csv).")
        return 0
    files = [path for path in sorted(Path(folder).iterdir()) if path.suffix in {".xlsx", ".csv"}]
    is_held = [measured(path) for path in files]
    return 0 if all(is_held) else 1


def measured(path: Path) -> bool:
    """Print the bins of one file; True if none is further off than it may be."""
    with TemporaryDirectory() as folder, GlossaryStore(Path(folder) / FILE) as store:
        import_file(store, path, Wanted(name="bench", kind="public"))
        (edition,) = store.editions()
        unseen = [
            term
            for term in store.glossary(["bench"]).terms.values()
            if not term.is_retired and is_hidden(term.name, part=UNSEEN)
        ]
        seconds = _leave_out(store, [term.name for term in unseen])
        lookup = Lookup(store.glossary(["bench"]))
        terms = sum(not term.is_retired for term in lookup.glossary.terms.values())
    named: list[tuple[float, bool]] = []
    for term in unseen:
        best = lookup.recommend(Item(name=term.name)).best
        named += [(best.confidence, best.physical_name == term.physical_name)] if best else []
        best = lookup.recommend(Item(name=term.physical_name)).best
        named += [(best.confidence, key(best.logical_name) == key(term.name))] if best else []
    print(f"{path.name} ({edition.edition}): {terms:,} terms imported, {len(unseen):,} left out")
    print(f"  measured at import in {seconds:.1f} CPU s")
    print(f"  {2 * len(unseen):,} names asked, {len(named):,} given, the others left open")
    print(f"  {'bin':<5}{'names':>7}{'from':>8}{'to':>8}{'stated':>9}{'true':>8}{'differ':>8}")
    is_held = True
    for number, some in enumerate(bins(named), start=1):
        stated = sum(confidence for confidence, _ in some) / len(some)
        true = sum(is_right for _, is_right in some) / len(some)
        is_held = is_held and abs(stated - true) <= MAX_DIFFERENCE
        print(
            f"  {number:<5}{len(some):>7}{some[0][0]:>8.3f}{some[-1][0]:>8.3f}"
            f"{stated:>9.3f}{true:>8.3f}{abs(stated - true):>8.3f}"
        )
    print(f"  target{MAX_DIFFERENCE:>47.3f}")
    low = [one for one in named if one[0] < LOW]
    if low:
        stated, true = (sum(one[place] for one in low) / len(low) for place in range(2))
        print(f"  below {LOW}: {len(low)} names, stated {stated:.3f}, true {true:.3f}")
    print()
    return is_held


def bins(named: list[tuple[float, bool]]) -> Iterator[list[tuple[float, bool]]]:
    """Yield the names in as many parts of nearly equal size, the least sure first."""
    ordered = sorted(named, key=lambda one: one[0])
    ends = [round(len(ordered) * place / BINS) for place in range(BINS + 1)]
    for start, end in pairwise(ends):
        if end > start:
            yield ordered[start:end]


def _leave_out(store: GlossaryStore, names: list[str]) -> float:
    """Take terms out of the edition and learn the rest anew; return the seconds of measuring."""
    source = Source("bench", "public", store.editions()[0].edition, "rest", "", "")
    with store.writing() as connection:
        connection.executemany(
            "DELETE FROM entry WHERE kind = 'term' AND name = ?", ((name,) for name in names)
        )
        writer = EditionWriter(connection, source)
        writer.remove_learned()
        learn(writer, ImportReport("bench", "", "", ""))
        began = time.process_time()
        measure(connection, writer.edition_id)
        return time.process_time() - began


if __name__ == "__main__":
    sys.exit(main())
