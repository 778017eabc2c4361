"""pytest's bytecode of the tests: a worker of xdist writes its share, and reads the others'.

On a fresh clone, each of them would rewrite every file, all of them the same one at a time.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import (
    PYC_TAIL,
    _rewrite_test,  # pyright: ignore[reportPrivateUsage]  # pytest gives it no other name
    _write_pyc,  # pyright: ignore[reportPrivateUsage]  # see above
    assertstate_key,
)


def write_share(config: pytest.Config, folder: Path) -> None:
    """Write what is missing of this worker's share of the tests in a folder."""
    worker: dict[str, object] | None = getattr(config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode:
        return
    number, count = int(str(worker["workerid"]).removeprefix("gw")), int(str(worker["workercount"]))
    for path in [*_test_files(config, folder)][number::count]:
        written = path.parent / "__pycache__" / f"{path.stem}{PYC_TAIL}"
        if written.exists() and written.stat().st_mtime >= path.stat().st_mtime:
            continue
        written.parent.mkdir(exist_ok=True)
        source_hash, code = _rewrite_test(path, config)
        _write_pyc(config.stash[assertstate_key], code, source_hash, written)


def _test_files(config: pytest.Config, folder: Path) -> Iterator[Path]:
    apart = {"chaos", *config.getini("norecursedirs")}
    for path in sorted(folder.rglob("test_*.py")):
        if apart.isdisjoint(path.relative_to(folder).parts):
            yield path
