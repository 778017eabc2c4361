"""OpenTelemetry gets what `runs.jsonl` gets, and never holds up the process."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from minerva_observability import (
    Masking,
    MemorySink,
    Record,
    RunScope,
    build_recorder,
    read_records,
    record_span,
)
from minerva_observability.records import RecordRow
from minerva_observability.sinks import ExitLimit, OtelSink
from minerva_observability.sinks.exit_limit import PATIENCE_S
from minerva_observability.sinks.semconv import (
    INSTRUMENTS,
    PREFIX,
    record_to_attributes,
    record_to_span_name,
)


class Collector:
    """A real OTLP/HTTP receiver on loopback."""

    def __init__(self) -> None:
        self.spans: list[WireSpan] = []
        self.metrics: list[ExportMetricsServiceRequest] = []
        self.answers_after_s = 0.0
        spans, metrics, receiver = self.spans, self.metrics, self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # http.server's name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/v1/metrics":
                    metrics.append(ExportMetricsServiceRequest.FromString(body))
                else:
                    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                        for scope in resource.scope_spans:
                            spans.extend(scope.spans)
                time.sleep(receiver.answers_after_s)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # its name
                """Keep the test's output clean."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def collector() -> Iterator[Collector]:
    """Run a receiver until the test ends."""
    receiver = Collector()
    thread = threading.Thread(target=receiver.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()


def value_of(value: AnyValue) -> Any:
    """Return what the wire format wraps."""
    return getattr(value, str(value.WhichOneof("value")))


def span_to_row(span: WireSpan) -> dict[str, Any]:
    """Rebuild the line of `runs.jsonl` from a span's attributes."""
    row: dict[str, Any] = {}
    for attribute in span.attributes:
        name, value = attribute.key, value_of(attribute.value)
        if not name.startswith(PREFIX):
            continue
        name = name.removeprefix(PREFIX)
        if name.startswith("error."):
            row.setdefault("error", {})[name.removeprefix("error.")] = value
        else:
            row[name] = json.loads(value) if name == "decision" else value
    return row


def run_a_tree() -> None:
    """Record one span of each kind, a failure and a decision among them."""
    with record_span(kind="run", path="platform", agent_name="platform_supervisor") as run:
        with record_span(kind="route", path="platform", agent_name="platform_supervisor") as route:
            route.set(router="embedded", decision={"goals": ["data"], "scores": {"data": 0.5}})
        with record_span(kind="agent", path="platform/data", team="data", agent_name="data_team"):
            with record_span(kind="node", path="platform/data/a", node="retrieve") as node:
                node.set_error(ValueError("canary-token refused 한글 caf\udce9"))
            with record_span(kind="model", path="platform/data/a", model="m1") as model:
                model.set(prompt_tokens=7, completion_tokens=3, cost=0.5)
            with record_span(kind="tool", path="platform/data/a", node="lookup"):
                pass
        run.set(status="ok_degraded", reason="bypassed", decision={"members": ["data"]})


def test_a_collector_gets_the_same_spans_as_the_file(
    tmp_path: Path,
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Content, ids, parents, names and times: two views that cannot disagree."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    recorder = build_recorder(tmp_path)
    scope = RunScope(
        recorder=recorder,
        thread_id="thread",
        masking=Masking({"X_TOKEN": "canary-token"}),
    )

    with scope.bound():
        run_a_tree()
    recorder.close()

    rows: list[RecordRow] = list(read_records(tmp_path / "runs.jsonl"))
    spans = {span.span_id.hex(): span for span in collector.spans}
    assert recorder.records_dropped == 0
    assert len(spans) == len(collector.spans) == len(rows) == 6
    for row in rows:
        span = spans[row["span_id"]]
        assert span_to_row(span) == row
        assert span.trace_id.hex() == row["run_id"] == scope.run_id
        assert (span.parent_span_id.hex() or None) == row.get("parent_id")
        duration_ns = span.end_time_unix_nano - span.start_time_unix_nano
        assert round(duration_ns / 1e6, 3) == row["ms"]
    assert {span.name for span in collector.spans} == {
        "invoke_agent platform: data",
        "route platform_supervisor",
        "invoke_agent data_team",
        "retrieve",
        "chat m1",
        "execute_tool lookup",
    }
    assert {spans[row["span_id"]].status.code for row in rows if row["status"] == "ok"} == {1}
    codes = {row["status"]: spans[row["span_id"]].status.code for row in rows}
    assert codes == {"ok": 1, "failed": 2, "ok_degraded": 0}
    assert b"canary" not in b"".join(span.SerializeToString() for span in collector.spans)
    assert b"canary" not in (tmp_path / "runs.jsonl").read_bytes()


def points_of(request: ExportMetricsServiceRequest) -> dict[str, dict[tuple[str, ...], float]]:
    """Return the sum or total of each series, by metric and the values of its labels."""
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for metric in request.resource_metrics[0].scope_metrics[0].metrics:
        data = getattr(metric, str(metric.WhichOneof("data")))
        for point in data.data_points:
            labels = {item.key: str(value_of(item.value)) for item in point.attributes}
            total = point.sum if metric.HasField("histogram") else value_of_number(point)
            found.setdefault(metric.name, {})[tuple(labels[key] for key in sorted(labels))] = total
    return found


def value_of_number(point: Any) -> float:
    """Return a counter's value, whole or not."""
    return float(getattr(point, str(point.WhichOneof("value"))))


def test_a_collector_gets_the_metrics_of_the_same_records(
    tmp_path: Path,
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process that lives for a moment sends them when it closes its recorder."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    recorder = build_recorder(tmp_path)

    with RunScope(recorder=recorder).bound():
        run_a_tree()
    recorder.close()

    (request,) = collector.metrics
    points = points_of(request)
    rows = {row["kind"]: row for row in read_records(tmp_path / "runs.jsonl")}
    assert points["gen_ai.client.token.usage"] == {
        ("chat", "m1", "input"): 7,
        ("chat", "m1", "output"): 3,
    }
    assert points["minerva.cost"] == {("m1",): 0.5}
    assert points["minerva.run.duration"] == {
        ("bypassed", "ok_degraded"): pytest.approx(rows["run"]["ms"] / 1e3, abs=1e-6)
    }
    assert ("none", "node") not in points["minerva.failures"]  # its agent went on
    assert points["minerva.failures"]["data_team", "bypassed", "agent", "failed", "data"] == 0
    assert points["minerva.records.dropped"] == {
        ("JsonlSink",): 0,
        ("OtelSink",): 0,
        ("OtelMetricsSink",): 0,
    }
    assert set(points) == {item.name for item in INSTRUMENTS} - {
        "minerva.wait.duration",
        "minerva.unpriced.calls",
    }
    assert recorder.records_dropped == 0
    assert b"canary" not in request.SerializeToString()


def test_a_slow_collector_is_waited_for(
    tmp_path: Path, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Giving up means not to try again; what is under way may arrive within the limit."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    collector.answers_after_s = 2 * PATIENCE_S
    recorder = build_recorder(tmp_path)

    with RunScope(recorder=recorder).bound():
        run_a_tree()
    recorder.close()

    assert recorder.records_dropped == 0
    assert (len(collector.spans), len(collector.metrics)) == (6, 1)


@pytest.mark.parametrize(("signal", "spans", "metrics"), [("TRACES", 0, 1), ("METRICS", 6, 0)])
def test_a_signal_can_be_switched_off(  # pytest's fixtures
    tmp_path: Path,
    collector: Collector,
    monkeypatch: pytest.MonkeyPatch,
    signal: str,
    spans: int,
    metrics: int,
) -> None:
    """A collector that takes only one of them is not sent the other."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
    monkeypatch.setenv(f"OTEL_{signal}_EXPORTER", "none")
    recorder = build_recorder(tmp_path)

    with RunScope(recorder=recorder).bound():
        run_a_tree()
    recorder.close()

    assert (len(collector.spans), len(collector.metrics)) == (spans, metrics)


def test_the_conventional_names_are_there_too() -> None:
    """Dashboards that know GenAI conventions need no configuration."""
    sink = MemorySink()

    with RunScope(recorder=sink, thread_id="thread").bound():
        run_a_tree()

    by_name = {record_to_span_name(record): record for record in sink.records}
    model = record_to_attributes(by_name["chat m1"])
    assert {name: value for name, value in model.items() if not name.startswith(PREFIX)} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": "thread",
        "gen_ai.request.model": "m1",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
        "openinference.span.kind": "LLM",
    }
    agent = record_to_attributes(by_name["invoke_agent data_team"])
    assert agent["gen_ai.operation.name"] == "invoke_agent"
    assert agent["gen_ai.agent.name"] == "data_team"
    assert record_to_attributes(by_name["retrieve"])["error.type"] == "ValueError"


RUN = """
import sys
from minerva_observability import RunScope, build_recorder, record_span

recorder = build_recorder(sys.argv[1])
with RunScope(recorder=recorder).bound(), record_span(kind="run", path="p"):
    for _ in range(9):
        with record_span(kind="agent", path="p/a"):
            pass
"""


def drip(server: socket.socket) -> None:
    """Answer one byte at a time, for ever: no read ever times out."""
    while True:
        try:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Drip: ")
                while True:
                    connection.sendall(b"x")
                    time.sleep(0.1)
        except OSError:
            return


@pytest.mark.small(1)
@pytest.mark.parametrize("behaviour", ["refuses", "hangs", "drips"])
def test_a_dead_collector_does_not_keep_a_process(
    tmp_path: Path,
    behaviour: str,
) -> None:
    """Whether or not it closes its recorder; what was lost is told. `make bench` has seconds."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        if behaviour == "refuses":
            server.close()
        if behaviour == "drips":
            threading.Thread(target=drip, args=(server,), daemon=True).start()
        process = subprocess.run(
            [sys.executable, "-c", RUN, str(tmp_path)],
            env={"OTEL_EXPORTER_OTLP_ENDPOINT": url, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        )

    assert "10 spans did not reach the OpenTelemetry collector" in process.stderr
    assert "The metrics of 10 records did not reach the OpenTelemetry collector" in process.stderr
    assert len(list(read_records(tmp_path / "runs.jsonl"))) == 10


def record() -> Record:
    """Return any record."""
    return Record(
        started_ns=0,
        duration_ns=1,
        self_ns=1,
        run_id="ab" * 16,
        span_id="cd" * 8,
        path="p",
        kind="run",
        status="ok",
    )


class StuckExporter(SpanExporter):
    """Takes spans and never returns until it is let go."""

    def __init__(self) -> None:
        self.free = threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Wait."""
        del spans
        self.free.wait(30)
        return SpanExportResult.SUCCESS


def test_spans_beyond_the_queue_are_dropped_and_counted() -> None:
    """A collector slower than the work costs bounded memory, and the count is exact."""
    exporter = StuckExporter()
    sink = OtelSink(exporter, exit_limit=ExitLimit(0.05), max_pending=512)

    for _ in range(600):
        sink.finished(record())
    assert sink.records_dropped == 88

    sink.close()
    assert sink.records_dropped == 600
    exporter.free.set()


def test_an_exporter_that_raises_is_counted() -> None:
    """The batch processor swallows it; the count does not."""

    class BrokenExporter(SpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            raise OSError(len(spans))

    sink = OtelSink(BrokenExporter())
    sink.finished(record())

    sink.close()
    sink.finished(record())

    assert sink.records_dropped == 2
