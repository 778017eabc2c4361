"""What the questions about records are answered with: plain, frozen, ready to be shown as JSON.

Milliseconds are by the monotonic clock, percentiles are exact (linear between neighbours, as
numpy has them), and a figure that has nothing to stand on is None, not zero.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

By = Literal["agent", "node", "team", "arm", "model"]
"""What figures are grouped by."""

Bucket = Literal["minute", "hour", "day"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One agent, one node of an agent, one team, one arm or one model.

    Calls are spans that ran to an end: of an agent, of a node, of a team's supervisor, of a model;
    for an arm, the runs it routed. Those that paused or were skipped are not among them.
    """

    name: str
    team: str | None = None
    agent_name: str | None = None
    """Whose node it is."""
    is_worker: bool | None = None
    """Of an agent: a worker, or else a supervisor, whose time holds that of its members."""
    calls: int = 0
    failures: int = 0
    """Calls that failed or timed out, and not because others did; a team's workers are in it."""
    bypasses: int = 0
    """Failures that the run went on without (`bypassed`, `skipped`, `left_out`), or with another's
    help (`substituted`); one that follows from another counts there."""
    retries: int = 0
    """Tries that failed and were made again."""
    pauses: int = 0
    """Times it stopped to wait for a person."""
    mean_ms: float | None = None
    p50_ms: float | None = None
    p95_ms: float | None = None
    p99_ms: float | None = None
    max_ms: float | None = None
    total_ms: float = 0.0
    """All calls together, with those that paused or were called off."""
    self_ms: float = 0.0
    """The part of it in which nothing below ran; at most `total_ms`."""
    share: float = 0.0
    """Its part of all self time, 0 to 1."""
    waited_ms: float = 0.0
    """How long persons took to answer; in no other figure."""
    routing_calls: int = 0
    """How often a router was asked."""
    routing_ms: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    """In the currency of the price list; None if no call was priced."""

    def to_json_dict(self) -> dict[str, Any]:
        """Return the figures without those that are None."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureFigures:
    """Failures of the same kind at the same place, where they began."""

    agent_name: str
    team: str | None
    node: str | None
    kind: str
    status: str
    action: str | None
    """None: it was not bypassed here; what called it decided."""
    error_type: str | None
    message: str | None
    """The newest one."""
    count: int
    last_at: datetime | None
    run_id: str
    """Of the newest one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """All runs together."""

    runs: int = 0
    statuses: Mapping[str, int]
    """Runs by how they ended."""
    unfinished: int = 0
    """Runs without an end: they go on, or their process was killed."""
    run_ms: float = 0.0
    run_p50_ms: float | None = None
    run_p95_ms: float | None = None
    worker_calls: int = 0
    failures: int = 0
    """Calls of workers that failed or timed out."""
    bypasses: int = 0
    """Failures that a run went on without, or with another's help."""
    routing_calls: int = 0
    """How often supervisors asked their routers."""
    routing_ms: float = 0.0
    waited_ms: float = 0.0
    """How long persons took to answer; in no other figure."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    first_at: datetime | None = None
    last_at: datetime | None = None

    @property
    def routing_calls_per_run(self) -> float | None:
        """Return the mean, or None without runs."""
        return self.routing_calls / self.runs if self.runs else None

    @property
    def routing_ms_per_run(self) -> float | None:
        """Return the mean, or None without runs."""
        return self.routing_ms / self.runs if self.runs else None

    @property
    def routing_share(self) -> float | None:
        """Return the part of the runs' time that routing took, 0 to 1."""
        return self.routing_ms / self.run_ms if self.run_ms else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What somebody on call wants to know first."""

    totals: Totals
    slowest: Figures | None = None
    """The worker whose calls take longest on average."""
    most_called: Figures | None = None
    """The worker that is called most."""
    bypassed: tuple[FailureFigures, ...] = ()
    """Failures that the runs went on without, or with another's help, most frequent first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Calls of one agent that ended in one minute, hour or day."""

    begins_at: datetime
    """UTC."""
    agent_name: str
    team: str | None
    calls: int
    failures: int
    p95_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Calls that took from `low_ms` to below `high_ms`."""

    low_ms: float
    high_ms: float
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """One run in a list of runs."""

    run_id: str
    thread_id: str | None
    status: str | None
    """None: it goes on, or its process was killed."""
    reason: str | None
    ended_at: datetime | None
    """Of a run without an end, when its newest span ended."""
    ms: float | None
    workers: int
    """Calls of workers."""
    failures: int
    bypasses: int
    routing_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """Some of the runs that were asked for, and how many there are."""

    runs: tuple[RunFigures, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What can be filtered by, each in alphabetical order."""

    teams: tuple[str, ...]
    agents: tuple[str, ...]
    arms: tuple[str, ...]
    statuses: tuple[str, ...]
    """Of runs."""


def utc(time: datetime | None) -> datetime | None:
    """Return a time of DuckDB's, which has no zone, with the one it is in."""
    return None if time is None else time.replace(tzinfo=UTC)
