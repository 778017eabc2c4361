"""Keep no large state of a worker between its steps, unless the worker waits for a person.

LangGraph writes the whole state at each step, so a state of 100 MB made a database of 400 MB. A
state that is not kept costs a repeated step after a crash. A worker that waits must find its state
again.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import WRITES_IDX_MAP, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.types import INTERRUPT

from minerva_platform.contract.bounds import MAX_CHECKPOINT_BYTES
from minerva_platform.storage.checkpoints.rows import CheckpointRow, WriteRow, configurable

MAX_HELD_BACK: Final = 8
"""States held in memory, in case their workers ask a person. As many workers run at once."""

Graph: TypeAlias = tuple[str, str]
"""A run's thread, and the namespace of a graph in it."""

Put: TypeAlias = tuple[RunnableConfig, Checkpoint, CheckpointMetadata]


class LargeStates:
    """What is left out of the database, and which graphs wait for a person."""

    def __init__(self) -> None:
        self._held_back: dict[Graph, Put] = {}
        """The latest checkpoint of each graph, where it was too large."""
        self._waiting: dict[Graph, str] = {}
        """The checkpoint in which a graph waits for a person. It may come after the question."""

    def leaves_out(self, row: CheckpointRow, put: Put) -> bool:
        """True if the checkpoint is not to be kept, unless its graph asks a person."""
        graph = (row.thread_id, row.namespace)
        self._held_back.pop(graph, None)
        waits = self._waiting.get(graph) == row.checkpoint_id
        if waits or not row.namespace or len(row.checkpoint) <= MAX_CHECKPOINT_BYTES:
            return False
        self._held_back[graph] = put
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


def channels_of(writes: Sequence[tuple[str, Any]]) -> list[str]:
    """Return the channels that a task writes to."""
    return [channel for channel, _ in writes]
