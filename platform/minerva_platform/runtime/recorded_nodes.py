"""The graph of a worker, with every node timed. A worker without one gets it from `work`.

Nodes are wrapped when the graph is compiled. So an author writes plain LangGraph and still gets a
record of each agent's node, with its attempts. And what a node must not return is refused while its
name is known. LangGraph silently drops keys that the state does not have, and ignores a step to a
missing node; its error for a value that is no update quotes the worker's whole text.
"""

import difflib
import inspect
from collections.abc import Callable, Collection, Coroutine, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, cast

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.errors import GraphBubbleUp, GraphInterrupt, is_invalid_resume
from langgraph.graph import END, START, StateGraph
from langgraph.pregel import Pregel
from langgraph.runtime import Runtime
from langgraph.types import Command, RetryPolicy, Send
from pydantic import BaseModel

from minerva_observability import current_span, record_span
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.errors import ContractError, OutputError
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.run_context.context import run_or_none
from minerva_platform.run_context.effect_place import at_step
from minerva_platform.run_context.failures.containment import await_contained, call_contained
from minerva_platform.run_context.failures.source_location import package_of
from minerva_platform.run_context.pause import check_pause
from minerva_platform.run_context.recorded_failures import mark_failed
from minerva_platform.runtime.update_values import UpdateValues, name_classes, refuse_unkept

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

ROOT = "__root__"
"""LangGraph's one channel of a state that has no keys."""

MAX_SHOWN = 80
"""Characters of a wrong name that an error shows and compares with the right ones."""

Check = Callable[[Any], Any]

WORK = "work"
"""The name of the one node."""

_MAKE_STATE: Any = TypedDict
"""A call with types known only at run time, which type checkers cannot express."""


class _AnyState(TypedDict):
    """The state of a graph that is never run."""


def one_step_graph(agent: BaseAgent[Any, Any]) -> StateGraph[Any, Any, Any, Any]:
    """Return a graph that calls `agent.work`, in an OS thread unless it is a coroutine function.

    Raises:
        ContractError: the agent writes no `work`.
    """
    work: Callable[[Any], Any] = agent.work
    if getattr(work, "__func__", None) is BaseAgent.work:
        message = f"`{agent.name}` does nothing: write its `work`, or its `build_graph`."
        raise ContractError(message)

    def given_to(state: dict[str, Any]) -> Any:
        given = state["given"]  # after a pause it may be a checkpoint's JSON
        return given if isinstance(given, agent.Input) else agent.Input.model_validate(given)

    def step(state: dict[str, Any]) -> dict[str, Any]:
        return {"returned": work(given_to(state))}

    async def async_step(state: dict[str, Any]) -> dict[str, Any]:
        return {"returned": await work(given_to(state))}

    # its types let a checkpoint know which classes it may read back
    state: Any = _MAKE_STATE(agent.name, {"given": agent.Input, "returned": agent.Output})
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(state)
    node: Any = async_step if inspect.iscoroutinefunction(work) else step
    builder.add_node(WORK, node)
    builder.add_edge(START, WORK)
    return builder


def compile_recorded(agent: BaseAgent[Any, Any]) -> "CompiledStateGraph[Any, Any, Any, Any]":
    """Return `agent`'s compiled graph, each node timed, with its own step limit."""
    builder = agent.build_graph()
    values = UpdateValues(agent.name)
    for name, spec in builder.nodes.items():
        # a graph as a node has its own keys; shared keys are exchanged
        exchanges = isinstance(spec.runnable, Pregel)
        checked: Check = (
            (lambda answer: answer)
            if exchanges
            else update_check(builder, agent.name, name, values)
        )
        node = _recorded_node(name, agent, checked, spec.runnable, spec.retry_policy)
        recorded = _as_runnable(name, node)
        _search_instead(node, spec.runnable)
        spec.runnable = recorded
    check_paths(builder, agent.name)
    compiled = builder.compile(name=agent.name)
    classes = name_classes(compiled, agent)
    if not has_one_step(compiled):
        values.write_as(classes)
    # `with_config` would return a copy without the classes that its state may be read as
    compiled.config = {
        "recursion_limit": agent.max_steps,
        "metadata": {"lc_agent_name": agent.name},
    }
    return compiled


def has_one_step(graph: "CompiledStateGraph[Any, Any, Any, Any]") -> bool:
    """True if `graph` has a single step, so a checkpoint inside it would save nothing.

    After a crash its one node repeats, with or without an earlier checkpoint. A node that may
    return to itself, or that calls another graph, counts as more than one step.
    """
    own = [name for name in graph.nodes if name != START]
    if len(own) != 1:
        return False
    (name,), builder = own, graph.builder
    returns = (
        (name, name) in builder.edges or builder.branches.get(name) or builder.nodes[name].ends
    )
    inner = cast("Iterator[Any]", graph.get_subgraphs())
    return not returns and not any(inner)


def _as_runnable(name: str, node: Callable[..., Any]) -> Any:
    """Return the runnable that LangGraph makes of `node`, through the public `add_node`."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(_AnyState)
    builder.add_node(name, node)
    return builder.nodes[name].runnable


def _search_instead(node: Callable[..., Any], runnable: Any) -> None:
    """Let LangGraph look for graphs in the author's function alone, not in `node` around it.

    LangGraph reads the bytecode of a node's function for graphs that it calls
    (`find_subgraph_pregel`). It follows `__wrapped__` once, and reads a reached function again each
    time it is named. Through `node` it would read the author's function five times, which took a
    third of the time to build a team's graph.
    """
    own = getattr(runnable, "func", None) or getattr(runnable, "afunc", None)
    if isinstance(runnable, Pregel) or not callable(own):
        return
    wrapped = getattr(own, "__wrapped__", None)
    node.__wrapped__ = wrapped if callable(wrapped) else own  # type: ignore[attr-defined]  # as functools.wraps sets it


def _recorded_node(
    name: str, agent: BaseAgent[Any, Any], check: Check, runnable: Any, retries: Any
) -> Callable[..., Coroutine[Any, Any, Any]]:
    # true of a plain function, which LangGraph itself would send to an OS thread
    blocking = isinstance(getattr(runnable, "afunc", None), partial)
    agent_name, package = agent.name, package_of(agent)

    async def node(state: Any, config: RunnableConfig, runtime: Runtime[Any]) -> Any:
        info = runtime.execution_info
        attempt = info.node_attempt if info else 1
        above = current_span()
        path = above.path if above else agent_name
        with (
            at_step(config) as own,
            record_span(
                kind="node", path=path, agent_name=agent_name, node=name, attempt=attempt
            ) as span,
        ):
            span.set_as(above, "team")
            try:
                refuse_unkept(config, own_graph=True)
                if blocking:
                    call = runnable.invoke
                    work = in_daemon_thread(call_contained, agent_name, call, state, own)
                else:
                    work = await_contained(agent_name, runnable.ainvoke(state, own))
                return check(await work)
            except GraphInterrupt as pause:
                check_pause(agent_name, pause)
                refuse_unkept(config, own_graph=True)
                if run := run_or_none():
                    run.questions.note(pause.args[0], path)
                raise
            except GraphBubbleUp:  # not a failure, so `retry_on` does not apply
                raise
            except Exception as error:
                run = run_or_none() if is_invalid_resume(error) else None
                if run and (again := run.questions.asked_again(error)):
                    raise GraphInterrupt((again,)) from error
                mark_failed(span, error, package)
                if _will_retry(retries, error, attempt):
                    span.set(action="retried")
                raise

    return node


def _will_retry(retries: Any, error: Exception, attempt: int) -> bool:
    policies = (retries,) if isinstance(retries, RetryPolicy) else tuple(retries or ())
    for policy in policies:
        matches: Any = policy.retry_on
        is_rule = callable(matches) and not isinstance(matches, type)
        if bool(matches(error)) if is_rule else isinstance(error, tuple(_each(matches))):
            return attempt < int(policy.max_attempts)
    return False


def _each(matches: Any) -> Sequence[type[Exception]]:
    return (matches,) if isinstance(matches, type) else tuple(matches)


def update_check(
    builder: StateGraph[Any, Any, Any, Any], agent: str, node: str, values: UpdateValues
) -> Check:
    """Return a function that returns what `node` returned, or raises.

    A state without keys accepts any update.
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
        values.check(node, answer)
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
