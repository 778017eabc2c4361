"""The tree of a platform: a supervisor over the teams that can run, or one team alone."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from minerva_platform.assembly.assemble import DeclaredTeam, Defaults, assemble, assembled_over
from minerva_platform.assembly.registry import LoadedTeams, UnusableTeamError, find_team, find_teams
from minerva_platform.assembly.selection import error_to_left_out, select_teams
from minerva_platform.config.model_spec import model_spec
from minerva_platform.config.router_spec import RouterName
from minerva_platform.config.settings import (
    ASKS_MODEL,
    ModellessRouterError,
    Rule,
    Settings,
    find_settings,
)
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.run_object import LeftOut
from minerva_platform.contract.team import Team
from minerva_platform.errors import CheckError, MinervaError
from minerva_platform.models.factory import check_key
from minerva_platform.models.model import Model
from minerva_platform.run_context.failures.foreign_code import TeamCodeError, run_team_code

PLATFORM_NAME = "platform"


def build_platform(
    settings: Settings | None = None,
    *,
    teams: Sequence[str | Team | DeclaredTeam] | None = None,
    router: RouterName | None = None,
) -> AssembledTeam:
    """Return the platform: a supervisor over the installed teams, or over `teams`, configured.

    Teams and members that could never run right are left out. `left_out` of the result names each
    with its cause.

    Raises:
        SettingsError: platform.yaml is wrong, or names a team that is not there.
        CheckError: every team is left out.
    """
    settings = settings or find_settings()
    if teams is None:
        return _select(find_teams(settings.platform.teams, settings=settings), settings, router)
    names = [team for team in teams if isinstance(team, str)]
    installed = find_teams(names, settings=settings) if names else LoadedTeams(())
    in_code = tuple(
        team if isinstance(team, DeclaredTeam) else DeclaredTeam(team)
        for team in teams
        if not isinstance(team, str)
    )
    return _select(LoadedTeams((*installed.teams, *in_code), installed.left_out), settings, router)


def build_alone(name: str, settings: Settings, router: RouterName | None) -> AssembledTeam:
    """Return one team, configured as the root of its own tree.

    Raises:
        ContractError: the team cannot be used.
    """
    loaded = find_team(name, settings)
    if not loaded.teams:
        raise UnusableTeamError(loaded.left_out[0])
    (declared,) = loaded.teams
    try:
        team = run_team_code(lambda: configure_team(declared, settings, router=router))
    except TeamCodeError as raised:
        if isinstance(raised.error, MinervaError):
            raise raised.error from None
        raise UnusableTeamError(error_to_left_out(declared, raised.error)) from raised
    if router in ASKS_MODEL and any(part.model is None for part in team.teams):
        raise ModellessRouterError(router)
    # what is left out is a team of the same name from another distribution
    return replace(team, left_out=loaded.left_out)


def configure_team(
    team: DeclaredTeam, settings: Settings, *, router: RouterName | None = None
) -> AssembledTeam:
    """Return a team with what the files of configuration say. `router` overrides them.

    Raises:
        SettingsError: a file is wrong, a model's name is, or its key is missing.
    """
    declared = team.declaration
    own = settings.team(declared.name, declared.Settings)
    outside = replace(_defaults(settings, router), settings=own, origin=team.origin)
    assembled = assemble(declared, outside)
    _ = assembled.agents  # what is wrong with them keeps the team from running
    _check_keys(assembled)
    return assembled


def platform_over(
    teams: Sequence[AssembledTeam],
    settings: Settings,
    *,
    router: RouterName | None = None,
    left_out: Sequence[LeftOut] = (),
) -> AssembledTeam:
    """Return the platform over `teams`, unchecked.

    Raises:
        SettingsError: a model's name is wrong, or its key is missing.
    """
    said = settings.platform
    declared = Team(
        name=PLATFORM_NAME,
        description="Routes a request to the teams that serve it.",
        members=tuple(team.declaration for team in teams),
        exports=tuple(
            {handoff.kind: handoff for team in teams for handoff in team.exports}.values()
        ),
        router=said.router,
    )
    declared.rules = _rules_for(said.rules, teams, left_out)
    declared.finish_mode = said.finish
    if said.rules and not declared.rules:  # every rule was for a team that is left out
        declared.router = None
    platform = assembled_over(declared, teams, replace(_defaults(settings, router), router=None))
    _check_keys(platform)
    return platform


def way_round(settings: Settings) -> str:
    """Return the sentence that says how to go on without an unusable team."""
    return (
        "Mend it (see `minerva check`), or go on without it: --team NAME, "
        f"or `teams: [NAME, …]` in {_platform_file(settings)}."
    )


def _select(loading: LoadedTeams, settings: Settings, router: RouterName | None) -> AssembledTeam:
    _refuse_unusable_model(settings, router)
    bare = platform_over((), settings, router=router)
    selection = select_teams(
        bare, loading.teams, partial(configure_team, settings=settings, router=router)
    )
    missing = (*loading.left_out, *selection.left_out)
    if missing and not selection.teams:
        raise CheckError([entry.text for entry in missing], way_round(settings))
    platform = platform_over(selection.teams, settings, router=router, left_out=missing)
    return replace(platform, left_out=missing, lost=selection.lost)


def _rules_for(
    rules: Sequence[Rule], teams: Sequence[AssembledTeam], left_out: Sequence[LeftOut]
) -> tuple[Rule, ...]:
    """Return the platform's rules without goals of teams that are left out."""
    absent = {entry.team for entry in left_out} - {team.name for team in teams}
    remaining: list[Rule] = []
    for rule in rules:
        goals = tuple(name for name in rule.goals if name not in absent)
        if goals:
            remaining.append(rule.model_copy(update={"goals": goals}))
    return tuple(remaining)


def _refuse_unusable_model(settings: Settings, router: RouterName | None) -> None:
    """Refuse a platform model or router that cannot be made, before any team is looked at.

    Raises:
        SettingsError: the model's name is wrong, its key is missing, or the router needs a model
            and there is none.
    """
    spec, written = model_spec(settings.platform.model), settings.platform.router
    if spec:
        check_key(spec)
    elif router in ASKS_MODEL:
        raise ModellessRouterError(router)
    elif router is None and isinstance(written, str) and written in ASKS_MODEL:
        raise ModellessRouterError(written, _platform_file(settings))


def _platform_file(settings: Settings) -> Path:
    return (settings.folder or Path("configs")) / "platform.yaml"


def _defaults(settings: Settings, router: RouterName | None) -> Defaults:
    """Return what the platform gives to all levels below it."""
    spec, written = model_spec(settings.platform.model), settings.platform.router
    return Defaults(
        model=Model(spec) if spec else None,
        router=None if written == "rules" else written,  # rules belong to one supervisor
        forced_router=router,
    )


def _check_keys(team: AssembledTeam) -> None:
    for model in team.models:
        check_key(model.spec)
