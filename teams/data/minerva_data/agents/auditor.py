"""The third worker: nothing leaves the team before it has been computed again and checked.

The rename plan that other teams read is the audited one; a name that the glossary does not
give is taken out of it, whoever put it in.
"""

from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from minerva_data.answers.assistance import assistance_text
from minerva_data.answers.files import audit_files, table_file_names, table_files
from minerva_data.answers.markdown import audit_text, table_text
from minerva_data.answers.wording import wording
from minerva_data.contracts import (
    AuditReport,
    Recommendation,
    RenamePlan,
    StandardTable,
    citations_of,
    row_to_planned,
)
from minerva_data.core.audit.auditing import Audit, audit
from minerva_data.core.audit.rule import Standard
from minerva_data.core.glossary.glossary import seed_glossary
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.glossaries import Shelf
from minerva_platform import AgentInput, AgentOutput, Artifact, BaseAgent, Citation
from minerva_platform.text import Language, read_examples


class AuditorInput(AgentInput):
    """The table to audit."""

    table: StandardTable


class AuditorOutput(AgentOutput):
    """The findings, and for a schema the plan that other teams may use."""

    report: AuditReport
    plan: RenamePlan | None = None


class AuditorState(TypedDict):
    """What the nodes hand on; private to this worker."""

    request: str
    context: str
    language: Language
    table: StandardTable
    outcome: Audit
    report: AuditReport
    plan: RenamePlan | None
    summary: str
    citations: tuple[Citation, ...]
    artifacts: tuple[Artifact, ...]


class AuditorAgent(BaseAgent[AuditorInput, AuditorOutput]):
    """Audits a table against the glossary and shows the audited one."""

    name = "auditor_agent"
    description = (
        "Audits a table of standard names against the rules of the data standard (wrong names, "
        "domains, types, forbidden words, duplicates, order), corrects it and reports violations; "
        "choose it to check compliance with the naming standard."
    )
    examples = read_examples("minerva_data", "auditor_agent")
    declines = read_examples("minerva_data", "declined")
    presents = (Recommendation.kind, StandardTable.kind)

    def __init__(self, lookup: Lookup | None = None) -> None:
        self.shelf = Shelf() if lookup is None else None
        self.lookup = lookup or Lookup(seed_glossary())

    def build_graph(self) -> StateGraph[AuditorState, None, AuditorState, AuditorState]:
        """Return audit, correct, settle, present."""
        graph = StateGraph(AuditorState)
        graph.add_node("audit", self.audit)
        graph.add_node("correct", self.correct)
        graph.add_node("settle", self.settle)
        graph.add_node("present", self.present)
        graph.add_edge(START, "audit")
        graph.add_edge("audit", "correct")
        graph.add_edge("correct", "settle")
        graph.add_edge("settle", "present")
        graph.add_edge("present", END)
        return graph

    def audit(self, state: AuditorState) -> dict[str, Any]:
        """Compute every row again and apply the rules."""
        if self.shelf:
            self.lookup = self.shelf.lookup()
        table = state["table"]
        standard = Standard(self.lookup, table.style, table.max_length)
        return {"outcome": audit(table.rows, standard, priority=table.priority)}

    def correct(self, state: AuditorState) -> dict[str, Any]:
        """Put the audited rows in place of the given ones; rewrite the files if they differ."""
        found, table = state["outcome"], state["table"]
        audited = table.model_copy(update={"rows": found.rows})
        report = AuditReport(
            findings=found.findings,
            corrections=found.corrections,
            inversions_given=found.inversions_given,
            inversions_before=found.inversions_before,
            inversions_after=found.inversions_after,
        )
        words = wording(state["language"])
        rewritten = table_files(audited, words) if found.corrections else ()
        artifacts = (*rewritten, *audit_files(report))
        return {"table": audited, "report": report, "artifacts": artifacts}

    def settle(self, state: AuditorState) -> dict[str, Any]:
        """Plan every column of a schema once; terms asked for by name are no plan."""
        table = state["table"]
        if not table.from_schema:
            return {"plan": None}
        columns = tuple(row_to_planned(row) for row in sorted(table.rows, key=lambda r: r.ordinal))
        return {"plan": RenamePlan(columns=columns)}

    def present(self, state: AuditorState) -> dict[str, Any]:
        """Show the audited table once, then what the audit found."""
        table, words = state["table"], wording(state["language"])
        files = ", ".join(f"`{name}`" for name in table_file_names(table))
        parts = [table_text(table, words, files=words.files.format(files=files))]
        if table.rows:
            where = words.files.format(files="`audit.csv`")
            parts.append(audit_text(state["report"], words, files=where))
        if table.from_schema:
            parts.append(words.not_applied)
        beside = assistance_text(table.assistance, state["language"])
        parts += [beside] if beside else []
        sources = tuple(source for row in table.rows for source in row.citations[:1])
        return {"summary": "\n\n".join(parts), "citations": citations_of(sources)}
