"""What clients get, in the shapes of LangGraph's protocol."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from uuid import UUID, uuid5

import orjson
from pydantic import AfterValidator, BaseModel, Field, JsonValue

from minerva_platform.contract.run_object import IS_OVER, Interrupt, Run, RunStatus
from minerva_platform.contract.task import Turn
from minerva_platform.storage.ledger.run_row import KeptRun
from minerva_platform.storage.server.tenant_rows import ThreadRow, shown_id

_NAMES: Final = UUID("6f2d5a0e-6d1c-5c55-8a51-0d0d7c9f7a11")
"""The namespace of the ids of assistants."""

_COPY: Final = re.compile(r"/uploads/[0-9a-f]{64}/")
_BEFORE_PATHS: Final = " \t\n\r\"'`(<"
"""Characters after which a path begins."""
_MAX_PATH: Final = 4096
"""Characters of a path, on Linux."""

ShownThread = Annotated[str, AfterValidator(shown_id)]
SdkStatus = Literal["pending", "running", "error", "success", "timeout", "interrupted"]
_SDK_STATUSES: Final[dict[str, SdkStatus]] = {
    "queued": "pending",
    "running": "running",
    "needs_human": "interrupted",
    "ok": "success",
    "ok_degraded": "success",
    "failed": "error",
    "cancelled": "interrupted",
}
OWN_STATUSES: Final[dict[SdkStatus, tuple[RunStatus, ...]]] = {
    "pending": ("queued",),
    "running": ("running",),
    "error": ("failed",),
    "success": ("ok", "ok_degraded"),
    "timeout": ("failed",),
    "interrupted": ("needs_human", "cancelled"),
}


class AssistantAnswer(BaseModel):
    """The platform or a team, as something to ask."""

    assistant_id: str
    graph_id: str
    name: str
    description: str
    version: int = 1
    config: dict[str, Any] = {}
    context: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    created_at: str
    updated_at: str


class GraphSchemas(BaseModel):
    """JSON Schemas of what an assistant takes and gives."""

    graph_id: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    state_schema: dict[str, Any]
    config_schema: dict[str, Any]
    context_schema: dict[str, Any]


class Question(BaseModel):
    """A question of a run, as LangGraph names it."""

    id: str
    value: Any

    @classmethod
    def of(cls, asked: Interrupt) -> "Question":
        """Return a question of ours."""
        return cls(id=asked.id, value=asked.value)


class ThreadAnswer(BaseModel):
    """A thread with the state of its latest run."""

    thread_id: ShownThread
    created_at: str
    updated_at: str
    metadata: dict[str, Any]
    status: Literal["idle", "busy", "interrupted", "error"]
    values: dict[str, Any]
    interrupts: dict[str, list[Question]]


class Outcome(BaseModel):
    """How a run ended in MINERVA's own words, which say more than LangGraph's."""

    status: RunStatus
    reason: str | None


class RunAnswer(BaseModel):
    """A run."""

    run_id: str
    thread_id: ShownThread
    assistant_id: str
    created_at: str
    updated_at: str
    status: SdkStatus
    metadata: dict[str, Any]
    multitask_strategy: Literal["enqueue"] = "enqueue"
    outcome: Outcome


class Checkpoint(BaseModel):
    """The place of a state in its thread; the id is that of its run."""

    thread_id: ShownThread
    checkpoint_ns: str = ""
    checkpoint_id: str
    checkpoint_map: dict[str, Any] | None = None


class TaskAnswer(BaseModel):
    """A worker that waits for a person."""

    id: str
    name: str
    path: str
    error: str | None = None
    interrupts: list[Question]
    checkpoint: None = None
    state: None = None
    result: None = None


class StateAnswer(BaseModel):
    """The state of a thread after one of its runs."""

    values: dict[str, Any]
    next: list[str]
    tasks: list[TaskAnswer]
    checkpoint: Checkpoint
    metadata: dict[str, Any]
    created_at: str | None
    parent_checkpoint: Checkpoint | None
    interrupts: list[Question]


class AskedAnswer(BaseModel):
    """A question that waits for a person, with all that is decided about."""

    run_id: str
    thread_id: ShownThread
    assistant_id: str
    request: str
    question: Interrupt


class DecidedAnswer(BaseModel):
    """A decision that counts: who took it, when, and about what."""

    interrupt_id: str
    shown_sha256: str
    decision: dict[str, Any]
    by: str
    at: str


class ApprovalsOfRun(BaseModel):
    """What a run asked, and what was decided."""

    run_id: str
    open: list[Interrupt]
    decided: list[DecidedAnswer]


class MemberAnswer(BaseModel):
    """A member of a team."""

    name: str
    kind: Literal["team", "worker"]
    description: str
    members: list["MemberAnswer"] = Field(default=[])


class FileAnswer(BaseModel):
    """An uploaded file, by what names it in a request."""

    sha256: str
    name: str
    bytes: int


class Problem(BaseModel):
    """What went wrong (RFC 9457). `error` is a short name for programs."""

    type: str
    title: str
    status: int
    detail: str
    error: str


def assistant_id_of(root: str) -> str:
    """Return the id of the platform or a team: the same on every server."""
    return str(uuid5(_NAMES, root))


def time_text(seconds: float | None) -> str:
    """Return a time, seconds since 1970, as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds or 0.0, UTC).isoformat()


def sdk_status(status: str, reason: str | None) -> SdkStatus:
    """Return a run's status in LangGraph's words."""
    if status == "failed" and reason == "deadline":
        return "timeout"
    return _SDK_STATUSES[status]


def to_run(row: KeptRun) -> RunAnswer:
    """Return a run as clients see it."""
    return RunAnswer(
        run_id=row.run_id,
        thread_id=row.thread_id,
        assistant_id=assistant_id_of(row.root),
        created_at=time_text(row.created),
        updated_at=time_text(row.ended_at or row.created),
        status=sdk_status(row.status, row.reason),
        metadata=dict(row.metadata),
        outcome=Outcome(status=row.status, reason=row.reason),
    )


def to_values(
    row: KeptRun,
    earlier: Mapping[int, Turn],
    questions: Iterable[Interrupt],
    message_ids: Mapping[int, str],
) -> dict[str, Any]:
    """Return the values of a state: the messages so far, and the run object of its run.

    `earlier` are the turns before it, `message_ids` the clients' own ids of messages, both by the
    numbers of turns.
    """
    run = row.to_run()
    said = {**earlier, row.number: Turn(request=row.task.context, answer=run.answer)}
    messages: list[dict[str, Any]] = []
    for number, turn in said.items():
        its = f"{shown_id(row.thread_id)}-{number}"
        known = message_ids.get(number, f"{its}-human")
        messages.append({"type": "human", "content": turn.request, "id": known})
        if turn.answer:
            answer = {"type": "ai", "content": turn.answer, "id": f"{its}-ai", "name": row.root}
            messages.append(answer)
    waiting = [{"id": question.id, "value": question.value} for question in questions]
    pause = {"__interrupt__": waiting} if waiting else {}
    return {"messages": messages, **run_to_json(run), **pause}


def run_to_json(run: Run) -> dict[str, Any]:
    """Return a run object for a client: artifacts are named by their digests, not by paths."""
    told = run.to_json_dict()
    told["thread_id"] = shown_id(run.thread_id)
    for artifact in told["artifacts"]:
        artifact.pop("path", None)
    return told


def without_paths(message: dict[str, Any], home: Path) -> dict[str, Any]:
    """Return `message` without paths of a server: uploaded files have their names alone.

    The run may have worked on another host, in another home.
    """
    place = str(home.absolute())
    text = orjson.dumps(message)
    if _COPY.search(text.decode()) is None and orjson.dumps(place)[1:-1] not in text:
        return message
    return {name: _hidden(value, place) for name, value in message.items()}


def _hidden(value: JsonValue, place: str) -> JsonValue:
    match value:
        case str():
            return _plain(value).replace(place, "~")
        case list():
            return [_hidden(each, place) for each in value]
        case dict():
            return {_plain(name): _hidden(each, place) for name, each in value.items()}
        case _:
            return value


def _plain(text: str) -> str:
    """Return `text` with each path of a copy cut down to the file's name."""
    kept: list[str] = []
    end = 0
    for copy in _COPY.finditer(text):
        before = text[max(end, copy.start() - _MAX_PATH) : copy.start()]
        begins = max(before.rfind(each) for each in _BEFORE_PATHS) + 1
        kept.append(text[end : copy.start() - len(before) + begins])
        end = copy.end()
    return "".join((*kept, text[end:]))


def to_state(
    row: KeptRun, values: dict[str, Any], questions: Sequence[Interrupt], parent: str | None
) -> StateAnswer:
    """Return the state of a thread after a run."""
    asked = [Question.of(question) for question in questions]
    tasks = [
        TaskAnswer(
            id=question.id,
            name=question.path.rpartition("/")[2] or row.root,
            path=question.path,
            interrupts=[Question.of(question)],
        )
        for question in questions
    ]
    is_open = row.status not in IS_OVER
    return StateAnswer(
        values=values,
        next=[task.name for task in tasks] or ([row.root] if is_open else []),
        tasks=tasks,
        checkpoint=Checkpoint(thread_id=row.thread_id, checkpoint_id=row.run_id),
        metadata={**row.metadata, "run_id": row.run_id, "step": row.number, "source": "loop"},
        created_at=time_text(row.ended_at or row.created),
        parent_checkpoint=(
            Checkpoint(thread_id=row.thread_id, checkpoint_id=parent) if parent else None
        ),
        interrupts=asked,
    )


def to_thread(
    row: ThreadRow, values: dict[str, Any], questions: Sequence[Interrupt]
) -> ThreadAnswer:
    """Return a thread as clients see it."""
    return ThreadAnswer(
        thread_id=row.thread_id,
        created_at=time_text(row.created),
        updated_at=time_text(row.updated),
        metadata=dict(row.metadata),
        status=row.status,
        values=values,
        interrupts={question.id: [Question.of(question)] for question in questions},
    )
