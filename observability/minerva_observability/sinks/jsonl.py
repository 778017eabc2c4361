"""Append records to `runs.jsonl` so that no line is torn, lost or written twice.

Each record is one `os.write` of one whole line on an `O_APPEND` descriptor. Processes that write at
the same time therefore cannot mix their lines, and a killed process leaves no lock behind. A line
that a killed process left unfinished gets its newline before the next line, so no other record is
lost with it. When the file is full, each writer goes on in the next segment by itself.
"""

import logging
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import orjson

from minerva_observability.records.encoding import to_json
from minerva_observability.records.record import Record, RunPart
from minerva_observability.records.segments import (
    RUNS_FILE,
    SEGMENT_BYTES,
    ends_inside_a_line,
    is_free,
    open_segment,
    record_files,
    segment_lock,
)
from minerva_observability.tracing.span import Span

STORAGE_KEY_VARIABLE: Final = "MINERVA_STORAGE_KEY"
"""The key by which runs are encrypted. If it is set, no text of an error is written here."""
WITHHELD: Final = "(not written: the runs are encrypted)"
"""Stands for the text of an error."""

_log = logging.getLogger(__name__)
_NONE: Final = -1
_FLAGS: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC


def withhold_texts(home: Path) -> tuple[Path, ...]:
    """Take the texts of errors out of the records in `home`; return the files in use, left alone.

    Raises:
        OSError: a file cannot be read or written; it is as before.
    """
    in_use: list[Path] = []
    JsonlSink(home / RUNS_FILE, withholds=True).close()  # takes what killed processes held
    for path in record_files(home):
        with segment_lock(path) as descriptor:
            if descriptor is None:
                in_use.append(path)
                continue
            part = path.with_name(f".{path.name}.part")
            with path.open("rb") as old, part.open("wb") as new:
                part.chmod(0o600)
                new.writelines(map(_without_text, old))
            part.replace(path)  # the lock is on the old file, to which nobody writes any more
    return tuple(in_use)


def _without_text(line: bytes) -> bytes:
    if b'"message"' not in line:
        return line
    with suppress(ValueError, TypeError, KeyError):  # no record: a reader says so
        row = orjson.loads(line)
        row["error"]["message"] = WITHHELD
        return to_json(row) + b"\n"
    return line


class JsonlSink:
    """Writes one JSON line for each span that ended. A failed write is counted, never raised."""

    def __init__(
        self, path: Path | str, *, segment_bytes: int = SEGMENT_BYTES, withholds: bool = False
    ) -> None:
        """Open the newest segment of `path`, making the file (mode 0600) and its folder (0700).

        A segment of `segment_bytes` or more is full; its last record may go beyond the limit.
        With `withholds`, the texts of errors stay out.
        """
        self.path, self.withholds = Path(path), withholds
        self.segment_bytes = max(1, segment_bytes)
        self.records_dropped = 0
        """The number of records that could not be written: disk full, no permission."""
        self._descriptor = _NONE
        self._full_at = self.segment_bytes
        self._end = _NONE  # size after our last line, if no other process wrote since
        self._is_closed = False
        self._has_reported = False
        self._side_files: dict[RunPart, tuple[Path, int]] = {}
        try:
            self._descriptor = self._open()
            self._take_over()
        except OSError as error:
            self._report(error)

    def started(self, span: Span) -> None:
        """Write nothing of it: it has not ended. It may go on with the run of a killed process."""
        if span.kind == "run" and span.scope.resume_no:
            self._take_over()

    def hold(self, record: Record) -> None:
        """Keep `record`, which comes again when its run ends, in case this process is killed."""
        run = record.run_id, record.resume_no
        if run not in self._side_files:
            path = self.path.with_name(f".{self.path.name}.{run[0]}.{run[1]}.{os.getpid()}.held")
            self._side_files[run] = path, os.open(path, _FLAGS, 0o600)
            is_free(self._side_files[run][1], is_shared=False)
        os.write(self._side_files[run][1], self._to_line(record))

    def release(self, run: RunPart) -> None:
        """Drop what was held of `run`."""
        if run in self._side_files:
            path, descriptor = self._side_files.pop(run)
            path.unlink(missing_ok=True)
            os.close(descriptor)

    def _take_over(self) -> None:
        """Append what killed processes held: nobody has a lock on their files."""
        for path in self.path.parent.glob(f".{self.path.name}.*.held"):
            with suppress(OSError), segment_lock(path) as descriptor:
                if descriptor is not None:
                    for line in path.read_bytes().splitlines(keepends=True):
                        self._append(_without_text(line) if self.withholds else line)
                    path.unlink()

    def _to_line(self, record: Record) -> bytes:
        if self.withholds and record.error is not None:
            record = replace(record, error={**record.error, "message": WITHHELD})
        return to_json(record.to_json_dict()) + b"\n"

    def finished(self, record: Record) -> None:
        """Append `record`."""
        try:
            self._append(self._to_line(record))
        except (OSError, TypeError, ValueError, RecursionError) as error:
            self._report(error)
            self.records_dropped += 1

    def close(self) -> None:
        """Close the file. Records that come later are counted as dropped."""
        descriptor, self._descriptor, self._is_closed = self._descriptor, _NONE, True
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

    def _finish(self, line: bytes, count: int) -> None:
        """Save a line of which the disk took only a part, because it is filling up.

        Another process may have appended since, so the rest of the line cannot follow. The part
        gets a newline, and the whole line is written once more. A line that lacks only its
        newline is complete; a second copy would be a duplicate.
        """
        if count == len(line) - 1:
            os.write(self._descriptor, b"\n")
        elif os.write(self._descriptor, b"\n" + line) < len(line):
            msg = f"a record of {len(line):,} bytes did not fit"
            raise OSError(msg)

    def _is_torn(self) -> bool:
        """True if our segment ends inside a line; `_end` is then set to the segment's size."""
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
        """Go on in the newest segment, because ours is full or was deleted; return its state.

        If no segment can be opened, the full one takes more records: a long file is better than a
        lost record.
        """
        try:
            fresh = self._open()
        except OSError as error:
            if self._is_closed or state.st_nlink == 0:
                raise
            self._full_at = state.st_size + self.segment_bytes
            _log.warning("Records go on in a full segment of %s: %s.", self.path, error)
            return state
        try:  # OS threads may be writing: swap in one step; the lock goes with the last descriptor
            os.dup2(fresh, self._descriptor, inheritable=False)
        finally:
            os.close(fresh)
        self._full_at = self.segment_bytes
        self._end = _NONE
        return os.fstat(self._descriptor)

    def _open(self) -> int:
        if self._is_closed:
            msg = "the sink was closed before"
            raise OSError(msg)
        return open_segment(self.path, segment_bytes=self.segment_bytes)

    def _report(self, error: Exception) -> None:
        if self._has_reported:
            return
        self._has_reported = True
        _log.warning(
            "Records are not written to %s: %s. The run goes on. Free space on the disk, or set"
            " MINERVA_HOME to a writable folder.",
            self.path,
            error,
        )
