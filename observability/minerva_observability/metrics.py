"""The questions that a log of runs is asked: who is slow, who is called, what routing costs.

They are statements over the view `spans` of a `Store`, so that a page, a table and a test get
their figures from the same place.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
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

_ENDED: Final = "status NOT IN ('paused', 'needs_human', 'skipped')"
_FAILED: Final = "status IN ('failed', 'timeout')"
_BYPASSED: Final = "action IN ('bypassed', 'substituted')"

_WORKER_CALL: Final = f"kind = 'agent' AND is_worker AND {_ENDED}"
_PAUSED: Final = ("paused", "needs_human")
_NOT_ENDED: Final = (*_PAUSED, "skipped")
_FAILURES: Final = ("failed", "timeout")
_GONE_ON: Final = ("bypassed", "substituted")

_Part = dict[str, Any]
"""Spans of one group that ended alike."""

_SPANS: Final[Mapping[By, str]] = {
    "agent": "kind IN ('agent', 'run')",
    "node": "kind = 'node'",
    "team": "kind IN ('agent', 'run') AND NOT is_worker",
    "model": "kind = 'model'",
    "arm": "kind = 'run'",
}
"""Which spans are a group's calls."""
_KEYS: Final[Mapping[By, Mapping[str, str]]] = {
    "agent": {"name": "agent_name", "team": "team"},
    "node": {"name": "node", "agent_name": "agent_name", "team": "team"},
    "team": {"name": "team"},
    "model": {"name": "model"},
    "arm": {"name": "arm_of_run"},
}
"""What names a group, and the columns it is made of."""
_MEMBERS: Final[Mapping[By, str]] = {
    "agent": "agent_name IS NOT NULL",
    "node": "kind = 'node' AND node IS NOT NULL",
    "team": "team IS NOT NULL",
    "model": "kind = 'model' AND model IS NOT NULL",
    "arm": "true",
}
_ARM_OF_RUN: Final = (
    "JOIN (SELECT DISTINCT run, arm AS arm_of_run FROM spans WHERE arm IS NOT NULL) USING (run)"
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
_SUMS: Final = ("waited_ms", *_TOKENS)
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
        self._known: dict[tuple[By, int], tuple[Figures, ...]] = {}

    def figures(self, by: By) -> tuple[Figures, ...]:
        """Return a row for each agent, node, team, arm or model, most self time first."""
        if (known := self._known.get((by, self.store.generation))) is not None:
            return known
        groups: dict[tuple[Any, ...], list[_Part]] = {}
        for part in self._parts(_KEYS[by], of=_MEMBERS[by], source=_source(by)):
            groups.setdefault(tuple(part[name] for name in _KEYS[by]), []).append(part)
        quantiles = self._quantiles(by)
        whole = self._all_self_ms()
        figures = self._known[by, self.store.generation] = tuple(
            sorted(
                (_figures(by, parts, quantiles.get(key), whole) for key, parts in groups.items()),
                key=lambda each: (-each.self_ms, each.name, each.agent_name or "", each.team or ""),
            )
        )
        return figures

    def _parts(self, named: Mapping[str, str], *, of: str, source: str) -> list[_Part]:
        """Return the spans of each group, counted and summed by how they ended."""
        condition, values = self.where.of_spans()
        keys = "".join(f"{column} AS {name}, " for name, column in named.items())
        sums = "".join(f", sum({name}) AS {name}" for name in _SUMS if name in self.store.columns)
        return self.store.query(
            f"""
            SELECT {keys} kind, status, action, is_worker, count(*) AS spans, sum(ms) AS ms,
                max(ms) AS max_ms, sum(self_ms) AS self_ms {sums}
            FROM {source} WHERE {condition} AND {of} GROUP BY ALL
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )

    def _quantiles(self, by: By) -> dict[tuple[Any, ...], list[float]]:
        """Return p50, p95 and p99 of each group's calls, ms."""
        condition, values = self.where.of_spans()
        keys = ", ".join(_KEYS[by].values())
        rows = self.store.query(
            f"""
            SELECT {keys}, quantile_cont(ms, [0.5, 0.95, 0.99]) AS ms FROM {_source(by)}
            WHERE {condition} AND {_MEMBERS[by]} AND {_SPANS[by]} AND {_ENDED} GROUP BY {keys}
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        return {tuple(row[name] for name in _KEYS[by].values()): row["ms"] for row in rows}

    def totals(self) -> Totals:
        """Return all runs together, those that a team or agent of the filter took part in."""
        condition, values = self.where.of_runs()
        parts = self._parts({}, of="true", source="spans")
        calls = [part for part in parts if part["is_worker"] and part["status"] not in _NOT_ENDED]
        routes = [part for part in parts if part["kind"] == "route"]
        *ended, every = self.store.query(
            f"""
            SELECT status, count(*) AS runs, coalesce(sum(ms), 0) AS ms,
                quantile_cont(ms, [0.5, 0.95]) AS quantiles
            FROM (
                SELECT sum(ms) AS ms, coalesce(
                    max(status) FILTER (status <> 'needs_human'), 'needs_human'
                ) AS status
                FROM spans WHERE kind = 'run' AND {condition} GROUP BY run
            )
            GROUP BY GROUPING SETS ((status), ()) ORDER BY grouping(status), runs DESC
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        [begun] = self.store.query(
            f"SELECT count(*) AS runs FROM (SELECT run FROM spans WHERE {condition} GROUP BY run)",  # noqa: S608
            values,
        )
        runs = every["runs"]
        p50, p95 = every["quantiles"] or (None, None)
        first_at, last_at = self._period()
        return Totals(
            runs=runs,
            statuses={each["status"]: each["runs"] for each in ended},
            unfinished=max(begun["runs"] - runs, 0),
            run_ms=every["ms"],
            run_p50_ms=p50,
            run_p95_ms=p95,
            worker_calls=_sum(calls, "spans"),
            failures=_sum((part for part in calls if part["status"] in _FAILURES), "spans"),
            bypasses=_sum((part for part in parts if part["action"] in _GONE_ON), "spans"),
            routing_calls=_sum(routes, "spans"),
            routing_ms=_sum(routes, "ms"),
            waited_ms=_sum(parts, "waited_ms"),
            prompt_tokens=_sum(parts, "prompt_tokens"),
            completion_tokens=_sum(parts, "completion_tokens"),
            cost=_sum_known(part.get("cost") for part in parts),
            first_at=first_at,
            last_at=last_at,
        )

    def _period(self) -> tuple[datetime | None, datetime | None]:
        """Return when the first and the last span ended; None where a store has no times."""
        if "timestamp" not in self.store.columns:
            return None, None
        condition, values = self.where.of_spans()
        [row] = self.store.query(
            f"SELECT min(timestamp) AS first, max(timestamp) AS last FROM spans WHERE {condition}",  # noqa: S608
            values,
        )
        return _utc(row["first"]), _utc(row["last"])

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
                coalesce(sum(prompt_tokens), 0) AS prompt_tokens,
                coalesce(sum(completion_tokens), 0) AS completion_tokens,
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


def _source(by: By) -> str:
    return f"spans {_ARM_OF_RUN}" if by == "arm" else "spans"


def _figures(
    by: By, parts: Sequence[_Part], quantiles: Sequence[float] | None, whole_ms: float
) -> Figures:
    own = [part for part in parts if _is_own(by, part)]
    calls = [part for part in own if part["status"] not in _NOT_ENDED]
    routes = [part for part in parts if part["kind"] == "route"]
    p50, p95, p99 = quantiles or (None, None, None)
    count, total_ms, self_ms = _sum(calls, "spans"), _sum(calls, "ms"), _sum(parts, "self_ms")
    return Figures(
        **{name: parts[0][name] for name in _KEYS[by]},
        is_worker=any(part["is_worker"] for part in own) if by == "agent" else None,
        calls=count,
        failures=_sum((part for part in calls if part["status"] in _FAILURES), "spans"),
        bypasses=_sum((part for part in parts if part["action"] in _GONE_ON), "spans"),
        retries=_sum((part for part in parts if part["action"] == "retried"), "spans"),
        pauses=_sum((part for part in own if part["status"] in _PAUSED), "spans"),
        mean_ms=total_ms / count if count else None,
        p50_ms=p50,
        p95_ms=p95,
        p99_ms=p99,
        max_ms=max((part["max_ms"] for part in calls), default=None),
        total_ms=total_ms,
        self_ms=self_ms,
        share=self_ms / whole_ms if whole_ms else 0.0,
        waited_ms=_sum(parts, "waited_ms"),
        routing_calls=_sum(routes, "spans"),
        routing_ms=_sum(routes, "ms"),
        prompt_tokens=_sum(parts, "prompt_tokens"),
        completion_tokens=_sum(parts, "completion_tokens"),
        cost=_sum_known(part.get("cost") for part in parts),
    )


def _is_own(by: By, part: _Part) -> bool:
    """Tell whether spans are calls of their group, as `_SPANS` says it in SQL."""
    kind: str = part["kind"]
    if by in {"agent", "team"}:
        return kind in {"agent", "run"} and (by == "agent" or not part["is_worker"])
    return kind == ("run" if by == "arm" else by)


def _sum(parts: Iterable[_Part], name: str) -> Any:
    return sum(part.get(name) or 0 for part in parts)


def _sum_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


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
