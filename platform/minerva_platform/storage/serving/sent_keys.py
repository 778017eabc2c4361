"""The keys with which clients send a request again, so that it is done once (`Idempotency-Key`).

The key of a run is kept in the transaction that keeps the run. The key of an answer is the id of
its batch of decisions. A key counts for who sees the same, and as long as its run is kept.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.kept_run import roots_to_row
from minerva_platform.storage.schema import decisions, idempotency_keys, runs
from minerva_platform.storage.serving.tenant_rows import Sight


@dataclass(frozen=True, slots=True)
class SentKey:
    """A key, who sent it, and the digest of what came with it."""

    sight: Sight
    key: str
    body_sha256: str

    @property
    def batch_id(self) -> str:
        """The id of the batch of decisions that came with it."""
        return f"{self.key} {self.body_sha256}"


@dataclass(frozen=True, slots=True)
class FirstRun:
    """The run of a key that was sent before."""

    run_id: str
    is_same: bool
    """True if the same body came with the key."""


def first_run(connection: Connection, sent: SentKey) -> FirstRun | None:
    """Return the run that was begun with this key; None if it is new."""
    its = (
        idempotency_keys.c.tenant == sent.sight.tenant,
        idempotency_keys.c.roots == (roots_to_row(sent.sight.roots) or ""),
        idempotency_keys.c.key == sent.key,
    )
    columns = (idempotency_keys.c.run_id, idempotency_keys.c.body_sha256)
    row = connection.execute(select(*columns).where(*its)).first()
    return None if row is None else FirstRun(row.run_id, row.body_sha256 == sent.body_sha256)


def keep_key(connection: Connection, engine: Engine, sent: SentKey, run_id: str) -> FirstRun | None:
    """Keep the key of a run that is about to be kept; return the run that has it already."""
    row = {"tenant": sent.sight.tenant, "roots": roots_to_row(sent.sight.roots) or ""}
    more = {"key": sent.key, "body_sha256": sent.body_sha256, "run_id": run_id}
    new = engine.insert(idempotency_keys).values(**row, **more).on_conflict_do_nothing()
    added = connection.execute(new.returning(idempotency_keys.c.run_id)).first()
    return first_run(connection, sent) if added is None else None


def answered_run(connection: Connection, sent: SentKey, thread_id: str) -> FirstRun | None:
    """Return the run of a thread that was answered with this key; None if none was."""
    query = (
        select(decisions.c.run_id, decisions.c.batch)
        .join_from(decisions, runs, runs.c.run_id == decisions.c.run_id)
        .where(runs.c.thread_id == thread_id, sent.sight.of_runs())
        .where(decisions.c.batch.startswith(f"{sent.key} ", autoescape=True))
    )
    row = connection.execute(query.limit(1)).first()
    return None if row is None else FirstRun(row.run_id, row.batch == sent.batch_id)
