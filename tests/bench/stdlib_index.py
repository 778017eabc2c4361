"""Whether Python's own library gives the same index on an idle machine and on a busy one.

It is indexed twice from nothing, its tests included where they are installed: once alone, once
beside eight processes that never rest. A digest of every row tells whether the two are the same.
"""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from minerva_insilico.core.index.indexer import Indexed, index_tree

BUSY_LOOPS = 8
LEFT_OUT = shutil.ignore_patterns("site-packages", "__pycache__", "*.pyc", "*.so", "*.a", "*.whl")


def main() -> int:
    """Print both runs; return 1 if they differ."""
    library = Path(sysconfig.get_path("stdlib"))
    with TemporaryDirectory() as folder:
        root = Path(folder) / "library"
        shutil.copytree(library, root, ignore=LEFT_OUT, symlinks=True)
        has_tests = (root / "test").is_dir()
        print(f"{library}, {'with' if has_tests else 'without'} its tests")
        heads = f"{'files':>7}{'parsed':>8}{'rows':>11}{'CPU s':>7}{'wall s':>8}"
        print(f"  {'beside':<14}{heads}  digest")
        idle = _measured(root, Path(folder) / "idle", "nothing")
        with busy(BUSY_LOOPS):
            loaded = _measured(root, Path(folder) / "loaded", f"{BUSY_LOOPS} busy loops")
    same = idle == loaded
    print(f"  the two are {'the same' if same else 'DIFFERENT'}")
    return 0 if same else 1


def _measured(root: Path, home: Path, beside: str) -> str:
    began, began_cpu = time.monotonic(), _cpu()
    found = index_tree(root, home=home)
    wall, cpu = time.monotonic() - began, _cpu() - began_cpu
    digest, rows = digest_of(found.database)
    print(
        f"  {beside:<14}{found.files:>7,}{found.parsed:>8,}{rows:>11,}{cpu:>7.1f}{wall:>8.1f}"
        f"  {digest[:16]}"
    )
    print(
        f"  {'':<14}not parsed: {_reasons(found)}; missing for a limit: {len(found.limited_files)}"
    )
    return digest


def _reasons(found: Indexed) -> str:
    counts = Counter(item.reason for item in found.failed)
    return ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items())) or "none"


def digest_of(database: Path) -> tuple[str, int]:
    """Return a digest of every row of an index, and how many rows there are.

    What names the place of the tree is no row of a file. How full-text search lays its words out
    follows from when rows were committed; the words themselves are compared.
    """
    digest, rows = hashlib.sha256(), 0
    with closing(sqlite3.connect(database)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (name,) in sorted(tables.fetchall()):
            if name == "meta" or "_words_" in name:
                continue
            for row in connection.execute(f'SELECT * FROM "{name}"'):  # noqa: S608  # its own name
                digest.update(repr(row).encode())
                rows += 1
    return digest.hexdigest(), rows


@contextmanager
def busy(loops: int) -> Generator[None]:
    """Keep `loops` processes busy, and end each of them."""
    started = [
        subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])  # our own
        for _ in range(loops)
    ]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def _cpu() -> float:
    own = os.times()
    return own.user + own.system + own.children_user + own.children_system


if __name__ == "__main__":
    sys.exit(main())
