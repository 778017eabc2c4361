"""All exporters of a process end side by side, within one limit."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opentelemetry.sdk.metrics.export import MetricExporter, MetricExportResult, MetricsData

from minerva_observability import FanOut, JsonlSink, RunScope, record_span
from minerva_observability.sinks import ExitLimit, OtelMetricsSink
from minerva_observability.sinks.prometheus import PrometheusReader


class Exporter(MetricExporter):
    """Takes metrics when it is let, and fails when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()
        self.result = MetricExportResult.SUCCESS

    def export(
        self, metrics_data: MetricsData, timeout_millis: float = 10_000, **kwargs: Any
    ) -> MetricExportResult:
        """Wait, then answer."""
        del metrics_data, timeout_millis, kwargs
        self.free.wait()
        return self.result

    def force_flush(self, timeout_millis: float = 10_000) -> bool:
        """Nothing is kept here."""
        return timeout_millis > 0

    def shutdown(self, timeout_millis: float = 30_000, **kwargs: Any) -> None:
        """Nothing is held."""


def record_three(*sinks: OtelMetricsSink) -> None:
    """Record three spans."""
    with RunScope(recorder=FanOut(*sinks)).bound(), record_span(kind="run", path="p"):
        for _ in range(2):
            with record_span(kind="agent", path="p/a", agent_name="a"):
                pass


def test_two_that_never_end_cost_one_limit() -> None:
    """Whoever is closed first begins the end of both (P25)."""
    limit = ExitLimit(0.5)
    stuck = Exporter()
    sinks = [OtelMetricsSink(exporter=stuck, exit_limit=limit) for _ in range(2)]
    record_three(*sinks)

    FanOut(*sinks).close()

    assert [sink.records_dropped for sink in sinks] == [3, 3]
    stuck.free.set()


def test_what_a_collector_took_is_not_dropped() -> None:
    """Counters are sums: what one sending lost, the next one brings."""
    exporter = Exporter()
    exporter.free.set()
    sink = OtelMetricsSink(exporter=exporter)

    record_three(sink)
    sink.close()

    assert sink.records_dropped == 0


def test_what_the_last_sending_lost_is_counted() -> None:
    """Nothing comes after it."""
    exporter = Exporter()
    exporter.free.set()
    exporter.result = MetricExportResult.FAILURE
    sink = OtelMetricsSink(exporter=exporter)

    record_three(sink)
    assert sink.records_dropped == 0
    sink.close()

    assert sink.records_dropped == 3


def dropped(page: str) -> Mapping[str, float]:
    """Return the records dropped, by sink."""
    lines = [line for line in page.splitlines() if line.startswith("minerva_records_dropped_total")]
    return {
        line.partition('sink="')[2].partition('"')[0]: float(line.split()[-1]) for line in lines
    }


def test_what_other_sinks_lose_is_a_metric(tmp_path: Path) -> None:
    """Whoever looks at a dashboard must know that it shows less than there was."""
    reader = PrometheusReader()
    metrics = OtelMetricsSink(reader)
    closed = JsonlSink(tmp_path / "runs.jsonl")
    closed.close()
    recorder = FanOut(closed, metrics)
    metrics.losses = recorder.dropped_by_sink

    with RunScope(recorder=recorder).bound(), record_span(kind="run", path="p"):
        pass

    assert dropped(reader.text()[0].decode()) == {"JsonlSink": 1, "OtelMetricsSink": 0}
    metrics.close()
