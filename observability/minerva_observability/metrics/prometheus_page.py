"""The page that a Prometheus server reads, from records that other processes write.

A Prometheus server cannot ask a command that ends after a second, and should not ask each of many
processes. The process that serves this page follows the records in `runs.jsonl` instead. It counts
the records that were written since it began, because a Prometheus server expects counters that
begin at zero with the process.

This module needs the extra `minerva-observability[dashboard]`.
"""

import threading
from collections.abc import Callable, Collection, Mapping
from itertools import islice
from typing import Final

from minerva_observability.records.following import RecordFollower
from minerva_observability.records.record import RecordRow, row_to_record
from minerva_observability.records.segments import Source
from minerva_observability.sinks.otel_metrics import OtelMetricsSink
from minerva_observability.sinks.prometheus import PrometheusReader

_AT_ONCE: Final = 500
"""Rows that are counted together."""
ALL: Final = ""
"""The group of all rows."""
Groups = Callable[[Collection[str]], Mapping[str, str]]
"""Gives the groups of runs by their ids. A run without one is counted among all alone."""


class PrometheusPage:
    """Counts rows and returns the counts as a Prometheus page. Any OS thread may use it."""

    def __init__(self, source: Source, groups_of: Groups = lambda _: {}) -> None:
        """Count the rows written to `source` (a file, a folder or a pattern) from now on."""
        self._groups_of = groups_of
        self._follower = RecordFollower(source)
        next(self._follower.new_rows(), None)  # goes to the end of the existing files
        self._readers: dict[str, PrometheusReader] = {}
        self._sinks: dict[str, OtelMetricsSink] = {}
        self._lock = threading.Lock()
        self.rejections = 0
        """The number of rows that could not be counted, because a field has a wrong value."""

    def text(self, accept: str = "", group: str = ALL) -> tuple[bytes, str]:
        """Return the page of a group of runs, and its content type.

        `accept` is the request's `Accept` header.
        """
        with self._lock:
            new = self._follower.new_rows()
            while rows := [*islice(new, _AT_ONCE)]:
                groups = self._groups_of({str(row.get("run_id")) for row in rows})
                for row in rows:
                    self._count(row, groups.get(str(row.get("run_id")), ALL))
            self._sink_of(group)
            return self._readers[group].text(accept)

    def _count(self, row: RecordRow, group: str) -> None:
        try:
            record = row_to_record(row)
            for each in {ALL, group}:
                self._sink_of(each).finished(record)
        except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
            self.rejections += 1

    def _sink_of(self, group: str) -> OtelMetricsSink:
        if group not in self._sinks:
            self._readers[group] = PrometheusReader()
            self._sinks[group] = OtelMetricsSink(self._readers[group])
        return self._sinks[group]

    def close(self) -> None:
        """Close the files and the reader."""
        for sink in self._sinks.values():
            sink.close()
        self._follower.close()
