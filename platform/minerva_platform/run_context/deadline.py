"""Await work for a limited time, even if it resists cancellation."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from minerva_platform.errors import AgentTimeoutError
from minerva_platform.run_context.blocking import GRACE_S
from minerva_platform.run_context.failures.containment import contained_task, exit_error

T = TypeVar("T")


async def within(work: Coroutine[Any, Any, T], *, seconds: float | None, path: str) -> T:
    """Await `work` for at most `seconds`. Then cancel it without waiting for its end.

    If the caller is cancelled, so is the work, and it has a moment to end.

    Raises:
        AgentTimeoutError: there was no answer in time.
        AgentExitError: the work cancelled itself, or raised what is no Exception. Neither may look
            like a cancelled run.
    """
    task = contained_task(work, path=path)
    try:
        done, _ = await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        _abandon(task)
        await asyncio.wait({task}, timeout=GRACE_S)  # a host may close its loop next
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
    # its late result is ignored; reading it silences asyncio's warning
    task.add_done_callback(lambda late: late.cancelled() or late.exception())
