"""Select the teams of a platform that can run. A broken team stops no other.

Each team is configured and checked by itself, then all of them together. A team or member that
could never run right is left out with its cause. `minerva check` names all problems, not only the
first.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from minerva_platform.calls.containment import safe_text
from minerva_platform.calls.team_code import TeamCodeError, run_team_code
from minerva_platform.contract.dataflow import LostHandoff
from minerva_platform.contract.run_object import LeftOut
from minerva_platform.contract.team import Team
from minerva_platform.errors import MinervaError
from minerva_platform.installed.fitting import Fitting, left_out
from minerva_platform.source_location import location_of, location_of_class, package_of
from minerva_platform.validation.team_declarations import member_problems, path_of

_FILE_FIRST = re.compile(r"(?P<where>\S+\.yaml(?::\d+)?): (?P<cause>.+)", re.DOTALL)
"""How an error of a settings file begins."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The teams to work with, and the entries of those left out."""

    teams: tuple[Team, ...]
    left_out: tuple[LeftOut, ...] = ()
    lost: tuple[LostHandoff, ...] = ()


def select_teams(
    platform: Team, teams: Iterable[Team], configure: Callable[[Team], None]
) -> Selection:
    """Return those of `teams` that can be members of `platform` side by side.

    `configure` gives a team its settings, its model and its router. Nothing else in a team changes:
    a team that works with less than it declares is a copy.
    """
    sound: list[Team] = []
    entries: list[LeftOut] = []
    for team in teams:
        entry = _fault(platform, team, configure) or _namesake(team, sound)
        if entry is None:
            sound.append(team)
        else:
            entries.append(entry)
    while True:
        fitting = Fitting(platform, sound)
        fitting.fit()
        unready = {name: entry for name, team in fitting.teams.items() if (entry := _unready(team))}
        if not unready:
            break
        entries += unready.values()
        sound = [team for team in sound if team.name not in unready]
    return Selection(
        tuple(fitting.teams.values()), (*entries, *fitting.left_out), tuple(fitting.lost)
    )


def _namesake(team: Team, before: Iterable[Team]) -> LeftOut | None:
    """Return the entry of a team whose name an earlier team has, or None."""
    for other in before:
        if other.name == team.name:
            which = f" ({other.origin})" if other.origin else ""
            cause = f"its name is that of another team{which}, which comes first; rename one."
            return left_out(team, cause)
    return None


def _fault(platform: Team, team: Team, configure: Callable[[Team], None]) -> LeftOut | None:
    """Return the entry of a team that cannot run even by itself, or None."""
    try:
        run_team_code(lambda: configure(team))
        problems = run_team_code(lambda: member_problems(platform, team))
    except TeamCodeError as raised:
        return error_to_left_out(team, raised.error)
    if not problems:
        return None
    more = f" (and {len(problems) - 1} more: minerva check)" if len(problems) > 1 else ""
    return left_out(team, f"{problems[0]}{more}", where=declared_at(team, problems[0]))


def _unready(team: Team) -> LeftOut | None:
    """Return the entry of a team whose cards, graphs or routers cannot be made, or None."""

    def make_ready() -> None:
        for part in team.teams:
            _ = part.card, part.graph, part.router

    try:
        run_team_code(make_ready)
    except TeamCodeError as raised:
        return error_to_left_out(team, raised.error)
    return None


def error_to_left_out(team: Team, error: BaseException) -> LeftOut:
    """Return the entry of a team that failed with `error` in its settings or its own code."""
    if not isinstance(error, MinervaError):
        cause = f"cannot be made ready: {type(error).__name__}: {safe_text(error)}"
        return left_out(team, cause, where=location_of(error, package_of(team)))
    in_file = _FILE_FIRST.match(str(error))
    if in_file:
        return left_out(team, in_file["cause"], where=in_file["where"])
    return left_out(team, str(error))


def declared_at(team: Team, problem: str) -> str | None:
    """Return the place of the agent in `team` whose path begins the sentence `problem`."""
    agent, names = team, path_of(problem).split("/")
    below = names[names.index(team.name) + 1 :] if team.name in names else []
    for name in below:
        inner = agent.by_name.get(name)
        if not isinstance(inner, Team):
            return location_of_class(type(inner)) if inner else location_of_class(type(agent))
        agent = inner
    return location_of_class(type(agent))
