"""The data team: a supervisor, three workers, and the one hand-off that leaves it."""

from types import MappingProxyType

from minerva_data.agents.auditor import AuditorAgent
from minerva_data.agents.post_processor import PostProcessorAgent
from minerva_data.agents.retrieval import RetrievalAgent
from minerva_data.contracts import RenamePlan, StandardTable
from minerva_data.glossaries import Shelf
from minerva_data.settings import DataSettings
from minerva_platform import Team
from minerva_platform.config import TeamSettings


class DataTeam(Team):
    """Standard names for terms and schemas; no table leaves it unaudited."""

    name = "data"
    description = (
        "Standardises data: finds the standard abbreviation, domain and type of terms and columns "
        "in the glossary, puts them in a table in order, and audits names against the standard."
    )
    headings = MappingProxyType({"ko": "데이터 표준화", "en": "Data standards"})
    members = (RetrievalAgent, PostProcessorAgent, AuditorAgent)
    exports = (RenamePlan,)
    audits = MappingProxyType({StandardTable.kind: AuditorAgent.name})
    Settings = DataSettings

    def configure(self, settings: TeamSettings) -> None:
        """Take what `configs/teams/data.yaml` says: glossaries, order, style."""
        super().configure(settings)
        if not isinstance(settings, DataSettings):
            return
        for agent in self.agents:
            if isinstance(agent, PostProcessorAgent):
                agent.preferences = settings
            if isinstance(agent, RetrievalAgent):
                agent.asks_model = settings.ask_model
            if isinstance(agent, RetrievalAgent | PostProcessorAgent | AuditorAgent):
                agent.shelf = Shelf(settings.glossaries)
