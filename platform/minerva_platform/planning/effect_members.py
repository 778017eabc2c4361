"""Members that only act on the world: a question to know something does not go to them."""

import inspect
from collections.abc import Iterator
from contextlib import suppress
from types import CodeType, FunctionType
from typing import Any, Final

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.values import EFFECT_MARK
from minerva_platform.text.question_or_command import asks_to_know

_FEW: Final = 5
"""A member whose examples ask to know something once in so many answers questions, too."""


def acting_members(team: AssembledTeam) -> dict[str, tuple[str, ...]]:
    """Return the members of `team` that only act on the world, with their examples."""
    return {each.name: tuple(each.examples) for each in team.by_name.values() if only_acts(each)}


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
        deeds = [getattr(tool, "func", None) or getattr(tool, "coroutine", None) for tool in tools]
        return bool(deeds) and not getattr(agent, "mcp", ()) and all(map(_is_effect, deeds))
    return any(map(_names_effect, _functions(agent)))


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
