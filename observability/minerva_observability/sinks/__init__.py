"""Where records go: files, memory, OpenTelemetry."""

from typing import TYPE_CHECKING

from minerva_observability.lazy import lazy_names

if TYPE_CHECKING:
    from minerva_observability.sinks.exit_limit import ExitLimit as ExitLimit
    from minerva_observability.sinks.jsonl import JsonlSink as JsonlSink
    from minerva_observability.sinks.memory import MemorySink as MemorySink
    from minerva_observability.sinks.otel import (
        OtelSink as OtelSink,
        build_otlp_sink as build_otlp_sink,
    )
    from minerva_observability.sinks.otel_metrics import OtelMetricsSink as OtelMetricsSink
else:
    __all__, __getattr__, __dir__ = lazy_names(__name__, needs="minerva-observability[dashboard]")
