"""The page that a Prometheus server reads, from records that other processes write.

A Prometheus server cannot ask a command that ends after a second, and should not ask each of many
processes. The process that serves this page follows the records in `runs.jsonl` instead. It counts
the records that were written since it began, because a Prometheus server expects counters that
begin at zero with the process.

This module needs the extra `minerva-observability[dashboard]`.
"""

import threading

from minerva_observability.records.following import RecordFollower
from minerva_observability.records.record import row_to_record
from minerva_observability.records.segments import Source
from minerva_observability.sinks.otel_metrics import OtelMetricsSink
from minerva_observability.sinks.prometheus import PrometheusReader


class PrometheusPage:
    """Counts rows and returns the counts as a Prometheus page. Any OS thread may use it."""

    def __init__(self, source: Source) -> None:
        """Count the rows written to `source` (a file, a folder or a pattern) from now on."""
        self._follower = RecordFollower(source)
        next(self._follower.new_rows(), None)  # goes to the end of the existing files
        self._reader = PrometheusReader()
        self._sink = OtelMetricsSink(self._reader)
        self._lock = threading.Lock()
        self.rejections = 0
        """The number of rows that could not be counted, because a field has a wrong value."""

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """Return the page and its content type; `accept` is the request's `Accept` header."""
        with self._lock:
            for row in self._follower.new_rows():
                try:
                    self._sink.finished(row_to_record(row))
                except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
                    self.rejections += 1
            return self._reader.text(accept)

    def close(self) -> None:
        """Close the files and the reader."""
        self._sink.close()
        self._follower.close()
