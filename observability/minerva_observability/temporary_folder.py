"""Temporary folders that go with their process, whatever ends it."""

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Final

from minerva_observability.file_lock import take_lock, wait_for_lock

_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TemporaryFolder:
    """A new folder, deleted by `close` or with this object, by the process that made it.

    A killed process cannot delete its folder, so the next process that makes one does. The owner of
    a folder holds a lock on it, which the kernel releases when the owner's process ends.
    """

    def __init__(self, prefix: str, *, parent: Path | None = None) -> None:
        """Make it in `parent`, else in the system's, and delete those whose owners were killed."""
        parent = parent or Path(tempfile.gettempdir())
        for left in parent.glob(f"{prefix}*"):
            _clear_away(left)
        self.folder, descriptor = _locked_folder(prefix, parent)
        self._finalizer = weakref.finalize(self, _delete, self.folder, descriptor, os.getpid())

    def close(self) -> None:
        """Delete the folder and everything in it."""
        self._finalizer()


def _locked_folder(prefix: str, parent: Path) -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        try:
            descriptor = os.open(folder, _FLAGS)
        except FileNotFoundError:  # another process deleted it before it was locked
            continue
        wait_for_lock(descriptor, is_shared=True)
        if os.fstat(descriptor).st_nlink:
            return folder, descriptor
        os.close(descriptor)


def _clear_away(folder: Path) -> None:
    try:
        descriptor = os.open(folder, _FLAGS)
    except OSError:  # another user owns it, or it no longer exists
        return
    try:
        if take_lock(descriptor):  # its owner has ended
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)


def _delete(folder: Path, descriptor: int, pid: int) -> None:
    if os.getpid() == pid:  # a forked child has the folder from its parent
        shutil.rmtree(folder, ignore_errors=True)
    os.close(descriptor)
