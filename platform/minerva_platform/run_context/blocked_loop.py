"""Name the member that blocks the event loop, while it does.

Nothing in the loop can say it: not even the deadline of the member's call comes to its turn.
"""

import asyncio
import logging
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

from minerva_platform.run_context.failures.containment import path_of_task
from minerva_platform.run_context.failures.source_location import location_in

_LOOK_S: Final = 0.5
"""Seconds between two looks. A look costs the loop one callback."""
_MISSED: Final = 4
"""Looks in a row without an answer that make a block. They are counted by this process, so one that
stood still is not blocked."""

_LOG = logging.getLogger(__name__)


@contextmanager
def named_blocks() -> Generator[None]:
    """Log one warning for each block of the running event loop during the block of code."""
    over = threading.Event()
    given = (asyncio.get_running_loop(), threading.get_ident(), over)
    threading.Thread(target=_watch, args=given, name="minerva-watch", daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _watch(loop: asyncio.AbstractEventLoop, thread: int, over: threading.Event) -> None:
    has_answered = threading.Event()
    has_answered.set()
    missed = 0
    with suppress(RuntimeError):  # the loop is closed
        while not over.wait(_LOOK_S):
            if has_answered.is_set():
                has_answered.clear()
                loop.call_soon_threadsafe(has_answered.set)
                missed = 0
                continue
            missed += 1
            if missed == _MISSED:
                _LOG.warning("%s", _text(loop, thread, missed * _LOOK_S))


def _text(loop: asyncio.AbstractEventLoop, thread: int, seconds: float) -> str:
    path = path_of_task(asyncio.current_task(loop))
    frame = sys._current_frames().get(thread)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # the only way to see another thread
    place = location_in(frame) if frame is not None else None
    who = f"`{path}`" if path else "code outside of any member"
    where = f" at {place}" if place else ""
    return (
        f"{who} blocks the event loop{where}: nothing else in this process has gone on for "
        f"{seconds:g} s. An `async def work` must await what takes time; make it a plain "
        '`def work`, which has an OS thread of its own, or set `isolation = "process"`.'
    )
