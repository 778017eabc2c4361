"""Values that every part of a run uses.

They are frozen and plain JSON. So a checkpoint, another process or another team's version of a
model reads exactly what was written.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

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


@dataclass(frozen=True, slots=True)
class Content:
    """A text or a file as it is stored, and its address."""

    data: bytes
    sha256: str

    @classmethod
    def of(cls, text: str) -> "Content":
        """Return `text` with its address."""
        return cls.of_bytes(text.encode("utf-8", "surrogatepass"))

    @classmethod
    def of_bytes(cls, data: bytes) -> "Content":
        """Return `data` with its address."""
        return cls(data, hashlib.sha256(data).hexdigest())


class Shown(Frozen):
    """Names of one kind that an answer shows, so that a later turn can refer to them.

    `kind` says what they are (`column`, `file`, `finding`). Beyond the bounds (`MAX_SHOWN` names
    of an answer, `MAX_SHOWN_BYTES` each) names are left out or cut.
    """

    kind: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{0,39}$")]
    names: tuple[str, ...] = Field(repr=False)


EffectOutcome = Literal["done", "failed", "unknown"]
"""`failed`: it certainly did not happen. `unknown`: it may have happened, and nobody knows."""


class Effect(Frozen):
    """What a run did to the world, or began to do."""

    name: str
    """The function or the tool behind `@effect`."""
    key: str
    """The same in every repetition of the effect."""
    run_id: str = ""
    """The run that did it."""
    path: str = ""
    """The call of the worker that did it."""
    arguments: dict[str, Any] = Field(default_factory=dict, repr=False)
    """Plain JSON without secrets; none if an earlier version did it."""
    target: tuple[str, ...] = ()
    """Names of the arguments that say what it is done to. Empty: all of them say it."""
    outcome: EffectOutcome
    at: float
    """When it ended, or began if its outcome is unknown, in seconds since 1970."""


EFFECT_MARK: Final = "__minerva_effect__"
"""The attribute of a function behind `@effect`: its kind."""


def has_happened(effects: Iterable[Effect]) -> bool:
    """True if one of `effects` was done, or may have been."""
    return any(effect.outcome != "failed" for effect in effects)


class Usage(Frozen):
    """Model calls and tokens spent. Tokens count where the provider reports them."""

    model_calls: int = 0
    routing_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unpriced_calls: int = 0
    """Model calls of which no cost is known."""

    def __add__(self, other: "Usage") -> "Usage":
        """Return the sum, field by field."""
        return Usage(**{name: value + getattr(other, name) for name, value in self})
