"""Select the teams of a platform that can run. A broken team stops no other.

Each team is configured and checked by itself, then all of them together. A team or member that
could never run right is left out with its cause. `minerva check` names all problems, not only the
first.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from minerva_platform.assembly.assemble import DeclaredTeam
from minerva_platform.assembly.fitting import Fitting, left_out
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.dataflow import LostHandoff
from minerva_platform.contract.run_object import LeftOut
from minerva_platform.errors import MinervaError
from minerva_platform.run_context.failures.containment import safe_text
from minerva_platform.run_context.failures.foreign_code import TeamCodeError, run_team_code
from minerva_platform.run_context.failures.source_location import (
    location_of,
    location_of_class,
    package_of,
)
from minerva_platform.validation.team_declarations import member_problems, path_of

_FILE_FIRST = re.compile(r"(?P<where>\S+\.yaml(?::\d+)?): (?P<cause>.+)", re.DOTALL)
"""How an error of a settings file begins."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The teams to work with, and the entries of those left out."""

    teams: tuple[AssembledTeam, ...]
    left_out: tuple[LeftOut, ...] = ()
    lost: tuple[LostHandoff, ...] = ()


def select_teams(
    platform: AssembledTeam,
    teams: Iterable[DeclaredTeam],
    configure: Callable[[DeclaredTeam], AssembledTeam],
) -> Selection:
    """Return those of `teams` that can be members of `platform` side by side.

    `configure` assembles a team with its settings, its model and its router.
    """
    sound: list[AssembledTeam] = []
    entries: list[LeftOut] = []
    for declared_team in teams:
        team = _assemble(platform, declared_team, configure)
        entry = team if isinstance(team, LeftOut) else _namesake(team, sound)
        if entry is None and not isinstance(team, LeftOut):
            sound.append(team)
        elif entry is not None:
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


def _namesake(team: AssembledTeam, before: Iterable[AssembledTeam]) -> LeftOut | None:
    """Return the entry of a team whose name an earlier team has, or None."""
    for other in before:
        if other.name == team.name:
            which = f" ({other.origin})" if other.origin else ""
            cause = f"its name is that of another team{which}, which comes first; rename one."
            return left_out(team, cause)
    return None


def _assemble(
    platform: AssembledTeam,
    declared_team: DeclaredTeam,
    configure: Callable[[DeclaredTeam], AssembledTeam],
) -> AssembledTeam | LeftOut:
    """Return the team as it runs, or the entry of one that cannot run even by itself."""
    try:
        team = run_team_code(lambda: configure(declared_team))
        problems = run_team_code(lambda: member_problems(platform, team))
    except TeamCodeError as raised:
        return error_to_left_out(declared_team, raised.error)
    if not problems:
        return team
    more = f" (and {len(problems) - 1} more: minerva check)" if len(problems) > 1 else ""
    return left_out(team, f"{problems[0]}{more}", where=declared_at(team, problems[0]))


def _unready(team: AssembledTeam) -> LeftOut | None:
    """Return the entry of a team whose cards, graphs or routers cannot be made, or None."""

    def make_ready() -> None:
        for part in team.teams:
            _ = part.card, part.graph, part.router

    try:
        run_team_code(make_ready)
    except TeamCodeError as raised:
        return error_to_left_out(team, raised.error)
    return None


def error_to_left_out(team: DeclaredTeam | AssembledTeam, error: BaseException) -> LeftOut:
    """Return the entry of a team that failed with `error` in its settings or its own code."""
    if not isinstance(error, MinervaError):
        cause = f"cannot be made ready: {type(error).__name__}: {safe_text(error)}"
        return left_out(team, cause, where=location_of(error, package_of(team.declaration)))
    in_file = _FILE_FIRST.match(str(error))
    if in_file:
        return left_out(team, in_file["cause"], where=in_file["where"])
    return left_out(team, str(error))


def declared_at(team: AssembledTeam, problem: str) -> str | None:
    """Return the place of the agent in `team` whose path begins the sentence `problem`."""
    agent, names = team, path_of(problem).split("/")
    below = names[names.index(team.name) + 1 :] if team.name in names else []
    for name in below:
        inner = agent.by_name.get(name)
        if not isinstance(inner, AssembledTeam):
            return location_of_class(type(inner or agent.declaration))
        agent = inner
    return location_of_class(type(agent.declaration))
