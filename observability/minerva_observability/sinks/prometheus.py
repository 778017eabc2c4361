"""Let a Prometheus server ask this process for its metrics, on 127.0.0.1 unless told otherwise.

Needs the extra `minerva-observability[dashboard]`.
"""

import socket
import threading
from http.server import ThreadingHTTPServer
from socketserver import TCPServer
from typing import Final

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from prometheus_client import CollectorRegistry, MetricsHandler
from prometheus_client.exposition import choose_encoder

HOST: Final = "127.0.0.1"
PORT: Final = 9464
"""The port that OpenTelemetry's specification gives to this."""


class PrometheusReader(PrometheusMetricReader):
    """Metrics as text, in a registry of their own: a process may have several."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=False)
        super().__init__(scope_info_enabled=False, registry=self.registry)

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """Return the page for who accepts `accept`, and its content type."""
        encode, content_type = choose_encoder(accept)
        return encode(self.registry), content_type


class PrometheusEndpoint:
    """Serves `/metrics` until it is closed."""

    def __init__(self, host: str = HOST, port: int = PORT) -> None:
        """Listen on `host` and `port` (0: any that is free).

        Raises:
            OSError: the port is taken, or the host is not this machine's.
        """
        self.reader = PrometheusReader()
        self._server = _server_class(host)(
            (host, port), MetricsHandler.factory(self.reader.registry)
        )
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="minerva-prometheus", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.server_port

    def close(self) -> None:
        """Stop listening; who is being answered is not waited for."""
        self._server.shutdown()
        self._server.socket.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def server_bind(self) -> None:
        """Bind without asking the name service who we are, which may take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]  # of an Internet socket


class _Server6(_Server):
    address_family = socket.AF_INET6


def _server_class(host: str) -> type[_Server]:
    return _Server6 if ":" in host else _Server
