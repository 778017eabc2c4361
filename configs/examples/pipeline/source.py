"""Where rows come from: a CSV or TSV file, or a table of SQLite or Postgres.

Rows are read one after another, again each time that they are needed.
"""

import csv
import hashlib
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from sqlalchemy import URL, Connection, MetaData, Table, Text, cast, column, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from minerva_platform import AgentError, Attachment
from minerva_platform.text import UndecodableError, code_span, csv_cell, encoding_of

from .contract import Extracted
from .count import MAX_ROWS_NAMED, Count, Problems, Row, digest
from .database import BATCH_ROWS, opened, quoted, said_by
from .quarantine import whole_file

MAX_LINE = 1_000_000
"""Characters of a line of a file."""
MAX_COLUMNS = 1_000
"""SQLite takes 2,000 columns, Postgres 1,600."""


class UnreadableError(AgentError):
    """A source cannot be read to its end; `rule` is the rule that it breaks."""

    def __init__(self, rule: str, what: str) -> None:
        self.rule = rule
        super().__init__(what)


class Source(Protocol):
    """Where rows come from."""

    def names(self) -> tuple[str, str]:
        """Return what is read, as it is shown, and what the source calls the table."""
        ...

    def rows(self) -> Iterator[Row]:
        """Yield the header, then the rows."""
        ...

    def file_digest(self) -> str | None:
        """Return the SHA-256 of a file, readable or not; None if there is none."""
        ...

    def copy_to(self, folder: Path) -> None:
        """Copy what is there, readable or not, into a folder."""
        ...


@dataclass(frozen=True, slots=True)
class TextFile:
    """A CSV or TSV file. Each cell is a text, and a line without any is no row."""

    file: Attachment

    def names(self) -> tuple[str, str]:
        """Return the file's name, and the name without its ending."""
        return self.file.name, self.file.path.stem

    def rows(self) -> Iterator[Row]:
        """Yield the header, then the rows."""
        path = self.file.path
        delimiter = "\t" if path.suffix.casefold() == ".tsv" else ","
        try:
            with path.open("rb") as stream:
                encoding = encoding_of(stream)
            with path.open(encoding=encoding, newline="") as stream:
                lines = iter(lambda: bounded(stream.readline(MAX_LINE)), "")
                cells = csv.reader(lines, delimiter=delimiter, strict=True)
                yield from (tuple(row) for row in cells if row)
        except UndecodableError as error:
            raise UnreadableError("encoding", str(error)) from error
        except csv.Error as error:
            raise UnreadableError("format", f"it is no CSV: {error}") from error

    def file_digest(self) -> str | None:
        """Return the SHA-256 of the file."""
        with self.file.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def copy_to(self, folder: Path) -> None:
        """Copy the file byte by byte."""
        with whole_file(folder / self.file.path.name) as part:
            shutil.copyfile(self.file.path, part)


def bounded(line: str) -> str:
    """Return a line, unless it is too long to be one."""
    if len(line) == MAX_LINE and not line.endswith(("\n", "\r")):
        raise UnreadableError("format", f"a line has more than {MAX_LINE:,} characters")
    return line


@dataclass(frozen=True, slots=True)
class DatabaseTable:
    """A table of a SQLite file or of a Postgres database. Its values are read as texts."""

    url: str | URL = field(repr=False)
    words: str
    """The request: it names the table, where there are several."""
    file: Attachment | None = None

    def names(self) -> tuple[str, str]:
        """Return the table with its file, and the table.

        Raises:
            AgentError: there is no such database, so there is nothing that could be bad.
        """
        try:
            with opened(self.url) as connection:
                table = self._table(connection)
        except SQLAlchemyError as error:
            if self.file is None:
                message = f"The source cannot be read: {said_by(error)}."
                raise AgentError(message) from error
            table = self.file.path.stem
        return f"{self.file.name}:{table}" if self.file else table, table

    def rows(self) -> Iterator[Row]:
        """Yield the header, then the rows."""
        try:
            with opened(self.url) as connection:
                table = self._table(connection)
                header = tuple(each["name"] for each in inspect(connection).get_columns(table))
                yield header
                is_postgres = connection.dialect.name == "postgresql"
                named = [column(quoted(name), Text) for name in header]
                columns = [cast(each, Text) if is_postgres else each for each in named]
                rows = connection.execution_options(stream_results=True, yield_per=BATCH_ROWS)
                query = select(*columns).select_from(Table(quoted(table), MetaData()))
                for row in rows.execute(query):
                    yield tuple(as_text(value) for value in row)
        except SQLAlchemyError as error:
            raise UnreadableError("format", said_by(error)) from error

    def file_digest(self) -> str | None:
        """Return the SHA-256 of a SQLite file."""
        return TextFile(self.file).file_digest() if self.file else None

    def copy_to(self, folder: Path) -> None:
        """Copy a SQLite file byte by byte; write a table of Postgres as CSV."""
        if self.file:
            TextFile(self.file).copy_to(folder)
            return
        with (
            whole_file(folder / "rows.csv") as part,
            part.open("w", encoding="utf-8", newline="") as stream,
        ):
            csv.writer(stream).writerows(map(csv_cell, row) for row in self.rows())

    def _table(self, connection: Connection) -> str:
        """Return the table that the request names, or the only one.

        Raises:
            AgentError: it is not clear which one.
        """
        tables = inspect(connection).get_table_names()
        named = [name for name in tables if is_named(name, self.words)]
        if not named and len(tables) != 1:
            there = ", ".join(map(code_span, sorted(tables)[:MAX_ROWS_NAMED])) or "none"
            message = f"Name the table to load in the request; there are: {there}."
            raise AgentError(message)
        return max(named or tables, key=len)


def is_named(name: str, words: str) -> bool:
    """True if `words` hold the name by itself."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words, re.IGNORECASE) is not None


def as_text(value: object) -> str | None:
    """Return a database's value as the same text wherever it is read."""
    if value is None or isinstance(value, str):
        return value
    return f"\\x{value.hex()}" if isinstance(value, bytes) else repr(value)


def count_source(source: Source) -> Extracted:
    """Read a source to its end, and return what there is and what is wrong with it."""
    name, table = source.names()
    count, problems = Count(), Problems()
    header: Row = ()
    try:
        rows = source.rows()
        header = next(rows, ())
        check_header(header, problems)
        for number, row in enumerate(count.all_of(rows), 1):
            if len(row) != len(header):
                problems.add("cells", "a row has more or fewer cells than the header", number)
            if any("\0" in cell for cell in row if cell):
                problems.add("nul", "a cell holds a NUL byte, which no text may hold", number)
    except UnreadableError as error:
        problems.add(error.rule, str(error))
    if not count.rows and not problems.found:
        problems.add("empty", "there is no row")
    whole = digest(header, count.counted.rows, count.counted.checksum)
    return Extracted(
        name=name,
        table=table,
        header=tuple(cell or "" for cell in header[:MAX_COLUMNS]),
        counted=count.counted,
        digest=(source.file_digest() or whole) if problems.found else whole,
        problems=problems.listed(),
    )


def check_header(header: Row, problems: Problems) -> None:
    """Note what keeps a header from naming the columns of a table."""
    names = [(cell or "").casefold() for cell in header]
    if not names:
        problems.add("empty", "there is no header")
    if not all(name.strip() for name in names):
        problems.add("header", "a column has no name")
    if len(set(names)) < len(names):
        problems.add("header", "two columns have one name")
    if len(names) > MAX_COLUMNS:
        problems.add("header", f"there are {len(names):,} columns, and {MAX_COLUMNS:,} may be")
    if any("\0" in name for name in names):
        problems.add("nul", "a name holds a NUL byte, which no text may hold")
