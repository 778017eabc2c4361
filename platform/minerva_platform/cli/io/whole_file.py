"""Write a file whole or not at all, so that nobody reads half of one."""

import os
import stat
import tempfile
from pathlib import Path

_DEFAULT_MODE = 0o666


def write_whole(target: Path, data: bytes) -> None:
    """Write `data` beside `target`, then take its place; a link there is replaced, not followed.

    Raises:
        OSError: it cannot be written. What was there is untouched.
    """
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".part-")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(_mode(target))
        Path(temporary).replace(target)
    except OSError:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """Return the permissions of the file that is replaced, or those of a new one."""
    try:
        found = target.lstat().st_mode
    except FileNotFoundError:
        found = 0
    return stat.S_IMODE(found) if stat.S_ISREG(found) else _DEFAULT_MODE & ~_umask()


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
