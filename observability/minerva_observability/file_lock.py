"""Locks on files, between the processes of one machine.

The kernel releases a lock when its process ends, killed or not, so no lock is ever left behind.
A lock belongs to the open file, so two descriptors in one process also exclude each other.
"""

import fcntl
import os
import time
from pathlib import Path
from typing import Final

_PAUSE_S: Final = 0.05
"""Seconds between two tries for a lock that another process holds."""


def open_lock_file(path: Path) -> int:
    """Return a descriptor of the lock file `path`, which is made if it does not exist."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def take_lock(descriptor: int, *, is_shared: bool = False) -> bool:
    """True if the file is locked now; False if another holder has a lock that excludes this one.

    Several holders may have a shared lock at the same time. An exclusive lock has one holder.

    Raises:
        OSError: the file system has no locks.
    """
    try:
        fcntl.flock(descriptor, _kind(is_shared=is_shared) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def take_lock_within(descriptor: int, *, seconds: float) -> bool:
    """True if the file is locked now; False if others held the lock for all of `seconds`.

    Raises:
        OSError: the file system has no locks.
    """
    until = time.monotonic() + seconds
    while not take_lock(descriptor):
        if time.monotonic() >= until:
            return False
        time.sleep(_PAUSE_S)
    return True


def wait_for_lock(descriptor: int, *, is_shared: bool = False) -> None:
    """Lock the file, and wait for as long as others hold the lock.

    Raises:
        OSError: the file system has no locks.
    """
    fcntl.flock(descriptor, _kind(is_shared=is_shared))


def release_lock(descriptor: int) -> None:
    """Release the lock. Closing the last descriptor of the open file does the same."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)


def _kind(*, is_shared: bool) -> int:
    return fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
