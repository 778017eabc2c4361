"""Load the lines of `runs.jsonl` into a DuckDB table, and lose no good row of a damaged file.

DuckDB reads ten times faster than Python. But it gives up a whole line for one torn piece in it,
and a whole file for one line of many MiB. In these cases `RecordReader` reads the lines again. It
names the bad ones and saves the good rows in them.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from minerva_observability.compaction.columns import fields_of, json_columns, literal, select_list
from minerva_observability.masking.masking import MAX_TEXT_CHARACTERS
from minerva_observability.records.encoding import to_json
from minerva_observability.records.plain_data import is_mapping
from minerva_observability.records.reader import ReadSummary, RecordReader, count_lines
from minerva_observability.records.record import RecordRow

PART_BYTES: Final = 64 * 1024 * 1024
"""Bytes of a growing file that are copied and read at once."""

_TOO_LONG: Final = (duckdb.InvalidInputException, duckdb.OutOfMemoryException)
"""DuckDB's errors for a line that is too long for it or for its memory."""


class _HasGrownError(Exception):
    """A file grew while it was being read."""


class _Part(NamedTuple):
    """A copy of some whole lines of a file; the copy does not grow."""

    path: Path
    start: int
    """Offset at which the lines begin in their file, bytes."""


class Loader:
    """Adds lines to tables of `columns`. Lines that hold no record are named and not added."""

    def __init__(self, columns: Sequence[str], folder: Path, *, part_bytes: int) -> None:
        """Keep temporary copies in `folder`, and read growing files in parts of `part_bytes`."""
        self._part_bytes = part_bytes
        self._select = select_list(columns, refuses=True)
        self._fields = fields_of(columns)
        self._folder = folder

    def load(
        self, cursor: duckdb.DuckDBPyConnection, path: Path, *, into: str, start: int, end: int
    ) -> ReadSummary:
        """Add the lines between two offsets of `path` to the table `into`; name the bad lines.

        `start` and `end` are in bytes. A line must begin at `start`, and one must end at `end`.
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
        """Read the file in place; return None, with nothing added, if it must be read in parts.

        It must if a line is too long, or if the file is longer than `end`. Lines behind `end` are
        read by a later refresh and would count twice; half a line would count as a bad one.
        """
        if path.stat().st_size != end:
            return None
        try:
            with _transaction(cursor):
                self._insert(cursor, path, into=into)
                found = self._mend(cursor, path, into=into)
                _refuse_growth(path, end)
        except (*_TOO_LONG, _HasGrownError):
            return None
        return found

    def _parts(self, path: Path, start: int, end: int) -> Iterator[_Part]:
        """Yield copies of the lines in parts of about `part_bytes`."""
        copy = self._folder / "part.jsonl"
        with path.open("rb") as file:
            while start < end:
                file.seek(start)
                block = file.read(min(self._part_bytes, end - start))
                whole = block.rfind(b"\n") + 1
                if whole and start + len(block) < end:
                    block = block[:whole]
                size = len(block)
                with copy.open("wb") as part:
                    part.write(block)
                    del block
                    if not whole:  # the block is the beginning of a very long line
                        while (rest := file.readline(self._part_bytes)) and start + size < end:
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
        return self._mend(cursor, path, into=into)

    def _mend(self, cursor: duckdb.DuckDBPyConnection, path: Path, *, into: str) -> ReadSummary:
        """Add the good rows in lines that DuckDB gave up; name the bad lines."""
        if not delete_rows(cursor, into, "span IS NULL"):
            return ReadSummary()
        reader = RecordReader(path, damaged_only=True)
        self._insert_rows(cursor, reader, into=into)
        return reader.summary

    def _insert_rows(
        self, cursor: duckdb.DuckDBPyConnection, rows: Iterable[RecordRow], *, into: str
    ) -> None:
        """Add `rows` through a file of clean lines, with the fields that the columns need.

        Texts are cut as the recorder cuts them, so no line is too long for DuckDB.
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
    """Delete the rows of `table` for which `condition` holds; return the number of these rows."""
    deleted = cursor.execute(f"DELETE FROM {table} WHERE {condition}").fetchone()  # noqa: S608
    return int(deleted[0]) if deleted else 0
