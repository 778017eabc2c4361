"""A caller's span, a request over HTTP, the queue, a background member and its model: one trace."""

from typing import Any, NamedTuple

import pytest
from collector import Collected, collected, collector_process
from traced_office import CALLER, SAMPLED, TRACE, UNSAMPLED, asked

from minerva_observability.records import read_records


class Seen(NamedTuple):
    """What is left of a request: its records, its spans, and what the model was told."""

    rows: list[Any]
    spans: list[Collected]
    parents: list[str]


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    """One server is asked by two callers, one after the other; only the first keeps its trace."""
    folder = tmp_path_factory.mktemp("office")
    with collector_process(folder / "spans.jsonl") as collector:
        model = asked(folder, collector, SAMPLED, UNSAMPLED)
    rows: list[Any] = list(read_records(folder / "home"))
    runs = sorted((row for row in rows if row["kind"] == "run"), key=lambda row: row["started_at"])
    spans = collected(folder / "spans.jsonl")
    told = [call.headers["traceparent"] for call in model.calls]
    left = {SAMPLED: spans, UNSAMPLED: []}
    return {
        caller: Seen(
            [row for row in rows if row["run_id"] in {run["run_id"] for run in runs[at : at + 2]}],
            left[caller],
            told[at : at + 2],
        )
        for at, caller in zip((0, 2), left, strict=True)
    }


def test_all_that_a_call_sets_off_is_in_its_callers_trace(seen: dict[str, Seen]) -> None:
    """Each span is below the caller's. The model's server is told the span of its call."""
    rows, spans, told = seen[SAMPLED]

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


def test_a_trace_that_is_not_sampled_gets_no_spans(seen: dict[str, Seen]) -> None:
    """The caller has decided so. The records are whole, and the model is told the same."""
    rows, _, told = seen[UNSAMPLED]
    kept = {row["span_id"] for row in rows}

    assert kept.isdisjoint(span.span_id for span in seen[SAMPLED].spans)
    assert sum(row["kind"] == "run" for row in rows) == 2
    assert {parent[:36] for parent in told} == {UNSAMPLED[:36]}
    assert {parent[-2:] for parent in told} == {"00"}
