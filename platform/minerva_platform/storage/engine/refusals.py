"""What a person does when a file system refuses a write or a lock: no room, no locks, read-only."""

import errno
import os
import sqlite3
from pathlib import Path
from typing import Final

NEEDED_BYTES: Final = 256 * 1024
"""About what a run, or opening a database, needs of the disk at once."""
READ_ONLY: Final = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_LOCKS: Final = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS})

_MAKE_ROOM: Final = (
    "Its disk is full, or your quota of it. Make room there by removing other files (`prune` and "
    "`forget` need room themselves), then type the same again: nothing was lost."
)
_MOVE: Final = "Its file system has no locks. Set MINERVA_HOME to a folder on a local disk."
_GET_ACCESS: Final = (
    "It can be read here, but not written. Make it writable, or set MINERVA_HOME to a folder of "
    "yours."
)
_OTHER: Final = "Move it away, or set `keep_state: false` in platform.yaml."

_OF_SQLITE: Final = {
    sqlite3.SQLITE_FULL: _MAKE_ROOM,
    sqlite3.SQLITE_IOERR: "See that its disk works and has room, then type the same again.",
    sqlite3.SQLITE_READONLY: _GET_ACCESS,
}


def remedy_of(error: OSError | sqlite3.Error, place: Path) -> str:
    """Return what to do about `error` at a file or folder, in a sentence or two."""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        is_vague = code in {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}
        return _MAKE_ROOM if is_vague and _is_full(place) else _OF_SQLITE.get(code, _OTHER)
    for numbers, remedy in ((_FULL, _MAKE_ROOM), (_NO_LOCKS, _MOVE), (READ_ONLY, _GET_ACCESS)):
        if error.errno in numbers:
            return remedy
    return _OTHER


def _is_full(file: Path) -> bool:
    """True if SQLite may have had no room for the memory that processes share (`-shm`)."""
    try:
        disk = os.statvfs(file.parent)
    except OSError:  # the folder is gone
        return False
    return disk.f_bavail * disk.f_frsize < NEEDED_BYTES or disk.f_files > disk.f_favail == 0
