"""Refuse what a node must not return, while the node's name is known.

LangGraph silently drops keys that the state does not have. It silently ignores a step to a missing
node. Its error for a value that is no update quotes the worker's whole text. Here each of the three
is an error that names the node and the way out.
"""

import difflib
from collections.abc import Callable, Collection, Hashable, Iterable
from typing import Any, cast

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.graph import END, StateGraph
from langgraph.types import Command, Send
from pydantic import BaseModel

from minerva_platform.errors import OutputError

ROOT = "__root__"
"""LangGraph's one channel of a state that has no keys."""

MAX_SHOWN = 80
"""Characters of a wrong name that an error shows and compares with the right ones."""

Check = Callable[[Any], Any]


def update_check(builder: StateGraph[Any, Any, Any, Any], agent: str, node: str) -> Check:
    """Return a function that returns what `node` returned, or raises.

    Each key costs one look into a set. A state without keys accepts any update.
    """
    held: Any = (*builder.channels, *builder.managed)
    known: frozenset[str] = frozenset(held)
    nodes = builder.nodes.keys()

    def check(answer: Any) -> Any:
        # nearly every node returns a dict
        plain = issubclass(type(answer), dict) and known.issuperset(answer)
        if not plain:
            _check_targets(_targets(answer), agent, f"its node `{node}`", nodes)
        if not plain and ROOT not in known:
            for key in _keys(answer, agent, node, known):
                if key not in known:
                    raise OutputError(agent, _unknown_key(node, str(key), known))
        return answer

    return check


def check_paths(builder: StateGraph[Any, Any, Any, Any], agent: str) -> None:
    """Make conditional edges in `builder` fail if they lead to a node that does not exist."""
    nodes = builder.nodes.keys()
    for source, branches in builder.branches.items():
        for name, branch in branches.items():
            labels: Any = branch.ends or (*nodes, END)
            path = _CheckedPath(branch.path, (agent, f"`{name}` after `{source}`", nodes, labels))
            branches[name] = branch._replace(path=path)


class _CheckedPath(Runnable[Any, Any]):
    """The function of a conditional edge. Its targets are checked."""

    def __init__(
        self, path: Runnable[Any, Any], border: tuple[str, str, Collection[str], Collection[Any]]
    ) -> None:
        self.path, self.border = path, border

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002  # the signature is LangChain's
        """Call it."""
        return self._fit(self.path.invoke(input, config, **kwargs))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002  # see above
        """Await it."""
        return self._fit(await self.path.ainvoke(input, config, **kwargs))

    def _fit(self, answer: Any) -> Any:
        agent, edge, nodes, labels = self.border
        _check_targets(_several(answer), agent, f"its conditional edge {edge}", nodes, labels)
        return answer


def _targets(answer: Any) -> Iterable[Any]:
    """Return the nodes of its own graph that a node's answer goes to."""
    if isinstance(answer, Send):  # in a list LangGraph reads only commands
        return (answer,)
    found: list[Any] = []
    for item in _several(answer):
        if isinstance(item, Command):
            found += _several(item.goto) if item.graph is None else ()
    return found


def _several(value: Any) -> Iterable[Any]:
    return cast("Iterable[Any]", value) if isinstance(value, list | tuple) else (value,)


def _check_targets(
    targets: Iterable[Any],
    agent: str,
    who: str,
    nodes: Collection[str],
    labels: Collection[Any] | None = None,
) -> None:
    """Refuse a missing target. `labels` are the answers that an edge may give (nodes and END).

    Raises:
        OutputError: a target is missing. It names `who`, the target and the existing nodes.
    """
    answers = (*nodes, END) if labels is None else labels
    for target in targets:
        verb, known = ("sends", nodes) if isinstance(target, Send) else ("goes", answers)
        name: Any = target.node if isinstance(target, Send) else target
        if not isinstance(name, Hashable) or name not in known:
            raise OutputError(agent, f"{who} {verb} to {_no_node(name, nodes)}")


def _no_node(name: object, nodes: Collection[str]) -> str:
    shown = str(name)[:MAX_SHOWN]
    near = difflib.get_close_matches(shown, nodes, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"its nodes: {', '.join(nodes)}."
    return f"`{shown}`, which is no node of its graph; {hint}"


def _keys(answer: Any, agent: str, node: str, keys: Collection[str]) -> Iterable[str]:
    """Return the keys that LangGraph would read in a node's returned value."""
    kind = cast("type[object]", type(answer))  # asked instead of `answer`, which stays Any so
    if answer is None:
        return ()
    if issubclass(kind, dict):
        return cast("Iterable[str]", answer)
    if issubclass(kind, Command):
        return _keys_of_command(answer, agent, node, keys)
    if issubclass(kind, list | tuple):
        if any(isinstance(item, Command) for item in answer):
            return [key for item in answer for key in _keys(item, agent, node, keys)]
    elif issubclass(kind, BaseModel):
        return cast("Iterable[str]", answer.model_fields_set)
    elif any("__annotations__" in vars(base) for base in kind.__mro__):
        return ()  # a dataclass or the like: its fields are declared
    example = "summary" if "summary" in keys else min(keys, default="summary")
    reason = (
        f"its node `{node}` must return a dict of state keys, such as {{'{example}': …}}; "
        f"it returned {kind.__name__}."
    )
    raise OutputError(agent, reason)


def _keys_of_command(
    command: Command[Any], agent: str, node: str, keys: Collection[str]
) -> Iterable[str]:
    update: Any = command.update
    if command.graph is not None:  # for another graph with its own keys
        return ()
    if isinstance(update, list | tuple):  # LangGraph also takes pairs
        pairs = cast("Iterable[Any]", update)
        return [str(pair[0]) for pair in pairs]
    return _keys(update, agent, node, keys)


def _unknown_key(node: str, key: str, keys: Collection[str]) -> str:
    shown = key[:MAX_SHOWN]
    near = difflib.get_close_matches(shown, keys, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"its keys: {', '.join(sorted(keys))}."
    return f"its node `{node}` returned `{shown}`, which is no key of its state; {hint}"
