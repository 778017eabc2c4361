"""What may be read: regular files inside the root, and nothing else.

A tree that is indexed may be hostile. Links are not followed, pipes and
devices are not opened, huge files are left alone; each one that looks like a
source is reported, so that an answer never pretends to have seen it.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from minerva_insilico.core.facts.fault import UnreadableRootError, UnreadableSourceError

MAX_BYTES = 8 * 1024 * 1024
"""A source file larger than this is skipped: people do not write 8 MiB of Python."""

LINK = "it is a link, and links are not followed"
NOT_REGULAR = "it is not a regular file"
NOT_TEXT_NAME = "its name is not UTF-8 text"
TOO_LARGE = f"it is larger than {MAX_BYTES:,} bytes"
OUTSIDE = "it is outside the indexed directory"

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not block the open
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True)
class Skipped:
    """A file or directory that was not read, and why."""

    path: str
    reason: str


def open_root(root: Path) -> Path:
    """Return the real path of `root`, a directory.

    Raises:
        UnreadableRootError: it is missing, no directory, or may not be listed.
    """
    try:
        real = root.resolve(strict=True)
        with os.scandir(real):
            return real
    except NotADirectoryError:
        raise UnreadableRootError(root, "is not a directory") from None
    except FileNotFoundError:
        raise UnreadableRootError(root, "does not exist") from None
    except OSError as error:
        raise UnreadableRootError(root, f"cannot be read ({error.strerror})") from error


def read_source(root: Path, path: str, *, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of the regular file `path` under `root`.

    Raises:
        UnreadableSourceError: it leaves the root, is no regular file, is too
            large, or has gone.
    """
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or PurePosixPath(path).is_absolute():
        raise UnreadableSourceError(path, OUTSIDE)
    target = root.joinpath(*parts)
    try:
        if os.path.realpath(target.parent) != str(target.parent):
            raise UnreadableSourceError(path, LINK)
        descriptor = os.open(target, _OPEN_FLAGS)
    except OSError as error:
        raise UnreadableSourceError(path, error.strerror or type(error).__name__) from error
    with open(descriptor, "rb", closefd=True) as file:  # noqa: PTH123 - a descriptor, not a path
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableSourceError(path, NOT_REGULAR)
        content = file.read(limit + 1)
    if len(content) > limit:
        raise UnreadableSourceError(path, TOO_LARGE)
    return content
