"""The run object, and the events of a run: in this process, and kept for whoever watches it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from pydantic import Field

from minerva_platform.contract.attachment import AttachmentUse
from minerva_platform.contract.result import Bypass, Hop, Reason
from minerva_platform.contract.values import Effect, Frozen, StoredArtifact, Usage
from minerva_platform.errors import RunError

if TYPE_CHECKING:
    from minerva_observability import Record, Span


DecisionType = Literal["approve", "edit", "reject", "respond"]
"""What a person can decide, by LangChain's own names."""


class Interrupt(Frozen):
    """A question to a person. A decision names its id."""

    id: str
    value: Any
    """The question as the worker asked it."""
    path: str = ""
    """The worker that asks: `platform/finance/payment_agent`."""
    kind: Literal["tool", "question", "effect"] = "question"
    """What is asked about: a tool's call, a worker's own question, or an effect of unknown end."""
    text: str = ""
    """The question in words."""
    tool: str | None = None
    """The tool, or the effect, that is to be called."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """The arguments of its call."""
    allowed: tuple[DecisionType, ...] = ("respond",)
    """What may be decided."""
    answer_schema: dict[str, Any] | None = None
    """JSON Schema of edited arguments (of a tool), or of the answer (of a question)."""
    shown_sha256: str = ""
    """Digest of all that is decided about: kind, words, tool, arguments, what is allowed, schema,
    path. A decision about another digest is refused."""
    asked: float = 0.0
    """When it was asked, in seconds since 1970."""
    expires_at: float | None = None
    """When it is rejected by itself, in seconds since 1970."""
    refused: str = ""
    """Why the decision before was refused, if this question is asked again."""
    earlier: dict[str, Any] | None = None
    """What was shown when it was decided, if something else is asked now: `{"text", "tool",
    "arguments"}`. That decision was not used."""


GivenDecision: TypeAlias = Mapping[str, Any] | str
"""A decision as it is given: its JSON, or `approve` or `reject` alone."""


@dataclass(frozen=True, slots=True)
class DecisionBatch:
    """Decisions that count together or not at all, by the ids of their questions."""

    decisions: Mapping[str, GivenDecision] = field(default_factory=dict[str, GivenDecision])
    by: str | None = None
    """Who decides; None: the person at this machine."""
    batch_id: str | None = None
    """The same batch under the same id is no second decision."""
    shown: Mapping[str, str] = field(default_factory=dict[str, str])
    """The digests of what was shown (`Interrupt.shown_sha256`); another question is refused."""

    def __post_init__(self) -> None:
        """Refuse what names no question.

        Raises:
            RunError: the decisions are no mapping.
        """
        given = cast("object", self.decisions)
        if not isinstance(given, Mapping):
            message = (
                "`decisions` is a mapping from the ids of questions to decisions, such as "
                f'{{question.id: {{"type": "approve"}}}}, not {type(given).__name__}. '
                "The questions of a run are its `interrupts`."
            )
            raise RunError(message)


@dataclass(frozen=True, slots=True)
class ResumeRequest:
    """The wish that a run goes on, with what was decided about its questions."""

    run_id: str
    batch: DecisionBatch


RunStatus = Literal["ok", "ok_degraded", "needs_human", "failed", "queued", "running", "cancelled"]
"""How a run ended, or where it is. `ok_degraded`: the answer says what it lacks. `needs_human`: it
waits for decisions. `queued`: it waits to be gone on with, because its process has ended."""


IS_OVER: Final[frozenset[str]] = frozenset({"ok", "ok_degraded", "failed", "cancelled"})
"""The statuses that no run leaves."""


class Origin(Frozen):
    """The distribution that a team was installed from, or the file that platform.yaml names."""

    distribution: str = ""
    version: str = ""
    file: str = ""
    """`./pipeline.py:Pipeline`; empty if the team is installed."""

    def __str__(self) -> str:
        """Name and version as people write them: `minerva-team-data 0.1.0`. Or the file."""
        return self.file or f"{self.distribution} {self.version}"


NOT_IMPORTED: Final = "cannot be imported: "
"""How the cause begins of a team whose import failed."""
GIVEN_IN_CODE = "given in code"
"""The origin of a team that neither a distribution nor platform.yaml names."""


class LeftOut(Frozen):
    """A team, or a part of one, that could never run right. The others work without it."""

    team: str
    distribution: str | None = None
    """None if the team is in a file beside platform.yaml, or was given in code."""
    version: str | None = None
    file: str | None = None
    """`./pipeline.py:Pipeline`, if platform.yaml names a file."""
    where: str | None = None
    """The place to mend: `minerva_finance/contracts.py:12`."""
    cause: str
    examples: tuple[str, ...] = Field(default=(), exclude=True, repr=False)
    """What could be read of the requests that should reach it."""

    @property
    def text(self) -> str:
        """The whole entry in one line for people."""
        installed = f"{self.distribution} {self.version}" if self.distribution else None
        named = self.file or installed or GIVEN_IN_CODE
        place = f", {self.where}" if self.where else ""
        return f"`{self.team}` ({named}{place}): {' '.join(self.cause.split())}"


class Notice(Frozen):
    """A background run of the thread that has ended since the thread's last turn."""

    run_id: str
    status: RunStatus
    request: str
    """Its words."""


class SentHandoff(Frozen):
    """A hand-off of a run, and who sent it."""

    sender: str = ""
    """The path of the worker: `platform/data/retrieval_agent`. Empty in runs of earlier versions,
    which kept only the latest hand-off of a kind."""
    version: int = 1
    """What the payload means: `Handoff.version`."""
    payload: dict[str, Any]


class Run(Frozen):
    """The run object, which `--json` prints and `Team.invoke` returns."""

    run_id: str
    thread_id: str
    status: RunStatus
    reason: Reason | None = None
    understood: str = ""
    """A follow-up rephrased to stand alone. Empty if the request stood alone. Not in `--json`."""
    answer: str = ""
    hops: tuple[Hop, ...] = ()
    handoffs: dict[str, Any] = Field(default_factory=dict)
    """The payload of the latest hand-off of each kind."""
    all_handoffs: dict[str, tuple[SentHandoff, ...]] = Field(default_factory=dict)
    """Every hand-off of each kind, in the order in which they came."""
    bypassed: tuple[Bypass, ...] = ()
    unserved: tuple[str, ...] = ()
    """Parts of the request, in the person's words, that no member serves."""
    effects: tuple[Effect, ...] = ()
    """What the run did to the world, however the run ended."""
    interrupts: tuple[Interrupt, ...] = ()
    artifacts: tuple[StoredArtifact, ...] = ()
    usage: Usage = Usage()
    left_out: tuple[LeftOut, ...] = ()
    """The teams and parts left out since the start. By themselves they do not degrade the run."""
    cut: int = 0
    """Number of workers' texts, citations and fields that were cut or left out at a bound."""
    files: tuple[AttachmentUse, ...] = ()
    """What members did with each attached file, and with the files of an attached directory."""
    more_files: int = 0
    """At least this many more files of directories were reported, beyond the bound."""
    unused: tuple[str, ...] = ()
    """Quoted words of the request that the answer does not take into account."""
    notices: tuple[Notice, ...] = ()
    """Background runs of the thread that have ended since its last turn; each is told once."""

    def to_json_dict(self) -> dict[str, Any]:
        """Return the object as `--json` prints it."""
        inner = {
            "hops": {"__all__": {"started_ns"}},
            "artifacts": {"__all__": {"media_type"}},
            "bypassed": {"__all__": {"sentence", "part"}},
        }
        return self.model_dump(mode="json", exclude={**inner, "understood": True})


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One event of a stream: a span that started, the record of a finished span, or the run."""

    type: Literal["started", "finished", "run"]
    path: str
    """The path of the event: `platform/data/retrieval_agent`."""
    span: "Span | None" = None
    """Set if a span started."""
    record: "Record | None" = None
    """Set if a span finished."""
    run: "Run | None" = None
    """Set in the last event of a stream."""


EventType = Literal[
    "run_started",
    "routed",
    "call_started",
    "call_finished",
    "call_failed",
    "call_bypassed",
    "effect",
    "progress",
    "question",
    "decided",
    "notice",
    "text",
    "run_paused",
    "run_ended",
]
"""What happened.

- `run_started`: a process begins with the run, or goes on with it (`resume_no` in `data`).
- `routed`: a router decided; `goals`, `router` and `unserved` are in `data`.
- `call_started`, `call_finished`, `call_failed`: a call of a member; `kind` is `worker` or `team`.
- `call_bypassed`: the run went on without a failed call: `action`, and `because_of` if it has one.
  It comes when the run ends or waits, and never for a run that failed.
- `effect`: what a call did to the world: `name`, `key` and `outcome`; it comes before its end.
- `progress`: how far a worker is: `done`, `of` and `text`.
- `question`: a question to a person, as `minerva ask --json` prints it.
- `decided`: a person decided about it: `interrupt_id`, `type` and `by`.
- `notice`: a background run of the thread has ended since its last turn: `run_id` and `status`.
- `text`: a piece of the answer. Answers are checked as a whole, so there is one piece.
- `run_paused`: the run waits for a person. `run_ended`: it is over; `status` and `reason`.
"""


class Event(Frozen):
    """One event. `seq` numbers the events of a run from 1, without a gap."""

    seq: int = 0
    type: EventType
    path: str
    """Where: `platform/data/retrieval_agent`."""
    agent: str = ""
    """The member's own name: `retrieval_agent`; empty if the event is of no single member."""
    at: float
    """When, in seconds since 1970."""
    data: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def of(
        cls, kind: EventType, path: str, /, *, at: float, is_run: bool = False, **data: Any
    ) -> "Event":
        """Return an event of the member at `path`, or of the run itself."""
        agent = "" if is_run else path.rpartition("/")[2].partition("#")[0]
        return cls(type=kind, path=path, agent=agent, at=at, data=data)
