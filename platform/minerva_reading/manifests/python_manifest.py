"""Read what Python projects declare: as text, never by running a build."""

import json
import tomllib
from collections.abc import Iterable, Mapping
from email.parser import HeaderParser
from typing import Any, cast

from packaging.requirements import InvalidRequirement, Requirement

from minerva_reading.manifests.manifest import Library, Lines, Manifest, ShapeError

_INCLUDES = ("-r", "--requirement", "-c", "--constraint")
_OWN_SOURCES = frozenset({"editable", "virtual", "directory", "path"})
"""Where a lock takes the project's own parts from: they are no libraries."""
_TROVE = "License ::"


def read_requirements(text: str) -> Manifest:
    """Return the libraries of a requirements.txt or of a file of constraints."""
    manifest = Manifest()
    number, waiting, first = 0, "", 0
    for number, raw in enumerate(text.splitlines(), 1):
        first = first if waiting else number
        waiting += raw.removesuffix("\\").strip() + " "
        if not raw.endswith("\\"):
            _requirement_line(waiting.strip(), first, manifest)
            waiting = ""
    _requirement_line(waiting.strip(), first or number, manifest)
    manifest.is_lock = bool(manifest.entries) and all(entry.version for entry in manifest.entries)
    return manifest


def _requirement_line(line: str, number: int, manifest: Manifest) -> None:
    line = line.partition(" #")[0].strip()
    if not line or line.startswith("#"):
        return
    option, _, value = line.replace("=", " ", 1).partition(" ")
    if option in _INCLUDES:
        manifest.elsewhere.append(value.strip())
    elif line in {".", "-e .", "--editable .", "-e ./", "./"}:
        return
    elif line.startswith(("-e", "--editable")):
        manifest.bad_lines.append(number)
    elif not line.startswith("-"):  # other options choose indexes and hashes
        _add(line.partition(" --")[0], number, manifest)


def _add(text: str, line: int, manifest: Manifest) -> None:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:  # its text quotes the line
        manifest.bad_lines.append(line)
        return
    pins = [
        each.version
        for each in requirement.specifier
        if each.operator in {"==", "==="} and not each.version.endswith("*")
    ]
    manifest.entries.append(Library(requirement.name, pins[0] if len(pins) == 1 else "", "", line))


def read_tables(text: str) -> Manifest:
    """Return the libraries of a pyproject.toml, or of a lock that is written as TOML.

    Raises:
        ShapeError: no TOML, or neither a project nor a lock.
    """
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):  # its text may quote the file
        raise ShapeError from None
    packages = list_of(data.get("package")) or list_of(data.get("packages"))
    if packages or "lock-version" in data or "requires-python" in data:
        return _lock(packages, Lines(text))
    if not data.keys() & {"project", "build-system", "tool", "dependency-groups"}:
        raise ShapeError
    return _pyproject(data, Lines(text))


def _lock(packages: list[object], lines: Lines) -> Manifest:
    found = Manifest(is_lock=True)
    for package in map(table_of, packages):
        name = str(package.get("name", ""))
        source = table_of(package.get("source"))
        is_own = bool(_OWN_SOURCES & source.keys()) or source.get("type") == "directory"
        line = lines.of(f'name = "{name}"')
        if name and not is_own:
            found.entries.append(Library(name, str(package.get("version", "")), "", line))
    return found


def _pyproject(data: Mapping[str, Any], lines: Lines) -> Manifest:
    found = Manifest()
    project = table_of(data.get("project"))
    groups = [list_of(project.get("dependencies"))]
    groups += [list_of(each) for each in table_of(project.get("optional-dependencies")).values()]
    groups += [list_of(each) for each in table_of(data.get("dependency-groups")).values()]
    for written in (each for group in groups for each in group):
        if isinstance(written, str):
            _add(written, lines.of(f'"{written}"', f"'{written}'"), found)
    dynamic = list_of(project.get("dynamic"))
    found.is_computed = bool({"dependencies", "optional-dependencies"} & set(map(str, dynamic)))
    poetry = table_of(table_of(data.get("tool")).get("poetry"))
    tables = [table_of(poetry.get("dependencies")), table_of(poetry.get("dev-dependencies"))]
    poetry_groups = map(table_of, table_of(poetry.get("group")).values())
    tables += [table_of(group.get("dependencies")) for group in poetry_groups]
    for name, wanted in (item for table in tables for item in table.items()):
        if name != "python" and "path" not in table_of(wanted):
            version = str(table_of(wanted).get("version", wanted))
            pinned = version.removeprefix("==") if version.startswith("==") else ""
            found.entries.append(Library(name, pinned, "", lines.of(f"{name} =", name)))
    return found


def read_pipfile_lock(text: str) -> Manifest:
    """Return the libraries of a Pipfile.lock.

    Raises:
        ShapeError: no JSON, or none of Pipenv's.
    """
    data = parse_object(text)
    if "_meta" not in data:
        raise ShapeError
    lines, found = Lines(text), Manifest(is_lock=True)
    for group in (table_of(value) for key, value in data.items() if key != "_meta"):
        for name, package in group.items():
            version = str(table_of(package).get("version", "")).removeprefix("==")
            found.entries.append(Library(name, version, "", lines.of(f'"{name}"')))
    return found


def read_metadata(text: str) -> Manifest:
    """Return the one library that a METADATA or PKG-INFO file is about.

    Raises:
        ShapeError: it names no distribution.
    """
    headers = HeaderParser().parsestr(text)
    name = str(headers.get("Name", ""))
    if not name:
        raise ShapeError
    licence = licence_of_metadata(
        str(headers.get("License-Expression", "")),
        str(headers.get("License", "")),
        [str(value) for value in headers.get_all("Classifier", [])],
    )
    entry = Library(name, str(headers.get("Version", "")), licence, 1)
    return Manifest([entry], is_lock=True)


def licence_of_metadata(expression: str, licence: str, classifiers: Iterable[str]) -> str:
    """Return what a distribution's metadata says of its licence, the clearest field first.

    Several classifiers do not say whether all or any of them hold, so they say nothing.
    """
    trove = [each for each in classifiers if each.startswith(_TROVE)]
    one = trove[0] if len(trove) == 1 else ""
    text = licence.strip()
    # Some put the whole text into the field; a classifier says it shorter.
    short = text if "\n" not in text and text.upper() not in {"", "UNKNOWN"} else ""
    return expression.strip() or (one if one and not short else "") or short


def parse_object(text: str) -> Mapping[str, Any]:
    """Return the object that a JSON document holds.

    Raises:
        ShapeError: it holds none, or is nested too deeply.
    """
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError):  # its text quotes the content
        raise ShapeError from None
    if not isinstance(data, dict):
        raise ShapeError
    return cast("dict[str, Any]", data)


def table_of(value: object) -> Mapping[str, Any]:
    """Return the table that `value` is; an empty one if it is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def list_of(value: object) -> list[object]:
    """Return the list that `value` is; an empty one if it is none."""
    return cast("list[object]", value) if isinstance(value, list) else []
