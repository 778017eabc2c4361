"""What a person does when a file system refuses a write or a lock: no room, no locks, read-only."""

import errno
import sqlite3
from typing import Final

READ_ONLY: Final = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_NO_LOCKS: Final = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS})

_MAKE_ROOM: Final = "Make room on its disk, then type the same again: nothing was lost."
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


def remedy_of(error: OSError | sqlite3.Error) -> str:
    """Return what to do about `error`, in a sentence or two."""
    if isinstance(error, sqlite3.Error):
        return _OF_SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, _OTHER)
    for numbers, remedy in ((_FULL, _MAKE_ROOM), (_NO_LOCKS, _MOVE), (READ_ONLY, _GET_ACCESS)):
        if error.errno in numbers:
            return remedy
    return _OTHER
