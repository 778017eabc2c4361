"""One line per record: whole, once, whatever happens to the file."""

import json
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from minerva_observability import JsonlSink, MemorySink, Record, RunScope, read_records, record_span
from minerva_observability.records import SEGMENT_BYTES, record_files

WRITER = """
import sys
from random import Random
from minerva_observability import JsonlSink, Record

path, name, count, longest, limit = *sys.argv[1:3], *map(int, sys.argv[3:])
sink, sizes = JsonlSink(path, segment_bytes=limit), Random(name)
for number in range(count):
    size = int(200 * (longest / 200) ** sizes.random())
    sink.finished(Record(started_ns=0, duration_ns=1, self_ns=1, run_id=name, span_id=str(number),
                         path="p", kind="node", status="ok", reason="x" * size))
    print(number, flush=True)
raise SystemExit(sink.records_dropped)
"""


def start_writer(path: Path, *arguments: object) -> subprocess.Popen[str]:
    """Start a process that writes records and prints each one's number once it is written."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
    )


def record(span_id: str = "1", *, reason: str | None = None) -> Record:
    """Return a small record."""
    return Record(
        started_ns=0,
        duration_ns=1,
        self_ns=1,
        run_id="r",
        span_id=span_id,
        path="p",
        kind="node",
        status="ok",
        reason=reason,
    )


def span_ids(source: Path) -> list[str]:
    """Return the span ids of the good rows, in order."""
    return [row["span_id"] for row in read_records(source)]


def inodes(folder: Path) -> set[tuple[str, int]]:
    """Return which file has which name."""
    return {(path.name, path.stat().st_ino) for path in folder.iterdir()}


@pytest.fixture(params=[SEGMENT_BYTES, 1_000_000], ids=["one file", "rotation"])
def segment_bytes(request: pytest.FixtureRequest) -> int:
    """The size at which a file is full: never reached, or again and again."""
    return int(request.param)


def test_the_line_is_the_record(tmp_path: Path) -> None:
    """What a recorder saw is what the file holds; nobody else may read it."""
    path, memory = tmp_path / "runs.jsonl", MemorySink()
    sink = JsonlSink(path)

    with RunScope(recorder=memory).bound(), record_span(kind="run", path="p") as span:
        span.set(reason='한글 "quoted"\n')
    sink.finished(memory.records[0])

    assert json.loads(path.read_bytes()) == memory.records[0].to_json_dict()
    assert path.read_bytes().count(b"\n") == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.small(1)
def test_processes_that_write_at_once_lose_nothing(tmp_path: Path, segment_bytes: int) -> None:
    """8 processes, lines of 200 B to 3 MB: 0 torn, 0 lost, 0 double (P7)."""
    path = tmp_path / "runs.jsonl"
    writers = [
        start_writer(path, f"w{number}", 20, 3_000_000, segment_bytes) for number in range(8)
    ]

    for writer in writers:
        writer.communicate()
    reader = read_records(tmp_path)
    seen = [(row["run_id"], int(row["span_id"])) for row in reader]

    assert [writer.returncode for writer in writers] == [0] * 8
    assert sorted(seen) == [(f"w{number}", each) for number in range(8) for each in range(20)]
    assert reader.summary.bad == 0


@pytest.mark.small(1)
def test_killed_writers_cost_only_the_line_they_were_writing(
    tmp_path: Path,
    segment_bytes: int,
) -> None:
    """8 processes, 5 of them killed: what was acknowledged is there, once; the others' is whole.

    No file is ever renamed under a writer (P7).
    """
    path = tmp_path / "runs.jsonl"
    survivors = [
        start_writer(path, f"s{number}", 60, 300_000, segment_bytes) for number in range(3)
    ]
    doomed = [
        start_writer(path, f"d{number}", 100_000, 3_000_000, segment_bytes) for number in range(5)
    ]

    expected = {(f"s{number}", each) for number in range(3) for each in range(60)}
    names: set[tuple[str, int]] = set()
    for number, writer in enumerate(doomed):
        assert writer.stdout is not None
        for _ in range(8):
            expected.add((f"d{number}", int(writer.stdout.readline())))
        names |= inodes(tmp_path)
        writer.send_signal(signal.SIGKILL)
        rest, _ = writer.communicate()
        whole = rest[: rest.rfind("\n") + 1].split()
        expected |= {(f"d{number}", int(each)) for each in whole}
    for writer in survivors:
        writer.communicate()
    reader = read_records(tmp_path)
    seen = [(row["run_id"], int(row["span_id"])) for row in reader]

    assert [writer.returncode for writer in survivors] == [0] * 3
    assert len(seen) == len(set(seen))
    assert expected <= set(seen)
    assert set(reader.summary.causes) <= {"torn"}
    assert reader.summary.bad <= 5
    assert names <= inodes(tmp_path)
    assert (len(record_files(tmp_path)) > 5) == (segment_bytes < SEGMENT_BYTES)


@pytest.mark.parametrize("moment", ["opening", "writing"])
def test_an_unfinished_last_line_is_closed(tmp_path: Path, moment: str) -> None:
    """Half a line costs itself, not the one that follows it."""
    path = tmp_path / "runs.jsonl"
    torn = b'{"schema":1,"run_id":"r","spa'

    if moment == "opening":
        path.write_bytes(torn)
        sink = JsonlSink(path)
        assert path.read_bytes() == torn + b"\n"
    else:
        sink = JsonlSink(path)
        sink.finished(record("1"))
        with path.open("ab") as other:
            other.write(torn)
    sink.finished(record("2"))

    assert span_ids(path)[-1] == "2"
    assert path.read_bytes().count(b"\n") == (2 if moment == "opening" else 3)


def test_a_full_disk_drops_and_counts(caplog: pytest.LogCaptureFixture) -> None:
    """ENOSPC from a real device: said once, never raised (P8)."""
    sink = JsonlSink("/dev/full")

    sink.finished(record("1"))
    sink.finished(record("2"))

    assert sink.records_dropped == 2
    assert len(caplog.records) == 1
    assert "No space left on device" in caplog.text
    assert "MINERVA_HOME" in caplog.text


def test_a_disk_that_fills_takes_part_of_a_line(tmp_path: Path) -> None:
    """The part is closed off; once there is space, rows are whole again."""
    path = tmp_path / "runs.jsonl"
    sink = JsonlSink(path)
    sink.finished(record("1"))
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 50, before[1]))
        sink.finished(record("2"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    sink.finished(record("3"))

    reader = read_records(path)
    assert [row["span_id"] for row in reader] == ["1", "3"]
    assert sink.records_dropped == 1
    assert [bad.cause for bad in reader.summary.bad_lines] == ["torn"]


@pytest.mark.parametrize(
    ("taken", "ids"),
    [(50, ["1"]), (-1, ["1"]), (-2, ["1"])],
    ids=["half", "all but the newline", "all but the end"],
)
def test_a_short_write_leaves_the_row_exactly_once(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    taken: int,
    ids: list[str],
) -> None:
    """The operating system may take less than it was given."""
    path = tmp_path / "runs.jsonl"
    sink, write = JsonlSink(path), os.write
    cuts = iter([taken])

    def short_write(descriptor: int, data: bytes) -> int:
        return write(descriptor, data[: next(cuts, None)])

    monkeypatch.setattr(os, "write", short_write)
    sink.finished(record("1"))
    monkeypatch.undo()

    assert span_ids(path) == ids
    assert sink.records_dropped == 0


def test_a_folder_that_cannot_be_written_never_fails_a_run(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The home may be a file by mistake."""
    (tmp_path / "home").write_text("a file")
    sink = JsonlSink(tmp_path / "home" / "runs.jsonl")

    sink.finished(record())

    assert sink.records_dropped == 1
    assert len(caplog.records) == 1


def test_a_deleted_file_is_made_anew(tmp_path: Path) -> None:
    """A server outlives the `rm` of its records and goes on recording."""
    path = tmp_path / "runs.jsonl"
    sink = JsonlSink(path)
    sink.finished(record("1"))
    path.unlink()

    sink.finished(record("2"))

    assert span_ids(path) == ["2"]


def test_what_json_cannot_hold_is_spelled_out(tmp_path: Path) -> None:
    """Lone surrogates, odd keys and objects cost no row."""
    path = tmp_path / "runs.jsonl"
    sink = JsonlSink(path)
    decision = {"goals": {"caf\udce9"}, 1: 2**70, "path": Path("x")}

    sink.finished(record(reason="caf\udce9"))
    sink.finished(
        Record(
            started_ns=0,
            duration_ns=1,
            self_ns=1,
            run_id="r",
            span_id="2",
            path="p",
            kind="route",
            status="ok",
            decision=decision,  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # wrong on purpose
        ),
    )

    first, second = read_records(path)
    assert first.get("reason") == r"caf\udce9"
    assert second.get("decision") == {"goals": [r"caf\udce9"], "1": str(2**70), "path": "x"}


def test_after_closing_records_are_counted_as_dropped(tmp_path: Path) -> None:
    """A worker abandoned by a timeout may finish after the process said goodbye."""
    sink = JsonlSink(tmp_path / "runs.jsonl")
    sink.close()

    sink.finished(record())

    assert sink.records_dropped == 1
    assert (tmp_path / "runs.jsonl").read_bytes() == b""


def test_descriptors_do_not_leak(tmp_path: Path) -> None:
    """Opening, deleting and closing give back what they took (P14)."""
    before = len(list(Path("/proc/self/fd").iterdir()))

    for number in range(5):
        sink = JsonlSink(tmp_path / f"{number}.jsonl")
        sink.finished(record())
        sink.path.unlink()
        sink.finished(record())
        sink.close()

    assert len(list(Path("/proc/self/fd").iterdir())) == before
