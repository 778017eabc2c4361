"""Checkpoints and the writes of tasks as rows, which hold bytes, and back again."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from minerva_platform.errors import UnkeptValueError
from minerva_platform.run_context.failures.error_info import error_to_info


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """A checkpoint of a graph; `namespace` is empty for the root."""

    thread_id: str
    namespace: str
    checkpoint_id: str
    number: int
    """The order in its thread: ids follow the clock, which may have been set back."""
    parent_id: str | None
    type: str
    checkpoint: bytes
    metadata: bytes

    @property
    def key(self) -> tuple[str, str, str]:
        """What no other checkpoint has."""
        return (self.thread_id, self.namespace, self.checkpoint_id)


@dataclass(frozen=True, slots=True)
class WriteRow:
    """One value that a task has written after a checkpoint, before its step is complete."""

    thread_id: str
    namespace: str
    checkpoint_id: str
    task_id: str
    idx: int
    """The place among the task's writes; negative for LangGraph's own, of which the last counts."""
    task_path: str
    channel: str
    type: str
    value: bytes

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What no other write has."""
        return (self.thread_id, self.namespace, self.checkpoint_id, self.task_id, self.idx)


Row: TypeAlias = CheckpointRow | WriteRow


def configurable(config: RunnableConfig) -> dict[str, Any]:
    """Return what LangGraph names threads and checkpoints with."""
    return config.get("configurable", {})


def to_config(thread_id: str, namespace: str, checkpoint_id: str) -> RunnableConfig:
    """Return the configuration that names a checkpoint."""
    named = {"checkpoint_ns": namespace, "checkpoint_id": checkpoint_id}
    return {"configurable": {"thread_id": thread_id, **named}}


def to_checkpoint_row(
    serde: SerializerProtocol,
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
) -> CheckpointRow:
    """Return a checkpoint as it is kept, without its number; `config` names its parent.

    Raises:
        UnkeptValueError: no checkpoint keeps one of the values; it names the key.
    """
    given = configurable(config)
    try:
        kind, data = serde.dumps_typed(checkpoint)
    except UnkeptValueError as error:
        values = checkpoint["channel_values"].items()
        raise next(_refusals(serde, values, given), error) from error
    told = json.dumps(get_checkpoint_metadata(config, metadata), ensure_ascii=False)
    return CheckpointRow(
        str(given["thread_id"]),
        str(given.get("checkpoint_ns", "")),
        checkpoint["id"],
        0,
        given.get("checkpoint_id"),
        kind,
        data,
        told.encode("utf-8", "ignore"),
    )


def to_write_rows(
    serde: SerializerProtocol,
    config: RunnableConfig,
    writes: Sequence[tuple[str, Any]],
    task_id: str,
    task_path: str,
) -> list[WriteRow]:
    """Return what a task has written as it is kept: of an error, the masked text.

    Raises:
        UnkeptValueError: no checkpoint keeps one of the values; it names the key.
    """
    given = configurable(config)
    thread_id, namespace = str(given["thread_id"]), str(given.get("checkpoint_ns", ""))
    checkpoint_id = str(given["checkpoint_id"])
    try:
        return [
            WriteRow(
                thread_id,
                namespace,
                checkpoint_id,
                task_id,
                WRITES_IDX_MAP.get(channel, place),
                task_path,
                channel,
                *serde.dumps_typed(_without_secrets(value)),
            )
            for place, (channel, value) in enumerate(writes)
        ]
    except UnkeptValueError as error:
        raise next(_refusals(serde, writes, given), error) from error


def _refusals(
    serde: SerializerProtocol, values: Iterable[tuple[str, Any]], given: Mapping[str, Any]
) -> Iterator[UnkeptValueError]:
    """Yield the errors of those values that are not kept, with their keys and their graph."""
    graph = " > ".join(
        part.split(":")[0] for part in str(given.get("checkpoint_ns", "")).split("|")
    )
    for key, value in values:
        try:
            serde.dumps_typed(_without_secrets(value))
        except UnkeptValueError as error:
            yield UnkeptValueError(error.kind, error.reason, where=f"`{key}` of `{graph}`")


def to_tuple(
    serde: SerializerProtocol, row: CheckpointRow, writes: Iterable[WriteRow]
) -> CheckpointTuple:
    """Return a checkpoint as LangGraph has it, with what tasks wrote after it in their order."""
    parent = row.parent_id and to_config(row.thread_id, row.namespace, row.parent_id)
    ordered = sorted(writes, key=lambda w: writes_sort_key(w.task_path, w.task_id, w.idx))
    return CheckpointTuple(
        to_config(row.thread_id, row.namespace, row.checkpoint_id),
        serde.loads_typed((row.type, row.checkpoint)),
        metadata_of(row),
        parent or None,
        [(w.task_id, w.channel, serde.loads_typed((w.type, w.value))) for w in ordered],
    )


def metadata_of(row: CheckpointRow) -> CheckpointMetadata:
    """Return what is known about a checkpoint without reading it."""
    told: CheckpointMetadata = json.loads(row.metadata)
    return told


def _without_secrets(value: Any) -> Any:
    """Return an error's masked `repr`, as LangGraph keeps it: it may quote keys of the environment.

    A worker's `__repr__` may raise anything, which would end the run here.
    """
    if not isinstance(value, BaseException):
        return value
    return f"{type(value).__name__}({error_to_info(value).message!r})"


def find_rows(
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


def _holds(row: CheckpointRow, values: Mapping[str, Any]) -> bool:
    told: Mapping[str, Any] = {**metadata_of(row)}
    return all(told.get(key) == value for key, value in values.items())


def _number_of(rows: Sequence[CheckpointRow], checkpoint_id: str | None) -> int | None:
    if checkpoint_id is None:
        return None
    return next((row.number for row in rows if row.checkpoint_id == checkpoint_id), 0)
