"""Put single files together as a tree, so that they are indexed like one.

The index knows directories only. The copies lie as the files lie below the folder that they share,
so packages keep their shape. What was copied of the same files before is replaced. Values of
persons are masked in the copies and in their names.
"""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from minerva_insilico.core.facts.language import language_of_path
from minerva_insilico.core.facts.unread import MAX_BYTES
from minerva_insilico.core.parsing.masked_source import masked_source
from minerva_platform.text import masked_names

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
            _copy(path, target)
    return root


def places_of(paths: Sequence[Path]) -> list[str]:
    """Return where each of `paths` lies in the tree of all of them, as `/` paths."""
    absolute = _absolute(paths)
    shared = os.path.commonpath([path.parent for path in absolute])
    places = [path.relative_to(shared).as_posix() for path in absolute]
    numbered = {place: number for number, place in enumerate(places)}
    shown = {place: masked for masked, place in masked_names(numbered).items()}
    return [shown[place] for place in places]


def _copy(path: Path, target: Path) -> None:
    """Write a masked copy; of a file that is too large to be read, an empty one of its size."""
    if path.stat().st_size > MAX_BYTES:
        target.touch()
        os.truncate(target, path.stat().st_size)
        return
    target.write_bytes(masked_source(path.read_bytes(), language_of_path(path.name) or ""))


def _absolute(paths: Sequence[Path]) -> list[Path]:
    """Return `paths` in full. Links are kept, so the names stay those of the attachments."""
    return [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100
