"""Follow records while they are written: each row comes once, as soon as its line is whole.

Following goes on when a file appears, becomes full, is compacted or is deleted. A file that grew
is held open, so that its last rows are read even after it was deleted.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import BinaryIO, Final

from minerva_observability.records.reader import (
    LinesUpTo,
    ReadSummary,
    RecordReader,
    count_lines,
    end_of_last_line,
)
from minerva_observability.records.record import RecordRow
from minerva_observability.records.segments import Source, record_files

EVERY_S: Final = 0.25
"""Seconds between two looks at the files."""
MAX_OPEN_FILES: Final = 64
"""The number of files that are held open: those that grew last."""
LOOK_BACK: Final = 16 * 1024 * 1024
"""The number of bytes that are searched for the last rows, all folders together."""
_FIRST_STEP: Final = 64 * 1024

_Identity = tuple[int, int]
"""Device and inode, which identify a file under any name."""


@dataclass(slots=True)
class _FollowedFile:
    """A file, and the position up to which it was read."""

    identity: _Identity
    path: Path
    end: int = 0
    """Offset at which the last line that was read ends, bytes."""
    file: BinaryIO | None = None
    """Open while the file is among those that grew last."""

    def hold(self) -> BinaryIO | None:
        """Return the open file; None if its path now leads to no file or another one."""
        if self.file is None:
            try:
                file = self.path.open("rb")
            except FileNotFoundError:
                return None
            if _identity(os.fstat(file.fileno())) != self.identity:
                file.close()
                return None
            self.file = file
        return self.file

    def close(self) -> None:
        """Close the file and keep the position."""
        if self.file is not None:
            self.file.close()
        self.file = None


def follow_records(
    source: Source,
    *,
    stop: Event,
    last: int = 0,
    every_s: float = EVERY_S,
) -> Iterator[RecordRow]:
    """Yield the `last` rows that exist, then new rows as they are written, until `stop` is set.

    Rows that were written before `stop` was set still come. The files are looked at every
    `every_s` seconds.
    """
    with RecordFollower(source, last=last) as follower:
        while True:
            is_over = stop.is_set()
            yield from follower.new_rows()
            if is_over:
                return
            stop.wait(every_s)


class RecordFollower(AbstractContextManager["RecordFollower"]):
    """Keeps the position in each file of a source; `summary` counts and names bad lines."""

    def __init__(
        self,
        source: Source,
        *,
        last: int = 0,
        is_wanted: Callable[[RecordRow], bool] | None = None,
    ) -> None:
        """Follow `source`: a file, a folder or a pattern, which need not exist yet.

        The first call of `new_rows` yields the `last` rows that exist at that time. Only rows for
        which `is_wanted` returns True come.
        """
        self.source = source
        self.summary = ReadSummary()
        self._last = last
        self._is_wanted = is_wanted
        self._places: dict[_Identity, _FollowedFile] = {}
        self._has_begun = False

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all files."""
        for place in self._places.values():
            place.close()

    def new_rows(self) -> Iterator[RecordRow]:
        """Yield the rows whose lines became whole since the last call."""
        found = dict(_find_files(self.source))
        if not self._has_begun:
            self._has_begun = True
            yield from self._begin(found)
            return
        for identity in self._places.keys() - found.keys():
            place = self._places.pop(identity)
            yield from self._rest(place)
            place.close()
        for identity, path in found.items():
            place = self._places.setdefault(identity, _FollowedFile(identity, path))
            yield from self._growth(place)
        held = [place for place in self._places.values() if place.file is not None]
        for place in held[:-MAX_OPEN_FILES]:
            place.close()

    def _begin(self, paths: dict[_Identity, Path]) -> Iterator[RecordRow]:
        """Set each position to the end of its file, and yield the `last` rows."""
        folders: dict[Path, list[_FollowedFile]] = {}
        for identity, path in paths.items():
            place = self._places[identity] = _FollowedFile(identity, path)
            if file := place.hold():
                place.end = end_of_last_line(file, _size(file))
                place.close()
            folders.setdefault(path.parent, []).append(place)
        for several in list(folders.values())[-MAX_OPEN_FILES:]:
            several[-1].hold()  # while it is open, no new file can get its inode
        if self._last:
            budget = LOOK_BACK // max(1, len(folders))
            rows = [row for several in folders.values() for row in self._newest(several, budget)]
            rows.sort(key=lambda row: str(row.get("timestamp", "")))  # a file's order is kept
            yield from rows[-self._last :]

    def _newest(self, several: list[_FollowedFile], budget: int) -> list[RecordRow]:
        """Return up to `last` rows of a folder, searched from the end of its newest file."""
        rows: list[RecordRow] = []
        for place in reversed(several):
            size = min(_FIRST_STEP, budget)
            older = self._tail(place, size)
            while len(older) + len(rows) < self._last and size < min(place.end, budget):
                size = min(size * 4, budget)
                older = self._tail(place, size)
            rows = older + rows
            budget -= size
            if len(rows) >= self._last or budget <= 0:
                break
        return rows[-self._last :]

    def _tail(self, place: _FollowedFile, size: int) -> list[RecordRow]:
        """Return the rows within the last `size` bytes; old bad lines are not counted."""
        start = max(0, place.end - size)
        try:
            file = place.path.open("rb")
        except FileNotFoundError:  # deleted a moment ago
            return []
        with file:
            file.seek(start)
            if start:
                file.readline()  # the end of a line that began earlier
            return list(self._rows(file, place, ReadSummary()))

    def _growth(self, place: _FollowedFile) -> Iterator[RecordRow]:
        """Yield the rows that were added to a file."""
        size = _size(place.file or place.path)
        if size == place.end or place.hold() is None:
            return
        if size < place.end:  # the file was emptied
            place.end = 0
        self._places[place.identity] = self._places.pop(place.identity)  # the one that grew last
        yield from self._rest(place)

    def _rest(self, place: _FollowedFile) -> Iterator[RecordRow]:
        """Yield the rows of an open file behind its position."""
        if place.file is None:
            return
        start = place.end
        place.end = end_of_last_line(place.file, _size(place.file), above=start)
        if place.end > start:
            place.file.seek(start)
            yield from self._rows(place.file, place, self.summary)

    def _rows(
        self, file: BinaryIO, place: _FollowedFile, summary: ReadSummary
    ) -> Iterator[RecordRow]:
        """Yield the rows between the position of `file` and `place.end`."""
        reader, start = RecordReader(place.path), file.tell()
        for row in reader.rows_in(LinesUpTo(file, place.end)):
            if self._is_wanted is None or self._is_wanted(row):
                yield row
        if reader.summary.bad:
            reader.summary.move(place.path, lines_before=count_lines(file, start))
        summary.add_all(reader.summary)


def _find_files(source: Source) -> Iterator[tuple[_Identity, Path]]:
    for path in record_files(source):
        try:
            state = path.stat()
        except FileNotFoundError:  # deleted since it was listed
            continue
        if stat.S_ISREG(state.st_mode):  # opening a pipe would block
            yield _identity(state), path


def _identity(state: os.stat_result) -> _Identity:
    return state.st_dev, state.st_ino


def _size(file: BinaryIO | Path) -> int:
    """Return the size in bytes; 0 for a file that no longer exists."""
    try:
        state = file.stat() if isinstance(file, Path) else os.fstat(file.fileno())
    except FileNotFoundError:
        return 0
    return state.st_size
