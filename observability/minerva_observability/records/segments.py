"""The files that hold records: `runs.jsonl`, then `runs.2.jsonl`, `runs.3.jsonl`, and so on.

Each file is a segment. No segment is ever renamed, so a writer never appends to a file that has a
new name. A writer holds a shared lock on its segment, which the kernel releases when the process
ends. The holder of the exclusive lock therefore knows that no process writes to the segment, and
may convert and delete it.
"""

import errno
import logging
import os
import re
import stat
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from glob import iglob
from pathlib import Path
from typing import Final, TypeAlias

from minerva_observability.file_lock import take_lock

Source: TypeAlias = Path | str
"""A file, a folder with all folders below it, or a pattern such as `hosts/*/runs*.jsonl`."""

RUNS_FILE: Final = "runs.jsonl"
PARQUET_FOLDER: Final = "runs"
"""The folder beside the segments that holds the Parquet files made of closed ones."""
SEGMENT_BYTES: Final = 256 * 1024 * 1024
"""Bytes; a segment of this size is full."""

_log = logging.getLogger(__name__)
_FLAGS: Final = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
_NAME: Final = re.compile(r"(?P<stem>.+?)(?:\.(?P<number>[1-9][0-9]*))?(?P<suffix>\.[^.]*)?")
_SUFFIXES: Final = {".jsonl", ".parquet"}
_MAX_TRIES: Final = 1_000


def open_segment(path: Path, *, segment_bytes: int) -> int:
    """Return a descriptor that appends to the newest segment of `path`, with a writer's lock.

    If that segment is full or being converted, the writer takes the next number. All writers do
    the same, so they meet in one segment without talking to each other, and none waits. An
    unfinished last line gets its newline.

    Raises:
        OSError: no segment can be opened.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    number = max(_numbers(path), default=1)
    for each in range(number, number + _MAX_TRIES):
        descriptor = _open_for_writing(_numbered(path, each), segment_bytes)
        if descriptor is not None:
            return descriptor
    raise OSError(errno.EBUSY, f"{_MAX_TRIES:,} segments are full or locked", str(path))


def ends_inside_a_line(descriptor: int, size: int) -> bool:
    """True if the first `size` bytes of the file end without a newline."""
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


@contextmanager
def segment_lock(path: Path | str) -> Generator[int | None]:
    """Lock a closed segment against writers; give its descriptor, or None if it is not closed.

    None means that a writer or another holder has a lock on it, or that it does not exist. While
    the lock is held the file may be read and deleted; new writers take the next number.

    Raises:
        OSError: the file cannot be opened, or its file system has no locks, so that no process
            can know whether it is closed.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        yield None
        return
    try:
        is_closed = take_lock(descriptor) and os.fstat(descriptor).st_nlink > 0
        yield descriptor if is_closed else None
    finally:
        os.close(descriptor)


def record_files(source: Source) -> tuple[Path, ...]:
    """Return the JSONL files of `source`: folder by folder, segments by their number.

    A `source` that is a file is taken whatever its name. A source that does not exist has none.
    """
    return _in_order(path for path in _find_files(source) if path.suffix != ".parquet")


def parquet_files(source: Source) -> tuple[Path, ...]:
    """Return the Parquet files of `source`: those in `runs/` beside its segments."""
    return _in_order(path for path in _find_files(source) if path.suffix == ".parquet")


def _open_for_writing(path: Path, segment_bytes: int) -> int | None:
    """Return a writer's descriptor, or None if the segment is full, being converted or deleted."""
    descriptor = os.open(path, _FLAGS, 0o600)
    try:
        if _is_open_to_writers(descriptor, segment_bytes):
            return descriptor
    except OSError:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _is_open_to_writers(descriptor: int, segment_bytes: int) -> bool:
    if not is_free(descriptor):
        return False
    state = os.fstat(descriptor)
    if state.st_nlink == 0:  # deleted before this process had the lock
        return False
    if ends_inside_a_line(descriptor, state.st_size):
        os.write(descriptor, b"\n")
    return state.st_size < segment_bytes


def is_free(descriptor: int, *, is_shared: bool = True) -> bool:
    """True if a writer may use the file, which is then locked if the file system has locks.

    Without locks no process can convert the file either, so writing is safe.
    """
    try:
        return take_lock(descriptor, is_shared=is_shared)
    except OSError:
        return True


def _numbered(path: Path, number: int) -> Path:
    return path if number == 1 else path.with_name(f"{path.stem}.{number}{path.suffix}")


def _numbers(path: Path) -> Iterator[int]:
    try:
        names = os.listdir(path.parent)  # noqa: PTH208  # names are enough
    except OSError:  # this user may not list the folder, so the numbers are tried from 1
        return
    segment = re.compile(rf"{re.escape(path.stem)}\.([1-9][0-9]*){re.escape(path.suffix)}")
    for name in names:
        if name == path.name:
            yield 1
        elif match := segment.fullmatch(name):
            yield int(match[1])


def _find_files(source: Source) -> Iterator[Path]:
    path = Path(source)
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)  # one call: a writer may make it meanwhile
    except (FileNotFoundError, NotADirectoryError):
        yield from _matching(str(source))
        return
    if is_folder:
        yield from _below(path)
    else:
        yield path


def _matching(pattern: str) -> Iterator[Path]:
    """Yield the files that a pattern names.

    A pattern that matches every segment also names the Parquet files made of segments.
    """
    for match in _glob(pattern):
        if match.is_dir():
            yield from _below(match)
        elif match.suffix in _SUFFIXES and not match.name.startswith("."):
            yield match
    path = Path(pattern)
    if all(Path(name).match(path.name) for name in (RUNS_FILE, "runs.2.jsonl", "runs.30.jsonl")):
        yield from _glob(str(path.with_name(PARQUET_FOLDER) / "[!.]*.parquet"))


def _glob(pattern: str) -> Iterator[Path]:
    # Path.glob refuses absolute patterns
    return map(Path, iglob(pattern, recursive=True, include_hidden=True))  # noqa: PTH207


def _below(root: Path) -> Iterator[Path]:
    """Yield segments and Parquet files in `root` and below it, without following links."""
    for name, folders, files in os.walk(root, onerror=_tell):
        folder = Path(name)
        is_parquet = folder.name == PARQUET_FOLDER
        if is_parquet:  # a running compaction has temporary folders here
            folders[:] = [each for each in folders if not each.startswith(".")]
        for file in files:
            is_finished = file.endswith(".parquet") and not file.startswith(".")
            if _is_segment(file) or (is_parquet and is_finished):
                yield folder / file


def _is_segment(name: str) -> bool:
    match = _NAME.fullmatch(name)
    return match is not None and f"{match['stem']}{match['suffix']}" == RUNS_FILE


def _in_order(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return each file once, even if several links lead to it."""
    once = {os.path.realpath(path): path for path in sorted(paths, reverse=True)}
    return tuple(sorted(once.values(), key=_place))


def _place(path: Path) -> tuple[Path, str, int]:
    match = _NAME.fullmatch(path.name)
    if match is None:
        return path.parent, path.name, 1
    return path.parent, f"{match['stem']}{match['suffix'] or ''}", int(match["number"] or 1)


def _tell(error: OSError) -> None:
    _log.warning("Records below %s are left out: %s.", error.filename, error.strerror)
