"""Which worker processes are alive, as they say themselves."""

from typing import Final

from sqlalchemy import Connection, delete, select, update

from minerva_platform.storage.engine.engine import Engine, db_now
from minerva_platform.storage.ledger.process_identity import is_dead, this_process
from minerva_platform.storage.ledger.schema import worker_processes

BEAT_S: Final = 5.0
"""Seconds between two beats of a worker process."""
_ALIVE_S: Final = 30.0
"""Seconds for which it counts as alive after its last one."""
_KEPT_S: Final = 86_400.0
"""Seconds after which what a process has said is removed."""


def beat(connection: Connection) -> None:
    """Keep that this worker process lives. What was said a day ago is removed."""
    mine = worker_processes.c.name == this_process()
    changed = update(worker_processes).where(mine).values(alive_until=db_now() + _ALIVE_S)
    if connection.execute(changed.returning(worker_processes.c.name)).first() is None:
        values = {"name": this_process(), "alive_until": db_now() + _ALIVE_S}
        connection.execute(worker_processes.insert().values(values))
    old = worker_processes.c.alive_until < db_now() - _KEPT_S
    connection.execute(delete(worker_processes).where(old))


def leave(connection: Connection) -> None:
    """Keep that this worker process takes no more runs."""
    connection.execute(delete(worker_processes).where(worker_processes.c.name == this_process()))


def count_workers(connection: Connection, engine: Engine) -> int:
    """Return how many worker processes are alive."""
    alive = select(worker_processes.c.name).where(worker_processes.c.alive_until >= db_now())
    names = connection.execute(alive).scalars()
    return sum(not (engine.knows_processes and is_dead(name)) for name in names)
