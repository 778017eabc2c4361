"""The result of a call of a member, failures included."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self, cast

from pydantic import AliasChoices, BeforeValidator, Field

from minerva_platform.contract.attachment import FileReport
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.transfer import CheckedTransfer
from minerva_platform.contract.values import Citation, Effect, Frozen, Shown, StoredArtifact, Usage


class ErrorInfo(Frozen):
    """A failure as data: the class of the error, its text (secrets masked) and its place."""

    type: str
    message: str
    where: str | None = None
    """`minerva_finance/invoice_agent.py:88, in read`, if the error arose in a worker's own code."""
    is_sentence: bool = False
    """True if the message is a sentence of MINERVA or a team, so it needs no class before it."""
    korean: str = ""
    """The message in Korean, if the error has its own (see `failure_text`)."""
    english: str = ""
    """What an answer in English says instead of the message, if that is for its author alone."""

    @classmethod
    def of(cls, reason: "Reason", message: str, *, where: str | None = None, **texts: str) -> Self:
        """Return the error that `reason` stands for; `texts` are its words for people, by field."""
        kind = REASON_ERRORS[reason]
        return cls(type=kind, message=message, where=where, is_sentence=True, **texts)

    @property
    def short_text(self) -> str:
        """The class and the message, without the place."""
        named = self.type if not self.message else f"{self.type}: {self.message}"
        return self.message if self.is_sentence and self.message else named

    @property
    def text(self) -> str:
        """The failure in one line for people."""
        return f"{self.short_text} ({self.where})" if self.where else self.short_text


ResultStatus = Literal["ok", "failed", "timeout", "skipped"]
"""How one call of a member ended."""


Role = Literal["goal", "producer", "audit", "preparation", "substitute", "approval"]
"""Why a member was called: asked for; to give what another needs; to audit what others gave; to
make early what it will want itself; in place of one that failed."""


def current_role(name: object) -> Role:
    """Return a role by its present name. Runs paused by earlier versions hold `check`."""
    return "audit" if name == "check" else cast("Role", name)


KeptRole = Annotated[Role, BeforeValidator(current_role)]
"""A role as a checkpoint holds it."""


BypassAction = Literal["retried", "substituted", "bypassed", "skipped", "left_out", "stopped"]
"""The action after a failure: it was tried again, another member helped, the run went on without
it, the call was not made, a part was given up before it began, or the run or the visit ended."""


Reason = Literal[
    "about",
    "all_failed",
    "asked_back",
    "bad_decision",
    "budget_model_calls",
    "budget_tokens",
    "cancelled",
    "small_talk",
    "deadline",
    "internal_error",
    "loop_limit",
    "no_route",
    "partly_served",
    "rejected",
    "router_failed",
]
"""Why a run or a visit ended otherwise than by FINISH. `small_talk`: it asked for nothing.
`about`: it asked what can be asked, who answered, or about background runs. `asked_back`: it may be
an answer to an open question, and is not clear; or all that can be said to it is the answer before.
`rejected`: a person rejected what the workers asked, and none of them had an answer without it."""


LIMIT_REASONS: Final[frozenset[Reason]] = frozenset(
    {"budget_model_calls", "budget_tokens", "deadline", "loop_limit"}
)
"""Limits that cut a visit short. They hold for every level above it, too."""
ROUTER_REASONS: Final[frozenset[Reason]] = frozenset({"bad_decision", "router_failed"})
"""Reasons of a visit whose router failed. If members had answered, nothing else tells of it."""

REASON_ERRORS: Final[Mapping[Reason, str]] = {
    "all_failed": "AllFailedError",
    "bad_decision": "BadDecisionError",
    "budget_model_calls": "ModelCallsSpentError",
    "budget_tokens": "TokensSpentError",
    "cancelled": "CancelledError",
    "deadline": "DeadlineError",
    "internal_error": "InternalError",
    "loop_limit": "LoopLimitError",
    "no_route": "NoRouteError",
    "partly_served": "PartlyServedError",
    "rejected": "RejectedError",
    "router_failed": "RouterFailedError",
}
"""The error class that records name for a reason. Answers without work have none."""


class Hop(Frozen):
    """One call of a worker. `ms` is wall time; `started_ns` (epoch) orders hops of a run."""

    path: str
    agent_name: str
    team: str
    status: ResultStatus
    ms: float
    started_ns: int = 0


class Bypass(Frozen):
    """A failure: where, why (in the run's language), and the action; `stopped` in a failed run."""

    path: str
    cause: str
    action: BypassAction
    because_of: str | None = None
    """Path of the failure that this one follows from; None if it began here."""
    is_whole: bool = False
    """True if what stood in for it gave all there is without it: the answer lacks nothing."""
    sentence: str = ""
    """What the answer says of the cause: nothing that is for the author alone. Not in `--json`."""
    part: str = ""
    """The words of the call that has no answer. Not in `--json`."""


class _Outcome(Frozen):
    """What came of a call of a member, or of a visit of a supervisor."""

    reason: Reason | None = None
    summary: str = ""
    error: ErrorInfo | None = None
    because_of: str | None = None
    """Path of the failure that its own, or its reason, follows from; None if it began here."""
    lost: dict[str, str] = Field(default_factory=dict[str, str])
    """Hand-offs that a team failed to give: kind to the path where that failure began."""
    citations: tuple[Citation, ...] = ()
    artifacts: tuple[StoredArtifact, ...] = ()
    usage: Usage = Usage()
    hops: tuple[Hop, ...] = ()
    bypassed: tuple[Bypass, ...] = ()
    cut: int = 0
    """Number of texts cut, and of citations or fields left out, at a bound (see `bounds`)."""
    files: tuple[FileReport, ...] = ()
    """What was done with the attached files that were given."""
    more_files: int = 0
    """At least this many more files were reported, beyond the bound."""
    unused: tuple[str, ...] | None = None
    """Words that the answer does not take into account. None if nobody reports them."""
    shown: tuple[Shown, ...] = ()
    """What the answer names, for later turns of the thread."""
    answered_by: tuple[str, ...] = ()
    """Of a team: the paths of the workers whose parts its summary holds."""


class Result(_Outcome):
    """All that the firewall lets out of a member. The firewall sets the sender, not the member."""

    agent: str
    path: str
    status: ResultStatus
    role: KeptRole = "goal"
    output: dict[str, Any] = Field(default_factory=dict)
    history: tuple[dict[str, Any], ...] = ()
    """The newest messages of a worker whose `output_mode` is `history`."""
    transfers: tuple[CheckedTransfer, ...] = ()
    """To whom the member passed control. Its network calls them next."""
    effects: tuple[Effect, ...] = ()
    """What it did to the world, with the members below it, however the call ended."""
    given_words: str = Field(default="", validation_alias=AliasChoices("given_words", "heard"))
    """The words that the member was given to take into account. Earlier checkpoints call them
    `heard`."""


class TeamOutput(_Outcome):
    """The end of a supervisor's visit. The firewall makes a `Result` of it."""

    status: ResultStatus = "ok"
    handoffs: Handoffs = Field(default_factory=dict)
    unserved: tuple[str, ...] = ()
