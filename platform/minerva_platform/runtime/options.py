"""The surroundings of a run, and how its database is opened."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from minerva_observability import NO_RECORDER, Recorder
from minerva_platform.config.limits import RunLimits
from minerva_platform.config.settings import home_directory
from minerva_platform.storage.database import STATE
from minerva_platform.storage.engine.place import find_place

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from minerva_platform.storage.engine.engine import Engine


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The surroundings of a run. The defaults record nothing and keep only artifacts."""

    recorder: Recorder = NO_RECORDER
    limits: RunLimits = field(default_factory=RunLimits)
    home: Path | None = None
    checkpointer: "BaseCheckpointSaver[Any] | None" = None
    thread_id: str | None = None
    engine: "Engine | None" = None
    """Of the ledger, which holds the earlier turns of the thread and keeps this run."""
    waited: float = 0.0
    """Seconds of the run's limit spent before it was accepted, while it waited for other runs."""
    is_inner: bool = False
    """True if the run is a node of a running graph. That graph then keeps the state, and a pause
    passes up to it."""


@asynccontextmanager
async def with_state(
    options: RunOptions, thread: str | None, *, storage_url: str | None = None
) -> AsyncGenerator[RunOptions]:
    """Yield `options` with the database of its home open, or the one that is configured.

    Checkpoints lie in SQLite, whatever the ledger lies in.

    Raises:
        StateError: state cannot be kept.
        SettingsError: `storage_url` cannot be used.
    """
    from minerva_platform.storage.checkpointer import open_checkpointer  # noqa: PLC0415  # sqlite saver is heavy
    from minerva_platform.storage.engine.opening import opened_engine  # noqa: PLC0415  # SQLAlchemy is

    home = options.home or home_directory()
    place = find_place(home, storage_url)
    state, started = place if isinstance(place, Path) else home / STATE, time.monotonic()
    async with open_checkpointer(state, seconds=options.limits.seconds) as checkpointer:
        with opened_engine(place) as engine:
            yield replace(
                options,
                home=home,
                checkpointer=checkpointer,
                thread_id=thread,
                engine=engine,
                waited=round(time.monotonic() - started, 1),
            )


@asynccontextmanager
async def resume_options() -> AsyncGenerator[RunOptions]:
    """Yield the options for a run of a team without a platform that goes on."""
    async with with_state(RunOptions(), None) as kept:
        yield kept


@asynccontextmanager
async def team_options(thread: str | None, limits: RunLimits | None) -> AsyncGenerator[RunOptions]:
    """Yield the options for a team without a platform: it keeps state only for a thread."""
    options = RunOptions(limits=limits or RunLimits())
    if thread is None:
        yield options
        return
    async with with_state(options, thread) as kept:
        yield kept
