"""Each distribution names what it imports: alone, it would otherwise not start."""

import ast
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
ROOMS = sorted(path.parent for path in ROOT.glob("*/pyproject.toml")) + sorted(
    path.parent for path in ROOT.glob("teams/*/pyproject.toml")
)


def project_of(room: Path) -> dict[str, Any]:
    """Return the `[project]` table of a room."""
    table: dict[str, Any] = tomllib.loads((room / "pyproject.toml").read_text("utf-8"))["project"]
    return table


@cache
def homes() -> Mapping[str, Sequence[str]]:
    """Return each package's distributions; what is installed editable says only one of its own."""
    own = {
        path.parent.name: [project_of(room)["name"]]
        for room in ROOMS
        for path in room.glob("minerva_*/__init__.py")
    }
    return {**packages_distributions(), **own}


def imported(room: Path) -> set[str]:
    """Return the top-level modules that a room's code imports, at any depth of a function."""
    return {
        name.partition(".")[0]
        for path in room.glob("minerva_*/**/*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in names_of(node)
    }


def names_of(node: ast.AST) -> Iterator[str]:
    """Yield the modules that a statement imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        yield node.module


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS, ids=lambda path: path.name)
def test_a_distribution_names_what_it_imports(room: Path) -> None:
    """A library that comes along only with another's requirements goes when that one drops it."""
    project = project_of(room)
    extras = chain(*project.get("optional-dependencies", {}).values())
    lines = (*project["dependencies"], *extras)
    declared = {canonicalize_name(Requirement(line).name) for line in lines}
    own = {path.parent.name for path in room.glob("minerva_*/__init__.py")}
    undeclared = {
        name
        for name in imported(room) - own - sys.stdlib_module_names
        if declared.isdisjoint(canonicalize_name(home) for home in homes().get(name, [name]))
    }

    assert undeclared == set()
