"""A state comes back as the classes that its annotations name, wherever they name them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypedDict, TypeVar

from langgraph.graph import START, StateGraph
from steps import in_steps

from minerva_platform import AgentInput, AgentOutput, BaseAgent

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
