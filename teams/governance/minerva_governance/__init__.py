"""The governance team of MINERVA: policies as rules, personal data found, a report with evidence.

Names are loaded when they are used, so that finding the team by its entry point costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from minerva_governance.agents.compliance import ComplianceAgent
    from minerva_governance.agents.policy import PolicyAgent
    from minerva_governance.contracts import Findings, PolicySet
    from minerva_governance.team import GovernanceTeam

_HOME: Final = {
    "ComplianceAgent": "agents.compliance",
    "Findings": "contracts",
    "GovernanceTeam": "team",
    "PolicyAgent": "agents.policy",
    "PolicySet": "contracts",
}

__all__ = ["ComplianceAgent", "Findings", "GovernanceTeam", "PolicyAgent", "PolicySet"]


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for (PEP 562)."""
    if name not in _HOME:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
