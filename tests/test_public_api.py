"""What others build on: every public name is there, is explained, and is all that teams use."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PUBLIC = (
    "minerva_platform",
    "minerva_platform.testing",
    "minerva_observability",
    "minerva_observability.testing",
)
TEAMS = {
    path.parent.name: path.parent
    for pattern in ("teams/*/minerva_*/__init__.py", "tests/external_team/minerva_*/__init__.py")
    for path in sorted(ROOT.glob(pattern))
}
PACKAGES = (*PUBLIC, *(name for name in TEAMS if name != "minerva_calendar"))


@cache
def exported(name: str) -> tuple[str, ...]:
    """Return what a package says is public; of a plain module, what it defines itself."""
    module = import_module(name)
    if hasattr(module, "__path__"):
        return tuple(module.__all__)
    own = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == name]
    return tuple(getattr(module, "__all__", [key for key in own if not key.startswith("_")]))


def imports(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield file, module and name of everything that a package imports from rooms not its own."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                found = [(node.module, alias.name) for alias in node.names]
            elif isinstance(node, ast.Import):
                found = [(alias.name, "") for alias in node.names]
            else:
                continue
            for module, name in found:
                if module.startswith("minerva_") and module.partition(".")[0] != folder.name:
                    yield str(path.relative_to(ROOT)), module, name


def undocumented(module: ModuleType) -> Iterator[str]:
    """Yield the public classes, functions and methods of ours that nobody explained."""
    for name in exported(module.__name__):
        value = getattr(module, name)
        if not (inspect.isclass(value) or inspect.isfunction(value)):
            continue
        if not inspect.getdoc(value):
            yield name
        members = vars(value).items() if inspect.isclass(value) else ()
        for method, function in members:
            if method.startswith("_") or not inspect.isroutine(getattr(value, method)):
                continue
            if not inspect.getdoc(getattr(value, method)) and callable(function):
                yield f"{name}.{method}"


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_name_resolves(name: str) -> None:
    """Names are loaded when they are used, so only a look at each finds a stale one."""
    module = import_module(name)
    names = exported(name)

    assert [missing for missing in names if not hasattr(module, missing)] == []
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", PACKAGES)
def test_everything_public_is_explained(name: str) -> None:
    """A public name without a docstring sends its user into our code."""
    module = import_module(name)

    assert module.__doc__
    assert list(undocumented(module)) == []


@pytest.mark.parametrize("name", PACKAGES)
def test_an_unknown_name_is_an_attribute_error(name: str) -> None:
    """Lazy loading must not turn a typo into something stranger."""
    with pytest.raises(AttributeError, match="nobody"):
        _ = import_module(name).nobody


@pytest.mark.parametrize("team", TEAMS)
def test_a_team_uses_only_the_public_api(team: str) -> None:
    """Whatever is not public may change tomorrow without a word to the teams."""
    inner = [
        f"{file}: from {module} import {name}"
        for file, module, name in imports(TEAMS[team])
        if module not in PUBLIC or (name and name not in exported(module))
    ]

    assert inner == []
