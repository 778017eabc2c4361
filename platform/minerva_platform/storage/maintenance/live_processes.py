"""Whether somebody is at work in a thread, as far as it can be known."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select

from minerva_platform.storage.engine.engine import Engine, db_now
from minerva_platform.storage.ledger.lease import is_dead
from minerva_platform.storage.ledger.schema import threads


@dataclass(frozen=True, slots=True)
class ThreadHolder:
    """Who has the lease of a thread."""

    thread_id: str
    fence: int
    holder: str
    seconds_left: float
    """Seconds until the lease ends; negative if it has ended."""
    is_dead: bool
    """True if its process has certainly ended."""

    @property
    def is_at_work(self) -> bool:
        """True unless the lease has ended, or its process."""
        return self.seconds_left >= 0 and not self.is_dead


def find_holders(
    connection: Connection,
    engine: Engine,
    *,
    of_threads: Collection[str] | None = None,
    locks: bool = False,
) -> Mapping[str, ThreadHolder]:
    """Return who holds which thread; of all threads, or of some.

    With `locks`, no run begins in these threads before the transaction ends. SQLite's transactions
    that write exclude each other anyway.
    """
    seconds_left = threads.c.lease_until - db_now()
    query = select(threads.c.thread_id, threads.c.fence, threads.c.holder, seconds_left)
    if of_threads is not None:
        query = query.where(threads.c.thread_id.in_(of_threads)).order_by(threads.c.thread_id)
    if locks:
        query = query.with_for_update()
    return {
        thread_id: ThreadHolder(
            thread_id, fence, holder, seconds_left, engine.knows_processes and is_dead(holder)
        )
        for thread_id, fence, holder, seconds_left in connection.execute(query)
        if holder is not None
    }
