"""The checkpoints of any thread, each operation a transaction of its own.

For what is no run's: a graph that an author's worker gives a `thread_id` of its own, and looking
at what is kept.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from sqlalchemy import Connection

from minerva_platform.storage.checkpoints.rows import (
    CheckpointRow,
    configurable,
    find_rows,
    to_checkpoint_row,
    to_config,
    to_tuple,
    to_write_rows,
)
from minerva_platform.storage.checkpoints.serializer import StrictSerializer
from minerva_platform.storage.checkpoints.sync_methods import BothWays
from minerva_platform.storage.checkpoints.tables import (
    delete_runs,
    keep,
    last_number,
    of_checkpoint,
    read_checkpoints,
    read_writes,
)
from minerva_platform.storage.engine.engine import Engine


class LedgerCheckpointer(BothWays):
    """Keeps checkpoints in the database of `engine` at once."""

    def __init__(self, engine: Engine, serde: SerializerProtocol | None = None) -> None:
        """Read and write by `engine`, the states by `serde` or else strictly."""
        super().__init__(serde=serde or StrictSerializer())
        self.engine = self.database = engine

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that `config` names, or its graph's latest."""
        given = configurable(config)
        where = of_checkpoint(
            str(given["thread_id"]), given.get("checkpoint_ns", ""), get_checkpoint_id(config)
        )

        def get(connection: Connection) -> CheckpointTuple | None:
            rows = read_checkpoints(connection, *where, limit=1)
            return self._to_tuple(connection, rows[0]) if rows else None

        return await self.database.aread(get, empty=None)

    async def find_all(self, config: RunnableConfig | None, **search: Any) -> list[CheckpointTuple]:
        """Return the checkpoints that `list` is asked for, newest first."""
        thread_id = configurable(config or {}).get("thread_id")
        where = () if thread_id is None else of_checkpoint(str(thread_id))

        def look(connection: Connection) -> list[CheckpointTuple]:
            rows = find_rows(read_checkpoints(connection, *where), config, **search)
            return [self._to_tuple(connection, row) for row in rows]

        return await self.database.aread(look, empty=list[CheckpointTuple]())

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,  # noqa: ARG002  # the signature is LangGraph's
    ) -> RunnableConfig:
        """Keep a checkpoint and return the configuration that names it."""
        row = to_checkpoint_row(self.serde, config, checkpoint, metadata)
        await self.database.awrite(partial(self._keep_numbered, row))
        return to_config(*row.key)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep a task's writes before its step is complete. Of an error, keep the masked text."""
        rows = to_write_rows(self.serde, config, writes, task_id, task_path)
        await self.database.awrite(partial(keep, engine=self.engine, rows=rows))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all that is kept of a thread."""
        await self.database.awrite(partial(delete_runs, thread_ids=[thread_id]))

    # ---- in one transaction

    def _keep_numbered(self, row: CheckpointRow, connection: Connection) -> None:
        number = last_number(connection, row.thread_id) + 1
        keep(connection, self.engine, [replace(row, number=number)])

    def _to_tuple(self, connection: Connection, row: CheckpointRow) -> CheckpointTuple:
        return to_tuple(self.serde, row, read_writes(connection, row))
