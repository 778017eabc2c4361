"""The database that gets the rows: a load is one transaction, and is done once."""

import os
from itertools import islice

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    MetaData,
    String,
    Table,
    Text,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import SQLAlchemyError

from minerva_platform import AgentError, RunError, effect_key
from minerva_platform.config import home_directory
from minerva_platform.text import code_span

from .contract import Counted, Loaded, Mapped
from .count import Count
from .database import BATCH_ROWS, opened, quoted, said_by
from .source import Source

TARGET = "PIPELINE_TARGET"
"""The variable with the URL of the database to load into. Without it: `warehouse.db` in the home.
"""
KEY = "load_key"
"""The column of each loaded table that says which load a row came with."""

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
        connection.execute(
            insert(into), [dict(zip(keys, (*row, key), strict=False)) for row in batch]
        )


def read_back(connection: Connection, into: Table, key: str) -> Counted:
    """Return what a table holds of one load."""
    *columns, of_load = into.columns
    rows = connection.execution_options(stream_results=True, yield_per=BATCH_ROWS)
    count = Count()
    for row in rows.execute(select(*columns).where(of_load == key)):
        count.add(tuple(row))
    return count.counted
