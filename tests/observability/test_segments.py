"""Full files are followed by the next, closed ones can be taken away, readers find them all."""

import errno
import fcntl
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Thread

import pytest

from minerva_observability import JsonlSink, Record, read_records
from minerva_observability.records import parquet_files, record_files, segment_lock

ONE, TWO, FIVE = 1, 200, 700
"""Bytes of segments that one, two and five records of these tests fill."""

RESTLESS_WRITER = """
import sys
from minerva_observability import JsonlSink, Record

path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
for number in range(count):
    if number % 20 == 0:
        sink = JsonlSink(path, segment_bytes=2_000)
    sink.finished(Record(started_ns=0, duration_ns=1, self_ns=1, run_id=name, span_id=str(number),
                         path="p", kind="node", status="ok"))
    if number % 20 == 19:
        sink.close()
        assert sink.records_dropped == 0
"""

FORKING_WRITER = """
import os, sys
from minerva_observability import JsonlSink, Record

sink = JsonlSink(sys.argv[1], segment_bytes=1_000)
for number in range(60):
    if number == 20:
        child = os.fork()
    name = "both" if number < 20 else "parent" if child else "child"
    sink.finished(Record(started_ns=0, duration_ns=1, self_ns=1, run_id=name, span_id=str(number),
                         path="p", kind="node", status="ok"))
if child:
    assert os.waitpid(child, 0)[1] == 0
raise SystemExit(sink.records_dropped)
"""


def start(script: str, *arguments: object) -> "subprocess.Popen[bytes]":
    """Start a Python process."""
    return subprocess.Popen([sys.executable, "-c", script, *map(str, arguments)])


def record(span_id: object, *, run_id: str = "r") -> Record:
    """Return a small record."""
    return Record(
        started_ns=0,
        duration_ns=1,
        self_ns=1,
        run_id=run_id,
        span_id=str(span_id),
        path="p",
        kind="node",
        status="ok",
    )


def contents(folder: Path) -> dict[str, list[str]]:
    """Return the span ids in each file of `folder`."""
    return {
        path.name: [row["span_id"] for row in read_records(path)] for path in record_files(folder)
    }


def rows_of(paths: Iterator[Path]) -> list[tuple[str, int]]:
    """Return run and number of every row, all of which must be whole."""
    found: list[tuple[str, int]] = []
    for path in paths:
        reader = read_records(path)
        found += [(row["run_id"], int(row["span_id"])) for row in reader]
        assert reader.summary.bad == 0
    return found


def test_a_full_segment_is_followed_by_the_next(tmp_path: Path) -> None:
    """By one writer, by another that comes later, and by one that slept meanwhile."""
    path = tmp_path / "runs.jsonl"
    sleeper, sink = (JsonlSink(path, segment_bytes=TWO) for _ in range(2))
    sleeper.finished(record(0))

    for number in range(1, 8):
        sink.finished(record(number))
    JsonlSink(path, segment_bytes=TWO).finished(record(8))
    sleeper.finished(record(9))

    assert contents(tmp_path) == {
        "runs.jsonl": ["0", "1"],
        "runs.2.jsonl": ["2", "3"],
        "runs.3.jsonl": ["4", "5"],
        "runs.4.jsonl": ["6", "7"],
        "runs.5.jsonl": ["8", "9"],
    }
    assert list(contents(tmp_path))[-1] == "runs.5.jsonl"
    assert sleeper.path == path
    assert record_files(tmp_path)[-1] == tmp_path / "runs.5.jsonl"


def test_the_half_line_of_a_full_segment_is_closed(tmp_path: Path) -> None:
    """Its writer was killed; whoever joins the files must not glue a row to it."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b'{"schema":1,"run_id":"r","spa')

    JsonlSink(path, segment_bytes=10).finished(record(1))

    assert path.read_bytes().endswith(b"spa\n")
    assert contents(tmp_path) == {"runs.jsonl": [], "runs.2.jsonl": ["1"]}


def test_threads_and_forks_share_a_sink(tmp_path: Path) -> None:
    """Whoever finds the segment full moves on; nothing is lost, double or left open."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    sink = JsonlSink(tmp_path / "threads" / "runs.jsonl", segment_bytes=FIVE)

    def write(name: str) -> None:
        for number in range(100):
            sink.finished(record(number, run_id=name))

    threads = [Thread(target=write, args=(f"t{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sink.close()
    forking = start(FORKING_WRITER, tmp_path / "forks" / "runs.jsonl")

    expected = [(f"t{name}", each) for name in range(8) for each in range(100)]
    assert sorted(rows_of(iter(record_files(tmp_path / "threads")))) == expected
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert forking.wait() == 0
    expected = [("both", each) for each in range(20)]
    expected += [(name, each) for name in ("child", "parent") for each in range(20, 60)]
    assert sorted(rows_of(iter(record_files(tmp_path / "forks")))) == expected


def test_closed_segments_can_be_taken_away_while_others_are_written(tmp_path: Path) -> None:
    """4 writers that come and go, and 2 who copy and delete: 0 lost, 0 double (P7)."""
    home, taken = tmp_path / "home", tmp_path / "taken"
    taken.mkdir()
    writers = [start(RESTLESS_WRITER, home / "runs.jsonl", f"w{n}", 2_000) for n in range(4)]
    copies: list[Path] = []

    def take(name: str) -> None:
        is_over = False
        while not is_over:
            is_over = all(writer.poll() is not None for writer in writers)
            for path in record_files(home):
                with segment_lock(path) as descriptor:
                    if descriptor is not None:
                        copy = taken / f"{name}{len(copies)}.jsonl"
                        copy.write_bytes(os.pread(descriptor, 1_000_000, 0))
                        copies.append(copy)
                        path.unlink()

    threads = [Thread(target=take, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [writer.returncode for writer in writers] == [0] * 4
    assert record_files(home) == ()
    assert len(copies) > 50
    expected = [(f"w{name}", each) for name in range(4) for each in range(2_000)]
    assert sorted(rows_of(iter(copies))) == expected


def test_a_segment_is_closed_when_its_last_writer_is_gone(tmp_path: Path) -> None:
    """However it went: by closing, by moving on, or by SIGKILL."""
    path = tmp_path / "runs.jsonl"
    script = RESTLESS_WRITER + "print('written', flush=True); sys.stdin.read()"
    sink = JsonlSink(path, segment_bytes=ONE)
    sink.finished(record(1))
    other = subprocess.Popen(
        [sys.executable, "-c", script, str(path), "w", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert other.stdout is not None
    assert other.stdout.readline() == b"written\n"

    def is_closed(segment: Path) -> bool:
        with segment_lock(segment) as descriptor:
            return descriptor is not None

    assert not is_closed(path)
    sink.finished(record(2))
    assert not is_closed(path)  # our sink has moved on, the other process has not
    other.send_signal(signal.SIGKILL)
    other.communicate()
    assert is_closed(path)
    assert not is_closed(record_files(tmp_path)[-1])
    sink.close()
    assert is_closed(record_files(tmp_path)[-1])
    assert not is_closed(tmp_path / "runs.99.jsonl")  # there is none to take


def test_a_writer_does_not_wait_for_who_holds_its_segment(tmp_path: Path) -> None:
    """It begins the next one; two that would take a segment away cannot both have it."""
    path = tmp_path / "runs.jsonl"
    JsonlSink(path).close()

    with segment_lock(path) as descriptor:
        assert descriptor is not None
        JsonlSink(path).finished(record(1))
        with segment_lock(path) as second:
            assert second is None

    assert contents(tmp_path) == {"runs.jsonl": [], "runs.2.jsonl": ["1"]}


def test_a_segment_deleted_under_its_writer_is_replaced(tmp_path: Path) -> None:
    """The newest one that is left takes the records, or `runs.jsonl` if none is."""
    path = tmp_path / "runs.jsonl"
    sink = JsonlSink(path, segment_bytes=ONE)
    sink.finished(record(1))
    sink.finished(record(2))
    (tmp_path / "runs.2.jsonl").unlink()

    sink.finished(record(3))
    assert contents(tmp_path) == {"runs.jsonl": ["1"], "runs.2.jsonl": ["3"]}

    for segment in record_files(tmp_path):
        segment.unlink()
    sink.finished(record(4))
    assert contents(tmp_path) == {"runs.jsonl": ["4"]}


def test_a_full_segment_takes_more_where_no_other_can_be_had(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A long file is better than a lost record; later the next segment is tried again."""
    path = tmp_path / "runs.jsonl"
    sink = JsonlSink(path, segment_bytes=TWO)
    (tmp_path / "runs.2.jsonl").mkdir()

    for number in range(4):
        sink.finished(record(number))
    (tmp_path / "runs.2.jsonl").rmdir()
    for number in range(4, 6):
        sink.finished(record(number))

    assert contents(tmp_path) == {"runs.jsonl": [*"0123"], "runs.2.jsonl": [*"45"]}
    assert sink.records_dropped == 0
    assert [each.levelno for each in caplog.records] == [logging.WARNING]


def test_a_file_system_without_locks_loses_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Records are written without one; then no segment counts as closed."""

    def refuse(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    sink = JsonlSink(tmp_path / "runs.jsonl", segment_bytes=ONE)
    sink.finished(record(1))
    sink.finished(record(2))

    assert contents(tmp_path) == {"runs.jsonl": ["1"], "runs.2.jsonl": ["2"]}
    with ExitStack() as stack, pytest.raises(OSError, match=os.strerror(errno.ENOLCK)):
        stack.enter_context(segment_lock(tmp_path / "runs.jsonl"))


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Two hosts' homes as they are gathered, and files that hold no records."""
    names = (
        "a/.minerva/runs.jsonl a/.minerva/runs.2.jsonl a/.minerva/runs.10.jsonl "
        "a/.minerva/runs/2026-01-01-1.parquet a/.minerva/runs/.unfinished.parquet "
        "b/runs.3.jsonl b/runs/2026-01-02-1.parquet b/state.db b/notes.jsonl b/runs.jsonl.bak "
        "b/other.parquet"
    )
    for name in names.split():
        path = tmp_path / "hosts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path / "hosts"


HOST_A = [f"a/.minerva/{name}" for name in ("runs.jsonl", "runs.2.jsonl", "runs.10.jsonl")]
PARQUET_A = ["a/.minerva/runs/2026-01-01-1.parquet"]
PARQUET_B = ["b/runs/2026-01-02-1.parquet"]


@pytest.mark.parametrize(
    ("source", "records", "parquet"),
    [
        ("", [*HOST_A, "b/runs.3.jsonl"], [*PARQUET_A, *PARQUET_B]),
        ("b", ["b/runs.3.jsonl"], PARQUET_B),
        ("b/runs", [], PARQUET_B),
        ("b/runs.3.jsonl", ["b/runs.3.jsonl"], []),
        ("b/runs.jsonl.bak", ["b/runs.jsonl.bak"], []),
        ("b/other.parquet", [], ["b/other.parquet"]),
        ("*/runs*.jsonl", ["b/runs.3.jsonl"], PARQUET_B),
        ("**/runs*.jsonl", [*HOST_A, "b/runs.3.jsonl"], [*PARQUET_A, *PARQUET_B]),
        ("**/runs.?.jsonl", ["a/.minerva/runs.2.jsonl", "b/runs.3.jsonl"], []),
        ("a/*", HOST_A, PARQUET_A),
        ("[ab]", [*HOST_A, "b/runs.3.jsonl"], [*PARQUET_A, *PARQUET_B]),
        ("b/*", ["b/notes.jsonl", "b/runs.3.jsonl"], ["b/other.parquet", *PARQUET_B]),
        ("nobody", [], []),
        ("nobody/*.jsonl", [], []),
    ],
)
def test_a_source_is_a_file_a_folder_or_a_pattern(
    fleet: Path,
    source: str,
    records: list[str],
    parquet: list[str],
) -> None:
    """Segments come by number, folder by folder, each once; Parquet is found where it lies."""
    assert [str(path.relative_to(fleet)) for path in record_files(fleet / source)] == records
    assert [str(path.relative_to(fleet)) for path in parquet_files(str(fleet / source))] == parquet


def test_a_file_that_two_names_lead_to_is_read_once(fleet: Path) -> None:
    """A link to the newest file, as some keep, must not count its rows twice."""
    (fleet / "b" / "runs.4.jsonl").symlink_to("runs.3.jsonl")

    assert record_files(fleet / "b") == (fleet / "b" / "runs.3.jsonl",)


def test_a_folder_whose_name_looks_like_a_pattern_is_a_folder(tmp_path: Path) -> None:
    """What is there goes before what it could mean."""
    home = tmp_path / "[home]"
    JsonlSink(home / "runs.jsonl").finished(record(1))

    assert [row["span_id"] for row in read_records(home)] == ["1"]


def test_nobody_looks_into_a_compaction(tmp_path: Path) -> None:
    """Its folders come and go, and what is in them is no record yet."""
    passing = tmp_path / "runs" / ".compacting-1" / "runs"
    passing.mkdir(parents=True)
    (passing / "half.parquet").touch()
    (passing / "runs.jsonl").touch()
    hidden = tmp_path / ".host" / "runs.jsonl"
    hidden.parent.mkdir()
    hidden.touch()

    assert record_files(tmp_path) == (hidden,)
    assert parquet_files(tmp_path) == ()
