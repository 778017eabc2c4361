"""The ledger in Postgres: a pool of connections that lives as long as the process."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import sqlalchemy
from sqlalchemy import event
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from minerva_platform.errors import SettingsError, StateError
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.storage.engine.database import PATIENCE_S
from minerva_platform.storage.engine.engine import Engine, Work, is_ready, make_ready
from minerva_platform.storage.engine.location import PASSWORD_VARIABLE, PostgresPlace
from minerva_platform.storage.ledger.schema import is_at_work, one_running

if TYPE_CHECKING:
    from sqlalchemy import Table

one_running.dialect_options["postgresql"]["where"] = is_at_work

T = TypeVar("T")

CONNECTIONS: Final = 16
"""At most so many at once, of a process."""
_CONNECT_S: Final = 10
_PREPARING: Final = 0x4D494E45525641
"""The advisory lock under which tables are made or changed: `MINERVA`."""


class PostgresEngine(Engine):
    """The engine of a Postgres database. Leases end by the server's clock."""

    knows_processes = False

    def __init__(self, place: PostgresPlace) -> None:
        self.place = place
        self.core = _make_engine(place)
        self._is_ready = False

    def read(self, work: "Work[T]", *, empty: T, seconds: float | None = None) -> T:  # noqa: ARG002  # its locks hold no reader up
        """Return what `work` reads, `empty` if nothing was kept yet."""
        with self._told(), self.core.connect() as connection:
            ready = self._is_ready or is_ready(connection)
            if ready is None:
                return empty
            self._is_ready = ready
            if ready:
                self.check_keys(connection)
                return work(connection)
        return self.write(work)

    async def aread(self, work: "Work[T]", *, empty: T, seconds: float | None = None) -> T:
        """Do what `read` does without holding up the event loop."""
        return await in_daemon_thread(self.read, work, empty=empty, seconds=seconds)

    def write(self, work: "Work[T]", *, seconds: float | None = None) -> T:  # noqa: ARG002  # `_set_limits`
        """Do `work` as one transaction."""
        with self._told():
            if not self._is_ready:
                with self.core.begin() as connection:
                    connection.execute(
                        sqlalchemy.select(sqlalchemy.func.pg_advisory_xact_lock(_PREPARING))
                    )
                    make_ready(connection, self.place, is_turned=self.is_turned)
                self._is_ready = True
            with self.core.begin() as connection:
                self.check_keys(connection)
                return work(connection)

    async def awrite(self, work: "Work[T]", *, seconds: float | None = None) -> T:
        """Do what `write` does without holding up the event loop."""
        return await in_daemon_thread(self.write, work, seconds=seconds)

    def outside_transactions(self, work: "Work[T]") -> T:
        """Do `work` with each statement a transaction of its own, as VACUUM asks for."""
        with self._told(), self.core.connect() as connection:
            return work(connection.execution_options(isolation_level="AUTOCOMMIT"))

    def insert(self, table: "Table") -> Insert:
        """Return Postgres' INSERT."""
        return insert(table)

    @contextmanager
    def _told(self) -> Generator[None]:
        """Tell errors of the database in words for a person."""
        try:
            yield
        except SQLAlchemyError as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            said = " ".join(str(cause).split())
            reason = f"cannot be used: {said}. See that the server runs and lets you in."
            raise StateError(self.place, reason) from error


def _make_engine(place: PostgresPlace) -> sqlalchemy.Engine:
    """Return SQLAlchemy's engine; nothing is connected yet.

    Raises:
        SettingsError: the URL cannot be read, or the driver is not installed.
    """
    try:
        url = make_url(place.url).set(drivername="postgresql+psycopg")
        password = os.environ.get(PASSWORD_VARIABLE)
        if password and url.password is None:
            url = url.set(password=password)
        core = sqlalchemy.create_engine(
            url,
            pool_pre_ping=True,  # a server that was started again costs nobody a run
            max_overflow=CONNECTIONS - 5,
            pool_timeout=PATIENCE_S,
            connect_args={"connect_timeout": _CONNECT_S, "application_name": "minerva"},
        )
    except (ArgumentError, ValueError):  # their text quotes the URL
        message = f"The URL of {place} cannot be read; write postgresql://USER@HOST/DATABASE."
        raise SettingsError(message) from None
    except ImportError as error:
        message = "Postgres needs a driver; type: pip install 'minerva-platform[postgres]'"
        raise SettingsError(message) from error
    event.listen(core, "connect", _set_limits)
    return core


def _set_limits(connection: Any, _: Any) -> None:
    """See to it that a process which was stopped in a transaction holds nobody up for ever."""
    limit = f"{PATIENCE_S:.0f}s"
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{limit}'")
        cursor.execute(f"SET idle_in_transaction_session_timeout = '{limit}'")
    connection.commit()
