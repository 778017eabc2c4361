"""Read the libraries that a manifest or a lock of any kind names."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import Final, Literal

from minerva_platform.text import read_words
from minerva_reading.manifests.manifest import Manifest, ShapeError
from minerva_reading.manifests.node_manifest import read_package, read_package_lock
from minerva_reading.manifests.python_manifest import (
    read_metadata,
    read_pipfile_lock,
    read_requirements,
    read_tables,
)
from minerva_reading.text_file import read_text
from minerva_reading.unreadable import UnreadableError

ManifestKind = Literal[
    "requirements", "tables", "pipfile_lock", "package", "package_lock", "metadata"
]
"""How a manifest is read; the names are those of `words/manifests.toml`."""

_WORDS = read_words("minerva_reading.manifests", "manifests")
_BY_NAME: Final[tuple[ManifestKind, ...]] = (
    *("requirements", "tables", "pipfile_lock", "package", "package_lock"),
)

MAX_BYTES: Final = 32 * 1024 * 1024
"""A lock of 10,000 packages has about 6 MiB."""

_READERS: Final[dict[ManifestKind, Callable[[str], Manifest]]] = {
    "requirements": read_requirements,
    "tables": read_tables,
    "pipfile_lock": read_pipfile_lock,
    "package": read_package,
    "package_lock": read_package_lock,
    "metadata": read_metadata,
}


def read_manifests(path: Path) -> Manifest:
    """Return the libraries that a manifest, a lock or a distribution's metadata names.

    It is read as text, and nothing of it is run. Unlike `read_declarations` it keeps versions,
    licences and locks, drops the groups of requirements, and refuses a file that is no manifest.

    Raises:
        UnreadableError: it cannot be opened, or is no manifest of the kind that its name says.
    """
    kind = manifest_kind(path)
    if kind is None:
        raise UnreadableError(reason="no_manifest")
    text = read_text(path, max_bytes=MAX_BYTES).text
    try:
        manifest = _READERS[kind](text)
    except (ShapeError, RecursionError):
        raise UnreadableError(reason="no_manifest") from None
    if manifest.bad_lines and not manifest.entries:  # a text that only has such a name
        raise UnreadableError(reason="no_manifest")
    return manifest


def manifest_kind(path: PurePath) -> ManifestKind | None:
    """Return how the file at `path` is read as a manifest, or None if its name is of none."""
    for kind in _BY_NAME:
        if _is_named(path, kind):
            return kind
    if _is_named(path, "metadata") and _is_named(path.parent, "metadata_folder"):
        return "metadata"
    is_text = path.suffix.casefold() == ".txt"
    return "requirements" if is_text and _is_named(path.parent, "requirements_folder") else None


def is_unread_manifest(path: PurePath) -> bool:
    """True if the file at `path` declares libraries in a form that is not read."""
    return _is_named(path, "unread")


def _is_named(path: PurePath, words: str) -> bool:
    return any(fnmatchcase(path.name.casefold(), pattern) for pattern in _WORDS[words])
