"""Answers about recorded runs: which agent is slow, which is called most, what routing costs.

Each answer comes from SQL over the view `spans` of a `SpanStore`, so the dashboard, `minerva stats`
and the tests get their figures from the same place.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from minerva_observability.metrics.figures import (
    Bin,
    Bucket,
    By,
    Choices,
    FailureFigures,
    Figures,
    Moment,
    Overview,
    RunPage,
    TimePart,
    Totals,
    utc,
)
from minerva_observability.metrics.grouping import (
    BYPASSED,
    CAUSE,
    ENDED,
    FAILED,
    FAILURE,
    IS_ROOT,
    KEYS,
    MEMBERS,
    NOT_ENDED,
    SPANS,
    SUMS,
    UNPRICED,
    Part,
    common_figures,
    failures_in,
    figures_of,
    source_of,
    sum_of,
)
from minerva_observability.metrics.run_search import Order, search_runs
from minerva_observability.metrics.span_filter import SpanFilter
from minerva_observability.metrics.span_store import SpanStore
from minerva_observability.records.plain_data import writable

_PLACE: Final = ("agent_name", "team", "node", "kind", "status", "action", "error_type")
"""The columns by which failures are grouped; a null is a value of its own."""
_PER_DECADE: Final = 5
"""Bins of a distribution from 1 to 10 ms, from 10 to 100 ms, and so on."""


def _in_utc(row: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a row whose time `name` is in UTC."""
    return {**row, name: utc(row[name])}


class Metrics:
    """Answers questions about the spans of `store` that match `where` (default: all).

    Call `store.refresh()` before the first question. Each method raises `SpanStoreError` if DuckDB
    cannot answer.
    """

    def __init__(self, store: SpanStore, where: SpanFilter | None = None) -> None:
        self.store = store
        self.where = where or SpanFilter()
        self._figures_by: dict[By, tuple[int, tuple[Figures, ...]]] = {}
        self._parts_of: tuple[int, list[Part]] | None = None

    def figures(self, by: By) -> tuple[Figures, ...]:
        """Return the figures of each agent, node, team, arm or model, most self time first."""
        generation = self.store.generation  # another OS thread may refresh meanwhile
        if (known := self._figures_by.get(by)) is not None and known[0] == generation:
            return known[1]
        groups: dict[tuple[Any, ...], list[Part]] = {}
        for part in self._members(by):
            groups.setdefault(tuple(part[name] for name in KEYS[by]), []).append(part)
        quantiles = self._quantiles(by)
        whole = sum_of(self._all_parts(), "self_ms")
        figures = tuple(
            sorted(
                (figures_of(by, parts, quantiles.get(key), whole) for key, parts in groups.items()),
                key=lambda each: (-each.self_ms, each.name, each.agent_name or "", each.team or ""),
            )
        )
        self._figures_by[by] = generation, figures
        return figures

    def _members(self, by: By) -> list[Part]:
        if by == "agent":
            return [part for part in self._all_parts() if part["name"] is not None]
        return self._parts(KEYS[by], of=MEMBERS[by], source=source_of(by))

    def _all_parts(self) -> list[Part]:
        """Return the spans of each agent, and those without an agent; queried once a generation."""
        generation = self.store.generation
        if self._parts_of is None or self._parts_of[0] != generation:
            self._parts_of = generation, self._parts(KEYS["agent"], of="true", source="spans")
        return self._parts_of[1]

    def _parts(self, columns: Mapping[str, str], *, of: str, source: str) -> list[Part]:
        """Return the spans of each group, counted and summed by kind, status and action."""
        condition, values = self.where.of_spans()
        keys = "".join(f"{column} AS {name}, " for name, column in columns.items())
        sums = "".join(f", sum({name}) AS {name}" for name in SUMS if name in self.store.columns)
        if "cost" in self.store.columns:
            sums += f", count(*) FILTER ({UNPRICED}) AS unpriced_calls"
        return self.store.query(
            f"""
            SELECT {keys} kind, status, action, is_worker, count(*) AS spans, sum(ms) AS ms,
                sum(took_ms) AS took_ms, max(took_ms) AS max_ms, sum(self_ms) AS self_ms,
                {IS_ROOT} AS is_root, schema < 2 AS is_of_schema_1,
                kind = 'model' AND router IS NOT NULL AS is_asked_by_router {sums}
            FROM {source} WHERE {condition} AND {of} GROUP BY ALL
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )

    def _quantiles(self, by: By) -> dict[tuple[Any, ...], list[float]]:
        """Return p50, p95 and p99 of each group's calls, milliseconds."""
        condition, values = self.where.of_spans()
        keys = ", ".join(KEYS[by].values())
        rows = self.store.query(
            f"""
            SELECT {keys}, quantile_cont(took_ms, [0.5, 0.95, 0.99]) AS ms FROM {source_of(by)}
            WHERE {condition} AND {MEMBERS[by]} AND {SPANS[by]} AND {ENDED} GROUP BY {keys}
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        return {tuple(row[name] for name in KEYS[by].values()): row["ms"] for row in rows}

    def totals(self) -> Totals:
        """Return the totals of all runs in which the team or agent of the filter took part."""
        condition, values = self.where.of_runs()
        parts = self._all_parts()
        calls = [part for part in parts if part["is_worker"] and part["status"] not in NOT_ENDED]
        [runs] = self.store.query(
            f"""
            SELECT count(*) AS begun, count(ms) AS ended, coalesce(sum(ms), 0) AS ms,
                quantile_cont(ms, [0.5, 0.95]) AS quantiles, histogram(status) AS statuses,
                count(*) FILTER (has_failure AND status <> 'needs_human') AS with_failure,
                count(*) FILTER (has_failure AND status IN ('ok', 'ok_degraded')) AS answered
            FROM (
                SELECT sum(ms) FILTER (kind = 'run') AS ms,
                    arg_max(status, 2 * coalesce(resume_no, 0) + (status <> 'needs_human')::INTEGER)
                        FILTER (kind = 'run') AS status,
                    bool_or({FAILURE} AND action IS DISTINCT FROM 'retried') AS has_failure
                FROM spans WHERE {condition} GROUP BY run
            )
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        p50, p95 = runs["quantiles"] or (None, None)
        first_at, last_at = self._period()
        return Totals(
            runs=runs["ended"],
            statuses=_most_first(runs["statuses"] or {}),
            unfinished=runs["begun"] - runs["ended"],
            run_ms=runs["ms"],
            run_p50_ms=p50,
            run_p95_ms=p95,
            worker_calls=sum_of(calls, "spans"),
            failures=failures_in(calls),
            **self._failures_in_all(),
            runs_with_failure=runs["with_failure"],
            runs_answered=runs["answered"],
            asked=_count(parts, "pause"),
            decided=_count(parts, "decision"),
            waits_ms=self._waits(),
            **common_figures(parts),
            first_at=first_at,
            last_at=last_at,
        )

    def _waits(self) -> dict[str, float]:
        """Return the milliseconds of the waits by reason; empty if the store has no reasons."""
        if not {"reason", "waited_ms"} <= {*self.store.columns}:
            return {}
        condition, values = self.where.of_spans()
        rows = self.store.query(
            f"""
            SELECT if(kind = 'wait', reason, 'person') AS reason,
                sum(coalesce(waited_ms, ms)) AS ms
            FROM spans WHERE {condition} AND (waited_ms > 0 OR kind = 'wait' AND reason <> 'person')
            GROUP BY ALL ORDER BY ms DESC, reason
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        return {row["reason"]: row["ms"] for row in rows}

    def _failures_in_all(self) -> dict[str, Any]:
        """Return how many failures and causes there are; no causes if the store has no errors."""
        has_errors = {"error_type", "error_message"} <= {*self.store.columns}
        causes = f"count(DISTINCT {CAUSE})" if has_errors else "NULL"
        condition, values = self.where.of_spans()
        [row] = self.store.query(
            f"SELECT count(*) AS failures_in_all, {causes} AS causes FROM spans"  # noqa: S608  # conditions are ours
            f" WHERE {condition} AND {FAILURE} AND action IS DISTINCT FROM 'retried'",
            values,
        )
        return row

    def _period(self) -> tuple[datetime | None, datetime | None]:
        """Return when the first and the last span ended; None if the store has no timestamps."""
        if "timestamp" not in self.store.columns:
            return None, None
        condition, values = self.where.of_spans()
        [row] = self.store.query(
            f"SELECT min(timestamp) AS first, max(timestamp) AS last FROM spans WHERE {condition}",  # noqa: S608
            values,
        )
        return utc(row["first"]), utc(row["last"])

    def overview(self) -> Overview:
        """Return the answers to the first questions of a person on call."""
        workers = [each for each in self.figures("agent") if each.is_worker and each.calls]
        return Overview(
            totals=self.totals(),
            slowest=max(workers, key=lambda each: each.mean_ms or 0.0, default=None),
            most_called=max(workers, key=lambda each: each.calls, default=None),
            bypassed=self._failures(BYPASSED, limit=200, by=CAUSE),
        )

    def failures(self, *, limit: int = 200) -> tuple[FailureFigures, ...]:
        """Return failures, bypasses and retries by place and cause, the most frequent first.

        A failure is counted once, where it began. At most `limit` kinds of failure come.
        """
        return self._failures(FAILURE, limit=limit)

    def _failures(
        self, of: str, *, limit: int, by: str = ", ".join(_PLACE)
    ) -> tuple[FailureFigures, ...]:
        """Return the failures that are grouped `by` some expressions; the rest is the newest's."""
        condition, values = self.where.of_spans()
        newest = ", ".join(
            f"coalesce(arg_max({name}, timestamp), max({name})) AS {name}"
            for name in (*_PLACE, "run_id", "error_message")
        )
        rows = self.store.query(
            f"""
            SELECT * RENAME (error_message AS message) FROM (
                SELECT {newest}, count(*) AS count, count(DISTINCT run) AS runs,
                    max(timestamp) AS last_at
                FROM spans
                WHERE {condition} AND {of} AND agent_name IS NOT NULL
                GROUP BY {by}
            ) ORDER BY count DESC, last_at DESC LIMIT {limit:d}
            """,  # noqa: S608  # conditions are ours, values are bound
            values,
        )
        return tuple(FailureFigures(**_in_utc(row, "last_at")) for row in rows)

    def calls_over_time(self, bucket: Bucket) -> tuple[Moment, ...]:
        """Return the calls of each agent by minute, hour or day (UTC), the oldest first.

        A time without a call is left out.
        """
        condition, values = self.where.of_spans()
        rows = self.store.query(
            f"""
            SELECT date_trunc($bucket, timestamp) AS begins_at, agent_name, team,
                count(*) AS calls, count(*) FILTER ({FAILED} AND {IS_ROOT}) AS failures,
                quantile_cont(took_ms, 0.95) AS p95_ms
            FROM spans
            WHERE {condition} AND {SPANS["agent"]} AND {ENDED}
                AND agent_name IS NOT NULL AND timestamp IS NOT NULL
            GROUP BY ALL ORDER BY begins_at, agent_name
            """,  # noqa: S608  # conditions are ours, values are bound
            {**values, "bucket": bucket},
        )
        return tuple(Moment(**_in_utc(row, "begins_at")) for row in rows)

    def distribution(self, agent_name: str) -> tuple[Bin, ...]:
        """Return the number of an agent's calls by duration, in bins that grow by a fixed factor.

        All bins between the first and the last come, even empty ones.
        """
        condition, values = self.where.of_spans()
        rows = self.store.query(
            f"""
            SELECT floor(log10(greatest(took_ms, 0.001)) * {_PER_DECADE})::INTEGER AS bin,
                count(*) AS calls
            FROM spans
            WHERE {condition} AND agent_name = $name AND {SPANS["agent"]} AND {ENDED}
            GROUP BY bin
            """,  # noqa: S608  # conditions are ours, values are bound
            {**values, "name": writable(agent_name)},
        )
        calls = {row["bin"]: row["calls"] for row in rows}
        span = range(min(calls), max(calls) + 1) if calls else range(0)
        return tuple(
            Bin(low_ms=_edge(number), high_ms=_edge(number + 1), calls=calls.get(number, 0))
            for number in span
        )

    def time_parts(self, agent_name: str) -> tuple[TimePart, ...]:
        """Return where an agent's time went, most first, and then what it waited for.

        The parts without its waits sum to its `total_ms`.
        """
        condition, values = self.where.of_spans()
        rows = self.store.query(
            f"""
            SELECT kind, coalesce(if(kind = 'wait', reason, node), model, router) AS name,
                count(*) AS spans, sum(if(kind = 'wait', ms, self_ms)) AS ms
            FROM spans WHERE {condition} AND agent_name = $name
                AND kind NOT IN ('pause', 'decision', 'start')
            GROUP BY ALL
            """,  # noqa: S608  # conditions are ours, values are bound
            {**values, "name": writable(agent_name)},
        )
        parts = [TimePart(**row) for row in rows]
        agents = [each for each in self.figures("agent") if each.name == agent_name]
        own_ms = sum(part.ms for part in parts if part.kind != "wait")
        rest_ms = round(sum(each.total_ms for each in agents) - own_ms, 3)
        if rest_ms:
            parts.append(TimePart(kind="members", name=None, spans=0, ms=rest_ms))
        return tuple(sorted(parts, key=lambda part: (part.kind == "wait", -part.ms)))

    def runs(
        self, *, search: str = "", order: Order = "newest", limit: int = 50, offset: int = 0
    ) -> RunPage:
        """Return runs in `order`, from `offset` on; `search_runs` says what `search` matches."""
        return search_runs(
            self.store, self.where, search=search, order=order, limit=limit, offset=offset
        )

    def choices(self) -> Choices:
        """Return the values that a filter can have; this object's own filter does not matter."""
        [row] = self.store.query(
            """
            SELECT list(DISTINCT team) AS teams, list(DISTINCT agent_name) AS agents,
                list(DISTINCT arm) AS arms,
                list(DISTINCT status) FILTER (kind = 'run') AS statuses,
                list_distinct(flatten(list(json_extract_string(versions, '$.*'))
                    FILTER (versions IS NOT NULL))) AS versions,
                list(DISTINCT host) AS hosts
            FROM spans
            """
        )
        return Choices(**{name: _in_order(values) for name, values in row.items()})


def _count(parts: list[Part], kind: str) -> int:
    return int(sum_of((part for part in parts if part["kind"] == kind), "spans"))


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _in_order(values: list[str | None] | None) -> tuple[str, ...]:
    return tuple(sorted(value for value in values or () if value is not None))


def _edge(number: int) -> float:
    """Return the lower end of a bin, milliseconds."""
    return float(f"{10 ** (number / _PER_DECADE):.3g}")
