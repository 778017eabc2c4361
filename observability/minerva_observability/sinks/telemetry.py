"""Choose OpenTelemetry's sinks by OpenTelemetry's own environment variables.

https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ defines them.
There is one difference: nothing is sent unless an endpoint or an exporter is named, because a
command on a laptop has no collector. A wrong variable is reported once in the log, and the run
goes on without that sink.
"""

import logging
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from minerva_observability.tracing.recorder import Sink

if TYPE_CHECKING:
    from minerva_observability.sinks.exit_limit import ExitLimit
    from minerva_observability.sinks.otel_metrics import Losses, OtelMetricsSink
    from minerva_observability.sinks.prometheus import PrometheusEndpoint

_log = logging.getLogger(__name__)

Environment = Mapping[str, str]

_ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
_RETRYING: Final = "opentelemetry.exporter.otlp"
"""The logger that warns of each retry. The sinks report what is lost in the end."""
_KNOWN: Final = {"TRACES": ("otlp",), "METRICS": ("otlp", "prometheus")}


class Telemetry(NamedTuple):
    """The sinks, and the metrics sink among them, which also reports the losses of all sinks."""

    sinks: tuple[Sink, ...]
    metrics: "OtelMetricsSink | None" = None

    def watch(self, losses: "Losses") -> None:
        """Make the metrics sink report the losses that `losses` returns."""
        if self.metrics is not None:
            self.metrics.losses = losses


def build_telemetry(
    environment: Environment, versions: Mapping[str, str] | None = None
) -> Telemetry:
    """Return the sinks that `environment` asks for. They share one `ExitLimit`.

    If the program around has a provider of OpenTelemetry, the spans go there instead.
    """
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return Telemetry(())
    traces, metrics = exporters(environment, "TRACES"), exporters(environment, "METRICS")
    host = _host_sink()
    if not traces and not metrics and not host:
        return Telemetry(())
    from minerva_observability.sinks.exit_limit import ExitLimit  # noqa: PLC0415  # only if asked

    retrying = logging.getLogger(_RETRYING)
    if retrying.level == logging.NOTSET:
        retrying.setLevel(logging.ERROR)
    limit = ExitLimit()
    sinks: list[Sink] = host
    if traces and not host:
        sinks.extend(_attempt("spans", lambda: _span_sink(limit, versions)))
    counting = _attempt("metrics", lambda: _metrics_sink(metrics, environment, limit))
    sinks.extend(counting)
    return Telemetry(tuple(sinks), counting[0] if counting else None)


def exporters(environment: Environment, signal: str) -> tuple[str, ...]:
    """Return the exporters of `signal` (`TRACES` or `METRICS`): `otlp`, `prometheus`.

    These are the exporters that `OTEL_{signal}_EXPORTER` names. If it names none, the result is
    `otlp` when an OTLP endpoint is set, else empty. An unknown name is logged and left out.
    """
    said = environment.get(f"OTEL_{signal}_EXPORTER", "")
    names = [name.strip().lower() for name in said.split(",") if name.strip()]
    if not names:
        specific = f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"
        return ("otlp",) if environment.get(_ENDPOINT) or environment.get(specific) else ()
    if "none" in names:
        return ()
    for name in names:
        if name not in _KNOWN[signal]:
            _log.warning(
                "OTEL_%s_EXPORTER names %r, which is left out. Choose from: %s, none.",
                signal,
                name,
                ", ".join(_KNOWN[signal]),
            )
    return tuple(name for name in _KNOWN[signal] if name in names)


def _attempt(what: str, build: "Callable[[], Any]") -> list[Any]:
    try:
        sink = build()
    except Exception as error:  # noqa: BLE001  # a wrong OTEL_… variable must not fail a run
        _log.warning("No %s are sent to OpenTelemetry. Check the OTEL_ variables: %s", what, error)
        return []
    return [] if sink is None else [sink]


def _host_sink() -> list[Sink]:
    if "opentelemetry.sdk.trace" not in sys.modules:  # no program has a provider then
        return []
    from minerva_observability.sinks.otel import build_host_sink  # noqa: PLC0415  # 20 ms

    return _attempt("spans", build_host_sink)


def _span_sink(limit: "ExitLimit", versions: Mapping[str, str] | None) -> Sink:
    from minerva_observability.sinks.otel import build_otlp_sink  # noqa: PLC0415  # 20 ms

    return build_otlp_sink(limit, versions)


def _metrics_sink(
    names: tuple[str, ...], environment: Environment, limit: "ExitLimit"
) -> "OtelMetricsSink | None":
    endpoint = _endpoint(environment) if "prometheus" in names else None
    if endpoint is None and "otlp" not in names:
        return None
    from minerva_observability.sinks.otel_metrics import (  # noqa: PLC0415  # 15 ms
        OtelMetricsSink,
        build_otlp_metrics_exporter,
    )

    return OtelMetricsSink(
        *([endpoint.reader] if endpoint else []),
        exporter=build_otlp_metrics_exporter() if "otlp" in names else None,
        exit_limit=limit,
        also_close=endpoint.close if endpoint else None,
    )


def _endpoint(environment: Environment) -> "PrometheusEndpoint | None":
    """Return the endpoint, or None if it cannot be opened; the reason is logged."""
    host = environment.get("OTEL_EXPORTER_PROMETHEUS_HOST") or "127.0.0.1"
    port = environment.get("OTEL_EXPORTER_PROMETHEUS_PORT") or "9464"
    try:
        from minerva_observability.sinks.prometheus import PrometheusEndpoint  # noqa: PLC0415  # an extra

        return PrometheusEndpoint(host, int(port))
    except ImportError as error:
        _log.warning(
            "OTEL_METRICS_EXPORTER=prometheus needs the extra minerva-observability[dashboard]"
            " (%s is not installed). The run goes on without /metrics.",
            error.name,
        )
    except (OSError, ValueError, OverflowError) as error:
        _log.warning(
            "Metrics cannot be served at %s:%s (%s). The run goes on without /metrics."
            " Set OTEL_EXPORTER_PROMETHEUS_PORT to a free port.",
            host,
            port,
            error,
        )
    return None
