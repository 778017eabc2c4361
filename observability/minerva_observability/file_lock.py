"""Locks on files, between processes of one machine.

The kernel takes a lock back with its process, however that ends, so no lock is ever left behind.
A lock belongs to the open file: two descriptors of one process keep each other out, too.
"""

import fcntl
import os
import time
from pathlib import Path
from typing import Final

_PAUSE_S: Final = 0.05
"""Seconds between two tries for a lock that another process holds."""


def open_lock_file(path: Path) -> int:
    """Return a descriptor of `path`, an empty file that is there to be locked."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def take_lock(descriptor: int, *, shared: bool = False) -> bool:
    """True if the file is locked now; False if another holder keeps the lock from us.

    Any number of holders share a shared lock; nobody shares the other kind.

    Raises:
        OSError: the file system knows no locks.
    """
    try:
        fcntl.flock(descriptor, _kind(shared=shared) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def take_lock_within(descriptor: int, *, seconds: float) -> bool:
    """True if the file is locked now; False if others held the lock for `seconds`.

    Raises:
        OSError: the file system knows no locks.
    """
    until = time.monotonic() + seconds
    while not take_lock(descriptor):
        if time.monotonic() >= until:
            return False
        time.sleep(_PAUSE_S)
    return True


def wait_for_lock(descriptor: int, *, shared: bool = False) -> None:
    """Lock the file, however long others hold it.

    Raises:
        OSError: the file system knows no locks.
    """
    fcntl.flock(descriptor, _kind(shared=shared))


def release_lock(descriptor: int) -> None:
    """Let others lock the file. Closing its last descriptor does the same."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)


def _kind(*, shared: bool) -> int:
    return fcntl.LOCK_SH if shared else fcntl.LOCK_EX
