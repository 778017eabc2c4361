"""What the nodes of a run find around them: its budget and its artifact store.

Bound to the context of the run, like the recorder's scope, so that nothing has to be handed
through graph state.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from minerva_platform.artifacts import ArtifactStore
from minerva_platform.budget import Budget
from minerva_platform.errors import RunError


@dataclass(frozen=True, slots=True)
class RunContext:
    """One run's budget and store."""

    budget: Budget
    store: ArtifactStore

    @contextmanager
    def bound(self) -> Generator["RunContext"]:
        """Make this the run of the block."""
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)


_current: ContextVar[RunContext | None] = ContextVar("minerva_run_context", default=None)


def current_run() -> RunContext:
    """Return the run this code belongs to.

    Raises:
        RunError: a supervisor's graph was called directly instead of through its team.
    """
    run = _current.get()
    if run is None:
        message = "No run is going on here; call `team.invoke(...)`, not its graph."
        raise RunError(message)
    return run
