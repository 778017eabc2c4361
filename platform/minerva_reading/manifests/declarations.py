"""Read which distributions a project declares: as text, never by running its build.

Runs in the process that may be killed: a manifest is as foreign as the sources. What a manifest
leaves to another file is named, so that the other is read as well or said to be unread.
"""

import ast
import configparser
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any, Literal, NamedTuple

MAIN_GROUP = "main"
LOCK = "lock"
"""The group of a file that a resolver wrote: it names what others need, too."""

DeclarationProblem = Literal["computed", "dynamic", "nameless", "other", "unread", "wrong"]
"""Why an entry of a manifest names no distribution. `other` has the reader's message."""

_MAX_CHARACTERS = 80
"""Of what a problem quotes."""

_EXTRA, _DEV = "extra:", "dev:"
_DEV_NAME = re.compile(r"(?:^|[^a-z])(?:dev|tests?|docs?|lint|ci|build|typing|tools)(?:[^a-z]|$)")
_RESOLVED = re.compile(r"^\s*#\s+via\b|--hash=", re.MULTILINE)
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9][A-Za-z0-9._-]*)")
_OPTION = re.compile(r"^-(?:e|r|c|f|i)\b|^--")
_PATH = re.compile(r"^[./\\]|://|^git\+")
_LISTS = {"install_requires": MAIN_GROUP, "tests_require": f"{_DEV}tests"}

_INCLUDE = re.compile(r"^(?:-r|--requirement|-c|--constraint)[\s=]*(\S+)")
_FILE = re.compile(r"^\s*file:\s*(.+)$")
"""How setuptools refers to a file of requirements."""

_ITSELF = frozenset({".", "./", "-e .", "-e ./", "--editable ."})
"""How a file of requirements names the project that it lies in."""


class _Requirement(NamedTuple):
    """A manifest's requirements, as written there."""

    text: str
    group: str


class _Reference(NamedTuple):
    """The path of a file that a manifest refers to, relative to its own folder."""

    text: str


class _Problem(NamedTuple):
    """An unreadable entry: its text, its place, and the reader's message."""

    text: str
    kind: DeclarationProblem
    excerpt: str


Found = Iterator[_Requirement | _Reference | _Problem]


def read_declarations(source: bytes, path: str) -> dict[str, Any]:
    """Return what a manifest says.

    Returns:
        `declared` as [name, group, line], `problems` as [line, kind, quoted text], `elsewhere` as
        [path, line] of the files that it refers to, and the name of the `project`.
    """
    text = source.decode("utf-8-sig", "replace")
    name = PurePosixPath(path).name
    result: dict[str, Any] = {
        "declared": [],
        "problems": [],
        "elsewhere": [],
        "project": "",
    }
    try:
        result["project"], found = _READERS.get(name, _requirements)(text, path)
        for item in found:
            _note(result, item, _line_of(text, item.text))
    except (tomllib.TOMLDecodeError, configparser.Error, SyntaxError) as error:
        line = getattr(error, "lineno", None) or 1
        result["problems"].append([line, "other", f"{type(error).__name__}: {error}"])
    return result


def _note(result: dict[str, Any], item: _Requirement | _Reference | _Problem, line: int) -> None:
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - 20 ms, which only this process pays

    match item:
        case _Reference(path):
            result["elsewhere"].append([path, line])
        case _Problem(_, kind, excerpt):
            result["problems"].append([line, kind, excerpt[:_MAX_CHARACTERS]])
        case _Requirement(text, group):
            try:
                result["declared"].append([Requirement(text).name, group, line])
            except InvalidRequirement:
                result["problems"].append([line, "wrong", text[:_MAX_CHARACTERS]])


def _line_of(text: str, part: str) -> int:
    position = text.find(part)
    return text.count("\n", 0, position) + 1 if position >= 0 else 1


def _pyproject(text: str, _path: str) -> tuple[str, Found]:
    data = tomllib.loads(text)
    project = _table(data, "project")
    poetry = _table(_table(data, "tool"), "poetry")
    return str(project.get("name") or poetry.get("name") or ""), _of_pyproject(data, poetry)


def _of_pyproject(data: dict[str, Any], poetry: dict[str, Any]) -> Found:
    project = _table(data, "project")
    yield from _all(project.get("dependencies"), MAIN_GROUP)
    for extra, items in _table(project, "optional-dependencies").items():
        yield from _all(items, f"{_EXTRA}{extra}")
    for group, items in _table(data, "dependency-groups").items():
        yield from _all(items, f"{_DEV}{group}")  # an {include-group = …} is no text
    yield from _of_tools(_table(data, "tool"), project)
    yield from _poetry(_table(poetry, "dependencies"), MAIN_GROUP)
    yield from _poetry(_table(poetry, "dev-dependencies"), f"{_DEV}dev")
    for group, table in _table(poetry, "group").items():
        if isinstance(table, dict):
            yield from _poetry(_table(table, "dependencies"), f"{_DEV}{group}")  # pyright: ignore[reportUnknownArgumentType]


def _of_tools(tools: dict[str, Any], project: dict[str, Any]) -> Found:
    """Yield what the tables of pdm, uv, hatch, flit and setuptools declare."""
    for group, items in _table(_table(tools, "pdm"), "dev-dependencies").items():
        yield from _all(items, f"{_DEV}{group}")
    yield from _all(_table(tools, "uv").get("dev-dependencies"), f"{_DEV}uv")
    for name, environment in _table(_table(tools, "hatch"), "envs").items():
        if isinstance(environment, dict):
            table: dict[str, Any] = environment  # pyright: ignore[reportUnknownVariableType]
            for key in ("dependencies", "extra-dependencies"):
                yield from _all(table.get(key), f"{_DEV}{name}")
    flit = _table(_table(tools, "flit"), "metadata")
    yield from _all(flit.get("requires"), MAIN_GROUP)
    for extra, items in _table(flit, "requires-extra").items():
        yield from _all(items, f"{_EXTRA}{extra}")
    is_elsewhere = False
    for option, found in _table(_table(tools, "setuptools"), "dynamic").items():
        if option == "dependencies" and isinstance(found, dict):
            table = found  # pyright: ignore[reportUnknownVariableType]
            for path in _list(table.get("file")):
                is_elsewhere = True
                yield _Reference(path)
    if "dependencies" in _list(project.get("dynamic")) and not is_elsewhere:
        yield _Problem("dynamic", "dynamic", "dependencies")


def _of_pipfile(data: dict[str, Any]) -> Found:
    """Yield the names: each category but `packages` is for developers."""
    for category, table in data.items():
        if category in {"source", "requires", "scripts", "pipenv"} or not isinstance(table, dict):
            continue
        for name in table:  # pyright: ignore[reportUnknownVariableType]
            is_main = category == "packages"
            yield _Requirement(str(name), MAIN_GROUP if is_main else f"{_DEV}{category}")  # pyright: ignore[reportUnknownArgumentType]


def _poetry(table: dict[str, Any], group: str) -> Found:
    for name in table:
        if name.lower() != "python":
            yield _Requirement(name, group)


def _setup_cfg(text: str, _path: str) -> tuple[str, Found]:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    return parser.get("metadata", "name", fallback=""), _of_setup_cfg(parser)


def _of_setup_cfg(parser: configparser.RawConfigParser) -> Found:
    for option, group in _LISTS.items():
        value = parser.get("options", option, fallback="")
        yield from _references(value) or _all(value.splitlines(), group)
    if parser.has_section("options.extras_require"):
        for extra, items in parser.items("options.extras_require"):
            yield from _all(items.splitlines(), f"{_EXTRA}{extra}")


def _references(value: str) -> list[_Reference]:
    """Return the files that `file: a.txt, b.txt` names, if a value is of that form."""
    match = _FILE.match(value.strip())
    names = match[1].split(",") if match else ()
    return [_Reference(name.strip()) for name in names]


def _setup_py(text: str, _path: str) -> tuple[str, Found]:
    tree = ast.parse(text)
    known = {
        target.id: item.value
        for item in tree.body
        if isinstance(item, ast.Assign)
        for target in item.targets
        if isinstance(target, ast.Name)
    }
    keywords = {
        item.arg: known.get(item.value.id, item.value)
        if isinstance(item.value, ast.Name)
        else item.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _is_setup(node.func)
        for item in node.keywords
        if item.arg
    }
    name = _literal(keywords.get("name"))
    return name if isinstance(name, str) else "", _of_setup_py(keywords)


def _of_setup_py(keywords: dict[str, ast.expr]) -> Found:
    for option, group in _LISTS.items():
        if option in keywords:
            value = _literal(keywords[option])
            if isinstance(value, list | tuple | set):
                yield from _all(value, group)
            else:
                yield _Problem(option, "computed", option)
    extras: Any = _literal(keywords.get("extras_require"))
    if isinstance(extras, dict):
        for extra, items in extras.items():  # pyright: ignore[reportUnknownVariableType]
            yield from _all(items, f"{_EXTRA}{extra}")
    elif "extras_require" in keywords:
        yield _Problem("extras_require", "computed", "extras_require")


def _is_setup(function: ast.expr) -> bool:
    return getattr(function, "id", getattr(function, "attr", "")) == "setup"


def _literal(node: ast.expr | None) -> Any:
    try:
        return ast.literal_eval(node) if node else None
    except (ValueError, TypeError, SyntaxError):
        return None


def _requirements(text: str, path: str) -> tuple[str, Found]:
    if _RESOLVED.search(text):
        group = LOCK
    else:
        stem = path.removesuffix(".txt").removesuffix(".in").lower()
        match = _DEV_NAME.search(stem.replace("requirements", " "))
        group = f"{_DEV}{PurePosixPath(path).stem}" if match else MAIN_GROUP
    return "", _of_requirements(text, group)


def _of_requirements(text: str, group: str) -> Found:
    for raw in re.sub(r"\\\r?\n", " ", text).splitlines():
        line = re.sub(r"(?:^|\s)#.*", "", raw).strip()
        egg = _EGG.search(raw)
        include = _INCLUDE.match(line)
        if include:
            yield _Reference(include[1])
        elif egg:
            yield _Requirement(egg[1], group)
        elif line in _ITSELF:
            continue
        elif _PATH.match(line) or line.startswith(("-e ", "--editable")):
            yield _Problem(line, "nameless", line)
        elif line and not _OPTION.match(line):
            yield _Requirement(re.split(r"\s--", line)[0].strip(), group)


def _all(items: Any, group: str) -> Found:
    for item in _list(items):
        if isinstance(item, str) and item.partition("#")[0].strip():
            yield _Requirement(item.partition(" #")[0].strip(), group)


def _list(items: Any) -> Iterable[Any]:
    return (
        [items]
        if isinstance(items, str)
        else items
        if isinstance(items, list | tuple | set)
        else ()
    )  # pyright: ignore[reportUnknownVariableType]


def _table(data: dict[str, Any], key: str) -> dict[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


_READERS: dict[str, Callable[[str, str], tuple[str, Found]]] = {
    "Pipfile": lambda text, _: ("", _of_pipfile(tomllib.loads(text))),
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "setup.py": _setup_py,
}
