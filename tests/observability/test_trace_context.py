"""A run is a part of the trace of whoever calls it, and of nobody's if the header is wrong."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider

from minerva_observability import Masking, MemorySink, RunScope, SpanStore, record_span
from minerva_observability.records.record import row_to_record
from minerva_observability.tracing import caller_traceparent
from minerva_observability.tracing.trace_context import called_by, current_traceparent

CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
VERSIONS = {"platform": "minerva-platform 10.20.30.40", "data": "minerva-team-data 1.0"}


@pytest.mark.parametrize(
    ("header", "taken"),
    [
        (CALLER, CALLER),
        (CALLER.replace("00-4", "cc-4") + "-later", CALLER),
        (CALLER.upper(), None),
        (CALLER + "-more", None),
        ("ff" + CALLER[2:], None),
        ("00-" + "0" * 32 + CALLER[35:], None),
        (CALLER[:36] + "0" * 16 + "-01", None),
        ("x" * 600, None),
        ("", None),
        (None, None),
    ],
)
def test_a_header_is_taken_as_w3c_says(header: str | None, taken: str | None) -> None:
    """A later version counts by its known parts. A wrong one begins a trace of its own."""
    with called_by(header):
        scope = RunScope(masking=Masking({}))
        with scope.bound(), record_span(kind="run", path="p") as span:
            told = current_traceparent()
    trace = taken[3:35] if taken else scope.run_id

    assert (scope.traceparent, told) == (taken, f"00-{trace}-{span.span_id}-01")
    assert caller_traceparent() is None
    assert current_traceparent() is None


def test_a_program_s_own_span_comes_before_a_header() -> None:
    """A server that is traced has a span below that of its client."""
    tracer = TracerProvider().get_tracer("shop")
    with tracer.start_as_current_span("order") as order, called_by(CALLER):
        context = order.get_span_context()
        ids = f"{context.trace_id:032x}-{context.span_id:016x}"
        assert str(caller_traceparent()).startswith(f"00-{ids}-")


def test_a_run_inside_a_run_is_called_by_its_span() -> None:
    """Its records have no parent in the outer run; its header says where it belongs."""
    sink = MemorySink()
    with (
        RunScope(traceparent=CALLER).bound(),
        record_span(kind="agent", path="p/a") as outer,
        RunScope(recorder=sink).bound(),
        record_span(kind="run", path="q"),
    ):
        pass
    [record] = sink.records

    assert (record.parent_id, record.traceparent) == (None, f"{CALLER[:36]}{outer.span_id}-01")


def test_the_fields_of_a_run_s_row_are_kept_and_masked(tmp_path: Path) -> None:
    """In `runs.jsonl`, read back, and as columns; an address in a version is none."""
    sink = MemorySink()
    with (
        RunScope(
            recorder=sink, traceparent=CALLER, masking=Masking({"A_TOKEN": "machine-7"})
        ).bound(),
        record_span(kind="run", path="p", versions=VERSIONS, host="machine-7", pid=42),
    ):
        pass
    [record] = sink.records
    row: Any = record.to_json_dict()
    (tmp_path / "runs.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    with SpanStore(tmp_path) as store:
        store.refresh()
        [kept] = store.query("SELECT versions, host, pid FROM spans")

    assert (row["versions"], row["host"], row["pid"]) == (VERSIONS, "[masked]", 42)
    assert row["traceparent"] == CALLER
    assert row_to_record(row).versions == VERSIONS
    assert (json.loads(kept["versions"]), kept["pid"]) == (VERSIONS, 42)


HOST = """
import json, sys
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

kept = InMemorySpanExporter()
rule = ParentBased(TraceIdRatioBased(float(sys.argv[2])))
provider = TracerProvider(sampler=rule, resource=Resource({"service.name": "shop"}))
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)

from minerva_observability import RunScope, build_recorder, record_span

def run(recorder):
    with RunScope(recorder=recorder).bound(), record_span(kind="run", path="p"):
        with record_span(kind="agent", path="p/a"):
            pass

recorder = build_recorder(sys.argv[1])
run(recorder)
with provider.get_tracer("shop").start_as_current_span("order"):
    run(recorder)
recorder.close()
ended = [(f"{s.context.trace_id:032x}", s.name, s.parent and s.parent.span_id, s.context.span_id,
          s.resource.attributes["service.name"]) for s in kept.get_finished_spans()]
print(json.dumps({"sinks": [type(sink).__name__ for sink in recorder.sinks], "ended": ended}))
"""


@pytest.mark.parametrize("ratio", ["1", "0"])
def test_a_program_s_own_provider_gets_the_spans(tmp_path: Path, ratio: str) -> None:
    """Sampled, exported and named as the program says, below its span if one is open."""
    done = subprocess.run(
        [sys.executable, "-c", HOST, str(tmp_path), ratio],
        env={"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"},
        capture_output=True,
        check=True,
        text=True,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["sinks"] == ["JsonlSink", "HostSink", "OtelMetricsSink"]
    if ratio == "0":
        assert told["ended"] == []
        return
    agent, alone, inner, below, order = told["ended"]
    assert {name for *_, name in told["ended"]} == {"shop"}
    assert (alone[2], agent[0], agent[2]) == (None, alone[0], alone[3])
    assert (below[0], below[2], inner[2]) == (order[0], order[3], below[3])
    assert alone[0] != order[0]
