"""The questions that a log of runs is asked: who is slow, who is called, what routing costs.

Each is one statement over the view `spans` of a `Store`, so that a page, a table and a test get
their figures from the same place.
"""

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final, Literal

from minerva_observability.figures import (
    Bin,
    Bucket,
    By,
    Choices,
    FailureFigures,
    Figures,
    Moment,
    Overview,
    RunFigures,
    RunPage,
    Totals,
)
from minerva_observability.span_filter import SpanFilter
from minerva_observability.store import Store

_ENDED: Final = "status NOT IN ('paused', 'skipped')"
_FAILED: Final = "status IN ('failed', 'timeout')"
_BYPASSED: Final = "action IN ('bypassed', 'substituted')"

_WORKER_CALL: Final = f"kind = 'agent' AND is_worker AND {_ENDED}"
_GONE_ON: Final = ("bypassed", "substituted")

_SPANS: Final[Mapping[By, str]] = {
    "agent": "kind IN ('agent', 'run')",
    "node": "kind = 'node'",
    "team": "kind IN ('agent', 'run') AND NOT is_worker",
    "model": "kind = 'model'",
    "arm": "kind = 'run'",
}
"""Which spans are a group's calls."""
_GROUPS: Final[Mapping[By, tuple[str, str]]] = {
    "agent": ("agent_name AS name, team, max(is_worker) AS is_worker", "agent_name, team"),
    "node": ("node AS name, agent_name, team", "node, agent_name, team"),
    "team": ("team AS name, team", "team"),
    "model": ("model AS name", "model"),
    "arm": ("group_arm AS name", "group_arm"),
}
_MEMBERS: Final[Mapping[By, str]] = {
    "agent": "agent_name IS NOT NULL",
    "node": "kind = 'node' AND node IS NOT NULL",
    "team": "team IS NOT NULL",
    "model": "kind = 'model' AND model IS NOT NULL",
    "arm": "true",
}
_ARM_OF_RUN: Final = (
    "JOIN (SELECT DISTINCT run, arm AS group_arm FROM spans WHERE arm IS NOT NULL) USING (run)"
)
_BASE: Final = ("run", "team", "is_worker", "action", "self_ms")
_TOKENS: Final = ("prompt_tokens", "completion_tokens", "cost")
_COLUMNS: Final[Mapping[By, tuple[str, ...]]] = {
    "agent": (),
    "node": ("node",),
    "team": (),
    "model": ("model", *_TOKENS),
    "arm": ("arm", *_TOKENS),
}
_SUMS: Final = {
    "waited_ms": "coalesce(sum(waited_ms), 0) AS waited_ms",
    "prompt_tokens": "coalesce(sum(prompt_tokens), 0)::BIGINT AS prompt_tokens",
    "completion_tokens": "coalesce(sum(completion_tokens), 0)::BIGINT AS completion_tokens",
    "cost": "sum(cost) AS cost",
}
"""Left out, and so zero, where a store was told to read fewer columns."""

Order = Literal["newest", "slowest"]
_ORDERS: Final[Mapping[Order, str]] = {
    "newest": "ended_at DESC NULLS LAST",
    "slowest": "ms DESC NULLS LAST",
}
_SEARCHED: Final = """(
    starts_with(run_id, $begins) OR contains(lower(max(thread_id)), $begins)
    OR bool_or(kind = 'run' AND (status = $begins OR contains(reason, $begins)))
    OR max(request_sha256) = $digest
)"""

_PER_DECADE: Final = 5
"""Bins of a distribution from 1 to 10 ms, from 10 to 100 ms, and so on."""


def columns_for(by: By, where: SpanFilter) -> tuple[str, ...]:
    """Return the columns that a store needs for `Metrics.figures` and `Metrics.totals`."""
    return (*_BASE, *_COLUMNS[by], *where.columns())


class Metrics:
    """Answers about the spans of `store` for which `where` holds."""

    def __init__(self, store: Store, where: SpanFilter | None = None) -> None:
        self.store = store
        self.where = where or SpanFilter()

    def figures(self, by: By) -> tuple[Figures, ...]:
        """Return a row for each agent, node, team, arm or model, most self time first."""
        condition, values = self.where.of_spans()
        select, group = _GROUPS[by]
        call = f"{_SPANS[by]} AND {_ENDED}"
        join = _ARM_OF_RUN if by == "arm" else ""
        sums = "".join(f", {sql}" for name, sql in _SUMS.items() if name in self.store.columns)
        rows = self.store.query(
            f"""
            SELECT {select},
                count(*) FILTER ({call}) AS calls,
                count(*) FILTER ({call} AND {_FAILED}) AS failures,
                count(*) FILTER ({_BYPASSED}) AS bypasses,
                count(*) FILTER (action = 'retried') AS retries,
                count(*) FILTER ({_SPANS[by]} AND status = 'paused') AS pauses,
                avg(ms) FILTER ({call}) AS mean_ms,
                quantile_cont(ms, [0.5, 0.95, 0.99]) FILTER ({call}) AS quantiles,
                max(ms) FILTER ({call}) AS max_ms,
                coalesce(sum(ms) FILTER ({call}), 0) AS total_ms,
                coalesce(sum(self_ms), 0) AS self_ms,
                count(*) FILTER (kind = 'route') AS routing_calls,
                coalesce(sum(ms) FILTER (kind = 'route'), 0) AS routing_ms
                {sums}
            FROM spans {join} WHERE {condition} AND {_MEMBERS[by]}
            GROUP BY {group} ORDER BY self_ms DESC, name
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        whole = self._all_self_ms()
        return tuple(_figures(row, whole) for row in rows)

    def totals(self) -> Totals:
        """Return all runs together, those that a team or agent of the filter took part in."""
        condition, values = self.where.of_runs()
        own, _ = self.where.of_spans()
        sums = "".join(f", {sql}" for name, sql in _SUMS.items() if name in self.store.columns)
        if "timestamp" in self.store.columns:
            sums += ", min(timestamp) AS first_at, max(timestamp) AS last_at"
        [row] = self.store.query(
            f"""
            SELECT
                count(*) FILTER ({_WORKER_CALL}) AS worker_calls,
                count(*) FILTER ({_WORKER_CALL} AND {_FAILED}) AS failures,
                count(*) FILTER ({_BYPASSED}) AS bypasses,
                count(*) FILTER (kind = 'route') AS routing_calls,
                coalesce(sum(ms) FILTER (kind = 'route'), 0) AS routing_ms
                {sums}
            FROM spans WHERE {own}
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        ended = self.store.query(
            f"""
            SELECT status, count(*) AS runs, sum(ms) AS ms FROM (
                SELECT sum(ms) AS ms, coalesce(
                    max(status) FILTER (status <> 'needs_human'), 'needs_human'
                ) AS status
                FROM spans WHERE kind = 'run' AND {condition} GROUP BY run
            ) GROUP BY status ORDER BY runs DESC
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        [begun] = self.store.query(
            f"SELECT count(*) AS runs FROM (SELECT run FROM spans WHERE {condition} GROUP BY run)",  # noqa: S608
            values,
        )
        [quantiles] = self.store.query(
            f"""
            SELECT quantile_cont(ms, [0.5, 0.95]) AS ms FROM spans
            WHERE kind = 'run' AND {_ENDED} AND {condition}
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        runs = sum(each["runs"] for each in ended)
        p50, p95 = quantiles["ms"] or (None, None)
        row |= {name: _utc(row.get(name)) for name in ("first_at", "last_at")}
        return Totals(
            **row,
            runs=runs,
            statuses={each["status"]: each["runs"] for each in ended},
            unfinished=max(begun["runs"] - runs, 0),
            run_ms=sum(each["ms"] for each in ended),
            run_p50_ms=p50,
            run_p95_ms=p95,
        )

    def overview(self) -> Overview:
        """Answer what somebody on call asks first."""
        workers = [each for each in self.figures("agent") if each.is_worker and each.calls]
        return Overview(
            totals=self.totals(),
            slowest=max(workers, key=lambda each: each.mean_ms or 0.0, default=None),
            most_called=max(workers, key=lambda each: each.calls, default=None),
            bypassed=tuple(each for each in self.failures() if each.action in _GONE_ON),
        )

    def failures(self, *, limit: int = 200) -> tuple[FailureFigures, ...]:
        """Return what failed, was bypassed or tried again, by place and cause, most frequent first.

        A failure that passed through several spans is there once for each of them.
        """
        condition, values = self.where.of_spans()
        rows = self.store.query(
            f"""
            SELECT agent_name, team, node, kind, status, action, error_type,
                arg_max(error_message, timestamp) AS message,
                count(*) AS count, max(timestamp) AS last_at, arg_max(run_id, timestamp) AS run_id
            FROM spans
            WHERE {condition} AND (action IS NOT NULL OR {_FAILED}) AND agent_name IS NOT NULL
            GROUP BY ALL ORDER BY count DESC, last_at DESC LIMIT {limit:d}
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        for row in rows:
            row["last_at"] = _utc(row["last_at"])
        return tuple(FailureFigures(**row) for row in rows)

    def calls_over_time(self, bucket: Bucket) -> tuple[Moment, ...]:
        """Return the calls of each agent by minute, hour or day (UTC), oldest first.

        Times in which nothing was called are left out.
        """
        condition, values = self.where.of_spans()
        rows = self.store.query(
            f"""
            SELECT date_trunc('{bucket}', timestamp) AS begins_at, agent_name, team,
                count(*) AS calls, count(*) FILTER ({_FAILED}) AS failures,
                quantile_cont(ms, 0.95) AS p95_ms
            FROM spans
            WHERE {condition} AND {_SPANS["agent"]} AND {_ENDED}
                AND agent_name IS NOT NULL AND timestamp IS NOT NULL
            GROUP BY ALL ORDER BY begins_at, agent_name
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        return tuple(_moment(row) for row in rows)

    def distribution(self, agent_name: str) -> tuple[Bin, ...]:
        """Return how many calls of an agent took how long, in bins that grow by the same factor.

        Bins between the first and the last are there even if no call falls into them.
        """
        condition, values = self.where.of_spans()
        rows = self.store.query(
            f"""
            SELECT floor(log10(greatest(ms, 0.001)) * {_PER_DECADE})::INTEGER AS bin,
                count(*) AS calls
            FROM spans
            WHERE {condition} AND agent_name = $name AND {_SPANS["agent"]} AND {_ENDED}
            GROUP BY bin
            """,  # noqa: S608  # conditions are ours, values are bound
            {**values, "name": agent_name},
        )
        calls = {row["bin"]: row["calls"] for row in rows}
        span = range(min(calls), max(calls) + 1) if calls else range(0)
        return tuple(
            Bin(low_ms=_edge(number), high_ms=_edge(number + 1), calls=calls.get(number, 0))
            for number in span
        )

    def runs(
        self, *, search: str = "", order: Order = "newest", limit: int = 50, offset: int = 0
    ) -> RunPage:
        """Return runs by `order`.

        `search` is found in the beginning of a run's id, in its thread's id, status and reason,
        and finds the runs that were asked exactly this request.
        """
        condition, values = self.where.of_runs()
        wanted = "true"
        if search := search.strip():
            wanted = _SEARCHED
            digest = hashlib.sha256(search.encode("utf-8", "surrogatepass")).hexdigest()
            values |= {"begins": search.lower(), "digest": digest}
        rows = self.store.query(
            f"""
            SELECT run_id, max(thread_id) AS thread_id,
                arg_max(status, timestamp) FILTER (kind = 'run') AS status,
                arg_max(reason, timestamp) FILTER (kind = 'run') AS reason,
                max(timestamp) AS ended_at, sum(ms) FILTER (kind = 'run') AS ms,
                count(*) FILTER ({_WORKER_CALL}) AS workers,
                count(*) FILTER ({_WORKER_CALL} AND {_FAILED}) AS failures,
                count(*) FILTER ({_BYPASSED}) AS bypasses,
                count(*) FILTER (kind = 'route') AS routing_calls,
                coalesce(sum(prompt_tokens), 0)::BIGINT AS prompt_tokens,
                coalesce(sum(completion_tokens), 0)::BIGINT AS completion_tokens,
                sum(cost) AS cost, count(*) OVER () AS total
            FROM spans WHERE {condition}
            GROUP BY run_id HAVING {wanted}
            ORDER BY {_ORDERS[order]}, run_id LIMIT {limit:d} OFFSET {offset:d}
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        total = rows[0]["total"] if rows else 0
        return RunPage(runs=tuple(_run(row) for row in rows), total=total)

    def choices(self) -> Choices:
        """Return what can be filtered by, whatever the filter is now."""
        [row] = self.store.query(
            """
            SELECT list(DISTINCT team) AS teams, list(DISTINCT agent_name) AS agents,
                list(DISTINCT arm) AS arms,
                list(DISTINCT status) FILTER (kind = 'run') AS statuses
            FROM spans
            """
        )
        return Choices(**{name: _sorted(values) for name, values in row.items()})

    def _all_self_ms(self) -> float:
        condition, values = self.where.of_spans()
        [row] = self.store.query(
            f"SELECT coalesce(sum(self_ms), 0) AS ms FROM spans WHERE {condition}",  # noqa: S608
            values,
        )
        return float(row["ms"])


def _figures(row: dict[str, Any], whole_ms: float) -> Figures:
    p50, p95, p99 = row.pop("quantiles") or (None, None, None)
    share = row["self_ms"] / whole_ms if whole_ms else 0.0
    return Figures(**row, p50_ms=p50, p95_ms=p95, p99_ms=p99, share=share)


def _run(row: dict[str, Any]) -> RunFigures:
    del row["total"]
    row["ended_at"] = _utc(row["ended_at"])
    return RunFigures(**row)


def _sorted(values: list[str | None] | None) -> tuple[str, ...]:
    return tuple(sorted(value for value in values or () if value is not None))


def _moment(row: dict[str, Any]) -> Moment:
    row["begins_at"] = _utc(row["begins_at"])
    return Moment(**row)


def _utc(time: datetime | None) -> datetime | None:
    return None if time is None else time.replace(tzinfo=UTC)


def _edge(number: int) -> float:
    """Return the lower end of a bin, ms."""
    return float(f"{10 ** (number / _PER_DECADE):.3g}")
