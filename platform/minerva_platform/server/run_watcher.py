"""Wait for runs that any process works on: one question to the database for all who wait."""

import asyncio
import contextlib
import logging
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from minerva_platform.errors import StateError
from minerva_platform.storage.engine.database import Outage
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.events import Progress, progress_of

EVERY_S: Final = 0.25
"""Seconds between two looks, if nothing in this process says that there is something new."""
_REST_S: Final = 0.02
"""Seconds between two looks at least."""
_AT_ONCE: Final = 500
"""Runs that one query asks for; SQLite takes 999 parameters on old versions."""

UNSEEN: Final = Progress("", -1)
"""How far a run is for who has not seen it yet."""

_LOG = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class _Waiter:
    run_id: str
    seen: Progress
    future: "asyncio.Future[Progress | None]"


@dataclass(slots=True)
class Watcher:
    """Looks for everybody in this process who waits for a run."""

    engine: Engine
    _waiters: set[_Waiter] = field(default_factory=set[_Waiter])
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _task: "asyncio.Task[None] | None" = None
    _loop: "asyncio.AbstractEventLoop | None" = None

    def poke(self) -> None:
        """Look now; from any OS thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._news.set)

    async def wait_for(self, run_id: str, seen: Progress, *, seconds: float) -> Progress | None:
        """Return how far a run is once that is not `seen`; after `seconds`, return `seen`.

        None means that there is no such run any more. A look at the database may take longer than
        `seconds`: who has seen nothing yet gets `UNSEEN` back.
        """
        loop = asyncio.get_running_loop()
        if self._task is None or self._task.done():
            self._loop = loop
            self._task = asyncio.create_task(self._look())
        waiter = _Waiter(run_id, seen, loop.create_future())
        self._waiters.add(waiter)
        self._news.set()
        try:
            return await asyncio.wait_for(waiter.future, seconds)
        except TimeoutError:
            return seen
        finally:
            self._waiters.discard(waiter)

    async def close(self) -> None:
        """End the looking."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _look(self) -> None:
        outage = Outage(_LOG, "runs cannot be watched")
        while True:
            if not self._waiters:
                await self._news.wait()
            self._news.clear()
            try:
                await self._tell()
            except StateError as error:  # it may work again
                outage.begin(error)
            else:
                outage.end()
            await asyncio.sleep(_REST_S)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), EVERY_S)

    async def _tell(self) -> None:
        waiting = tuple(self._waiters)
        known: dict[str, Progress] = {}
        run_ids = sorted({waiter.run_id for waiter in waiting})
        for start in range(0, len(run_ids), _AT_ONCE):
            look = partial(progress_of, run_ids=run_ids[start : start + _AT_ONCE])
            known |= await self.engine.aread(look, empty=dict[str, Progress]())
        for waiter in waiting:
            now = known.get(waiter.run_id)
            if now != waiter.seen and not waiter.future.done():
                waiter.future.set_result(now)
