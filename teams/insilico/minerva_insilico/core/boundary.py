"""What may be read: regular files inside the root, and nothing else.

A tree that is indexed may be hostile. Links are not followed, pipes and
devices are not opened, huge files are left alone; each one that looks like a
source is reported, so that an answer never pretends to have seen it.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from minerva_insilico.core.fault import UnreadableRootError, UnreadableSourceError

MAX_BYTES = 8 * 1024 * 1024
"""A source file larger than this is skipped: people do not write 8 MiB of Python."""

MAX_FILES = 50_000

LINK = "it is a link, and links are not followed"
NOT_REGULAR = "it is not a regular file"
NOT_TEXT_NAME = "its name is not UTF-8 text"
TOO_LARGE = f"it is larger than {MAX_BYTES:,} bytes"
TOO_MANY = f"the tree has more than {MAX_FILES:,} sources"
OUTSIDE = "it is outside the indexed directory"

EXCLUDED = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".minerva",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".venv",
        "__pycache__",
        "node_modules",
        "venv",
    }
)
"""Directories which hold no source of this project; they are not listed."""

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


@dataclass(frozen=True)
class Listing:
    """The sources under a root, as sorted `/` paths relative to it."""

    files: tuple[str, ...]
    skipped: tuple[Skipped, ...]


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


def list_sources(root: Path) -> Listing:
    """List the `*.py` files under `root` without following a single link."""
    files: list[str] = []
    skipped: list[Skipped] = []
    pending = [""]
    while pending:
        folder = pending.pop()
        for entry in _entries(root, folder, skipped):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not _is_text(path):
                skipped.append(Skipped(ascii(path), NOT_TEXT_NAME))
            elif entry.is_symlink():
                skipped.append(Skipped(path, LINK))
            elif entry.is_dir(follow_symlinks=False):
                if not _is_excluded(root, path, entry.name):
                    pending.append(path)
            elif entry.name.endswith(".py"):
                _sort_file(entry, path, files, skipped)
    files.sort()
    skipped.extend(Skipped(path, TOO_MANY) for path in files[MAX_FILES:])
    return Listing(tuple(files[:MAX_FILES]), tuple(sorted(skipped, key=lambda item: item.path)))


def read_source(root: Path, path: str) -> bytes:
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
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise UnreadableSourceError(path, TOO_LARGE)
    return content


def _entries(root: Path, folder: str, skipped: list[Skipped]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(root / folder) as entries:
            return list(entries)
    except OSError as error:
        skipped.append(Skipped(folder or ".", error.strerror or type(error).__name__))
        return []


def _sort_file(
    entry: os.DirEntry[str], path: str, files: list[str], skipped: list[Skipped]
) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError as error:
        skipped.append(Skipped(path, error.strerror or type(error).__name__))
        return
    if not stat.S_ISREG(status.st_mode):
        skipped.append(Skipped(path, NOT_REGULAR))
    elif status.st_size > MAX_BYTES:
        skipped.append(Skipped(path, TOO_LARGE))
    else:
        files.append(path)


def _is_excluded(root: Path, path: str, name: str) -> bool:
    return name in EXCLUDED or (root / path / "pyvenv.cfg").is_file()


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
