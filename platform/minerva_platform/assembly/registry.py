"""Find the teams: installed ones by their entry points, others by their file.

A broken team stops no other.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from minerva_platform.assembly.assemble import DeclaredTeam
from minerva_platform.assembly.file_team import load_file_team
from minerva_platform.assembly.import_failure import import_failure
from minerva_platform.assembly.offered import entry_points_of
from minerva_platform.config.settings import Settings
from minerva_platform.config.team_file import TeamFile, team_file
from minerva_platform.contract.run_object import NOT_IMPORTED, LeftOut, Origin
from minerva_platform.contract.team import Team
from minerva_platform.errors import ContractError, SettingsError
from minerva_platform.run_context.failures.error_info import left_out_entry
from minerva_platform.run_context.failures.foreign_code import TeamCodeError, run_team_code
from minerva_platform.run_context.failures.source_location import location_of_class

GROUP = "minerva.teams"
"""The entry point group: `[project.entry-points."minerva.teams"]` in a team's pyproject."""


class UnusableTeamError(ContractError):
    """The one requested team cannot be used."""

    def __init__(self, entry: LeftOut) -> None:
        self.entry = entry
        super().__init__(f"The team {entry.text}")


@dataclass(frozen=True, slots=True)
class LoadedTeams:
    """The teams that could be made, and the entries of those that could not."""

    teams: tuple[DeclaredTeam, ...]
    left_out: tuple[LeftOut, ...] = ()


def find_teams(
    names: Sequence[str] | None = None, *, settings: Settings | None = None
) -> LoadedTeams:
    """Return the installed teams in name order, or those of `names` in the given order.

    A name may be a file beside the platform.yaml of `settings` (`./pipeline.py:Pipeline`). If two
    distributions bring a team of the same name, the one with the package `minerva_<name>` is used,
    else the first by distribution name.

    Raises:
        SettingsError: no installed distribution offers one of `names`, or there is no such file.
    """
    points = _installed_points()
    wanted = list(points) if names is None else list(names)
    files = {name: file for name in wanted if (file := _file(name)) is not None}
    missing = [name for name in wanted if name not in points and name not in files]
    if missing:
        raise SettingsError(_missing(missing[0], list(points)))
    teams: list[DeclaredTeam] = []
    left_out: list[LeftOut] = []
    for name in wanted:
        if name in files:
            loaded = load_file_team(files[name], settings or Settings(None))
        else:
            first, *others = points[name]
            left_out += [_namesake_entry(point, first) for point in others]
            loaded = _load(first, points)
        if isinstance(loaded, DeclaredTeam):
            teams.append(loaded)
        else:
            left_out.append(loaded)
    return LoadedTeams(tuple(teams), tuple(left_out))


def find_team(name: str, settings: Settings) -> LoadedTeams:
    """Return the team called `name`: the first of `teams:` with that name, else an installed one.

    A file beside platform.yaml is loaded to learn what its team is called. What is wrong with a
    file stops nothing but the team that is called like it.

    Raises:
        SettingsError: there is no such team.
    """
    others: list[str] = []
    broken: LoadedTeams | None = None
    for entry in settings.platform.teams or ():
        if entry == name:
            return find_teams([name])
        if _file(entry) is None:
            continue
        try:
            loaded = find_teams([entry], settings=settings)
        except SettingsError:
            if entry.startswith(f"./{name}.py:"):
                raise
            continue
        called = [_name_of_team(team.declaration) for team in loaded.teams]
        if name in called:
            return loaded
        others += called
        if name in [left.team for left in loaded.left_out]:
            broken = loaded
    if broken is None and name not in _installed_points():
        raise SettingsError(_missing(name, [*_installed_points(), *others]))
    return broken or find_teams([name])


def _name_of_team(team: Team) -> str:
    try:
        return run_team_code(lambda: str(team.name))
    except TeamCodeError:  # it has no name, or its name raises
        return ""


def _file(name: str) -> TeamFile | None:
    """Return the file that a team's name is.

    Raises:
        SettingsError: it is written otherwise than platform.yaml would have it.
    """
    try:
        return team_file(name)
    except ValueError as error:
        message = f"{error}."
        raise SettingsError(message) from error


def team_names() -> list[str]:
    """Return the names of all installed teams in alphabetical order."""
    return list(_installed_points())


def _installed_points() -> dict[str, list[EntryPoint]]:
    """Return the entry points by name. Of each name, the preferred one comes first."""
    points = sorted(entry_points_of(GROUP), key=_precedence)
    return {name: list(same) for name, same in groupby(points, key=attrgetter("name"))}


def _precedence(point: EntryPoint) -> tuple[str, bool, str, str]:
    origin = _origin(point)
    is_its_own = point.module.partition(".")[0] == f"minerva_{point.name}"
    return point.name, not is_its_own, origin.distribution if origin else "", point.value


def _origin(point: EntryPoint) -> Origin | None:
    if point.dist is None:
        return None
    name: Any = point.dist.metadata["Name"]  # None where an uninstall left half of the metadata
    version: Any = point.dist.metadata["Version"]
    return Origin(distribution=name or "(no name)", version=version or "(no version)")


def _missing(name: str, names: list[str]) -> str:
    from minerva_platform.text.command_hint import install_command  # noqa: PLC0415  # only to tell

    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean `{near[0]}`? There are:" if near else "there are:"
    install = install_command(Path("FOLDER"))
    return (
        f"No team `{name}` is installed; {hint} {', '.join(names) or 'none'}. "
        f"Name one of them, or install it from its folder: {install}"
    )


def _namesake_entry(point: EntryPoint, used: EntryPoint) -> LeftOut:
    cause = f"{_origin(used)} ({used.value}) brings a team `{used.name}`, too, and is used; "
    return _left_out(point, where=point.value, cause=f"{cause}uninstall one of the two.")


def _load(point: EntryPoint, points: Mapping[str, list[EntryPoint]]) -> DeclaredTeam | LeftOut:
    try:
        team, name = run_team_code(lambda: _load_object(point))
    except TeamCodeError as raised:
        fault = import_failure(raised.error, point.module.partition(".")[0])
        cause = f"{NOT_IMPORTED}{fault.text}"
        return _left_out(point, where=fault.location or point.value, cause=cause)
    if not isinstance(team, Team):
        return _left_out(point, where=point.value, cause="its entry point is not a Team.")
    if name != point.name and name in points:
        cause = f"it calls itself `{name}`, as the team of {_origin(points[name][0])} does."
        return _left_out(point, where=location_of_class(type(team)) or point.value, cause=cause)
    return DeclaredTeam(team, _origin(point))


def _load_object(point: EntryPoint) -> tuple[Any, str]:
    """Return the object of the entry point, a team if all is well, and the object's name."""
    loaded = point.load()
    team = loaded() if isinstance(loaded, type) else loaded
    return team, str(getattr(team, "name", point.name))


def _left_out(point: EntryPoint, *, where: str, cause: str) -> LeftOut:
    package = point.module.partition(".")[0]
    return left_out_entry(point.name, _origin(point), where=where, cause=cause, package=package)
