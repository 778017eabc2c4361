"""What a person has to type here: commands are printed as they work from where they stand."""

import os
import shlex
import shutil
import sys
from pathlib import Path


def minerva_command() -> str:
    """Return `minerva` if the shell finds this very command so, else the path to it."""
    return command("minerva")


def command(name: str) -> str:
    """Return `name` if the shell finds the one beside this Python, else the path to that one."""
    return shlex.quote(_command(name, Path(sys.executable).with_name(name)))


def install_command(project: Path) -> str:
    """Return what installs `project` beside this MINERVA."""
    python = Path(sys.executable)
    uv = python.with_name("uv")
    if not uv.exists():
        found = shutil.which("uv")
        if found is None:
            pip = [_command("python", python), "-m", "pip", "install", "--no-deps", "-e"]
            return shlex.join([*pip, str(project)])
        uv = Path(found)
    ours = {os.environ.get("VIRTUAL_ENV"), str(Path(".venv").absolute())}
    into = [] if sys.prefix in ours else ["--python", _shown(python)]
    return shlex.join([_command("uv", uv), "pip", "install", *into, "-e", str(project)])


def _command(name: str, path: Path) -> str:
    found = shutil.which(name)
    is_same = found is not None and path.exists() and Path(found).samefile(path)
    return name if is_same or not path.exists() else _shown(path)


def _shown(path: Path) -> str:
    """Return `path` from here, if that leads no further up than one folder."""
    try:
        relative = os.path.relpath(path)
    except FileNotFoundError:  # somebody removed the folder we stand in
        return str(path)
    return relative if not relative.startswith(os.path.join("..", "..")) else str(path)  # noqa: PTH118  # a prefix of text
