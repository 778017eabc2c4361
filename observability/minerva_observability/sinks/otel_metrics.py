"""Turn records into OpenTelemetry metrics, for people who watch many processes.

The metrics are counted from the same records that `runs.jsonl` gets. Readers collect them: one
sends them to a collector every minute and at the end, another answers a Prometheus server. Each
instrument keeps at most 2,000 sets of labels (OpenTelemetry's own limit). Further ones are counted
under `otel_metric_overflow`.
"""

import atexit
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import (
    MetricExporter,
    MetricExportResult,
    MetricReader,
    MetricsData,
    PeriodicExportingMetricReader,
)
from opentelemetry.sdk.resources import Resource

from minerva_observability.records.record import Record
from minerva_observability.sinks.exit_limit import ExitLimit
from minerva_observability.sinks.measures import label, no_failures_yet, record_to_measures
from minerva_observability.sinks.semconv import INSTRUMENTS, SINK
from minerva_observability.tracing.span import Span

_log = logging.getLogger(__name__)

Losses = Callable[[], Mapping[str, int]]
"""Returns the number of records that each sink has lost so far, by the sink's name."""

Add = Callable[[float, Mapping[str, str]], None]

MAX_AGENTS: Final = 2_000
"""Agents whose failure counters begin at zero; OpenTelemetry keeps no more series."""


class OtelMetricsSink:
    """Counts records in OpenTelemetry instruments, which readers collect."""

    def __init__(
        self,
        *readers: MetricReader,
        exporter: MetricExporter | None = None,
        exit_limit: ExitLimit | None = None,
        also_close: Callable[[], None] | None = None,
    ) -> None:
        """Count for `readers`, and send to `exporter` every `OTEL_METRIC_EXPORT_INTERVAL` ms.

        The interval is a minute by default. `exit_limit`, which exporters of a process share,
        bounds `close`. `also_close` is called at the end, by the OS thread that closes the readers.
        """
        self.losses: Losses = dict
        """Called each time a reader collects."""
        self._exit_limit = exit_limit or ExitLimit()
        self._counting = _CountingExporter(exporter, self) if exporter else None
        if self._counting:
            readers = (*readers, PeriodicExportingMetricReader(self._counting))
        self._records_received = 0
        self.records_collected = 0
        """The number of records in the metrics that a reader collected last."""
        self._agents: set[tuple[str | None, str | None]] = set()
        self._is_closed = False
        self._provider = MeterProvider(
            metric_readers=readers,
            resource=Resource.create({"service.name": "minerva"}),
            shutdown_on_exit=False,  # it would wait for 30 s
        )
        self._add = self._build_instruments()
        self._also_close = also_close
        self._ender = self._exit_limit.guard(self._shut_down, name="minerva-metrics")
        atexit.register(self.close)

    @property
    def records_dropped(self) -> int:
        """Records whose metrics the collector did not get; 0 before `close`, when it still may."""
        if not self._is_closed or self._counting is None:
            return 0
        return self._records_received - self._counting.records_delivered

    def started(self, span: Span) -> None:
        """Do nothing, because metrics count spans that ended."""

    def finished(self, record: Record) -> None:
        """Count `record`."""
        self._records_received += 1
        if record.kind == "agent":
            self._begin_at_zero(record)
        for measure in record_to_measures(record):
            self._add[measure.instrument](measure.value, measure.labels)

    def close(self) -> None:
        """Send the last state for as long as the exit limit allows; log how many were lost."""
        if self._is_closed:
            return
        atexit.unregister(self.close)
        give_up = self._counting.shutdown if self._counting else None
        self._exit_limit.wait_for(self._ender, give_up=give_up)
        self._is_closed = True
        if self.records_dropped:
            _log.warning(
                "The metrics of %d records did not reach the OpenTelemetry collector. The records"
                " are in runs.jsonl. Check OTEL_EXPORTER_OTLP_ENDPOINT, or set"
                " OTEL_METRICS_EXPORTER=none.",
                self.records_dropped,
            )

    def _shut_down(self) -> None:
        if self._also_close is not None:
            self._also_close()
        self._provider.shutdown()

    def _begin_at_zero(self, record: Record) -> None:
        agent = (record.agent_name, record.team)
        if agent in self._agents or len(self._agents) >= MAX_AGENTS:
            return
        self._agents.add(agent)
        for measure in no_failures_yet(record):
            self._add[measure.instrument](measure.value, measure.labels)

    def _build_instruments(self) -> Mapping[str, Add]:
        meter = self._provider.get_meter("minerva_observability")
        add: dict[str, Add] = {}
        for name, kind, unit, description, boundaries in INSTRUMENTS:
            if kind == "histogram":
                add[name] = meter.create_histogram(
                    name, unit, description, explicit_bucket_boundaries_advisory=boundaries
                ).record
            elif kind == "counter":
                add[name] = meter.create_counter(name, unit, description).add
            else:
                meter.create_observable_counter(name, [self._observe], unit, description)
        return add

    def _observe(self, _options: CallbackOptions) -> Iterable[Observation]:
        """Return the losses of each sink, and note how many records are being collected."""
        self.records_collected = self._records_received
        return [Observation(count, {SINK: label(name)}) for name, count in self.losses().items()]


class _CountingExporter(MetricExporter):
    """Counts the records whose metrics the collector took."""

    def __init__(self, exporter: MetricExporter, sink: OtelMetricsSink) -> None:
        # OpenTelemetry's own readers take an exporter's preferences from the same attributes
        super().__init__(
            preferred_temporality=exporter._preferred_temporality,  # noqa: SLF001
            preferred_aggregation=exporter._preferred_aggregation,  # noqa: SLF001
        )
        self._exporter = exporter
        self._sink = sink
        self.records_delivered = 0

    def export(
        self, metrics_data: MetricsData, timeout_millis: float = 10_000, **kwargs: Any
    ) -> MetricExportResult:
        collected = self._sink.records_collected
        result = self._exporter.export(metrics_data, timeout_millis, **kwargs)
        if result is MetricExportResult.SUCCESS:
            self.records_delivered = collected
        return result

    def force_flush(self, timeout_millis: float = 10_000) -> bool:
        return self._exporter.force_flush(timeout_millis)

    def shutdown(self, timeout_millis: float = 30_000, **kwargs: Any) -> None:
        self._exporter.shutdown(timeout_millis, **kwargs)


def build_otlp_metrics_exporter() -> MetricExporter:
    """Return the exporter to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names."""
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # noqa: PLC0415  # 20 ms

    return OTLPMetricExporter()
