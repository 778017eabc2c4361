"""Explain why a team cannot be imported: the place in its own files, the cause, the way out."""

import difflib
import pkgutil
import re
import sys
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from minerva_platform.run_context.failures.containment import safe_text
from minerva_platform.run_context.failures.source_location import location_of

_FILE = re.compile(r" \((?:[^()\s]*[/\\][^()]*|unknown location)\)$")
"""The place where Python looked for a name, which is not where the name is misspelled."""

_NAME = re.compile(r"cannot import name '(\w+)'")


@dataclass(frozen=True, slots=True)
class ImportFailure:
    """The place in a package's own files, if there is one, and the fault."""

    location: str | None
    text: str

    def __str__(self) -> str:
        """Place and fault in one line."""
        return f"{self.location}: {self.text}" if self.location else self.text


def import_failure(error: BaseException, package: str) -> ImportFailure:
    """Return the place in the files of `package`, the fault, and what to do."""
    location, said = location_of(error, package), safe_text(error) or type(error).__name__
    if isinstance(error, SyntaxError) and error.filename:
        location, said = f"{_from(package, error.filename)}:{error.lineno}", error.msg
    elif isinstance(error, ImportError | AttributeError):
        said = _FILE.sub("", said)
    elif said != type(error).__name__:
        said = f"{type(error).__name__}: {said}"
    return ImportFailure(location, f"{said.removesuffix('.')}{_hint(error, package)}")


def _from(package: str, file: str) -> str:
    path = PurePath(file)
    if package not in path.parts:
        return path.name
    last = len(path.parts) - 1 - path.parts[::-1].index(package)
    return PurePath(*path.parts[last:]).as_posix()


def _hint(error: BaseException, package: str) -> str:
    if isinstance(error, ModuleNotFoundError):
        return _missing_module(error.name or "", package)
    if isinstance(error, ImportError):
        module = sys.modules.get(error.name or "")
        wanted = _NAME.search(str(error))
        return _closest(wanted[1], dir(module)) if wanted and module else "."
    if isinstance(error, AttributeError) and isinstance(error.name, str):
        return _closest(error.name, dir(error.obj))
    return "."


def _missing_module(name: str, package: str) -> str:
    from minerva_platform.text.command_hint import install_command, install_package_command  # noqa: PLC0415  # only to tell

    parent, _, last = name.rpartition(".")
    if parent in sys.modules:
        folders: Any = getattr(sys.modules[parent], "__path__", ())
        return _closest(last, [module.name for module in pkgutil.iter_modules(folders)])
    if name.partition(".")[0] == package:
        again = install_command(Path("FOLDER"))
        return f". If its pyproject.toml was changed, install it again: {again}"
    install = install_package_command(name.partition(".")[0])
    return f". Install the package that has it, and name it in `dependencies`: {install}"


def _closest(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean `{near[0]}`?" if near else "."
