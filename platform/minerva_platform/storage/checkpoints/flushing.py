"""How the checkpoints of one run come into the database: what is new, as one transaction.

LangGraph saves after each step of each graph: 66 times in a run of seven model calls. Each alone
would be a transaction, and cost nearly as much as the run. Here the state lies in memory, and one
transaction takes what is new: now and then in a long run, before an effect, at a pause and at the
end. Each renews the run's lease first, so a run that has lost its thread writes nothing.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, TypeAlias

from sqlalchemy import Connection

from minerva_platform.errors import StateError
from minerva_platform.storage.checkpoints.pending_writes import Book
from minerva_platform.storage.checkpoints.rows import CheckpointRow, WriteRow
from minerva_platform.storage.checkpoints.sync_methods import InThread
from minerva_platform.storage.checkpoints.tables import (
    Kept,
    delete_runs,
    forget_run_before,
    keep,
    of_thread,
    read_checkpoints,
    read_writes,
)
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.lease import Lease, LeaseTerms, renew

Found: TypeAlias = tuple[list[CheckpointRow], list[WriteRow]]

FLUSH_AFTER_S: Final = 0.25
"""Seconds of work that a crash repeats at most, beside the step that it stops."""

RETRY_AFTER_S: Final = 5.0
"""Seconds until the next try, if the database could not be written."""

_PATIENCE_S: Final = 1.0
"""Seconds that a step waits for the database, which it does not need."""


class Flushing:
    """The rows of the run `run_id`, and when they are written."""

    def __init__(
        self,
        engine: Engine,
        run_id: str,
        lease: Lease | None,
        *,
        kept: Kept,
        also: Callable[[Connection], None] | None,
        terms: LeaseTerms,
        clock: Callable[[], float],
    ) -> None:
        self.engine, self.run_id, self.lease, self.terms = engine, run_id, lease, terms
        self.database: Engine | InThread = engine
        self._also = also
        self._book = Book(keeps_all=kept == "all")
        self._pace = _Pace(clock)

    async def aload(self) -> None:
        """Read what the database has of the run.

        Raises:
            StateError: the database cannot be read.
        """
        nothing: Found = ([], [])
        self._book.load(*await self.database.aread(self._read, empty=nothing))

    async def aflush(self, *, seconds: float | None = None) -> None:
        """Write what is new, in one transaction. It waits for the database `seconds` at most.

        Raises:
            LeaseLostError: another run has the thread by now; nothing was written.
            StateError: the database cannot be written.
        """
        if self._book.has_new:
            self.written(await self.database.awrite(self._flushed, seconds=seconds))

    async def aflush_if_due(self) -> None:
        """Write what is new if the last flush is long ago, and if the database can be written.

        Raises:
            LeaseLostError: another run has the thread by now; nothing was written.
        """
        if self._pace.is_due:
            with self._pace.kept():
                await self.aflush(seconds=_PATIENCE_S)

    def write(self, connection: Connection) -> int:
        """Write what is new in a transaction that is open, which has renewed the lease.

        Once the transaction is in the database, give what this returns to `written`.
        """
        rows, mark = self._book.new()
        self._book.is_stored = True  # perhaps, even if the transaction seems to fail
        keep(connection, self.engine, rows)
        if self._also is not None:
            self._also(connection)
        return mark

    def written(self, mark: int) -> None:
        """Take note that what `write` wrote is in the database."""
        self._book.mark_written(mark)
        self._pace.begin()

    def end(self, connection: Connection, kept: Kept) -> int:
        """Write what is kept of a run that has ended, as `write` does.

        That is the last state of the thread's latest run. What is here stays, in case that the
        transaction fails.
        """
        if kept == "all":
            return self.write(connection)
        _, mark = self._book.new()
        if self._book.is_stored:
            delete_runs(connection, [self.run_id])
        self._book.is_stored = True
        if forget_run_before(connection, self.run_id):
            keep(connection, self.engine, self._book.find("", None)[:1])
        return mark

    def _flushed(self, connection: Connection) -> int:
        if self.lease is not None:
            renew(connection, self.lease, self.terms)
        return self.write(connection)

    def _read(self, connection: Connection) -> Found:
        its, _ = of_thread(self.run_id)
        return read_checkpoints(connection, its), read_writes(connection, self.run_id)


class _Pace:
    """Says when a flush is due."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.begin()

    def begin(self, seconds: float = FLUSH_AFTER_S) -> None:
        """Count from now."""
        self._due = self._clock() + seconds

    @property
    def is_due(self) -> bool:
        """True if the last flush is long ago."""
        return self._clock() > self._due

    @contextmanager
    def kept(self) -> Generator[None]:
        """Let a run go on whose database cannot be written now; all is still in memory.

        What must be kept is refused where it is: an effect, a question, the run's end.
        """
        self.begin()  # workers side by side need not flush at once
        try:
            yield
        except StateError:
            self.begin(RETRY_AFTER_S)
