"""Lay out the files of a stranger's case in a folder, as the person of the case has them."""

import shutil
from pathlib import Path

KEPT_AS = "__init__.py.txt"
"""How the `__init__.py` of a case is kept: a real one would make a package of a tests folder."""


def lay_out(kept: Path, target: Path) -> None:
    """Copy the folder `kept` to `target`, which is not there yet, under its files' own names."""
    shutil.copytree(kept, target)
    for file in target.rglob(KEPT_AS):
        file.rename(file.with_suffix(""))
