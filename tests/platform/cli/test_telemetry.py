"""OpenTelemetry beside `runs.jsonl`: the same spans, and never a reason to wait."""

import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from minerva_observability import NO_RECORDER
from minerva_platform import Platform, Team
from minerva_platform.testing import EachOnceRouter, StubAgent

pytestmark = pytest.mark.usefixtures("with_trial")


class Collector(ThreadingHTTPServer):
    """An OTLP/HTTP receiver that keeps the spans it got."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.spans: list[Any] = []

    @property
    def endpoint(self) -> str:
        """What `OTEL_EXPORTER_OTLP_ENDPOINT` must say."""
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Collector  # pyright: ignore[reportIncompatibleVariableOverride]  # the one that made it

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/traces":
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    self.server.spans.extend(scope.spans)
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the signature is the library's
        """Stay quiet."""


@pytest.fixture
def collector() -> Generator[Collector]:
    """A collector on loopback."""
    server = Collector()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def silent() -> Generator[str]:
    """The address of a collector that accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_a_collector_gets_the_very_spans_of_the_records(
    invoke: Any,
    collector: Collector,
    recorded: Callable[[], list[dict[str, Any]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Same ids, same parents: the two views of a run cannot disagree."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint)
    run = invoke("ask", "speak fail", "--team", "trial")
    sent = {span.span_id.hex(): span.parent_span_id.hex() for span in collector.spans}
    names = {span.name for span in collector.spans}

    assert run.exit_code == 0
    assert sent == {row["span_id"]: row.get("parent_id", "") for row in recorded()}
    assert {span.trace_id.hex() for span in collector.spans} == {
        row["run_id"] for row in recorded()
    }
    assert {"invoke_agent speak", "invoke_agent fail"} <= names


@pytest.mark.parametrize("collector_is", ["dead", "silent"])
def test_a_collector_that_is_no_help_keeps_nobody(
    invoke: Any, silent: str, collector_is: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is there, and the person is told what did not arrive."""
    endpoint = silent if collector_is == "silent" else "http://127.0.0.1:9"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
    run = invoke("ask", "speak", "--team", "trial")

    assert (run.exit_code, run.stdout[:9]) == (0, "**speak**")
    assert "did not reach the OpenTelemetry collector" in run.stderr


def test_the_answer_waits_for_no_collector(start: Any, silent: str) -> None:
    """It is read while the command still tries to hand its spans over."""
    run = start(
        "ask", "speak fail", "--team", "trial", "--json", OTEL_EXPORTER_OTLP_ENDPOINT=silent
    )
    while run.stdout.readline() != b"}\n":  # the end of the one object
        assert run.poll() is None

    assert run.poll() is None
    run.communicate()
    assert run.returncode == 0


HOST = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

kept, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)

from minerva_observability import NO_RECORDER
from minerva_platform import Platform, Team
from minerva_platform.testing import EachOnceRouter, StubAgent

members = (StubAgent("clerk"),)
office = Team(name="office", description="...", members=members, router=EachOnceRouter())
with provider.get_tracer("shop").start_as_current_span("order") as order:
    Platform(teams=[office], recorder=NO_RECORDER).ask("go")
    assert not kept.get_finished_spans()
    Platform(teams=[office]).ask("go")
spans = [each for each in kept.get_finished_spans() if each.name != "order"]
assert {each.context.trace_id for each in spans} == {order.context.trace_id}
print(*(each.name for each in spans))
"""


@pytest.mark.processes
@pytest.mark.slow
def test_a_platform_without_a_recorder_has_its_programs_provider() -> None:
    """Below the span that is open; a program without one, or that wants none, gets nothing."""
    done = subprocess.run([sys.executable, "-c", HOST], capture_output=True, check=True, text=True)
    assert "invoke_agent platform" in done.stdout.splitlines()[-1]
    teams = [
        Team(name="office", description="…", members=(StubAgent("clerk"),), router=EachOnceRouter())
    ]
    assert Platform(teams=teams).recorder is NO_RECORDER
