"""The checkpointers: LangGraph's own suite for them, on SQLite and on a real Postgres alike."""

from collections.abc import AsyncGenerator
from inspect import signature
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
)
from langgraph.checkpoint.conformance import checkpointer_test, validate
from ledger import Store

from minerva_platform.storage.checkpoints.host_checkpointer import HostCheckpointer
from minerva_platform.storage.checkpoints.ledger_checkpointer import LedgerCheckpointer
from minerva_platform.storage.checkpoints.rows import configurable
from minerva_platform.storage.checkpoints.run_checkpointer import RunCheckpointer


class EachRuns(LedgerCheckpointer):
    """Does each operation by a `RunCheckpointer` of the thread, as another process would."""

    async def of(self, config: RunnableConfig) -> RunCheckpointer:
        """Return the thread's, with what is kept."""
        return await self.of_thread(configurable(config)["thread_id"])

    async def of_thread(self, thread_id: str) -> RunCheckpointer:
        """Return the thread's, with what is kept."""
        checkpointer = RunCheckpointer(self.engine, str(thread_id))
        await checkpointer.aload()
        return checkpointer

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint."""
        its = await self.of(config)
        named = await its.aput(config, checkpoint, metadata, new_versions)
        await its.aflush()
        return named

    async def aput_writes(self, config: Any, *given: Any, **named: Any) -> None:
        """Keep what a task has written."""
        checkpointer = await self.of(config)
        await checkpointer.aput_writes(config, *given, **named)
        await checkpointer.aflush()

    async def aget_tuple(self, config: Any) -> Any:
        """Return a checkpoint."""
        return await (await self.of(config)).aget_tuple(config)

    async def alist(self, config: Any, **named: Any) -> AsyncGenerator[Any]:
        """Yield checkpoints."""
        if config is None:
            async for found in super().alist(config, **named):
                yield found
            return
        async for found in (await self.of(config)).alist(config, **named):
            yield found

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread."""
        await (await self.of_thread(thread_id)).adelete_thread(thread_id)


@pytest.mark.small(2)
@pytest.mark.slow
@pytest.mark.parametrize("kind", [LedgerCheckpointer, EachRuns])
async def test_it_does_all_that_langgraph_asks_of_a_saver(
    kind: type[BaseCheckpointSaver[Any]], store: Store
) -> None:
    """Every check of the conformance suite for what the library's own savers can do."""

    @checkpointer_test(name="minerva")
    async def checkpointer() -> AsyncGenerator[Any]:
        with store.opened() as engine:
            given: Any = engine
            made: Any = kind
            yield made(given)

    report = await validate(checkpointer)

    done = {name: result for name, result in report.results.items() if result.detected}
    assert set(done) == {"put", "put_writes", "get_tuple", "list", "delete_thread"}
    assert [failure for result in done.values() for failure in result.failures] == []
    assert sum(result.tests_passed for result in done.values()) == 58


@pytest.mark.parametrize("saver", [HostCheckpointer, LedgerCheckpointer, RunCheckpointer])
def test_langgraph_tells_each_saver_where_a_task_stands(saver: type[Any]) -> None:
    """It reads the signature first, and keeps the place of the task to itself otherwise."""
    for method in (saver.put_writes, saver.aput_writes):
        assert "task_path" in signature(method).parameters
