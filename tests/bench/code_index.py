"""How fast code is indexed, indexed again and asked, on packages that are installed here.

Each size is indexed in a process of its own, whose CPU time and memory count those of its parsing
processes. The memory is what all of them would take if each were at its peak at the same time.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from typing import Any

from minerva_insilico.core.fields.usage import field_uses
from minerva_insilico.core.index.index import Index
from minerva_insilico.core.index.indexer import ReadLimits, index_tree
from minerva_insilico.core.queries.caller import find_callees, find_callers
from minerva_insilico.core.queries.symbol import find_symbol
from minerva_insilico.core.queries.text import find_sections, find_text

PACKAGES = (
    "sqlglot langchain_core langgraph pydantic rich _pytest fastapi mypy dbos nicegui"
    " sqlalchemy openpyxl hypothesis pygments"
).split()
SIZES = (500, 1_000, 2_000)
MIN_RATE, MAX_MIB, MIN_RATIO = 70, 250, 15
ASKED = 200
TARGETS: dict[str, float | None] = {
    "symbol": 5,
    "callers": 50,
    "callees": None,
    "field_uses": 50,
    "sections": None,
    "text": None,
}


def main() -> int:
    """Print how each size was indexed, and how long questions took on the largest."""
    files = _files()
    print(f"{len(files):,} files of {len(PACKAGES)} installed packages are there")
    print(f"  {'files':>6}{'MB':>7}{'CPU s':>8}{'wall s':>8}{'files/CPU s':>13}{'MiB':>6}"
          f"{'again CPU s':>13}{'ratio':>7}{'index MB':>10}")  # fmt: skip
    with TemporaryDirectory() as folder:
        for size in SIZES:
            _copy(files[:size], Path(folder) / str(size))
            done = subprocess.run([sys.executable, __file__, folder, str(size)], check=False)
            if done.returncode:
                return done.returncode
        print(f"  {'target':>6}{'':>23}{MIN_RATE:>13}{MAX_MIB:>6}{'':>13}{MIN_RATIO:>7}\n")
        _ask(Path(folder), SIZES[-1])
    return 0


def _files() -> list[tuple[Path, Path]]:
    """Return (file, name of the file in the tree) of the packages, in their order."""
    found: list[tuple[Path, Path]] = []
    for name in PACKAGES:
        spec = find_spec(name)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            top = Path(place)
            found += [(path, path.relative_to(top.parent)) for path in sorted(top.rglob("*.py"))]
    return found


def _copy(files: Sequence[tuple[Path, Path]], target: Path) -> None:
    for path, name in files:
        there = target / name
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, there)


def measure(folder: Path, size: int) -> None:
    """Index a tree for the first time and again, and print one line."""
    root, home = folder / str(size), folder / f"home{size}"
    limits = ReadLimits()
    began, began_cpu = time.monotonic(), _cpu()
    found = index_tree(root, home=home, limits=limits)
    cpu, wall = _cpu() - began_cpu, time.monotonic() - began
    parsing = getrusage(RUSAGE_CHILDREN).ru_maxrss * limits.processes
    mib = (getrusage(RUSAGE_SELF).ru_maxrss + parsing) / 1024
    again_began = _cpu()
    again = index_tree(root, home=home, limits=limits)
    again_cpu = _cpu() - again_began
    assert (again.read, again.unchanged) == (0, size), again
    megabytes = sum(path.stat().st_size for path in root.rglob("*.py")) / 1e6
    print(
        f"  {found.files:>6,}{megabytes:>7.1f}{cpu:>8.1f}{wall:>8.1f}{found.files / cpu:>13.0f}"
        f"{mib:>6.0f}{again_cpu:>13.2f}{cpu / again_cpu:>7.0f}"
        f"{found.database.stat().st_size / 1e6:>10.0f}"
    )


def _ask(folder: Path, size: int) -> None:
    """Print how long questions take on a warm index."""
    database = index_tree(folder / str(size), home=folder / f"home{size}").database
    with Index(database) as index:
        names = _sample(index, "SELECT DISTINCT name FROM symbols WHERE kind <> 'module'")
        fields = _sample(index, "SELECT DISTINCT name FROM uses")
        common = _sample(index, "SELECT name FROM uses")
        asked: list[tuple[str, str, Callable[..., Any], Sequence[str]]] = [
            ("symbol", "names of definitions", find_symbol, names),
            ("callers", "names of definitions", find_callers, names),
            ("callees", "names of definitions", find_callees, names),
            ("field_uses", "names that are used", _uses, fields),
            ("field_uses", "the same, common ones more often", _uses, common),
            ("sections", "names of definitions", find_sections, names),
            ("text", "names of definitions", find_text, names[:20]),
        ]
        print(f"  {'question':<12}{'about':<34}{'median ms':>10}{'p95 ms':>8}{'target':>8}")
        for mode, about, ask, queries in asked:
            for query in queries[:10]:
                ask(index, query)
            times = sorted(_ms(ask, index, query) for query in queries)
            target = TARGETS[mode]
            print(
                f"  {mode:<12}{about:<34}{statistics.median(times):>10.2f}"
                f"{times[int(len(times) * 0.95)]:>8.1f}{target or '':>8}"
            )


def _uses(index: Index, name: str) -> object:
    return field_uses(index, [name])


def _sample(index: Index, query: str) -> list[str]:
    names = [str(row[0]) for row in index.connection.execute(query)]
    return random.Random(6).sample(names, ASKED)  # noqa: S311  # no secret


def _ms(ask: Callable[..., Any], index: Index, query: str) -> float:
    began = time.perf_counter()
    ask(index, query)
    return (time.perf_counter() - began) * 1000


def _cpu() -> float:
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system


if __name__ == "__main__":
    measure(Path(sys.argv[1]), int(sys.argv[2]))
