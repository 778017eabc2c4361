"""MINERVA's data team: standard names, domains and audits for columns.

The core (`minerva_data.core`) needs no agent framework; names here load when they are used.
"""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_data.agents.auditor import AuditorAgent as AuditorAgent
    from minerva_data.agents.post_processor import PostProcessorAgent as PostProcessorAgent
    from minerva_data.agents.retrieval import RetrievalAgent as RetrievalAgent
    from minerva_data.commands.standardise_api import (
        Standardised as Standardised,
        StandardiseError as StandardiseError,
        standardise as standardise,
    )
    from minerva_data.contracts import (
        AuditReport as AuditReport,
        Recommendation as Recommendation,
        RenamePlan as RenamePlan,
        StandardTable as StandardTable,
    )
    from minerva_data.team import DataTeam as DataTeam
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__)
