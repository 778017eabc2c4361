"""What a node must not return is refused by the name of the node, with the way out."""

from dataclasses import dataclass
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send
from pydantic import BaseModel
from typing_extensions import TypedDict

from minerva_platform import AgentInput, AgentOutput, BaseAgent, OutputError
from minerva_platform.langgraph import agent_from_graph


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


class Routed(Returns):
    """A worker whose first node is followed by a conditional edge, that of START by another."""

    def __init__(self, answer: Any, *, path_map: Any = None, at_start: bool = False) -> None:
        super().__init__({"summary": "fine"})
        self.answer, self.path_map, self.at_start = answer, path_map, at_start

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of two nodes."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(State)
        node: Any = lambda _: {"summary": "fine"}  # noqa: E731  # a node, as people write it
        builder.add_node("write", node)
        builder.add_node("mend", node)
        if not self.at_start:
            builder.add_edge(START, "write")
        builder.add_conditional_edges(
            START if self.at_start else "write", self.choose, self.path_map
        )
        return builder

    def choose(self, _: Any) -> Any:
        """Answer what it was given."""
        return self.answer


@pytest.mark.parametrize(
    ("answer", "path_map"),
    [
        ("mend", None),
        (END, None),
        (["mend", END], None),
        (Send("mend", {"request": "x"}), None),
        ([Send("mend", {"request": "x"})], None),
        (True, {True: "mend", False: END}),
    ],
)
def test_an_edge_leads_to_every_node_there_is(answer: Any, path_map: Any) -> None:
    """By name, by label, by Send, and to the end."""
    assert Routed(answer, path_map=path_map).invoke({"request": "x"})["summary"] == "fine"


@pytest.mark.parametrize(
    ("answer", "path_map", "said"),
    [
        ("ghost", None, "goes to `ghost`, which is no node of its graph; its nodes: write, mend."),
        ("mendd", None, "goes to `mendd`, which is no node of its graph; did you mean `mend`?"),
        (None, None, "goes to `None`, which is no node of its graph"),
        (["mend", "ghost"], None, "goes to `ghost`, which is no node"),
        (Send("ghost", {}), None, "sends to `ghost`, which is no node"),
        ([Send("mend", {}), Send(END, {})], None, "sends to `__end__`, which is no node"),
        ("ghost", {"yes": "mend", "no": END}, "goes to `ghost`, which is no node"),
    ],
)
@pytest.mark.parametrize("at_start", [False, True])
def test_an_edge_that_leads_nowhere_is_refused(
    answer: Any, path_map: Any, said: str, *, at_start: bool
) -> None:
    """LangGraph writes a line into a log and ends as if all had been well."""
    source = "__start__" if at_start else "write"

    with pytest.raises(OutputError) as caught:
        Routed(answer, path_map=path_map, at_start=at_start).invoke({"request": "x"})

    edge = f"`invoice_agent` broke its own contract: its conditional edge `choose` after `{source}`"
    assert str(caught.value).startswith(f"{edge} {said}")


@pytest.mark.parametrize("goto", [["write", "ghost"], Send("ghost", {}), 5])
def test_a_command_that_leads_nowhere_is_refused(goto: Any) -> None:
    """Alone or beside others that lead somewhere."""
    with pytest.raises(OutputError, match=r"its node `write` (goes|sends) to `(ghost|5)`"):
        Returns(Command(goto=goto, update={"summary": "x"})).invoke({"request": "x"})
