"""Put single files together as a tree, so that they are indexed like one.

The index knows directories only. The copies lie as the files lie below the folder that they share,
so packages keep their shape. What was copied of the same files before is replaced.
"""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

FOLDER = "attached"
"""Name of the tree, as an outline shows it."""


def gather_files(paths: Sequence[Path], *, home: Path) -> Path:
    """Copy `paths`, one or more files, into a tree under `home` and return its root.

    A file that cannot be read is not in it.

    Raises:
        OSError: the tree cannot be written.
    """
    digest = hashlib.sha256(b"\0".join(sorted(map(os.fsencode, _absolute(paths))))).hexdigest()
    root = home.absolute() / "insilico" / "single" / digest[:16] / FOLDER
    if root.exists():
        shutil.rmtree(root)
    root.mkdir(mode=0o700, parents=True)
    for path, place in zip(paths, places_of(paths), strict=True):
        target = root / place
        target.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(OSError):  # who asked sees that it is not there
            shutil.copyfile(path, target)
    return root


def places_of(paths: Sequence[Path]) -> list[str]:
    """Return where each of `paths` lies in the tree of all of them, as `/` paths."""
    absolute = _absolute(paths)
    shared = os.path.commonpath([path.parent for path in absolute])
    return [path.relative_to(shared).as_posix() for path in absolute]


def _absolute(paths: Sequence[Path]) -> list[Path]:
    """Return `paths` in full. Links are kept, so the names stay those of the attachments."""
    return [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100
