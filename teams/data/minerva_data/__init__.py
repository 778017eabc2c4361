"""MINERVA's data team: standard names, domains and audits for columns.

The core (`minerva_data.core`) needs no agent framework; names here load when they are used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from minerva_data.auditor_agent import AuditorAgent
    from minerva_data.contracts import AuditReport, Recommendation, RenamePlan, StandardTable
    from minerva_data.post_processor_agent import PostProcessorAgent
    from minerva_data.retrieval_agent import RetrievalAgent
    from minerva_data.standardising import Standardised, StandardiseError, standardise
    from minerva_data.team import DataTeam

_HOME: Final = {
    "AuditReport": "contracts",
    "AuditorAgent": "auditor_agent",
    "DataTeam": "team",
    "PostProcessorAgent": "post_processor_agent",
    "Recommendation": "contracts",
    "RenamePlan": "contracts",
    "RetrievalAgent": "retrieval_agent",
    "StandardTable": "contracts",
    "StandardiseError": "standardising",
    "Standardised": "standardising",
    "standardise": "standardising",
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
