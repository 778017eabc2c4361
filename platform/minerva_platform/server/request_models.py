"""What clients may send. What is not served is refused by its name, with a sentence."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, model_validator

from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.run_object import GivenDecision

REFUSED: Final[Mapping[str, str]] = {
    "after_seconds": "runs begin when a process is free",
    "checkpoint": "a thread goes on from its latest turn only",
    "checkpoint_during": "every step is kept before the next one",
    "checkpoint_id": "a thread goes on from its latest turn only",
    "context": "teams are configured on the server",
    "feedback_keys": "feedback is not kept",
    "interrupt_after": "what asks a person is declared by the teams",
    "interrupt_before": "what asks a person is declared by the teams",
    "langsmith_tracer": "traces are configured on the server",
    "webhook": "the server calls no addresses; join the run, or read its stream",
}
"""Fields of LangGraph's protocol that would change what the server decides: why they may not."""

MESSAGE_ID: Final = "message_id"
"""In a run's metadata: the client's id of the message, so that a graph around it knows it again."""
_MAX_ID: Final = 200
NODE: Final = "langgraph_checkpoint_ns"
"""In a run's metadata: the call of a node in a graph around it, as LangGraph names it."""
_INTERNAL: Final = "__pregel_"
"""Before what LangGraph tells itself in `configurable`."""

StreamMode = Literal["values", "updates", "messages", "messages-tuple", "custom"]
Metadata = dict[str, JsonValue]
ThreadId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
Id = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,200}$")]
"""Of a run or a question: whatever a client says, without characters that no id has."""
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Body(BaseModel):
    """A request's JSON. An unknown field is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    refused: ClassVar[Mapping[str, str]] = {}
    """Fields that are not served, and why; clients send them empty by default."""

    @model_validator(mode="before")
    @classmethod
    def _refuse(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        given = dict(cast("Mapping[str, Any]", value))
        for name, why in cls.refused.items():
            if name in given and given.pop(name):
                reason = f"`{name}` is not served: {why}"
                raise ValueError(reason)
        return given


class Uploaded(Body):
    """A file that was uploaded before, by its digest."""

    sha256: Sha256
    name: Id | None = None
    """Its name, if the same content was uploaded under several."""


class RequestInput(Body):
    """What is asked: words, or messages of which the person's last one counts."""

    request: str | None = Field(default=None, max_length=1_000_000)
    messages: list[dict[str, JsonValue]] | None = None
    attachments: list[Uploaded] = Field(default=[], max_length=100)

    @property
    def words(self) -> str:
        """The request.

        Raises:
            ValueError: there is none.
        """
        if self.request is not None:
            return self.request
        said = _last_of_a_person(self.messages or [])
        if said is not None:
            return _text_of(said.get("content"))
        reason = "say what you want: `request`, or `messages` with one of a person"
        raise ValueError(reason)

    @property
    def message_id(self) -> str | None:
        """The client's own id of the message that is the request."""
        said = _last_of_a_person(self.messages or []) if self.request is None else None
        found = said.get("id") if said is not None else None
        return found[:_MAX_ID] if isinstance(found, str) else None

    @model_validator(mode="after")
    def _has_words(self) -> "RequestInput":
        if not self.words.strip():
            reason = "the request is empty; say what you want"
            raise ValueError(reason)
        return self


def _last_of_a_person(messages: Sequence[dict[str, JsonValue]]) -> dict[str, JsonValue] | None:
    for message in reversed(messages):
        if str(message.get("type") or message.get("role")) in {"human", "user"}:
            return message
    return None


def _text_of(content: JsonValue) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    if not texts or not all(isinstance(text, str) for text in texts):
        reason = "a message's `content` is a text, or a list of parts `{type: text, text}`"
        raise ValueError(reason)
    return "\n".join(cast("list[str]", texts))


class LimitsInput(Body):
    """Limits of a run, at most the server's own."""

    hops: int | None = Field(default=None, ge=1)
    seconds: float | None = Field(default=None, gt=0)
    model_calls: int | None = Field(default=None, ge=0)
    tokens: int | None = Field(default=None, ge=1)


class Configurable(Body):
    """What `RemoteGraph` tells of the graph around it. Nothing can be configured here."""

    resumes: bool = Field(default=False, alias="__pregel_resuming")
    """The graph around it goes on: its call of this node may have come before."""
    answers: dict[Id, JsonValue] = Field(default={}, alias="__pregel_resume_map")
    """What a person answered there, by the ids of questions, of any server."""

    @model_validator(mode="before")
    @classmethod
    def _refuse(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        told = cast("Mapping[str, Any]", value)
        if any(given and not name.startswith(_INTERNAL) for name, given in told.items()):
            reason = "`configurable` is not served: teams are configured on the server"
            raise ValueError(reason)
        aliases = {field.alias for field in cls.model_fields.values()}
        return {name: given for name, given in told.items() if name in aliases}


class RunConfig(Body):
    """The part of LangGraph's config that a client may set."""

    configurable: Configurable = Configurable()
    limits: LimitsInput = LimitsInput()
    recursion_limit: int | None = Field(default=None, ge=1)
    """The same as `limits.hops`, as LangGraph's clients name it."""
    tags: list[str] = []
    """Kept in the run's metadata."""
    metadata: Metadata = {}

    def to_limits(self, own: RunLimits) -> RunLimits:
        """Return the limits of a run: the server's `own`, or lower ones."""
        wanted = self.limits
        return RunLimits(
            hops=_least(own.hops, wanted.hops, self.recursion_limit),
            seconds=min(own.seconds, wanted.seconds or own.seconds),
            model_calls=_lower(own.model_calls, wanted.model_calls),
            tokens=_least(own.tokens, wanted.tokens),
            concurrency=own.concurrency,
        )


def _least(*limits: int | None) -> int | None:
    given = [limit for limit in limits if limit is not None]
    return min(given) if given else None


def _lower(own: int, limit: int | None) -> int:
    return own if limit is None else min(own, limit)


class Command(Body):
    """The answer to what a run asks: decisions by the ids of questions, or the only one."""

    resume: JsonValue
    refused = dict.fromkeys(
        ("goto", "graph", "update"), "a run goes its own way; only its questions can be answered"
    )


class RunBody(Body):
    """A run that is to be started, or whose questions are answered."""

    assistant_id: str = Field(max_length=200)
    """The platform or a team, by its name or its id."""
    input: RequestInput | None = None
    command: Command | None = None
    config: RunConfig = RunConfig()
    metadata: Metadata = {}
    stream_mode: StreamMode | list[StreamMode] = "values"
    stream_subgraphs: bool = False
    stream_resumable: bool = True
    """Every stream is resumable."""
    multitask_strategy: Literal["enqueue", "reject"] = "enqueue"
    if_not_exists: Literal["create", "reject"] = "reject"
    on_disconnect: Literal["continue", "cancel"] = "continue"
    on_completion: Literal["keep"] = "keep"
    durability: Literal["sync"] = "sync"
    strict_resume: bool = True
    """An answer to no open question is always refused."""
    refused = REFUSED

    @model_validator(mode="after")
    def _asks_or_answers(self) -> "RunBody":
        if (self.input is None) == (self.command is None):
            reason = "give `input` to ask, or `command.resume` to answer, and one of them only"
            raise ValueError(reason)
        return self

    @property
    def modes(self) -> frozenset[StreamMode]:
        """What the stream tells."""
        given = self.stream_mode
        return frozenset([given] if isinstance(given, str) else given)

    @property
    def node_call(self) -> str | None:
        """The call of a node that a graph around it may make again; None if it is a new one."""
        resumes = self.config.configurable.resumes
        node = {**self.config.metadata, **self.metadata}.get(NODE) if resumes else None
        return node if isinstance(node, str) else None

    @property
    def kept_metadata(self) -> dict[str, Any]:
        """What is kept of what the client says about the run."""
        told: dict[str, Any] = {**self.config.metadata, **self.metadata}
        if self.config.tags:
            told["tags"] = self.config.tags
        if self.input is not None and self.input.message_id is not None:
            told[MESSAGE_ID] = self.input.message_id
        return told


class AssistantSearch(Body):
    """Which assistants are wanted."""

    graph_id: str | None = None
    name: str | None = None
    metadata: Metadata | None = None
    limit: int = Field(default=10, ge=1, le=1000)
    offset: int = Field(default=0, ge=0)
    sort_by: Literal["assistant_id", "graph_id", "name", "created_at", "updated_at"] | None = None
    sort_order: Literal["asc", "desc"] | None = None
    select: list[str] | None = None


class NewThread(Body):
    """A thread before its first run."""

    thread_id: ThreadId | None = None
    metadata: Metadata = {}
    if_exists: Literal["raise", "do_nothing"] = "raise"
    refused = {
        "supersteps": "a thread's state comes from its runs only",
        "ttl": "`minerva prune` says what goes",
    }


class ThreadChange(Body):
    """What is added to what is said about a thread."""

    metadata: Metadata


class ThreadSearchBody(Body):
    """Which threads are wanted."""

    metadata: Metadata | None = None
    ids: list[ThreadId] | None = Field(default=None, max_length=500)
    status: Literal["idle", "busy", "interrupted", "error"] | None = None
    limit: int = Field(default=10, ge=1, le=1000)
    offset: int = Field(default=0, ge=0, le=1_000_000)
    sort_by: Literal["thread_id", "status", "created_at", "updated_at"] | None = None
    sort_order: Literal["asc", "desc"] | None = None
    select: list[str] | None = None
    refused = {
        "values": "threads are found by their metadata",
        "extract": "read the thread's state",
    }


class StateBody(Body):
    """Which state of a thread is wanted: the latest, or that of one checkpoint."""

    checkpoint: dict[str, JsonValue] | None = None
    subgraphs: bool = False


class HistoryBody(Body):
    """Which states of a thread are wanted, the latest first."""

    limit: int = Field(default=10, ge=1, le=1000)
    before: Id | dict[str, JsonValue] | None = None
    metadata: Metadata | None = None
    checkpoint: dict[str, JsonValue] | None = None


class ShownDecision(Body):
    """A decision, and the digest of what the person saw when they took it."""

    shown_sha256: Sha256
    decision: dict[str, JsonValue] | Literal["approve", "reject"]


class ApprovalBody(Body):
    """Decisions about what a run asks: all of them count, or none."""

    run_id: Id
    decisions: dict[Id, ShownDecision] = Field(min_length=1, max_length=100)
    batch_id: Id | None = None
    """The same batch sent again is no second decision."""


def resume_to_decisions(resume: JsonValue, open_ids: Sequence[str]) -> dict[str, GivenDecision]:
    """Return the decisions in `command.resume`, by the ids of questions.

    Raises:
        ValueError: it is a bare value, and not just one question waits.
    """
    if isinstance(resume, dict) and resume and not {"type", "decisions"} & resume.keys():
        if not all(name.isprintable() for name in resume):
            reason = "the ids of questions have no control characters"
            raise ValueError(reason)
        return {name: _to_decision(value) for name, value in resume.items()}
    if len(open_ids) != 1:
        reason = (
            f"{len(open_ids)} questions wait: give `resume` as an object with their ids. "
            f"They are: {', '.join(open_ids) or 'none'}"
        )
        raise ValueError(reason)
    return {open_ids[0]: _to_decision(resume)}


def to_host_decision(value: JsonValue) -> GivenDecision:
    """Return what a graph around it was resumed with as a decision; what is none is an answer."""
    if isinstance(value, dict) and value.keys() & {"type", "decisions"}:
        return cast("dict[str, Any]", value)
    return {"type": "respond", "value": value}


def _to_decision(value: JsonValue) -> GivenDecision:
    """Return a decision as it is given, or a bare answer as the decision that it is."""
    return value if isinstance(value, str) else to_host_decision(value)
