"""Read the libraries that a manifest or a lock of any kind names; those of JavaScript here."""

from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from typing import Any, Final, Literal

from minerva_platform.text import read_words
from minerva_reading.manifests.manifest import Ecosystem, Library, Lines, Manifest, ShapeError
from minerva_reading.manifests.python_manifest import (
    list_of,
    parse_object,
    read_metadata,
    read_pipfile_lock,
    read_requirements,
    read_tables,
    table_of,
)
from minerva_reading.text_file import read_text
from minerva_reading.unreadable import UnreadableError

_GROUPS: Final = (
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
)
_MARKS: Final = frozenset({*_GROUPS, "name", "version", "scripts", "private", "workspaces"})
"""A package.json has one of these; a data file of that name need not."""
_IN_MODULES: Final = "node_modules/"
_MAX_DEPTH: Final = 100
"""Of modules inside modules, in locks of version 1."""


def read_package(text: str) -> Manifest:
    """Return the libraries of a package.json, or that of an installed package.

    Raises:
        ShapeError: no JSON, or no package.
    """
    data = parse_object(text)
    if not _MARKS & data.keys():
        raise ShapeError
    lines, found = Lines(text), Manifest()
    for group in _GROUPS:
        lines.of(f'"{group}"')
        for name, wanted in table_of(data.get(group)).items():
            version = wanted if isinstance(wanted, str) and wanted[:1].isdigit() else ""
            exact = version if version.replace(".", "").isalnum() and " " not in version else ""
            line = lines.of(f'"{name}"')
            found.entries.append(Library(name, exact, "", line, "npm"))
    return found


def read_package_lock(text: str) -> Manifest:
    """Return the libraries of a package-lock.json.

    Raises:
        ShapeError: no JSON, or no lock.
    """
    data = parse_object(text)
    lines, found = Lines(text), Manifest(is_lock=True)
    if isinstance(data.get("packages"), dict):
        found.entries += _packages(table_of(data["packages"]), lines)
    elif isinstance(data.get("dependencies"), dict):
        found.entries += _nested_packages(table_of(data["dependencies"]), lines, 0)
    elif "lockfileVersion" not in data:
        raise ShapeError
    return found


def _packages(packages: Mapping[str, Any], lines: Lines) -> Iterator[Library]:
    """Give the packages of versions 2 and 3, by their place below node_modules."""
    for place, value in packages.items():
        package = table_of(value)
        if _IN_MODULES not in place or package.get("link"):  # the project and its own parts
            continue
        name = str(package.get("name") or place.rpartition(_IN_MODULES)[2])
        line = lines.of(f'"{place}"')
        licence = package.get("license")
        text = licence if isinstance(licence, str) else ""
        yield Library(name, str(package.get("version", "")), text, line, "npm")


def _nested_packages(packages: Mapping[str, Any], lines: Lines, depth: int) -> Iterator[Library]:
    if depth > _MAX_DEPTH:
        raise ShapeError
    for name, value in packages.items():
        package = table_of(value)
        line = lines.of(f'"{name}"')
        yield Library(name, str(package.get("version", "")), "", line, "npm")
        yield from _nested_packages(table_of(package.get("dependencies")), lines, depth + 1)


def read_sbom(text: str) -> Manifest:
    """Return the components of a CycloneDX bill of materials (ECMA-424), those inside others too.

    Raises:
        ShapeError: no JSON, or no such bill.
    """
    data = parse_object(text)
    if data.get("bomFormat") != "CycloneDX":
        raise ShapeError
    lines, manifest, waiting = Lines(text), Manifest(is_lock=True), [data]
    while waiting:
        components = [table_of(one) for one in list_of(waiting.pop(0).get("components"))]
        waiting += components
        for one in components:
            name, line = str(one.get("name", "")), lines.of(f'"{one.get("name")}"')
            kind = str(one.get("purl", "")).removeprefix("pkg:").partition("/")[0]
            ecosystem: Ecosystem = _ECOSYSTEMS.get(kind, "generic")
            version, licence = str(one.get("version", "")), _licence_of(one.get("licenses"))
            manifest.entries.append(Library(name, version, licence, line, ecosystem))
    return manifest


_ECOSYSTEMS: Final[Mapping[str, Ecosystem]] = {"pypi": "pypi", "npm": "npm"}


def _licence_of(entries: object) -> str:
    """Return the licences of a component as one SPDX expression: all of them hold."""
    licences: list[str] = []
    for entry in list_of(entries):
        one = table_of(table_of(entry).get("license"))
        text = table_of(entry).get("expression") or one.get("id") or one.get("name")
        licences += [str(text)] if text else []
    return " AND ".join(licences)


ManifestKind = Literal[
    "sbom", "requirements", "tables", "pipfile_lock", "package", "package_lock", "metadata"
]
"""How a manifest is read; the names are those of `words/manifests.toml`."""

_WORDS = read_words("minerva_reading.manifests", "manifests")
_BY_NAME: Final[tuple[ManifestKind, ...]] = (
    *("sbom", "requirements", "tables", "pipfile_lock", "package", "package_lock"),
)

MAX_BYTES: Final = 32 * 1024 * 1024
"""A lock of 10,000 packages has about 6 MiB."""

_READERS: Final[dict[ManifestKind, Callable[[str], Manifest]]] = {
    "sbom": read_sbom,
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
