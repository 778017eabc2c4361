"""The boundary of reading: regular files inside the root, and nothing else.

An indexed tree may be hostile. Links are not followed, pipes and devices are not opened, and huge
files are skipped. Each of them that looks like a source is reported, so that an answer never
pretends to have seen it.
"""

import os
import stat
from difflib import get_close_matches
from pathlib import Path, PurePosixPath

from minerva_insilico.core.facts.errors import UnreadableRootError, UnreadableSourceError
from minerva_insilico.core.facts.unread import MAX_BYTES
from minerva_platform.text import real_path

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe must not block the open
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_root(root: Path) -> Path:
    """Return the real path of `root`, a directory.

    Raises:
        UnreadableRootError: the root is missing, no directory, or may not be listed.
    """
    try:
        real = Path(
            os.path.realpath(root, strict=True)
        )  # `Path.resolve` raises no OSError on loops
        with os.scandir(real):
            pass
        str(real).encode()
    except NotADirectoryError:
        raise UnreadableRootError(root, "not_directory") from None
    except FileNotFoundError:
        raise UnreadableRootError(root, "missing", _similar(root)) from None
    except ValueError as error:  # a NUL, or a byte that is no UTF-8
        raise UnreadableRootError(root, "not_text") from error
    except OSError as error:
        raise UnreadableRootError(root, "unreadable", (error.strerror or "",)) from error
    return real


def _similar(root: Path) -> tuple[str, ...]:
    """Return the neighbours of a missing path that have a similar name."""
    try:
        beside = [item.name for item in root.parent.iterdir()]
    except OSError:
        return ()
    return tuple(str(root.parent / name) for name in get_close_matches(root.name, beside))


def read_source(root: Path, path: str, *, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of the regular file `path` under `root`; `path` may be masked.

    Raises:
        UnreadableSourceError: the path leaves the root, is no regular file, is too large, or has
            gone.
    """
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or PurePosixPath(path).is_absolute():
        raise UnreadableSourceError(path, "outside")
    try:
        target = real_path(root.joinpath(*parts))
        if os.path.realpath(target.parent) != str(target.parent):
            raise UnreadableSourceError(path, "link")
        content = _read_regular(target, limit + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise UnreadableSourceError(path, reason) from error
    if content is None:
        raise UnreadableSourceError(path, "not_regular")
    if len(content) > limit:
        raise UnreadableSourceError(path, "too_large")
    return content


def _read_regular(target: Path, limit: int) -> bytes | None:
    """Return the first bytes of a file. None if it is a folder, a pipe or a device."""
    descriptor = os.open(target, _OPEN_FLAGS)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(descriptor)
