"""The keys with which clients send a request again, so that it is done once (`Idempotency-Key`).

The key of a run is kept in the transaction that keeps the run. The key of an answer is the id of
its batch of decisions. A key counts for who sees the same, and as long as its run is kept.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, select

from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.run_row import roots_to_row
from minerva_platform.storage.ledger.schema import decisions, idempotency_keys, runs
from minerva_platform.storage.server.tenant_rows import Sight


class SentBeforeError(Exception):
    """The key was sent before, and has begun or answered a run."""

    def __init__(self, run_id: str, *, is_same: bool) -> None:
        self.run_id, self.is_same = run_id, is_same
        super().__init__(run_id)


@dataclass(frozen=True, slots=True)
class SentKey:
    """What somebody has sent for a run or for a thread: its digest, and its key, if it has one."""

    sight: Sight
    thread_id: str | None
    key: str | None
    body_sha256: str

    @property
    def batch_id(self) -> str | None:
        """The id of the batch of decisions that came with the key."""
        return self.key and f"{self.key} {self.body_sha256}"

    def look_back(self, connection: Connection) -> None:
        """Look whether the key has begun a run, or has answered one in this thread.

        Raises:
            SentBeforeError: it has; `is_same` is true if the same body came with it.
        """
        if self.key is None:
            return
        keys = idempotency_keys.c
        begun = select(keys.run_id, keys.body_sha256).filter_by(**self._row())
        if found := connection.execute(begun).first():
            raise SentBeforeError(found.run_id, is_same=found.body_sha256 == self.body_sha256)
        answered = (
            select(decisions.c.run_id, decisions.c.batch)
            .join_from(decisions, runs, runs.c.run_id == decisions.c.run_id)
            .where(runs.c.thread_id == self.thread_id, self.sight.of())
            .where(decisions.c.batch.startswith(f"{self.key} ", autoescape=True))
        )
        if found := connection.execute(answered.limit(1)).first():
            raise SentBeforeError(found.run_id, is_same=found.batch == self.batch_id)

    def keep(self, connection: Connection, engine: Engine, run_id: str) -> None:
        """Keep the key of a run that is about to be kept.

        Raises:
            SentBeforeError: another run has it.
        """
        if self.key is None:
            return
        values = {**self._row(), "body_sha256": self.body_sha256, "run_id": run_id}
        new = engine.insert(idempotency_keys).values(**values).on_conflict_do_nothing()
        if connection.execute(new.returning(idempotency_keys.c.run_id)).first() is None:
            self.look_back(connection)

    def _row(self) -> dict[str, str | None]:
        roots = roots_to_row(self.sight.roots) or ""
        return {"tenant": self.sight.tenant, "roots": roots, "key": self.key}
