"""Put the lines of `runs.jsonl` into a DuckDB table: fast where they are whole, exact where not.

DuckDB reads ten times faster than Python, but gives up a whole line for one torn piece in it and
a whole file for one line of many MiB. Where that happened, the tolerant reader goes over the
lines again: it names the bad ones and saves what is good in them.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from minerva_observability.compaction.columns import fields_of, json_columns, literal, select_list
from minerva_observability.masking.masking import MAX_TEXT_CHARACTERS
from minerva_observability.records.encoding import to_json
from minerva_observability.records.lines import count_lines
from minerva_observability.records.plain_data import is_mapping
from minerva_observability.records.reader import ReadSummary, RecordReader
from minerva_observability.records.record import RecordRow

PART_BYTES: Final = 64 * 1024 * 1024
"""How much of a growing file is copied and read at once."""

_TOO_LONG: Final = (duckdb.InvalidInputException, duckdb.OutOfMemoryException)
"""What DuckDB says of a line that is longer than it takes, or than its memory has room for."""


class _HasGrownError(Exception):
    """A file is longer than it was when it was looked at."""


class _Part(NamedTuple):
    """Whole lines of a file, as a file that does not grow."""

    path: Path
    start: int
    """Where they begin in their file, bytes."""


class Loader:
    """Adds lines to tables of `columns`; those that hold no record are named, never added."""

    def __init__(self, columns: Sequence[str], folder: Path) -> None:
        """Keep passing copies in `folder`."""
        self._select = select_list(columns, refuses=True)
        self._fields = fields_of(columns)
        self._folder = folder

    def load(
        self, cursor: duckdb.DuckDBPyConnection, path: Path, *, into: str, start: int, end: int
    ) -> ReadSummary:
        """Add the lines between two offsets of `path` to the table `into`.

        A line begins at `start`, and one ends at `end`.
        """
        if start == 0 and (found := self._load_whole(cursor, path, into=into, end=end)):
            return found
        summary = ReadSummary()
        for part in self._parts(path, start, end):
            with _transaction(cursor):
                found = self._load_part(cursor, part.path, into=into)
            if found.bad:
                with path.open("rb") as file:
                    found.move(path, lines_before=count_lines(file, part.start))
            summary.add_all(found)
        return summary

    def _load_whole(
        self, cursor: duckdb.DuckDBPyConnection, path: Path, *, into: str, end: int
    ) -> ReadSummary | None:
        """Read the file where it lies; return None if it is better read in parts.

        It is if a line is too long, or if the file is longer than `end`: what is written
        meanwhile is not ours yet, it would count twice, and half a line as bad.
        """
        if path.stat().st_size != end:
            return None
        try:
            with _transaction(cursor):
                self._insert(cursor, path, into=into)
                found = self._mended(cursor, path, into=into)
                _refuse_growth(path, end)
        except (*_TOO_LONG, _HasGrownError):
            return None
        return found

    def _parts(self, path: Path, start: int, end: int) -> Iterator[_Part]:
        """Yield copies of the lines, some at a time."""
        copy = self._folder / "part.jsonl"
        with path.open("rb") as file:
            while start < end:
                file.seek(start)
                block = file.read(min(PART_BYTES, end - start))
                whole = block.rfind(b"\n") + 1
                if whole and start + len(block) < end:
                    block = block[:whole]
                size = len(block)
                with copy.open("wb") as part:
                    part.write(block)
                    del block
                    if not whole:  # what is left of a very long line
                        while (rest := file.readline(PART_BYTES)) and start + size < end:
                            size += part.write(rest)
                            if rest.endswith(b"\n"):
                                break
                yield _Part(copy, start)
                start += size

    def _load_part(
        self, cursor: duckdb.DuckDBPyConnection, path: Path, *, into: str
    ) -> ReadSummary:
        try:
            self._insert(cursor, path, into=into)
        except _TOO_LONG:
            cursor.rollback()
            cursor.begin()
            reader = RecordReader(path)
            self._insert_rows(cursor, reader, into=into)
            return reader.summary
        return self._mended(cursor, path, into=into)

    def _mended(self, cursor: duckdb.DuckDBPyConnection, path: Path, *, into: str) -> ReadSummary:
        """Save what is good in lines that DuckDB gave up."""
        if not delete_rows(cursor, into, "span IS NULL"):
            return ReadSummary()
        reader = RecordReader(path, damaged_only=True)
        self._insert_rows(cursor, reader, into=into)
        return reader.summary

    def _insert_rows(
        self, cursor: duckdb.DuckDBPyConnection, rows: Iterable[RecordRow], *, into: str
    ) -> None:
        """Add `rows` by way of a file of clean lines, only with the fields that are asked for.

        Texts are cut as the recorder cuts them, so no line is too long again.
        """
        clean = self._folder / "clean.jsonl"
        with clean.open("wb") as file:
            for row in rows:
                file.write(to_json({name: _cut(row.get(name)) for name in self._fields}) + b"\n")
        if clean.stat().st_size:
            self._insert(cursor, clean, into=into)

    def _insert(self, cursor: duckdb.DuckDBPyConnection, path: Path, *, into: str) -> None:
        cursor.execute(
            f"INSERT INTO {into} SELECT {self._select} FROM read_json(?,"  # noqa: S608  # ours
            f" format = 'newline_delimited', columns = {json_columns(self._fields)},"
            " ignore_errors = true, hive_partitioning = false)",
            [literal(path)],
        )


def _refuse_growth(path: Path, end: int) -> None:
    if path.stat().st_size != end:
        raise _HasGrownError


@contextmanager
def _transaction(cursor: duckdb.DuckDBPyConnection) -> Generator[None]:
    cursor.begin()
    try:
        yield
    except BaseException:
        cursor.rollback()
        raise
    cursor.commit()


def _cut(value: Any) -> Any:
    if isinstance(value, str):
        return value[:MAX_TEXT_CHARACTERS]
    if is_mapping(value):
        return {key: _cut(item) for key, item in value.items()}
    return value


def delete_rows(cursor: duckdb.DuckDBPyConnection, table: str, condition: str) -> int:
    """Delete the rows of `table` for which `condition` holds; return how many these were."""
    deleted = cursor.execute(f"DELETE FROM {table} WHERE {condition}").fetchone()  # noqa: S608
    return int(deleted[0]) if deleted else 0
