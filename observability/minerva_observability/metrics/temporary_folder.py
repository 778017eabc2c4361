"""A folder for what is needed only while a process lives.

A killed process cannot tidy up; the next one that wants such a folder does. The owner of a folder
holds a lock on it, which the kernel takes back with the process.
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
    """A new folder in the system's temporary one; gone when it is closed, or with its owner."""

    def __init__(self) -> None:
        """Make it, and clear away those whose owners were killed."""
        parent = Path(tempfile.gettempdir())
        for left in parent.glob(f"{_PREFIX}*"):
            _clear_away(left)
        self.folder, descriptor = _locked_folder()
        self._finalizer = weakref.finalize(self, _delete, self.folder, descriptor)

    def close(self) -> None:
        """Delete it with all that is in it."""
        self._finalizer()


def _locked_folder() -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        try:
            descriptor = os.open(folder, _FLAGS)
        except FileNotFoundError:  # taken for one that was left, before the lock was ours
            continue
        wait_for_lock(descriptor, shared=True)
        if os.fstat(descriptor).st_nlink:
            return folder, descriptor
        os.close(descriptor)


def _clear_away(folder: Path) -> None:
    try:
        descriptor = os.open(folder, _FLAGS)
    except OSError:  # another user's, or gone
        return
    try:
        if take_lock(descriptor):  # its owner lives no more
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(descriptor)


def _delete(folder: Path, descriptor: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(descriptor)
