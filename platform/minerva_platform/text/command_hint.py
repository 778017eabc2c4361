"""Commands for a person to type, written so that they work from the current folder.

A hint names only installed programs: `uv` if it is there, else pip.
"""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


def minerva_command() -> str:
    """Return `minerva` if the shell finds this very command so, else the path to it."""
    return command("minerva")


def command(name: str) -> str:
    """Return `name` if the shell finds the one beside this Python, else the path to that one."""
    return Shell().program(name)


def install_command(project: Path) -> str:
    """Return the command that installs a project in place (`-e`) beside this MINERVA."""
    return Shell().install("-e", str(project))


def install_package_command(requirement: str) -> str:
    """Return the command that installs a package from the index beside this MINERVA."""
    return Shell().install(requirement)


@dataclass(frozen=True, slots=True)
class Shell:
    """The shell that a person types into: this one, or one with this environment active."""

    is_active: bool = False
    """True if `source …/bin/activate` is typed before."""
    folder: Path = Path()
    """The shell's current folder."""

    def program(self, name: str) -> str:
        """Return how a program beside this Python is called; its bare name if it is not there."""
        path = Path(sys.executable).with_name(name)
        return shlex.quote(self._name_of(path) if path.exists() else name)

    def install(self, *targets: str) -> str:
        """Return the command that installs `targets` into this environment: by uv, else by pip."""
        uv = _find("uv")
        if uv is not None:
            into = [] if self._is_found_by_uv else ["--python", self._name_of(Path(sys.executable))]
            return shlex.join([self._name_of(uv), "pip", "install", *into, *targets])
        python = self._name_of(Path(sys.executable))
        install = shlex.join([python, "-m", "pip", "install", *targets])
        if find_spec("pip") is None:
            return f"{shlex.join([python, '-m', 'ensurepip'])} && {install}"
        return install

    def test(self, project: Path) -> list[str]:
        """Return the lines that run a project's tests; what they need is installed first."""
        place = [] if project == Path() else [str(project)]
        if find_spec("pytest") is None or find_spec("pytest_asyncio") is None:
            python = self._name_of(Path(sys.executable))
            install = self.install("pytest", "pytest-asyncio")
            return [install, shlex.join([python, "-m", "pytest", *place])]
        return [shlex.join([*shlex.split(self.program("pytest")), *place])]

    @property
    def _is_found_by_uv(self) -> bool:
        """True if uv installs into this environment by itself."""
        ours = {os.environ.get("VIRTUAL_ENV"), str((self.folder / ".venv").absolute())}
        return self.is_active or sys.prefix in ours

    def _name_of(self, path: Path) -> str:
        """Return the name of `path` if the shell finds it so, else the way to it from its folder.

        A way that leads further up than one folder is written from the root.
        """
        if self.is_active and path.parent == Path(sys.executable).parent:
            return path.name
        found = shutil.which(path.name)
        if found is not None and path.exists() and _is_same(Path(found), path):
            return path.name
        try:
            relative = os.path.relpath(path, self.folder)
        except FileNotFoundError:  # the current folder was removed
            return str(path)
        return relative if not relative.startswith(os.path.join("..", "..")) else str(path)  # noqa: PTH118  # a prefix of text


def _is_same(other: Path, path: Path) -> bool:
    """True if both are one program; two environments may link to one interpreter."""
    if path.name.startswith("python"):
        return other.parent.samefile(path.parent)
    return other.samefile(path)


def _find(name: str) -> Path | None:
    """Return the program beside this Python, else the one that the shell finds."""
    path = Path(sys.executable).with_name(name)
    found = str(path) if path.exists() else shutil.which(name)
    return Path(found) if found else None
