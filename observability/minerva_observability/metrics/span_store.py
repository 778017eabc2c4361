"""All records of a source as one table, from segments and Parquet files.

Each line of `runs.jsonl` is read once, into a temporary DuckDB file of this process. `refresh` adds
the lines that were written since. Parquet files, which `compact_records` makes, are queried in
place. A span that occurs twice counts once.
"""

import os
import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from minerva_observability.compaction.columns import ALL, select_list, sort_columns, table_types
from minerva_observability.compaction.compaction import OFFLINE, from_parquet
from minerva_observability.compaction.loading import PART_BYTES, Loader, delete_rows
from minerva_observability.records.reader import (
    MAX_LINE_BYTES,
    ReadSummary,
    end_of_last_line,
    is_sound_line,
)
from minerva_observability.records.runs import ALWAYS_COUNTED
from minerva_observability.records.segments import parquet_files, record_files
from minerva_observability.temporary_folder import TemporaryFolder

MEMORY_LIMIT: Final = "150MB"
"""The memory that DuckDB may use; it keeps the rest in its file. Read buffers come on top."""
THREADS: Final = max(1, (os.cpu_count() or 1) // 2)
"""OS threads of DuckDB: half of the cores. The others are left to the recorded programs."""
_MAX_TRIES: Final = 20
"""How often the files are listed again if one was compacted and deleted meanwhile."""


@dataclass(slots=True)
class SourceSummary:
    """What a store found in its source."""

    files: int = 0
    """Files of records, including Parquet files."""
    unfinished_files: int = 0
    """Files whose last line is not whole: it is being written, or its writer was killed."""
    duplicates: int = 0
    """Rows that were left out because their span had a row already."""
    lines: ReadSummary = field(default_factory=ReadSummary)
    """The lines that hold no record, with their causes."""


class SpanStoreError(Exception):
    """Records cannot be read or queried: a Parquet file is damaged, or memory or disk is full."""


class _FileState(NamedTuple):
    """Identifies a file, and tells it from another one under the same path."""

    device: int
    inode: int
    size: int


class _ReadPart(NamedTuple):
    """The part of a file that is in the table."""

    state: _FileState
    end: int
    """Offset at which the last whole line ends, bytes."""


class SpanStore(AbstractContextManager["SpanStore"]):
    """The spans of a source as the view `spans`. Any OS thread may query it.

    `source` is a file, a folder or a pattern. `generation` grows with each refresh that changed the
    spans. `summary` says what the source holds, with its bad lines. Use it with `with`, or `close`
    it: it holds a temporary file.
    """

    def __init__(
        self,
        source: Path | str,
        *,
        columns: Iterable[str] = ALL,
        memory_limit: str = MEMORY_LIMIT,
        part_bytes: int = PART_BYTES,
    ) -> None:
        """Prepare a store of `source`; `refresh` reads it.

        A query can use only `columns`. A store with fewer columns is read faster. `memory_limit`
        is DuckDB's, such as `150MB`. A growing file is read in parts of `part_bytes`.

        Raises:
            ValueError: there is no such column.
        """
        self.source = source
        self.columns = sort_columns(columns)
        self.summary = SourceSummary()
        self.generation = 0
        """Grows by one with each refresh that changed the spans."""
        self._temporary = TemporaryFolder("minerva-store-")
        self._connection = self._connect(memory_limit)
        self._loader = Loader(self.columns, self._temporary.folder, part_bytes=part_bytes)
        self._table = ""
        self._parts: dict[Path, _ReadPart] = {}
        self._parquet: tuple[Path, ...] = ()
        self._refreshing = threading.Lock()

    def _connect(self, memory_limit: str) -> duckdb.DuckDBPyConnection:
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

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the memory and delete the temporary file."""
        self._connection.close()
        self._temporary.close()

    def abandon(self) -> None:
        """Delete the temporary file without waiting for running queries.

        Call it only just before the process ends.
        """
        self._temporary.close()

    def query(self, sql: str, values: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """Return the rows of an SQL statement over the view `spans`, each as a dict.

        `$name` in the statement stands for `values["name"]`. Call `refresh` once before.

        Raises:
            SpanStoreError: DuckDB cannot execute the statement.
        """
        with _told_plainly(), self._connection.cursor() as cursor:
            cursor.execute(sql, dict(values) if values else None)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def refresh(self) -> bool:
        """Read new records, and return True if there were any.

        A query that runs meanwhile sees the state before the refresh.

        Raises:
            OSError: a file cannot be opened.
            SpanStoreError: DuckDB cannot read a file, or has no room for its rows.
        """
        with self._refreshing, _told_plainly(), self._connection.cursor() as cursor:
            for tries_left in reversed(range(_MAX_TRIES)):
                segments, parquet = record_files(self.source), parquet_files(self.source)
                try:
                    changed = self._update(cursor, segments, parquet)
                except BaseException as error:
                    self._parts[Path()] = _ReadPart(_FileState(0, 0, 0), 0)  # the next reads all
                    is_lost = not all(path.exists() for path in (*segments, *parquet))
                    if not (tries_left and is_lost and isinstance(error, OSError | duckdb.Error)):
                        raise
                else:
                    if changed:
                        self._leave_out_late(cursor)
                    self.generation += changed
                    return changed
        raise AssertionError  # the last try returns or raises

    def _update(
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
        """True if every file that was read still exists and has at most grown."""
        return (
            bool(self._table)
            and parquet == self._parquet
            and all(
                path in files
                and files[path][:2] == part.state[:2]
                and files[path].size >= part.state.size
                for path, part in self._parts.items()
            )
        )

    def _build(
        self,
        cursor: duckdb.DuckDBPyConnection,
        files: Mapping[Path, _FileState],
        parquet: tuple[Path, ...],
    ) -> bool:
        """Read everything into a new table, then let the view show it; return True."""
        old, new = self._table, f"spans_{self.generation}"
        self._parts, self._parquet = {}, parquet
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
        cursor.execute(f"CREATE OR REPLACE VIEW every_span AS {view}")
        cursor.execute("CREATE OR REPLACE VIEW spans AS FROM every_span")
        if old and old != new:
            cursor.execute(f"DROP TABLE {old}")
        self._table = new
        return True

    def _grow(self, cursor: duckdb.DuckDBPyConnection, files: Mapping[Path, _FileState]) -> bool:
        """Add the lines that were appended, and return True if there were any."""
        grown = [
            path
            for path, state in files.items()
            if path not in self._parts or state.size > self._parts[path].state.size
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

    def _leave_out_late(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Let `spans` have no late span of an overtaken process; `counted_rows` has the same rule.

        Most sources have none, and pay for the question only.
        """
        cursor.execute(_OVERTAKEN)
        [(count,)] = cursor.execute("SELECT count(*) FROM overtaken").fetchall()
        late = f"WHERE NOT EXISTS ({_LATE})" if count else ""
        cursor.execute(f"CREATE OR REPLACE VIEW spans AS FROM every_span AS spans {late}")

    def _load(
        self, cursor: duckdb.DuckDBPyConnection, path: Path, state: _FileState, *, into: str
    ) -> None:
        """Add those lines of `path` to the table `into` that were not read before."""
        start = self._parts[path].end if path in self._parts else 0
        end = _end_of_last_line(path, state.size)
        found = self._loader.load(cursor, path, into=into, start=start, end=end)
        self.summary.lines.add_all(found)
        self._parts[path] = _ReadPart(state, end)
        self.summary.unfinished_files = sum(p.end < p.state.size for p in self._parts.values())

    def _drop_doubles(self, cursor: duckdb.DuckDBPyConnection, table: str) -> int:
        """Keep one row a span, and no row that is in Parquet; return the number of dropped rows."""
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


_COUNTED: Final = f"kind IN {tuple(sorted(ALWAYS_COUNTED))}"
_OVERTAKEN: Final = f"""
    CREATE OR REPLACE TABLE overtaken AS
    WITH parts AS (
        SELECT run, coalesce(resume_no, 0) AS part,
            min(timestamp - to_microseconds((ms * 1000)::BIGINT)) FILTER (NOT {_COUNTED}) AS began,
            max(timestamp) FILTER (NOT {_COUNTED}) AS until,
            coalesce(bool_or(kind = 'run' AND status = 'needs_human'), false) AS is_asking
        FROM every_span WHERE run IN (SELECT run FROM every_span WHERE resume_no > 0)
        GROUP BY ALL
    )
    SELECT earlier.run, earlier.part, min(later.began) AS until
    FROM parts AS earlier JOIN parts AS later USING (run)
    WHERE later.part > earlier.part AND later.began < earlier.until AND NOT earlier.is_asking
    GROUP BY ALL
"""  # noqa: S608  # names of ours
_LATE: Final = f"""
    SELECT 1 FROM overtaken WHERE overtaken.run = spans.run AND until < spans.timestamp
        AND part = coalesce(spans.resume_no, 0) AND NOT {_COUNTED}
"""  # noqa: S608  # the same


@contextmanager
def _told_plainly() -> Generator[None]:
    """Raise DuckDB's errors as `SpanStoreError`, so callers need not know DuckDB."""
    try:
        yield
    except duckdb.Error as error:
        raise SpanStoreError(str(error)) from error


def _state_of(path: Path) -> _FileState:
    state = path.stat()
    return _FileState(state.st_dev, state.st_ino, state.st_size)


def _end_of_last_line(path: Path, size: int) -> int:
    """Return the offset at which the last whole line of the first `size` bytes ends.

    A row that lacks only its newline is whole.
    """
    with path.open("rb") as file:
        end = end_of_last_line(file, size)
        if 0 < size - end <= MAX_LINE_BYTES:  # nobody can seek in a pipe
            file.seek(end)
            end = size if is_sound_line(file.read(size - end)) else end
        return end
