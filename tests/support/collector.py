"""A collector of OpenTelemetry that keeps the bytes it gets, unpacked.

    python tests/support/collector.py FILE

As a process of its own it says its address on the first line, and adds each span to the file.
"""

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Collector(ThreadingHTTPServer):
    """An OTLP/HTTP receiver."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: dict[str, bytes] = {"/v1/traces": b"", "/v1/metrics": b""}

    def has_got(self, path: str) -> None:
        """Do more with what came."""

    @property
    def url(self) -> str:
        """Its address, as `OTEL_EXPORTER_OTLP_ENDPOINT` takes it."""
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def collecting() -> Generator[Collector]:
    """Serve a collector for the block."""
    collector = Collector()
    threading.Thread(target=collector.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield collector
    finally:
        collector.shutdown()
        collector.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: Collector  # pyright: ignore[reportIncompatibleVariableOverride]  # the one that made it

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_packed = self.headers.get("Content-Encoding") == "gzip"
        self.server.bodies[self.path] += gzip.decompress(body) if is_packed else body
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.server.has_got(self.path)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        """Stay quiet."""


@dataclass(frozen=True, slots=True)
class Collected:
    """A span as a collector got it; ids are hexadecimal digits."""

    trace_id: str
    span_id: str
    parent_id: str
    name: str
    attributes: dict[str, Any]
    resource: dict[str, Any]


def spans_of(body: bytes) -> list[Collected]:
    """Return the spans of what was sent to `/v1/traces`; several bodies in a row are one."""
    return [
        Collected(
            span.trace_id.hex(),
            span.span_id.hex(),
            span.parent_span_id.hex(),
            span.name,
            _plain(span.attributes),
            _plain(part.resource.attributes),
        )
        for part in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in part.scope_spans
        for span in scope.spans
    ]


def _plain(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}


class _WritingCollector(Collector):
    """Writes each span to a file as a line of JSON."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file, self.lock = file, threading.Lock()
        file.touch()

    def has_got(self, path: str) -> None:
        with self.lock, self.file.open("a", encoding="utf-8") as lines:
            lines.writelines(
                f"{json.dumps(asdict(span))}\n" for span in spans_of(self.bodies[path])
            )
            self.bodies[path] = b""


@contextmanager
def collector_process(file: Path) -> Generator[str]:
    """Give the address of a collector in a process of its own, which writes to `file`."""
    command = (sys.executable, __file__, str(file))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def collected(file: Path) -> list[Collected]:
    """Return the spans that such a process has written."""
    return [Collected(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    server = _WritingCollector(Path(sys.argv[1]))
    sys.stdout.write(f"{server.url}\n")
    sys.stdout.flush()
    server.serve_forever()
