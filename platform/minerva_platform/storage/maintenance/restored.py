"""The mark of a restored copy, with which runs of the original rest until a person's word.

After the copy was made, the original may have gone on: a question was answered, an effect was done.
The copy knows nothing of that, so it would do the same again. A run that had not ended when the
copy was marked is `of_original`: no decision about it is taken, and no process takes it up.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select, update

from minerva_platform.storage.ledger.lease import take_away
from minerva_platform.storage.ledger.questions import OPEN_RUNS, UNDECIDED
from minerva_platform.storage.ledger.schema import effects, interrupts, runs, threads, versions


@dataclass(frozen=True, slots=True)
class DoubtfulEffect:
    """An effect that was begun, and whose outcome the store does not know."""

    name: str
    kind: str
    run_id: str
    key: str


@dataclass(frozen=True, slots=True)
class RestoredCopy:
    """What a restored copy holds of its original."""

    since: float
    """When it was marked, in seconds since 1970."""
    runs: Sequence[str]
    """The runs that rest, in the order in which they were accepted."""
    questions: int
    """Their questions that nobody has decided."""
    effects: Sequence[DoubtfulEffect]
    """Their effects in doubt."""

    @property
    def warning(self) -> str:
        """What a process says that would take the runs up."""
        return (
            f"This store is a restored copy: {len(self.runs)} runs that were accepted before rest, "
            "because the original may have gone on with them. If this is the store from now on, "
            "type: minerva doctor --this-is-the-store"
        )


_RESTING = (runs.c.of_original.is_(True), runs.c.status.in_(OPEN_RUNS))


def mark_restored(connection: Connection) -> None:
    """Mark the store as a restored copy. Processes that are at work on its runs lose them."""
    connection.execute(update(versions).values(restored=time.time()))
    its = update(runs).where(runs.c.status.in_(OPEN_RUNS))
    connection.execute(its.values(of_original=True))
    theirs = threads.c.thread_id.in_(select(runs.c.thread_id).where(*_RESTING))
    take_away(connection, theirs, threads.c.holder.is_not(None))


def find_restored(connection: Connection) -> RestoredCopy | None:
    """Return what the store holds of its original; None if it is no restored copy."""
    since = connection.execute(select(versions.c.restored)).scalar()
    if since is None:
        return None
    resting = select(runs.c.run_id).where(*_RESTING)
    mine = (interrupts.c.run_id.in_(resting), *UNDECIDED)
    count = select(func.count()).select_from(interrupts).where(*mine)
    columns = (effects.c.name, effects.c.kind, effects.c.run_id, effects.c.key)
    doubtful = select(*columns).where(
        effects.c.run_id.in_(resting), effects.c.state.in_(("begun", "unknown"))
    )
    return RestoredCopy(
        since,
        tuple(connection.execute(resting.order_by(runs.c.created)).scalars()),
        connection.execute(count).scalar_one(),
        tuple(DoubtfulEffect(*row) for row in connection.execute(doubtful.order_by(effects.c.at))),
    )


def remove_mark(connection: Connection) -> RestoredCopy | None:
    """Let the runs go on that rest, and return what they are; None if the store is no copy."""
    copy = find_restored(connection)
    connection.execute(update(versions).values(restored=None))
    its = update(runs).where(runs.c.of_original.is_(True))
    connection.execute(its.values(of_original=False))
    return copy
