"""How spans are grouped by agent, node, team, model or arm, and which spans are calls of a group.

SQL counts the spans of a group by kind, status and action. This module computes the figures of the
group from these counts.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from minerva_observability.metrics.figures import By, Figures
from minerva_observability.metrics.span_filter import SpanFilter
from minerva_observability.records.record import FAILURES, GONE_ON

ENDED: Final = "status NOT IN ('paused', 'needs_human', 'skipped')"
FAILED: Final = f"status IN {FAILURES}"
IS_ROOT: Final = "because_of IS NULL"
"""True if a failure began in this row. One that follows from another is counted with that one."""
BYPASSED: Final = f"action IN {GONE_ON} AND {IS_ROOT}"
"""True on one row of each failure that the run went on without."""
FAILURE: Final = f"{IS_ROOT} AND (action IS NOT NULL OR ({FAILED} AND kind IN ('agent', 'run')))"
"""True on one row of each failure. Its nodes, models and tools have rows with details."""
CAUSE: Final = """CASE WHEN error_type IN ('ModelUnavailableError', 'ModelTimeoutError')
    THEN concat('model ', regexp_extract(error_message, '`([^`]*)`', 1))
    ELSE concat(error_type, ' ', regexp_replace(error_message, '`[^`]*`|[0-9]+', '', 'g')) END"""
"""What failures with the same cause have in common: the model that does not answer; or else the
class and the message, without the names and numbers in it."""

WORKER_CALL: Final = f"kind = 'agent' AND is_worker AND {ENDED}"
PAUSED: Final = ("paused", "needs_human")
NOT_ENDED: Final = (*PAUSED, "skipped")

Part = dict[str, Any]
"""Spans of one group with the same kind, status and action, counted and summed."""

SPANS: Final[Mapping[By, str]] = {
    "agent": "kind IN ('agent', 'run')",
    "node": "kind = 'node'",
    "team": "kind IN ('agent', 'run') AND NOT is_worker",
    "model": "kind = 'model'",
    "arm": "kind = 'run'",
}
"""The condition on the spans that are calls of a group."""
KEYS: Final[Mapping[By, Mapping[str, str]]] = {
    "agent": {"name": "agent_name", "team": "team"},
    "node": {"name": "node", "agent_name": "agent_name", "team": "team"},
    "team": {"name": "team"},
    "model": {"name": "model"},
    "arm": {"name": "arm_of_run"},
}
"""The fields that name a group, each with the column that it comes from."""
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
_BASE: Final = (
    *("run", "team", "is_worker", "action", "because_of", "self_ms", "idle_ms", "took_ms"),
    *("schema", "router"),
)
_TOKENS: Final = ("prompt_tokens", "completion_tokens", "cost")
_COLUMNS: Final[Mapping[By, tuple[str, ...]]] = {
    "agent": (),
    "node": ("node",),
    "team": (),
    "model": ("model", *_TOKENS),
    "arm": ("arm", *_TOKENS),
}
UNPRICED: Final = "kind = 'model' AND cost IS NULL"
"""True on a row of a model call of which no cost is known."""
SUMS: Final = ("idle_ms", "waited_ms", *_TOKENS)
"""Columns that are summed. One that the store does not have is left out, so its sum is zero."""


def columns_for(by: By, where: SpanFilter) -> tuple[str, ...]:
    """Return the columns that a store needs for `Metrics.figures` and `Metrics.totals`."""
    return (*_BASE, *_COLUMNS[by], *where.columns())


def source_of(by: By) -> str:
    """Return the `FROM` clause for the spans of a grouping."""
    return f"spans {_ARM_OF_RUN}" if by == "arm" else "spans"


def figures_of(
    by: By, parts: Sequence[Part], quantiles: Sequence[float] | None, whole_ms: float
) -> Figures:
    """Return the figures of one group.

    `quantiles` are p50, p95 and p99 in milliseconds. `whole_ms` is the self time of all groups.
    """
    own = [part for part in parts if _is_own(by, part)]
    calls = [part for part in own if part["status"] not in NOT_ENDED]
    p50, p95, p99 = quantiles or (None, None, None)
    count, self_ms = sum_of(calls, "spans"), sum_of(parts, "self_ms")
    total_ms = sum_of(own, "ms") - sum_of(own, "idle_ms")
    return Figures(
        **{name: parts[0][name] for name in KEYS[by]},
        is_worker=any(part["is_worker"] for part in own) if by == "agent" else None,
        calls=count,
        failures=_failures_of(by, parts, calls),
        retries=sum_of((part for part in parts if part["action"] == "retried"), "spans"),
        pauses=sum_of((part for part in own if part["status"] in PAUSED), "spans"),
        mean_ms=sum_of(calls, "took_ms") / count if count else None,
        p50_ms=p50,
        p95_ms=p95,
        p99_ms=p99,
        max_ms=max((part["max_ms"] for part in calls), default=None),
        total_ms=total_ms,
        self_ms=min(self_ms, total_ms),  # nodes may run side by side
        share=self_ms / whole_ms if whole_ms else 0.0,
        **common_figures(parts),
    )


def common_figures(parts: Sequence[Part]) -> dict[str, Any]:
    """Return what a group's figures and those of all runs both have, by the names of the fields."""
    routes = [part for part in parts if part["kind"] == "route"]
    of_routers = [part for part in parts if part["is_asked_by_router"]]
    return {
        "bypasses": bypasses_in(parts),
        "bypasses_of_schema_1": bypasses_in(part for part in parts if part["is_of_schema_1"]),
        "waited_ms": sum_of(parts, "waited_ms"),
        "routing_calls": sum_of(routes, "spans"),
        "routing_ms": sum_of(routes, "ms"),
        "routing_tokens": sum_of(of_routers, "prompt_tokens")
        + sum_of(of_routers, "completion_tokens"),
        "routing_cost": sum_known(part.get("cost") for part in of_routers),
        "routing_unpriced_calls": sum_of(of_routers, "unpriced_calls"),
        "prompt_tokens": sum_of(parts, "prompt_tokens"),
        "completion_tokens": sum_of(parts, "completion_tokens"),
        "cost": sum_known(part.get("cost") for part in parts),
        "unpriced_calls": sum_of(parts, "unpriced_calls"),
    }


def _is_own(by: By, part: Part) -> bool:
    """True if the spans are calls of their group; `SPANS` has the same rule in SQL."""
    kind: str = part["kind"]
    if by in {"agent", "team"}:
        return kind in {"agent", "run"} and (by == "agent" or not part["is_worker"])
    return kind == ("run" if by == "arm" else by)


def _failures_of(by: By, parts: Sequence[Part], calls: Sequence[Part]) -> int:
    """Return the number of failures that began in a group; for an arm, of runs that failed."""
    if by == "arm":
        return int(sum_of((part for part in calls if part["status"] in FAILURES), "spans"))
    if by == "team":  # failures of its workers count as well
        return failures_in(part for part in parts if part["kind"] in {"agent", "run"})
    return failures_in(calls)


def failures_in(parts: Iterable[Part]) -> int:
    """Return the number of spans that failed or timed out, and in which the failure began."""
    return int(
        sum_of((part for part in parts if part["is_root"] and part["status"] in FAILURES), "spans")
    )


def bypasses_in(parts: Iterable[Part]) -> int:
    """Return the number of bypassed failures, each counted where it began."""
    return int(
        sum_of((part for part in parts if part["is_root"] and part["action"] in GONE_ON), "spans")
    )


def sum_of(parts: Iterable[Part], name: str) -> Any:
    """Return the sum of the field `name` over all parts; a missing value counts as 0."""
    return sum(part.get(name) or 0 for part in parts)


def sum_known(values: Iterable[float | None]) -> float | None:
    """Return the sum of the values that are not None; None if there is no such value."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
