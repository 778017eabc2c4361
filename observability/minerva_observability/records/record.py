"""The record of a span that ended, schema 2.

One `Record` is one line of `runs.jsonl` and one OpenTelemetry span with the same fields, so no two
views of a run can disagree. A field that does not apply is absent from the line; it is never null.
`row_to_record` turns a line back into a `Record`.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple, NotRequired, Required, TypedDict, cast

SCHEMA: Final = 2
"""Grows by one when a field changes its meaning. A new field does not change it.

Rows of schema 1 say `bypassed`, `substituted`, `skipped` or `left_out` even if their run failed.
"""

Kind = Literal[
    "run",
    "route",
    "agent",
    "node",
    "model",
    "tool",
    "pause",
    "decision",
    "progress",
    "wait",
    "start",
]
"""What the span measured. `pause` (a question to a person), `decision`, `progress` are moments.

In a `wait` nobody works. A `start` begins a background run, and is no call of its member.
"""

WaitReason = Literal["place", "queue", "lease", "process", "server", "person"]
"""What a `wait` is for.

`place`: others of the run work. `queue`: a process is to take the run up. `lease`: another run
works in the thread. `process`, `server`: the process of an isolated worker or a server of tools
starts, or is in use. `person`: a question is to be decided.
"""

Status = Literal["ok", "failed", "timeout", "paused", "skipped", "ok_degraded", "needs_human"]
"""How the span ended. The last two occur on `run` rows only. `paused` is not a failure."""

Action = Literal["retried", "substituted", "bypassed", "skipped", "left_out", "stopped"]
"""What was done about a failure.

`retried`: another try was made. `substituted`: another member, router or core took over.
`bypassed`: the run went on without it. `skipped`: the member was not called. `left_out`: a team, a
hand-off or a part of the request was given up before it began. `stopped`: the run or visit ended.
"""

GONE_ON: Final[tuple[Action, ...]] = ("bypassed", "substituted", "skipped", "left_out")
"""The actions after which a run went on. They are known when it ends, not before."""
CURRENCY: Final = "USD"
"""The currency of all costs; price lists are in it."""
FAILURES: Final = ("failed", "timeout")
"""The statuses of a span that failed."""


RunPart = tuple[str, int | None]
"""A run's id, and how often a process had gone on with it."""


class ErrorRow(TypedDict):
    """The class of an error, its masked message, and the place in the code that raised it."""

    type: str
    message: str
    where: NotRequired[str]
    """`package/module.py:88, in read`; absent if the place is not known."""


class CommonFields(TypedDict, total=False):
    """Fields that the owner of a span sets and that stand unchanged in its row."""

    team: str
    agent_name: str
    node: str
    reason: str
    attempt: int
    """1 for the first try."""
    router: str
    arm: str
    decision: Mapping[str, Any]
    """On `route` rows: `goals`, `scores`, `runner_up`, `margin`, `unserved`.

    On `decision` rows: `type` and `by`, never the value that a person gave.

    On `agent` rows of a network: `transfers`, each with `to` and the names of what was `dropped`.

    On `progress` rows: `done`, `of` and `text`, as the worker said them.

    On `agent` rows of workers: `effects`, each with `name`, `key` and `outcome`.
    """
    model: str
    prompt_tokens: int
    completion_tokens: int
    cost: float
    """In `CURRENCY`. On a `model` row without it the price is not known."""
    action: Action
    substitute: str
    """Who took over: a member, a router, or the worker that does without a model."""
    error: ErrorRow
    because_of: str
    """Path of the failure that this one follows from; absent where it began."""
    waited_ms: float
    """On `decision` rows (of earlier versions: `pause`): how long a person took, milliseconds."""
    interrupt_id: str
    """On `pause` and `decision` rows: the id of the question."""
    role: str
    """On `agent` rows: why it was called, such as `preparation` (early) or `approval` (last)."""
    background: str
    """On `start` rows (of earlier versions: `agent`): the run that was started."""
    started_by: str
    """On `run` rows of a background run: the run that started it."""
    request_sha256: str
    versions: Mapping[str, str]
    """On `run` rows: what the platform and each team were installed from, by name:
    `{"platform": "minerva-platform 0.1.0", "data": "minerva-team-data 0.1.0"}`."""
    host: str
    """On `run` rows: the machine that this part of the run was done on."""
    pid: int
    """On `run` rows: the id of the process that did it."""


class SpanFields(CommonFields, total=False):
    """Fields that the owner of a span may set at any time before it ends."""

    status: Status
    """`ok` unless the owner sets another, or an exception passes through the span."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One span that ended. Its text is masked before a sink sees it."""

    started_ns: int
    """The start by the wall clock, nanoseconds since 1970, UTC."""
    duration_ns: int
    """By the monotonic clock, so a wall clock that is set back cannot make it negative."""
    self_ns: int
    """The part of the duration in which no child ran and no enclosing span had ended."""
    run_id: str
    """32 hexadecimal digits, also the OpenTelemetry trace id unless there is a `traceparent`."""
    span_id: str
    """16 hexadecimal digits."""
    path: str
    """The hop path: `platform/data/retrieval_agent`, for a second call `…#2`."""
    kind: Kind
    status: Status
    thread_id: str | None = None
    parent_id: str | None = None
    resume_no: int | None = None
    """How often the run was resumed before this span; None before the first time."""
    traceparent: str | None = None
    """The W3C header of the span that called the run; None if nobody's did."""
    versions: Mapping[str, str] | None = None
    host: str | None = None
    pid: int | None = None
    team: str | None = None
    agent_name: str | None = None
    node: str | None = None
    reason: str | None = None
    attempt: int | None = None
    router: str | None = None
    arm: str | None = None
    decision: Mapping[str, Any] | None = None
    model: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    action: Action | None = None
    substitute: str | None = None
    error: ErrorRow | None = None
    because_of: str | None = None
    waited_ms: float | None = None
    interrupt_id: str | None = None
    role: str | None = None
    background: str | None = None
    started_by: str | None = None
    idle_ms: float | None = None
    """The part of the duration in which it and all below it only waited; None: no time."""
    took_ms: float | None = None
    """What the call took, in all its parts and without waits; None: its duration."""
    request_sha256: str | None = None

    @property
    def ms(self) -> float:
        """The duration in milliseconds, to the microsecond."""
        return round(self.duration_ns / 1e6, 3)

    @property
    def self_ms(self) -> float:
        """The self time in milliseconds, to the microsecond."""
        return round(self.self_ns / 1e6, 3)

    @property
    def started_at(self) -> str:
        """The start as ISO 8601, UTC, milliseconds: `2025-01-31T09:00:00.000Z`."""
        return ns_to_timestamp(self.started_ns)

    @property
    def timestamp(self) -> str:
        """The end in the same form: the start plus the duration."""
        return ns_to_timestamp(self.started_ns + self.duration_ns)

    def to_json_dict(self) -> "RecordRow":
        """Return the row that `runs.jsonl` holds; fields that are None are absent."""
        row: dict[str, Any] = {
            "schema": SCHEMA,
            "timestamp": self.timestamp,
            "started_at": self.started_at,
            "ms": self.ms,
            "self_ms": self.self_ms,
        }
        present = zip(_WRITTEN, _values(self), strict=True)
        row.update({name: value for name, value in present if value is not None})
        return cast("RecordRow", row)


class RecordRow(CommonFields, total=False):
    """A line of `runs.jsonl` as readers get it. It may hold keys of later versions."""

    schema: Required[int]
    timestamp: str
    started_at: str
    ms: Required[float]
    self_ms: float
    idle_ms: float
    took_ms: float
    run_id: Required[str]
    thread_id: str
    span_id: Required[str]
    parent_id: str
    path: Required[str]
    kind: Required[Kind]
    status: Required[Status]
    resume_no: int
    traceparent: str


_WRITTEN: Final = tuple(
    field.name
    for field in fields(Record)
    if field.name not in {"started_ns", "duration_ns", "self_ns"}
)
_values = attrgetter(*_WRITTEN)


def without_verdict(record: Record) -> Record:
    """Return the record as it can be shown before its run ends: without an action of `GONE_ON`."""
    return replace(record, action=None) if record.action in GONE_ON else record


@lru_cache(maxsize=8)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def ns_to_timestamp(ns: int) -> str:
    """Return `ns` (nanoseconds since 1970) as ISO 8601 in UTC, cut to milliseconds."""
    seconds, rest = divmod(ns, 1_000_000_000)
    return f"{_second(seconds)}.{rest // 1_000_000:03d}Z"


class StartedIds(NamedTuple):
    """The ids of the two spans by which a background run and the run that started it are linked."""

    start: str
    run: str


def started_ids(run_id: str) -> StartedIds:
    """Return the ids of the span that started the run `run_id`, and of the run's first own span."""
    return StartedIds(run_id[16:], run_id[:16])


def called_name(path: str) -> str:
    """Return the name of the last call of a path, without the number of its visit."""
    return path.rpartition("/")[2].partition("#")[0]


def row_to_record(row: RecordRow) -> Record:
    """Return the record that `row` was written from.

    Durations are exact to the microsecond, the start to the millisecond. Keys of later versions
    are left out. A row without `started_at` (older or foreign) gets 1970 as its start.

    Raises:
        ValueError: `started_at` is not a time.
    """
    started_at = row.get("started_at")
    began = datetime.fromisoformat(started_at).timestamp() if started_at else 0
    known = cast("dict[str, Any]", {name: row[name] for name in _WRITTEN if name in row})  # type: ignore[literal-required]  # by their names
    return Record(
        started_ns=round(began * 1_000) * 1_000_000,
        duration_ns=round(row["ms"] * 1e6),
        self_ns=round(row.get("self_ms", row["ms"]) * 1e6),
        **known,
    )
