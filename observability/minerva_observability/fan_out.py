"""Give each record to several sinks, so that they cannot disagree."""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from minerva_observability.record import Record
from minerva_observability.recorder import Recorder, Sink
from minerva_observability.segments import RUNS_FILE, SEGMENT_BYTES
from minerva_observability.span import Span

_log = logging.getLogger(__name__)

OTLP_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


class FanOut:
    """One recorder over several sinks; one that raises does not starve the others."""

    def __init__(self, *sinks: Sink) -> None:
        self.sinks = sinks
        self._refused: dict[int, int] = {}

    @property
    def events_dropped(self) -> int:
        """How many records were lost, all sinks together."""
        return sum(self._refused.values()) + sum(sink.events_dropped for sink in self.sinks)

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
                "%s raised %s; the run goes on, what it loses is counted in events_dropped.",
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
    """Return the recorder of a process: `home/runs.jsonl`, OTLP if configured, and `sinks`.

    `environment` (default: the process's) turns OTLP on by naming an endpoint; a file of
    `segment_bytes` is full, and `runs.2.jsonl` follows it.
    """
    from minerva_observability.sinks.jsonl import JsonlSink  # noqa: PLC0415  # only where used

    every: list[Sink] = [JsonlSink(Path(home) / RUNS_FILE, segment_bytes=segment_bytes)]
    known = os.environ if environment is None else environment
    disabled = known.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    if not disabled and any(known.get(name) for name in OTLP_ENDPOINTS):
        every.extend(_otlp_sinks())
    return FanOut(*every, *sinks)


def _otlp_sinks() -> list[Sink]:
    """Return the OTLP sink, or none if OpenTelemetry refuses its own settings."""
    try:
        from minerva_observability.sinks.otel import build_otlp_sink  # noqa: PLC0415  # 0.2 s

        return [build_otlp_sink()]
    except Exception as error:  # noqa: BLE001  # a wrong OTEL_… variable must not fail a run
        _log.warning("No spans are sent to OpenTelemetry, check the OTEL_ variables: %s", error)
        return []
