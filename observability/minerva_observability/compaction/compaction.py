"""Turn closed segments of `runs.jsonl` into Parquet: a tenth of the bytes, a tenth of the time.

A segment is closed if no process writes to it, which its lock shows. Its rows are written to
`runs/` beside it, into one Parquet file for each day on which spans ended. The segment is deleted
only after these files are on disk under their final names. A compaction that is killed leaves some
rows in both places at worst. Readers count a row that they find twice once.
"""

import os
import re
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, cast

import duckdb
import orjson

from minerva_observability.compaction.columns import IS_WORKER, RAW, literal
from minerva_observability.compaction.loading import delete_rows
from minerva_observability.file_lock import open_lock_file, wait_for_lock
from minerva_observability.metrics.grouping import FAILURE
from minerva_observability.records.encoding import to_json
from minerva_observability.records.reader import RecordReader, is_sound_line
from minerva_observability.records.record import RecordRow
from minerva_observability.records.segments import (
    PARQUET_FOLDER,
    Source,
    parquet_files,
    record_files,
    segment_lock,
)

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
REJECTED: Final = "rejected.txt"
"""The file in `runs/` that keeps the lines which held no record, unchanged."""

MEMORY_MIB: Final = 384
"""The memory that DuckDB may use for a conversion; memory for the longest line comes on top."""
_GROUP: Final = "ROW_GROUP_SIZE 491520, ROW_GROUP_SIZE_BYTES '96MB'"
"""Rows in one group of a Parquet file. Large groups make queries fast, but must fit into memory."""
_USUAL_LINE: Final = 1024 * 1024
"""Bytes of a usual line; DuckDB's read buffer follows from it."""
_PASSING: Final = ".compacting-"

CountRows = Callable[[Sequence[Path]], int]


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
                coalesce(max(resume_no), 0) AS resumes,
                count(*) FILTER (kind = 'run' AND status <> 'needs_human') AS ends,
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


@dataclass(slots=True)
class Compaction:
    """The result of a compaction."""

    segments: list[Path] = field(default_factory=list[Path])
    """Segments that became Parquet and were deleted."""
    errors: list["CompactionError"] = field(default_factory=list["CompactionError"])
    """One error for each segment that could not be converted; these segments are unchanged."""
    in_use: list[Path] = field(default_factory=list[Path])
    """Segments that a process writes to; a later compaction converts them."""
    files: list[Path] = field(default_factory=list[Path])
    """Parquet files that were made."""
    rows: int = 0
    duplicates: int = 0
    """Rows that were compacted before, or that the segment held twice."""
    bad_lines: int = 0
    """Lines that held no record; `runs/rejected.txt` keeps them."""
    bytes_before: int = 0
    bytes_after: int = 0


def compact_records(source: Source, *, count_rows: CountRows = count_rows) -> Compaction:
    """Convert every closed segment of `source` (a file, a folder or a pattern) and delete it.

    A segment that cannot be converted is in `errors`, and the next ones are still converted. Before
    a segment is deleted, `count_rows` reads back how many rows its Parquet files hold.

    Raises:
        OSError: a file cannot be read or written; its segment is not deleted.
    """
    done = Compaction()
    for segment in record_files(source):
        with segment_lock(segment) as descriptor:
            if descriptor is None:
                done.in_use.append(segment)
                continue
            try:
                _convert(segment, done, count_rows)
            except CompactionError as error:
                done.errors.append(error)
            except (duckdb.Error, RecursionError) as error:  # a full disk, or no column takes a row
                done.errors.append(CompactionError(segment, error))
    return done


class CompactionError(Exception):
    """A segment could not be converted, or its Parquet files hold another number of rows."""

    def __init__(self, segment: Path, why: object) -> None:
        self.segment = segment
        super().__init__(f"{segment}: {why}. Nothing was deleted.")


def _convert(segment: Path, done: Compaction, count_rows: CountRows) -> None:
    folder = segment.parent / PARQUET_FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    with _alone_in(folder), TemporaryDirectory(dir=folder, prefix=_PASSING) as name:
        reader = RecordReader(segment)
        clean = Path(name, "clean.jsonl")
        longest = 0
        with clean.open("wb") as file:
            for line in _clean_lines(reader):
                longest = max(longest, file.write(line))
        files, duplicates = _write_days(clean, longest_line=longest, existing=parquet_files(folder))
        rows = count_rows(files)
        if rows + duplicates != reader.summary.good:
            why = f"{reader.summary.good:,} rows, but {rows:,} were written"
            raise CompactionError(segment, why)
        if reader.summary.bad:
            _keep_rejected(segment, folder / REJECTED)
        published = [_publish(path, folder) for path in files]
    done.files += published
    done.bytes_before += segment.stat().st_size
    done.bytes_after += sum(path.stat().st_size for path in published)
    done.rows += rows
    done.duplicates += duplicates
    done.bad_lines += reader.summary.bad
    segment.unlink()
    done.segments.append(segment)


def _write_days(
    clean: Path, *, longest_line: int, existing: Sequence[Path]
) -> tuple[tuple[Path, ...], int]:
    """Write the rows of `clean` that are not in `existing` into files beside it, one a day.

    Return these files and the number of rows that were left out.
    """
    database = clean.with_name("rows.duckdb")
    with duckdb.connect(
        str(database),
        config={
            "threads": "1",
            "memory_limit": f"{MEMORY_MIB + 8 * longest_line // 2**20}MiB",
            "temp_directory": str(clean.with_name("spill")),
            **OFFLINE,
        },
    ) as connection:
        types = {"line": "BIGINT", **RAW, MORE: "JSON"}
        columns = ", ".join(f"'{name}': '{kind}'" for name, kind in types.items())
        connection.execute(
            "CREATE TABLE rows AS SELECT *, coalesce(strftime(timestamp, '%Y-%m-%d'), 'undated')"  # noqa: S608
            f" AS day FROM read_json(?, format = 'newline_delimited', columns = {{{columns}}},"
            f" maximum_object_size = {max(longest_line, _USUAL_LINE) + 1},"
            " hive_partitioning = false)",
            [literal(clean)],
        )
        duplicates = _drop_known(connection, existing)
        days = connection.execute("SELECT DISTINCT day FROM rows ORDER BY day").fetchall()
        files = tuple(clean.with_name(day) for (day,) in days)
        for file in files:
            connection.execute(
                f"COPY (SELECT * EXCLUDE (line, day) FROM rows WHERE day = '{file.name}')"  # noqa: S608
                f" TO '{escape_quotes(file)}' (FORMAT parquet, COMPRESSION zstd, {_GROUP})"
            )
    return files, duplicates


def _drop_known(connection: duckdb.DuckDBPyConnection, existing: Sequence[Path]) -> int:
    """Keep the first row of each span, but no row of `existing`; return how many were dropped."""
    doubled = "SELECT span_id FROM rows GROUP BY span_id HAVING count(*) > 1"
    surplus = (
        "line IN (SELECT line FROM (SELECT line, row_number() OVER (PARTITION BY span_id"  # noqa: S608
        f" ORDER BY line) AS nth FROM rows WHERE span_id IN ({doubled})) WHERE nth > 1)"
    )
    dropped = delete_rows(connection, "rows", surplus)
    if existing:
        known = f"SELECT span_id FROM {from_parquet(existing)}"  # noqa: S608  # paths, quoted
        dropped += delete_rows(connection, "rows", f"span_id IN ({known})")
    return dropped


def _publish(path: Path, folder: Path) -> Path:
    """Move a finished file to its final name once it is on disk; return the new path."""
    target = folder / f"{path.name}-{os.urandom(6).hex()}.parquet"
    _sync(path)
    path.chmod(0o600)
    path.rename(target)
    _sync(folder)
    return target


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _keep_rejected(segment: Path, target: Path) -> None:
    """Append to `target` the lines of `segment` that are not sound rows, unchanged."""
    descriptor = os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "wb") as kept, segment.open("rb") as file:
        kept.writelines(line for line in file if line.strip() and not is_sound_line(line))


@contextmanager
def _alone_in(folder: Path) -> Generator[None]:
    """Wait until no other process compacts in `folder`, and delete what a killed one left."""
    descriptor = open_lock_file(folder / ".lock")
    try:
        wait_for_lock(descriptor)
        for left in folder.glob(f"{_PASSING}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield
    finally:
        os.close(descriptor)


_TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "VARCHAR": str,
    "INTEGER": int,
    "BIGINT": int,
    "DOUBLE": (int, float),
    "TIMESTAMP": str,
    "JSON": dict,
}
_MAX_WHOLE: Final[Mapping[str, float]] = {
    "INTEGER": 2**31 - 1,
    "BIGINT": 2**63 - 1,
    "DOUBLE": 2**53,
}
"""The largest whole number, above and below zero, up to which a column is exact."""
_TIMES: Final = ("timestamp", "started_at")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
_ERROR_FIELDS: Final = {"type", "message", "where"}


def _clean_lines(rows: Iterable[RecordRow]) -> Iterator[bytes]:
    """Yield each row as a line that DuckDB can read, so that an odd field loses no record.

    A value that its column cannot give back unchanged goes into the column `more`.
    """
    for line, row in enumerate(rows):
        fitting: dict[str, Any] = {"line": line}
        more: dict[str, Any] = {}
        for name, value in row.items():
            (fitting if _fits(name, value) else more)[name] = value
        fitting |= {name: _in_utc(more[name]) for name in _TIMES if name in more}
        if more:
            fitting[MORE] = more
        yield to_json(fitting) + b"\n"


def _fits(name: str, value: Any) -> bool:
    """True if the column of the field `name` gives `value` back unchanged."""
    if name == "error":
        return (
            isinstance(value, dict)
            and not value.keys() - _ERROR_FIELDS  # pyright: ignore[reportUnknownMemberType]
            and all(isinstance(text, str) for text in value.values())  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]
        )
    if name in _TIMES:
        return (
            isinstance(value, str) and bool(_TIME.fullmatch(value)) and _in_utc(value) is not None
        )
    if isinstance(value, bool) or name not in RAW or not isinstance(value, _TYPES[RAW[name]]):
        return False
    return not isinstance(value, int) or abs(value) <= _MAX_WHOLE[RAW[name]]


def _in_utc(time: Any) -> str | None:
    """Return `time` in UTC, as its column takes it; None if `time` is not a time."""
    try:
        moment = datetime.fromisoformat(time)
        moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        return None
    return f"{moment.replace(tzinfo=None).isoformat()}Z"
