"""LangGraph finds the graph that an author's node calls, however the node is written."""

import functools
from collections.abc import Callable
from typing import Any, TypedDict

import pytest
from langchain_core.runnables import RunnableLambda
from langgraph.graph import START, StateGraph

from minerva_platform import AgentInput, AgentOutput, BaseAgent


class _State(TypedDict, total=False):
    request: str
    summary: str


def inner_graph() -> Any:
    """Compile the graph that the nodes call."""

    def say(state: _State) -> _State:
        return {**state, "summary": "from within"}

    builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
    builder.add_node("say", say)
    builder.add_edge(START, "say")
    return builder.compile()


INNER = inner_graph()


def plain(state: _State) -> Any:
    """Call it by its global name."""
    return INNER.invoke(state)


async def asynchronous(state: _State) -> Any:
    """Call it from a coroutine."""
    return await INNER.ainvoke(state)


@functools.wraps(plain)
def decorated(state: _State) -> Any:
    """Call it behind a decorator."""
    return plain(state)


def captured() -> Callable[[_State], Any]:
    """Return a function that has it in a cell."""
    graph = inner_graph()

    def closure(state: _State) -> Any:
        return graph.invoke(state)

    return closure


class Holder:
    """Has the node as a method."""

    def method(self, state: _State) -> Any:
        """Call it by its global name."""
        return INNER.invoke(state)


class Calling(BaseAgent[AgentInput, AgentOutput]):
    """A worker of one node."""

    description = "…"

    def __init__(self, node: Any) -> None:
        self.name, self.node = "calling", node

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return the graph."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
        builder.add_node("call", self.node)
        builder.add_edge(START, "call")
        return builder


NODES = {
    "function": plain,
    "coroutine": asynchronous,
    "decorated": decorated,
    "closure": captured(),
    "method": Holder().method,
    "runnable": RunnableLambda(plain),
    "graph": INNER,
}


@pytest.mark.parametrize("how", NODES)
async def test_a_graph_within_a_node_is_found(how: str) -> None:
    """So its checkpoints are kept and its steps can be streamed; and it answers."""
    agent = Calling(NODES[how])

    assert len(list(agent.graph.get_subgraphs())) == 1
    assert (await agent.ainvoke({"request": "go"}))["summary"] == "from within"


async def test_a_node_that_calls_no_graph_has_none() -> None:
    """Whatever else its function speaks of."""
    agent = Calling(lambda state: {"summary": state["request"]})

    assert list(agent.graph.get_subgraphs()) == []
