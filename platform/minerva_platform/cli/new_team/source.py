"""Find the source of a new team: `module:name`, or `./file.py:name` as in langgraph.json.

A file of an installed project is imported by its module's name. Any other file is copied into the
new project, which would otherwise not install anywhere else.
"""

import ast
import difflib
import inspect
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import Distribution, distribution, distributions, packages_distributions
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, TypeVar
from urllib.parse import unquote, urlsplit

from minerva_platform.assembly.import_failure import import_failure
from minerva_platform.cli.new_team.shape import worker_name
from minerva_platform.errors import RunError
from minerva_platform.run_context.failures.foreign_code import TeamCodeError, run_team_code
from minerva_platform.text.command_hint import install_command, minerva_command

T = TypeVar("T")

_LOADED_AS = "_minerva_new_team_source"
"""The module's name of a file that is going to be copied, while it is looked at."""


@dataclass(frozen=True, slots=True)
class SourceName:
    """The typed option: `--from-function billing.invoices:total`."""

    team: str
    option: Literal["--from-function", "--from-graph"]
    location: str
    name: str

    def __str__(self) -> str:
        """Return what was typed after the option."""
        return f"{self.location}:{self.name}"

    @property
    def is_file(self) -> bool:
        """True if it names a file, not a module."""
        return self.location.endswith(".py") or "/" in self.location

    def line(self, *, location: str = "", name: str = "", option: str = "") -> str:
        """Return the line to type instead."""
        instead = shlex.quote(f"{location or self.location}:{name or self.name}")
        return f"{minerva_command()} new team {self.team} {option or self.option} {instead}"


@dataclass(frozen=True, slots=True)
class Source:
    """A function or a graph, and where the new project imports it from."""

    target: SourceName
    value: Any
    home: ModuleType
    module: str
    """What the new project imports: the module itself, or the copy in its own package."""
    copied_file: Path | None = None

    @property
    def copy(self) -> tuple[Path, str] | None:
        """The file that becomes a module of the team's package, and the module's name."""
        return (self.copied_file, self.module.rpartition(".")[2]) if self.copied_file else None

    def module_of(self, thing: Any) -> str:
        """Return the module from which the new project imports a class or a function."""
        return self.module if thing.__module__ == self.home.__name__ else str(thing.__module__)

    def requirements(self, *modules: str) -> tuple[str, ...]:
        """Return the distributions of the imported modules, as lines of a pyproject."""
        if self.copied_file is not None:
            modules = (*modules, *imports_of(self.copied_file))
        found = {requirement_of(name) for name in {*modules, self.home.__name__} - {_LOADED_AS}}
        return tuple(sorted(line for line in found if line is not None))


def parse(team: str, option: Literal["--from-function", "--from-graph"], text: str) -> SourceName:
    """Return the parts of the typed text.

    Raises:
        RunError: it is not of the form MODULE:NAME.
    """
    location, _, name = text.rpartition(":")
    if location and name.isidentifier():
        return SourceName(team, option, location, name)
    line = SourceName(team, option, location or text.rstrip(":") or "MODULE", "NAME").line()
    message = f"`{text}` is not MODULE:NAME, or FILE.py:NAME. Type: {line}"
    raise RunError(message)


def find_source(target: SourceName, package: str) -> Source:
    """Return the named function or graph. Importing it runs its module. `package` is the team's.

    Raises:
        RunError: it is missing, cannot be imported, or could not be installed elsewhere.
    """
    if not target.is_file:
        return _from_module(target, target.location)
    file = Path(target.location)
    if not file.is_file():
        names = [path.name for path in file.parent.glob("*.py")]
        near = difflib.get_close_matches(file.name, names, n=1)
        location = str(file.with_name(near[0])) if near else "FILE.py"
        message = f"There is no file {file}. Type: {target.line(location=location)}"
        raise RunError(message)
    module = _installed_name(file.resolve())
    return _from_module(target, module) if module else _from_file(target, file, package)


def _from_module(target: SourceName, name: str) -> Source:
    module = _load_source(lambda: import_module(name), target, name)
    is_standard = name.partition(".")[0] in sys.stdlib_module_names
    if not is_standard and distribution_of(module.__name__) is None:
        message = (
            f"`{name}` can be imported here, but belongs to no installed project, so that the team "
            f"could not name what it needs. Install it: {install_command(Path('FOLDER'))}"
        )
        raise RunError(message)
    return Source(target, _value(target, module), module, name)


def _from_file(target: SourceName, file: Path, package: str) -> Source:
    _check_that_it_stands_alone(target, file)
    spec = spec_from_file_location(_LOADED_AS, file)
    assert spec is not None  # noqa: S101  # it ends in .py or was a file that Python reads
    assert spec.loader is not None  # noqa: S101  # as above
    module = module_from_spec(spec)
    sys.modules[_LOADED_AS] = module  # annotations are looked up there
    load = spec.loader.exec_module
    _load_source(lambda: load(module), target, "")
    stem = re.sub(r"\W", "_", file.stem)
    if stem in {"team", f"{target.team}_agent", worker_name(target.name)}:  # modules of the package
        stem += "_source"
    return Source(target, _value(target, module), module, f"{package}.{stem}", copied_file=file)


def _check_that_it_stands_alone(target: SourceName, file: Path) -> None:
    """Refuse a file that needs its neighbours: a copy of it would not find them.

    Raises:
        RunError: says how they become a project.
    """
    if file.suffix != ".py":
        message = f"{file} is no Python file. Type: {target.line(location='FILE.py')}"
        raise RunError(message)
    beside = _neighbour(file)
    if beside is None and not (file.parent / "__init__.py").exists():
        return
    reason = "is a part of a package" if beside in {None, "."} else f"imports `{beside}` beside it"
    above = file.resolve().parents
    root = next((folder for folder in above if (folder / "pyproject.toml").exists()), None)
    install = install_command(root or Path("FOLDER"))
    message = (
        f"{file} {reason}, and belongs to no installed project. "
        + ("" if root else "Give their folder a pyproject.toml. ")
        + f"Type: {install}\nThen type: {target.line()}"
    )
    raise RunError(message)


def _neighbour(file: Path) -> str | None:
    """Return what a file imports beside it that nothing installed brings; `.` is its package."""
    near = {path.stem for path in file.parent.glob("*.py")} - {file.stem}
    near |= {path.name for path in file.parent.iterdir() if path.is_dir()}
    around = {folder.name for folder in file.resolve().parents}
    for top in sorted({name.partition(".")[0] or "." for name in imports_of(file)}):
        is_own = top in near | around and top not in sys.stdlib_module_names
        if top == "." or (is_own and distribution_of(top) is None):
            return "." if top in around else top
    return None


def _load_source(load: Callable[[], T], target: SourceName, module: str) -> T:
    """Return what `load` returns.

    Raises:
        RunError: says where in the module's own files it failed, and what to do.
    """
    try:
        return run_team_code(load)
    except TeamCodeError as raised:
        error, top = raised.error, module.partition(".")[0]
        if isinstance(error, ModuleNotFoundError) and error.name == top:
            message = _not_installed(target, module)
        else:
            failure = import_failure(error, top)
            message = f"{target.location} cannot be imported: {failure}\nThen type: {target.line()}"
        raise RunError(message) from error


def _not_installed(target: SourceName, module: str) -> str:
    file = Path(*module.split(".")).with_suffix(".py")
    if file.is_file():
        line = target.line(location=f"./{file}")
        return f"`{module}` is not installed, but there is a file of this name. Type: {line}"
    install = install_command(Path("FOLDER"))
    return f"No module `{module}` is installed here. Install its project: {install}"


def _value(target: SourceName, module: ModuleType) -> Any:
    if hasattr(module, target.name):
        return getattr(module, target.name)
    own = [name for name in vars(module) if not name.startswith("_")]
    near = difflib.get_close_matches(target.name, own, n=1)
    hint = f"; did you mean `{near[0]}`?" if near else "."
    line = target.line(name=near[0] if near else "NAME")
    message = f"{target.location} has no `{target.name}`{hint} Type: {line}"
    raise RunError(message)


def _installed_name(file: Path) -> str | None:
    """Return the name by which an installed project's file is imported, if it is of one."""
    for name in dict.fromkeys(_names(file)):
        found = file_of(name)
        if found is not None and found.resolve() == file and distribution_of(name) is not None:
            return name
    return None


def _names(file: Path) -> Iterator[str]:
    """Yield the dotted names that `file` may have: in its project, and from the import path."""
    project = next((one for one in file.parents if (one / "pyproject.toml").exists()), None)
    own = [folder for folder in file.parents if project in {folder, *folder.parents}]
    package = next(folder for folder in file.parents if not (folder / "__init__.py").exists())
    for folder in (package, *own, *(Path(entry).resolve() for entry in sys.path)):
        if file.is_relative_to(folder):
            parts = file.relative_to(folder).with_suffix("").parts
            names = parts[:-1] if parts[-1] == "__init__" else parts
            if names and all(part.isidentifier() for part in names):
                yield ".".join(names)


def required_parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters of a function that must be given."""
    return [
        given
        for given in inspect.signature(function).parameters.values()
        if given.default is given.empty
        and given.kind not in {given.VAR_KEYWORD, given.VAR_POSITIONAL}
    ]


def undocumented_error(target: SourceName, where: str) -> RunError:
    """Return the error for a function or a graph without a docstring."""
    return RunError(
        f"`{target}` has no docstring, and a team chooses its workers by what they say they do. "
        f'Write {where}: """Says what it does, in a sentence."""\nThen type: {target.line()}'
    )


def names_in(home: ModuleType, is_one: Callable[[Any], bool]) -> list[str]:
    """Return the public names in a module for which `is_one`, those that it imports left out."""
    return [
        name
        for name, value in vars(home).items()
        if not name.startswith("_") and is_one(value) and not _is_imported(value, home)
    ]


def _is_imported(value: Any, home: ModuleType) -> bool:
    """True if a function of another module only has its name here, too."""
    return inspect.isfunction(value) and value.__module__ != home.__name__


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


def _folder(dist: Distribution) -> Path | None:
    """Return the folder of a distribution that is installed in place (`pip install -e`)."""
    said = dist.read_text("direct_url.json")
    if said is None:
        return None
    address: dict[str, Any] = json.loads(said)
    is_in_place = address.get("dir_info", {}).get("editable", False)
    return Path(unquote(urlsplit(str(address["url"])).path)) if is_in_place else None
