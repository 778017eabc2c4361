"""The folder of artifacts as a whole: what lies there, what nobody uses, what is removed."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from minerva_platform.storage.artifacts import locked_folder

FOLDER: Final = "artifacts"
"""Below the home."""

SETTLED_S: Final = 3600.0
"""Seconds after which a run that gave an artifact has written the rows that name it, or never will.
A run's deadline is 300 s by default, and its checkpoints are written more often."""

_NAME: Final = re.compile(r"[0-9a-f]{64}")
_PART: Final = ".part-"


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the folder, as it was seen."""

    path: Path
    bytes: int
    changed_ns: int
    """When a run last gave its content: the file's time, nanoseconds since 1970."""

    @property
    def digest(self) -> str:
        """The sha-256 that the content should have."""
        return self.path.name

    def has_settled(self, now: float, *, before: float | None = None) -> bool:
        """True if no run that is at work can have given it. `before`: the first of them began."""
        limit = now - SETTLED_S if before is None else min(before, now - SETTLED_S)
        return self.changed_ns < limit * 1e9


def stored_files(home: Path) -> dict[str, StoredFile]:
    """Return the artifacts that lie in the home, by their sha-256."""
    return {file.digest: file for file in _files(home) if _NAME.fullmatch(file.path.name)}


def unfinished_files(home: Path, now: float) -> list[StoredFile]:
    """Return what killed processes left half-written."""
    return [
        file for file in _files(home) if file.path.name.startswith(_PART) and file.has_settled(now)
    ]


def remove_files(
    home: Path, files: Collection[StoredFile], *, if_unchanged: bool = True
) -> tuple[int, int]:
    """Remove files; return how many went, and their bytes.

    No artifact is written meanwhile. With `if_unchanged`, one that a run has given since `files`
    were seen stays.
    """
    if not files:
        return 0, 0
    count = size = 0
    with locked_folder(home / FOLDER):
        for file in files:
            now = _seen(file.path)
            if now is None or (if_unchanged and now.changed_ns != file.changed_ns):
                continue
            file.path.unlink(missing_ok=True)
            count, size = count + 1, size + now.bytes
    return count, size


def _files(home: Path) -> Iterator[StoredFile]:
    try:
        paths = sorted((home / FOLDER).iterdir())
    except FileNotFoundError:
        return
    for path in paths:
        if (file := _seen(path)) is not None:
            yield file


def _seen(path: Path) -> StoredFile | None:
    try:
        state = path.stat()
    except FileNotFoundError:  # removed since the folder was listed
        return None
    return StoredFile(path, state.st_size, state.st_mtime_ns)
