"""The data team: a supervisor, three workers, and the one hand-off that leaves it."""

from types import MappingProxyType

from pydantic import BaseModel

from minerva_data.auditor_agent import AuditorAgent
from minerva_data.contracts import RenamePlan, StandardTable
from minerva_data.post_processor_agent import PostProcessorAgent
from minerva_data.preferences import Preferences, settings_model
from minerva_data.retrieval_agent import RetrievalAgent
from minerva_platform import Team


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
    checks = MappingProxyType({StandardTable.kind: AuditorAgent.name})
    Settings = settings_model()

    def configure(self, settings: BaseModel) -> None:
        """Take what `configs/teams/data.yaml` says, the order of subject areas included."""
        given = settings.model_dump()
        own = {key: given.pop(key) for key in Preferences.model_fields if key in given}
        super().configure(Team.Settings.model_validate(given))
        preferences = Preferences.model_validate(own)
        for agent in self.agents:
            if isinstance(agent, PostProcessorAgent):
                agent.preferences = preferences
