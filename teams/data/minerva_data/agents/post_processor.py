"""The second worker: the recommendation as a table in the order people work through it.

The files it writes are the whole table; an answer shows the first rows and says so.
"""

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from minerva_data.answers.assistance import assistance_text
from minerva_data.answers.files import table_files
from minerva_data.answers.markdown import table_text
from minerva_data.answers.wording import wording
from minerva_data.contracts import Recommendation, StandardTable, citations_of
from minerva_data.core.audit.style import Style, stated_style
from minerva_data.core.audit.table import standard_rows
from minerva_data.core.glossary.glossary import Glossary, seed_glossary
from minerva_data.core.glossary.priority import ordered, stated_priority
from minerva_data.core.schema.record import Row
from minerva_data.glossaries import Shelf
from minerva_data.settings import Preferences
from minerva_platform import AgentInput, AgentOutput, Artifact, BaseAgent, Citation
from minerva_platform.text import Language, read_examples


class PostProcessorInput(AgentInput):
    """The recommendation, and the words that may state an order or a style."""

    recommendation: Recommendation


class PostProcessorOutput(AgentOutput):
    """The table in order, and its files."""

    table: StandardTable


class PostProcessorState(TypedDict):
    """What the nodes hand on; private to this worker."""

    request: str
    context: str
    language: Language
    recommendation: Recommendation
    style: Style
    rows: tuple[Row, ...]
    table: StandardTable
    summary: str
    citations: tuple[Citation, ...]
    artifacts: tuple[Artifact, ...]


class PostProcessorAgent(BaseAgent[PostProcessorInput, PostProcessorOutput]):
    """Names in the organisation's style, rows by domain priority, files to work with."""

    name = "post_processor_agent"
    description = (
        "Turns recommended names into the answer's table: physical name style, length limit, rows "
        "sorted by domain priority, Markdown, mapping.csv and migration.sql; choose it when the "
        "form or the order of the result matters."
    )
    examples = read_examples("minerva_data", "post_processor_agent")
    declines = read_examples("minerva_data", "declined")
    input_mode = "context"
    presents = (Recommendation.kind,)

    def __init__(
        self, preferences: Preferences | None = None, *, glossary: Glossary | None = None
    ) -> None:
        self.preferences = preferences or Preferences()
        self.shelf = Shelf() if glossary is None else None
        self.glossary = glossary or seed_glossary()

    def build_graph(
        self,
    ) -> StateGraph[PostProcessorState, None, PostProcessorState, PostProcessorState]:
        """Return name, order, write."""
        graph = StateGraph(PostProcessorState)
        graph.add_node("name", self.write_names)
        graph.add_node("order", self.order)
        graph.add_node("write", self.write)
        graph.add_edge(START, "name")
        graph.add_edge("name", "order")
        graph.add_edge("order", "write")
        graph.add_edge("write", END)
        return graph

    def write_names(self, state: PostProcessorState) -> dict[str, Any]:
        """Give each item its name in the style asked for; names that collide are refused."""
        if self.shelf:
            self.glossary = self.shelf.lookup().glossary
        style = stated_style(_words(state), self.preferences.physical_style)
        rows = standard_rows(state["recommendation"].items, style=style)
        return {"style": style, "rows": rows}

    def order(self, state: PostProcessorState) -> dict[str, Any]:
        """Sort by the priority the request states, else by the organisation's."""
        recommendation = state["recommendation"]
        areas = self.glossary.subject_areas.values()
        priority = stated_priority(_words(state), areas, self.preferences.domain_priority)
        table = StandardTable(
            rows=ordered(state["rows"], priority),
            total=recommendation.total,
            truncated=recommendation.truncated,
            from_schema=recommendation.from_schema,
            priority=priority,
            style=state["style"],
            max_length=self.preferences.max_length,
            unparsed=recommendation.unparsed,
            assistance=recommendation.assistance,
            verdicts=recommendation.verdicts,
        )
        return {"table": table}

    def write(self, state: PostProcessorState) -> dict[str, Any]:
        """Write the answer and the files."""
        table, words = state["table"], wording(state["language"])
        artifacts = table_files(table, words)
        names = ", ".join(f"`{artifact.name}`" for artifact in artifacts)
        text = table_text(table, words, files=words.files.format(files=names))
        if table.from_schema:
            text = f"{text}\n\n{words.not_applied}"
        beside = assistance_text(table.assistance, state["language"])
        text = f"{text}\n\n{beside}" if beside else text
        sources = tuple(source for row in table.rows for source in row.citations[:1])
        return {"summary": text, "artifacts": artifacts, "citations": citations_of(sources)}


def _words(state: PostProcessorState) -> str:
    """Return all the person's words: an order may stand in another member's part."""
    request, context = state["request"], state["context"]
    return context if request in context else f"{request}\n{context}"
