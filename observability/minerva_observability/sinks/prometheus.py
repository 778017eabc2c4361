"""Serve the metrics of this process to a Prometheus server, on 127.0.0.1 by default.

This module needs the extra `minerva-observability[dashboard]`.
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
"""The default port of OpenTelemetry's specification."""


class PrometheusReader(PrometheusMetricReader):
    """Collects metrics as text. Each reader has its own registry, so a process may have several."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=False)
        super().__init__(scope_info_enabled=False, registry=self.registry)

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """Return the page and its content type; `accept` is the request's `Accept` header."""
        encode, content_type = choose_encoder(accept)
        return encode(self.registry), content_type


class PrometheusEndpoint:
    """Serves `/metrics` until it is closed."""

    def __init__(self, host: str = HOST, port: int = PORT) -> None:
        """Listen on `host` and `port`; 0 means any free port.

        Raises:
            OSError: the port is taken, or `host` is not an address of this machine.
        """
        self.reader = PrometheusReader()
        self._server = (_Server6 if ":" in host else _Server)(
            (host, port), MetricsHandler.factory(self.reader.registry)
        )
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="minerva-prometheus", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return self._server.server_port

    def close(self) -> None:
        """Stop listening, without waiting for requests that are being answered."""
        self._server.shutdown()
        self._server.socket.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def server_bind(self) -> None:
        """Bind without asking the name service for the host's name, which may take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]  # of an Internet socket


class _Server6(_Server):
    address_family = socket.AF_INET6
