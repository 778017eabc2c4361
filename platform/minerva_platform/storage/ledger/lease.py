"""One writer a thread: a lease that ends by itself, and a fence that grows with each holder.

Whoever holds the lease renews it. One that stalls loses it, and all that it writes later is
refused by the fence: the database compares numbers, so it need not know who is slow and who is
dead.
"""

import asyncio
import math
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from sqlalchemy import ColumnElement, Connection, and_, bindparam, or_, select, true, update

from minerva_platform.errors import LeaseLostError, ThreadBusyError
from minerva_platform.storage.engine.database import MIN_WAIT_S
from minerva_platform.storage.engine.engine import Engine, db_now
from minerva_platform.storage.ledger.schema import is_at_work, runs, threads


@dataclass(frozen=True, slots=True)
class LeaseTerms:
    """How long a lease holds after it was given or renewed, and how often it is renewed."""

    seconds: float = 30.0
    beat_seconds: float = 10.0

    @classmethod
    def of(cls, seconds: float) -> "LeaseTerms":
        """Return the terms of a lease that is renewed three times before it ends."""
        return cls(seconds, seconds / 3)


TERMS: Final = LeaseTerms()


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to a thread, as long as nobody has a later fence."""

    thread_id: str
    fence: int


@dataclass(frozen=True, slots=True)
class Holding:
    """What is seen of a thread's holder."""

    thread_id: str
    fence: int
    holder: str | None
    lease_until: float
    seconds_left: float
    """Seconds until the lease ends; negative if it has ended."""
    is_dead: bool
    """True if the holder's process has certainly ended."""

    @property
    def is_at_work(self) -> bool:
        """True unless nobody holds the thread, or the lease has ended, or its process."""
        return self.holder is not None and self.seconds_left >= 0 and not self.is_dead


class Watch:
    """Says when a lease that others hold is free.

    It is by the database's clock, if its holder is known to be dead, or if nothing was renewed for
    the whole length of a lease by this process's own clock. The last holds whatever was done to
    the database's clock.
    """

    def __init__(
        self,
        engine: Engine,
        terms: LeaseTerms = TERMS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.engine, self.terms, self.monotonic = engine, terms, monotonic
        self._holding: Holding | None = None
        self._since = 0.0

    def is_free(self, seen: Holding) -> bool:
        """True if the lease may be taken from who holds it."""
        before, now = self._holding, self.monotonic()
        self._holding = seen
        if before is None or (before.fence, before.lease_until) != (seen.fence, seen.lease_until):
            self._since = now
        return not seen.is_at_work or now - self._since > self.terms.seconds


def look(connection: Connection, engine: Engine, thread_id: str) -> Holding | None:
    """Return who holds a thread; None if there is no such thread yet."""
    return next(_holdings(connection, engine, threads.c.thread_id == thread_id), None)


def find_holders(
    connection: Connection,
    engine: Engine,
    *,
    of_threads: Collection[str] | None = None,
    locks: bool = False,
) -> dict[str, Holding]:
    """Return who holds which thread; of all threads, or of some.

    With `locks`, no run begins in these threads before the transaction ends. SQLite's transactions
    that write exclude each other anyway.
    """
    which = true() if of_threads is None else threads.c.thread_id.in_(of_threads)
    several = _holdings(connection, engine, which, locks=locks)
    return {each.thread_id: each for each in several if each.holder is not None}


def _holdings(
    connection: Connection, engine: Engine, which: ColumnElement[bool], *, locks: bool = False
) -> Iterator[Holding]:
    left = threads.c.lease_until - db_now()
    its = (threads.c.thread_id, threads.c.fence, threads.c.holder, threads.c.lease_until)
    query = select(*its, left).where(which).order_by(threads.c.thread_id)
    rows: Iterable[Any] = connection.execute(query.with_for_update() if locks else query)
    for thread_id, fence, holder, lease_until, seconds_left in rows:
        dead = engine.knows_processes and is_dead(holder or "")
        yield Holding(thread_id, fence, holder, lease_until, seconds_left, dead)


def take(
    connection: Connection, thread_id: str, terms: LeaseTerms, *, free: Holding | None = None
) -> Lease | None:
    """Take the lease of a thread that exists; None if another holds it.

    `free` is a holding that was found to be free, though the lease has not ended.
    """
    is_over = _IS_OVER
    if free is not None:
        same = and_(threads.c.fence == free.fence, threads.c.lease_until == free.lease_until)
        is_over = or_(is_over, same)
    taken = connection.execute(
        _TAKE if free is None else _taking(is_over),
        {"its": thread_id, "by": this_process(), "seconds": terms.seconds},
    ).scalar()
    return None if taken is None else Lease(thread_id, taken)


def lock_thread(connection: Connection, thread_id: str) -> None:
    """Let nobody else take or give back the thread until the transaction ends.

    What is then read of its runs stays true. SQLite's transactions follow each other anyway.
    """
    row = select(threads.c.thread_id).where(threads.c.thread_id == thread_id)
    connection.execute(row.with_for_update())


def renew(connection: Connection, lease: Lease, terms: LeaseTerms) -> None:
    """Make the lease hold for its whole length again.

    Raises:
        LeaseLostError: another run has taken it; nothing may be written.
    """
    _update(connection, lease, _RENEW, seconds=terms.seconds)


def release(connection: Connection, lease: Lease) -> None:
    """Let others have the thread. What is written in the same transaction is still ours.

    Raises:
        LeaseLostError: another run has taken it; nothing may be written.
    """
    _update(connection, lease, _RELEASE)


def take_away(connection: Connection, *which: ColumnElement[bool]) -> None:
    """See to it that whoever holds these threads writes nothing more."""
    values = {"fence": threads.c.fence + 1, "holder": None, "lease_until": 0.0}
    connection.execute(update(threads).where(*which).values(values))


def _update(connection: Connection, lease: Lease, statement: Any, **values: object) -> None:
    its = {"its": lease.thread_id, "of": lease.fence, **values}
    if connection.execute(statement, its).first() is None:
        raise LeaseLostError(lease.thread_id)


def _taking(is_over: ColumnElement[bool]) -> Any:
    """Return the statement that takes a thread if `is_over`."""
    return (
        update(threads)
        .where(threads.c.thread_id == bindparam("its"), is_over)
        .values(
            fence=threads.c.fence + 1,
            holder=bindparam("by"),
            lease_until=db_now() + bindparam("seconds"),
        )
        .returning(threads.c.fence)
    )


_IS_OVER: Final = or_(threads.c.holder.is_(None), threads.c.lease_until < db_now())
_TAKE: Final = _taking(_IS_OVER)
_HELD: Final = (
    update(threads)
    .where(
        threads.c.thread_id == bindparam("its"),
        threads.c.fence == bindparam("of"),
        threads.c.holder.is_not(None),  # a late beat may not take what was given back
    )
    .returning(threads.c.fence)
)
_RENEW: Final = _HELD.values(holder=threads.c.holder, lease_until=db_now() + bindparam("seconds"))
_RELEASE: Final = _HELD.values(holder=None, lease_until=db_now())


T = TypeVar("T")
Take: TypeAlias = Callable[[Connection, Holding | None], T | None]
"""Takes a thread in one transaction; None if it is busy. It gets a holding that is free anyway."""

_PAUSES_S: Final = (0.02, 0.25)
"""Seconds between two looks at a thread that is busy: the first, and the longest."""
_LAST_WORDS_S: Final = 0.25
"""Seconds that a cancelled wait has to give back what it took meanwhile."""


async def take_when_free(
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
        free = await _wait_until_free(watch, thread_id, started + seconds)


async def _undone(writing: "asyncio.Future[T | None]", give_back: Callable[[T], None]) -> None:
    done, _ = await asyncio.wait({writing}, timeout=_LAST_WORDS_S)
    writing.cancel()
    if done and not writing.exception() and (mine := writing.result()) is not None:
        give_back(mine)


async def _wait_until_free(watch: Watch, thread_id: str, until: float) -> Holding | None:
    """Wait until the thread can be taken; return what was seen of its holder then."""
    pause, longest = _PAUSES_S
    while True:
        seen = await watch.engine.aread(
            partial(look, engine=watch.engine, thread_id=thread_id), empty=None
        )
        if seen is None or watch.is_free(seen):
            return seen
        if time.monotonic() >= until:
            retry_after = math.ceil(min(seen.seconds_left, watch.terms.seconds))
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


_BOOT_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
_ENDED: Final = frozenset({"Z", "X", ""})
"""States of a process that does nothing more, though its parent has not asked for its status."""


def boot_seconds() -> float:
    """Return the seconds since the machine started, sleep included; nobody sets this clock back."""
    return time.clock_gettime(_BOOT_CLOCK)


def this_process() -> str:
    """Return the name of this process: its boot, space of process ids, id and start.

    A container has its own space of ids. A number that was given to another process since, or after
    a new start of the machine, is nobody's.
    """
    pid = os.getpid()
    return " ".join((_boot(), _space(), str(pid), _state_and_start(pid)[1]))


def is_dead(holder: str) -> bool:
    """True if `holder` certainly does nothing more; False if it lives or cannot be judged."""
    boot, space, pid, start = (*holder.split(" "), "", "", "", "")[:4]
    if not (boot and pid.isdecimal()):
        return False
    if boot != _boot():
        return True
    if space != _space():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    state, started = _state_and_start(int(pid))
    return bool(started) and (state in _ENDED or started != start)


def is_alive(holder: str) -> bool:
    """True if `holder` certainly has not ended, though it may stand still."""
    boot, space, *_ = (*holder.split(" "), "")
    return (boot, space) == (_boot(), _space()) and not is_dead(holder)


def _boot() -> str:
    return _read("/proc/sys/kernel/random/boot_id").strip() or "-"


def _space() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return "-"


def _state_and_start(pid: int) -> tuple[str, str]:
    """Return a process's state and its start (ticks since boot), as proc_pid_stat(5) has them."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()  # a name may hold anything
    return (fields[0], fields[19]) if len(fields) > 19 else ("", "")  # noqa: PLR2004  # the page's 22nd


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
