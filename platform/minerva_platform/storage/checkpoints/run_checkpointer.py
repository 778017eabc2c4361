"""The checkpoints of one run, as LangGraph asks for them and gives them."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph._internal._constants import RESUME  # pyright: ignore[reportPrivateImportUsage]  # nothing public names it
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
)
from langgraph.checkpoint.serde.types import INTERRUPT
from sqlalchemy import Connection

from minerva_platform.contract.bounds import MAX_CHECKPOINT_BYTES
from minerva_platform.errors import RunError, UnkeptValueError
from minerva_platform.storage.checkpoints.flushing import PATIENCE_S, Book, Found, Pace
from minerva_platform.storage.checkpoints.ledger_checkpointer import LedgerCheckpointer
from minerva_platform.storage.checkpoints.rows import (
    CheckpointRow,
    WriteRow,
    configurable,
    find_rows,
    to_checkpoint_row,
    to_config,
    to_tuple,
    to_write_rows,
)
from minerva_platform.storage.checkpoints.serializer import StrictSerializer
from minerva_platform.storage.checkpoints.sync_methods import BothWays, InThread
from minerva_platform.storage.checkpoints.tables import (
    Kept,
    delete_runs,
    forget_run_before,
    keep,
    of_checkpoint,
    read_checkpoints,
    read_writes,
)
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.lease import TERMS, Lease, LeaseTerms, renew


class RunCheckpointer(BothWays):
    """Keeps the checkpoints of the run `run_id`, which is LangGraph's `thread_id`.

    It begins empty; `aload` reads what the database has, if the run is resumed. With a lease, it
    writes only while nobody else has the thread. OS threads may use it at once, and LangGraph
    copies it: the copies share all but the classes that they may read.
    """

    def __init__(
        self,
        engine: Engine,
        run_id: str,
        lease: Lease | None = None,
        *,
        keep_checkpoints: Kept = "last",
        also: Callable[[Connection], None] | None = None,
        terms: LeaseTerms = TERMS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep nothing yet.

        `keep_checkpoints` says what stays when the run has ended: what does not is not written, if
        no step needs it. `also` writes what goes with a state, in the same transactions.
        """
        super().__init__(serde=StrictSerializer())
        self.engine, self.run_id, self.lease, self.terms = engine, run_id, lease, terms
        self.database: Engine | InThread = engine
        self._also = also
        self._book = Book(keeps_all=keep_checkpoints == "all")
        self._pace = Pace(clock)
        self._large = LargeStates()
        self.unkept: dict[str, UnkeptValueError] = {}
        """Why the state of a graph is not kept, by its namespace."""

    async def aload(self) -> None:
        """Read what the database has of the run.

        Raises:
            StateError: the database cannot be read.
        """
        nothing: Found = ([], [])
        self._book.load(*await self.database.aread(self._load, empty=nothing))

    async def aflush(self, *, seconds: float | None = None) -> None:
        """Write what is new, in one transaction. It waits for the database `seconds` at most.

        Raises:
            LeaseLostError: another run has the thread by now; nothing was written.
            StateError: the database cannot be written.
        """
        if self._book.has_new:
            self.confirm(await self.database.awrite(self._flush, seconds=seconds))

    async def aflush_if_due(self) -> None:
        """Write what is new if the last flush is long ago, and if the database can be written.

        Raises:
            LeaseLostError: another run has the thread by now; nothing was written.
        """
        if self._pace.is_due:
            with self._pace.kept():
                await self.aflush(seconds=PATIENCE_S)

    def write(self, connection: Connection) -> int:
        """Write what is new in a transaction that is open, which has renewed the lease.

        Once the transaction is in the database, give what this returns to `confirm`.
        """
        rows, mark = self._book.new()
        self._book.is_stored = True  # perhaps, even if the transaction seems to fail
        keep(connection, self.engine, rows)
        if self._also is not None:
            self._also(connection)
        return mark

    def confirm(self, mark: int) -> None:
        """Take note that what `write` wrote is in the database."""
        self._book.mark_written(mark)
        self._pace.begin()

    def end(self, connection: Connection, keep_checkpoints: Kept) -> int:
        """Write what is kept of a run that has ended, as `write` does.

        That is the last state of the thread's latest run. What is here stays, in case that the
        transaction fails.
        """
        if keep_checkpoints == "all":
            return self.write(connection)
        _, mark = self._book.new()
        if self._book.is_stored:
            delete_runs(connection, [self.run_id])
        self._book.is_stored = True
        if forget_run_before(connection, self.run_id):
            keep(connection, self.engine, self._book.find("", None)[:1])
        return mark

    def _flush(self, connection: Connection) -> int:
        if self.lease is not None:
            renew(connection, self.lease, self.terms)
        return self.write(connection)

    def _load(self, connection: Connection) -> Found:
        rows = read_checkpoints(connection, *of_checkpoint(self.run_id))
        return rows, read_writes(connection, self.run_id)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that `config` names, or its graph's latest that can be read."""
        if self._is_others(config):
            return await self._ledger.aget_tuple(config)
        found = self._find(config)
        if found is None and not self._book.is_whole:
            await self.aload()
            found = self._find(config)
        return found

    async def find_all(
        self, config: RunnableConfig | None, **search: Any
    ) -> Iterable[CheckpointTuple]:
        """Return the checkpoints that can be read, newest first."""
        if config is None or self._is_others(config):
            return await self._ledger.find_all(config, **search)
        if not self._book.is_whole:
            await self.aload()
        return self._readable(find_rows(self._book.all(), config, **search))

    def _readable(self, rows: Iterable[CheckpointRow]) -> Iterator[CheckpointTuple]:
        for row in rows:
            try:
                found = self._to_tuple(row)
            except (ValueError, RunError):  # `minerva doctor` names it
                continue
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint and return the configuration that names it."""
        if self._is_others(config):
            return await self._ledger.aput(config, checkpoint, metadata, new_versions)
        with self._noting_unkept(config):
            row = to_checkpoint_row(self.serde, config, checkpoint, metadata)
        if not self._large.leaves_out(row, (config, checkpoint, metadata)):
            self._book.add(row)
        await self.aflush_if_due()
        return to_config(*row.key)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep a task's writes before its step is complete. Of an error, keep the masked text."""
        if self._is_others(config):
            await self._ledger.aput_writes(config, writes, task_id, task_path)
            return
        held_back = self._large.wanted_now(config, [channel for channel, _ in writes])
        if held_back is not None:
            self._book.add(to_checkpoint_row(self.serde, *held_back))
        with self._noting_unkept(config):
            rows = to_write_rows(self.serde, config, writes, task_id, task_path)
        if rows and not self._large.leave_out_writes(rows):
            self._book.put_writes(rows)
        await self.aflush_if_due()

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all that is kept of the run."""
        await self._ledger.adelete_thread(thread_id)
        if thread_id == self.run_id:
            self._book.clear()

    @property
    def _ledger(self) -> LedgerCheckpointer:
        """Keeps the threads that authors name themselves."""
        ledger = LedgerCheckpointer(self.engine, self.serde)
        ledger.database = self.database
        return ledger

    def _is_others(self, config: RunnableConfig) -> bool:
        """True if an author gave a graph in a worker a thread of its own."""
        return str(configurable(config)["thread_id"]) != self.run_id

    @contextmanager
    def _noting_unkept(self, config: RunnableConfig) -> Generator[None]:
        try:
            yield
        except UnkeptValueError as error:
            self.unkept.setdefault(str(configurable(config).get("checkpoint_ns", "")), error)
            raise

    def _find(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that is asked for.

        If a graph's latest cannot be read, one before it is taken: its steps are done again.
        """
        namespace, wanted = configurable(config).get("checkpoint_ns", ""), get_checkpoint_id(config)
        for row in self._book.find(namespace, wanted):
            try:
                return self._to_tuple(row)
            except (ValueError, RunError):
                if wanted is not None:
                    raise
        return None

    def _to_tuple(self, row: CheckpointRow) -> CheckpointTuple:
        """Return a checkpoint without answers: these lie in the ledger, with what was shown."""
        found = to_tuple(self.serde, row, self._book.writes_after(row))
        writes = [each for each in found.pending_writes or () if each[1] != RESUME]
        return found._replace(pending_writes=writes)


MAX_HELD_BACK: Final = 8
"""States held in memory, in case their workers ask a person. As many workers run at once."""

Graph: TypeAlias = tuple[str, str]
"""A run's thread, and the namespace of a graph in it."""

Put: TypeAlias = tuple[RunnableConfig, Checkpoint, CheckpointMetadata]


class LargeStates:
    """What is left out of the database, and which graphs wait for a person.

    LangGraph writes the whole state at each step, so a state of 100 MB made a database of 400 MB.
    One that is not kept costs a repeated step after a crash. A worker that waits must find its
    state again.
    """

    def __init__(self) -> None:
        self._held_back: dict[Graph, Put] = {}
        """The latest checkpoint of each graph, where it was too large."""
        self._waiting: dict[Graph, str] = {}
        """The checkpoint in which a graph waits for a person. It may come after the question."""

    def leaves_out(self, row: CheckpointRow, state: Put) -> bool:
        """True if the checkpoint is not to be kept, unless its graph asks a person."""
        graph = (row.thread_id, row.namespace)
        self._held_back.pop(graph, None)
        waits = self._waiting.get(graph) == row.checkpoint_id
        if waits or not row.namespace or len(row.checkpoint) <= MAX_CHECKPOINT_BYTES:
            return False
        self._held_back[graph] = state
        if len(self._held_back) > MAX_HELD_BACK:  # the oldest has most likely ended
            del self._held_back[next(iter(self._held_back))]
        return True

    def wanted_now(self, config: RunnableConfig, channels: Sequence[str]) -> Put | None:
        """Return the checkpoint that was left out, if its graph asks a person now."""
        if INTERRUPT not in channels:
            return None
        given = configurable(config)
        graph = (str(given["thread_id"]), str(given.get("checkpoint_ns", "")))
        self._waiting[graph] = str(given["checkpoint_id"])
        return self._held_back.get(graph)  # stays: this may be done again

    @staticmethod
    def leave_out_writes(rows: Sequence[WriteRow]) -> bool:
        """True if a task's writes are not to be kept; a part of them would pass for all."""
        is_step = all(row.channel not in WRITES_IDX_MAP for row in rows)
        size = sum(len(row.value) for row in rows)
        return is_step and size > MAX_CHECKPOINT_BYTES and bool(rows[0].namespace)
