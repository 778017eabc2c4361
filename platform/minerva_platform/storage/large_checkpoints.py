"""Keep no large state of a worker between its steps, unless the worker waits for a person.

LangGraph writes the whole state at each step, so a state of 100 MB made a database of 400 MB. A
state that is not kept costs a repeated step after a crash. A worker that waits must find its state
again.
"""

import sqlite3
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

from minerva_platform.contract.bounds import MAX_CHECKPOINT_BYTES

MAX_HELD_BACK = 8
"""States held in memory, in case their workers ask a person. As many workers run at once."""

Graph = tuple[str, str]
"""A run's thread, and the namespace of a graph in it."""

Put = tuple[RunnableConfig, Checkpoint, CheckpointMetadata, ChannelVersions]


class SizeLimitedCheckpointer(SqliteSaver):
    """A `SqliteSaver` that leaves out states below the root that are too large."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        self._held_back: dict[Graph, Put] = {}
        """The latest checkpoint of each graph, where it was too large."""
        self._waiting: dict[Graph, str] = {}
        """The checkpoint in which a graph waits for a person. It may come after the question."""

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint if it is small, and return the configuration that names it."""
        graph = _graph_of(config)
        self._held_back.pop(graph, None)
        waits = self._waiting.get(graph) == checkpoint["id"]
        if waits or _is_root(graph) or not self._is_large(checkpoint):
            return super().put(config, checkpoint, metadata, new_versions)
        self._held_back[graph] = (config, checkpoint, metadata, new_versions)
        if len(self._held_back) > MAX_HELD_BACK:  # the oldest has most likely ended
            del self._held_back[next(iter(self._held_back))]
        thread_id, namespace = graph
        named = {"checkpoint_ns": namespace, "checkpoint_id": checkpoint["id"]}
        return {"configurable": {"thread_id": thread_id, **named}}

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store a task's writes if they are small. A part of them would pass for all of them."""
        graph, channels = _graph_of(config), {channel for channel, _ in writes}
        if INTERRUPT in channels:
            self._waiting[graph] = _configurable(config)["checkpoint_id"]
            held_back = self._held_back.get(graph)  # stays: this may be done again
            if held_back is not None:
                super().put(*held_back)
        is_step = channels.isdisjoint(WRITES_IDX_MAP)
        if is_step and not _is_root(graph) and self._is_large(writes):
            return
        super().put_writes(config, writes, task_id, task_path)

    def _is_large(self, value: Any) -> bool:
        return len(self.serde.dumps_typed(value)[1]) > MAX_CHECKPOINT_BYTES


def _graph_of(config: RunnableConfig) -> Graph:
    given = _configurable(config)
    return str(given["thread_id"]), str(given["checkpoint_ns"])


def _configurable(config: RunnableConfig) -> dict[str, Any]:
    return config.get("configurable", {})


def _is_root(graph: Graph) -> bool:
    return not graph[1]
