"""What a router by tools may ask about the runs that its conversation has started."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class RunQuestions(Protocol):
    """Answers questions about the background runs of one thread, as JSON.

    It knows no other runs: the id of another thread's run gets the answer of one that is not there.
    A run is named by its id or the beginning of one.
    """

    async def status(self, run_id: str) -> str:
        """Return how a run goes; without an id, how each of the thread's runs goes."""
        ...

    async def result(self, run_id: str) -> str:
        """Return what came of a run, at most as much as is read of a member's answer."""
        ...

    async def cancel(self, run_id: str) -> str:
        """Cancel a run, and return how it went before."""
        ...
