"""LangGraph's SQLite checkpointer for async graphs, over one connection for all runs.

AsyncSqliteSaver switches to its OS thread three to five times for each operation (execute, fetch,
commit, close). Each switch costs 0.1 ms of CPU, in all half of a run's cost. This one runs a whole
operation of the plain SqliteSaver in the database's OS thread. The tables are the same.
"""

import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.serde._msgpack import (
    STRICT_MSGPACK_ENABLED,  # pyright: ignore[reportPrivateUsage]  # nothing public tells it
)

from minerva_platform.calls.error_info import error_to_info
from minerva_platform.errors import RunError, StateError
from minerva_platform.storage.database import PATIENCE_S, Database, opened_in_loop
from minerva_platform.storage.large_checkpoints import SizeLimitedCheckpointer

P = ParamSpec("P")
T = TypeVar("T")


class SharedCheckpointer(SizeLimitedCheckpointer):
    """A `SqliteSaver` whose async operations queue for the one connection of the process."""

    database: Database

    @classmethod
    async def over(cls, database: Database, *, seconds: float) -> "SharedCheckpointer":
        """Return a checkpointer over `database`. Missing tables are made.

        It waits for other processes `seconds` at most.

        Raises:
            StateError: the database is held by others, or damaged.
            OSError: it cannot be made.
            sqlite3.Error: it cannot be used.
        """

        def made(connection: sqlite3.Connection) -> SharedCheckpointer:
            checkpointer = cls(connection)
            checkpointer.setup()
            return checkpointer

        checkpointer = await database.acall(made, seconds=seconds)
        checkpointer.database = database
        return checkpointer

    async def _there(self, operation: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        return await self.database.acall(lambda _: operation(*args, **options))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that `config` names, or its thread's latest."""
        return await self._there(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  # the signature is LangGraph's
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, newest first."""

        def found() -> list[CheckpointTuple]:
            return list(self.list(config, filter=filter, before=before, limit=limit))

        for checkpoint in await self._there(found):
            yield checkpoint

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint and return the configuration that names it."""
        return await self._there(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store a task's writes before its step is complete. Of an error, store the masked text."""
        kept = [(channel, _without_secrets(value)) for channel, value in writes]
        await self._there(self.put_writes, config, kept, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all that is kept of a thread."""
        await self._there(self.delete_thread, thread_id)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return the writes from which channels that keep only changes are rebuilt."""
        return await self._there(self.get_delta_channel_history, config=config, channels=channels)


@asynccontextmanager
async def open_checkpointer(
    path: Path, *, seconds: float = PATIENCE_S
) -> AsyncGenerator[SharedCheckpointer]:
    """Open the checkpoint database at `path`, making it and its folder when needed.

    All runs of a process share its connection. It waits for other processes `seconds` at most.

    Raises:
        RunError: the database cannot be made, read or trusted. This is raised before anything runs.
    """
    if not STRICT_MSGPACK_ENABLED:
        message = (
            "langgraph was imported before minerva_platform, so a forged checkpoint could run "
            "code. Import minerva_platform first, or set LANGGRAPH_STRICT_MSGPACK=true."
        )
        raise RunError(message)
    async with opened_in_loop(path) as database:
        try:
            checkpointer = await SharedCheckpointer.over(database, seconds=seconds)
        except (OSError, sqlite3.Error) as error:
            reason = (
                f"cannot be used: {error}. "
                "Move it away, or set `keep_state: false` in platform.yaml."
            )
            raise StateError(path, reason) from error
        yield checkpointer


def _without_secrets(value: Any) -> Any:
    """Return an error's masked `repr`, as LangGraph keeps it: it may quote keys of the environment.

    A worker's `__repr__` may raise anything, which would end the run here.
    """
    if not isinstance(value, BaseException):
        return value
    return f"{type(value).__name__}({error_to_info(value).message!r})"
