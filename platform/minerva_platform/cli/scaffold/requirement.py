"""Find the installed distributions that a new project needs, for its pyproject."""

import ast
import json
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import Distribution, distribution, distributions, packages_distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from minerva_platform.calls.team_code import TeamCodeError, run_team_code


def imports_of(file: Path) -> set[str]:
    """Return the modules that a file imports; `.` stands for its own package."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):  # importing it says so better
        return set()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." if node.level else str(node.module))
    return found


def requirement_of(module: str) -> str | None:
    """Return the line of a pyproject that brings `module`; None for Python's own."""
    is_standard = module.partition(".")[0] in sys.stdlib_module_names
    found = None if is_standard else distribution_of(module)
    if found is None or found.name == "minerva-platform":
        return None
    return f"{found.name}>={found.version.partition('+')[0]}"


def distribution_of(module: str) -> Distribution | None:
    """Return the installed distribution that brings `module`, also one installed in place."""
    names = _homes(tuple(sys.path)).get(module.partition(".")[0], [])
    if len(names) == 1:
        return distribution(names[0])
    file = file_of(module)
    if file is None:
        return distribution(names[0]) if names else None
    for found in map(distribution, names):  # they share a name, as all of `langgraph` do
        if any(Path(str(found.locate_file(path))) == file for path in found.files or ()):
            return found
    in_place = [(folder, found) for found in distributions() if (folder := _folder(found))]
    around = [pair for pair in in_place if file.resolve().is_relative_to(pair[0].resolve())]
    return max(around, key=lambda pair: len(pair[0].parts))[1] if around else None


def file_of(module: str) -> Path | None:
    """Return the file of a module; finding it imports the packages that it is in."""
    try:
        spec = run_team_code(lambda: find_spec(module))
    except TeamCodeError:
        return None
    return Path(spec.origin) if spec is not None and spec.origin is not None else None


@cache
def _homes(path: tuple[str, ...]) -> Mapping[str, list[str]]:  # noqa: ARG001  # another path, other homes
    return packages_distributions()


def _folder(found: Distribution) -> Path | None:
    """Return the folder of a distribution that is installed in place (`pip install -e`)."""
    said = found.read_text("direct_url.json")
    if said is None:
        return None
    address: dict[str, Any] = json.loads(said)
    is_in_place = address.get("dir_info", {}).get("editable", False)
    return Path(unquote(urlsplit(str(address["url"])).path)) if is_in_place else None
