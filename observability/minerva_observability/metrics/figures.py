"""The answers of `Metrics`: frozen dataclasses of plain values, which JSON can show.

Durations are milliseconds by the monotonic clock. Percentiles are exact: linear between neighbours,
as numpy computes them. A figure without any data is None and not zero.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

By = Literal["agent", "node", "team", "arm", "model"]
"""What figures are grouped by."""

OLD_BYPASSES: Final = "of schema 1, which counts those that ended their run"
"""What is said of bypasses in rows of earlier versions, after their number."""

Bucket = Literal["minute", "hour", "day"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of one agent, one node of an agent, one team, one arm or one model.

    A call is a span that ran to its end: a span of the agent, the node, the team's supervisor or
    the model. For an arm, the calls are the runs that it routed. A span that paused or was skipped
    is not a call. One that waited for a person is one call, with the time of all its parts. No wait
    is in its time.
    """

    name: str
    team: str | None = None
    agent_name: str | None = None
    """On a node: the agent that it belongs to."""
    is_worker: bool | None = None
    """On an agent: True for a worker, False for a supervisor, whose time includes its members'."""
    calls: int = 0
    failures: int = 0
    """Calls that failed or timed out and in which the failure began.

    A team's failures include those of its workers.
    """
    bypasses: int = 0
    """Failures that did not end the run, each counted where it began.

    Their action is `bypassed`, `skipped`, `left_out` or `substituted`.
    """
    bypasses_of_schema_1: int = 0
    """Those in rows of schema 1, some of which did end their run."""
    retries: int = 0
    """Failed tries after which another try was made."""
    pauses: int = 0
    """The number of times that it stopped to wait for a person."""
    mean_ms: float | None = None
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    max_ms: float | None = None
    total_ms: float = 0.0
    """All its spans together, including those that paused or were skipped."""
    self_ms: float = 0.0
    """The part of `total_ms` in which no child ran."""
    share: float = 0.0
    """Its part of the self time of all spans, 0 to 1."""
    waited_ms: float = 0.0
    """How long people took to answer; no other figure includes it."""
    routing_calls: int = 0
    """The number of decisions that routers made."""
    routing_ms: float = 0.0
    routing_tokens: int = 0
    """Tokens of the models that routers asked, sent and received."""
    routing_cost: float | None = None
    routing_unpriced_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    """In `CURRENCY`; None if no call has a price."""
    unpriced_calls: int = 0
    """Calls of models of which no cost is known."""

    def to_json_dict(self) -> dict[str, Any]:
        """Return the figures that are not None."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureFigures:
    """Failures with the same cause, counted where they began; the place is the newest's."""

    agent_name: str
    team: str | None
    node: str | None
    kind: str
    status: str
    action: str | None
    """None if nothing was done about it here; the caller decided what to do."""
    error_type: str | None
    message: str | None
    """The message of the newest failure."""
    count: int
    runs: int
    """The number of runs that it occurred in."""
    last_at: datetime | None
    run_id: str
    """The run of the newest failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """The figures of all runs together."""

    runs: int = 0
    statuses: Mapping[str, int]
    """The number of runs by status, the most frequent first."""
    unfinished: int = 0
    """Runs without a `run` row: they go on, or their process was killed."""
    run_ms: float = 0.0
    run_p50_ms: float | None = None
    run_p95_ms: float | None = None
    worker_calls: int = 0
    failures: int = 0
    """Calls of workers that failed or timed out and in which the failure began."""
    failures_in_all: int = 0
    """The failures of all runs, as a list of runs counts them: of routers and unserved parts, too.
    """
    bypasses: int = 0
    """Failures that did not end their run."""
    bypasses_of_schema_1: int = 0
    """Those in rows of schema 1, some of which did end their run."""
    causes: int | None = None
    """The causes of all failures; a model that does not answer is one. None if not read."""
    runs_with_failure: int = 0
    runs_answered: int = 0
    """Those of them that still had an answer: they ended `ok` or `ok_degraded`."""
    routing_calls: int = 0
    """The number of decisions that routers made for supervisors."""
    routing_ms: float = 0.0
    routing_tokens: int = 0
    """Tokens of the models that routers asked, sent and received."""
    routing_cost: float | None = None
    routing_unpriced_calls: int = 0
    waited_ms: float = 0.0
    """How long people took to answer; no other figure includes it."""
    waits_ms: Mapping[str, float]
    """How long was waited by the reason of the wait; people's under `person`."""
    asked: int = 0
    """The number of questions to people."""
    decided: int = 0
    """The number of questions that people, or the end of their time, have decided."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    unpriced_calls: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None

    @property
    def routing_calls_per_run(self) -> float | None:
        """The mean number of decisions a run; None without runs."""
        return self.routing_calls / self.runs if self.runs else None

    @property
    def routing_ms_per_run(self) -> float | None:
        """The mean time of routing a run, milliseconds; None without runs."""
        return self.routing_ms / self.runs if self.runs else None

    @property
    def routing_share(self) -> float | None:
        """The part of the runs' time that routing took, 0 to 1; None without runs."""
        return self.routing_ms / self.run_ms if self.run_ms else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The answers to the first questions of a person on call."""

    totals: Totals
    slowest: Figures | None = None
    """The worker with the highest mean duration of calls."""
    most_called: Figures | None = None
    """The worker with the most calls."""
    bypassed: tuple[FailureFigures, ...] = ()
    """Failures that did not end their run, the most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The calls of one agent that ended in one minute, hour or day."""

    begins_at: datetime
    """The start of that minute, hour or day, UTC."""
    agent_name: str
    team: str | None
    calls: int
    failures: int
    p95_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """The number of calls that took at least `low_ms` and less than `high_ms`."""

    low_ms: float
    high_ms: float
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePart:
    """A part of an agent's time: its own code, a node, a model, a tool, its router, its members."""

    kind: str
    """As in the record; `wait` is beside its time, `members` is what no span of its own covers.

    That is below zero if spans of its own ran side by side.
    """
    name: str | None
    spans: int
    ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """One run in a list of runs."""

    run_id: str
    thread_id: str | None
    status: str | None
    """None if the run has no `run` row: it goes on, or its process was killed."""
    reason: str | None
    ended_at: datetime | None
    """When its newest span ended."""
    ms: float | None
    workers: int
    """The number of calls of workers."""
    failures: int
    bypasses: int
    routing_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    unpriced_calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """A part of the runs that match a search; `total` counts all that match."""

    runs: tuple[RunFigures, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The values that a filter can have, each list in alphabetical order."""

    teams: tuple[str, ...]
    agents: tuple[str, ...]
    arms: tuple[str, ...]
    statuses: tuple[str, ...]
    """Statuses of runs."""
    versions: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def utc(time: datetime | None) -> datetime | None:
    """Return `time`, which DuckDB gives in UTC without a zone, with the zone UTC."""
    return None if time is None else time.replace(tzinfo=UTC)
