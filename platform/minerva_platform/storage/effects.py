"""The journal of effects: what a run does to the world, kept before and after it is done.

An effect is kept as `begun` in the same transaction as the run's checkpoints, which renews the
lease first. So a process that has lost its thread begins none, and a run that is gone on with
finds what it has done.
"""

import json
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection, select, update

from minerva_platform.contract.effect import EffectKind, EffectState, Intent, KeptEffect
from minerva_platform.errors import EffectMismatchError, EffectNotKeptError, StateError
from minerva_platform.storage.lease import renew
from minerva_platform.storage.schema import effects

if TYPE_CHECKING:
    from minerva_platform.storage.engine.engine import Work
    from minerva_platform.storage.open_run import OpenRun

T = TypeVar("T")


class EffectJournal:
    """The effects of one run, which this process holds."""

    def __init__(self, run: "OpenRun") -> None:
        self.run = run

    def write(self, work: "Work[T]") -> T:
        """Do one piece of `beginning` or `ending`. From an OS thread, not from an event loop.

        Raises:
            LeaseLostError: another process goes on with the run.
            EffectNotKeptError: the database cannot be written.
        """
        with self._told():
            return self.run.engine.write(work)

    async def awrite(self, work: "Work[T]") -> T:
        """Do what `write` does without holding up the event loop."""
        with self._told():
            return await self.run.engine.awrite(work)

    def beginning(
        self, intent: Intent, refuse: Callable[[], None], approvals: int | None = None
    ) -> "Work[KeptEffect | None]":
        """Return the work that keeps that an effect begins.

        It gives None if the effect may be done now, else what is known of it. `refuse` raises if
        nobody waits for the effect any more. `approvals` is how often a person has let it be done
        again, if somebody just did.
        """
        return partial(self._begun, intent=intent, refuse=refuse, approvals=approvals)

    def ending(self, key: str, state: EffectState, outcome: object = None) -> "Work[None]":
        """Return the work that keeps how an effect ended.

        It asks for no lease, because it tells what has happened. It changes nothing if somebody
        else has begun the effect again since.
        """
        return partial(self._ended, key=key, state=state, outcome=outcome)

    def _begun(
        self,
        connection: Connection,
        intent: Intent,
        refuse: Callable[[], None],
        approvals: int | None,
    ) -> KeptEffect | None:
        refuse()
        run = self.run
        renew(connection, run.lease, run.terms)
        if run.checkpointer is not None:
            run.checkpointer.write(connection)
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
        if approvals is None and not _may_be_done(intent.kind, kept.state):
            if kept.state == "begun":
                connection.execute(update(effects).where(mine).values(state="unknown"))
                return replace(kept, state="unknown")
            return kept
        told = json.dumps({"approvals": kept.approvals if approvals is None else approvals})
        connection.execute(update(effects).where(mine).values(**values, outcome=told))
        return None

    def _ended(
        self, connection: Connection, key: str, state: EffectState, outcome: object
    ) -> None:
        mine = (effects.c.key == key, effects.c.fence <= self.run.lease.fence)
        told = connection.execute(select(effects.c.outcome).where(*mine)).scalar()
        row = json.loads(told or "{}") | {"outcome": outcome}
        values = {"state": state, "outcome": json.dumps(row), "at": time.time()}
        connection.execute(update(effects).where(*mine).values(**values))

    @contextmanager
    def _told(self) -> Generator[None]:
        try:
            yield
        except StateError as error:
            raise EffectNotKeptError(error) from error


def _may_be_done(kind: EffectKind, state: EffectState) -> bool:
    """True if an effect that was begun before may be done again without asking anybody."""
    return state == "failed" or (kind != "once" and state == "begun")
