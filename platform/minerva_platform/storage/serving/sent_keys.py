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


def run_of_key(
    connection: Connection, sent: SentKey, thread_id: str | None
) -> tuple[str, bool] | None:
    """Return the run that was begun, or answered in this thread, with a key; None: it is new.

    The second is True if the same body came with the key.
    """
    keys = idempotency_keys.c
    its = (keys.tenant == sent.sight.tenant, keys.roots == _roots(sent), keys.key == sent.key)
    begun = connection.execute(select(keys.run_id, keys.body_sha256).where(*its)).first()
    if begun is not None:
        return begun.run_id, begun.body_sha256 == sent.body_sha256
    query = (
        select(decisions.c.run_id, decisions.c.batch)
        .join_from(decisions, runs, runs.c.run_id == decisions.c.run_id)
        .where(runs.c.thread_id == thread_id, sent.sight.of_runs())
        .where(decisions.c.batch.startswith(f"{sent.key} ", autoescape=True))
    )
    answered = connection.execute(query.limit(1)).first()
    return None if answered is None else (answered.run_id, answered.batch == sent.batch_id)


def keep_key(connection: Connection, engine: Engine, sent: SentKey, run_id: str) -> bool:
    """Keep the key of a run that is about to be kept; False if another run has it."""
    row = {"tenant": sent.sight.tenant, "roots": _roots(sent), "key": sent.key}
    values = {**row, "body_sha256": sent.body_sha256, "run_id": run_id}
    new = engine.insert(idempotency_keys).values(**values).on_conflict_do_nothing()
    return connection.execute(new.returning(idempotency_keys.c.run_id)).first() is not None


def _roots(sent: SentKey) -> str:
    return roots_to_row(sent.sight.roots) or ""
