"""Closed segments become Parquet: nothing is lost, nothing doubled, whenever it is killed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from minerva_observability import (
    JsonlSink,
    Metrics,
    Record,
    SpanStore,
    find_run,
    list_runs,
    read_records,
)
from minerva_observability.compaction import compact_records
from minerva_observability.records import parquet_files

RUN = "ab" * 16


def line(span: int, **fields: Any) -> dict[str, Any]:
    """Return a row that ended on the first of January 2025."""
    return {
        "schema": 1,
        "timestamp": "2025-01-01T10:00:00.123Z",
        "started_at": "2025-01-01T10:00:00.120Z",
        "ms": 3.25,
        "self_ms": 1.0,
        "run_id": RUN,
        "span_id": f"{span:016x}",
        "path": "platform/data/retrieval_agent",
        "kind": "node",
        "status": "ok",
        **fields,
    }


def write(path: Path, *rows: dict[str, Any] | bytes) -> None:
    """Append rows, and lines as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        for row in rows:
            file.write(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SpanStore]:
    """Return a store of the test's folder."""
    with SpanStore(tmp_path) as store:
        yield store


def test_every_row_comes_back_as_it_stood(tmp_path: Path) -> None:
    """All fields of schema 1, those of later versions, and values of other types than usual."""
    rows = [
        line(1, decision={"goals": ["data"], "scores": {"data": 1.5}, "finish": True}),
        line(2, error={"type": "ValueError", "message": "x\u0000\u2028'\"", "where": "a.py:3"}),
        line(3, error={"type": "ValueError", "message": "x", "code": 7}, status="failed"),
        line(4, timestamp="yesterday", attempt="first", tenant={"id": 3}, cost=1),
        line(5, waited_ms=1e-3, prompt_tokens=12, completion_tokens=2**40, model="m", step=2),
        line(6, agent_name="=HYPERLINK(1)", reason="", self_ms=None),
        line(7, timestamp="2025-01-01T10:00:00.123456+09:00", started_at=None),
    ]
    write(tmp_path / "runs.jsonl", *rows)
    before = list(read_records(tmp_path))

    done = compact_records(tmp_path)

    assert (done.rows, done.duplicates, done.bad_lines) == (7, 0, 0)
    assert not (tmp_path / "runs.jsonl").exists()
    after = find_run(tmp_path, RUN).rows
    assert sorted(after, key=lambda row: row["span_id"]) == before


def test_rows_go_by_the_day_they_ended_on(tmp_path: Path) -> None:
    """A row without a time has a file of its own; files of a home are its owner's alone."""
    undated = line(3)
    del undated["timestamp"]
    write(tmp_path / "runs.jsonl", line(1), line(2, timestamp="2025-01-02T00:00:00.000Z"), undated)

    compact_records(tmp_path)

    files = parquet_files(tmp_path)
    assert [path.name[:-21] for path in files] == ["2025-01-01", "2025-01-02", "undated"]
    assert {path.parent for path in files} == {tmp_path / "runs"}
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_the_order_of_writing_stays(tmp_path: Path) -> None:
    """Children come before their parents, also where many ended in the same millisecond."""
    write(tmp_path / "runs.jsonl", *(line(number * 7919 % 50_021) for number in range(3_000)))
    before = [row["span_id"] for row in find_run(tmp_path, RUN).rows]

    compact_records(tmp_path)

    assert [row["span_id"] for row in find_run(tmp_path, RUN).rows] == before


def test_a_segment_in_use_waits(tmp_path: Path) -> None:
    """Its writer loses nothing, and the next time its rows are converted."""
    sink = JsonlSink(tmp_path / "runs.jsonl")
    sink.finished(_record("1"))

    assert compact_records(tmp_path).in_use == [tmp_path / "runs.jsonl"]
    sink.finished(_record("2"))
    sink.close()

    assert compact_records(tmp_path).rows == 2
    assert sink.records_dropped == 0


def test_a_writer_that_comes_later_begins_a_file_of_its_own(tmp_path: Path) -> None:
    """And its run is listed beside the compacted ones, the newest first."""
    write(tmp_path / "runs.jsonl", line(1, kind="run", path="platform"))
    compact_records(tmp_path)
    write(tmp_path / "runs.jsonl", line(2, run_id="cd" * 16, kind="run", status="failed"))

    found = list_runs(tmp_path)

    assert [(run.run_id, run.status) for run in found.runs] == [("cd" * 16, "failed"), (RUN, "ok")]
    assert (found.total, found.truncated) == (2, False)
    assert list_runs(tmp_path, limit=1).truncated


def test_a_run_that_went_on_after_its_first_rows_were_compacted_is_one_run(
    tmp_path: Path,
) -> None:
    """Both parts are counted and shown."""
    write(tmp_path / "runs.jsonl", line(1, kind="agent", agent_name="retrieval_agent"))
    compact_records(tmp_path)
    write(tmp_path / "runs.jsonl", line(2, kind="run", path="platform", status="ok_degraded"))

    (run,) = list_runs(tmp_path).runs

    assert (run.spans, run.hops, run.status) == (2, 1, "ok_degraded")
    assert [row["span_id"][-1] for row in find_run(tmp_path, RUN[:6]).rows] == ["1", "2"]


def test_a_file_that_comes_again_adds_nothing(tmp_path: Path, store: SpanStore) -> None:
    """As when a copy of another host's file is fetched once more: not in figures, nor on disk."""
    write(tmp_path / "runs.jsonl", *(line(number) for number in range(10)))
    copy = (tmp_path / "runs.jsonl").read_bytes()
    compact_records(tmp_path)
    write(tmp_path / "runs.jsonl", copy, line(10))

    store.refresh()

    assert store.query("SELECT count(*) AS n FROM spans") == [{"n": 11}]
    assert store.summary.duplicates == 10
    done = compact_records(tmp_path)
    assert (done.rows, done.duplicates) == (1, 10)
    assert len(find_run(tmp_path, RUN).rows) == 11


def test_lines_that_hold_no_record_are_kept_apart(tmp_path: Path) -> None:
    """As they stood; a row that a torn line hides is saved."""
    torn = json.dumps(line(8)).encode()[:60]
    write(tmp_path / "runs.jsonl", line(1), torn + json.dumps(line(2)).encode() + b"\n", b"{}\n")
    write(tmp_path / "runs.jsonl", b"\xff\xfe\n", b'{"schema":1', b"")

    done = compact_records(tmp_path)

    assert (done.rows, done.bad_lines) == (2, 4)
    kept = (tmp_path / "runs/rejected.txt").read_bytes()
    assert kept.split(b"\n")[1:] == [b"{}", b"\xff\xfe", b'{"schema":1']
    assert kept.startswith(torn)


def test_figures_are_the_same_before_and_after(tmp_path: Path) -> None:
    """Whatever is compacted and whatever is not yet."""
    for number in range(3):
        rows = [
            line(
                100 * number + each,
                kind="agent",
                agent_name="retrieval_agent",
                team="data",
                ms=each + number / 8,
                timestamp=f"2025-01-0{number + 1}T10:00:00.000Z",
            )
            for each in range(100)
        ]
        write(tmp_path / ("runs.jsonl" if number == 0 else f"runs.{number + 1}.jsonl"), *rows)
    seen = []
    for _ in range(2):
        with SpanStore(tmp_path) as store:
            store.refresh()
            seen.append((Metrics(store).figures("agent"), Metrics(store).calls_over_time("day")))
        with (tmp_path / "runs.3.jsonl").open("ab") as held:
            import fcntl  # noqa: PLC0415  # this test alone holds a segment

            fcntl.flock(held, fcntl.LOCK_SH)
            compact_records(tmp_path)
            assert (tmp_path / "runs.3.jsonl").exists()

    assert seen[0] == seen[1]


def test_who_looks_on_while_files_are_compacted_sees_every_row_once(
    tmp_path: Path, store: SpanStore
) -> None:
    """A store that was open before reads the Parquet instead of what it had read."""
    write(tmp_path / "runs.jsonl", *(line(number) for number in range(100)))
    store.refresh()
    compact_records(tmp_path)
    write(tmp_path / "runs.jsonl", line(100))

    assert store.refresh()
    assert store.query("SELECT count(*) AS n, count(DISTINCT span) AS m FROM spans") == [
        {"n": 101, "m": 101}
    ]
    assert not store.refresh()


KILLED = """
import os, signal, sys
from pathlib import Path
from minerva_observability.compaction import compact_records

step, home = sys.argv[1:]
if step == "before the segment is deleted":
    Path.unlink = lambda self, **_: os.kill(os.getpid(), signal.SIGKILL)
else:
    Path.rename = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
compact_records(home)
"""


@pytest.mark.small(1)
@pytest.mark.parametrize("step", ["before a file has its name", "before the segment is deleted"])
def test_a_killed_compaction_costs_nothing(tmp_path: Path, store: SpanStore, step: str) -> None:
    """Rows are in one place or in both, count once, and the next compaction tidies up."""
    write(tmp_path / "runs.jsonl", *(line(number) for number in range(50)))

    done = subprocess.run([sys.executable, "-c", KILLED, step, str(tmp_path)], check=False)

    assert done.returncode == -signal.SIGKILL
    store.refresh()
    assert store.query("SELECT count(*) AS n FROM spans") == [{"n": 50}]
    assert len(find_run(tmp_path, RUN).rows) == 50
    compact_records(tmp_path)
    assert len(find_run(tmp_path, RUN).rows) == 50
    left = [path.name for path in (tmp_path / "runs").iterdir() if path.suffix != ".parquet"]
    assert left == [".lock"]


def test_what_cannot_be_written_leaves_the_segment(
    tmp_path: Path,
) -> None:
    """Fewer rows in a Parquet file than were read: it is told, nothing deleted; others go on."""
    write(tmp_path / "runs.jsonl", *(line(number) for number in range(5)))
    write(tmp_path / "runs.2.jsonl", *(line(number) for number in range(5, 9)))

    done = compact_records(tmp_path, count_rows=lambda _: 4)

    assert [error.segment for error in done.errors] == [tmp_path / "runs.jsonl"]
    assert "5 rows, but 4 were written" in str(done.errors[0])
    assert done.segments == [tmp_path / "runs.2.jsonl"]
    assert len(find_run(tmp_path, RUN).rows) == 9


def test_anybody_can_read_the_files(tmp_path: Path) -> None:
    """They are plain Parquet, compressed by zstd, with the names of the README."""
    write(tmp_path / "runs.jsonl", line(1, error={"type": "E", "message": "m"}))
    compact_records(tmp_path)
    (path,) = parquet_files(tmp_path)

    anybody = duckdb.connect()
    found = anybody.execute("SELECT kind, error.message FROM read_parquet(?)", [str(path)])
    [(kind, message)] = found.fetchall()
    found = anybody.execute("SELECT DISTINCT compression FROM parquet_metadata(?)", [str(path)])
    codecs = found.fetchall()

    assert (kind, message) == ("node", "m")
    assert ("ZSTD",) in codecs
    assert os.path.commonpath([path, tmp_path]) == str(tmp_path)


def _record(span_id: str) -> Record:
    return Record(
        started_ns=0,
        duration_ns=1,
        self_ns=1,
        run_id=RUN,
        span_id=span_id,
        path="p",
        kind="node",
        status="ok",
    )


def test_files_from_before_a_failure_named_its_cause_are_read(
    tmp_path: Path, store: SpanStore
) -> None:
    """They have no such column, alone or beside newer ones: their failures began where they are."""
    failed = {"kind": "agent", "status": "failed", "action": "bypassed"}
    failed |= {"agent_name": "retrieval_agent", "team": "data"}
    write(tmp_path / "runs.jsonl", line(1, **failed))
    [new] = compact_records(tmp_path).files
    with duckdb.connect() as connection:
        old = connection.read_parquet(str(new)).select("* EXCLUDE because_of")
        old.write_parquet(f"{new}.old")
    Path(f"{new}.old").rename(new)

    store.refresh()
    assert Metrics(store).totals().failures == 1
    assert find_run(tmp_path, RUN).rows[0].get("because_of") is None

    write(tmp_path / "runs.jsonl", line(2, **failed, because_of="platform/data/other"))
    compact_records(tmp_path)
    store.refresh()
    assert Metrics(store).totals().failures == 1
    assert [run.failures for run in list_runs(tmp_path).runs] == [1]
    causes = [row.get("because_of") for row in find_run(tmp_path, RUN).rows]
    assert sorted(causes, key=str) == [None, "platform/data/other"]
