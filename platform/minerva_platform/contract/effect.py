"""What is kept of an effect: a deed in the world that a run may repeat only knowingly."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

EffectKind: TypeAlias = Literal["idempotent", "keyed", "once"]
"""What may be done if it is not known whether an effect happened: it again, it again with the same
key, or nothing without asking a person."""

EffectState: TypeAlias = Literal["begun", "done", "failed", "unknown"]
"""`failed`: it certainly did not happen, or may be done again. `unknown`: a person must say."""


@dataclass(frozen=True, slots=True)
class Intent:
    """An effect that is about to be done."""

    key: str
    path: str
    """The call of the worker that does it."""
    name: str
    kind: EffectKind
    args_sha256: str


@dataclass(frozen=True, slots=True)
class KeptEffect:
    """An effect that was begun before."""

    state: EffectState
    outcome: object = None
    """What it returned, as plain JSON; None if that is not known."""
    approvals: int = 0
    """How often a person has let it be done again."""
