"""The page that Prometheus reads, from records that other processes write.

A command that ends after a second cannot be asked for its metrics, and a
server of many workers should be asked once. Whoever serves this page follows
the records in `runs.jsonl` instead and counts what was written since it began:
a Prometheus server expects counters that begin at zero with the process.

Needs the extra `minerva-observability[dashboard]`.
"""

import threading

from minerva_observability.records.following import RecordFollower
from minerva_observability.records.record import row_to_record
from minerva_observability.records.segments import Source
from minerva_observability.sinks.otel_metrics import OtelMetricsSink
from minerva_observability.sinks.prometheus import PrometheusReader


class PrometheusPage:
    """Counts rows and shows them as a Prometheus page. May be asked from any OS thread."""

    def __init__(self, source: Source) -> None:
        """Count what is written to `source` from now on: a home, a folder of hosts, a pattern."""
        self._follower = RecordFollower(source)
        next(self._follower.new_rows(), None)  # goes to the end of the files that are there
        self._reader = PrometheusReader()
        self._sink = OtelMetricsSink(self._reader)
        self._lock = threading.Lock()
        self.rejected = 0
        """Rows whose fields are not what they should be."""

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """Return the page and its content type, for the header `Accept` of who asks."""
        with self._lock:
            for row in self._follower.new_rows():
                try:
                    self._sink.finished(row_to_record(row))
                except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
                    self.rejected += 1
            return self._reader.text(accept)

    def close(self) -> None:
        """Let go of what is held."""
        self._sink.close()
        self._follower.close()
