"""What an organisation decides about its standard table, and how its file says so."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from minerva_data.core.priority import DEFAULT_PRIORITY
from minerva_data.core.style import MAX_LENGTH, Style
from minerva_platform import Team


class Preferences(BaseModel):
    """Order of subject areas, style and length of physical names.

    A request may state another order or style for itself.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    domain_priority: tuple[str, ...] = DEFAULT_PRIORITY
    physical_style: Style = "UPPER_SNAKE"
    max_length: int = Field(default=MAX_LENGTH, ge=1)


def settings_model() -> type[Any]:
    """Return what may stand in `configs/teams/data.yaml`: every team's keys, and these."""
    return create_model(
        "DataSettings",
        __base__=Team.Settings,
        domain_priority=(tuple[str, ...], DEFAULT_PRIORITY),
        physical_style=(Style, "UPPER_SNAKE"),
        max_length=(int, Field(default=MAX_LENGTH, ge=1)),
    )
