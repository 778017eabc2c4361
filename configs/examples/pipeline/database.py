"""SQLite and Postgres: one transaction a connection, and each name quoted by one function."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, make_url
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
