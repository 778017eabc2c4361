"""A caller's span, a request over HTTP, the queue, a background member and its model: one trace."""

from pathlib import Path
from typing import Any

from collector import collected, collector_process
from traced_office import CALLER, TRACE, asked

from minerva_observability.records import read_records


def test_all_that_a_call_sets_off_is_in_its_callers_trace(tmp_path: Path) -> None:
    """Each span is below the caller's. The model's server is told the span of its call."""
    with collector_process(tmp_path / "spans.jsonl") as collector:
        model = asked(tmp_path, collector)
    spans = collected(tmp_path / "spans.jsonl")

    rows: list[Any] = list(read_records(tmp_path / "home"))
    assert {span.span_id for span in spans} == {row["span_id"] for row in rows}
    assert {span.trace_id for span in spans} == {TRACE}
    ids = {span.span_id for span in spans}
    [root] = [span for span in spans if span.parent_id not in ids]
    assert (root.name, root.parent_id) == ("invoke_agent office: clerk, filer", CALLER)
    [run, child] = sorted(
        (row for row in rows if row["kind"] == "run"), key=lambda row: row["started_at"]
    )
    assert run["run_id"] not in {TRACE, child["run_id"]}
    filer = next(row for row in rows if row.get("background") == child["run_id"])
    assert child["traceparent"] == f"00-{TRACE}-{filer['span_id']}-01"
    calls = [row["span_id"] for row in rows if row["kind"] == "model"]
    told = [call.headers["traceparent"] for call in model.calls]
    assert sorted(told) == sorted(f"00-{TRACE}-{span}-01" for span in calls)
    assert len(calls) == 2
    [resource] = {tuple(sorted(span.resource.items())) for span in spans}
    assert (
        dict(resource).items()
        >= {
            "host.name": run["host"],
            "minerva.versions.platform": run["versions"]["platform"],
            "minerva.versions.office": "./office.py:Office",
        }.items()
    )
    assert dict(resource)["process.pid"] == run["pid"]


def test_a_trace_that_is_not_sampled_gets_no_spans(tmp_path: Path) -> None:
    """The caller has decided so. The records are whole, and the model is told the same."""
    with collector_process(tmp_path / "spans.jsonl") as collector:
        model = asked(tmp_path, collector, "00")

    assert collected(tmp_path / "spans.jsonl") == []
    assert sum(row["kind"] == "run" for row in read_records(tmp_path / "home")) == 2
    assert {call.headers["traceparent"][-2:] for call in model.calls} == {"00"}
