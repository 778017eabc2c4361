"""Refuse what a node must not return, where it still has a name.

LangGraph drops keys that the state does not have without a word, and quotes what is no update at
all, the worker's whole text included. Here both are errors that name the node and say the way out.
"""

import difflib
from collections.abc import Callable, Collection, Iterable
from typing import Any, cast

from langgraph.graph import StateGraph
from langgraph.types import Command
from pydantic import BaseModel

from minerva_platform.errors import OutputError

ROOT = "__root__"
"""LangGraph's one channel of a state that has no keys."""

Check = Callable[[Any], Any]


def update_check(builder: StateGraph[Any, Any, Any, Any], agent: str, node: str) -> Check:
    """Return a function that returns what `node` returned, or raises.

    A key costs a look into a set. A state without keys may be updated by anything.
    """
    held: Any = (*builder.channels, *builder.managed)
    known: frozenset[str] = frozenset(held)

    def check(returned: Any) -> Any:
        # the first is what nearly every node does
        plain = issubclass(type(returned), dict) and known.issuperset(returned)
        if not plain and ROOT not in known:
            for key in _keys(returned, agent, node, known):
                if key not in known:
                    raise OutputError(agent, _unknown_key(node, str(key), known))
        return returned

    return check


def _keys(returned: Any, agent: str, node: str, known: Collection[str]) -> Iterable[str]:
    """Return the keys that LangGraph would look at in what a node returned."""
    kind = cast("type[object]", type(returned))  # asked instead of `returned`, which stays Any so
    if returned is None:
        return ()
    if issubclass(kind, dict):
        return cast("Iterable[str]", returned)
    if issubclass(kind, Command):
        return _keys_of_command(returned, agent, node, known)
    if issubclass(kind, list | tuple):
        if any(isinstance(item, Command) for item in returned):
            return [key for item in returned for key in _keys(item, agent, node, known)]
    elif issubclass(kind, BaseModel):
        return cast("Iterable[str]", returned.model_fields_set)
    elif any("__annotations__" in vars(base) for base in kind.__mro__):
        return ()  # a dataclass or the like: its fields are declared, as the state's are
    example = "summary" if "summary" in known else min(known, default="summary")
    reason = (
        f"its node `{node}` must return a dict of state keys, such as {{'{example}': …}}; "
        f"it returned {kind.__name__}."
    )
    raise OutputError(agent, reason)


def _keys_of_command(
    command: Command[Any], agent: str, node: str, known: Collection[str]
) -> Iterable[str]:
    update: Any = command.update
    if command.graph is not None:  # for another graph, with keys of its own
        return ()
    if isinstance(update, list | tuple):  # LangGraph also takes pairs
        pairs = cast("Iterable[Any]", update)
        return [str(pair[0]) for pair in pairs]
    return _keys(update, agent, node, known)


def _unknown_key(node: str, key: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"its keys: {', '.join(sorted(known))}."
    return f"its node `{node}` returned `{key}`, which is no key of its state; {hint}"
