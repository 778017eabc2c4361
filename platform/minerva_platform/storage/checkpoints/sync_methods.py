"""The methods of LangGraph's savers that wait in the calling OS thread, made of those that do not.

Both halves do the same but for how they wait for the database. So only the asynchronous one is
written down, and a copy of the saver runs it without an event loop.
"""

from abc import abstractmethod
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Sequence
from copy import copy
from typing import Any, Self, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from minerva_platform.storage.engine.engine import Engine, Work

T = TypeVar("T")


class InThread:
    """Asks `engine` in the calling OS thread. What awaits it goes on at once."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def aread(self, work: "Work[T]", *, empty: T) -> T:
        """Return what `work` reads."""
        return self._engine.read(work, empty=empty)

    async def awrite(self, work: "Work[T]", *, seconds: float | None = None) -> T:
        """Do `work` as one transaction."""
        return self._engine.write(work, seconds=seconds)


class BothWays(BaseCheckpointSaver[int]):
    """A saver whose asynchronous methods wait for nothing but its `database`."""

    engine: Engine
    database: Engine | InThread

    @property
    def here(self) -> Self:
        """This saver, waiting in the calling OS thread. It shares all that it keeps."""
        saver = copy(self)
        saver.database = InThread(self.engine)
        return saver

    @abstractmethod
    async def find_all(
        self, config: RunnableConfig | None, **search: Any
    ) -> Iterable[CheckpointTuple]:
        """Return the checkpoints that `list` is asked for, newest first."""

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that `config` names, or its graph's latest."""
        return _finish(self.here.aget_tuple(config))

    def list(self, config: RunnableConfig | None, **search: Any) -> Iterator[CheckpointTuple]:
        """Yield checkpoints, newest first."""
        yield from _finish(self.here.find_all(config, **search))

    async def alist(
        self, config: RunnableConfig | None, **search: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, newest first."""
        for item in await self.find_all(config, **search):
            yield item

    def put(self, config: RunnableConfig, *state: Any, **arguments: Any) -> RunnableConfig:
        """Keep a checkpoint and return the configuration that names it."""
        return _finish(self.here.aput(config, *state, **arguments))

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep a task's writes before its step is complete. Of an error, keep the masked text.

        LangGraph gives `task_path` only where the signature names it.
        """
        _finish(self.here.aput_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        """Delete all that is kept of a thread."""
        _finish(self.here.adelete_thread(thread_id))


def _finish(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`, which ends without ever waiting for an event loop."""
    try:
        work.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    work.close()
    message = "a saver waited for something else than its database"
    raise RuntimeError(message)
