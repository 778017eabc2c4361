"""The governance team: what the rules say, and where the material breaks them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from minerva_governance.agents.compliance import ComplianceAgent
from minerva_governance.agents.policy import PolicyAgent
from minerva_governance.contracts import Findings
from minerva_platform import Artifact, Run, Team


class GovernanceTeam(Team):
    """Judges schemas, data files and code by the attached policy; tells what it did not see."""

    name = "governance"
    description = (
        "Checks schemas, data files and code against privacy policies and notices: finds personal "
        "data, evaluates the rules and reports violations with masked evidence; also answers what "
        "a policy says."
    )
    headings = MappingProxyType({"ko": "개인정보 점검", "en": "Privacy governance"})
    members = (PolicyAgent, ComplianceAgent)
    exports = (Findings,)

    def files_at_end(
        self, run: Run, decisions: Sequence[Mapping[str, Any]], files: Mapping[str, str]
    ) -> Sequence[Artifact]:
        """Return the report with what was decided about the migration, by whom and when."""
        from minerva_governance.steps.decided_files import decided_files  # noqa: PLC0415  # heavy

        return decided_files(run, decisions, files)
