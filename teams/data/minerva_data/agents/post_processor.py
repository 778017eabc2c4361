"""The second worker: the recommendation as a table in the order people work through it.

The files it writes are the whole table; an answer shows the first rows and says so.
"""

from collections.abc import Sequence
from typing import Any

from langgraph.graph import START, StateGraph

from minerva_data.answers.assistance import assistance_text
from minerva_data.answers.files import table_files
from minerva_data.answers.table import TEXTS as TABLE, table_text
from minerva_data.contracts import Recommendation, StandardTable, citations_of, shown_columns
from minerva_data.core.audit.style import Style, stated_style
from minerva_data.core.audit.table import standard_rows
from minerva_data.core.glossary.priority import order_rows, own_priority, stated_priority
from minerva_data.core.schema.record import Row
from minerva_data.settings import DEFAULT_PREFERENCES, Preferences
from minerva_data.steps.glossaries import ALL_IMPORTED, Glossaries, evidence_of_list
from minerva_platform import AgentInput, AgentOutput, Attachment, BaseAgent, WorkerState
from minerva_platform.routing import Evidence
from minerva_platform.text import read_examples


class PostProcessorInput(AgentInput):
    """The recommendation, and the words that may state an order or a style."""

    recommendation: Recommendation


class PostProcessorOutput(AgentOutput):
    """The table in order, and its files."""

    table: StandardTable


class PostProcessorState(WorkerState):
    """What the nodes hand on; private to this worker."""

    recommendation: Recommendation
    style: Style
    rows: tuple[Row, ...]
    table: StandardTable


class PostProcessorAgent(BaseAgent[PostProcessorInput, PostProcessorOutput]):
    """Names in the organisation's style, rows by domain priority, files to work with."""

    name = "post_processor_agent"
    description = (
        "Turns recommended names into the answer's table: physical name style, length limit, rows "
        "sorted by domain priority, Markdown and mapping.csv; choose it when the "
        "form or the order of the result matters."
    )
    examples = read_examples("minerva_data", "post_processor_agent")
    declines = read_examples("minerva_data", "declined")
    input_mode = "context"
    presents = (Recommendation.kind,)

    def __init__(
        self,
        glossaries: Glossaries = ALL_IMPORTED,
        *,
        preferences: Preferences = DEFAULT_PREFERENCES,
    ) -> None:
        self.glossaries = glossaries
        self.preferences = preferences

    def evidence(self, request: str, attachments: Sequence[Attachment]) -> Evidence:  # noqa: ARG002  # files speak for no list
        """Return what a list of names says for the team."""
        return evidence_of_list(self.glossaries, request)

    def build_graph(
        self,
    ) -> StateGraph[PostProcessorState, None, PostProcessorState, PostProcessorState]:
        """Return name, order, write."""
        steps = [("name", self.write_names), ("order", self.order), ("write", self.write)]
        return StateGraph(PostProcessorState).add_sequence(steps).add_edge(START, "name")

    def write_names(self, state: PostProcessorState) -> dict[str, Any]:
        """Give each item its name in the style asked for; names that collide are refused."""
        style = stated_style(_words(state), self.preferences.physical_style)
        rows = standard_rows(state["recommendation"].items, style=style)
        return {"style": style, "rows": rows}

    def order(self, state: PostProcessorState) -> dict[str, Any]:
        """Sort by the priority the request states, else by the organisation's."""
        glossary = self.glossaries.lookup().glossary
        default = own_priority(self.preferences.domain_priority, glossary.areas)
        priority = stated_priority(_words(state), glossary.subject_areas.values(), default)
        table = StandardTable(
            **{name: value for name, value in state["recommendation"] if name != "items"},
            rows=order_rows(state["rows"], priority),
            priority=priority,
            style=state["style"],
            max_length=self.preferences.max_length,
        )
        return {"table": table}

    def write(self, state: PostProcessorState) -> dict[str, Any]:
        """Write the answer and the files."""
        table, language = state["table"], state["language"]
        artifacts = table_files(table, language)
        names = ", ".join(f"`{artifact.name}`" for artifact in artifacts)
        parts = [
            table_text(table, language, files=TABLE("files", language, files=names)),
            assistance_text(table.assistance, language),
        ]
        text = "\n\n".join(filter(None, parts))
        sources = tuple(source for row in table.rows for source in row.citations[:1])
        return {
            "summary": text,
            "artifacts": artifacts,
            "citations": citations_of(sources),
            "shown": shown_columns(table),
        }


def _words(state: PostProcessorState) -> str:
    """Return all the person's words: an order may stand in another member's part."""
    request, context = state["request"], state["context"]
    return context if request in context else f"{request}\n{context}"
