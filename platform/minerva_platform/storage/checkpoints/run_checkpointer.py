"""The checkpoints of one run: in memory, and from time to time in the database.

LangGraph saves after each step of each graph: 66 times in a run of seven model calls. Each alone
would be a transaction, and cost nearly as much as the run. Here the state lies in memory, and one
transaction takes what is new: now and then in a long run, before an effect, at a pause and at the
end. Each renews the run's lease first, so a run that has lost its thread writes nothing.
"""

import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
)
from sqlalchemy import Connection

from minerva_platform.storage.checkpoints.book import Book
from minerva_platform.storage.checkpoints.large_states import LargeStates, channels_of
from minerva_platform.storage.checkpoints.rows import (
    CheckpointRow,
    WriteRow,
    configurable,
    to_checkpoint_row,
    to_config,
    to_tuple,
    to_write_rows,
)
from minerva_platform.storage.checkpoints.search import searched
from minerva_platform.storage.checkpoints.serializer import StrictSerializer, refuse_loose_reading
from minerva_platform.storage.checkpoints.tables import (
    Kept,
    delete_runs,
    keep,
    of_thread,
    read_checkpoints,
    read_writes,
)
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.lease import TERMS, Lease, LeaseTerms, renew

FLUSH_AFTER_S: Final = 0.25
"""Seconds of work that a crash repeats at most, beside the step that it stops."""


class RunCheckpointer(BaseCheckpointSaver[int]):
    """Keeps the checkpoints of the run `run_id`, which is LangGraph's `thread_id`.

    It begins empty; `aload` reads what the database has, if the run is resumed. With a lease, it
    writes only while nobody else has the thread.
    """

    def __init__(
        self,
        engine: Engine,
        run_id: str,
        lease: Lease | None = None,
        *,
        also: Callable[[Connection], None] | None = None,
        terms: LeaseTerms = TERMS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep nothing yet; `also` writes what goes with a state, in the same transactions.

        Raises:
            RunError: LangGraph was imported without being told to read strictly.
        """
        refuse_loose_reading()
        super().__init__(serde=StrictSerializer())
        self.engine, self.run_id, self.lease, self.terms = engine, run_id, lease, terms
        self._also = also
        self._book = Book()  # LangGraph copies this object, and the copies share it
        self._large = LargeStates()
        self._pace = _Pace(clock)

    # ---- the database

    async def aload(self) -> None:
        """Read what the database has of the run.

        Raises:
            StateError: the database cannot be read.
        """
        nothing: tuple[list[CheckpointRow], list[WriteRow]] = ([], [])
        self._book.load(*await self.engine.aread(self._read, empty=nothing))
        self._book.is_stored = True

    def flush(self) -> None:
        """Write what is new, in one transaction. From an OS thread, not from an event loop.

        Raises:
            LeaseLostError: another run has the thread by now; nothing was written.
            StateError: the database cannot be written.
        """
        if self._book.has_new:
            self.written(self.engine.write(self._flushed))

    async def aflush(self) -> None:
        """Do what `flush` does without holding up the event loop."""
        if self._book.has_new:
            self.written(await self.engine.awrite(self._flushed))

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

    def end(self, connection: Connection, kept: Kept = "last") -> int:
        """Write what is kept of a run that has ended, as `write` does: most often its last state.

        What is here stays, in case that the transaction fails.
        """
        if kept == "all":
            return self.write(connection)
        _, mark = self._book.new()
        if self._book.is_stored:
            delete_runs(connection, [self.run_id])
        last = self._book.find("", None)
        if last is not None:
            keep(connection, self.engine, [last])
        self._book.is_stored = True
        return mark

    def _flushed(self, connection: Connection) -> int:
        if self.lease is not None:
            renew(connection, self.lease, self.terms)
        return self.write(connection)

    def _read(self, connection: Connection) -> tuple[list[CheckpointRow], list[WriteRow]]:
        its, _ = of_thread(self.run_id)
        return read_checkpoints(connection, its), read_writes(connection, self.run_id)

    # ---- what LangGraph calls

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that `config` names, or its graph's latest."""
        namespace = configurable(config).get("checkpoint_ns", "")
        row = self._book.find(namespace, get_checkpoint_id(config))
        return None if row is None else self._to_tuple(row)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  # the signature is LangGraph's
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, newest first."""
        rows = self._book.all()
        for row in searched(rows, config, wanted=filter, before=before, limit=limit):
            yield self._to_tuple(row)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002  # the signature is LangGraph's
    ) -> RunnableConfig:
        """Keep a checkpoint and return the configuration that names it."""
        named = self._put(config, checkpoint, metadata)
        if self._pace.is_due:
            self.flush()
        return named

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep a task's writes before its step is complete. Of an error, keep the masked text."""
        self._put_writes(config, writes, task_id, task_path)
        if self._pace.is_due:
            self.flush()

    def delete_thread(self, thread_id: str) -> None:
        """Delete all that is kept of the run."""
        self.engine.write(lambda connection: delete_runs(connection, [thread_id]))
        self._book.clear()

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that `config` names, or its graph's latest."""
        return self.get_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  # the signature is LangGraph's
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, newest first."""
        for found in self.list(config, filter=filter, before=before, limit=limit):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002  # the signature is LangGraph's
    ) -> RunnableConfig:
        """Keep a checkpoint and return the configuration that names it."""
        named = self._put(config, checkpoint, metadata)
        if self._pace.is_due:
            await self.aflush()
        return named

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep a task's writes before its step is complete. Of an error, keep the masked text."""
        self._put_writes(config, writes, task_id, task_path)
        if self._pace.is_due:
            await self.aflush()

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all that is kept of the run."""
        await self.engine.awrite(lambda connection: delete_runs(connection, [thread_id]))
        self._book.clear()

    # ---- in memory

    def _put(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata
    ) -> RunnableConfig:
        row = to_checkpoint_row(self.serde, config, checkpoint, metadata)
        if not self._large.leaves_out(row, (config, checkpoint, metadata)):
            self._book.put(row)
        return to_config(row.thread_id, row.namespace, row.checkpoint_id)

    def _put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str,
    ) -> None:
        held_back = self._large.wanted_now(config, channels_of(writes))
        if held_back is not None:
            self._book.put(to_checkpoint_row(self.serde, *held_back))
        rows = to_write_rows(self.serde, config, writes, task_id, task_path)
        if rows and not self._large.leave_out_writes(rows):
            self._book.put_writes(rows)

    def _to_tuple(self, row: CheckpointRow) -> CheckpointTuple:
        return to_tuple(self.serde, row, self._book.writes_after(row))


class _Pace:
    """Says when the next flush is due."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """Count from now."""
        self._since = self._clock()

    @property
    def is_due(self) -> bool:
        """True if the last flush is long ago."""
        return self._clock() - self._since > FLUSH_AFTER_S
