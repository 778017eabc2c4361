"""The journal of effects inside a host's graph, which has the answers; nobody holds a lease."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import Connection, Select, Table, func, insert, select

from minerva_platform.contract.values import Effect
from minerva_platform.errors import InvalidDecisionError, OriginalsRunError
from minerva_platform.people.ask_person import host_decision
from minerva_platform.run_context.context import current_run
from minerva_platform.storage.engine.location import Place
from minerva_platform.storage.engine.opening import engine_in_loop, opened_engine
from minerva_platform.storage.ledger import schema
from minerva_platform.storage.ledger.effect_row import Intent
from minerva_platform.storage.ledger.effects import EffectJournal
from minerva_platform.storage.ledger.lease import TERMS, Lease, LeaseTerms
from minerva_platform.storage.server.tenant_rows import own_id

if TYPE_CHECKING:
    from minerva_platform.storage.checkpoints.run_checkpointer import RunCheckpointer
    from minerva_platform.storage.engine.engine import Engine, Work

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class HostEngine:
    """The database of the effects. It is open while it is used: a host closes nothing of ours."""

    place: Place

    def write(self, work: "Work[T]") -> T:
        """Do `work` as one transaction.

        Raises:
            StateError: the database cannot be used.
        """
        with opened_engine(self.place) as engine:
            return engine.write(work)

    async def awrite(self, work: "Work[T]") -> T:
        """Do what `write` does without holding up the event loop."""
        async with engine_in_loop(self.place) as engine:
            return await engine.awrite(work)


@dataclass(slots=True)
class HostStep:
    """A step of a host's graph, in the place of a run that this process holds."""

    run_id: str
    engine: "Engine"
    lease: Lease
    """Of the host's thread, which nobody holds; of two processes the later one has the last word
    about an effect."""
    terms: LeaseTerms = TERMS
    checkpointer: "RunCheckpointer | None" = None
    """The host has its own."""


class HostJournal(EffectJournal):
    """The effects of one step of a host's graph."""

    table: Table = schema.host_effects

    def __init__(self, place: Place, run_id: str, thread_id: str) -> None:
        engine = cast("Engine", HostEngine(place))
        super().__init__(HostStep(run_id, engine, Lease(thread_id, time.time_ns())))
        self._questions = current_run().questions  # another OS thread uses the database
        self._is_loaded = False

    def loading(self) -> "Work[list[Any]] | None":
        """Return the work that reads what the step did before, until it was done once."""
        return None if self._is_loaded else self.look_back

    def know(self, rows: Sequence[Any]) -> tuple[Effect, ...]:
        """Take note of such rows, and return the effects."""
        self._is_loaded = True
        return super().know(rows)

    def _hold(self, connection: Connection) -> int:
        """Let no other effect of the thread begin until the transaction ends.

        Raises:
            OriginalsRunError: the store is a restored copy; the original may have done the effect.
        """
        if connection.execute(select(schema.versions.c.restored)).scalar() is not None:
            raise OriginalsRunError(self.run.run_id)
        if connection.dialect.name == "postgresql":
            thread = func.hashtextextended(self.run.lease.thread_id, 0)
            connection.execute(select(func.pg_advisory_xact_lock(thread)))
        return 0

    def _add(self, connection: Connection, intent: Intent, values: dict[str, Any]) -> None:
        """Add an effect; the ledger knows its thread from now on."""
        thread_id, threads = self._thread_id(connection), schema.threads
        known = select(threads.c.thread_id).where(threads.c.thread_id == thread_id)
        if connection.execute(known).first() is None:
            root = intent.effect.path.partition("/")[0]
            row = {"thread_id": thread_id, "tenant": schema.LOCAL, "root": root}
            connection.execute(insert(threads).values(**row, created=time.time()))
        super()._add(connection, intent, {**values, "thread_id": thread_id})

    def _thread_id(self, connection: Connection) -> str:
        """Return the id of the host's thread here, where a tenant may have one of the same name."""
        return own_id(connection, self.run.lease.thread_id, schema.LOCAL)

    def _of_conversation(self, connection: Connection) -> Select[Any]:
        mine = self.table.c.thread_id == self._thread_id(connection)
        return select(self.table).where(mine).order_by(self.table.c.at.desc(), self.table.c.key)

    def _decision(self, connection: Connection, interrupt_id: str) -> tuple[str, dict[str, Any]]:
        """Return what the host was answered; of what is no decision, nothing."""
        del connection
        questions = self._questions
        answer = questions.answers.get(interrupt_id)
        if answer is None:
            return "", {}
        try:
            decision = host_decision(answer.question, answer.value)
        except InvalidDecisionError as error:
            questions.refused[interrupt_id] = error.reason
            return "", {}
        return decision["type"], decision
