"""Adapt a host's checkpointer when the host calls its graph without an event loop.

MINERVA's graphs are asynchronous. Most checkpointers for synchronous programs (`SqliteSaver`,
`PostgresSaver`) raise in their asynchronous methods, so here the synchronous ones answer for both.
They may block: the loop that waits for them is the run's own.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import set_config_context
from langgraph._internal._constants import CONFIG_KEY_CHECKPOINTER  # pyright: ignore[reportPrivateImportUsage]  # nothing public names it
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from minerva_platform.run_context.blocking import run_sync

T = TypeVar("T")


def run_for_host(
    work: Callable[[RunnableConfig], Coroutine[Any, Any, T]], *, config: RunnableConfig
) -> T:
    """Return the result of `work`, in a host without an event loop that gives `config`."""
    inner = with_host_checkpointer(config)
    with set_config_context(inner) as context:  # the team's graph finds it here
        return context.run(run_sync, work, inner)


def has_checkpointer(config: RunnableConfig) -> bool:
    """Return whether the host's graph keeps its state; nobody could answer a question otherwise."""
    return config.get("configurable", {}).get(CONFIG_KEY_CHECKPOINTER) is not None


def with_host_checkpointer(config: RunnableConfig) -> RunnableConfig:
    """Return `config` with its checkpointer, if there is one, answering asynchronous calls."""
    given = config.get("configurable", {})
    checkpointer: BaseCheckpointSaver[Any] | None = given.get(CONFIG_KEY_CHECKPOINTER)
    if checkpointer is None:
        return config
    return {
        **config,
        "configurable": {**given, CONFIG_KEY_CHECKPOINTER: HostCheckpointer(checkpointer)},
    }


class HostCheckpointer(BaseCheckpointSaver[Any]):
    """Does all by the synchronous methods of `checkpointer`."""

    def __init__(self, checkpointer: BaseCheckpointSaver[Any]) -> None:
        super().__init__(serde=checkpointer.serde)
        self.checkpointer = checkpointer

    def with_allowlist(self, *arguments: Any, **options: Any) -> "HostCheckpointer":
        """Let the host's checkpointer read more classes."""
        return HostCheckpointer(self.checkpointer.with_allowlist(*arguments, **options))

    def get_next_version(self, current: Any, channel: None) -> Any:
        """Count as the host's checkpointer does."""
        return self.checkpointer.get_next_version(current, channel)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint."""
        return self.checkpointer.get_tuple(config)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint."""
        return self.checkpointer.get_tuple(config)

    def list(self, config: RunnableConfig | None, **search: Any) -> Iterator[CheckpointTuple]:
        """Yield the checkpoints, the latest first."""
        return self.checkpointer.list(config, **search)

    async def alist(
        self, config: RunnableConfig | None, **search: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield the checkpoints, the latest first."""
        for item in self.checkpointer.list(config, **search):
            yield item

    async def aput(self, *state: Any, **arguments: Any) -> RunnableConfig:
        """Keep a checkpoint."""
        return self.checkpointer.put(*state, **arguments)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task has written. LangGraph gives `task_path` only if the signature does."""
        self.checkpointer.put_writes(config, writes, task_id, task_path)
