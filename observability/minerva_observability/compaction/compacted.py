"""Rows of runs as `compact_records` left them in Parquet."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import duckdb
import orjson

from minerva_observability.compaction.columns import IS_WORKER, RAW, literal
from minerva_observability.metrics.grouping import FAILURE
from minerva_observability.records.record import RecordRow

MORE: Final = "more"
"""The column for what schema 1 has no column for: fields of later versions, odd types."""


OFFLINE: Final[dict[str, str | bool | int | float | list[str]]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""Settings of every connection: nothing is downloaded, whatever a statement needs."""


_NO_ROW: Final = (
    ", ".join([*(f'NULL::{kind} AS "{name}"' for name, kind in {**RAW, MORE: "JSON"}.items())])
    + " WHERE false"
)


class CompactedRuns(NamedTuple):
    """Runs as a list of runs shows them, newest first by when their first span ended."""

    runs: tuple[dict[str, Any], ...]
    others: int
    """All that are not known from elsewhere."""


def from_parquet(paths: Iterable[Path]) -> str:
    """Return what to select the rows of these files from.

    Files that were made before a field was there have no column for it: it is null in them.
    """
    names = ", ".join(f"'{quoted(literal(path))}'" for path in paths)
    files = f"read_parquet([{names}], union_by_name = true, hive_partitioning = false)"
    return f"(FROM {files} UNION ALL BY NAME SELECT {_NO_ROW})"


def quoted(path: Path | str) -> str:
    """Return a path as it stands between the quotes of a statement."""
    return str(path).replace("'", "''")


def compacted_rows(paths: Sequence[Path], run_id: str) -> Iterator[RecordRow]:
    """Yield the rows of runs whose id begins with `run_id`, in the order they were written."""
    if not paths:
        return
    with duckdb.connect(config=OFFLINE) as connection:
        found = connection.execute(
            f"SELECT * FROM {from_parquet(paths)} WHERE starts_with(run_id, ?)",  # noqa: S608
            [run_id],
        )
        names = [column[0] for column in found.description or ()]
        while rows := found.fetchmany(1_000):
            for row in rows:
                yield _row(dict(zip(names, row, strict=True)))


def compacted_runs(paths: Sequence[Path], *, limit: int, known: Sequence[str]) -> CompactedRuns:
    """Return the newest `limit` runs, and how many there are besides the `known` ones."""
    with duckdb.connect(config=OFFLINE) as connection:
        found = connection.execute(
            f"""
            SELECT run_id, max(thread_id) AS thread_id,
                arg_max(status, timestamp) FILTER (kind = 'run') AS status,
                arg_max(reason, timestamp) FILTER (kind = 'run') AS reason,
                arg_max(started_at, timestamp) FILTER (kind = 'run') AS started_at,
                arg_max(ms, timestamp) FILTER (kind = 'run') AS ms,
                max(request_sha256) AS request_sha256,
                count(*) AS spans,
                count(*) FILTER (kind = 'agent' AND {IS_WORKER}
                    AND NOT (status = 'skipped' AND action IS NOT NULL)) AS hops,
                count(*) FILTER ({FAILURE} AND action IS DISTINCT FROM 'retried') AS failures,
                min(timestamp) AS began_at
            FROM {from_parquet(paths)} GROUP BY run_id ORDER BY began_at DESC LIMIT ?
            """,  # noqa: S608  # paths, quoted
            [limit],
        )
        names = [column[0] for column in found.description or ()]
        runs = tuple(
            {name: _value(name, value) for name, value in zip(names, row, strict=True)}
            for row in found.fetchall()
        )
        [(others,)] = connection.execute(
            f"SELECT count(DISTINCT run_id) FROM {from_parquet(paths)}"  # noqa: S608  # the same
            " WHERE run_id NOT IN (SELECT unnest(?::VARCHAR[]))",
            [list(known)],
        ).fetchall()
    return CompactedRuns(runs, others)


def _row(stored: dict[str, Any]) -> RecordRow:
    """Return a row as it stood in its line."""
    more = stored.pop(MORE)
    row = {name: _value(name, value) for name, value in stored.items() if value is not None}
    return cast("RecordRow", row | (orjson.loads(more) if more else {}))


def _value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, datetime):
        return f"{value.isoformat(timespec='milliseconds')}Z"
    if name == "error":
        return {key: text for key, text in value.items() if text is not None}
    return orjson.loads(value) if RAW.get(name) == "JSON" else value
