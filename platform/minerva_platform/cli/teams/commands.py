"""Commands of teams: entry points in `minerva.commands`, loaded when they are typed.

`minerva --help` lists them without importing a team. A broken command breaks no other.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

from minerva_platform.errors import ContractError

# ruff: noqa: PLC0415  # each command's imports wait for its call

GROUP = "minerva.commands"
"""The entry point group: `[project.entry-points."minerva.commands"]` in a team's pyproject."""


class TeamCommand(TyperCommand):
    """Stands for a team's command until it is called."""

    def __init__(self, name: str, distribution: str) -> None:
        super().__init__(name=name, help=f"A command of {distribution}.")

    def make_context(
        self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any
    ) -> Any:
        """Load the command and let it parse its arguments."""
        return load_command(str(self.name)).make_context(info_name, args, parent, **extra)


def team_commands() -> dict[str, str]:
    """Return the commands' names and the distributions they come from, in name order.

    Reads the same files as `importlib.metadata`, whose import alone would cost as much again as
    all of `minerva --help`.
    """
    found: dict[str, str] = {}
    for folder in dict.fromkeys(path or "." for path in sys.path):
        for metadata in _metadata(folder):
            distribution = metadata.stem.partition("-")[0].replace("_", "-")
            for name in _names(metadata / "entry_points.txt"):
                found.setdefault(name, distribution)
    return dict(sorted(found.items()))


def load_command(name: str) -> Any:
    """Return the command that a team brings.

    Raises:
        ContractError: it cannot be imported, is no command, or two distributions bring it.
    """
    from minerva_platform.assembly.offered import entry_points_of

    points = {point.value: point for point in entry_points_of(GROUP) if point.name == name}
    if len(points) > 1:
        both = " and ".join(f"`{value}`" for value in sorted(points))
        message = f"The command `{name}` is brought twice, by {both}; uninstall one of them."
        raise ContractError(message)
    (point,) = points.values()
    from minerva_platform.cli.io.stream import answers_only
    from minerva_platform.run_context.failures.foreign_code import TeamCodeError, run_team_code

    try:
        with answers_only():
            loaded = run_team_code(point.load)
    except TeamCodeError as raised:
        from minerva_platform.assembly.import_failure import import_failure

        fault = import_failure(raised.error, point.module.partition(".")[0])
        message = f"The command `{name}` ({point.value}) cannot be imported: {fault}"
        raise ContractError(message) from raised
    if not isinstance(loaded, typer.Typer):
        message = f"The entry point `{name}` ({point.value}) is no typer.Typer."
        raise ContractError(message)
    return typer.main.get_command(loaded)


def _metadata(folder: str) -> Iterator[Path]:
    try:
        with os.scandir(folder) as entries:
            yield from (Path(e.path) for e in entries if e.name.endswith(".dist-info"))
    except OSError:  # a part of sys.path may be an archive, or not be there
        return


def _names(file: Path) -> Iterator[str]:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:  # most distributions have no entry points
        return
    is_ours = False
    for line in text.splitlines():
        if line.startswith("["):
            is_ours = line.strip() == f"[{GROUP}]"
        elif is_ours and "=" in line:
            yield line.partition("=")[0].strip()
