"""How spans are put into groups: agents, nodes, teams, models and arms, and what is a call of each.

A statement counts the spans of a group by how they ended; what follows from that is added up here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from minerva_observability.metrics.figures import By, Figures
from minerva_observability.metrics.span_filter import SpanFilter

ENDED: Final = "status NOT IN ('paused', 'needs_human', 'skipped')"
FAILED: Final = "status IN ('failed', 'timeout')"
IS_ROOT: Final = "because_of IS NULL"
"""Whether a failure began here: one that follows from another counts there."""
BYPASSED: Final = f"action IN ('bypassed', 'substituted', 'skipped', 'left_out') AND {IS_ROOT}"
FAILURE: Final = f"{IS_ROOT} AND (action IS NOT NULL OR ({FAILED} AND kind IN ('agent', 'run')))"
"""A failure, once: the nodes, models and tools in which it arose tell more about it."""

WORKER_CALL: Final = f"kind = 'agent' AND is_worker AND {ENDED}"
PAUSED: Final = ("paused", "needs_human")
NOT_ENDED: Final = (*PAUSED, "skipped")
FAILURES: Final = ("failed", "timeout")
GONE_ON: Final = ("bypassed", "substituted", "skipped", "left_out")

Part = dict[str, Any]
"""Spans of one group that ended alike."""

SPANS: Final[Mapping[By, str]] = {
    "agent": "kind IN ('agent', 'run')",
    "node": "kind = 'node'",
    "team": "kind IN ('agent', 'run') AND NOT is_worker",
    "model": "kind = 'model'",
    "arm": "kind = 'run'",
}
"""Which spans are a group's calls."""
KEYS: Final[Mapping[By, Mapping[str, str]]] = {
    "agent": {"name": "agent_name", "team": "team"},
    "node": {"name": "node", "agent_name": "agent_name", "team": "team"},
    "team": {"name": "team"},
    "model": {"name": "model"},
    "arm": {"name": "arm_of_run"},
}
"""What names a group, and the columns it is made of."""
MEMBERS: Final[Mapping[By, str]] = {
    "agent": "agent_name IS NOT NULL",
    "node": "kind = 'node' AND node IS NOT NULL",
    "team": "team IS NOT NULL",
    "model": "kind = 'model' AND model IS NOT NULL",
    "arm": "true",
}
_ARM_OF_RUN: Final = (
    "JOIN (SELECT DISTINCT run, arm AS arm_of_run FROM spans WHERE arm IS NOT NULL) USING (run)"
)
_BASE: Final = ("run", "team", "is_worker", "action", "because_of", "self_ms")
_TOKENS: Final = ("prompt_tokens", "completion_tokens", "cost")
_COLUMNS: Final[Mapping[By, tuple[str, ...]]] = {
    "agent": (),
    "node": ("node",),
    "team": (),
    "model": ("model", *_TOKENS),
    "arm": ("arm", *_TOKENS),
}
SUMS: Final = ("waited_ms", *_TOKENS)
"""Left out, and so zero, where a store was told to read fewer columns."""


def columns_for(by: By, where: SpanFilter) -> tuple[str, ...]:
    """Return the columns that a store needs for `Metrics.figures` and `Metrics.totals`."""
    return (*_BASE, *_COLUMNS[by], *where.columns())


def source_of(by: By) -> str:
    """Return what the spans of a grouping are selected from."""
    return f"spans {_ARM_OF_RUN}" if by == "arm" else "spans"


def figures_of(
    by: By, parts: Sequence[Part], quantiles: Sequence[float] | None, whole_ms: float
) -> Figures:
    """Return the figures of one group."""
    own = [part for part in parts if _is_own(by, part)]
    calls = [part for part in own if part["status"] not in NOT_ENDED]
    routes = [part for part in parts if part["kind"] == "route"]
    p50, p95, p99 = quantiles or (None, None, None)
    count, total_ms, self_ms = sum_of(calls, "spans"), sum_of(own, "ms"), sum_of(parts, "self_ms")
    return Figures(
        **{name: parts[0][name] for name in KEYS[by]},
        is_worker=any(part["is_worker"] for part in own) if by == "agent" else None,
        calls=count,
        failures=_failures_of(by, parts, calls),
        bypasses=bypasses_in(parts),
        retries=sum_of((part for part in parts if part["action"] == "retried"), "spans"),
        pauses=sum_of((part for part in own if part["status"] in PAUSED), "spans"),
        mean_ms=sum_of(calls, "ms") / count if count else None,
        p50_ms=p50,
        p95_ms=p95,
        p99_ms=p99,
        max_ms=max((part["max_ms"] for part in calls), default=None),
        total_ms=total_ms,
        self_ms=min(self_ms, total_ms),  # nodes may run side by side
        share=self_ms / whole_ms if whole_ms else 0.0,
        waited_ms=sum_of(parts, "waited_ms"),
        routing_calls=sum_of(routes, "spans"),
        routing_ms=sum_of(routes, "ms"),
        prompt_tokens=sum_of(parts, "prompt_tokens"),
        completion_tokens=sum_of(parts, "completion_tokens"),
        cost=sum_known(part.get("cost") for part in parts),
    )


def _is_own(by: By, part: Part) -> bool:
    """Tell whether spans are calls of their group, as `SPANS` says it in SQL."""
    kind: str = part["kind"]
    if by in {"agent", "team"}:
        return kind in {"agent", "run"} and (by == "agent" or not part["is_worker"])
    return kind == ("run" if by == "arm" else by)


def _failures_of(by: By, parts: Sequence[Part], calls: Sequence[Part]) -> int:
    """Return how many failures began in a group; an arm's are its runs that failed."""
    if by == "arm":
        return int(sum_of((part for part in calls if part["status"] in FAILURES), "spans"))
    if by == "team":  # its workers are in it
        return failures_in(part for part in parts if part["kind"] in {"agent", "run"})
    return failures_in(calls)


def failures_in(parts: Iterable[Part]) -> int:
    """Count the spans that failed or timed out, and not because others did."""
    return int(
        sum_of((part for part in parts if part["is_root"] and part["status"] in FAILURES), "spans")
    )


def bypasses_in(parts: Iterable[Part]) -> int:
    """Count the failures that a run went on without, each where it began."""
    return int(
        sum_of((part for part in parts if part["is_root"] and part["action"] in GONE_ON), "spans")
    )


def sum_of(parts: Iterable[Part], name: str) -> Any:
    """Add up a number of each part, where it has one."""
    return sum(part.get(name) or 0 for part in parts)


def sum_known(values: Iterable[float | None]) -> float | None:
    """Add up what is known; None if nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
