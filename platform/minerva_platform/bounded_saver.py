"""Keep no large state of a worker between its steps, unless the worker waits for a person.

LangGraph writes the whole state at each step, so 100 MB in it made a database of 400 MB. What is
not kept costs a repeated step after a crash; a worker that waits has to find its state again.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
)
from langgraph.checkpoint.serde.types import INTERRUPT
from langgraph.checkpoint.sqlite import SqliteSaver

from minerva_platform.bounds import MAX_CHECKPOINT_BYTES

Put = tuple[RunnableConfig, Checkpoint, CheckpointMetadata, ChannelVersions]


class BoundedSqliteSaver(SqliteSaver):
    """A `SqliteSaver` that leaves out what is too large below the root."""

    def __init__(self, connection: Any) -> None:
        super().__init__(connection)
        self._left_out: dict[tuple[str, str], Put] = {}
        """The latest checkpoint of each graph, where it was too large."""

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint if it is small; return the configuration that names it."""
        thread_id, graph = _graph_of(config)
        self._forget(thread_id, below=graph)
        if graph and self._is_large(checkpoint):
            self._left_out[thread_id, graph] = (config, checkpoint, metadata, new_versions)
            named = {"checkpoint_ns": graph, "checkpoint_id": checkpoint["id"]}
            return {"configurable": {"thread_id": thread_id, **named}}
        self._left_out.pop((thread_id, graph), None)
        return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task has written if it is small; part of it would pass for all of it."""
        channels, graph = {channel for channel, _ in writes}, _graph_of(config)
        if INTERRUPT in channels and graph in self._left_out:
            super().put(*self._left_out.pop(graph))
        is_inner_step = graph[1] and channels.isdisjoint(WRITES_IDX_MAP)
        if is_inner_step and self._is_large(writes):
            return
        super().put_writes(config, writes, task_id, task_path)

    def _forget(self, thread_id: str, *, below: str) -> None:
        """Let go of states of graphs that have ended: the one they ran in has gone on."""
        over = [
            key
            for key in self._left_out
            if key[0] == thread_id and key[1] != below and key[1].startswith(below)
        ]
        for key in over:
            del self._left_out[key]

    def _is_large(self, value: Any) -> bool:
        return len(self.serde.dumps_typed(value)[1]) > MAX_CHECKPOINT_BYTES


def _graph_of(config: RunnableConfig) -> tuple[str, str]:
    given = config["configurable"]
    return str(given["thread_id"]), str(given["checkpoint_ns"])
