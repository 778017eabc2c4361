"""All records of a source as one table, whatever files they lie in.

Lines of `runs.jsonl` are read once, into a DuckDB file of the process's own; `refresh` adds what
was written since. Parquet files, which `compact_records` makes, are queried where they lie. A
span that is found twice counts once.
"""

import os
import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import duckdb

from minerva_observability.compaction.columns import ALL, ordered, select_list, table_types
from minerva_observability.compaction.compacted import OFFLINE, from_parquet
from minerva_observability.compaction.loading import Loader, delete_rows
from minerva_observability.metrics.temporary_folder import TemporaryFolder
from minerva_observability.records.reader import MAX_LINE_BYTES, ReadSummary, is_sound_line
from minerva_observability.records.segments import parquet_files, record_files

MEMORY_LIMIT: Final = "150MB"
"""What DuckDB may hold; beyond it, it uses its file. Readers' buffers come on top."""
THREADS: Final = max(1, (os.cpu_count() or 1) // 2)
"""Half of the cores: the others belong to whom the records are about."""
_STEP: Final = 1024 * 1024
_MAX_TRIES: Final = 20
"""How often files are listed again because one was converted meanwhile, and deleted."""


@dataclass(slots=True)
class SourceSummary:
    """What a store found in its source."""

    files: int = 0
    """Files of records, Parquet included."""
    unfinished: int = 0
    """Files whose last line has no end: it is being written, or its writer was killed."""
    duplicates: int = 0
    """Rows left out because their span was there already."""
    lines: ReadSummary = field(default_factory=ReadSummary)
    """The lines that hold no record, with their causes."""


class SpanStoreError(Exception):
    """Records cannot be read or asked: a Parquet file is damaged, memory or disk is full."""


class _FileState(NamedTuple):
    """What tells a file from another one in its place."""

    device: int
    inode: int
    size: int


class _Taken(NamedTuple):
    """How much of a file is in the table."""

    state: _FileState
    end: int
    """Where the last whole line ends, bytes."""


class SpanStore:
    """The spans of a source, to be queried from any OS thread."""

    def __init__(
        self,
        source: Path | str,
        *,
        columns: Iterable[str] = ALL,
        memory_limit: str = MEMORY_LIMIT,
    ) -> None:
        """Prepare for `source`: a file, a folder or a glob pattern; `refresh` reads it.

        Fewer `columns` are read faster; a query can use only these.
        """
        self.source = source
        self.columns = ordered(columns)
        self.summary = SourceSummary()
        self.generation = 0
        """Raised by each refresh that changed something."""
        self._temporary = TemporaryFolder()
        self._connection = self._connected(memory_limit)
        self._loader = Loader(self.columns, self._temporary.folder)
        self._table = ""
        self._taken: dict[Path, _Taken] = {}
        self._parquet: tuple[Path, ...] = ()
        self._refreshing = threading.Lock()

    def _connected(self, memory_limit: str) -> duckdb.DuckDBPyConnection:
        folder = self._temporary.folder
        return duckdb.connect(
            str(folder / "spans.duckdb"),
            config={
                "threads": str(THREADS),
                "memory_limit": memory_limit,
                "temp_directory": str(folder / "spill"),
                "preserve_insertion_order": "false",
                **OFFLINE,
            },
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back the memory and the file."""
        self._connection.close()
        self._temporary.close()

    def abandon(self) -> None:
        """Delete the file, and wait for nobody who reads: only before the process ends."""
        self._temporary.close()

    def query(self, sql: str, values: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Return the rows of a statement over the view `spans`, each as a dict.

        `$name` in it stands for the value of that name. Only after a first `refresh`.

        Raises:
            SpanStoreError: DuckDB cannot answer it.
        """
        with _told_plainly(), self._connection.cursor() as cursor:
            cursor.execute(sql, dict(values) if values else None)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def refresh(self) -> bool:
        """Read what is new; tell whether anything was.

        Whoever queries meanwhile sees the state before, whole.

        Raises:
            OSError: a file cannot be opened.
            SpanStoreError: DuckDB cannot read one, or has no room for it.
        """
        with self._refreshing, _told_plainly(), self._connection.cursor() as cursor:
            for tries_left in reversed(range(_MAX_TRIES)):
                segments, parquet = record_files(self.source), parquet_files(self.source)
                try:
                    changed = self._refreshed(cursor, segments, parquet)
                except BaseException as error:
                    self._taken[Path()] = _Taken(_FileState(0, 0, 0), 0)  # the next begins anew
                    is_lost = not all(path.exists() for path in (*segments, *parquet))
                    if not (tries_left and is_lost and isinstance(error, OSError | duckdb.Error)):
                        raise
                else:
                    self.generation += changed
                    return changed
        raise AssertionError  # the last try returns or raises

    def _refreshed(
        self,
        cursor: duckdb.DuckDBPyConnection,
        segments: tuple[Path, ...],
        parquet: tuple[Path, ...],
    ) -> bool:
        files = {path: _state_of(path) for path in segments}
        if self._continues(files, parquet):
            return self._grow(cursor, files)
        return self._build(cursor, files, parquet)

    def _continues(self, files: Mapping[Path, _FileState], parquet: tuple[Path, ...]) -> bool:
        """Tell whether everything that was read is still there, and has only grown."""
        return (
            bool(self._table)
            and parquet == self._parquet
            and all(
                path in files
                and files[path][:2] == taken.state[:2]
                and files[path].size >= taken.state.size
                for path, taken in self._taken.items()
            )
        )

    def _build(
        self,
        cursor: duckdb.DuckDBPyConnection,
        files: Mapping[Path, _FileState],
        parquet: tuple[Path, ...],
    ) -> bool:
        """Read everything into a table of its own, then let the view show that one."""
        old, new = self._table, f"taken_{self.generation}"
        self._taken, self._parquet = {}, parquet
        self.summary = SourceSummary()
        cursor.execute(f"CREATE OR REPLACE TABLE {new} ({table_types(self.columns)})")
        for path, state in files.items():
            self._load(cursor, path, state, into=new)
        self.summary.files = len(files) + len(parquet)
        self.summary.duplicates += self._drop_doubles(cursor, new)
        view = f"SELECT {', '.join(self.columns)} FROM {new}"  # noqa: S608  # names of ours
        if parquet:
            names = select_list(self.columns)
            view += f" UNION ALL SELECT {names} FROM {from_parquet(parquet)}"  # noqa: S608  # ours
        cursor.execute(f"CREATE OR REPLACE VIEW spans AS {view}")
        if old and old != new:
            cursor.execute(f"DROP TABLE {old}")
        self._table = new
        return True

    def _grow(self, cursor: duckdb.DuckDBPyConnection, files: Mapping[Path, _FileState]) -> bool:
        """Add what was appended; tell whether anything was."""
        grown = [
            path
            for path, state in files.items()
            if path not in self._taken or state.size > self._taken[path].state.size
        ]
        if not grown:
            return False
        cursor.execute(f"CREATE OR REPLACE TABLE arrived ({table_types(self.columns)})")
        for path in grown:
            self._load(cursor, path, files[path], into="arrived")
        self.summary.files = len(files) + len(self._parquet)
        known = f"span IN (SELECT span FROM {self._table})"  # noqa: S608  # a name of ours
        self.summary.duplicates += self._drop_doubles(cursor, "arrived")
        self.summary.duplicates += delete_rows(cursor, "arrived", known)
        cursor.execute(f"INSERT INTO {self._table} SELECT * FROM arrived")  # noqa: S608  # ours
        return True

    def _load(
        self, cursor: duckdb.DuckDBPyConnection, path: Path, state: _FileState, *, into: str
    ) -> None:
        """Add the lines of `path` that were not read yet to the table `into`."""
        start = self._taken[path].end if path in self._taken else 0
        end = _end_of_last_line(path, state.size)
        found = self._loader.load(cursor, path, into=into, start=start, end=end)
        self.summary.lines.add_all(found)
        self._taken[path] = _Taken(state, end)
        taken = self._taken.values()
        self.summary.unfinished = sum(item.end < item.state.size for item in taken)

    def _drop_doubles(self, cursor: duckdb.DuckDBPyConnection, table: str) -> int:
        """Keep one row a span, and none that lies in Parquet; return how many were dropped."""
        cursor.execute(
            f"CREATE OR REPLACE TEMP TABLE doubled AS "  # noqa: S608  # names of ours
            f"SELECT span FROM {table} GROUP BY span HAVING count(*) > 1"
        )
        surplus = (
            "rowid IN (SELECT row FROM (SELECT rowid AS row, "  # noqa: S608  # names of ours
            "row_number() OVER (PARTITION BY span ORDER BY rowid) AS nth "
            f"FROM {table} WHERE span IN (FROM doubled)) WHERE nth > 1)"
        )
        dropped = delete_rows(cursor, table, surplus)
        if self._parquet:
            compacted = f"span IN (SELECT hash(span_id) FROM {from_parquet(self._parquet)})"  # noqa: S608
            dropped += delete_rows(cursor, table, compacted)
        return dropped


@contextmanager
def _told_plainly() -> Generator[None]:
    """Spare whoever asks from knowing DuckDB's errors."""
    try:
        yield
    except duckdb.Error as error:
        raise SpanStoreError(str(error)) from error


def _state_of(path: Path) -> _FileState:
    state = path.stat()
    return _FileState(state.st_dev, state.st_ino, state.st_size)


def _end_of_last_line(path: Path, size: int) -> int:
    """Return where the last whole line ends within the first `size` bytes.

    A row that only lacks its newline is whole.
    """
    end, tail, length = size, list[bytes](), 0
    with path.open("rb") as file:
        while end > 0:
            start = max(0, end - _STEP)
            file.seek(start)
            block = file.read(end - start)
            newline = block.rfind(b"\n") + 1
            length += len(block) - newline
            tail = [*tail, block[newline:]] if length <= MAX_LINE_BYTES else []
            if newline:
                end = start + newline
                break
            end = start
    return size if is_sound_line(b"".join(reversed(tail))) else end
