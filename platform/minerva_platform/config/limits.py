"""The limits of a run, as configuration and callers set them."""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The limits of one run. None switches a limit off."""

    hops: int | None = None
    """Calls of members in the whole run; None means 25, or the number of agents if larger."""
    seconds: float = 300.0
    """Wall clock."""
    model_calls: int = 50
    tokens: int | None = None
    concurrency: int = 8
    """Workers at once, over the whole run."""

    @property
    def grace_seconds(self) -> float:
        """Seconds that a run has after its deadline to compose its answer and to keep it."""
        return max(0.5, self.seconds * 0.05)


class Section(BaseModel):
    """A part of a file that people write. An unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)
