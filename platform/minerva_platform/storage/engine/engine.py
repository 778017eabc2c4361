"""What runs are kept by: transactions that read or write, on SQLite and Postgres alike."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from sqlalchemy import Connection, Double, insert, inspect, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from minerva_platform.errors import StateError
from minerva_platform.storage.engine.encryption import PLAIN, Keyring, keyring
from minerva_platform.storage.engine.store_keys import CHECKED_S, check_keys, keep_keys, key_ids
from minerva_platform.storage.ledger.schema import SCHEMA, metadata, turns, versions

if TYPE_CHECKING:
    from sqlalchemy import Table
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

    from minerva_platform.storage.engine.location import Place

T = TypeVar("T")
S = TypeVar("S")
Work: TypeAlias = Callable[[Connection], T]
"""What is done in one transaction; it may be done again if it failed."""


class Engine(ABC):
    """The one engine of this process for a database; `opening.opened_engine` gives it."""

    place: "Place"
    knows_processes: bool
    """True if all users of the database are processes of this machine."""
    is_turned: bool = False
    """True if this process turns the store to another key, and may use it before it fits."""
    _statements: "dict[Callable[[Engine], Any], Any] | None" = None
    _key_check: "tuple[Keyring, float] | None" = None
    """With which keys, and when (monotonic seconds), the store was seen to fit."""

    @abstractmethod
    def read(self, work: "Work[T]", *, empty: T, seconds: float | None = None) -> T:
        """Return what `work` reads, `empty` if nothing was kept yet.

        It waits for others `seconds`, or until the run's deadline.

        Raises:
            StateError: the database is held by others, damaged or cannot be used.
        """

    @abstractmethod
    def write(self, work: "Work[T]", *, seconds: float | None = None) -> T:
        """Do `work` as one transaction that no other writer comes between; all of it or nothing.

        Raises:
            StateError: the database is held by others, damaged or cannot be used.
        """

    @abstractmethod
    async def awrite(self, work: "Work[T]", *, seconds: float | None = None) -> T:
        """Do what `write` does without holding up the event loop."""

    @abstractmethod
    async def aread(self, work: "Work[T]", *, empty: T, seconds: float | None = None) -> T:
        """Do what `read` does without holding up the event loop."""

    def check_keys(self, connection: Connection) -> None:
        """See that the store is encrypted as the environment says; look again now and then.

        Raises:
            StateError: it is not.
        """
        keys, now = keyring(), time.monotonic()
        if self._key_check and self._key_check[0] is keys and now - self._key_check[1] < CHECKED_S:
            return
        if not self.is_turned:
            check_keys(key_ids(connection), keys, self.place)
        self._key_check = keys, now

    def statement(self, make: "Callable[[Engine], S]") -> "S":
        """Return the statement that `make` builds for this database; it is built once.

        SQLAlchemy takes longer to build a statement than SQLite to run it.
        """
        if self._statements is None:
            self._statements = {}
        if make not in self._statements:
            self._statements[make] = make(self)
        return cast("S", self._statements[make])

    @abstractmethod
    def insert(self, table: "Table") -> "SqliteInsert | PostgresInsert":
        """Return an INSERT that can say `on_conflict_do_nothing`."""


class db_now(FunctionElement[float]):  # noqa: N801  # reads as a function of SQL
    """Seconds of the database's clock, by which leases end: never the clock of who asks."""

    type: TypeEngine[float] = Double()
    inherit_cache = True


def _compile(*_: object, **__: object) -> str:
    return "db_now()"  # SQLite has no clock; `SqliteEngine` gives it this function


def _compiled_for_postgres(*_: object, **__: object) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"


compiles(db_now)(_compile)
compiles(db_now, "postgresql")(_compiled_for_postgres)


def is_ready(connection: Connection) -> bool | None:
    """True if the tables are this version's, False if they are an earlier one's or a later one's.

    None means that there are none.
    """
    schema = find_schema(connection)
    return None if schema is None else schema == SCHEMA


def make_ready(connection: Connection, place: "Place", *, is_turned: bool) -> Path | None:
    """Make the tables, or change an earlier version's, in the transaction that is open.

    Alembic is imported only to change an earlier version's: it costs 0.08 s of CPU. A SQLite
    database is copied first. The copy's path is returned, to be removed once the
    transaction is in the database.

    Raises:
        StateError: a later version wrote the database, or an earlier one's is to be encrypted and
            not `is_turned`.
    """
    schema = find_schema(connection)
    if schema == SCHEMA:
        return None
    if schema is None:
        metadata.create_all(connection, checkfirst=False)
        connection.execute(insert(versions).values(version_num=SCHEMA))
        keep_keys(connection, [keyring().current])
        return None
    if schema > SCHEMA:
        reason = (
            f"was written by a later MINERVA (schema {schema}, this one knows {SCHEMA}). "
            "Install that version, or set MINERVA_HOME to a folder of its own."
        )
        raise StateError(place, reason)
    if schema < "0007" and not is_turned:  # from before there was encryption
        check_keys([PLAIN], keyring(), place)
    from minerva_platform.storage.migrations.upgrade import kept_copy, upgrade  # noqa: PLC0415  # see above

    copy = kept_copy(place) if isinstance(place, Path) else None
    upgrade(connection)
    return copy


def find_schema(connection: Connection) -> str | None:
    """Return the number of the schema in the database; empty: from before there were numbers.

    None means that nothing of a ledger is there.
    """
    tables = inspect(connection)
    if tables.has_table(versions.name):
        return str(connection.execute(select(versions.c.version_num)).scalar_one())
    return "" if tables.has_table(turns.name) else None
