"""The data team: a supervisor, four workers, and the two hand-offs that leave it."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from minerva_data.agents.auditor import AuditorAgent
from minerva_data.agents.migration import MigrationAgent
from minerva_data.agents.post_processor import PostProcessorAgent
from minerva_data.agents.retrieval import RetrievalAgent
from minerva_data.contracts import Migration, RenamePlan, StandardTable
from minerva_data.settings import DataSettings
from minerva_data.steps.glossaries import ImportedGlossaries
from minerva_platform import BaseAgent, Team
from minerva_platform.config import TeamSettings


class DataTeam(Team):
    """Standard names for terms and schemas; no table leaves it unaudited."""

    name = "data"
    description = (
        "Standardises data: finds the standard abbreviation, domain and type of terms and columns "
        "in the glossary, puts them in a table in order, and audits names against the standard."
    )
    headings = MappingProxyType({"ko": "데이터 표준화", "en": "Data standards"})
    members = (RetrievalAgent, PostProcessorAgent, AuditorAgent, MigrationAgent)
    exports = (RenamePlan, Migration)
    audits = MappingProxyType({StandardTable.kind: AuditorAgent.name})
    approvals = MappingProxyType({Migration.kind: MigrationAgent.name})
    Settings = DataSettings

    def build_members(self, settings: TeamSettings) -> Sequence[BaseAgent[Any, Any]]:
        """Return the workers with what `configs/teams/data.yaml` says: glossaries, order, style."""
        own = DataSettings.model_validate(settings, from_attributes=True)
        glossaries = ImportedGlossaries(own.glossaries)
        return (
            RetrievalAgent(glossaries, asks_model=own.ask_model),
            PostProcessorAgent(glossaries, preferences=own),
            AuditorAgent(glossaries),
            MigrationAgent(),
        )
