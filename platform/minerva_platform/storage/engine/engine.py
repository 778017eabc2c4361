"""What runs are kept by: transactions that read or write, on SQLite and Postgres alike."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from sqlalchemy import Connection, Double
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

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
    _statements: "dict[Callable[[Engine], Any], Any] | None" = None

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

    def prepared(self, make: "Callable[[Engine], S]") -> "S":
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


def _compiled(*_: object, **__: object) -> str:
    return "db_now()"  # SQLite has no clock; `SqliteEngine` gives it this function


def _compiled_for_postgres(*_: object, **__: object) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"


compiles(db_now)(_compiled)
compiles(db_now, "postgresql")(_compiled_for_postgres)
