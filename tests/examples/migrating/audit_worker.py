"""The worker that audits. It knows columns, and nothing of the glossary."""

from typing import ClassVar

from audit_requests import AUDIT
from rules import audit_text

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Handoff


class ColumnsToAudit(Handoff):
    kind: ClassVar[str] = "standard.columns"
    columns: tuple[tuple[str, str], ...]


class AuditInput(AgentInput):
    made: ColumnsToAudit


class Audit(BaseAgent[AuditInput, AgentOutput]):
    name = "audit_agent"
    description = "Checks columns against the standard."
    examples = AUDIT

    def work(self, given: AuditInput) -> AgentOutput:
        return AgentOutput(summary=audit_text(given.made.columns))
