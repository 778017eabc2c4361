"""What a node must not return is refused by the name of the node, with the way out."""

from dataclasses import dataclass
from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from pydantic import BaseModel
from typing_extensions import TypedDict

from minerva_platform import AgentInput, AgentOutput, BaseAgent, OutputError, agent_from_graph


class State(TypedDict, total=False):
    """The state of the worker."""

    request: str
    summary: str


class ModelState(BaseModel):
    """The same as a model."""

    request: str = ""
    summary: str = ""


@dataclass
class DataState:
    """The same as a dataclass."""

    request: str = ""
    summary: str = ""


class Returns(BaseAgent[AgentInput, AgentOutput]):
    """A worker whose only node returns what it is given."""

    name = "invoice_agent"
    description = "…"
    Input = AgentInput
    Output = AgentOutput

    def __init__(self, returned: Any, schema: type[Any] = State) -> None:
        self.returned, self.state_schema = returned, schema

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of one node."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(self.state_schema)
        node: Any = lambda _: self.returned  # noqa: E731  # a node, as people write it
        builder.add_node("write", node)
        builder.add_edge(START, "write")
        return builder


@pytest.mark.parametrize(
    ("returned", "schema"),
    [
        ({"summary": "fine"}, State),
        ({"summary": "fine"}, ModelState),
        ({"summary": "fine"}, DataState),
        (ModelState(summary="fine"), ModelState),
        (AgentOutput(summary="fine"), State),
        (DataState(summary="fine"), DataState),
        (Command(update={"summary": "fine"}), State),
        (Command(update=[("summary", "fine")]), State),
        (Command(update=ModelState(summary="fine")), ModelState),
        ([Command(update={"summary": "fine"}), None, {"request": "x"}], State),
    ],
)
def test_every_update_that_langgraph_takes_is_taken(returned: Any, schema: type[Any]) -> None:
    """Dicts, commands, models and dataclasses, and lists of them."""
    assert Returns(returned, schema).invoke({"request": "x"})["summary"] == "fine"


@pytest.mark.parametrize(
    "returned",
    [
        {"summary": "x", "sumary": "x"},
        Command(update={"sumary": "x"}),
        Command(update=[("sumary", "x")]),
        [Command(update={"summary": "x"}), {"sumary": "x"}],
    ],
)
def test_an_unknown_key_is_refused_with_the_closest(returned: Any) -> None:
    """LangGraph would drop it without a word."""
    with pytest.raises(OutputError) as caught:
        Returns(returned).invoke({"request": "x"})

    assert str(caught.value) == (
        "`invoice_agent` broke its own contract: its node `write` returned `sumary`, which is no "
        "key of its state; did you mean `summary`?"
    )


def test_a_key_that_resembles_none_is_told_with_those_there_are() -> None:
    """So that the state class need not be opened."""
    with pytest.raises(OutputError, match="no key of its state; its keys: request, summary"):
        Returns({"total": 1}).invoke({"request": "x"})


@pytest.mark.parametrize("returned", ["the worker's whole text", 42, ["a"], {"a"}])
def test_what_is_no_update_is_named_by_its_type(returned: Any) -> None:
    """Without the text, which may be long or personal."""
    with pytest.raises(OutputError) as caught:
        Returns(returned).invoke({"request": "x"})

    assert str(caught.value) == (
        "`invoice_agent` broke its own contract: its node `write` must return a dict of state "
        f"keys, such as {{'summary': …}}; it returned {type(returned).__name__}."
    )


@pytest.mark.parametrize("returned", [None, {"request": "x"}])
def test_a_forgotten_return_is_the_likely_cause_that_is_named(returned: Any) -> None:
    """Nothing has set the summary."""
    with pytest.raises(OutputError) as caught:
        Returns(returned).invoke({"request": "x"})

    assert str(caught.value) == (
        "`invoice_agent` broke its own contract: `summary`: nothing has set it; was "
        "`return {'summary': …}` forgotten?"
    )


def test_a_graph_as_a_node_may_have_keys_of_its_own() -> None:
    """Only those that both know are exchanged, which is LangGraph's contract."""

    class Inner(TypedDict, total=False):
        request: str
        summary: str
        private: str

    inner: StateGraph[Any, Any, Any, Any] = StateGraph(Inner)
    node: Any = lambda _: {"private": "p", "summary": "fine"}  # noqa: E731
    inner.add_node("inner", node)
    inner.add_edge(START, "inner")
    compiled = inner.compile()

    class Outer(Returns):
        def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
            builder: StateGraph[Any, Any, Any, Any] = StateGraph(State)
            builder.add_node("sub", compiled)
            builder.add_edge(START, "sub")
            return builder

    assert Outer(None).invoke({"request": "x"})["summary"] == "fine"


def test_a_wrapped_graph_is_left_as_its_author_built_it() -> None:
    """Its behaviour stays: only the interface becomes MINERVA's."""
    graph = Returns({"summary": "fine", "dropped": 1}).build_graph().compile()

    agent = agent_from_graph(graph, name="wrapped", description="…")

    assert agent.invoke({"request": "x"})["summary"] == "fine"
