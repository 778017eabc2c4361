"""The surroundings of a run, and how its database is opened."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from minerva_observability import NO_RECORDER, Recorder
from minerva_observability.tracing import Clock
from minerva_platform.config.limits import RunLimits
from minerva_platform.config.settings import home_directory
from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.files.artifacts import ArtifactPlace, ArtifactStore, find_artifacts

if TYPE_CHECKING:
    from minerva_platform.storage.checkpoints.tables import Kept
    from minerva_platform.storage.engine.engine import Engine
    from minerva_platform.storage.ledger.host_effects import HostEffects
    from minerva_platform.storage.ledger.lease import LeaseTerms


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The surroundings of a run. The defaults record nothing and keep only artifacts."""

    recorder: Recorder = NO_RECORDER
    clock: Clock = field(default_factory=Clock)
    """By which its spans are timed."""
    limits: RunLimits = field(default_factory=RunLimits)
    home: Path | None = None
    thread_id: str | None = None
    engine: "Engine | None" = None
    """Of the database, which holds the earlier turns of the thread and keeps this run."""
    keep_checkpoints: "Kept" = "last"
    """Which checkpoints stay when the run has ended: the last of its root, or all."""
    terms: "LeaseTerms | None" = None
    """How long the run holds its thread without a beat; None: half a minute."""
    seconds_waited: float = 0.0
    """Seconds of the run's limit spent before it was accepted, while it waited for other runs."""
    artifacts: ArtifactPlace | None = None
    """Where artifacts lie; None: in the home."""
    contents: "Engine | None" = None
    """Of the database that keeps artifacts, too; None if a folder alone does."""
    is_inner: bool = False
    """True if the run is a part of a program around it; a pause passes up to its graph."""
    host_keeps: bool = False
    """True if that graph has a checkpointer, so that it keeps the state."""
    host_effects: "HostEffects | None" = None
    """What the run does to the world, inside such a program; None if nothing keeps it."""

    @property
    def may_pause(self) -> bool:
        """True if somebody keeps the state of a run that waits for a person."""
        return self.host_keeps or self.engine is not None

    def store(self) -> ArtifactStore:
        """Return the store of one run."""
        place = self.artifacts or find_artifacts(self.home or home_directory())
        return place.store(self.contents)


@asynccontextmanager
async def with_state(
    options: RunOptions, thread: str | None, *, storage_url: str | None = None
) -> AsyncGenerator[RunOptions]:
    """Yield `options` with the database of its home, or the one that is configured.

    Raises:
        SettingsError: `storage_url` cannot be used.
    """
    from minerva_platform.storage.engine.opening import engine_in_loop  # noqa: PLC0415  # SQLAlchemy is

    home = options.home or home_directory()
    keeps = options.artifacts is not None and options.artifacts.in_database
    async with engine_in_loop(find_place(home, storage_url)) as engine:
        contents = engine if keeps else None
        yield replace(options, home=home, thread_id=thread, engine=engine, contents=contents)


@asynccontextmanager
async def with_contents(
    options: RunOptions, *, storage_url: str | None = None
) -> AsyncGenerator[RunOptions]:
    """Yield `options` with the database that keeps artifacts, if one does. No run is kept in it.

    Raises:
        SettingsError: `storage_url` cannot be used.
    """
    if options.artifacts is None or not options.artifacts.in_database:
        yield options
        return
    from minerva_platform.storage.engine.opening import engine_in_loop  # noqa: PLC0415  # SQLAlchemy is heavy

    place = find_place(options.home or home_directory(), storage_url)
    async with engine_in_loop(place) as engine:
        yield replace(options, contents=engine)


@asynccontextmanager
async def team_options(
    thread: str | None = None, limits: RunLimits | None = None, *, keeps_state: bool = False
) -> AsyncGenerator[RunOptions]:
    """Yield the options for a team without a platform, which keeps state for a thread.

    A run that goes on was kept: `keeps_state`.
    """
    options = RunOptions(limits=limits or RunLimits())
    if thread is None and not keeps_state:
        yield options
        return
    async with with_state(options, thread) as kept:
        yield kept
