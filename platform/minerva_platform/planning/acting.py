"""Members that only act on the world: a question to know something does not go to them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, Final

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.team import Team
from minerva_platform.routing.clauses.wishes import asks_for_work
from minerva_platform.routing.protocol import Decision, Goal
from minerva_platform.storage.kept_effect import MARK
from minerva_platform.text.asking import asks_to_know, sounds_like, wants_ko

_FEW: Final = 5
"""A member whose examples ask to know something once in so many answers questions, too."""
_DEPTH: Final = 3
"""Calls of functions that are followed, from a worker's own code on."""


def acting_members(team: Team) -> dict[str, tuple[str, ...]]:
    """Return the members of `team` that only act on the world, with their examples."""
    acting = (agent for agent in team.by_name.values() if only_acts(agent))
    return {agent.name: tuple(agent.examples) for agent in acting}


def only_acts(agent: BaseAgent[Any, Any]) -> bool:
    """True if all that `agent` does is an effect that is not idempotent.

    It gives no hand-offs, hardly one of its examples asks to know something, and its code, or each
    of its tools, is behind `@effect`. A team only acts if all of its members do.
    """
    if isinstance(agent, Team):
        return bool(agent.agents) and all(map(only_acts, agent.agents))
    asking = sum(map(asks_to_know, agent.examples))
    if agent.flow.gives or asking * _FEW >= len(agent.examples):
        return False
    tools = getattr(agent, "own_tools", None)
    if tools is not None:
        deeds = [getattr(tool, "func", None) or getattr(tool, "coroutine", None) for tool in tools]
        return bool(deeds) and not getattr(agent, "mcp", ()) and all(map(_is_effect, deeds))
    own = _functions(agent)
    return any(_is_effect(function) or _uses_effect(function, _DEPTH) for function in own)


def without_questions(
    decision: Decision, acting: Mapping[str, Sequence[str]], person_words: str
) -> Decision:
    """Return `decision` with members that only act for commands alone.

    `acting` are these members with their examples, which are commands. What asks or tells something
    goes to none of them, and neither does what is no command by any sign.
    """

    def is_for(goal: Goal) -> bool:
        examples = acting.get(goal.member)
        words = [*filter(str.strip, (person_words, goal.request))]
        if examples is None or not words:
            return True
        asks = any(map(asks_to_know, words))
        return not asks and any(commands(each, examples) for each in words)

    kept = tuple(filter(is_for, decision.goals))
    if len(kept) == len(decision.goals):
        return decision
    left = tuple(goal.request for goal in decision.goals if goal not in kept)
    told = {"goals": kept, "finish": decision.finish or not kept}
    return decision.model_copy(update={**told, "unserved": (*decision.unserved, *left)})


def commands(text: str, examples: Iterable[str]) -> bool:
    """True if `text` is a command by its form, or sounds like one of the `examples`."""
    return asks_for_work(text) or wants_ko(text) or sounds_like(text, examples)


def _is_effect(function: Any) -> bool:
    return getattr(function, MARK, "idempotent") != "idempotent"


def _functions(agent: BaseAgent[Any, Any]) -> Iterator[FunctionType]:
    """Yield the functions of an agent: its methods, what it is made of, the nodes of its graph."""
    for base in type(agent).__mro__:
        if base is BaseAgent or base.__module__.startswith("minerva_platform."):
            break
        yield from (each for each in vars(base).values() if isinstance(each, FunctionType))
    own = [*vars(agent).values()]
    for each in vars(agent).values():  # a graph that the agent was made from
        for node in getattr(getattr(each, "builder", None), "nodes", {}).values():
            own += [getattr(node.runnable, name, None) for name in ("func", "afunc")]
    for each in own:
        function = getattr(each, "__func__", each)
        if isinstance(function, FunctionType):
            yield function


def _uses_effect(function: FunctionType, depth: int) -> bool:
    """True if `function` names a function behind `@effect`, or one of its package that does."""
    package = function.__module__.partition(".")[0]
    for used in _used(function):
        if _is_effect(used):
            return True
        inner = used if isinstance(used, FunctionType) else None
        if inner is None or depth == 0 or inner.__module__.partition(".")[0] != package:
            continue
        if _uses_effect(inner, depth - 1):
            return True
    return False


def _used(function: FunctionType) -> Iterator[Any]:
    """Yield the objects that the names in a function's code stand for, of its modules as well."""
    names = _names(function.__code__)
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    found = [*cells, *(function.__globals__[name] for name in names & function.__globals__.keys())]
    yield from found
    for each in found:
        if type(each).__name__ == "module":
            yield from (getattr(each, name, None) for name in names)


def _names(code: CodeType) -> set[str]:
    """Return the names in a code and in the functions that it defines."""
    names = {*code.co_names, *code.co_freevars}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _is_filled(cell: Any) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:  # its function is not defined yet
        return False
    return True
