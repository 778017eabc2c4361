"""Find the teams that are installed, by their entry points."""

import difflib
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from minerva_platform.errors import ContractError, SettingsError
from minerva_platform.import_fault import import_fault
from minerva_platform.team import Team

GROUP = "minerva.teams"
"""The entry point group: `[project.entry-points."minerva.teams"]` in a team's pyproject."""


def load_teams(names: Sequence[str] | None = None) -> tuple[Team, ...]:
    """Return the installed teams, all in name order, or those of `names` in that order.

    Raises:
        SettingsError: a name that no installed distribution offers.
        ContractError: an entry point that is no Team, or cannot be imported.
    """
    found = {point.name: point for point in sorted(entry_points(group=GROUP), key=_name)}
    wanted = list(found) if names is None else list(names)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise SettingsError(_missing(missing[0], list(found)))
    return tuple(_load(found[name]) for name in wanted)


def _name(point: EntryPoint) -> str:
    return point.name


def _missing(name: str, known: list[str]) -> str:
    from minerva_platform.cli.typed import install_command  # noqa: PLC0415  # only to tell

    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean `{near[0]}`? There are:" if near else "there are:"
    install = install_command(Path("FOLDER"))
    return (
        f"No team `{name}` is installed; {hint} {', '.join(known) or 'none'}. "
        f"Name one of them, or install it from its folder: {install}"
    )


def _load(point: EntryPoint) -> Team:
    try:
        loaded = point.load()
        team = loaded() if isinstance(loaded, type) else loaded
    except Exception as error:
        fault = import_fault(error, point.module.partition(".")[0])
        message = f"The team `{point.name}` ({point.value}) cannot be imported: {fault}"
        raise ContractError(message) from error
    if not isinstance(team, Team):
        message = f"The entry point `{point.name}` ({point.value}) is not a Team."
        raise ContractError(message)
    return team
