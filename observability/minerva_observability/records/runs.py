"""Find runs among the records: the newest runs, or one run by its id.

The runs of one folder are ordered by their first record in its files, so a clock that was set back
reorders nothing. Runs of different folders, which are different hosts, are ordered by timestamp.
"""

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

from minerva_observability.records.reader import ReadSummary, RecordReader, read_records
from minerva_observability.records.record import RecordRow, called_name
from minerva_observability.records.segments import Source, parquet_files


@dataclass(slots=True)
class RunSummary:
    """A run in a list of runs."""

    run_id: str
    thread_id: str | None = None
    status: str | None = None
    """None if the run has no `run` row: it goes on, or its process was killed."""
    reason: str | None = None
    started_at: str | None = None
    ms: float | None = None
    """The time that it worked. What it waited for a person is not in it."""
    request_sha256: str | None = None
    spans: int = 0
    hops: int = 0
    """Calls of workers. Calls of supervisors are not counted."""
    failures: int = 0
    """Failures, each counted where it began. A try that was made again is not counted."""
    resumes: int = 0
    """How often a process went on with it: after a pause, or after another process."""
    ends: int = 0
    """How often a process recorded its end: more than once if one was overtaken, or left it."""


class RunList(NamedTuple):
    """The newest runs, the newest first.

    `total` counts all runs of the source, `shown` those in `runs`. `truncated` is True if `runs`
    leaves some out. `summary` counts and names the bad lines.
    """

    runs: tuple[RunSummary, ...]
    total: int
    shown: int
    truncated: bool
    summary: ReadSummary


class RunRows(NamedTuple):
    """The rows of one run in the order they were written (children before parents).

    What an overtaken process wrote late is not among them.
    """

    run_id: str | None
    """The whole id; None if no run or more than one run matches."""
    rows: tuple[RecordRow, ...]
    candidates: tuple[str, ...]
    """The ids that match. If there are several, the prefix is ambiguous and `rows` is empty."""
    summary: ReadSummary


class _DatedRun(NamedTuple):
    """A run and the timestamp of its first record."""

    timestamp: str
    run: RunSummary


def list_runs(
    source: Source, *, limit: int = 20, run_ids: Collection[str] | None = None
) -> RunList:
    """Return the newest `limit` runs of a file, a folder or a pattern; only those in `run_ids`.

    Raises:
        ParquetReaderMissingError: some records are in Parquet, and DuckDB is not installed.
    """
    reader = read_records(source)
    runs: dict[str, RunSummary] = {}
    folders: dict[Path, list[_DatedRun]] = {}
    for row in reader:
        run = runs.get(row["run_id"])
        if run is None:
            run = runs[row["run_id"]] = RunSummary(row["run_id"])
            seen = _DatedRun(str(row.get("timestamp", "")), run)
            folders.setdefault(reader.file.parent, []).append(seen)
        _add_row(run, row)
    total = len(runs)
    if compacted := parquet_files(source):
        most = limit if run_ids is None else sys.maxsize
        total += _add_compacted(compacted, runs, folders, limit=most)
    if run_ids is not None:
        for each in folders.values():
            each[:] = [seen for seen in each if seen.run.run_id in run_ids]
        total = sum(map(len, folders.values()))
    newest = tuple(_count_again(source, run) for run in islice(_newest_first(folders), limit))
    return RunList(newest, total, len(newest), len(newest) < total, reader.summary)


def find_run(source: Source, run_id: str) -> RunRows:
    """Return the rows of the run whose id is `run_id` or begins with it.

    Raises:
        ParquetReaderMissingError: some records are in Parquet, and DuckDB is not installed.
    """
    reader = RecordReader(source, mentioning=run_id)
    rows: dict[str, list[RecordRow]] = {}
    for row in chain(_compacted_rows(source, run_id), reader):
        if row["run_id"].startswith(run_id):
            # an ambiguous prefix may match all rows, so from the second run on only ids are kept
            found = rows.setdefault(row["run_id"], [])
            if len(rows) == 1 or row["run_id"] == run_id:
                found.append(row)
    names = tuple(rows)
    if run_id in rows:
        names = (run_id,)
    if len(names) != 1:
        return RunRows(None, (), names, reader.summary)
    once = {row["span_id"]: row for row in rows[names[0]]}  # a row may be in JSONL and in Parquet
    return RunRows(names[0], counted_rows(tuple(once.values())), names, reader.summary)


ALWAYS_COUNTED: Final = frozenset({"pause", "decision", "model", "wait"})
"""Kinds of rows that are never left out: questions, waits, and tokens that were spent."""


def counted_rows(rows: Sequence[RecordRow]) -> tuple[RecordRow, ...]:
    """Return the rows of a run without what an overtaken process has recorded late.

    A process that stood still may go on after another one has gone on with its run. The run is the
    other's then, and so is its end: what the first one records of its own part counts for nothing.
    A part that ended with a question was whole, whatever the clocks of two hosts say.
    """
    starts: dict[int, str] = {}
    asking: set[int] = set()
    for row in rows:
        part = _part_of(row)
        if row["kind"] not in ALWAYS_COUNTED and (at := row.get("started_at")):
            starts[part] = min(starts.get(part, at), at)
        if row["kind"] == "run" and row["status"] == "needs_human":
            asking.add(part)

    def is_late(row: RecordRow) -> bool:
        own, end = _part_of(row), row.get("timestamp", "")
        return any(part > own and at < end for part, at in starts.items())

    counts = (row["kind"] in ALWAYS_COUNTED or _part_of(row) in asking for row in rows)
    return tuple(row for row, sure in zip(rows, counts, strict=True) if sure or not is_late(row))


def _part_of(row: RecordRow) -> int:
    part: object = row.get("resume_no")
    return part if isinstance(part, int) else 0


def _count_again(source: Source, run: RunSummary) -> RunSummary:
    """Return the run as its counted rows say, if it may have been taken over from a process."""
    if not run.resumes or (run.ends <= 1 and not run.failures):
        return run
    again = RunSummary(run.run_id)
    for row in find_run(source, run.run_id).rows:
        _add_row(again, row)
    return again


def _compacted_rows(source: Source, run_id: str) -> Iterator[RecordRow]:
    paths = parquet_files(source)
    return _reading_parquet().compacted_rows(paths, run_id) if paths else iter(())


def _add_compacted(
    paths: Sequence[Path],
    runs: dict[str, RunSummary],
    folders: dict[Path, list[_DatedRun]],
    *,
    limit: int,
) -> int:
    """Add the newest runs in Parquet; return the number of runs there that `runs` did not have."""
    found = _reading_parquet().compacted_runs(paths, limit=limit, run_ids=tuple(runs))
    for fields in reversed(found.runs):
        began_at = fields.pop("began_at") or ""
        run = RunSummary(**fields)
        if run.run_id in runs:  # the run went on after its first rows were compacted
            newer = runs[run.run_id]
            newer.spans += run.spans
            newer.hops += run.hops
            newer.failures += run.failures
            newer.resumes = max(newer.resumes, run.resumes)
            newer.ends += run.ends
            _add_earlier_part(newer, run)
        else:
            folders.setdefault(paths[0].parent, []).append(_DatedRun(began_at, run))
    others: int = found.others
    return others


def _add_earlier_part(run: RunSummary, earlier: RunSummary) -> None:
    """Add the part of `run` before it waited for a person, unless it is the same part."""
    if earlier.started_at != run.started_at and earlier.ms is not None:
        run.ms = earlier.ms + (run.ms or 0.0)
    run.started_at = earlier.started_at or run.started_at
    run.status = run.status or earlier.status


def _reading_parquet() -> ModuleType:
    """Return the module that reads Parquet, which needs DuckDB.

    Raises:
        ParquetReaderMissingError: DuckDB is not installed.
    """
    try:
        return import_module("minerva_observability.compaction.compaction")
    except ModuleNotFoundError as error:
        raise ParquetReaderMissingError from error


class ParquetReaderMissingError(Exception):
    """Some records are in Parquet, and DuckDB, which reads it, is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "Some records are in Parquet files, which need DuckDB. Type:"
            " pip install 'minerva-observability[dashboard]'"
        )


def _newest_first(folders: dict[Path, list[_DatedRun]]) -> Iterator[RunSummary]:
    """Yield runs newest first: by timestamp between folders, by position within a folder."""
    newest = [reversed(seen) for seen in folders.values()]
    for seen in merge(*newest, key=lambda seen: seen.timestamp, reverse=True):
        yield seen.run


def _add_row(run: RunSummary, row: RecordRow) -> None:
    run.spans += 1
    run.failures += _is_failure(row)
    run.thread_id = row.get("thread_id", run.thread_id)
    run.resumes = max(run.resumes, _part_of(row))
    if row["kind"] != "run":
        run.hops += _is_worker_call(row)
        return
    if _part_of(row) == run.resumes:  # of parts in several files, the latest one says how it ended
        run.status, run.reason = row["status"], row.get("reason")
    run.ends += row["status"] != "needs_human"
    run.ms = (run.ms or 0.0) + row["ms"]  # each part of a run that waited has a row
    run.started_at = run.started_at or row.get("started_at")
    run.request_sha256 = row.get("request_sha256")


def _is_failure(row: RecordRow) -> bool:
    """True if a failure began in this row; `compacted_runs` has the same rule in SQL."""
    failed = row["status"] in {"failed", "timeout"} and row["kind"] in {"agent", "run"}
    action = row.get("action")
    return "because_of" not in row and action != "retried" and (action is not None or failed)


def _is_worker_call(row: RecordRow) -> bool:
    """True if the row is a worker's call: the path ends in the agent's name, and it was called."""
    left_out = row["status"] == "skipped" and "action" in row
    is_call = row["status"] != "paused" and not left_out  # one that paused goes on in a later row
    return row["kind"] == "agent" and row.get("agent_name") == called_name(row["path"]) and is_call
