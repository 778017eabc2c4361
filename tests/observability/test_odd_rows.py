"""Rows that other writers left, or a damaged disk: they spoil no figure and stop nothing."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from forms import forms, spread

from minerva_observability import Metrics, SpanStore, find_run, list_runs, read_records
from minerva_observability.compaction import compact_records

RUN = "0" * 31 + "a"


def line(span: int, **fields: Any) -> bytes:
    """Return a row with its newline; a field that is None is left out."""
    row = {
        "schema": 1,
        "timestamp": "2025-01-01T10:00:00.123Z",
        "ms": 1.5,
        "self_ms": 1.5,
        "run_id": RUN,
        "span_id": f"{span:016x}",
        "path": "platform/data/retrieval_agent",
        "kind": "agent",
        "status": "ok",
        "agent_name": "retrieval_agent",
        "team": "data",
        **fields,
    }
    return json.dumps({name: row[name] for name in row if row[name] is not None}).encode() + b"\n"


def counted(folder: Path) -> tuple[int, int]:
    """Return how many rows and how many bad lines a store finds."""
    with SpanStore(folder) as store:
        store.refresh()
        return counted_in(store)


def counted_in(store: SpanStore) -> tuple[int, int]:
    """Return how many rows and how many bad lines there are in `store`."""
    [row] = store.query("SELECT count(span) AS n FROM spans")
    return row["n"], store.summary.lines.bad


ODD = [
    {"attempt": 2**40},
    {"attempt": "second"},
    {"prompt_tokens": 2**63 - 1},
    {"prompt_tokens": 2**70},
    {"ms": 2**49 + 1},
    {"timestamp": "2025-02-30T10:00:00.123Z"},
    {"timestamp": "2025-13-45T99:99:99.000Z"},
    {"timestamp": "٢٠٢٥-01-01T10:00:00.123Z"},
    {"timestamp": "0000-01-01T10:00:00.123Z"},
    {"timestamp": "294246-01-01T00:00:00.000Z"},
    {"timestamp": "infinity"},
    {"timestamp": 1_735_725_600},
    {"timestamp": "2025-01-01 19:00:00.123456"},
    {"error": "boom", "status": "failed"},
    {"error": {"type": "X", "message": {"deep": 1}}},
    {"cost": 1e308},
    {"line": 7, "more": {"a": 1}, "day": "x", "Team": "y"},
]


@pytest.mark.small(1)
@pytest.mark.slow
@pytest.mark.parametrize("odd", forms([[odd] for odd in ODD], [ODD[::3], ODD[1::3], ODD[2::3]]))
def test_an_odd_field_stands_in_nobodys_way(tmp_path: Path, odd: list[dict[str, Any]]) -> None:
    """Its row counts, every question is answered, and compaction gives it back as it stood."""
    rows = [{}, *odd, *odd]
    (tmp_path / "runs.jsonl").write_bytes(
        b"".join(line(number, **row) for number, row in enumerate(rows, 1))
    )
    before = by_span(read_records(tmp_path))
    answers = answered(tmp_path)
    assert answers[0] == (len(rows), 0)

    compact_records(tmp_path)

    assert by_span(find_run(tmp_path, RUN).rows) == before
    assert list_runs(tmp_path).total == 1
    assert answered(tmp_path) == answers


def by_span(rows: Iterable[Any]) -> list[Any]:
    """Return rows in the order of their spans: compaction has them in that of their times."""
    return sorted(rows, key=lambda row: row["span_id"])


def answered(folder: Path) -> list[Any]:
    """Return the answer to every question, which must be JSON that everybody can read."""
    with SpanStore(folder) as store:
        store.refresh()
        ask = Metrics(store)
        answers = [
            counted_in(store),
            ask.overview(),
            ask.runs(),
            ask.failures(),
            ask.calls_over_time("day"),
            ask.distribution("retrieval_agent"),
            ask.figures("team"),
        ]
        for each in ask.figures("agent"):
            json.dumps(each.to_json_dict(), allow_nan=False)
        return answers


@pytest.mark.small(2)
@pytest.mark.slow
@pytest.mark.parametrize("ms", [math.nan, math.inf, 1e308, -1, 10**400], ids=str)
def test_what_is_no_duration_is_no_record(tmp_path: Path, ms: float) -> None:
    """One such row would make every mean and sum infinite, so it is refused and shown."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(line(1) + line(2, ms=ms))
    reader = read_records(tmp_path)

    assert [row["span_id"] for row in reader] == [f"{1:016x}"]
    assert reader.summary.causes == {"not_a_record": 1}
    assert counted(tmp_path) == (1, 1)
    with path.open("ab") as file:
        file.write(b"x" * 17_000_000 + b"\n")  # lets the tolerant reader go over all lines
    assert counted(tmp_path) == (1, 2)


def test_a_schema_that_has_no_number_is_named(tmp_path: Path) -> None:
    """DuckDB cannot take it, so no reader does: else the row would go without a word."""
    (tmp_path / "runs.jsonl").write_bytes(line(1) + line(2, schema=2**40))

    assert len(list(read_records(tmp_path))) == 1
    assert counted(tmp_path) == (1, 1)


@pytest.mark.small(5)
@pytest.mark.parametrize("field", ["self_ms", "waited_ms", "cost"])
@pytest.mark.parametrize("value", [math.nan, math.inf, 1e308], ids=str)
def test_one_number_that_is_none_spoils_no_sum(tmp_path: Path, field: str, value: float) -> None:
    """The row counts, and the sum is that of the others."""
    (tmp_path / "runs.jsonl").write_bytes(
        line(1, **{field: 2.0}) + line(2, **{field: value}) + line(3, **{field: value})
    )
    with SpanStore(tmp_path) as store:
        store.refresh()
        [figures] = Metrics(store).figures("agent")

    assert (figures.calls, getattr(figures, field)) == (3, 2.0)


def test_tokens_beyond_64_bits_are_summed(tmp_path: Path) -> None:
    """No list of runs fails because of one that counted wrong."""
    most = 2**63 - 1
    (tmp_path / "runs.jsonl").write_bytes(line(1, prompt_tokens=most) + line(2, prompt_tokens=most))
    with SpanStore(tmp_path) as store:
        store.refresh()
        [run] = Metrics(store).runs().runs

    assert run.prompt_tokens == 2 * most


def test_a_call_without_a_name_is_nobodys_worker(tmp_path: Path) -> None:
    """So that a team's percentiles are of the same calls as its count."""
    (tmp_path / "runs.jsonl").write_bytes(
        line(1, agent_name=None, ms=1) + line(2, agent_name="data_supervisor", ms=3)
    )
    with SpanStore(tmp_path) as store:
        store.refresh()
        [team] = Metrics(store).figures("team")

    assert (team.calls, team.mean_ms, team.p50_ms) == (2, 2, 2)


@pytest.mark.small(1)
@pytest.mark.slow
@pytest.mark.parametrize(
    "name", spread(["team=other", "ms=slow", "day=2025-01-01", "host=a", "[x]", "x*"], 3)
)
def test_no_name_of_a_folder_becomes_data(tmp_path: Path, name: str) -> None:
    """Nor does a pattern in it lead to the records of a neighbour."""
    for folder in (name, "x", "xy"):
        (tmp_path / folder).mkdir()
    (tmp_path / name / "runs.jsonl").write_bytes(line(1))
    (tmp_path / "x" / "runs.jsonl").write_bytes(line(2))
    (tmp_path / "xy" / "runs.jsonl").write_bytes(line(3))
    before = sorted(read_records(tmp_path), key=lambda row: row["span_id"])

    assert counted(tmp_path) == (3, 0)
    assert [len(answer) for answer in answered(tmp_path)[-1:]] == [1]
    compact_records(tmp_path)
    assert sorted(find_run(tmp_path, RUN).rows, key=lambda row: row["span_id"]) == before
    with SpanStore(tmp_path / name) as store:
        store.refresh()
        assert [row["team"] for row in store.query("SELECT team FROM spans")] == ["data"]


def test_bytes_after_are_those_that_were_written(tmp_path: Path) -> None:
    """A segment of which nothing new is left adds nothing."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "runs.jsonl").write_bytes(line(1))
    (tmp_path / "a" / "runs.2.jsonl").write_bytes(line(1))

    done = compact_records(tmp_path)

    assert (done.rows, done.duplicates) == (2, 1)
    assert done.bytes_after == sum(path.stat().st_size for path in done.files)
