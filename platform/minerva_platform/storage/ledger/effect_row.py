"""What is kept of an effect: a deed in the world that a run may repeat only knowingly."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from minerva_platform.contract.values import Effect

EffectKind: TypeAlias = Literal["idempotent", "keyed", "once"]
"""What may be done if it is not known whether an effect happened: it again, it again with the same
key, or nothing without asking a person."""

EffectState: TypeAlias = Literal["begun", "done", "failed", "unknown"]
"""`failed`: it may be done again under its key. `unknown`: a person must say."""


@dataclass(frozen=True, slots=True)
class Intent:
    """An effect that is about to be done."""

    effect: Effect
    """As its run tells of it: its outcome is not known yet."""
    kind: EffectKind
    args_sha256: str
    target_sha256: str
    """Digest of its name and of the arguments that say what it is done to."""
    within: str = ""
    """The key of the effect inside which it is done; empty: of none."""
    is_suspected: bool = False
    """True if it asks a person first when the conversation has done one of its name."""

    def to_row(self) -> dict[str, Any]:
        """Return the values of its row that never change."""
        return {
            **self.effect.model_dump(include={"key", "run_id", "path", "name"}),
            "kind": self.kind,
            "args_sha256": self.args_sha256,
            "target_sha256": self.target_sha256,
            "arguments": json.dumps(self.effect.arguments),
            "target": json.dumps(self.effect.target),
        }


@dataclass(frozen=True, slots=True)
class KeptEffect:
    """An effect that may not be done now: it was begun before, or another one like it was."""

    state: EffectState
    outcome: object = None
    """What it returned, as plain JSON; None if that is not known."""
    approvals: int = 0
    """How often a person has let it be done again."""
    rejection: str | None = None
    """What a person said who does not want it done again."""
    perhaps: bool = False
    """True if it raised an error that does not say that nothing happened."""
    twin: Effect | None = None
    """The effect of the same name and target that was done before this one."""

    def question_id(self, intent: Intent) -> str:
        """Return the id of the question about it, in the form of LangGraph's ids.

        It is none of LangGraph's own: these count the questions of a step, which has fewer of them
        when it is repeated with the outcome known.
        """
        if self.twin is not None:  # a decision is about these arguments, and about no others
            text = f"{intent.effect.key} {intent.args_sha256} again"
        else:
            text = f"{intent.effect.key} {self.approvals}"
        return hashlib.sha256(text.encode()).hexdigest()[:32]
