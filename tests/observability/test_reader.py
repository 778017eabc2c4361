"""Every good row of a damaged file is found; every bad line is counted and shown."""

import json
import tracemalloc
from pathlib import Path
from typing import Any

from minerva_observability import find_run, list_runs, read_records
from minerva_observability.records import BadLine
from minerva_observability.records.reader import RecordReader


def line(number: int, **more: Any) -> bytes:
    """Return a row of run `number // 10`, without a newline."""
    row = {
        "schema": 1,
        "run_id": f"run{number // 10:03d}",
        "span_id": f"{number:016x}",
        "path": "p/a",
        "kind": "node",
        "status": "ok",
        "ms": 1.5,
        **more,
    }
    return json.dumps(row, separators=(",", ":")).encode()


def test_good_rows_among_bad_ones_are_all_found(tmp_path: Path) -> None:
    """200 good lines among torn, NUL, bad UTF-8, foreign and 20 MB ones (P9)."""
    bad = {
        "torn": line(900)[:60],
        "nul": b"\0" * 4_096,
        "not_utf8": b'{"schema":1,"path":"\xff\xfe"}',
        "not_json": b"Traceback (most recent call last):",
        "not_a_record": b'{"schema":1,"hello":"world"}',
        "long": b"x" * 20_000_000,
    }
    path = tmp_path / "runs.jsonl"
    with path.open("wb") as file:
        spoiled = list(bad.values())
        for number in range(200):
            file.write(line(number) + b"\n")
            if number % 30 == 0 and spoiled:
                file.write(spoiled.pop(0) + b"\n")

    reader = read_records(path)
    found = [int(row["span_id"], 16) for row in reader]

    assert found == list(range(200))
    assert reader.summary.good == 200
    assert reader.summary.bad == 6
    assert [(each.line, each.cause) for each in reader.summary.bad_lines] == [
        (2, "torn"),
        (33, "nul"),
        (64, "not_utf8"),
        (95, "not_json"),
        (126, "not_a_record"),
        (157, "not_json"),
    ]
    assert not reader.summary.truncated


def test_a_row_glued_to_a_torn_one_is_saved(tmp_path: Path) -> None:
    """Other writers may not close an unfinished line: the torn half alone is lost."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(
        line(0)[:40] + line(1) + b"\n" + b"\0" * 512 + line(2) + b"\n" + line(3) + b"\n\n",
    )

    reader = read_records(path)

    assert [int(row["span_id"], 16) for row in reader] == [1, 2, 3]
    assert [(each.line, each.cause) for each in reader.summary.bad_lines] == [(1, "torn")]


def test_a_last_line_without_its_newline_counts(tmp_path: Path) -> None:
    """A writer may be about to add it; half a row is torn, a whole one is a row."""
    path = tmp_path / "runs.jsonl"

    path.write_bytes(line(0) + b"\n" + line(1))
    assert len(list(read_records(path))) == 2

    path.write_bytes(line(0) + b"\n" + line(1)[:-1])
    reader = read_records(path)
    assert len(list(reader)) == 1
    assert reader.summary.causes == {"torn": 1}


def test_a_large_row_is_a_row(tmp_path: Path) -> None:
    """20 MB of one line are read if they are a record."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(line(0, reason="x" * 20_000_000) + b"\n")

    (row,) = read_records(path)

    assert len(row.get("reason", "")) == 20_000_000


def test_later_versions_and_other_writers_are_understood(tmp_path: Path) -> None:
    """Unknown keys stay; lone surrogates and NaN, which strict parsers refuse, cost nothing."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(
        line(0, schema=2, colour="red") + b"\n" + line(1, reason="\ud800", cost=float("nan")),
    )

    newer, odd = read_records(path)

    assert (newer["schema"], dict(newer)["colour"]) == (2, "red")
    assert odd.get("reason") == "\ud800"


def test_memory_is_bounded(tmp_path: Path) -> None:
    """A file is streamed, and a line beyond the limit is skipped without being held."""
    path = tmp_path / "runs.jsonl"
    with path.open("wb") as file:
        for number in range(2_000):
            file.write(line(number, reason="x" * 10_000) + b"\n")
        file.write(b"y" * 20_000_000 + b"\n" + line(2_000) + b"\n")

    reader = RecordReader(path, longest_line=1_000_000)
    tracemalloc.start()
    count = sum(1 for _ in reader)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert count == 2_001
    assert reader.summary.bad_lines == [BadLine(2_001, "too_long", "20,000,001 bytes", path)]
    assert peak < 8_000_000


def test_bad_lines_of_several_files_name_their_file(tmp_path: Path) -> None:
    """Every good row of each host comes, in the order of its files; a number alone says little."""
    a, b = tmp_path / "a", tmp_path / "b"
    a.mkdir()
    b.mkdir()
    (a / "runs.jsonl").write_bytes(line(0) + b"\n" + line(1)[:50])
    (a / "runs.2.jsonl").write_bytes(b"\0\0\n" + line(2) + b"\n")
    (b / "runs.jsonl").write_bytes(line(3) + b"\nTraceback\n" + line(4))

    reader = read_records(tmp_path)
    found = [(reader.file, int(row["span_id"], 16)) for row in reader]
    pattern = read_records(str(tmp_path / "?" / "runs*.jsonl"))

    assert found == [
        (a / "runs.jsonl", 0),
        (a / "runs.2.jsonl", 2),
        (b / "runs.jsonl", 3),
        (b / "runs.jsonl", 4),
    ]
    assert [(bad.file, bad.line, bad.cause) for bad in reader.summary.bad_lines] == [
        (a / "runs.jsonl", 2, "torn"),
        (a / "runs.2.jsonl", 1, "nul"),
        (b / "runs.jsonl", 2, "not_json"),
    ]
    assert [int(row["span_id"], 16) for row in pattern] == [0, 2, 3, 4]
    assert pattern.summary == reader.summary


def test_only_what_other_readers_miss_can_be_asked_for(tmp_path: Path) -> None:
    """Rows that any JSON reader finds stay away, the last without its newline, too."""
    path = tmp_path / "runs.jsonl"
    surrogate = line(2).replace(b'"ok"', rb'"\ud800"')
    glued = line(3)[:40] + line(4)
    path.write_bytes(b"\n".join([line(0), line(1), surrogate, glued, b"\0" + line(5), line(6)]))

    reader = RecordReader(path, damaged_only=True)

    assert [int(row["span_id"], 16) for row in reader] == [2, 4, 5]
    assert (reader.summary.good, reader.summary.causes) == (6, {"torn": 1})


def test_many_bad_lines_are_counted_and_the_first_shown(tmp_path: Path) -> None:
    """The list is cut and says so; the count is not."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"no\n" * 1_000)

    reader = read_records(path)

    assert list(reader) == []
    assert (reader.summary.bad, len(reader.summary.bad_lines)) == (1_000, 100)
    assert reader.summary.truncated


def test_before_the_first_run_there_is_nothing(tmp_path: Path) -> None:
    """A missing file is no error, but it is told."""
    runs = list_runs(tmp_path / "runs.jsonl")

    assert (runs.runs, runs.total, runs.summary.missing) == ((), 0, True)


def test_runs_are_listed_newest_first_by_place_not_by_clock(tmp_path: Path) -> None:
    """A clock set back reorders nothing (P15); a killed run shows that it has no end."""
    path = tmp_path / "runs.jsonl"
    end = {"kind": "run", "path": "p", "reason": "no_route", "request_sha256": "00"}
    path.write_bytes(
        b"\n".join(
            [
                line(0, status="timeout"),
                line(10),
                line(1, **end, status="failed", ms=9.0, started_at="2030-01-01T00:00:00.000Z"),
                line(20, **end, started_at="2020-01-01T00:00:00.000Z"),
                b"torn",
            ],
        ),
    )

    listed = list_runs(path, limit=2)
    everything = list_runs(path)

    assert [run.run_id for run in listed.runs] == ["run002", "run001"]
    assert (listed.total, listed.shown, listed.truncated) == (3, 2, True)
    assert listed.summary.bad == 1
    assert listed.runs[1].status is None
    oldest = everything.runs[-1]
    assert (oldest.run_id, oldest.status, oldest.reason) == ("run000", "failed", "no_route")
    assert (oldest.ms, oldest.spans, oldest.failures) == (9.0, 2, 1)


def test_a_run_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    """As people type it; an ambiguous one names the candidates."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\n".join(line(number) for number in (0, 10, 1)))

    assert [row["span_id"][-1] for row in find_run(path, "run000").rows] == ["0", "1"]
    assert find_run(path, "run001").run_id == "run001"
    assert find_run(path, "run").candidates == ("run000", "run001")
    assert find_run(path, "run").rows == ()
    assert find_run(path, "x").run_id is None


def test_a_run_is_found_without_reading_the_others(tmp_path: Path) -> None:
    """What is passed over by its looks is counted as if it had been read, in every file."""
    wanted = line(5_000, run_id="c0ffee-1")
    blocks = [b"\n".join(line(number) for number in range(1_000)) + b"\n"] * 3
    dirty = line(7)[:40] + line(8) + b"\n" + b"\0\n" + b'{"path":"\xff"}\n' + line(9)[:50] + b"\n"
    (tmp_path / "runs.jsonl").write_bytes(blocks[0] + dirty + blocks[1] + wanted + b"\n")
    (tmp_path / "runs.2.jsonl").write_bytes(
        line(10, reason="한글") + b"\n" + blocks[2] + line(5_001, run_id="c0ffee-1")
    )

    found = find_run(tmp_path, "c0ffee")
    everything = read_records(tmp_path)
    rows = [row for row in everything if row["run_id"] == "c0ffee-1"]

    assert found.run_id == "c0ffee-1"
    assert list(found.rows) == rows
    assert len(rows) == 2
    assert everything.summary.causes == {"torn": 2, "nul": 1, "not_utf8": 1}
    assert found.summary == everything.summary


def test_a_run_is_known_by_its_id_however_that_is_spelled(tmp_path: Path) -> None:
    """Another row may mention it, and another writer may escape any letter of it."""
    path = tmp_path / "runs.jsonl"
    escaped = line(1, run_id="abc").replace(b'"abc"', rb'"\u0061b\u0063"')
    spaced = json.dumps(json.loads(line(2, run_id="abc"))).encode()
    path.write_bytes(b"\n".join([line(0, reason="abc"), escaped, spaced, line(3, run_id="a/b")]))

    assert [row["span_id"][-1] for row in find_run(path, "abc").rows] == ["1", "2"]
    assert [row["span_id"][-1] for row in find_run(path, "a/b").rows] == ["3"]
    assert find_run(path, "").candidates == ("run000", "abc", "a/b")


def test_runs_of_several_hosts_are_ordered_by_their_clocks(tmp_path: Path) -> None:
    """Those of one host by place alone, over all its files."""
    days = {
        "a/runs.jsonl": [(0, "2026-01-01"), (10, "2026-01-09")],
        "a/runs.2.jsonl": [(20, "2026-01-03")],  # its clock was set back
        "b/runs.jsonl": [(30, "2026-01-02"), (40, "2026-01-04")],
    }
    for name, rows in days.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        content = b"\n".join(line(number, timestamp=day) for number, day in rows)
        (tmp_path / name).write_bytes(content)

    newest = [run.run_id for run in list_runs(tmp_path).runs]

    assert newest == ["run004", "run002", "run001", "run003", "run000"]
    assert [run.run_id for run in list_runs(tmp_path / "a").runs] == ["run002", "run001", "run000"]


def test_hops_of_a_run_are_the_calls_of_its_workers(tmp_path: Path) -> None:
    """Supervisors choose, they do not work; what was left out was not called."""
    path = tmp_path / "runs.jsonl"
    calls = [
        {"path": "p/data", "agent_name": "data_team_supervisor"},
        {"path": "p/data/a", "agent_name": "a"},
        {"path": "p/data/a#2", "agent_name": "a", "status": "failed"},
        {"path": "p/data/b", "agent_name": "b", "status": "skipped", "action": "bypassed"},
        {"path": "p/data/c", "agent_name": "c", "status": "skipped", "reason": "cancelled"},
    ]
    path.write_bytes(b"\n".join(line(n, kind="agent", **call) for n, call in enumerate(calls)))

    (run,) = list_runs(path).runs

    assert run.hops == 3
