"""SQLite and Postgres: one transaction a connection, and each name quoted by one function."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql.elements import quoted_name

from minerva_platform import AgentError

BATCH_ROWS = 1_000
"""Rows in memory at once."""


def quoted(name: str) -> quoted_name:
    """Return a name that is quoted in every statement, whatever it holds."""
    return quoted_name(name, quote=True)


def said_by(error: SQLAlchemyError) -> str:
    """Return what a database said, without the values in its details."""
    said = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
    return f"the database says: {said}"


def engine_of(url: str | URL) -> Engine:
    """Return an engine for SQLite or Postgres that keeps no connection open.

    Raises:
        AgentError: the URL is of no such database. The text does not hold the URL: a password may
            be in it.
    """
    try:
        parts = make_url(url)
        backend = parts.get_backend_name()
    except SQLAlchemyError:
        backend = ""
    if backend == "sqlite":
        return sqlite_engine(parts)
    if backend == "postgresql":
        parts = parts.set(drivername="postgresql+psycopg")
        return create_engine(parts, poolclass=NullPool, hide_parameters=True)
    message = "A database is `sqlite:////PATH/FILE` or `postgresql://USER@HOST/NAME`."
    raise AgentError(message)


def read_only(file: Path) -> URL:
    """Return the URL of a SQLite file that is only read."""
    name = f"file:{quote(str(file.absolute()))}"
    return URL.create("sqlite", database=name, query={"mode": "ro", "uri": "true"})


def sqlite_engine(url: URL) -> Engine:
    """Return an engine whose transactions are begun here: Python's driver would end one early.

    With another `paramstyle` a column that is called `%(c0)s` would be taken for a parameter.
    """
    engine = create_engine(url, poolclass=NullPool, hide_parameters=True, paramstyle="named")
    event.listen(engine, "connect", leave_transactions)
    event.listen(engine, "begin", begin)
    return engine


def leave_transactions(connection: Any, _record: Any) -> None:
    """Let nobody but this file begin transactions, and wait for another process's."""
    connection.isolation_level = None
    connection.execute("PRAGMA busy_timeout = 60000")


def begin(connection: Connection) -> None:
    """Begin a transaction that no other writer can come between."""
    is_read_only = connection.engine.url.query.get("mode") == "ro"
    connection.exec_driver_sql("BEGIN" if is_read_only else "BEGIN IMMEDIATE")


@contextmanager
def opened(url: str | URL) -> Generator[Connection]:
    """Give a connection in one transaction: all of it happens, or nothing."""
    engine = engine_of(url)
    try:
        with engine.begin() as connection:
            yield connection
    finally:
        engine.dispose()
