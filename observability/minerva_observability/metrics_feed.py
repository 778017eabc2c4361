"""The page that Prometheus reads, from records that other processes write.

A command that ends after a second cannot be asked for its metrics, and a
server of many workers should be asked once. Whoever serves this page follows
the records in `runs.jsonl` instead and counts what was written since it began:
a Prometheus server expects counters that begin at zero with the process.

Needs the extra `minerva-observability[dashboard]`.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final

import orjson

from minerva_observability.reader import is_row
from minerva_observability.record import RecordRow, row_to_record
from minerva_observability.segments import Source, record_files
from minerva_observability.sinks.otel_metrics import OtelMetricsSink
from minerva_observability.sinks.prometheus import PrometheusReader

_CHUNK: Final = 4 * 1024 * 1024
"""Bytes read of a file at once; a line that is longer is passed over."""

Place = tuple[int, int]
"""A file whatever it is called: its device and its number there."""
NewRows = Callable[[], Iterable[RecordRow]]


class MetricsFeed:
    """Counts rows and shows them as a Prometheus page. May be asked from any thread."""

    def __init__(self, new_rows: NewRows) -> None:
        """Count what `new_rows` gives, each time the page is asked for."""
        self._new_rows = new_rows
        self._reader = PrometheusReader()
        self._sink = OtelMetricsSink(self._reader)
        self._lock = threading.Lock()
        self.rejected = 0
        """Rows whose fields are not what they should be."""

    def text(self, accept: str = "") -> tuple[bytes, str]:
        """Return the page and its content type, for the header `Accept` of who asks."""
        with self._lock:
            for row in self._new_rows():
                try:
                    self._sink.finished(row_to_record(row))
                except (ValueError, TypeError, AttributeError, KeyError, OverflowError):
                    self.rejected += 1
            return self._reader.text(accept)

    def close(self) -> None:
        """Let go of what is held."""
        self._sink.close()


class FollowedFiles:
    """The rows that are appended to files from now on; `find` says which files there are.

    A file that appears later is read from its beginning, and so is one that was
    replaced or cut. A line is read when it is whole.
    """

    def __init__(self, find: Callable[[], Iterable[Path]]) -> None:
        """Begin at the end of the files that are there."""
        self._find = find
        self._places: dict[Place, int] = {}
        for path in find():
            state = _state(path)
            if state is not None:
                self._places[state.st_dev, state.st_ino] = state.st_size

    def __call__(self) -> Iterator[RecordRow]:
        """Yield the rows that came since the last call."""
        before, self._places = self._places, {}
        for path in self._find():
            try:
                file = path.open("rb")
            except OSError:  # converted and deleted a moment ago, or not ours to read
                continue
            with file:
                yield from self._rows(file, before)

    def _rows(self, file: BinaryIO, before: Mapping[Place, int]) -> Iterator[RecordRow]:
        state = os.fstat(file.fileno())
        place = state.st_dev, state.st_ino
        began = before.get(place, 0)
        self._places[place] = began if began <= state.st_size else 0
        file.seek(self._places[place])
        while chunk := file.read(_CHUNK):
            whole = chunk.rpartition(b"\n")[0]
            if not whole and len(chunk) < _CHUNK:
                return
            self._places[place] += len(whole) + 1 if whole else len(chunk)
            file.seek(self._places[place])
            yield from (row for row in map(_row, whole.split(b"\n")) if row is not None)


def follow_home(source: Source) -> FollowedFiles:
    """Return the rows that are written from now on, whoever writes them.

    `source` is a process's home, a folder of many hosts', or a pattern.
    """
    return FollowedFiles(lambda: record_files(source))


def _state(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _row(line: bytes) -> RecordRow | None:
    """Return the row, or nothing: readers that count bad lines are others."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return value if is_row(value) else None
