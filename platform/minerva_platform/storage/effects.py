"""The journal of effects: what a run does to the world, kept before and after it is done.

An effect is kept as `begun` in the same transaction as the run's checkpoints, which renews the
lease first. So a process that has lost its thread begins none, and a run that is gone on with
finds what it has done.
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from sqlalchemy import Connection, select, update

from minerva_platform.calls.position import MemberWork, Numbering
from minerva_platform.errors import EffectMismatchError
from minerva_platform.storage.kept_effect import (
    EffectKind,
    EffectState,
    Intent,
    KeptEffect,
    question_id,
)
from minerva_platform.storage.lease import renew
from minerva_platform.storage.schema import decisions, effects

if TYPE_CHECKING:
    from minerva_platform.storage.engine.engine import Work
    from minerva_platform.storage.open_run import OpenRun

T = TypeVar("T")
Beginning: TypeAlias = tuple[KeptEffect | None, int]
"""What is known of an effect that may not be done now, and which checkpoints were written."""


class EffectJournal:
    """The effects of one run, which this process holds."""

    def __init__(self, run: "OpenRun") -> None:
        self.run = run
        self.work = MemberWork("")
        """Of code that belongs to no call of a member."""
        self._kept: dict[str, dict[int, str]] = {}

    async def aload(self) -> None:
        """Read which effects the run has begun before, in other processes.

        Raises:
            StateError: the database cannot be read.
        """
        mine = select(effects.c.key, effects.c.args_sha256).where(
            effects.c.run_id == self.run.run_id
        )
        nothing: list[tuple[str, str]] = []
        for key, deed in await self.run.engine.aread(
            lambda connection: [(row.key, row.args_sha256) for row in connection.execute(mine)],
            empty=nothing,
        ):
            place, _, number = key.rpartition("-")
            self._kept.setdefault(place, {})[int(number)] = deed

    def number(self, place: str, deed: str, numbering: Numbering) -> int:
        """Return the number of a deed at `place`, by which it is known again."""
        kept = self._kept.setdefault(place, {})
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
        """Return the work that keeps that an effect begins; give what comes of it to `written`.

        `refuse` raises if nobody waits for the effect any more.
        """
        return partial(self._begun, intent=intent, refuse=refuse)

    def written(self, beginning: "Beginning") -> KeptEffect | None:
        """Take note that it is in the database.

        Return None if the effect may be done now, else what is known of it.
        """
        known, mark = beginning
        if self.run.checkpointer is not None:
            self.run.checkpointer.written(mark)
        return known

    def ending(self, key: str, state: EffectState, outcome: object = None) -> "Work[None]":
        """Return the work that keeps how an effect ended.

        It asks for no lease, because it tells what has happened. It changes nothing if somebody
        else has begun the effect again since.
        """
        return partial(self._ended, key=key, state=state, outcome=outcome)

    def _begun(
        self, connection: Connection, intent: Intent, refuse: Callable[[], None]
    ) -> "Beginning":
        refuse()
        run = self.run
        renew(connection, run.lease, run.terms)
        mark = run.checkpointer.write(connection) if run.checkpointer is not None else 0
        return self._known(connection, intent), mark

    def _known(self, connection: Connection, intent: Intent) -> KeptEffect | None:
        """Keep that an effect begins; return what is known of it if it may not."""
        run = self.run
        values = {"state": "begun", "fence": run.lease.fence, "at": time.time()}
        row = {**asdict(intent), **values, "run_id": run.run_id}
        added = connection.execute(
            run.engine.insert(effects)
            .values(**row)
            .on_conflict_do_nothing()
            .returning(effects.c.key)
        ).first()
        if added is not None:
            return None
        columns = (effects.c.name, effects.c.args_sha256, effects.c.state, effects.c.outcome)
        mine = effects.c.key == intent.key
        name, args, state, told = connection.execute(select(*columns).where(mine)).one()
        if (name, args) != (intent.name, intent.args_sha256):
            raise EffectMismatchError(intent.path, name, intent.name)
        kept = KeptEffect(state, **json.loads(told or "{}"))
        if not _may_be_done(intent.kind, kept.state):
            if kept.state == "done":
                return kept
            kept = self._decided(connection, intent.key, replace(kept, state="unknown"))
            if kept.state != "begun":
                return kept
        told = json.dumps({"approvals": kept.approvals})
        connection.execute(update(effects).where(mine).values(**values, outcome=told))
        return None

    def _decided(self, connection: Connection, key: str, kept: KeptEffect) -> KeptEffect:
        """Return a deed of unknown end as a person has decided about it, if somebody has."""
        mine = effects.c.key == key
        connection.execute(update(effects).where(mine).values(state="unknown"))
        row = connection.execute(
            select(decisions.c.kind, decisions.c.value).where(
                decisions.c.run_id == self.run.run_id,
                decisions.c.interrupt_id == question_id(key, kept.approvals),
            )
        ).first()
        if row is None:
            return kept
        value = json.loads(row.value)
        if row.kind == "approve":
            return replace(kept, state="begun", approvals=kept.approvals + 1)
        if row.kind == "reject":
            return replace(kept, rejected=str(value.get("message") or ""))
        outcome = value.get("value", value.get("message"))
        self._ended(connection, key, "done", outcome)
        return replace(kept, state="done", outcome=outcome)

    def _ended(self, connection: Connection, key: str, state: EffectState, outcome: object) -> None:
        mine = (effects.c.key == key, effects.c.fence <= self.run.lease.fence)
        told = connection.execute(select(effects.c.outcome).where(*mine)).scalar()
        row = json.loads(told or "{}") | {"outcome": outcome}
        values = {"state": state, "outcome": json.dumps(row), "at": time.time()}
        connection.execute(update(effects).where(*mine).values(**values))


def _may_be_done(kind: EffectKind, state: EffectState) -> bool:
    """True if an effect that was begun before may be done again without asking anybody."""
    return state == "failed" or (kind != "once" and state == "begun")
