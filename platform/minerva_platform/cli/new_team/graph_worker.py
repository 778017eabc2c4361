"""`--from-graph`: a team whose worker runs an existing LangGraph graph."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph

from minerva_platform.assembly.import_failure import import_failure
from minerva_platform.cli.new_team.shape import (
    Shape,
    description_of,
    examples_of,
    import_lines,
    literal,
    literals,
)
from minerva_platform.cli.new_team.source import (
    Source,
    names_in,
    required_parameters,
    undocumented_error,
)
from minerva_platform.errors import RunError
from minerva_platform.run_context.failures.foreign_code import TeamCodeError, run_team_code

Graph = CompiledStateGraph[Any, Any, Any, Any]


@dataclass(frozen=True, slots=True)
class _GraphSource:
    """A compiled graph, the expression that makes it, and its author's docstring."""

    graph: Graph
    expression: str
    doc: str


def graph_shape(source: Source, *, package: str) -> Shape:
    """Return the shape of a team whose worker runs the graph.

    Raises:
        RunError: it is no graph, has no docstring, or its state takes no request or gives no
            answer.
    """
    target = source.target
    graph_source = _find_graph(source)
    _check_state(source, graph_source.graph, graph_source.expression)
    if not graph_source.doc:
        is_made = inspect.isfunction(source.value)
        where = f"below `def {target.name}`" if is_made else "at the top of its file"
        raise undocumented_error(target, where)
    worker = f"{target.team}_agent"
    examples = examples_of(graph_source.doc)
    imports = {"minerva_platform.langgraph": ["agent_from_graph"]}
    imports.setdefault(source.module, []).append(target.name)
    return Shape(
        layers=("common", "single", "wrapped", "graph"),
        question=examples[-1],
        words={
            "worker": worker,
            "member": worker,
            "instance": worker,
            "source": f"`{target.name}` of `{source.module}`",
            "called": target.name,
            "description": literal(description_of(graph_source.doc), indent=4),
            "examples": literals(examples),
            "about": f"It runs `{target.name}` of `{source.module}`, a LangGraph graph.",
            "imports": import_lines(imports, package=package),
            "graph": graph_source.expression,
        },
        requirements=source.requirements(),
        copy=source.copy,
    )


def _find_graph(source: Source) -> _GraphSource:
    """Return the graph that was named, made or compiled if need be."""
    name, value = source.target.name, source.value
    doc, expression = inspect.getdoc(source.home) or "", name
    if inspect.isfunction(value):
        expression = f"{name}({_argument(source, value)})"
        value = _call(source, value, expression)
        doc = inspect.getdoc(source.value) or ""
    kind = cast("type[object]", type(value))
    if issubclass(kind, CompiledStateGraph):
        return _GraphSource(value, expression, doc)
    if issubclass(kind, StateGraph):
        expression = f"{expression}.compile()"
        return _GraphSource(_make(source, value.compile, expression), expression, doc)
    raise _no_graph(source, value)


def _argument(source: Source, function: Callable[..., Any]) -> str:
    """Return what a function that makes a graph is called with: nothing, or an empty config."""
    required = required_parameters(function)
    if [given.name for given in required] == ["config"]:
        return "{}"  # what LangGraph's server gives it
    if required:
        message = (
            f"`{source.target}` is `def {source.target.name}{inspect.signature(function)}`: a "
            "function that returns a graph takes nothing, or a `config`. If it answers requests by "
            f"itself, type: {source.target.line(option='--from-function')}"
        )
        raise RunError(message)
    return ""


def _call(source: Source, function: Callable[..., Any], expression: str) -> Any:
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        message = (
            f"`{source.target}` is async; a team needs its graph when it is imported. Write a "
            f"`def` that returns it, then type: {source.target.line(name='NAME')}"
        )
        raise RunError(message)
    config: tuple[dict[str, Any], ...] = ({},) if expression.endswith("({})") else ()
    return _make(source, lambda: function(*config), expression)


def _make(source: Source, make: Callable[[], Any], expression: str) -> Any:
    try:
        return run_team_code(make)
    except TeamCodeError as raised:
        failure = import_failure(raised.error, source.module.partition(".")[0])
        message = (
            f"`{expression}` of {source.target.location} failed: {failure}\nMend it, then type: "
        )
        raise RunError(message + source.target.line()) from raised.error


def _no_graph(source: Source, value: Any) -> RunError:
    target = source.target
    if inspect.isfunction(source.value):
        line = target.line(option="--from-function")
        returned = f"`{target}` returns `{type(value).__name__}`, no graph of LangGraph."
        return RunError(f"{returned} If it answers requests by itself, type: {line}")
    names = names_in(source.home, lambda one: isinstance(one, CompiledStateGraph | StateGraph))
    there = f"; the graphs there: {', '.join(names)}" if names else ""
    line = target.line(name=next(iter(names), "NAME"))
    what = f"`{target}` is of the type `{type(value).__name__}`, no StateGraph, compiled or not"
    return RunError(f"{what}{there}. Type: {line}")


def _check_state(source: Source, graph: Graph, expression: str) -> None:
    """Refuse a state that a request does not fit into, or that an answer is not found in.

    The same keys as `agent_from_graph` fills and reads.

    Raises:
        RunError: the keys do not fit. It names them, and the function that would fit.
    """
    builder: Any = graph.builder
    takes, gives = _keys(builder, builder.input_schema), _keys(builder, builder.output_schema)
    filled = "messages" if "messages" in graph.channels else "request"
    if filled in takes and not {"summary", "messages"}.isdisjoint(gives):
        return
    target = source.target
    taken = filled if filled in takes else next(iter(takes), "…")
    given = next((key for key in reversed(gives) if key != taken), "…")
    message = (
        f"The state of `{target}` takes {_list_text(takes)} and gives {_list_text(gives)}. MINERVA "
        "puts a request into `messages` or `request`, and reads the answer from `messages` or "
        "`summary`. Say in a function which keys these are, for example:\n\n"
        "    def ask(request: str) -> str:\n"
        '        """Says what it does, in a sentence."""\n'
        f'        return {expression}.invoke({{"{taken}": request}})["{given}"]\n\n'
        f"Then type: {target.line(name='ask', option='--from-function')}"
    )
    raise RunError(message)


def _keys(builder: Any, schema: Any) -> list[str]:
    return list(builder.schemas[schema])


def _list_text(keys: list[str]) -> str:
    return ", ".join(f"`{key}`" for key in keys) or "nothing"
