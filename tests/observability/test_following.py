"""Rows are followed while they are written, each once, whatever becomes of their files."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread

import pytest

from minerva_observability import JsonlSink, Record, follow_records
from minerva_observability.records import RecordFollower, RecordRow, record_files, segment_lock

WRITER = """
import sys
from minerva_observability import JsonlSink, Record

sink = JsonlSink(sys.argv[1], segment_bytes=2_000)
for number in range(int(sys.argv[3])):
    sink.finished(Record(started_ns=0, duration_ns=1, self_ns=1, run_id=sys.argv[2],
                         span_id=str(number), path="p", kind="node", status="ok"))
assert sink.records_dropped == 0
sink.close()
"""


def line(span_id: object, **fields: object) -> bytes:
    """Return the line of a row."""
    row = {"schema": 1, "run_id": "r", "span_id": str(span_id), "path": "p", "kind": "node"}
    return json.dumps({**row, "status": "ok", "ms": 1, **fields}, separators=(",", ":")).encode()


def lines(*span_ids: object) -> bytes:
    """Return whole lines of rows."""
    return b"".join(line(each) + b"\n" for each in span_ids)


def append(path: Path, data: bytes) -> None:
    """Add to a file, which is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        file.write(data)


def names(rows: Iterator[RecordRow]) -> list[str]:
    """Return the span ids."""
    return [row["span_id"] for row in rows]


@pytest.fixture
def runs(minerva_home: Path) -> Path:
    """The first segment of this test's home."""
    return minerva_home / "runs.jsonl"


def test_what_was_there_is_passed_over_but_for_the_last_rows(runs: Path) -> None:
    """Then each row comes once."""
    append(runs, lines(*range(30)))
    with RecordFollower(runs.parent, last=3) as follower:
        assert names(follower.new_rows()) == ["27", "28", "29"]
        assert names(follower.new_rows()) == []
        append(runs, lines(30, 31))
        assert names(follower.new_rows()) == ["30", "31"]
        assert names(follower.new_rows()) == []


def test_nothing_needs_to_be_there_yet(runs: Path) -> None:
    """Neither the folder nor the file; what comes into them comes whole."""
    with RecordFollower(runs.parent) as follower:
        assert names(follower.new_rows()) == []
        append(runs, lines(1))
        assert names(follower.new_rows()) == ["1"]


def test_an_unfinished_line_is_waited_for(runs: Path) -> None:
    """Half a row is no row and no bad line; the other half may still come."""
    whole = lines("late")
    append(runs, lines(1) + whole[:20])
    with RecordFollower(runs, last=5) as follower:
        assert names(follower.new_rows()) == ["1"]
        append(runs, whole[20:30])
        assert names(follower.new_rows()) == []
        append(runs, whole[30:] + lines(2))
        assert names(follower.new_rows()) == ["late", "2"]
        assert follower.summary.bad == 0


def test_bad_lines_are_named_by_file_and_line(runs: Path) -> None:
    """Those that were there before are nobody's news."""
    append(runs, lines(1) + b"old rubbish\n" + lines(2))
    with RecordFollower(runs, last=5) as follower:
        assert names(follower.new_rows()) == ["1", "2"]
        append(runs, line("torn")[:40] + b"\n" + lines(3) + b"\0\0\n")
        assert names(follower.new_rows()) == ["3"]
        found = [(bad.file, bad.line, bad.cause) for bad in follower.summary.bad_lines]
        assert found == [(runs, 4, "torn"), (runs, 6, "nul")]
        assert (follower.summary.good, follower.summary.bad) == (1, 2)


def test_following_goes_on_in_the_next_segment(runs: Path) -> None:
    """A writer that leaves a full file behind is not lost."""
    with ExitStack() as after:
        sink = JsonlSink(runs, segment_bytes=400)
        after.callback(sink.close)
        follower = after.enter_context(RecordFollower(runs.parent))
        assert names(follower.new_rows()) == []
        for number in range(9):
            sink.finished(record(number))
        assert names(follower.new_rows()) == [str(number) for number in range(9)]
        assert len(record_files(runs.parent)) > 2


def test_last_rows_come_from_as_many_segments_as_it_takes(runs: Path) -> None:
    """The newest segment may hold a single row."""
    append(runs, lines(*range(8)))
    append(runs.with_name("runs.2.jsonl"), lines("a"))
    append(runs.with_name("runs.3.jsonl"), lines("b"))
    with RecordFollower(runs.parent, last=4) as follower:
        assert names(follower.new_rows()) == ["6", "7", "a", "b"]


def test_last_rows_of_several_hosts_stand_in_order_of_time(tmp_path: Path) -> None:
    """Each host's own order is that of its file."""
    for host, hours in (("a", (1, 4)), ("b", (2, 3))):
        for hour in hours:
            at = f"2026-01-01T0{hour}:00:00.000Z"
            append(tmp_path / host / "runs.jsonl", line(f"{host}{hour}", timestamp=at) + b"\n")
    with RecordFollower(str(tmp_path / "*" / "runs*.jsonl"), last=3) as follower:
        assert names(follower.new_rows()) == ["b2", "b3", "a4"]


def test_only_what_is_wanted_comes(runs: Path) -> None:
    """Last rows are looked for further back for it."""
    padding = lines(*(f"{number:05}" for number in range(3_000)))
    append(runs, line("early", status="failed") + b"\n" + padding)
    with RecordFollower(runs, last=2, is_wanted=lambda row: row["status"] == "failed") as follower:
        assert len(padding) > 200_000
        assert names(follower.new_rows()) == ["early"]
        append(runs, lines("fine") + line("late", status="failed") + b"\n")
        assert names(follower.new_rows()) == ["late"]


def test_what_was_written_before_a_file_was_deleted_still_comes(runs: Path) -> None:
    """Compaction deletes closed segments, perhaps a moment after their last row."""
    append(runs, lines(1))
    with RecordFollower(runs.parent) as follower:
        assert names(follower.new_rows()) == []
        append(runs, lines(2))
        with segment_lock(runs) as descriptor:
            assert descriptor is not None
            runs.unlink()
        append(runs, lines(3))
        assert names(follower.new_rows()) == ["2", "3"]
        assert names(follower.new_rows()) == []


def test_a_new_file_in_a_deleted_ones_place_is_read_from_its_beginning(runs: Path) -> None:
    """Also where it is larger and the file system would give it the same inode."""
    append(runs, lines(1))
    with RecordFollower(runs) as follower:
        assert names(follower.new_rows()) == []
        runs.unlink()
        append(runs, lines("first", "second"))
        assert names(follower.new_rows()) == ["first", "second"]


def test_an_emptied_file_is_read_anew(runs: Path) -> None:
    """Somebody's editor, or `> runs.jsonl`."""
    append(runs, lines(1, 2))
    with RecordFollower(runs) as follower:
        assert names(follower.new_rows()) == []
        runs.write_bytes(b"")
        assert names(follower.new_rows()) == []
        append(runs, lines(3))
        assert names(follower.new_rows()) == ["3"]


def test_more_files_than_are_held_open(runs: Path) -> None:
    """Every host's rows come, however many there are."""
    files = [runs.parent / f"host-{number}" / "runs.jsonl" for number in range(150)]
    with RecordFollower(runs.parent) as follower:
        assert names(follower.new_rows()) == []
        for turn in range(3):
            for file in files:
                append(file, lines(turn))
            assert names(follower.new_rows()) == [str(turn)] * 150


def test_writers_are_followed_until_it_is_said_to_stop(runs: Path) -> None:
    """Four processes that rotate; what was written before the stop is all there, once.

    A row may come after one of the next segment: it was written there when this one was read.
    """
    stop, seen = Event(), list[tuple[str, int]]()

    def follow() -> None:
        rows = follow_records(runs.parent, stop=stop, last=1200, every_s=0.005)
        seen.extend((row["run_id"], int(row["span_id"])) for row in rows)

    reader = Thread(target=follow)
    reader.start()
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, runs, name, "300"]) for name in "abcd"
    ]
    assert [writer.wait() for writer in writers] == [0] * 4
    stop.set()
    reader.join()

    for name in "abcd":
        assert sorted(number for run, number in seen if run == name) == list(range(300))


def record(span_id: object) -> Record:
    """Return a small record."""
    return Record(
        started_ns=0,
        duration_ns=1,
        self_ns=1,
        run_id="r",
        span_id=str(span_id),
        path="p",
        kind="node",
        status="ok",
    )
