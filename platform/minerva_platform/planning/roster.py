"""The members of an assembled team, as planning knows them.

Some only act on the world: a question to know something does not go to them.
"""

import inspect
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any, Final

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import EFFECT_MARK
from minerva_platform.planning.situation import Roster
from minerva_platform.routing.shapes.shape import names_after
from minerva_platform.text.question_or_command import asks_to_know

_FEW: Final = 5
"""A member whose examples ask to know something once in so many answers questions, too."""


def roster_of(team: AssembledTeam) -> Roster:
    """Return the members of `team`."""
    agents = team.by_name
    return Roster(
        flows={name: agent.planned_flow for name, agent in agents.items()},
        teams=frozenset(name for name, agent in agents.items() if agent.is_team),
        cards=tuple(agent.card for agent in agents.values()),
        audits=team.audits,
        substitutes=team.substitutes,
        approvals=_approvals(team),
        output_modes={name: agent.output_mode for name, agent in agents.items()},
        before=_leading(team),
        presents={name: tuple(agent.presents) for name, agent in agents.items()},
        acting={each.name: tuple(each.examples) for each in agents.values() if only_acts(each)},
        silent=frozenset(each.name for each in agents.values() if "request" in each.sensitive),
        lost=tuple(team.lost),
        absent={name: entry.cause for name, entry in team.absent.items()},
    )


def in_own_run(roster: Roster, task: Task, team: AssembledTeam) -> Roster:
    """Return the roster in the run of a background member: what it gives is not late there."""
    heads = {name.partition("/")[0] for name in task.members}
    there = {name: team.by_name[name].flow.in_own_run() for name in heads & roster.flows.keys()}
    return replace(roster, flows={**roster.flows, **there})


def _leading(team: AssembledTeam) -> dict[str, frozenset[str]]:
    """Return which members lead to each member of a workflow."""
    if team.shape is None or not team.shape.traits.names_every_call:
        return {}
    edges, instead = team.shape.edges, team.substitutes
    ahead = {name: names_after(edges, (name,)) for name in team.by_name}
    before: dict[str, frozenset[str]] = {}
    for name in dict.fromkeys(edge.source for edge in edges if edge.source in team.by_name):
        leading = {other for other, after in ahead.items() if name in after}
        before[name] = frozenset({*leading, *(instead[one] for one in leading if one in instead)})
    return before | {other: before[name] for name, other in instead.items() if name in before}


def _approvals(team: AssembledTeam) -> dict[str, frozenset[str]]:
    """Return the kinds that each member asks about: a worker of this team's, a team its own."""
    approvals = {name: agent.flow.approves for name, agent in team.by_name.items()}
    for kind, member in team.approvals.items():
        if member in approvals:
            approvals[member] |= {kind}
    return {name: kinds for name, kinds in approvals.items() if kinds}


def only_acts(agent: BaseAgent[Any, Any]) -> bool:
    """True if all that `agent` does is an effect that is not idempotent.

    It gives no hand-offs, hardly one of its examples asks to know something, and its code, or each
    of its tools, is behind `@effect`. A team only acts if all of its members do.
    """
    if isinstance(agent, AssembledTeam):
        return bool(agent.agents) and all(map(only_acts, agent.agents))
    asking = sum(map(asks_to_know, agent.examples))
    if agent.flow.gives or asking * _FEW >= len(agent.examples):
        return False
    tools = getattr(agent, "own_tools", None)
    if tools is not None:
        deeds = _deeds(tools)
        return bool(deeds) and not getattr(agent, "mcp", ()) and all(map(_is_effect, deeds))
    return any(map(_names_effect, _functions(agent)))


def names_effect(agent: BaseAgent[Any, Any]) -> bool:
    """True if a worker's code, or one of its tools, is an effect that is not idempotent."""
    nodes = getattr(agent.graph, "nodes", {}).values()
    tools = [*getattr(agent, "own_tools", ())]
    for node in nodes:  # those of an agent of `create_agent`
        tools += getattr(node.bound, "tools_by_name", {}).values()
    return any(map(_is_effect, _deeds(tools))) or any(map(_names_effect, _functions(agent)))


def _deeds(tools: Iterable[Any]) -> list[Any]:
    return [getattr(tool, "func", None) or getattr(tool, "coroutine", None) for tool in tools]


def _is_effect(function: Any) -> bool:
    return getattr(function, EFFECT_MARK, "idempotent") != "idempotent"


def _functions(agent: BaseAgent[Any, Any]) -> Iterator[FunctionType]:
    """Yield the functions of an agent: its methods, what it is made of, the nodes of its graph."""
    own = [*vars(agent).values()]
    for each in vars(agent).values():  # a graph that the agent was made from
        for node in getattr(getattr(each, "builder", None), "nodes", {}).values():
            own += [getattr(node.runnable, name, None) for name in ("func", "afunc")]
    bases: list[type] = [base for base in type(agent).__mro__ if issubclass(base, BaseAgent)]
    theirs = (base for base in bases if not base.__module__.startswith("minerva_platform."))
    for each in (*own, *(value for base in theirs for value in vars(base).values())):
        function = getattr(each, "__func__", each)
        if isinstance(function, FunctionType):
            yield function


def _names_effect(function: FunctionType) -> bool:
    """True if a function is behind `@effect`, or names one that is, or one of a module that is."""
    names, scope = _names(function.__code__), dict(function.__globals__)
    with suppress(ValueError):  # a name of a function around is not bound yet
        scope |= inspect.getclosurevars(function).nonlocals
    values = [scope[name] for name in names & scope.keys()]
    modules = filter(inspect.ismodule, values)
    inside = [getattr(module, name, None) for module in modules for name in names]
    return any(map(_is_effect, (function, *values, *inside)))


def _names(code: CodeType) -> set[str]:
    """Return the names in a code and in the functions that it defines."""
    inner = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return {*code.co_names, *code.co_freevars}.union(*inner)
