"""`minerva check`: all faults of the teams and their configuration at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from minerva_platform.assembly.assemble import DeclaredTeam, Defaults, assemble
from minerva_platform.assembly.platform_tree import configure_team, platform_over
from minerva_platform.assembly.registry import find_teams, team_names
from minerva_platform.assembly.selection import declared_at, error_to_left_out
from minerva_platform.cli.io.console import show
from minerva_platform.cli.io.exit_codes import ExitCode
from minerva_platform.cli.io.stream import answers_only, write_text
from minerva_platform.cli.teams.commands import load_command, team_commands
from minerva_platform.cli.teams.options import CheckOptions
from minerva_platform.cli.views.example_warnings import example_table, overlap_warnings, thin_text
from minerva_platform.cli.views.progress import say
from minerva_platform.config.settings import PlatformSettings, Settings, find_settings
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.run_object import LeftOut
from minerva_platform.errors import MinervaError
from minerva_platform.run_context.failures.foreign_code import TeamCodeError, run_team_code
from minerva_platform.text.command_hint import minerva_command
from minerva_platform.validation.team_declarations import (
    ENOUGH_EXAMPLES,
    example_warnings,
    find_problems,
    unkept_warnings,
)
from minerva_platform.validation.thin_examples import ExampleCount, count_examples

_MAX_WARNINGS = 20
"""The most lines of warnings that are shown."""


@dataclass(slots=True)
class _Findings:
    problems: list[str] = field(default_factory=list[str])
    teams: list[DeclaredTeam] = field(default_factory=list[DeclaredTeam])
    """Those whose declarations can be read."""


def check_everything(options: CheckOptions) -> ExitCode:
    """Print every problem, or one line of counts. Return the exit code."""
    settings = find_settings(options.config)
    problems, platform = find_all_problems(settings)
    with answers_only():
        warnings = [] if problems else _warnings(platform, settings)
    if problems:
        noun = "problem" if len(problems) == 1 else "problems"
        say(f"{len(problems)} {noun}:")
        for problem in problems:
            say(f"  - {problem}")
        say(f"Mend what is named, then type: {minerva_command()} check")
        return ExitCode.WRONG_USAGE
    write_text(_counts(platform, settings))
    if options.routes:
        counted = list(count_examples(platform))
        show(lambda _: example_table(counted))
        thin = map(thin_text, filter(_is_thin_only_by_likeness, counted))
        warnings = [*thin, *warnings]
    for warning in warnings[:_MAX_WARNINGS]:
        say(f"warning: {warning}")
    if len(warnings) > _MAX_WARNINGS:
        say(f"warning: +{len(warnings) - _MAX_WARNINGS} more of the same kind")
    return ExitCode.ANSWERED


def _is_thin_only_by_likeness(count: ExampleCount) -> bool:
    """True if the worker has enough examples, but not enough different ones."""
    return count.is_thin and count.examples >= ENOUGH_EXAMPLES


def find_all_problems(settings: Settings) -> tuple[list[str], AssembledTeam]:
    """Return every problem of the teams and their configuration, and the platform over them."""
    with answers_only():
        findings = _Findings()
        for name in _names(settings, findings):
            _load(name, settings, findings)
        _load_commands(findings)
        plain = [_plain(team) for team in findings.teams]
        platform = platform_over(plain, Settings(None))
        findings.problems += _declared_problems(platform, plain, findings)
        if not findings.problems:
            platform = _configured_platform(settings, findings) or platform
    # a setting that is wrong hinders each team in the same words
    return [*dict.fromkeys(findings.problems)], platform


def _plain(team: DeclaredTeam) -> AssembledTeam:
    """Return a team as it is declared, with nothing of any file."""
    return assemble(team.declaration, Defaults(origin=team.origin))


def _warnings(platform: AssembledTeam, settings: Settings) -> list[str]:
    unkept = () if settings.platform.keep_state else unkept_warnings(platform)
    return [*unkept, *example_warnings(platform), *overlap_warnings(platform)]


def _names(settings: Settings, findings: _Findings) -> Iterable[str]:
    try:
        platform = settings.platform
    except MinervaError as error:
        findings.problems.append(str(error))
        platform = PlatformSettings()
    if platform.teams is not None:
        return platform.teams
    return team_names()


def _load(name: str, settings: Settings, findings: _Findings) -> None:
    try:
        loaded = find_teams([name], settings=settings)
    except MinervaError as error:
        findings.problems.append(str(error))
        return
    findings.problems += [_sentence(entry) for entry in loaded.left_out]
    for team in loaded.teams:
        _configure(team, settings, findings)


def _configure(team: DeclaredTeam, settings: Settings, findings: _Findings) -> None:
    try:
        run_team_code(lambda: find_problems(_plain(team), alone=True))
        findings.teams.append(team)
        run_team_code(lambda: configure_team(team, settings))
    except TeamCodeError as raised:
        is_sentence = isinstance(raised.error, MinervaError)
        entry = error_to_left_out(team, raised.error)
        findings.problems.append(str(raised.error) if is_sentence else _sentence(entry))


def _declared_problems(
    platform: AssembledTeam, teams: Sequence[AssembledTeam], findings: _Findings
) -> list[str]:
    """Return the problems of all teams' declarations, and of their fit.

    The fit of teams is not checked while one of them cannot be read. So the sound ones are also
    checked by themselves.
    """
    problems = find_problems(platform, alone=bool(findings.problems))
    sound = [team for team in teams if not find_problems(team, alone=True)]
    if len(sound) < len(teams):
        among = find_problems(platform_over(sound, Settings(None)), alone=True)
        problems += [problem for problem in among if problem not in problems]
    return [_with_place(platform, problem) for problem in problems]


def _with_place(platform: AssembledTeam, problem: str) -> str:
    """Return `problem` with file and line of the class that it is about, unless it names them."""
    where = declared_at(platform, problem) if problem.startswith("`") else None
    return problem if where is None or where in problem else f"{problem} ({where})"


def _sentence(entry: LeftOut) -> str:
    return f"The team {entry.text}"


def _load_commands(findings: _Findings) -> None:
    for name in team_commands():
        try:
            load_command(name)
        except MinervaError as error:
            findings.problems.append(str(error))


def _configured_platform(settings: Settings, findings: _Findings) -> AssembledTeam | None:
    """Return the configured platform, and note the problems of its models and routers."""
    try:
        teams = [configure_team(team, settings) for team in findings.teams]
        platform = platform_over(teams, settings)
    except MinervaError as error:
        findings.problems.append(str(error))
        return None
    for team in platform.teams:
        try:
            _ = team.router
        except MinervaError as error:
            findings.problems.append(str(error))
    return platform


def _counts(platform: AssembledTeam, settings: Settings) -> str:
    workers = platform.size - len(platform.agents)
    kinds = {
        kind for team in platform.inner_teams for agent in team.agents for kind in agent.flow.gives
    }
    folder = settings.folder or "defaults, there is no configs/platform.yaml here"
    return (
        f"ok: {len(platform.agents)} teams, {workers} workers, {len(kinds)} kinds of hand-offs, "
        f"{len(platform.examples)} examples; configuration: {folder}"
    )
