"""Read what JavaScript projects declare: package.json, and npm's locks of all versions."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from minerva_reading.manifests.manifest import Library, Lines, Manifest, ShapeError
from minerva_reading.manifests.python_manifest import parse_object

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
        for name, wanted in _table(data.get(group)).items():
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
        found.entries += _packages(_table(data["packages"]), lines)
    elif isinstance(data.get("dependencies"), dict):
        found.entries += _nested_packages(_table(data["dependencies"]), lines, 0)
    elif "lockfileVersion" not in data:
        raise ShapeError
    return found


def _packages(packages: Mapping[str, Any], lines: Lines) -> Iterator[Library]:
    """Give the packages of versions 2 and 3, by their place below node_modules."""
    for place, value in packages.items():
        package = _table(value)
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
        package = _table(value)
        line = lines.of(f'"{name}"')
        yield Library(name, str(package.get("version", "")), "", line, "npm")
        yield from _nested_packages(_table(package.get("dependencies")), lines, depth + 1)


def _table(value: object) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
