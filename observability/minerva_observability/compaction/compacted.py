"""Read rows and runs from the Parquet files that `compact_records` made."""

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
"""The column for values without a column in schema 1: fields of later versions, odd types."""


OFFLINE: Final[dict[str, str | bool | int | float | list[str]]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""Settings of every connection: DuckDB downloads no extension, even if a statement needs one."""


_NO_ROW: Final = (
    ", ".join([*(f'NULL::{kind} AS "{name}"' for name, kind in {**RAW, MORE: "JSON"}.items())])
    + " WHERE false"
)


class CompactedRuns(NamedTuple):
    """The fields of runs in a list of runs, newest first by the end of their first span."""

    runs: tuple[dict[str, Any], ...]
    others: int
    """The number of runs that are not among the known ones."""


def from_parquet(paths: Iterable[Path]) -> str:
    """Return the `FROM` item for the rows of these files.

    A file that was made before a field existed has no column for it; the field is null there.
    """
    names = ", ".join(f"'{escape_quotes(literal(path))}'" for path in paths)
    files = f"read_parquet([{names}], union_by_name = true, hive_partitioning = false)"
    return f"(FROM {files} UNION ALL BY NAME SELECT {_NO_ROW})"


def escape_quotes(path: Path | str) -> str:
    """Return a path with its quotes doubled, as it stands between the quotes of a statement."""
    return str(path).replace("'", "''")


def count_rows(paths: Sequence[Path]) -> int:
    """Return how many rows these files hold."""
    if not paths:
        return 0
    with duckdb.connect(config=OFFLINE) as connection:
        [(rows,)] = connection.execute(f"SELECT count(*) FROM {from_parquet(paths)}").fetchall()  # noqa: S608
    return int(rows)


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


def compacted_runs(paths: Sequence[Path], *, limit: int, run_ids: Sequence[str]) -> CompactedRuns:
    """Return the newest `limit` runs, and the number of runs that are not in `run_ids`."""
    with duckdb.connect(config=OFFLINE) as connection:
        found = connection.execute(
            f"""
            SELECT run_id, max(thread_id) AS thread_id,
                arg_max(status, timestamp) FILTER (kind = 'run') AS status,
                arg_max(reason, timestamp) FILTER (kind = 'run') AS reason,
                min(started_at) FILTER (kind = 'run') AS started_at,
                sum(ms) FILTER (kind = 'run') AS ms,
                max(request_sha256) AS request_sha256,
                count(*) AS spans,
                count(*) FILTER (kind = 'agent' AND {IS_WORKER}
                    AND NOT (status = 'skipped' AND action IS NOT NULL)
                    AND status <> 'paused') AS hops,
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
            [list(run_ids)],
        ).fetchall()
    return CompactedRuns(runs, others)


def _row(fields: dict[str, Any]) -> RecordRow:
    """Return the row as it stood in its line before compaction."""
    more = fields.pop(MORE)
    row = {name: _value(name, value) for name, value in fields.items() if value is not None}
    return cast("RecordRow", row | (orjson.loads(more) if more else {}))


def _value(name: str, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, datetime):
        return f"{value.isoformat(timespec='milliseconds')}Z"
    if name == "error":
        return {key: text for key, text in value.items() if text is not None}
    return orjson.loads(value) if RAW.get(name) == "JSON" else value
