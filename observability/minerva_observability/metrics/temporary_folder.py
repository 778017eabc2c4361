"""A temporary folder that is deleted even if its process is killed.

A killed process cannot delete its folder, so the next process that makes one does. The owner of a
folder holds a lock on it, which the kernel releases when the owner's process ends.
"""

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Final

from minerva_observability.file_lock import take_lock, wait_for_lock

_PREFIX: Final = "minerva-store-"
_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class TemporaryFolder:
    """A new folder in the system's temporary folder, deleted by `close` or with this object."""

    def __init__(self) -> None:
        """Make the folder, and delete those whose owners were killed."""
        parent = Path(tempfile.gettempdir())
        for left in parent.glob(f"{_PREFIX}*"):
            _clear_away(left)
        self.folder, descriptor = _locked_folder()
        self._finalizer = weakref.finalize(self, _delete, self.folder, descriptor)

    def close(self) -> None:
        """Delete the folder and everything in it."""
        self._finalizer()


def _locked_folder() -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        try:
            descriptor = os.open(folder, _FLAGS)
        except FileNotFoundError:  # another process deleted it before it was locked
            continue
        wait_for_lock(descriptor, shared=True)
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


def _delete(folder: Path, descriptor: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(descriptor)
