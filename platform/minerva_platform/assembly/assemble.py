"""Make of a declared team one that runs. The declaration stays as it is.

A worker is copied if anything is set for it, and only then: `Team(members=[worker]).ask(…)` runs
the very object, and two platforms over one declaration share no model and no time limit.
"""

import copy
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from minerva_platform.assembly.members import make_members, sound_exports
from minerva_platform.config.router_spec import RouterName
from minerva_platform.config.settings import TeamSettings
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.engine import LanguageModel
from minerva_platform.contract.router import RouterChoice
from minerva_platform.contract.run_object import Origin
from minerva_platform.contract.team import Member, Team
from minerva_platform.errors import ContractError, SettingsError
from minerva_platform.models.model import Model
from minerva_platform.routing import router_choice
from minerva_platform.run_context.failures.source_location import package_of

_Agent = TypeVar("_Agent", bound=BaseAgent[Any, Any])


@dataclass(frozen=True, slots=True)
class Defaults:
    """What comes from outside a team."""

    settings: TeamSettings | None = None
    """Its file. None: the team has none, as one inside another team."""
    model: LanguageModel | None = None
    """The model of the team above."""
    router: RouterChoice = None
    """What the platform says of the routers of its teams."""
    forced_router: RouterName | None = None
    """The router that leads at every level, against any configuration."""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class DeclaredTeam:
    """A declared team, and where it comes from."""

    declaration: Team
    origin: Origin | None = None


def assemble(team: Team, defaults: Defaults = Defaults()) -> AssembledTeam:  # frozen
    """Return `team` as it runs with `defaults`, its members' teams too.

    What is wrong with its members is a `fault` of the result.

    Raises:
        SettingsError: its file names what is not there, or would replace a declared shape.
    """
    settings = defaults.settings
    members = team.members
    if settings is not None and "members" not in vars(team):  # they are not given in code
        members = team.build_members(settings)
    try:
        agents = make_members(team.name, members, package=package_of(team))
    except ContractError as fault:
        return assembled_over(team, (), defaults, fault=fault)
    return assembled_over(team, agents, defaults)


def assembled_over(
    team: Team,
    agents: Iterable[Member],
    defaults: Defaults = Defaults(),  # frozen
    *,
    fault: ContractError | None = None,
) -> AssembledTeam:
    """Return `team` over these members instead of its own; those assembled before stay so."""
    settings = defaults.settings or TeamSettings()
    agents = tuple(agents)
    file = f"configs/teams/{team.name}.yaml"
    _refuse_strangers(settings, [agent.name for agent in agents if hasattr(agent, "name")], file)
    configured = Model(settings.model) if settings.model else team.model
    model = configured or defaults.model
    members = tuple(
        _member(agent, team, agents, defaults=defaults, model=model) for agent in agents
    )
    choice = router_choice.choose(team, defaults.settings, defaults.router, defaults.forced_router)
    every = tuple(text for texts in settings.examples.values() for text in texts)
    return AssembledTeam(
        declaration=team,
        members=members,
        fault=fault,
        router_choice=choice,
        shape=router_choice.shape_of(choice),
        router_traits=router_choice.traits_by(choice, model),
        make_router=router_choice.build,
        rules=settings.rules or team.rules,
        model=model,
        exports=sound_exports(team.exports),
        substitutes={**team.substitutes, **settings.substitutes},
        finish_mode=settings.finish or team.finish_mode,
        timeout=team.timeout,
        own_examples=_with_more(team.examples, every),
        own_declines=_with_more(team.declines, settings.declines),
        own_aspects=team.aspects,
        origin=defaults.origin,
    )


def assembled_alone(team: Team) -> AssembledTeam:
    """Return the team as it runs by itself; it is made once, and anew once it has changed."""
    stamp = tuple(_stamp(team))
    kept = vars(team).get("_alone")
    if kept is None or kept[0] != stamp:
        kept = vars(team)["_alone"] = (stamp, assemble(team))
    alone: AssembledTeam = kept[1]
    return alone


def _stamp(team: Team) -> Iterable[tuple[int, int]]:
    """Yield what changes when somebody sets an attribute of a declared team in the tree."""
    yield id(team), team.changes
    members: object = team.members
    if isinstance(members, list | tuple):  # else it is a fault, which is told when it is assembled
        for member in cast("Sequence[object]", members):
            if isinstance(member, Team):
                yield from _stamp(member)


def _member(
    agent: Member,
    team: Team,
    agents: Sequence[Member],
    *,
    defaults: Defaults,
    model: LanguageModel | None,
) -> Member:
    if isinstance(agent, AssembledTeam):
        return agent
    settings, name = defaults.settings or TeamSettings(), getattr(agent, "name", "")
    own: LanguageModel | None = Model(settings.models[name]) if name in settings.models else None
    if not isinstance(agent, Team) and agent.isolation == "none":  # another process asks no model
        own = own or agent.model or model
    changes: dict[str, Any] = {
        "timeout": settings.timeouts.get(name, agent.timeout),
        "examples": _with_more(agent.examples, settings.examples.get(name, ())),
        "declines": _with_more(agent.declines, settings.declines),
        "model": own or agent.model,
    }
    changes = {key: value for key, value in changes.items() if value is not getattr(agent, key)}
    takes = type(agent).take_settings is not BaseAgent.take_settings
    if changes or (takes and defaults.settings is not None):
        agent = _copy_with(agent, changes)
    if takes and defaults.settings is not None:
        names = tuple(other.name for other in agents)
        agent.take_settings(defaults.settings, team=team.name, members=names)
    if isinstance(agent, Team):
        return assemble(agent, replace(defaults, settings=None, model=model, origin=None))
    return agent


def _copy_with(agent: _Agent, changes: Mapping[str, Any]) -> _Agent:
    copied = copy.copy(agent)
    for name in ("graph", "card", "flow"):  # they were derived from what is changed
        vars(copied).pop(name, None)
    for name, value in changes.items():
        setattr(copied, name, value)
    return copied


def _with_more(texts: Sequence[str] | None, more: Sequence[str]) -> Sequence[str] | None:
    """Return the declared texts with the configured ones, each once; None stays derived."""
    return texts if texts is None or not more else tuple(dict.fromkeys((*texts, *more)))


def _refuse_strangers(settings: TeamSettings, names: Collection[str], file: str) -> None:
    keys: dict[str, Iterable[str]] = {
        "timeouts": settings.timeouts,
        "examples": settings.examples,
        "substitutes": (*settings.substitutes, *settings.substitutes.values()),
        "models": settings.models,
    }
    for key, written in keys.items():
        for name in written:
            if name not in names:
                message = f"{file}: `{key}` names `{name}`; the members are {', '.join(names)}."
                raise SettingsError(message)
