"""The graph of a worker that writes `work` instead of a graph."""

import inspect
from typing import TYPE_CHECKING, Any, TypedDict

from langgraph.graph import START, StateGraph

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.errors import ContractError

if TYPE_CHECKING:
    from collections.abc import Callable

WORK = "work"
"""The name of the one node."""

_MAKE_STATE: Any = TypedDict
"""For types that are known only where it runs; type checkers know no such call."""


def one_step_graph(agent: BaseAgent[Any, Any]) -> StateGraph[Any, Any, Any, Any]:
    """Return a graph that calls `agent.work`, in a thread unless it is a coroutine function.

    Raises:
        ContractError: the agent writes no `work`.
    """
    work: Callable[[Any], Any] = agent.work
    if getattr(work, "__func__", None) is BaseAgent.work:
        message = f"`{agent.name}` does nothing: write its `work`, or its `build_graph`."
        raise ContractError(message)

    def given_to(state: dict[str, Any]) -> Any:
        given = state["given"]  # after a pause it may be the JSON that a checkpoint holds
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
