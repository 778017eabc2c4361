"""What others build on: every public name is there, is explained, and is all that teams use."""

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import minerva_platform

ROOT = Path(__file__).parents[1]
PUBLIC = (
    "minerva_platform",
    "minerva_platform.cli_kit",
    "minerva_platform.config",
    "minerva_platform.langgraph",
    "minerva_platform.models",
    "minerva_platform.routing",
    "minerva_platform.testing",
    "minerva_platform.text",
    "minerva_reading",
    "minerva_observability",
    "minerva_observability.compaction",
    "minerva_observability.file_lock",
    "minerva_observability.http_access",
    "minerva_observability.lazy",
    "minerva_observability.masking",
    "minerva_observability.metrics",
    "minerva_observability.records",
    "minerva_observability.sinks",
    "minerva_observability.testing",
    "minerva_observability.tracing",
)
FACE = {
    *("Platform", "Team", "agent", "BaseAgent", "AgentInput", "AgentOutput", "WorkerState"),
    *("Model", "Router"),
    *("Attachment", "AttachmentUse", "Handoff", "Citation", "Artifact", "Task", "Result", "Run"),
    *("RunEvent", "RunLimits", "Turn", "Interrupt", "Decision", "ask_approval", "ask_person"),
    *("effect", "effect_key", "Shown", "Transfer", "progress"),
}
"""What a newcomer sees of the platform, beside its errors."""
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


def source(name: str) -> str:
    """Return the text of a module."""
    return Path(str(import_module(name).__file__)).read_text(encoding="utf-8")


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


@pytest.mark.parametrize("name", [name for name in PACKAGES if "lazy_names(__" in source(name)])
def test_type_checkers_know_what_is_loaded_when_it_is_used(name: str) -> None:
    """A lazy package gives what its imports for type checkers say, from the same module."""
    tree = ast.parse(source(name))
    told = {
        alias.asname: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        if alias.asname
    }
    package = import_module(name)
    own = {getattr(node, "name", "") for node in tree.body}
    own |= {
        each.name for node in tree.body if isinstance(node, ast.ImportFrom) for each in node.names
    }

    assert set(told) == set(exported(name)) - own
    for item, module in told.items():
        assert getattr(package, item) is getattr(import_module(module), item)


def test_the_platform_shows_what_a_newcomer_needs() -> None:
    """The rest is in submodules, by name."""
    shown = {
        name
        for name in exported("minerva_platform")
        if not issubclass(type(getattr(minerva_platform, name)), type)
        or not issubclass(getattr(minerva_platform, name), Exception)
    }

    assert shown == FACE


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


@pytest.mark.slow
@pytest.mark.parametrize("team", TEAMS)
def test_a_team_uses_only_the_public_api(team: str) -> None:
    """Whatever is not public may change tomorrow without a word to the teams."""
    inner = [
        f"{file}: from {module} import {name}"
        for file, module, name in imports(TEAMS[team])
        if module not in PUBLIC or (name and name not in exported(module))
    ]

    assert inner == []
