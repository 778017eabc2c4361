"""What is kept of a span that ended: schema 1.

One `Record` is one line of `runs.jsonl` and one OpenTelemetry span, with the
same fields, so that no two views of a run can disagree. A field that does not
apply is absent from the line, never null. `row_to_record` is the way back.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, Literal, NotRequired, Required, TypedDict, cast

SCHEMA: Final = 1
"""Raised when a field changes its meaning; a new field does not raise it."""

Kind = Literal["run", "route", "agent", "node", "model", "tool", "pause"]
"""What a span measured."""

Status = Literal["ok", "failed", "timeout", "paused", "skipped", "ok_degraded", "needs_human"]
"""How it ended; the last two only on `run` rows. A pause is not a failure."""

Action = Literal["retried", "substituted", "bypassed", "skipped", "left_out", "stopped"]
"""What was done about a failure: tried again, another helped, gone on without, not even called,
a part given up before it began, or the run or visit ended."""


class ErrorRow(TypedDict):
    """The class and the masked message of what went wrong, and where in somebody's code."""

    type: str
    message: str
    where: NotRequired[str]
    """`package/module.py:88, in read`; absent where no such place is known."""


class CommonFields(TypedDict, total=False):
    """What the owner of a span tells and every reader finds again in the row."""

    team: str
    agent_name: str
    node: str
    reason: str
    attempt: int
    """1 for the first try."""
    router: str
    arm: str
    decision: Mapping[str, Any]
    """On route rows: goals, scores, runner_up, margin."""
    model: str
    prompt_tokens: int
    completion_tokens: int
    cost: float
    """In the currency of the configured price list."""
    action: Action
    error: ErrorRow
    because_of: str
    """Path of the failure that this one follows from; absent where it began."""
    waited_ms: float
    """On pause rows: how long a person took."""
    request_sha256: str


class SpanFields(CommonFields, total=False):
    """What the owner of a span may tell about it, at any time before it closes."""

    status: Status
    """`ok` unless told otherwise, or an exception passes through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One finished span. Text in it is masked before any sink sees it."""

    started_ns: int
    """Wall clock at the start, nanoseconds since 1970, UTC."""
    duration_ns: int
    """By the monotonic clock, so a clock that is set back cannot make it negative."""
    self_ns: int
    """The duration without the time in which at least one child ran."""
    run_id: str
    """32 hexadecimal digits, also the OpenTelemetry trace id."""
    span_id: str
    """16 hexadecimal digits."""
    path: str
    """The hop path: `platform/data/retrieval_agent`, a second call `…#2`."""
    kind: Kind
    status: Status
    thread_id: str | None = None
    parent_id: str | None = None
    resume_no: int | None = None
    """How many times the run was resumed before this span, absent before the first."""
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
    error: ErrorRow | None = None
    because_of: str | None = None
    waited_ms: float | None = None
    request_sha256: str | None = None

    @property
    def ms(self) -> float:
        """Duration in milliseconds, to the microsecond."""
        return round(self.duration_ns / 1e6, 3)

    @property
    def self_ms(self) -> float:
        """Self time in milliseconds, to the microsecond."""
        return round(self.self_ns / 1e6, 3)

    @property
    def started_at(self) -> str:
        """Start as ISO 8601, UTC, milliseconds: `2025-01-31T09:00:00.000Z`."""
        return ns_to_timestamp(self.started_ns)

    @property
    def timestamp(self) -> str:
        """End, in the same form: the start plus the duration."""
        return ns_to_timestamp(self.started_ns + self.duration_ns)

    def to_json_dict(self) -> "RecordRow":
        """Return the row as it stands in `runs.jsonl`, without the absent fields."""
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
    """A line of `runs.jsonl`, as readers get it. Keys of later versions may be there too."""

    schema: Required[int]
    timestamp: str
    started_at: str
    ms: Required[float]
    self_ms: float
    run_id: Required[str]
    thread_id: str
    span_id: Required[str]
    parent_id: str
    path: Required[str]
    kind: Required[Kind]
    status: Required[Status]
    resume_no: int


_WRITTEN: Final = tuple(
    field.name
    for field in fields(Record)
    if field.name not in {"started_ns", "duration_ns", "self_ns"}
)
_values = attrgetter(*_WRITTEN)


@lru_cache(maxsize=8)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def ns_to_timestamp(ns: int) -> str:
    """Return nanoseconds since 1970 as ISO 8601 in UTC, cut to milliseconds."""
    seconds, rest = divmod(ns, 1_000_000_000)
    return f"{_second(seconds)}.{rest // 1_000_000:03d}Z"


def row_to_record(row: RecordRow) -> Record:
    """Return the record that `row` was written from, to the microsecond and its start to the ms.

    Keys of later versions are left out. A row that lacks its start (older or foreign) began at 0.

    Raises:
        ValueError: its start is no time.
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
