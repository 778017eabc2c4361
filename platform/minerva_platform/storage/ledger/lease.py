"""One writer a thread: a lease that ends by itself, and a fence that grows with each holder.

Whoever holds the lease renews it. One that stalls loses it, and all that it writes later is
refused by the fence: the database compares numbers, so it need not know who is slow and who is
dead.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, bindparam, or_, select, update

from minerva_platform.errors import LeaseLostError
from minerva_platform.storage.engine.engine import Engine, db_now
from minerva_platform.storage.ledger.process_identity import is_dead, this_process
from minerva_platform.storage.ledger.schema import threads


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
    """What is seen of a thread's holder; `left` are the seconds until its lease ends."""

    fence: int
    holder: str | None
    lease_until: float
    left: float


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
        self._seen: Holding | None = None
        self._since = 0.0

    def is_free(self, seen: Holding) -> bool:
        """True if the lease may be taken from who holds it."""
        before, now = self._seen, self.monotonic()
        self._seen = seen
        if before is None or (before.fence, before.lease_until) != (seen.fence, seen.lease_until):
            self._since = now
        if seen.holder is None or seen.left < 0:
            return True
        if self.engine.knows_processes and is_dead(seen.holder):
            return True
        return now - self._since > self.terms.seconds


def look(connection: Connection, thread_id: str) -> Holding | None:
    """Return who holds a thread; None if there is no such thread yet."""
    left = threads.c.lease_until - db_now()
    columns = (threads.c.fence, threads.c.holder, threads.c.lease_until, left)
    row = connection.execute(select(*columns).where(threads.c.thread_id == thread_id)).first()
    return Holding(*row) if row else None


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


_IS_OVER: Final[ColumnElement[bool]] = threads.c.lease_until < db_now()
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
_RELEASE: Final = _HELD.values(holder=None, lease_until=0.0)
