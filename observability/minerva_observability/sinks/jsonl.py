"""Append records to `runs.jsonl` so that no line is torn, lost or written twice.

Each record is one `os.write` of one whole line on an `O_APPEND` descriptor:
processes that write at the same time cannot mix their lines, and no lock can
be left behind by a killed one. A line that a killed process left unfinished is
closed before the next one, so it costs itself only. When the file is full,
every writer goes on in the next segment by itself.
"""

import logging
import os
from pathlib import Path
from typing import Final

from minerva_observability.records.encoding import to_json
from minerva_observability.records.record import Record
from minerva_observability.records.segments import SEGMENT_BYTES, ends_inside_a_line, open_segment
from minerva_observability.tracing.span import Span

_log = logging.getLogger(__name__)
_NONE: Final = -1


class JsonlSink:
    """Writes one JSON line per finished span. A write that fails is counted, never raised."""

    def __init__(self, path: Path | str, *, segment_bytes: int = SEGMENT_BYTES) -> None:
        """Open the newest segment of `path` (made with mode 0600, its folder too).

        One that has reached `segment_bytes` is full; the last record may lie across the limit.
        """
        self.path = Path(path)
        self.segment_bytes = max(1, segment_bytes)
        self.records_dropped = 0
        """Records that could not be written: disk full, no permission."""
        self._descriptor = _NONE
        self._full_at = self.segment_bytes
        self._end = _NONE  # the file's size after our last line, if nobody wrote since
        self._closed = False
        self._reported = False
        try:
            self._descriptor = self._open()
        except OSError as error:
            self._report(error)

    def started(self, span: Span) -> None:
        """Only finished spans are written."""

    def finished(self, record: Record) -> None:
        """Append `record`."""
        try:
            self._append(to_json(record.to_json_dict()) + b"\n")
        except (OSError, TypeError, ValueError, RecursionError) as error:
            self._report(error)
            self.records_dropped += 1

    def close(self) -> None:
        """Close the file; whatever finishes later is counted as dropped."""
        descriptor, self._descriptor, self._closed = self._descriptor, _NONE, True
        if descriptor != _NONE:
            os.close(descriptor)

    def _append(self, line: bytes) -> None:
        if self._is_torn():
            line = b"\n" + line
        written = os.write(self._descriptor, line)
        if written == len(line):
            self._end += written
        else:
            self._end = _NONE
            self._finish(line, written)

    def _finish(self, line: bytes, written: int) -> None:
        """Save a line of which only a part was taken, as a filling disk does.

        Another process may have appended since, so the rest cannot follow: the
        part is closed off and the whole line written once more. Without its
        newline only, it is complete already, and a second copy would be one
        too many.
        """
        if written == len(line) - 1:
            os.write(self._descriptor, b"\n")
        elif os.write(self._descriptor, b"\n" + line) < len(line):
            msg = f"a record of {len(line):,} bytes did not fit"
            raise OSError(msg)

    def _is_torn(self) -> bool:
        """Tell whether our segment ends inside a line, and note its size."""
        if self._descriptor == _NONE:
            self._descriptor = self._open()
        state = os.fstat(self._descriptor)
        if state.st_size >= self._full_at or state.st_nlink == 0:
            state = self._move_on(state)
        if state.st_size == self._end:  # the last line is ours, and whole
            return False
        self._end = state.st_size
        return ends_inside_a_line(self._descriptor, self._end)

    def _move_on(self, state: os.stat_result) -> os.stat_result:
        """Go on in the newest segment, as ours is full or was deleted; return its state.

        If none can be had, a full one takes more: a long file is better than a lost record.
        """
        try:
            fresh = self._open()
        except OSError as error:
            if self._closed or state.st_nlink == 0:
                raise
            self._full_at = state.st_size + self.segment_bytes
            _log.warning("Records go on in a full segment of %s: %s.", self.path, error)
            return state
        try:  # OS threads may be writing, so swap in one step; the lock goes with the last copy
            os.dup2(fresh, self._descriptor, inheritable=False)
        finally:
            os.close(fresh)
        self._full_at = self.segment_bytes
        self._end = _NONE
        return os.fstat(self._descriptor)

    def _open(self) -> int:
        if self._closed:
            msg = "the sink was closed before"
            raise OSError(msg)
        return open_segment(self.path, segment_bytes=self.segment_bytes)

    def _report(self, error: Exception) -> None:
        if self._reported:
            return
        self._reported = True
        _log.warning(
            "Records are not written to %s: %s. The run goes on; free the disk or set"
            " MINERVA_HOME to a folder that can be written.",
            self.path,
            error,
        )
