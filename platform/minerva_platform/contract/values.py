"""Values that every part of a run uses.

They are frozen and JSON only, so that a checkpoint, another process or another team's version of
a model reads the same thing that was written.
"""

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """A value: compared by content, never changed, unknown keys ignored (a tolerant reader)."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Citation(Frozen):
    """Where a statement comes from: a row of a glossary, a line of a file."""

    source: str
    row: int | None = None
    line: int | None = None
    edition: str | None = None
    quote: str = ""


class Artifact(Frozen):
    """A text file that an agent made. The platform stores it; the agent never writes it."""

    name: str = Field(pattern=r"^[^/\\\x00]+$")
    media_type: str = "text/plain"
    content: str = Field(repr=False)


class StoredArtifact(Frozen):
    """An artifact in the store (or in `--out DIR`): content lies at `path`."""

    name: str
    media_type: str
    path: str
    sha256: str


class Usage(Frozen):
    """What was spent: calls, and tokens where a model tells them."""

    model_calls: int = 0
    routing_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Sum the two, field by field."""
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            routing_calls=self.routing_calls + other.routing_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )
