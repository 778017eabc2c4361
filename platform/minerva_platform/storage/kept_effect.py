"""What is kept of an effect: a deed in the world that a run may repeat only knowingly."""

import hashlib
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
    rejected: str | None = None
    """What a person said who does not want it done again."""


def question_id(key: str, approvals: int) -> str:
    """Return the id of the question what became of an effect, in the form of LangGraph's ids.

    It is none of LangGraph's own: these count the questions of a step, which has fewer of them when
    it is repeated with the outcome known.
    """
    return hashlib.sha256(f"{key} {approvals}".encode()).hexdigest()[:32]
