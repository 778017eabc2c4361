"""What this team's members hand to each other."""

from datetime import date
from typing import ClassVar

from pydantic import BaseModel, ConfigDict

from minerva_platform import Handoff


class Holiday(BaseModel):
    """A day that is free although it may be no weekend."""

    model_config = ConfigDict(frozen=True)

    day: date
    name: str


class Holidays(Handoff):
    """The holidays to count with; `source` is None when nobody gave a file."""

    kind: ClassVar[str] = "calendar.holidays"
    version: ClassVar[int] = 1

    source: str | None = None
    days: tuple[Holiday, ...] = ()
