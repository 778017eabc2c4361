"""Records that are written, converted and deleted while a store reads them."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from forms import forms

from minerva_observability import SpanStore
from minerva_observability.compaction import compact_records


def line(span: int, size: int = 0) -> bytes:
    """Return a row with its newline, `size` bytes longer than needed."""
    row = {
        "schema": 1,
        "timestamp": "2025-01-01T10:00:00.123Z",
        "ms": 1.5,
        "self_ms": 1.5,
        "run_id": f"{span:032x}",
        "span_id": f"{span:016x}",
        "path": "platform/data/retrieval_agent",
        "kind": "agent",
        "status": "ok",
        "agent_name": "retrieval_agent",
        "reason": "x" * size,
    }
    return json.dumps(row).encode() + b"\n"


def spans(store: SpanStore) -> int:
    """Return how many rows there are."""
    (row,) = store.query("SELECT count(*) AS n FROM spans")
    return int(row["n"])


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the system's temporary folder, which is the test's own."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_segment_that_is_converted_while_it_is_read_keeps_its_rows(tmp_path: Path) -> None:
    """Listed as a segment, gone when its turn comes: it is looked for again, as Parquet."""
    for host in ("a", "b"):
        (tmp_path / host).mkdir()
    gate = tmp_path / "a" / "runs.jsonl"
    os.mkfifo(gate)  # whoever reads it waits for a writer
    (tmp_path / "b" / "runs.jsonl").write_bytes(line(1) + line(2))
    with SpanStore(tmp_path) as store:
        failures: list[BaseException] = []

        def refresh() -> None:
            try:
                store.refresh()
            except BaseException as error:  # noqa: BLE001  # shown below
                failures.append(error)

        thread = threading.Thread(target=refresh)
        thread.start()
        with gate.open("wb"):  # the store has listed both and is reading the first
            gate.unlink()
            compact_records(tmp_path / "b")
        thread.join(30)

        assert (failures, thread.is_alive()) == ([], False)
        assert spans(store) == 2


def test_what_is_written_meanwhile_is_neither_doubled_nor_bad(tmp_path: Path) -> None:
    """A file grows while it is read, and its last line is half written then."""
    rows = 20_000
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"".join(line(number, 400) for number in range(rows)))
    stop = threading.Event()
    written = [rows]

    def write() -> None:
        with path.open("ab", buffering=0) as file:
            while not stop.is_set():
                whole = line(written[0], 400)
                file.write(whole[:300])
                stop.wait(0.001)
                file.write(whole[300:])
                written[0] += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        with SpanStore(tmp_path) as store:
            for _ in range(5):
                store.refresh()
            stop.set()
            writer.join(30)
            store.refresh()

            assert spans(store) == written[0]
            assert (store.summary.duplicates, store.summary.lines.bad) == (0, 0)
    finally:
        stop.set()
        writer.join(30)


@pytest.mark.slow
@pytest.mark.parametrize("rows", forms([150_000], [40_000]))
def test_a_long_line_after_many_rows_adds_none_of_them_twice(tmp_path: Path, rows: int) -> None:
    """DuckDB gives up at it, after it has taken what stands before."""
    (tmp_path / "runs.jsonl").write_bytes(
        b"".join(map(line, range(rows))) + b"x" * 20_000_000 + b"\n" + line(rows)
    )
    with SpanStore(tmp_path) as store:
        store.refresh()

        assert spans(store) == rows + 1
        assert (store.summary.duplicates, store.summary.lines.bad) == (0, 1)


@pytest.mark.small(1)
@pytest.mark.parametrize("is_last", [True, False])
def test_a_file_system_may_leave_any_number_of_zeros(tmp_path: Path, is_last: bool) -> None:  # noqa: FBT001
    """As one line without an end, or in the middle of a file: in time, and in little memory."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(line(1))
    os.truncate(path, 150_000_000)
    if not is_last:
        with path.open("ab") as file:
            file.write(b"\n" + line(2))
    program = (
        "import resource, sys; from minerva_observability import SpanStore;"
        "resource.setrlimit(resource.RLIMIT_DATA, (300_000_000,) * 2);"
        "store = SpanStore(sys.argv[1]); store.refresh(); summary = store.summary;"
        "print(store.query('SELECT count(*) AS n FROM spans')[0]['n'],"
        " summary.unfinished_files, summary.lines.bad)"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.stdout.split() == (["1", "1", "0"] if is_last else ["2", "0", "1"]), done.stderr


def test_the_files_of_a_killed_store_are_cleared_away(tmp_path: Path, scratch: Path) -> None:
    """By the next one; those of a store that is open stay."""
    (tmp_path / "runs.jsonl").write_bytes(line(1))
    program = (
        "import sys, os, signal; from minerva_observability import SpanStore;"
        "store = SpanStore(sys.argv[1]); store.refresh(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    environment = {**os.environ, "TMPDIR": str(scratch)}
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], env=environment, check=False)
    assert len(list(scratch.iterdir())) == 1

    with SpanStore(tmp_path / "runs.jsonl") as first, SpanStore(tmp_path / "runs.jsonl") as second:
        assert len(list(scratch.iterdir())) == 2
        first.refresh()
        second.refresh()
        assert (spans(first), spans(second)) == (1, 1)
    assert not list(scratch.iterdir())


def test_a_store_that_nobody_closed_leaves_no_files(tmp_path: Path, scratch: Path) -> None:
    """Neither when it is forgotten, nor when it could not be opened at all."""
    store = SpanStore(tmp_path)
    store.refresh()
    del store
    with pytest.raises(Exception, match="Memory"):
        SpanStore(tmp_path, memory_limit="a lot")

    assert not list(scratch.iterdir())
