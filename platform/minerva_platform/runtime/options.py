"""The surroundings of a run, and how its database is opened."""

import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minerva_observability import NO_RECORDER, Recorder
from minerva_platform.config.limits import RunLimits
from minerva_platform.config.settings import home_directory
from minerva_platform.storage.database import STATE
from minerva_platform.storage.threads import Conversations, only_writer

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The surroundings of a run. The defaults record nothing and keep only artifacts."""

    recorder: Recorder = NO_RECORDER
    limits: RunLimits = field(default_factory=RunLimits)
    home: Path | None = None
    checkpointer: "BaseCheckpointSaver[Any] | None" = None
    thread_id: str | None = None
    conversations: Conversations | None = None
    """The thread: its earlier turns are read from here, and this turn is added."""
    waited: float = 0.0
    """Seconds of the run's limit spent before it began, while it waited for other runs."""
    is_inner: bool = False
    """True if the run is a node of a running graph. That graph then keeps the state, and a pause
    passes up to it."""


@asynccontextmanager
async def with_state(options: RunOptions, thread: str | None) -> AsyncGenerator[RunOptions]:
    """Yield `options` with the database of its home open, as the only writer of `thread`.

    The wait for other runs counts toward the run's limit.

    Raises:
        RunError: another run in the thread does not end, or the database cannot be used.
    """
    from minerva_platform.storage.checkpointer import open_checkpointer  # noqa: PLC0415  # SqliteSaver is heavy

    home, seconds, started = (
        options.home or home_directory(),
        options.limits.seconds,
        time.monotonic(),
    )
    async with AsyncExitStack() as stack:
        if thread is not None:
            await stack.enter_async_context(only_writer(home, thread, seconds=seconds))
        left = max(0.0, seconds - (time.monotonic() - started))
        checkpointer = await stack.enter_async_context(
            open_checkpointer(home / STATE, seconds=left)
        )
        yield replace(
            options,
            home=home,
            checkpointer=checkpointer,
            thread_id=thread,
            conversations=Conversations(checkpointer.database),
            waited=round(time.monotonic() - started, 1),
        )


@asynccontextmanager
async def team_options(thread: str | None, limits: RunLimits | None) -> AsyncGenerator[RunOptions]:
    """Yield the options for a team without a platform: it keeps state only for a thread."""
    options = RunOptions(limits=limits or RunLimits())
    if thread is None:
        yield options
        return
    async with with_state(options, thread) as kept:
        yield kept
