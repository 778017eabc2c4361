"""The data that crosses borders: tasks in, results out, and the hand-offs between members.

Everything here is frozen and JSON only, so that a checkpoint, another process or another
team's version of a model reads the same thing that was written.
"""

import re
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import (
    Any,
    ClassVar,
    Final,
    Literal,
    NotRequired,
    cast,
)

from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import TypedDict  # pydantic wants this one before 3.12

from minerva_platform.errors import ContractError
from minerva_platform.text.language import Language
from minerva_platform.text.language_detection import language_of

DIRECTORY = "dir"
"""The pattern that matches a directory instead of a file name."""

_KIND = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")


class Frozen(BaseModel):
    """A value: compared by content, never changed, unknown keys ignored (a tolerant reader)."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Handoff(Frozen):
    """A typed payload that one member produces and others consume.

    Producer and consumer are bound by `kind` alone. A consumer in another team declares its
    own model of the kind with just the fields it reads; `minerva check` proves that the
    producer's JSON schema satisfies it. `version` is a promise about meaning: raise it when the
    fields stay and mean something else, and no consumer of the old one is given the new.
    """

    kind: ClassVar[str]
    version: ClassVar[int] = 1

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse a kind that could not be told apart from another team's."""
        super().__pydantic_init_subclass__(**kwargs)
        kind = getattr(cls, "kind", None)
        if kind is not None and not _KIND.fullmatch(kind):
            message = f'`{cls.__name__}.kind` is {kind!r}; write it as "team.payload_name".'
            raise ContractError(message)


class HandoffRecord(TypedDict):
    """How a hand-off lies in graph state: who gave it, and the payload or its address."""

    path: str
    version: int
    json: NotRequired[dict[str, Any]]
    sha256: NotRequired[str]


Handoffs = dict[str, list[HandoffRecord]]
"""Hand-offs by kind, in hop order: the last one is the latest."""


class AttachmentPattern:
    """The file names (or `"dir"`) that an Input field of type `Attachment` takes."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        self.patterns = patterns

    def takes(self, attachment: "Attachment") -> bool:
        """Tell whether `attachment` may be bound; names are compared without case."""
        if attachment.is_dir:
            return DIRECTORY in self.patterns
        name = attachment.name.casefold()
        return any(fnmatch(name, p.casefold()) for p in self.patterns if p != DIRECTORY)

    def __str__(self) -> str:
        """The patterns as a person would list them."""
        return " or ".join("a directory" if p == DIRECTORY else p for p in self.patterns)

    @property
    def korean(self) -> str:
        """The same in Korean."""
        return " 또는 ".join("폴더" if p == DIRECTORY else f"`{p}` 파일" for p in self.patterns)


class Attachment(Frozen):
    """A file or directory that came with a request. Validates from a plain path."""

    path: Path

    @model_validator(mode="before")
    @classmethod
    def _from_path(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str | Path) else value

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.name

    @property
    def is_dir(self) -> bool:
        """Whether the path is a directory now."""
        return self.path.is_dir()

    @staticmethod
    def of(*patterns: str) -> AttachmentPattern:
        """Say in an `Annotated` field which file names it takes; `"dir"` is a directory."""
        return AttachmentPattern(patterns)


class Citation(Frozen):
    """Where a statement comes from: a row of a glossary, a line of a file."""

    source: str
    row: int | None = None
    line: int | None = None
    edition: str | None = None
    quote: str = ""


FileStatus = Literal["used", "unreadable", "not_understood"]
"""What a worker did with an attached file."""


class AttachmentUse(Frozen):
    """What became of an attached file.

    `name` is the name of the attached path, or a path relative to the attached directory.
    `reason` is one short clause in the language of the run; empty if the file was used.
    """

    name: str
    status: FileStatus
    reason: str = ""
    must_mend: bool = False
    """The person must mend the file before the answer is whole: the command then ends with 2."""


class FileReport(AttachmentUse):
    """What is known of an attached file inside a run."""

    silent: str = ""
    """The member that was given the file and says nothing of it; empty if one told this."""


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


class Turn(Frozen):
    """One exchange of a conversation: what the person asked, and the answer as it was shown."""

    request: str
    answer: str


class Task(Frozen):
    """What a member is asked to do.

    `request` is the member's own part of the words (empty: only `wanted_kinds` count),
    `context` the person's original words, `wanted_kinds` what members after it need or want,
    `members` the members that do it (empty: the router chooses), `lost` the hand-offs that a
    member failed to give: kind to the path at which that began.
    """

    request: str = ""
    context: str = ""
    language: Language = "en"
    attachments: tuple[Attachment, ...] = ()
    handoffs: Handoffs = Field(default_factory=dict)
    wanted_kinds: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    lost: dict[str, str] = Field(default_factory=dict[str, str])

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        given = cast("Mapping[str, Any]", value)
        words = str(given.get("context") or given.get("request") or "")
        return {"context": words, "language": language_of(words), **given}


class ErrorInfo(Frozen):
    """A failure as data: the class of the error, its text (secrets masked) and its place."""

    type: str
    message: str
    where: str | None = None
    """`minerva_finance/invoice_agent.py:88, in read`, if it arose in a worker's own code."""
    is_sentence: bool = False
    """Whether the message is MINERVA's or a team's sentence, which needs no class before it."""
    korean: str = ""
    """What happened, as a Korean answer says it, if the error brings it (`failure_text`)."""

    @property
    def said(self) -> str:
        """What happened, without the place."""
        named = self.type if not self.message else f"{self.type}: {self.message}"
        return self.message if self.is_sentence and self.message else named

    @property
    def text(self) -> str:
        """The failure in one line, as people read it."""
        return f"{self.said} ({self.where})" if self.where else self.said


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


ResultStatus = Literal["ok", "failed", "timeout", "skipped"]
"""How one call of a member ended."""

Role = Literal["goal", "producer", "check", "preparation", "substitute"]
"""Why a member was called: asked for, needed by another, closing the visit, early, instead."""

BypassAction = Literal["retried", "substituted", "bypassed", "skipped", "left_out", "stopped"]
"""What was done about a failure: tried again, another member helped, the run went on without it,
the call was not made, a part was given up before it began, the run or the visit ended."""

Reason = Literal[
    "all_failed",
    "bad_decision",
    "budget_model_calls",
    "budget_tokens",
    "cancelled",
    "courtesy",
    "deadline",
    "internal_error",
    "loop_limit",
    "no_route",
    "partly_served",
    "router_failed",
]
"""Why a run or a visit ended otherwise than by FINISH; a `courtesy` asked for nothing."""

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
    "router_failed": "RouterFailedError",
}
"""The class that records name for a reason; a courtesy is no error."""


class Hop(Frozen):
    """One call of a worker. `ms` is wall time; `started_ns` (epoch) orders hops of a run."""

    path: str
    agent_name: str
    team: str
    status: ResultStatus
    ms: float
    started_ns: int = 0


class Bypass(Frozen):
    """A failure that did not end the run: where, why (in the run's language), what was done."""

    path: str
    cause: str
    action: BypassAction
    because_of: str | None = None
    """Path of the failure that this one follows from; None if it began here."""


class Result(Frozen):
    """What the firewall lets out of a member. The sender is set here, never by the member."""

    agent: str
    path: str
    status: ResultStatus
    role: Role = "goal"
    reason: Reason | None = None
    summary: str = ""
    output: dict[str, Any] = Field(default_factory=dict)
    citations: tuple[Citation, ...] = ()
    artifacts: tuple[StoredArtifact, ...] = ()
    error: ErrorInfo | None = None
    because_of: str | None = None
    lost: dict[str, str] = Field(default_factory=dict[str, str])
    usage: Usage = Usage()
    hops: tuple[Hop, ...] = ()
    bypassed: tuple[Bypass, ...] = ()
    cut: int = 0
    """How many texts were shortened, and citations or fields left out, at a bound (`bounds`)."""
    files: tuple[FileReport, ...] = ()
    more_files: int = 0
    unused: tuple[str, ...] | None = None
    """Words that its answer does not take into account; None if it does not tell such words."""
    heard: str = ""
    """The words that it was given, and was asked to take into account."""


class TeamOutput(Frozen):
    """How a supervisor's visit ended. The firewall makes a `Result` of it."""

    status: ResultStatus = "ok"
    reason: Reason | None = None
    summary: str = ""
    error: ErrorInfo | None = None
    because_of: str | None = None
    """Path of the failure that its own, or its reason, follows from; None if it began here."""
    lost: dict[str, str] = Field(default_factory=dict[str, str])
    """Hand-offs that it failed to give: kind to the path at which that began."""
    citations: tuple[Citation, ...] = ()
    artifacts: tuple[StoredArtifact, ...] = ()
    handoffs: Handoffs = Field(default_factory=dict)
    hops: tuple[Hop, ...] = ()
    bypassed: tuple[Bypass, ...] = ()
    unserved: tuple[str, ...] = ()
    usage: Usage = Usage()
    cut: int = 0
    files: tuple[FileReport, ...] = ()
    """What became of the attached files, as far as members were given them."""
    more_files: int = 0
    """At least how many more files were told of, beyond the bound."""
    unused: tuple[str, ...] | None = None
    """Words that no member takes into account; None if no member tells such words."""


class Interrupt(Frozen):
    """A question to a person; answered by its id."""

    id: str
    value: Any


RunStatus = Literal["ok", "ok_degraded", "needs_human", "failed"]
"""How a run ended; `ok_degraded` means that the answer may be incomplete."""


class Origin(Frozen):
    """The distribution that a team was installed from."""

    distribution: str
    version: str

    def __str__(self) -> str:
        """The two as people write them: `minerva-team-data 0.1.0`."""
        return f"{self.distribution} {self.version}"


GIVEN_IN_CODE = "given in code"
"""The origin of a team that no distribution names."""


class LeftOut(Frozen):
    """A team, or a part of one, that could never run right; the others work without it."""

    team: str
    distribution: str | None = None
    """None: the team was given in code."""
    version: str | None = None
    where: str | None = None
    """The place to mend: `minerva_finance/contracts.py:12`."""
    cause: str

    @property
    def text(self) -> str:
        """The whole entry in one line, as people read it."""
        named = f"{self.distribution} {self.version}" if self.distribution else GIVEN_IN_CODE
        place = f", {self.where}" if self.where else ""
        return f"`{self.team}` ({named}{place}): {' '.join(self.cause.split())}"


class Run(Frozen):
    """The run object: what `--json` prints and `Team.invoke` returns."""

    run_id: str
    thread_id: str
    status: RunStatus
    reason: Reason | None = None
    understood: str = ""
    """How a follow-up was said so that it stands alone; empty if it did, and not in `--json`."""
    answer: str = ""
    hops: tuple[Hop, ...] = ()
    handoffs: dict[str, Any] = Field(default_factory=dict)
    bypassed: tuple[Bypass, ...] = ()
    unserved: tuple[str, ...] = ()
    """Parts of the request, in the person's words, that no member serves."""
    interrupts: tuple[Interrupt, ...] = ()
    artifacts: tuple[StoredArtifact, ...] = ()
    usage: Usage = Usage()
    left_out: tuple[LeftOut, ...] = ()
    """What the platform works without since it started; it does not degrade the run by itself."""
    cut: int = 0
    """How many texts, citations and fields of workers were shortened or left out at a bound."""
    files: tuple[AttachmentUse, ...] = ()
    """What became of each attached file; of a directory, also of the files in it."""
    more_files: int = 0
    """At least how many more files of directories members told of, beyond the bound."""
    unused: tuple[str, ...] = ()
    """Words of the request, quoted, that the answer does not take into account."""

    def to_json_dict(self) -> dict[str, Any]:
        """Return the object as `--json` prints it."""
        inner = {"hops": {"__all__": {"started_ns"}}, "artifacts": {"__all__": {"media_type"}}}
        return self.model_dump(mode="json", exclude={**inner, "understood": True})
