"""Find LangChain middleware that stands in the wrong order in a worker of `create_agent`.

`HumanInTheLoopMiddleware` must stand before what retries a tool or turns its errors into messages.
Behind it, an answer that does not fit would be tried again, or be told to the model, and the person
would never hear of it.
"""

import re
import sys
from collections.abc import Iterator
from typing import Any, Final

from minerva_platform.contract.agent import BaseAgent

ASKS: Final = "HumanInTheLoopMiddleware"
CATCHES: Final = frozenset({"ToolRetryMiddleware", "ToolErrorMiddleware"})
_HOOK: Final = re.compile(r"a?wrap_tool_call\Z")


def middleware_problems(agent: BaseAgent[Any, Any], path: str) -> Iterator[str]:
    """Yield a sentence for each such middleware in the graph of the worker at `path`.

    The author's own graph is read: in the one that runs, each node is wrapped.
    """
    if "langchain.agents" not in sys.modules:  # then nobody has made such a worker
        return
    for node in _tool_nodes(agent.build_graph()):
        order = list(dict.fromkeys(_names(getattr(node, "_awrap_tool_call", None))))
        if ASKS not in order:
            continue
        for before in order[: order.index(ASKS)]:
            if before in CATCHES:
                yield (
                    f"`{path}`: `{before}` stands before `{ASKS}` and would hide a wrong answer "
                    f"from the person; put `{ASKS}` first in `middleware=[…]`."
                )


def _tool_nodes(graph: Any) -> Iterator[Any]:
    """Yield the nodes of a graph that run tools, those of graphs inside it, too."""
    from langgraph.prebuilt import ToolNode  # noqa: PLC0415 - 0.1 s, and few workers have tools

    builder = getattr(graph, "builder", graph)
    for spec in getattr(builder, "nodes", {}).values():
        runnable = getattr(spec, "runnable", None)
        if isinstance(runnable, ToolNode):
            yield runnable
        elif hasattr(runnable, "builder"):
            yield from _tool_nodes(runnable)


def _names(hook: Any) -> Iterator[str]:
    """Yield the classes whose hooks LangChain chains around a tool, the outermost first.

    LangChain nests functions: `outer` and `inner` of a pair, and a tracing function around each.
    """
    owner = getattr(hook, "__self__", None)
    if owner is not None and _HOOK.search(getattr(hook, "__name__", "")):
        kinds: tuple[type, ...] = type(owner).__mro__
        yield from (each.__name__ for each in kinds if each.__name__ in {ASKS, *CATCHES})
        return
    names: tuple[str, ...] = getattr(getattr(hook, "__code__", None), "co_freevars", ())
    cells: tuple[Any, ...] = getattr(hook, "__closure__", None) or ()
    held = {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}
    for name in ("outer", "inner") if {"outer", "inner"} <= held.keys() else sorted(held):
        if callable(held[name]):
            yield from _names(held[name])
