"""Lists of runs: those that a search matches, in an order, page by page."""

import hashlib
from collections.abc import Mapping
from typing import Final, Literal

from minerva_observability.metrics.figures import RunFigures, RunPage, utc
from minerva_observability.metrics.grouping import BYPASSED, FAILED, IS_ROOT, UNPRICED, WORKER_CALL
from minerva_observability.metrics.span_filter import SpanFilter
from minerva_observability.metrics.span_store import SpanStore
from minerva_observability.records.plain_data import writable

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


def search_runs(
    store: SpanStore,
    where: SpanFilter,
    *,
    search: str = "",
    order: Order = "newest",
    limit: int = 50,
    offset: int = 0,
) -> RunPage:
    """Return the runs from `offset` to `offset + limit` in `order`, and the number of all matches.

    `search` matches the beginning of a run's id, a part of its thread's id, its whole status, a
    part of its reason, or the whole text of its request (which is compared by its digest).
    """
    condition, values = where.of_runs()
    wanted = "true"
    if search := search.strip():
        wanted = _SEARCHED
        digest = hashlib.sha256(search.encode("utf-8", "surrogatepass")).hexdigest()
        values |= {"begins": writable(search.lower()), "digest": digest}
    rows = store.query(
        f"""
        SELECT run_id, max(thread_id) AS thread_id,
            coalesce(
                arg_max(status, timestamp) FILTER (kind = 'run'),
                max(status) FILTER (kind = 'run')
            ) AS status,
            arg_max(reason, timestamp) FILTER (kind = 'run') AS reason,
            max(timestamp) AS ended_at, sum(ms) FILTER (kind = 'run') AS ms,
            count(*) FILTER ({WORKER_CALL}) AS workers,
            count(*) FILTER ({WORKER_CALL} AND {FAILED} AND {IS_ROOT}) AS failures,
            count(*) FILTER ({BYPASSED}) AS bypasses,
            count(*) FILTER (kind = 'route') AS routing_calls,
            coalesce(sum(prompt_tokens), 0) AS prompt_tokens,
            coalesce(sum(completion_tokens), 0) AS completion_tokens,
            sum(cost) AS cost, count(*) FILTER ({UNPRICED}) AS unpriced_calls,
            count(*) OVER () AS total
        FROM spans WHERE {condition}
        GROUP BY run_id HAVING {wanted}
        ORDER BY {_ORDERS[order]}, run_id LIMIT {limit:d} OFFSET {offset:d}
        """,  # noqa: S608  # conditions are ours, values are bound
        values,
    )
    if offset and not rows:  # the offset is beyond the last run
        return RunPage(runs=(), total=search_runs(store, where, search=search, limit=1).total)
    total = rows[0]["total"] if rows else 0
    for row in rows:
        del row["total"]
        row["ended_at"] = utc(row["ended_at"])
    return RunPage(runs=tuple(RunFigures(**row) for row in rows), total=total)
