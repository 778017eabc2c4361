"""A collector of OpenTelemetry that keeps the bytes it gets, unpacked."""

import gzip
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Collector(ThreadingHTTPServer):
    """An OTLP/HTTP receiver."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: dict[str, bytes] = {"/v1/traces": b"", "/v1/metrics": b""}

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

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's name
        """Stay quiet."""
