"""The governance team of MINERVA: policies as rules, personal data found, a report with evidence.

Names are loaded when they are used, so that finding the team by its entry point costs nothing.
"""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_governance.agents.compliance import ComplianceAgent as ComplianceAgent
    from minerva_governance.agents.policy import PolicyAgent as PolicyAgent
    from minerva_governance.contracts import Findings as Findings, PolicySet as PolicySet
    from minerva_governance.team import GovernanceTeam as GovernanceTeam
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)
