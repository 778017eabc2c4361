"""Load a team from a file beside `platform.yaml`: `./pipeline.py:Pipeline`.

The folder of `platform.yaml` becomes a package, and the file a module in it: `minerva_files` and
`minerva_files.pipeline`. So the names follow from what `platform.yaml` says. Another process finds
the classes of a kept state again, in whatever folder it works, and also once the configuration lies
somewhere else. A file imports its neighbours by `from .source import …`. The folder is not added to
the import path. A file is loaded once in a process.
"""

import ast
import difflib
import hashlib
import sys
import threading
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NoReturn

from minerva_platform.assembly.assemble import DeclaredTeam
from minerva_platform.assembly.import_failure import import_failure
from minerva_platform.config.settings import Settings
from minerva_platform.config.team_file import TeamFile
from minerva_platform.contract.run_object import LeftOut, Origin
from minerva_platform.contract.team import Team
from minerva_platform.errors import SettingsError
from minerva_platform.run_context.failures.error_info import left_out_entry
from minerva_platform.run_context.failures.foreign_code import TeamCodeError, run_team_code
from minerva_platform.run_context.failures.source_location import location_of_class

_LOADING: Final = threading.RLock()
"""Held while a file is loaded: what another OS thread finds in `sys.modules` is whole."""

PACKAGE: Final = "minerva_files"
"""The name of the package that a folder becomes."""

MAX_NAMES: Final = 10
"""Names that a sentence lists."""


def load_file_team(file: TeamFile, settings: Settings) -> DeclaredTeam | LeftOut:
    """Return the team of a file beside platform.yaml, or why it cannot be made.

    Raises:
        SettingsError: there is no such file in the folder of platform.yaml, or no such name in it.
    """
    path = _find_file(file, settings)
    try:
        module = run_team_code(lambda: _module(path, file))
    except TeamCodeError as raised:
        return _fault_entry(file, path, raised.error, "cannot be imported")
    if not hasattr(module, file.name):
        _refuse_unknown(file, path, module, settings)
    value: Any = getattr(module, file.name)
    if not (isinstance(value, Team) or (isinstance(value, type) and issubclass(value, Team))):
        cause = f"`{file.name}` is not a Team; {_there_are(module)}."
        return _left_out(file, where=_line_of(file.name, path), cause=cause)
    if isinstance(value, Team):
        team = value
    else:
        try:
            team = run_team_code(value)
        except TeamCodeError as raised:
            return _fault_entry(file, path, raised.error, f"`{file.name}()` cannot be made", value)
    return DeclaredTeam(team, Origin(file=str(file)))


def _find_file(file: TeamFile, settings: Settings) -> Path:
    """Return the file. Links are followed, and must not lead out of the folder."""
    at, folder = settings.line_of_team(str(file)), settings.folder
    if folder is None:
        message = f"`{file}` lies beside a platform.yaml, and there is none: give --config DIR."
        raise SettingsError(message)
    path = folder / file.path
    if not path.is_file():
        others = (f"./{other.relative_to(folder)}" for other in path.parent.glob("*.py"))
        near = difflib.get_close_matches(f"./{file.path}", list(others), n=1)
        hint = f" Did you mean `{near[0]}:{file.name}`?" if near else ""
        message = f"{at}: `{file}` names {path}, and there is no such file.{hint}"
        raise SettingsError(message)
    if not path.resolve().is_relative_to(folder.resolve()):
        message = f"{at}: `{file}` leads out of {folder}, by a link; put the file itself there."
        raise SettingsError(message)
    return folder.resolve() / file.path


class _Loader(SourceFileLoader):
    """Compiles the source each time: bytecode may be older than a file that was just edited."""

    def path_stats(self, path: Any) -> NoReturn:
        """Tell nothing about the file, so that Python neither reads bytecode nor writes it."""
        raise OSError(path)


def _module(path: Path, file: TeamFile) -> ModuleType:
    """Return the module of a file, loaded if it was not."""
    folder = path.parents[len(file.path.parts) - 1]
    with _LOADING:
        inner = [part.replace(".", "_") for part in file.path.with_suffix("").parts]
        name = ".".join((_package(folder), *inner))
        known = sys.modules.get(name)
        if known is not None and known.__file__ != str(path):  # `a.b.py` beside `a_b.py`
            name = f"{name}_{_digest(str(file.path))}"
            known = sys.modules.get(name)
        if known is not None:
            return known
        spec = spec_from_loader(name, _Loader(name, str(path)))
        if spec is None or spec.loader is None:
            raise ImportError(name)
        module = sys.modules[name] = module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module


def _package(folder: Path) -> str:
    """Return the name of the package that a folder is.

    If this process has another configuration, too, the name of the later one also follows from
    where its folder is.
    """
    for name in (PACKAGE, f"{PACKAGE}_{_digest(str(folder))}"):
        package = sys.modules.setdefault(name, ModuleType(name, "Files beside platform.yaml."))
        package.__path__ = getattr(package, "__path__", [str(folder)])
        if list(package.__path__) == [str(folder)]:
            return name
    raise ImportError(folder)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _refuse_unknown(file: TeamFile, path: Path, module: ModuleType, settings: Settings) -> NoReturn:
    at = settings.line_of_team(str(file))
    near = difflib.get_close_matches(file.name, _teams_in(module), n=1)
    hint = f" Did you mean `./{file.path}:{near[0]}`?" if near else ""
    message = f"{at}: {path.name} has no team `{file.name}`; {_there_are(module)}.{hint}"
    raise SettingsError(message)


def _there_are(module: ModuleType) -> str:
    names = [f"`{name}`" for name in _teams_in(module)]
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    if not names:
        return "there is no team in the file"
    return f"the file has {', '.join(names[:MAX_NAMES])}{more}"


def _teams_in(module: ModuleType) -> list[str]:
    """Return the names of the teams that a file makes itself, in its order."""
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, Team)
        or (
            isinstance(value, type)
            and issubclass(value, Team)
            and value.__module__ == module.__name__
        )
    ]


def _fault_entry(
    file: TeamFile, path: Path, error: BaseException, what: str, team_type: type[Team] | None = None
) -> LeftOut:
    fault = import_failure(error, PACKAGE)
    place = fault.location or (location_of_class(team_type) if team_type else None) or path.name
    return _left_out(file, where=place, cause=f"{what}: {fault.text}")


def _line_of(name: str, path: Path) -> str:
    """Return the place where a file gives something that name: `pipeline.py:7`."""
    for node in ast.parse(path.read_bytes()).body:
        given = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
        if name in {getattr(each, "id", getattr(each, "name", None)) for each in given}:
            return f"{path.name}:{node.lineno}"
    return path.name


def _left_out(file: TeamFile, *, where: str, cause: str) -> LeftOut:
    """Return the entry of a team that was not made. It is called like its file."""
    return left_out_entry(file.path.stem, Origin(file=str(file)), where=where, cause=cause)
