"""Give each record to several sinks, so that all of them hold the same records."""

import logging
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from minerva_observability.records.record import FAILURES, GONE_ON, Record, RunPart, without_verdict
from minerva_observability.records.segments import RUNS_FILE, SEGMENT_BYTES
from minerva_observability.tracing.recorder import Sink
from minerva_observability.tracing.span import Span

_log = logging.getLogger(__name__)


class FanOut:
    """A recorder that passes each span to several sinks.

    A sink that raises loses its own record; the other sinks still get it.

    Only the end of a run says if it went on without what failed. So the record of such a failure
    comes just before the run's own, with the action `stopped` if the run failed. A sink with
    `is_live = True` gets it at once and without the action. One that can `hold` it does so until
    then, in case the process is killed.
    """

    def __init__(self, *sinks: Sink) -> None:
        self.sinks = sinks
        self._live = [sink for sink in sinks if getattr(sink, "is_live", False)]
        self._late = [sink for sink in sinks if sink not in self._live]
        self._holding: list[Any] = [sink for sink in sinks if hasattr(sink, "hold")]
        self._losses: dict[int, int] = {}
        self._pending: dict[RunPart, list[Record]] = {}
        """By run at work here: the records whose action is not certain yet."""

    @property
    def records_dropped(self) -> int:
        """The number of records that were lost, all sinks together."""
        return sum(self._losses.values()) + sum(sink.records_dropped for sink in self.sinks)

    def dropped_by_sink(self) -> Mapping[str, int]:
        """Return the number of records that each sink lost, by the name of the sink's class."""
        lost: Counter[str] = Counter()
        for sink in self.sinks:
            lost[type(sink).__name__] += sink.records_dropped + self._losses.get(id(sink), 0)
        return lost

    def started(self, span: Span) -> None:
        """Announce to every sink that `span` began."""
        if span.kind == "run":
            self._pending[span.scope.run_id, span.scope.resume_no] = []
        self._call_each(lambda sink: sink.started(span), self.sinks)

    def finished(self, record: Record) -> None:
        """Give `record` to every sink, at the latest when its run ends."""
        run = record.run_id, record.resume_no
        if record.kind == "run":
            self._give_pending(run, is_over=record.status in FAILURES)
        elif record.action in GONE_ON and run in self._pending:
            self._pending[run].append(record)
            self._give(without_verdict(record), self._live)
            self._call_each(lambda sink: sink.hold(record), self._holding)
            return
        self._give(record, self.sinks)

    def close(self) -> None:
        """Close every sink. The failures of a run that has not ended keep their action."""
        for run in [*self._pending]:
            self._give_pending(run, is_over=False)
        self._call_each(lambda sink: sink.close(), self.sinks)

    def _give_pending(self, run: RunPart, *, is_over: bool) -> None:
        failures = self._pending.pop(run, [])
        for failure in failures:
            self._give(replace(failure, action="stopped") if is_over else failure, self._late)
        if failures:
            self._call_each(lambda sink: sink.release(run), self._holding)

    def _give(self, record: Record, sinks: Iterable[Sink]) -> None:
        self._call_each(lambda sink: sink.finished(record), sinks, records=1)

    def _call_each(
        self, call: Callable[[Any], None], sinks: Iterable[Sink], *, records: int = 0
    ) -> None:
        """Call each of `sinks`; count the `records` of one that raises, and name it once."""
        for sink in sinks:
            try:
                call(sink)
            except Exception as error:  # noqa: BLE001  # a sink must never fail a run
                if id(sink) not in self._losses:
                    _log.warning(
                        "%s raised %s. The run goes on; records_dropped counts the records it"
                        " loses.",
                        type(sink).__name__,
                        type(error).__name__,
                    )
                self._losses[id(sink)] = self._losses.get(id(sink), 0) + records


def build_recorder(
    home: Path | str | None,
    *sinks: Sink,
    environment: Mapping[str, str] | None = None,
    segment_bytes: int = SEGMENT_BYTES,
    versions: Mapping[str, str] | None = None,
) -> FanOut:
    """Return a recorder for `home/runs.jsonl`, for OpenTelemetry if it is on, and for `sinks`.

    Without a `home` it has no file, and of OpenTelemetry only the program's own provider.
    OpenTelemetry is on if `environment` (default: the process's) names an endpoint or an exporter,
    or the program has set up a provider of its own. `versions` are told to a collector: what the
    platform and its teams were installed from.
    When a file has `segment_bytes`, records go on in `runs.2.jsonl`, then `runs.3.jsonl`.
    If the runs are encrypted (`MINERVA_STORAGE_KEY`), the file holds no texts of errors.
    """
    variables = os.environ if environment is None else environment
    every: list[Sink] = []
    if home is None:
        variables = {
            name: value for name, value in variables.items() if name == "OTEL_SDK_DISABLED"
        }
    else:
        from minerva_observability.sinks.jsonl import STORAGE_KEY_VARIABLE, JsonlSink  # noqa: PLC0415  # only where used

        withholds = bool(variables.get(STORAGE_KEY_VARIABLE))
        path = Path(home) / RUNS_FILE
        every.append(JsonlSink(path, segment_bytes=segment_bytes, withholds=withholds))
    if "opentelemetry.sdk.trace" in sys.modules or any(
        name.startswith("OTEL_") for name in variables
    ):
        from minerva_observability.sinks.telemetry import build_telemetry  # noqa: PLC0415  # only if set

        telemetry = build_telemetry(variables, versions)
        recorder = FanOut(*every, *telemetry.sinks, *sinks)
        telemetry.watch(recorder.dropped_by_sink)
        return recorder
    return FanOut(*every, *sinks)
