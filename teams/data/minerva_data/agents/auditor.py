"""The third worker: nothing leaves the team before it has been computed again and checked.

The rename plan that other teams read is the audited one; a name that the glossary does not
give is taken out of it.
"""

from collections.abc import Sequence
from typing import Any

from langgraph.graph import START, StateGraph

from minerva_data.answers.assistance import assistance_text
from minerva_data.answers.audit import audit_text
from minerva_data.answers.files import audit_files, table_file_names, table_files
from minerva_data.answers.table import TEXTS as TABLE, table_text
from minerva_data.contracts import (
    AuditReport,
    Migration,
    Recommendation,
    RenamePlan,
    StandardTable,
    citations_of,
    row_to_planned,
    rows_to_migration,
    shown_columns,
)
from minerva_data.core.audit.auditing import Audit, audit
from minerva_data.core.audit.rule import Standard
from minerva_data.steps.glossaries import ALL_IMPORTED, Glossaries, evidence_of_list
from minerva_platform import AgentInput, AgentOutput, Attachment, BaseAgent, WorkerState
from minerva_platform.routing import Evidence
from minerva_platform.text import read_examples


class AuditorInput(AgentInput):
    """The table to audit."""

    table: StandardTable


class AuditorOutput(AgentOutput):
    """The findings, and for a schema the plan that other teams may use."""

    report: AuditReport
    plan: RenamePlan | None = None
    migration: Migration | None = None
    """The renames to decide on; None if there are none."""


class AuditorState(WorkerState):
    """What the nodes hand on; private to this worker."""

    table: StandardTable
    outcome: Audit
    report: AuditReport
    plan: RenamePlan | None
    migration: Migration | None


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

    def __init__(self, glossaries: Glossaries = ALL_IMPORTED) -> None:
        self.glossaries = glossaries

    def evidence(self, request: str, attachments: Sequence[Attachment]) -> Evidence:  # noqa: ARG002  # files speak for no list
        """Return what a list of names says for the team."""
        return evidence_of_list(self.glossaries, request)

    def build_graph(self) -> StateGraph[AuditorState, None, AuditorState, AuditorState]:
        """Return audit, correct, settle, present."""
        steps = [self.audit, self.correct, self.settle, self.present]
        return StateGraph(AuditorState).add_sequence(steps).add_edge(START, "audit")

    def audit(self, state: AuditorState) -> dict[str, Any]:
        """Compute every row again and apply the rules."""
        table = state["table"]
        standard = Standard(self.glossaries.lookup(), table.style, table.max_length)
        return {"outcome": audit(table.rows, standard, priority=table.priority)}

    def correct(self, state: AuditorState) -> dict[str, Any]:
        """Put the audited rows in place of the given ones; rewrite the files if they differ."""
        found, table = state["outcome"], state["table"]
        rows = tuple(found.rows)  # read back from a checkpoint, a tuple of a dataclass is a list
        audited = table.model_copy(update={"rows": rows})
        report = AuditReport.model_validate(found, from_attributes=True)
        rewritten = table_files(audited, state["language"]) if found.corrections else ()
        artifacts = (*rewritten, *audit_files(report))
        return {"table": audited, "report": report, "artifacts": artifacts}

    def settle(self, state: AuditorState) -> dict[str, Any]:
        """Plan every column of a schema once; terms asked for by name are no plan."""
        table = state["table"]
        if not table.from_schema:
            return {"plan": None, "migration": None}
        columns = tuple(row_to_planned(row) for row in sorted(table.rows, key=lambda r: r.ordinal))
        return {"plan": RenamePlan(columns=columns), "migration": rows_to_migration(table.rows)}

    def present(self, state: AuditorState) -> dict[str, Any]:
        """Show the audited table once, then what the audit found."""
        table, language = state["table"], state["language"]
        names = ", ".join(f"`{name}`" for name in table_file_names(table))
        parts = [table_text(table, language, files=TABLE("files", language, files=names))]
        if table.rows:
            where = TABLE("files", language, files="`audit.csv`")
            parts.append(audit_text(state["report"], language, files=where))
        beside = assistance_text(table.assistance, language)
        parts += [beside] if beside else []
        sources = tuple(source for row in table.rows for source in row.citations[:1])
        return {
            "summary": "\n\n".join(parts),
            "citations": citations_of(sources),
            "shown": shown_columns(table),
        }
