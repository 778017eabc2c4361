"""Runs go when they are older than `retention` in platform.yaml says, without anybody's command.

Of all processes that work off the queue, one at a time looks, once in an hour. It has a connection
of its own, so that no run of its process waits for it.
"""

import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, insert, update

from minerva_platform.config.settings import RetentionSettings
from minerva_platform.storage.engine.database import Database
from minerva_platform.storage.engine.engine import Engine, db_now
from minerva_platform.storage.engine.sqlite import SqliteEngine
from minerva_platform.storage.files.artifacts import ArtifactPlace
from minerva_platform.storage.ledger.schema import RETENTION, worker_processes
from minerva_platform.storage.maintenance.inventory import digests_elsewhere
from minerva_platform.storage.maintenance.prune import PrunePlan, PruneRule, plan_prune, prune

EVERY_S: Final = 3600.0
"""Seconds between two looks, over all processes."""


def retention_rule(settings: RetentionSettings) -> PruneRule | None:
    """Return what may stay; None if no limit is configured."""
    if settings.default is None and not settings.tenants:
        return None
    return PruneRule(settings.default, ages=settings.tenants)


def retain(engine: Engine, artifacts: ArtifactPlace, rule: PruneRule) -> None:
    """Remove what is too old, unless a process has looked within the hour.

    Raises:
        StateError: the database cannot be read or written; what went is gone, the rest is whole.
    """
    if not engine.write(_take_turn):
        return
    with ExitStack() as stack:
        if isinstance(engine.place, Path):
            database = Database(engine.place)
            stack.callback(database.close)
            engine = SqliteEngine(database)
        used_elsewhere = digests_elsewhere(artifacts.home, engine)
        work = partial(plan_prune, engine=engine, place=artifacts, rule=rule, now=time.time())
        plan = engine.read(partial(work, used_elsewhere=used_elsewhere), empty=PrunePlan())
        prune(engine, plan)


def _take_turn(connection: Connection) -> bool:
    """True if nobody has looked within the hour; keep that this process does."""
    mine = worker_processes.c.name == RETENTION
    until = {"alive_until": db_now() + EVERY_S}
    is_due = worker_processes.c.alive_until < db_now()
    if connection.execute(update(worker_processes).where(mine, is_due).values(until)).rowcount:
        return True
    row = connection.execute(worker_processes.select().where(mine)).first()
    if row is None:
        connection.execute(insert(worker_processes).values(name=RETENTION, **until))
    return row is None
