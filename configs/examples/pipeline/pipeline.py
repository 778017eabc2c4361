"""A pipeline of five workers: extract, transform, validate, then load or quarantine.

`platform.yaml` beside this file names the team as `./pipeline.py:Pipeline`. README.md shows how to
run it. The data team gives the standard names and the governance team what the policy finds, both
as hand-offs. A worker reads the source again where it needs the rows: a hand-off carries counts and
checksums, and no row is in a run's state.

A deed is known again by what it does, not by when it is done: the key of a load is the digest of
the rows and of the table that gets them.
"""

import csv
import hashlib
import json
import os
import re
import shutil
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    MetaData,
    NullPool,
    String,
    Table,
    Text,
    cast,
    column,
    create_engine,
    event,
    insert,
    inspect,
    make_url,
    select,
    text,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql.elements import quoted_name

from minerva_data import DataTeam, RenamePlan as DataRenamePlan
from minerva_observability.file_lock import open_lock_file, wait_for_lock
from minerva_platform import (
    AgentError,
    AgentInput,
    AgentOutput,
    Artifact,
    Attachment,
    AttachmentUse,
    BaseAgent,
    Handoff,
    RunError,
    Team,
    effect,
    effect_key,
)
from minerva_platform.config import home_directory
from minerva_platform.text import UndecodableError, code_span, csv_cell, encoding_of, markdown_table

SOURCE = "PIPELINE_SOURCE"
"""The variable with the URL of the database to read from, where no file is attached."""
TARGET = "PIPELINE_TARGET"
"""The variable with the URL of the database to load into. Without it: `warehouse.db` in the home."""
QUARANTINE = "PIPELINE_QUARANTINE"
"""The variable with the folder for what is not loaded. Without it: `quarantine` in the home."""

BATCH_ROWS = 1_000
"""Rows in memory at once."""
MAX_ROWS_NAMED = 20
"""Rows that a problem names; it counts the others."""
MAX_NAME_BYTES = 63
"""Bytes of a name. Postgres would cut a longer one."""
MAX_COLUMNS = 1_000
"""SQLite takes 2,000 columns, Postgres 1,600."""
MAX_LINE = 1_000_000
"""Characters of a line of a file."""
KEY = "load_key"
"""The column of each loaded table that says which load a row came with."""

Row = tuple[str | None, ...]


# What the workers hand to each other, and what they read of other teams


class Part(BaseModel):
    """A part of another team's hand-off: only the fields that are read here."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class PlannedColumn(Part):
    """A column and its standard name."""

    table: str
    column: str
    physical_name: str | None = None
    status: str


class RenamePlan(Handoff):
    """What the data team found for each column of the attached schema."""

    kind: ClassVar[str] = "data.rename_plan"

    columns: tuple[PlannedColumn, ...]


class Finding(Part):
    """What a rule came to at one target."""

    rule_id: str
    severity: str
    status: str
    target: str
    evidence: str = ""
    reason: str = ""
    count: int = 0
    total: int = 0


class Findings(Handoff):
    """What the governance team found by the attached policy."""

    kind: ClassVar[str] = "governance.findings"

    findings: tuple[Finding, ...]


class Problem(Part):
    """Why the rows may not be loaded. `rows` are the first of `count` rows, from 1."""

    rule: str
    what: str
    rows: tuple[int, ...] = ()
    count: int = 0


class Counted(Part):
    """How many rows there are, and their checksum."""

    rows: int
    checksum: str


class Extracted(Handoff):
    """What was read from the source. `digest` stands for its content."""

    kind: ClassVar[str] = "pipeline.extracted"

    name: str
    """What is read, as it is shown."""
    table: str
    """What the source calls the table."""
    header: tuple[str, ...]
    counted: Counted
    digest: str
    problems: tuple[Problem, ...] = ()


class Mapped(Handoff):
    """The table that gets the rows, and the names of its columns in the order of the source."""

    kind: ClassVar[str] = "pipeline.mapped"

    table: str
    columns: tuple[str, ...]
    unresolved: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class Verdict(Handoff):
    """True if the rows may be loaded, and under which key."""

    kind: ClassVar[str] = "pipeline.verdict"

    ok: bool
    key: str
    problems: tuple[Problem, ...] = ()
    open_rules: tuple[str, ...] = ()
    """Rules that could not be evaluated."""


class Loaded(Part):
    """What a load came to, read back from the target."""

    key: str
    after: Counted
    is_new: bool


# Counting


@dataclass(slots=True)
class Count:
    """Counts rows and adds up their checksums.

    The checksum of a row is the SHA-256 of its cells as a JSON array. That of many rows is the sum
    modulo 2 to the power of 256: no database promises an order of rows.
    """

    rows: int = 0
    total: int = 0

    def add(self, row: Sequence[str | None]) -> None:
        """Count a row."""
        cells = json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        self.rows += 1
        self.total += int.from_bytes(hashlib.sha256(cells.encode()).digest())

    def all_of(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Count rows on their way."""
        for row in rows:
            self.add(row)
            yield row

    @property
    def counted(self) -> Counted:
        """What was counted so far."""
        return Counted(rows=self.rows, checksum=f"{self.total % (1 << 256):064x}")


@dataclass(slots=True)
class Problems:
    """Problems by rule: however many rows have one, it stays small."""

    found: dict[str, Problem] = field(default_factory=dict[str, Problem])

    def add(self, rule: str, what: str, row: int | None = None) -> None:
        """Note a problem, in a row or in all of them."""
        known = self.found.get(rule, Problem(rule=rule, what=what))
        rows = known.rows if row is None else (*known.rows, row)[:MAX_ROWS_NAMED]
        count = known.count + (row is not None)
        self.found[rule] = known.model_copy(update={"rows": rows, "count": count})

    def listed(self) -> tuple[Problem, ...]:
        """Return the problems in the order in which they were found."""
        return tuple(self.found.values())


def digest(*parts: object) -> str:
    """Return the SHA-256 of plain values."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


# Sources


class UnreadableError(Exception):
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

    url: str = field(repr=False)
    words: str
    """The request: it names the table, where there are several."""
    file: Attachment | None = None

    def names(self) -> tuple[str, str]:
        """Return the table with its file, and the table."""
        try:
            with opened(self.url) as connection:
                table = self._table(connection)
        except SQLAlchemyError:  # the rows are not readable, either
            table = self.file.path.stem if self.file else "unknown"
        return f"{self.file.name}:{table}" if self.file else table, table

    def rows(self) -> Iterator[Row]:
        """Yield the header, then the rows."""
        try:
            with opened(self.url) as connection:
                table = self._table(connection)
                header = tuple(each["name"] for each in inspect(connection).get_columns(table))
                yield header
                columns = [column(quoted(name)) for name in header]
                if connection.dialect.name == "postgresql":
                    columns = [cast(each, Text) for each in columns]
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


# Databases


def quoted(name: str) -> quoted_name:
    """Return a name that is quoted in every statement, whatever it holds."""
    return quoted_name(name, quote=True)


def said_by(error: SQLAlchemyError) -> str:
    """Return what a database said, without the values in its details."""
    said = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
    return f"the database says: {said}"


def engine_of(url: str) -> Engine:
    """Return an engine for SQLite or Postgres that keeps no connection open."""
    try:
        parts = make_url(url)
    except SQLAlchemyError:
        message = "A URL is `sqlite:////PATH` or `postgresql://USER@HOST/NAME`."
        raise AgentError(message) from None
    if parts.drivername == "postgresql":
        parts = parts.set(drivername="postgresql+psycopg")
    engine = create_engine(parts, poolclass=NullPool, hide_parameters=True)
    if engine.dialect.name == "sqlite":  # Python's driver would end a transaction at CREATE TABLE
        event.listen(engine, "connect", leave_transactions)
        event.listen(engine, "begin", begin)
    return engine


def leave_transactions(connection: Any, _record: Any) -> None:
    """Let nobody but this file begin transactions, and wait for another process's."""
    connection.isolation_level = None
    connection.execute("PRAGMA busy_timeout = 60000")


def begin(connection: Connection) -> None:
    """Begin a transaction that no other writer can come between."""
    is_read_only = "mode=ro" in str(connection.engine.url)
    connection.exec_driver_sql("BEGIN" if is_read_only else "BEGIN IMMEDIATE")


@contextmanager
def opened(url: str) -> Generator[Connection]:
    """Give a connection in one transaction: all of it happens, or nothing."""
    engine = engine_of(url)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()


LOADS = Table(
    "pipeline_loads",
    MetaData(),
    Column(KEY, Text, primary_key=True),
    Column("table_name", Text, nullable=False),
    Column("row_count", BigInteger, nullable=False),
    Column("checksum", Text, nullable=False),
    Column("effect_key", Text, nullable=False),
)
"""The loads of a target. A load and its row here are one transaction."""


def target_url() -> str:
    """Return where to load into."""
    return os.environ.get(TARGET) or f"sqlite:///{home_directory().absolute() / 'warehouse.db'}"


def target_table(mapped: Mapped) -> Table:
    """Return the table that gets the rows. Every column of it is a text."""
    columns = [Column(quoted(name), Text, key=f"c{n}") for n, name in enumerate(mapped.columns)]
    key = Column(KEY, Text, nullable=False, index=True)
    return Table(quoted(mapped.table), MetaData(), *columns, key)


def load_once(source: Source, mapped: Mapped, key: str, expected: Counted) -> Loaded:
    """Load the rows in one transaction, unless this was done before; read them back.

    Raises:
        AgentError: the target has another table of that name, or the rows that came out are not
            those that went in. Nothing is loaded then.
    """
    try:
        with opened(target_url()) as connection:
            if connection.dialect.name == "postgresql":  # two runs may load at the same moment
                connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('pipeline'))"))
            LOADS.create(connection, checkfirst=True)
            kept = connection.execute(select(LOADS).where(LOADS.c[KEY] == key)).one_or_none()
            into = target_table(mapped)
            if kept is None:
                check_table(connection, into)
                into.create(connection, checkfirst=True)
                put(connection, into, source=source, key=key)
                note = (key, mapped.table, expected.rows, expected.checksum, deed())
                connection.execute(insert(LOADS).values(note))
            after = read_back(connection, into, key)
            if after != expected:
                message = (
                    f"{code_span(mapped.table)} holds {after.rows} rows of this load with the "
                    f"checksum {after.checksum[:12]}, and {expected.rows} rows with "
                    f"{expected.checksum[:12]} were checked. Nothing was changed. If the source "
                    "was changed meanwhile, ask again."
                )
                raise AgentError(message)
            return Loaded(key=key, after=after, is_new=kept is None or kept.effect_key == deed())
    except SQLAlchemyError as error:
        message = f"Nothing was loaded into {code_span(mapped.table)}: {said_by(error)}."
        raise AgentError(message) from error


def deed() -> str:
    """Return what tells this deed from the same deed of another run."""
    try:
        return effect_key()
    except RunError:  # the worker is called by itself
        return ""


def check_table(connection: Connection, into: Table) -> None:
    """Refuse a table that is there and is another one.

    Raises:
        AgentError: its columns are not those of the load.
    """
    found = inspect(connection)
    if not found.has_table(into.name):
        return
    there = {each["name"]: each["type"] for each in found.get_columns(into.name)}
    wanted = {each.name for each in into.columns}
    if there.keys() == wanted and all(isinstance(kind, String) for kind in there.values()):
        return
    message = (
        f"{code_span(into.name)} is there with another schema: it has the columns "
        f"{', '.join(map(code_span, sorted(there)))}, and the load has "
        f"{', '.join(map(code_span, sorted(wanted)))}, each a text. Nothing was loaded."
    )
    raise AgentError(message)


def put(connection: Connection, into: Table, *, source: Source, key: str) -> None:
    """Insert the rows of a source, some at a time."""
    keys = [each.key for each in into.columns]
    rows = source.rows()
    next(rows, None)  # the header
    while batch := list(islice(rows, BATCH_ROWS)):
        connection.execute(insert(into), [dict(zip(keys, (*row, key))) for row in batch])


def read_back(connection: Connection, into: Table, key: str) -> Counted:
    """Return what a table holds of one load."""
    *columns, of_load = into.columns
    rows = connection.execution_options(stream_results=True, yield_per=BATCH_ROWS)
    count = Count()
    for row in rows.execute(select(*columns).where(of_load == key)):
        count.add(tuple(row))
    return count.counted


# Quarantine


@contextmanager
def whole_file(path: Path) -> Generator[Path]:
    """Give a file to write; it gets its name once it is whole."""
    part = path.with_name(f"{path.name}.part")
    yield part
    part.replace(path)


def put_aside(source: Source, key: str, report: str) -> Path:
    """Copy what is not loaded into a folder of its own, with the report of why."""
    quarantine = Path(os.environ.get(QUARANTINE) or home_directory() / "quarantine").absolute()
    folder = quarantine / key[:16]
    folder.mkdir(parents=True, exist_ok=True)
    lock = open_lock_file(quarantine / ".lock")
    try:
        wait_for_lock(lock)
        if not (folder / REPORT).exists():
            source.copy_to(folder)
            with whole_file(folder / REPORT) as part:  # it is there once all else is
                part.write_text(report, encoding="utf-8")
    finally:
        os.close(lock)
    return folder


REPORT = "report.md"


def problem_table(problems: Iterable[Problem]) -> str:
    """Return the problems as a table to read."""
    rows = [(code_span(one.rule), rows_of(one), one.what) for one in problems]
    return markdown_table(("Rule", "Rows", "What"), rows)


def rows_of(problem: Problem) -> str:
    """Return the rows of a problem: `2, 5 and 3 more`."""
    named = ", ".join(map(str, problem.rows))
    more = problem.count - len(problem.rows)
    return f"{named} and {more} more" if more > 0 else named or "-"


# The workers


class PipelineInput(AgentInput):
    """The file to load, if it is none of Postgres."""

    files: Annotated[
        tuple[Attachment, ...], Attachment.of("*.csv", "*.tsv", "*.db", "*.sqlite", "*.sqlite3")
    ] = ()

    @property
    def source(self) -> Source:
        """Where the rows come from: the attached file, else the database of `PIPELINE_SOURCE`.

        Raises:
            AgentError: there is neither, or there are several files.
        """
        words = self.context or self.request
        if len(self.files) > 1:
            raise AgentError("Attach one CSV, TSV or SQLite file: each load is one run.")
        if not self.files:
            url = os.environ.get(SOURCE)
            if not url:
                raise AgentError(f"Attach a CSV, TSV or SQLite file, or set {SOURCE}.")
            return DatabaseTable(url, words)
        (file,) = self.files
        if file.path.suffix.casefold() in {".csv", ".tsv"}:
            return TextFile(file)
        path = quote(str(file.path.absolute()))
        return DatabaseTable(f"sqlite:///file:{path}?mode=ro&uri=true", words, file)


class ExtractOutput(AgentOutput):
    """What was read."""

    extracted: Extracted


class Extract(BaseAgent[PipelineInput, ExtractOutput]):
    """Reads a source to its end, and counts its rows."""

    name = "extract"
    description = "Reads the rows of a CSV file, or of a table of SQLite or Postgres."
    examples = ("read the rows of visits.csv", "extract the table visits")
    input_mode = "context"

    def work(self, given: PipelineInput) -> ExtractOutput:
        """Count."""
        found = count_source(given.source)
        return ExtractOutput(
            extracted=found,
            summary=f"Read {found.counted.rows} rows of {code_span(found.name)}.",
            files=tuple(AttachmentUse(name=file.name, status="used") for file in given.files),
        )


class TransformInput(AgentInput):
    """What was read, and the standard names."""

    extracted: Extracted
    plan: RenamePlan


class TransformOutput(AgentOutput):
    """The names."""

    mapped: Mapped


class Transform(BaseAgent[TransformInput, TransformOutput]):
    """Gives each column its standard name. No value changes."""

    name = "transform"
    description = "Gives the columns of the rows their standard names."
    examples = ("give the columns their standard names", "rename the columns of the rows")

    def work(self, given: TransformInput) -> TransformOutput:
        """Look the columns up in the data team's plan."""
        mapped = mapped_columns(given.extracted, given.plan)
        kept = ", ".join(map(code_span, mapped.unresolved))
        more = f" Without a standard name, and kept: {kept}." if kept else ""
        renamed = len(mapped.columns) - len(mapped.unresolved)
        return TransformOutput(
            mapped=mapped,
            summary=f"{renamed} of {len(mapped.columns)} columns have a standard name.{more}",
        )


def mapped_columns(extracted: Extracted, plan: RenamePlan) -> Mapped:
    """Return the table and the names of its columns, as the plan has them."""
    problems = Problems()
    tables = {one.table.rpartition(".")[2] for one in plan.columns}
    same = [name for name in tables if name.casefold() == extracted.table.casefold()]
    table = same[0] if same else next(iter(tables)) if len(tables) == 1 else extracted.table
    if table not in tables:
        there = ", ".join(map(code_span, sorted(tables))) or "no table"
        problems.add("columns", f"the schema has {there}, and no {code_span(table)}")
    known = {
        one.column.casefold(): one for one in plan.columns if one.table.rpartition(".")[2] == table
    }
    columns = [known.get(name.casefold()) for name in extracted.header]
    strange = [name for name, one in zip(extracted.header, columns, strict=True) if one is None]
    header = {name.casefold() for name in extracted.header}
    missing = [one.column for name, one in known.items() if name not in header]
    if table in tables and (strange or missing) and extracted.header:
        listed = ", ".join(map(code_span, [*strange, *missing][:MAX_ROWS_NAMED]))
        problems.add("columns", f"only one of the source and the schema has {listed}")
    names = tuple(
        (one and one.physical_name) or name
        for name, one in zip(extracted.header, columns, strict=True)
    )
    check_names(table, names, problems)
    return Mapped(
        table=table,
        columns=names,
        unresolved=tuple(one.column for one in columns if one and not one.physical_name),
        problems=problems.listed(),
    )


def check_names(table: str, names: Sequence[str], problems: Problems) -> None:
    """Note names that a table of the target cannot have."""
    every = [name.casefold() for name in (*names, KEY)]
    if len(set(every)) < len(every):
        problems.add("names", f"two columns would have one name, or one is {code_span(KEY)}")
    if table.casefold() == LOADS.name or table.casefold().startswith("sqlite_"):
        problems.add("names", f"{code_span(table)} is the name of another table")
    if any(len(name.encode()) > MAX_NAME_BYTES for name in (table, *names)):
        problems.add("names", f"a name has more than {MAX_NAME_BYTES} bytes")


class ValidateInput(PipelineInput):
    """All that speaks for loading, and all that speaks against it."""

    extracted: Extracted
    mapped: Mapped
    findings: Findings


class ValidateOutput(AgentOutput):
    """Whether the rows may be loaded."""

    verdict: Verdict


class Validate(BaseAgent[ValidateInput, ValidateOutput]):
    """Decides whether the rows may be loaded."""

    name = "validate"
    description = "Checks the rows, their columns and the policy before they are loaded."
    examples = ("may these rows be loaded", "validate the rows before they are loaded")
    input_mode = "context"

    def work(self, given: ValidateInput) -> ValidateOutput:
        """Count again, and ask the policy."""
        again = count_source(given.source)
        failed = [one for one in given.findings.findings if one.status == "fail"]
        opened = [one for one in given.findings.findings if one.status == "not_evaluated"]
        problems = [*given.extracted.problems, *given.mapped.problems]
        if again.digest != given.extracted.digest:
            problems.append(Problem(rule="changed", what="the source was changed meanwhile"))
        problems += [broken_rule(one) for one in failed]
        verdict = Verdict(
            ok=not problems,
            key=digest(given.mapped.table, given.extracted.digest),
            problems=tuple(problems),
            open_rules=tuple(dict.fromkeys(one.rule_id for one in opened)),
        )
        said = "may be loaded" if verdict.ok else f"may not be loaded: {len(problems)} problems"
        return ValidateOutput(verdict=verdict, summary=f"The rows {said}.")


def broken_rule(finding: Finding) -> Problem:
    """Return a rule of the policy that the rows break, in the governance team's masked words."""
    where = f"{code_span(finding.target)}: {finding.evidence or finding.reason}"
    return Problem(rule=finding.rule_id, what=where, count=finding.count)


class LoadInput(PipelineInput):
    """What was decided, and about what."""

    verdict: Verdict
    extracted: Extracted
    mapped: Mapped


class Load(BaseAgent[LoadInput, AgentOutput]):
    """Loads the rows once, in one transaction."""

    name = "load"
    description = "Loads the rows into the target database."
    examples = ("load the rows into the warehouse", "write the rows into the target table")
    input_mode = "context"

    def work(self, given: LoadInput) -> AgentOutput:
        """Load, unless this was done before."""
        if not given.verdict.ok:
            raise AgentError("The rows may not be loaded; `quarantine` takes them.")
        source, before = given.source, given.extracted.counted

        @effect("keyed")
        def load(key: str) -> Loaded:
            return load_once(source, given.mapped, key, before)

        done = load(given.verdict.key)
        table, name = code_span(given.mapped.table), code_span(given.extracted.name)
        said = (
            f"Loaded {name} into {table}."
            if done.is_new
            else (f"{name} was loaded into {table} before. Nothing was changed.")
        )
        counts = markdown_table(
            ("", "Rows", "Checksum"),
            [
                (f"before, in {name}", str(before.rows), code_span(before.checksum)),
                (f"after, in {table}", str(done.after.rows), code_span(done.after.checksum)),
            ],
        )
        pairs = zip(given.extracted.header, given.mapped.columns, strict=True)
        names = ", ".join(f"{code_span(old)} → {code_span(new)}" for old, new in pairs)
        open_rules = ", ".join(map(code_span, given.verdict.open_rules)) or "none"
        return AgentOutput(
            summary=f"**{said}**\n\n{counts}\n\nColumns: {names}\n\n"
            f"Rules that could not be evaluated: {open_rules}\n\nKey: {code_span(done.key)}"
        )


class Quarantine(BaseAgent[LoadInput, AgentOutput]):
    """Puts aside what may not be loaded, with a report."""

    name = "quarantine"
    description = "Puts rows aside that may not be loaded, and reports why."
    examples = ("put the rows into quarantine", "set the bad file aside with a report")
    input_mode = "context"

    def work(self, given: LoadInput) -> AgentOutput:
        """Copy the file, and write why."""
        if given.verdict.ok:
            raise AgentError("The rows may be loaded; `load` takes them.")
        source, name = given.source, code_span(given.extracted.name)
        counted = given.extracted.counted
        report = (
            f"**{name} was not loaded into {code_span(given.mapped.table)}.**\n\n"
            f"{problem_table(given.verdict.problems)}\n\n"
            f"Rows: {counted.rows}, checksum: {code_span(counted.checksum)}. "
            "Row 1 is the first below the header."
        )

        @effect("keyed")
        def put_into_quarantine(key: str) -> str:
            return str(put_aside(source, key, f"{report}\n"))

        folder = put_into_quarantine(given.verdict.key)
        reason = "it lies in quarantine"
        return AgentOutput(
            summary=f"{report}\n\nA copy and this report lie in {code_span(folder)}.",
            artifacts=(Artifact(name="quarantine.md", content=f"{report}\n"),),
            files=tuple(
                AttachmentUse(
                    name=file.name, status="not_understood", reason=reason, must_mend=True
                )
                for file in given.files
            ),
        )


# The teams


class Names(DataTeam):
    """The data team, which here gives names alone: nobody is asked about a migration."""

    exports = (DataRenamePlan,)


class Pipeline(Team):
    """Loads a file or a table under standard names, if the policy allows it."""

    name = "pipeline"
    description = (
        "Loads a CSV file, or a table of SQLite or Postgres, into a database under standard "
        "names if the policy allows it, and puts it into quarantine otherwise."
    )
    members = (Extract, Transform, Validate, Load, Quarantine)
