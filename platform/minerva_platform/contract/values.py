"""Values that every part of a run uses.

They are frozen and plain JSON. So a checkpoint, another process or another team's version of a
model reads exactly what was written.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints


class Frozen(BaseModel):
    """A value: compared by content, never changed. Unknown keys are ignored (a tolerant reader)."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Citation(Frozen):
    """The source of a statement: a row of a glossary, a line of a file."""

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
    """An artifact in the store, or in `--out DIR`. Its content lies at `path`."""

    name: str
    media_type: str
    path: str
    sha256: str


class Shown(Frozen):
    """Names of one kind that an answer shows, so that a later turn can refer to them.

    `kind` says what they are (`column`, `file`, `finding`). Beyond the bounds (`MAX_SHOWN` names
    of an answer, `MAX_SHOWN_BYTES` each) names are left out or cut.
    """

    kind: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{0,39}$")]
    names: tuple[str, ...] = Field(repr=False)


class Usage(Frozen):
    """Model calls and tokens spent. Tokens count where the provider reports them."""

    model_calls: int = 0
    routing_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum, field by field."""
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            routing_calls=self.routing_calls + other.routing_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )
