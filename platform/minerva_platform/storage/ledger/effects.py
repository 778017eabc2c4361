"""The journal of effects: what a run does to the world, kept before and after it is done.

An effect is kept as `begun` in the same transaction as the run's checkpoints, which renews the
lease first. So a process that has lost its thread begins none, and a run that is gone on with
finds what it has done.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, cast

from sqlalchemy import Connection, Select, Table, func, insert, or_, select, update

from minerva_platform.contract.values import Effect, EffectOutcome
from minerva_platform.errors import EffectMismatchError
from minerva_platform.run_context.effect_place import MemberWork, Numbering
from minerva_platform.storage.ledger.effect_row import EffectKind, EffectState, Intent, KeptEffect
from minerva_platform.storage.ledger.lease import lock_thread, renew
from minerva_platform.storage.ledger.schema import decisions, effects, owned_runs, runs

if TYPE_CHECKING:
    from minerva_platform.storage.checkpoints.run_checkpointer import RunCheckpointer
    from minerva_platform.storage.engine.engine import Engine, Work
    from minerva_platform.storage.ledger.lease import Lease, LeaseTerms

MAX_TOLD: Final = 50
"""The latest effects of a conversation that a later turn is told of."""

T = TypeVar("T")
Beginning: TypeAlias = tuple[KeptEffect | None, int]
"""What is known of an effect that may not be done now, and which checkpoints were written."""


class OwnRun(Protocol):
    """A run that this process holds (`ledger.open_run.OpenRun`)."""

    run_id: str
    engine: "Engine"
    lease: "Lease"
    terms: "LeaseTerms"
    checkpointer: "RunCheckpointer | None"


class EffectJournal:
    """The effects of one run, which this process holds."""

    table: Table = effects

    def __init__(self, run: OwnRun) -> None:
        self.run = run
        self.work = MemberWork("")
        """Of code that belongs to no call of a member."""
        self._deeds: dict[str, dict[int, str]] = {}

    @property
    def journal(self) -> "EffectJournal":
        """The journal itself."""
        return self

    async def aload(self) -> tuple[Effect, ...]:
        """Read which effects the run has begun before, in other processes, and return them.

        Raises:
            StateError: the database cannot be read.
        """
        return self.know(await self.run.engine.aread(self.look_back, empty=[]))

    def look_back(self, connection: Connection) -> list[Any]:
        """Return the rows of what the run has begun before, in the order of the ends."""
        mine = select(self.table).where(self.table.c.run_id == self.run.run_id)
        return [*connection.execute(mine.order_by(self.table.c.at, self.table.c.key))]

    def know(self, rows: Sequence[Any]) -> tuple[Effect, ...]:
        """Take note of such rows, and return the effects."""
        for row in rows:
            place, _, number = row.key.rpartition("-")
            self._deeds.setdefault(place, {})[int(number)] = row.args_sha256
        return tuple(map(_to_effect, rows))

    def loading(self) -> "Work[list[Any]] | None":
        """Return the work whose result `know` gets before an effect begins; None: none is left."""
        return None

    def number(self, place: str, deed: str, numbering: Numbering) -> int:
        """Return the number of a deed at `place`, by which it is known again."""
        kept = self._deeds.setdefault(place, {})
        number = numbering.next(place, deed, dict(kept))
        kept.setdefault(number, deed)
        return number

    def write(self, work: "Work[T]") -> T:
        """Do one piece of `beginning` or `ending`. From an OS thread, not from an event loop.

        Raises:
            LeaseLostError: another process goes on with the run.
            StateError: the database cannot be written.
        """
        return self.run.engine.write(work)

    async def awrite(self, work: "Work[T]") -> T:
        """Do what `write` does without holding up the event loop."""
        return await self.run.engine.awrite(work)

    def beginning(self, intent: Intent, refuse: Callable[[], None]) -> "Work[Beginning]":
        """Return the work that keeps that an effect begins; give what comes of it to `confirm`.

        `refuse` raises if nobody waits for the effect any more.
        """
        return partial(self._begin, intent=intent, refuse=refuse)

    def confirm(self, beginning: "Beginning") -> KeptEffect | None:
        """Take note that it is in the database.

        Return None if the effect may be done now, else what is known of it.
        """
        known, mark = beginning
        if self.run.checkpointer is not None:
            self.run.checkpointer.confirm(mark)
        return known

    def ending(
        self, key: str, state: EffectState, outcome: object = None, *, perhaps: bool = False
    ) -> "Work[None]":
        """Return the work that keeps how an effect ended.

        `perhaps` says that a failed one may have happened. It asks for no lease, because it tells
        what has happened. It changes nothing if somebody else has begun the effect again since.
        """
        return partial(self._end, key=key, state=state, outcome=outcome, perhaps=perhaps)

    def _begin(
        self, connection: Connection, intent: Intent, refuse: Callable[[], None]
    ) -> "Beginning":
        refuse()
        mark = self._hold(connection)
        return self._try_begin(connection, intent), mark

    def _hold(self, connection: Connection) -> int:
        """Renew the lease, and write the checkpoints; return which."""
        run = self.run
        renew(connection, run.lease, run.terms)
        return run.checkpointer.write(connection) if run.checkpointer is not None else 0

    def _try_begin(self, connection: Connection, intent: Intent) -> KeptEffect | None:
        """Keep that an effect begins; return what is known of it if it may not."""
        table = self.table
        mine = table.c.key == intent.effect.key
        values = {"state": "begun", "fence": self.run.lease.fence, "at": time.time()}
        columns = (table.c.name, table.c.args_sha256, table.c.state, table.c.outcome)
        row = connection.execute(select(*columns).where(mine)).first()
        if row is None:
            again = self._again(connection, intent) if intent.kind != "idempotent" else None
            if again is None:
                self._add(connection, intent, values)
            return again
        name, args, state, told = row
        if (name, args) != (intent.effect.name, intent.args_sha256):
            raise EffectMismatchError(intent.effect.path, name, intent.effect.name)
        kept = KeptEffect(state, **json.loads(told or "{}"))
        if not _may_be_done(intent.kind, kept.state):
            if kept.state == "done":
                return kept
            kept = self._apply_decision(connection, intent, replace(kept, state="unknown"))
            if kept.state != "begun":
                return kept
        told = json.dumps({"approvals": kept.approvals})
        connection.execute(update(table).where(mine).values(**values, outcome=told))
        return None

    def _add(self, connection: Connection, intent: Intent, values: dict[str, Any]) -> None:
        connection.execute(insert(self.table).values(**intent.to_row(), **values))

    def _again(self, connection: Connection, intent: Intent) -> KeptEffect | None:
        """Return the effect that was done to the same target before; None if it may be done again.

        Effects of one conversation are begun one after the other: of two that would be twins, the
        second one finds the first.
        """
        twin = self._twin(connection, intent)
        if twin is None:
            return None
        kept = KeptEffect("unknown", twin=twin)
        kind, value = self._decision(connection, kept.question_id(intent))
        if kind == "approve":
            return None
        rejected = str(value.get("message") or "") if kind == "reject" else None
        return replace(kept, rejection=rejected)

    def _twin(self, connection: Connection, intent: Intent) -> Effect | None:
        """Return the latest effect of the conversation with the name and target of `intent`.

        One that certainly did not happen is none. If `intent` is suspected, its name alone counts.
        """
        table = self.table
        same = self._of_conversation(connection).where(
            table.c.name == intent.effect.name,
            table.c.key.not_in([intent.effect.key, intent.within]),
        )
        if not intent.is_suspected:
            its = func.coalesce(table.c.target_sha256, table.c.args_sha256)
            same = same.where(its == intent.target_sha256)
        found = map(_to_effect, connection.execute(same))
        return next((effect for effect in found if effect.outcome != "failed"), None)

    def _of_conversation(self, connection: Connection) -> Select[Any]:
        """Return the effects of the run's conversation, the latest one first."""
        its = select(owned_runs.c.owner).where(owned_runs.c.run_id == self.run.run_id)
        owner = connection.execute(its).scalar()
        if owner is not None:
            lock_thread(connection, owner)
        return _of_thread(owner or self.run.lease.thread_id)

    def _decision(self, connection: Connection, interrupt_id: str) -> tuple[str, dict[str, Any]]:
        """Return the kind and the values of what a person decided; empty if nobody has."""
        row = connection.execute(
            select(decisions.c.kind, decisions.c.value).where(
                decisions.c.run_id == self.run.run_id, decisions.c.interrupt_id == interrupt_id
            )
        ).first()
        return ("", {}) if row is None else (row.kind, json.loads(row.value))

    def _apply_decision(
        self, connection: Connection, intent: Intent, effect: KeptEffect
    ) -> KeptEffect:
        """Return a deed of unknown end as a person has decided about it, if somebody has."""
        mine = self.table.c.key == intent.effect.key
        connection.execute(update(self.table).where(mine).values(state="unknown"))
        kind, value = self._decision(connection, effect.question_id(intent))
        if not kind:
            return effect
        if kind == "approve":
            return replace(effect, state="begun", approvals=effect.approvals + 1)
        if kind == "reject":
            return replace(effect, rejection=str(value.get("message") or ""))
        outcome = value.get("value", value.get("message"))
        self._end(connection, intent.effect.key, "done", outcome, perhaps=False)
        return replace(effect, state="done", outcome=outcome)

    def _end(
        self,
        connection: Connection,
        key: str,
        state: EffectState,
        outcome: object,
        *,
        perhaps: bool,
    ) -> None:
        table = self.table
        mine = (table.c.key == key, table.c.fence <= self.run.lease.fence)
        told = connection.execute(select(table.c.outcome).where(*mine)).scalar()
        row = json.loads(told or "{}") | {"outcome": outcome, "perhaps": perhaps}
        values = {"state": state, "outcome": json.dumps(row), "at": time.time()}
        connection.execute(update(table).where(*mine).values(**values))


def _may_be_done(kind: EffectKind, state: EffectState) -> bool:
    """True if an effect that was begun before may be done again without asking anybody."""
    return state == "failed" or (kind != "once" and state == "begun")


def effects_of_run(connection: Connection, run_id: str) -> tuple[Effect, ...]:
    """Return what a run did, in the order of the ends."""
    mine = select(effects).where(effects.c.run_id == run_id)
    return tuple(map(_to_effect, connection.execute(mine.order_by(effects.c.at, effects.c.key))))


def effects_of_thread(connection: Connection, thread_id: str) -> tuple[Effect, ...]:
    """Return what the runs of a conversation did, with those it started, the latest effect last."""
    found = [_to_effect(row) for row in connection.execute(_of_thread(thread_id).limit(MAX_TOLD))]
    return tuple(reversed(found))


def _of_thread(thread_id: str) -> Select[Any]:
    """Return the effects of a conversation, the latest one first."""
    owned = select(owned_runs.c.run_id).where(owned_runs.c.owner == thread_id)
    its = select(runs.c.run_id).where(or_(runs.c.thread_id == thread_id, runs.c.run_id.in_(owned)))
    mine = select(effects).where(effects.c.run_id.in_(its))
    return mine.order_by(effects.c.at.desc(), effects.c.key)


def _to_effect(row: Any) -> Effect:
    told, state = _parse_json(row.outcome), row.state
    perhaps = bool(told.get("perhaps", row.kind != "once"))  # earlier versions did not say
    return Effect(
        name=row.name,
        key=row.key,
        run_id=row.run_id,
        path=row.path,
        arguments=_parse_json(row.arguments),
        target=tuple(json.loads(row.target or "[]")),
        outcome="done" if state == "done" else _FAILED[state == "failed" and not perhaps],
        at=row.at,
    )


_FAILED: Final[dict[bool, EffectOutcome]] = {True: "failed", False: "unknown"}


def _parse_json(text: str | None) -> dict[str, Any]:
    """Return kept JSON; nothing of a damaged row, which `minerva doctor` names."""
    try:
        read: Any = json.loads(text or "{}")
    except ValueError:
        return {}
    return cast("dict[str, Any]", read) if isinstance(read, dict) else {}
