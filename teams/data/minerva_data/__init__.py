"""MINERVA's data team: standard names, domains and audits for columns.

The core (`minerva_data.core`) needs no agent framework; names here load when they are used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from minerva_data.agents.auditor import AuditorAgent
    from minerva_data.agents.post_processor import PostProcessorAgent
    from minerva_data.agents.retrieval import RetrievalAgent
    from minerva_data.commands.standardise_api import Standardised, StandardiseError, standardise
    from minerva_data.contracts import AuditReport, Recommendation, RenamePlan, StandardTable
    from minerva_data.team import DataTeam

_HOME: Final = {
    "AuditReport": "contracts",
    "AuditorAgent": "agents.auditor",
    "DataTeam": "team",
    "PostProcessorAgent": "agents.post_processor",
    "Recommendation": "contracts",
    "RenamePlan": "contracts",
    "RetrievalAgent": "agents.retrieval",
    "StandardTable": "contracts",
    "StandardiseError": "commands.standardise_api",
    "Standardised": "commands.standardise_api",
    "standardise": "commands.standardise_api",
}

__all__ = [
    "AuditReport",
    "AuditorAgent",
    "DataTeam",
    "PostProcessorAgent",
    "Recommendation",
    "RenamePlan",
    "RetrievalAgent",
    "StandardTable",
    "StandardiseError",
    "Standardised",
    "standardise",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for, when it is asked for (PEP 562)."""
    if name not in _HOME:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
