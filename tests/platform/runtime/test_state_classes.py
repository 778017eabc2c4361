"""A state comes back as the classes that its annotations name, wherever they name them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypedDict, TypeVar

from langgraph.graph import START, StateGraph
from steps import in_steps

from minerva_platform import AgentInput, AgentOutput, BaseAgent
from minerva_platform.langgraph import agent_from_graph

Item = TypeVar("Item")


@dataclass(frozen=True)
class Page(Generic[Item]):
    """A generic class, which LangGraph does not look into."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Hit:
    """What is on a page."""

    name: str


class PagesState(TypedDict):
    """Classes where LangGraph looks for none."""

    request: str
    page: Page[Hit]
    several: Sequence[Hit]
    named: Mapping[str, tuple[Hit, ...]]
    summary: str


class Pages(BaseAgent[AgentInput, AgentOutput]):
    """Makes a page in one step, and reads it in another."""

    name = "pages"
    description = "Reads pages."
    examples = ("read the page",)

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Two steps, with a checkpoint between them."""
        graph = StateGraph(PagesState)
        graph.add_sequence([self.make, self.read])
        graph.add_edge(START, "make")
        return graph

    def make(self, state: PagesState) -> dict[str, Any]:
        """Make what is kept."""
        hit = Hit(state["request"])
        return {"page": Page((hit,)), "several": [hit], "named": {"a": (hit,)}}

    def read(self, state: PagesState) -> dict[str, Any]:
        """Read it as classes."""
        hits = [*state["page"].items, *state["several"], *state["named"]["a"]]
        return {"summary": " ".join(hit.name for hit in hits)}


async def test_a_state_comes_back_as_its_classes() -> None:
    """In generic classes, sequences and mappings, too."""
    found = await in_steps(Pages(), {"request": "x"})

    assert found["summary"] == "x x x"


class HitState(TypedDict):
    """A class of its author's."""

    request: str
    hit: Hit
    summary: str


async def test_a_wrapped_graph_keeps_the_classes_of_its_state() -> None:
    """What LangGraph has read in the schema counts behind the agent contract, too."""

    def make(state: HitState) -> dict[str, Any]:
        return {"hit": Hit(state["request"])}

    def read(state: HitState) -> dict[str, Any]:
        return {"summary": state["hit"].name}

    graph = StateGraph(HitState)
    graph.add_sequence([make, read])
    graph.add_edge(START, "make")
    agent = agent_from_graph(graph.compile(), name="hits", description="Reads hits.")

    output = await in_steps(agent, {"request": "x"})

    assert output["summary"] == "x"
