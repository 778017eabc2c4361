"""Members that only act on the world: a question to know something does not go to them."""

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import CodeType, FunctionType
from typing import Any, Final

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.router import Decision, Goal
from minerva_platform.routing.clauses.wishes import asks_for_work
from minerva_platform.storage.ledger.effect_row import MARK
from minerva_platform.text.question_or_command import asks_to_know, sounds_like

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


def without_questions(
    decision: Decision,
    acting: Mapping[str, Sequence[str]],
    person_words: str,
    *,
    by_examples: bool,
) -> Decision:
    """Return `decision` without members that only act, where its words ask or tell something.

    `acting` are these members with their examples, which are commands. A choice `by_examples` alone
    needs a sign of a command, too.
    """

    def is_for(goal: Goal) -> bool:
        examples = acting.get(goal.member)
        words = [*filter(str.strip, (person_words, goal.request))]
        if examples is None or not words:
            return True
        asks = any(map(asks_to_know, words))
        return not asks and (not by_examples or any(commands(each, examples) for each in words))

    kept = tuple(filter(is_for, decision.goals))
    if len(kept) == len(decision.goals):
        return decision
    left = tuple(goal.request for goal in decision.goals if goal not in kept)
    told = {"goals": kept, "finish": decision.finish or not kept}
    return decision.model_copy(update={**told, "unserved": (*decision.unserved, *left)})


def commands(text: str, examples: Iterable[str]) -> bool:
    """True if `text` is a command by its form, or sounds like one of the `examples`."""
    return asks_for_work(text) or sounds_like(text, examples)


def _is_effect(function: Any) -> bool:
    return getattr(function, MARK, "idempotent") != "idempotent"


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
    names, known = _names(function.__code__), dict(function.__globals__)
    with suppress(ValueError):  # a name of a function around is not bound yet
        known |= inspect.getclosurevars(function).nonlocals
    found = [known[name] for name in names & known.keys()]
    modules = filter(inspect.ismodule, found)
    inside = [getattr(module, name, None) for module in modules for name in names]
    return any(map(_is_effect, (function, *found, *inside)))


def _names(code: CodeType) -> set[str]:
    """Return the names in a code and in the functions that it defines."""
    inner = (_names(each) for each in code.co_consts if isinstance(each, CodeType))
    return {*code.co_names, *code.co_freevars}.union(*inner)
