"""Which checkpoints a caller of LangGraph's `list` asks for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import get_checkpoint_id

from minerva_platform.storage.checkpoints.rows import CheckpointRow, configurable, metadata_of


def searched(
    rows: Sequence[CheckpointRow],
    config: RunnableConfig | None,
    *,
    filter: Mapping[str, Any] | None = None,  # noqa: A002  # the name is LangGraph's
    before: RunnableConfig | None = None,
    limit: int | None = None,
) -> Iterator[CheckpointRow]:
    """Yield those of `rows`, newest first, that are asked for.

    `config` names a thread, and perhaps a graph or a checkpoint in it; `filter` is what their
    metadata hold; `before` names a checkpoint that is later.
    """
    given = configurable(config or {})
    thread_id, namespace = given.get("thread_id"), given.get("checkpoint_ns")
    checkpoint_id = get_checkpoint_id(config) if config else None
    last = _number_of(rows, get_checkpoint_id(before) if before else None)
    count = 0
    for row in rows:
        if limit is not None and count >= limit:
            return
        if thread_id is not None and row.thread_id != str(thread_id):
            continue
        if namespace is not None and row.namespace != namespace:
            continue
        if checkpoint_id and row.checkpoint_id != checkpoint_id:
            continue
        if last is not None and row.number >= last:
            continue
        if filter and not _holds(row, filter):
            continue
        count += 1
        yield row


def _holds(row: CheckpointRow, wanted: Mapping[str, Any]) -> bool:
    told: Mapping[str, Any] = {**metadata_of(row)}
    return all(told.get(key) == value for key, value in wanted.items())


def _number_of(rows: Sequence[CheckpointRow], checkpoint_id: str | None) -> int | None:
    if checkpoint_id is None:
        return None
    return next((row.number for row in rows if row.checkpoint_id == checkpoint_id), 0)
