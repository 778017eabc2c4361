"""What an organisation decides about its standard table, and how its file says so."""

from pydantic import BaseModel, ConfigDict, Field

from minerva_data.core.audit.style import MAX_LENGTH, Style
from minerva_data.core.glossary.priority import DEFAULT_PRIORITY
from minerva_platform.config import TeamSettings, find_settings


class Preferences(BaseModel):
    """Order of subject areas, style and length of physical names.

    A request may state another order or style for itself.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    domain_priority: tuple[str, ...] = DEFAULT_PRIORITY
    physical_style: Style = "UPPER_SNAKE"
    max_length: int = Field(default=MAX_LENGTH, ge=1)


DEFAULT_PREFERENCES = Preferences()


class DataSettings(Preferences, TeamSettings):
    """What may stand in `configs/teams/data.yaml`: every team's keys, and the preferences."""

    glossaries: tuple[str, ...] | None = Field(default=None, min_length=1)
    """Who answers, the first before the others; None means all that are imported, then ours."""
    ask_model: bool = True
    """True if the workers ask a model, if there is one; the router has settings of its own."""


def configured_glossaries() -> tuple[str, ...] | None:
    """Return the order of glossaries that the configuration sets, None if it sets none."""
    return find_settings().team("data", DataSettings).glossaries
