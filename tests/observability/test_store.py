"""One table over all files of a source: every good row once, every bad line named."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from minerva_observability import JsonlSink, Metrics, Record, SpanFilter, SpanStore
from minerva_observability.compaction.columns import ALL
from minerva_observability.metrics.grouping import columns_for


def line(span: int, **fields: Any) -> bytes:
    """Return a row without its newline."""
    row = {
        "schema": 1,
        "timestamp": "2025-01-01T10:00:00.123Z",
        "ms": 1.5,
        "self_ms": 1.5,
        "run_id": f"run{span // 10:03d}",
        "span_id": f"{span:016x}",
        "path": "platform/data/retrieval_agent",
        "kind": "agent",
        "status": "ok",
        "agent_name": "retrieval_agent",
        "team": "data",
        **fields,
    }
    return json.dumps(row, separators=(",", ":")).encode()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SpanStore]:
    """Return a store of the test's folder."""
    with SpanStore(tmp_path) as store:
        yield store


def spans(store: SpanStore) -> int:
    """Return how many rows there are."""
    (row,) = store.query("SELECT count(*) AS n FROM spans")
    return int(row["n"])


BAD = {
    "torn": line(900)[:60],
    "nul": b"\0" * 4_096,
    "not_utf8": b'{"schema":1,"path":"\xff\xfe"}',
    "not_json": b"Traceback (most recent call last):",
    "not_a_record": b'{"schema":1,"hello":"world"}',
}


@pytest.mark.small(2)
@pytest.mark.parametrize("columns", ["all", "few"])
@pytest.mark.parametrize("long", [True, False])
def test_every_good_row_of_a_dirty_log_counts(tmp_path: Path, columns: str, long: bool) -> None:  # noqa: FBT001
    """200 good lines among torn, NUL, bad UTF-8, foreign and 20 MB ones (P9); the bad are named."""
    path = tmp_path / "runs.jsonl"
    bad = list(BAD.values()) + ([b"x" * 20_000_000] if long else [])
    with path.open("wb") as file:
        for number in range(200):
            file.write(line(number) + b"\n")
            if number % 30 == 0 and bad:
                file.write(bad.pop(0) + b"\n")
    wanted = ALL if columns == "all" else columns_for("agent", SpanFilter())

    with SpanStore(tmp_path, columns=wanted) as store:
        store.refresh()

        (figures,) = Metrics(store).figures("agent")
        found = store.summary.lines
    assert figures.calls == 200
    assert [(each.file, each.line, each.cause) for each in found.bad_lines] == [
        (path, 2, "torn"),
        (path, 33, "nul"),
        (path, 64, "not_utf8"),
        (path, 95, "not_json"),
        (path, 126, "not_a_record"),
        *([(path, 157, "not_json")] if long else []),
    ]
    assert found.bad == len(found.bad_lines)


@pytest.mark.slow
def test_rows_are_saved_from_damaged_lines(tmp_path: Path, store: SpanStore) -> None:
    """Glued to a torn one, padded with zeros, with a lone surrogate, 20 MB long."""
    (tmp_path / "runs.jsonl").write_bytes(
        line(0)[:40]
        + line(1)
        + b"\n"
        + b"\0" * 512
        + line(2)
        + b"\n"
        + line(3, reason="\ud800")
        + b"\n"
        + line(4, reason="x" * 20_000_000)
        + b"\r\n\n"
        + line(5)
    )

    store.refresh()

    assert spans(store) == 5
    assert store.summary.lines.causes == {"torn": 1}
    assert store.summary.unfinished_files == 0


def test_a_span_counts_once(tmp_path: Path, store: SpanStore) -> None:
    """In one file, in two, and when it comes again later."""
    (tmp_path / "runs.jsonl").write_bytes(b"\n".join([line(1), line(2), line(1), b""]))
    (tmp_path / "runs.2.jsonl").write_bytes(b"\n".join([line(2), line(3), b""]))
    store.refresh()

    assert (spans(store), store.summary.duplicates) == (3, 2)
    with (tmp_path / "runs.2.jsonl").open("ab") as file:
        file.write(line(1) + b"\n" + line(4) + b"\n" + line(4) + b"\n")
    store.refresh()

    assert (spans(store), store.summary.duplicates) == (4, 4)


def test_what_is_appended_is_added(tmp_path: Path, store: SpanStore) -> None:
    """Only whole lines; the rest of one counts when it is there, and a bad one is named then."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(line(1) + b"\n" + line(2)[:50])
    assert store.refresh()
    assert (spans(store), store.summary.unfinished_files) == (1, 1)

    with path.open("ab") as file:
        file.write(line(2)[50:] + b"\nnonsense\n" + line(3) + b"\n")
    assert store.refresh()
    assert (spans(store), store.summary.unfinished_files) == (3, 0)
    assert [(bad.line, bad.cause) for bad in store.summary.lines.bad_lines] == [(3, "not_json")]

    generation = store.generation
    assert not store.refresh()
    assert store.generation == generation


def test_a_row_without_its_newline_is_a_row(tmp_path: Path, store: SpanStore) -> None:
    """And is not counted again when the newline comes."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(line(1))
    store.refresh()
    assert spans(store) == 1

    with path.open("ab") as file:
        file.write(b"\n" + line(2) + b"\n")
    store.refresh()
    assert (spans(store), store.summary.lines.bad) == (2, 0)


def test_new_segments_and_new_hosts_are_found(tmp_path: Path, store: SpanStore) -> None:
    """A folder of a folder is a host; files that go away take their rows along."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/runs.jsonl").write_bytes(line(1) + b"\n")
    store.refresh()
    (tmp_path / "b").mkdir()
    (tmp_path / "b/runs.2.jsonl").write_bytes(line(2) + b"\n")
    assert store.refresh()
    assert (spans(store), store.summary.files) == (2, 2)

    (tmp_path / "a/runs.jsonl").unlink()
    assert store.refresh()
    assert (spans(store), store.summary.files) == (1, 1)


def test_a_file_that_was_replaced_is_read_anew(tmp_path: Path, store: SpanStore) -> None:
    """By another one of the same name, and by a shorter self."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(line(1) + b"\n" + line(2) + b"\n")
    store.refresh()

    path.write_bytes(line(3) + b"\n")
    assert store.refresh()
    assert store.query("SELECT span = hash('0000000000000003') AS it FROM spans") == [{"it": True}]


def test_nothing_recorded_is_an_empty_table(tmp_path: Path) -> None:
    """A folder without records, and one that is not there yet."""
    with SpanStore(tmp_path / "later") as store:
        store.refresh()
        assert (spans(store), store.summary.files) == (0, 0)
        assert Metrics(store).figures("agent") == ()

        sink = JsonlSink(tmp_path / "later/runs.jsonl")
        sink.finished(
            Record(
                started_ns=0,
                duration_ns=1,
                self_ns=1,
                run_id="r",
                span_id="s",
                path="p",
                kind="run",
                status="ok",
            )
        )
        assert store.refresh()
        assert spans(store) == 1
        sink.close()


@pytest.mark.parametrize("name", ["it's", "a[1]*?", "한글 폴더", "back\\slash"])
def test_folders_may_have_any_name(tmp_path: Path, name: str) -> None:
    """What SQL and patterns read otherwise is a name here."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "runs.jsonl").write_bytes(line(1) + b"\n")

    with SpanStore(tmp_path / name) as store:
        store.refresh()
        assert spans(store) == 1


def test_a_column_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    """Its name is said, and which there are."""
    with pytest.raises(ValueError, match=r"no column colour\. Choose from span, run"):
        SpanStore(tmp_path, columns=["colour"])


def test_large_files_are_read_in_parts(tmp_path: Path) -> None:
    """Of whole lines each; bad ones are named by their place in the file."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(line(0) + b"\n")
    with SpanStore(tmp_path, part_bytes=1_000) as store:
        store.refresh()

        with path.open("ab") as file:
            for number in range(1, 50):
                file.write(line(number) + (b"\nbad\n" if number == 40 else b"\n"))
            file.write(line(50, reason="y" * 5_000) + b"\n" + line(51)[:9])
        store.refresh()

        assert spans(store) == 51
        assert [(bad.file, bad.line) for bad in store.summary.lines.bad_lines] == [(path, 42)]


def test_a_failed_refresh_leaves_the_answers_and_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full while rows are taken in neither loses nor doubles any."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    home = tmp_path / "home"
    home.mkdir()
    (home / "runs.2.jsonl").write_bytes(line(1) + b"\n")
    with SpanStore(home) as store:
        store.refresh()
        (home / "runs.jsonl").write_bytes(line(2) + b"\n")  # this file is read first, and is whole
        with (home / "runs.2.jsonl").open("ab") as grown:  # its new lines are copied to be read
            grown.write(line(3) + b"\n")
        (scratch,) = tmp_path.glob("minerva-store-*")
        copy = scratch / "part.jsonl"
        copy.symlink_to("/dev/full")

        with pytest.raises(OSError, match="No space left"):
            store.refresh()
        assert spans(store) == 1

        copy.unlink()
        assert store.refresh()
        assert (spans(store), store.summary.duplicates) == (3, 0)
