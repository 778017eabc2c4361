"""Find wrong declarations of a worker: missing ones, unfilled inputs, unset outputs."""

import re
import sys
from collections.abc import Iterator
from inspect import getattr_static
from typing import Any, Final

from pydantic import BaseModel

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.dataflow import handoff_ports
from minerva_platform.errors import ContractError
from minerva_platform.run_context.failures.error_info import error_to_info
from minerva_platform.run_context.failures.source_location import package_of
from minerva_platform.runtime.border.input_binding import unbound_fields
from minerva_platform.runtime.modes import history_problems

SHOWN = 40
"""Characters that a problem shows of a text."""

_TEXTS = ("examples", "declines", "aspects", "presents", "sensitive")
"""Attributes that are tuples of texts. One text alone would be read letter by letter."""


def text_problems(agent: BaseAgent[Any, Any], path: str) -> Iterator[str]:
    """Yield attributes that are one text instead of several, as after a forgotten comma."""
    written = agent.declaration if isinstance(agent, AssembledTeam) else agent
    for name in _TEXTS:
        declared: Any = getattr_static(written, name, ())  # a worker's may be derived, too
        if isinstance(declared, str):
            begin = declared if len(declared) <= SHOWN else f"{declared[:SHOWN]}…"
            yield f'`{path}`: its `{name}` is one text; write a tuple: {name} = ("{begin}",).'


def worker_problems(agent: BaseAgent[Any, Any], path: str) -> Iterator[str]:
    """Yield the faults that would keep a worker from ever running right."""
    undeclared = [line for name, line in _lines(agent).items() if not hasattr(agent, name)]
    if undeclared:
        names = ", ".join(f"`{line.partition(' ')[0]}`" for line in undeclared)
        lines = ", ".join(f"`{line}`" for line in undeclared)
        yield f"`{path}` does not say its {names}; write in `{type(agent).__name__}`: {lines}."
        return
    try:
        unbound = unbound_fields(agent.Input)
        list(handoff_ports(agent.name, agent.Output))
    except ContractError as error:
        yield f"`{path}`: {error}"
        return
    for field in unbound:
        yield (
            f"`{path}`: no task can fill its input `{field}`; give it a default, or make it "
            "an Attachment or a Handoff."
        )
    if "summary" not in agent.Output.model_fields:
        yield f"`{path}`: its Output has no `summary`; derive it from AgentOutput."
    try:
        agent.graph  # noqa: B018  # compiling is the check
    except Exception as error:  # noqa: BLE001  # an author's graph may raise anything
        yield f"`{path}`: its graph cannot be compiled: {_cause(agent, error)}"
        return
    yield from _state_problems(agent, path)
    yield from (f"`{path}`: {problem}" for problem in history_problems(agent))
    yield from middleware_problems(agent, path)
    yield from (f"`{path}`: {problem}" for problem in agent.declaration_problems())


def _lines(agent: BaseAgent[Any, Any]) -> dict[str, str]:
    """Return the required declarations, each with a line that would make it."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(agent).__name__).lower()
    return {
        "name": f'name = "{name}"',
        "Input": "Input = AgentInput",
        "Output": "Output = AgentOutput",
    }


def _cause(agent: BaseAgent[Any, Any], error: Exception) -> str:
    info = error_to_info(error, package_of(agent))
    said = info.message or info.type
    return f"{said} ({info.where})" if info.where else said


def _state_problems(agent: BaseAgent[Any, Any], path: str) -> Iterator[str]:
    """Compare the required fields with the state's keys, where the platform goes by name.

    LangGraph drops a key that the state does not have without a word.
    """
    reads: Any = agent.graph.output_channels
    if not isinstance(reads, list):
        return  # a state without keys
    builder: Any = agent.graph.builder
    fields_of: dict[str, list[str]] = {
        "Input": [] if _is_own(agent, "input_to_state") else _required_fields(agent.Input),
        "Output": [] if _is_own(agent, "state_to_output") else _required_fields(agent.Output),
    }
    held: dict[str, Any] = {"Input": builder.schemas[builder.input_schema], "Output": reads}
    for side, fields in fields_of.items():
        for field in fields:
            if field not in held[side]:
                state = builder.state_schema.__name__
                yield (
                    f"`{path}`: its {side} has `{field}`, which is no key of its state, so it "
                    f"would be lost; add `{field}` to `{state}`, or override "
                    f"`{_CONVERTERS[side]}`."
                )


_CONVERTERS = {"Input": "input_to_state", "Output": "state_to_output"}


def _is_own(agent: BaseAgent[Any, Any], converter: str) -> bool:
    is_own = getattr(type(agent), converter) is not getattr(BaseAgent, converter)
    return is_own or agent.is_one_step  # whose whole Input and Output are in the state


def _required_fields(model: type[BaseModel]) -> list[str]:
    return [name for name, field in model.model_fields.items() if field.is_required()]


ASKS: Final = "HumanInTheLoopMiddleware"
CATCHES: Final = frozenset({"ToolRetryMiddleware", "ToolErrorMiddleware"})
_HOOK: Final = re.compile(r"a?wrap_tool_call\Z")


def middleware_problems(agent: BaseAgent[Any, Any], path: str) -> Iterator[str]:
    """Yield a sentence for each LangChain middleware in the wrong order in the worker at `path`.

    `HumanInTheLoopMiddleware` must stand before what retries a tool or turns its errors into
    messages. Behind it, an answer that does not fit would be tried again, or be told to the model,
    and the person would never hear of it. The author's own graph is read: in the one that runs,
    each node is wrapped.
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
