"""Give each record to several sinks, so that they cannot disagree."""

import logging
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from minerva_observability.records.record import Record
from minerva_observability.records.segments import RUNS_FILE, SEGMENT_BYTES
from minerva_observability.tracing.recorder import Recorder, Sink
from minerva_observability.tracing.span import Span

_log = logging.getLogger(__name__)


class FanOut:
    """One recorder over several sinks; one that raises does not starve the others."""

    def __init__(self, *sinks: Sink) -> None:
        self.sinks = sinks
        self._refused: dict[int, int] = {}

    @property
    def records_dropped(self) -> int:
        """How many records were lost, all sinks together."""
        return sum(self._refused.values()) + sum(sink.records_dropped for sink in self.sinks)

    def dropped_by_sink(self) -> Mapping[str, int]:
        """Return how many records each sink lost, by the sink's class."""
        lost: Counter[str] = Counter()
        for sink in self.sinks:
            lost[type(sink).__name__] += sink.records_dropped + self._refused.get(id(sink), 0)
        return lost

    def started(self, span: Span) -> None:
        """Tell every sink that `span` began."""
        for sink in self.sinks:
            try:
                sink.started(span)
            except Exception as error:  # noqa: BLE001  # a sink must never fail a run
                self._report(sink, error, dropped=0)

    def finished(self, record: Record) -> None:
        """Give `record` to every sink."""
        for sink in self.sinks:
            try:
                sink.finished(record)
            except Exception as error:  # noqa: BLE001  # a sink must never fail a run
                self._report(sink, error, dropped=1)

    def close(self) -> None:
        """Close every sink."""
        for sink in self.sinks:
            try:
                sink.close()
            except Exception as error:  # noqa: BLE001  # nor may it fail the end of one
                self._report(sink, error, dropped=0)

    def _report(self, sink: Recorder, error: Exception, *, dropped: int) -> None:
        if id(sink) not in self._refused:
            _log.warning(
                "%s raised %s; the run goes on, what it loses is counted in records_dropped.",
                type(sink).__name__,
                type(error).__name__,
            )
        self._refused[id(sink)] = self._refused.get(id(sink), 0) + dropped


def build_recorder(
    home: Path | str,
    *sinks: Sink,
    environment: Mapping[str, str] | None = None,
    segment_bytes: int = SEGMENT_BYTES,
) -> FanOut:
    """Return the recorder of a process: `home/runs.jsonl`, OpenTelemetry as set, and `sinks`.

    `environment` (default: the process's) turns OpenTelemetry on by naming an endpoint or
    an exporter; a file of `segment_bytes` is full, and `runs.2.jsonl` follows it.
    """
    from minerva_observability.sinks.jsonl import JsonlSink  # noqa: PLC0415  # only where used

    every: list[Sink] = [JsonlSink(Path(home) / RUNS_FILE, segment_bytes=segment_bytes)]
    known = os.environ if environment is None else environment
    if any(name.startswith("OTEL_") for name in known):
        from minerva_observability.sinks.telemetry import build_telemetry  # noqa: PLC0415  # only if set

        telemetry = build_telemetry(known)
        recorder = FanOut(*every, *telemetry.sinks, *sinks)
        telemetry.watch(recorder.dropped_by_sink)
        return recorder
    return FanOut(*every, *sinks)
