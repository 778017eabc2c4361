"""Wait until a thread can be written, and become its one writer."""

import asyncio
import math
import time
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias, TypeVar

from sqlalchemy import Connection, bindparam, update

from minerva_platform.errors import ThreadBusyError
from minerva_platform.storage.engine.database import MIN_WAIT_S
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.lease import Holding, LeaseTerms, Watch, look
from minerva_platform.storage.ledger.schema import is_at_work, runs

T = TypeVar("T")
Take: TypeAlias = Callable[[Connection, Holding | None], T | None]
"""Takes a thread in one transaction; None if it is busy. It gets a holding that is free anyway."""

_PAUSES_S: Final = (0.02, 0.25)
"""Seconds between two looks at a thread that is busy: the first, and the longest."""
_LAST_WORDS_S: Final = 0.25
"""Seconds that a cancelled wait has to give back what it took meanwhile."""


async def taken(
    engine: Engine,
    thread_id: str,
    take: "Take[T]",
    *,
    seconds: float,
    terms: LeaseTerms,
    give_back: Callable[[T], None],
) -> T:
    """Return what `take` gives once nobody else runs in the thread, here or elsewhere.

    `give_back` undoes it if the caller was cancelled meanwhile.

    Raises:
        ThreadBusyError: somebody still runs in it after `seconds`.
        StateError: the database cannot be used.
    """
    started, watch, free = time.monotonic(), Watch(engine, terms), None
    while True:
        left = max(MIN_WAIT_S, seconds - (time.monotonic() - started))

        def work(connection: Connection, free: Holding | None = free) -> T | None:
            return take(connection, free)

        writing = asyncio.ensure_future(engine.awrite(work, seconds=left))
        try:
            mine = await asyncio.shield(writing)
        except asyncio.CancelledError:
            await _undone(writing, give_back)
            raise
        if mine is not None:
            return mine
        free = await _freed(watch, thread_id, started + seconds)


async def _undone(writing: "asyncio.Future[T | None]", give_back: Callable[[T], None]) -> None:
    done, _ = await asyncio.wait({writing}, timeout=_LAST_WORDS_S)
    writing.cancel()
    if done and not writing.exception() and (mine := writing.result()) is not None:
        give_back(mine)


async def _freed(watch: Watch, thread_id: str, until: float) -> Holding | None:
    """Wait until the thread can be taken; return what was seen of its holder then."""
    pause, longest = _PAUSES_S
    while True:
        seen = await watch.engine.aread(partial(look, thread_id=thread_id), empty=None)
        if seen is None or watch.is_free(seen):
            return seen
        if time.monotonic() >= until:
            retry_after = math.ceil(min(seen.left, watch.terms.seconds))
            raise ThreadBusyError(thread_id, retry_after)
        await asyncio.sleep(pause)
        pause = min(2 * pause, longest)


def cut_off_others(connection: Connection, thread_id: str) -> None:
    """Keep that what ran in a thread that was just taken has lost it; it can be gone on with."""
    connection.execute(_CUT_OFF, {"its": thread_id})


_CUT_OFF: Final = (
    update(runs)
    .where(runs.c.thread_id == bindparam("its"), is_at_work)
    .values(status="queued", reason="lost")
)
