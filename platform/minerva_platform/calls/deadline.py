"""Await work for so many seconds, whatever it does when it is cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from minerva_platform.calls.containment import contained_task, exit_error
from minerva_platform.errors import AgentTimeoutError

T = TypeVar("T")


async def within(work: Coroutine[Any, Any, T], *, seconds: float | None, path: str) -> T:
    """Await `work` for at most `seconds`; then cancel it and do not wait for it to agree.

    Raises:
        AgentTimeoutError: there was no answer in time.
        AgentExitError: the work called itself off, or raised what is no Exception; neither may
            look like the run being cancelled.
    """
    task = contained_task(work, path=path)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        _abandon(task)
        raise
    if not done:
        _abandon(task)
        raise AgentTimeoutError(path, seconds or 0.0)
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, Exception):
        raise exit_error(path, error) from error
    return task.result()


def _abandon(task: "asyncio.Future[Any]") -> None:
    task.cancel()
    # whatever it still says is nobody's business; asking for it silences asyncio's warning
    task.add_done_callback(lambda late: late.cancelled() or late.exception())
