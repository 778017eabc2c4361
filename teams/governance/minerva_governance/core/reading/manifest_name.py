"""Which files declare libraries, by their names alone: manifests and locks of projects."""

from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import Final, Literal

from minerva_platform.text import read_words

ManifestKind = Literal[
    "requirements", "tables", "pipfile_lock", "package", "package_lock", "metadata"
]
"""How a manifest is read; the names are those of `words/manifests.toml`."""

_WORDS = read_words("minerva_governance.core.reading", "manifests")
_BY_NAME: Final[tuple[ManifestKind, ...]] = (
    *("requirements", "tables", "pipfile_lock", "package", "package_lock"),
)


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
