"""Decisions of people about the ledger's questions, and what is rejected when nobody decides.

A decision is one transaction: the whole batch or nothing. The table's key lets the first one alone
count, whichever process it comes from.
"""

import getpass
import json
import os
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, func, select, update

from minerva_platform.contract.run_object import GivenDecision
from minerva_platform.errors import (
    NOT_IN_TIME,
    AlreadyDecidedError,
    DecisionError,
    ExpiredInterruptError,
    OriginalsRunError,
    StaleDecisionError,
    UnknownInterruptError,
    UnknownRunError,
)
from minerva_platform.people.decision_json import read_decision
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.questions import (
    OPEN_RUNS,
    UNDECIDED,
    KeptDecision,
    decisions_of,
    digests_of,
    lock_run,
    open_questions,
    questions_of,
)
from minerva_platform.storage.ledger.schema import decisions, interrupts, runs

EXPIRY: Final = "expiry"
"""Who decides when nobody did in time."""
_STALE: Final = (
    "it is another question by now than the one that was shown. Look at it again: "
    "minerva waiting show {} {}"
)


def late_runs(connection: Connection) -> list[str]:
    """Return the runs that ask something whose time is over, in the order of their ids."""
    query = (
        select(interrupts.c.run_id)
        .join(runs, runs.c.run_id == interrupts.c.run_id)
        .where(interrupts.c.expires_at <= time.time(), *UNDECIDED)
        .where(runs.c.status.in_(OPEN_RUNS), runs.c.of_original.is_(False))
    )
    return [*connection.execute(query.distinct().order_by(interrupts.c.run_id)).scalars()]


def settle(connection: Connection, run_id: str, now: float | None = None) -> None:
    """Reject what nobody decided in time in a run, and let a worker process go on with it."""
    lock_run(connection, run_id)
    if expire(connection, run_id, time.time() if now is None else now):
        _wake(connection, run_id)


def settle_late(engine: Engine) -> None:
    """Reject what nobody decided in time, in all runs.

    Raises:
        StateError: the database cannot be used.
    """
    for run_id in engine.read(late_runs, empty=list[str]()):
        engine.write(partial(settle, run_id=run_id))


def expire(connection: Connection, run_id: str, now: float) -> tuple[KeptDecision, ...]:
    """Reject the questions whose time is over at `now`, seconds since 1970; return these."""
    return tuple(
        item for item in _late(connection, run_id, now) if _keep_decision(connection, run_id, item)
    )


def _late(connection: Connection, run_id: str, now: float) -> list[KeptDecision]:
    rejection = {"type": "reject", "message": NOT_IN_TIME}
    late = [
        KeptDecision(item.interrupt.id, rejection, EXPIRY, EXPIRY, now, item.interrupt.shown_sha256)
        for item in open_questions(connection, run_id, with_late=True)
        if item.interrupt.expires_at is not None and item.interrupt.expires_at <= now
    ]
    return sorted(late, key=attrgetter("interrupt_id"))


def decide(  # noqa: PLR0913  # each says one thing about what was decided
    engine: Engine,
    run_id: str,
    choices: Mapping[str, GivenDecision],
    *,
    by: str,
    batch_id: str | None = None,
    shown: Mapping[str, str] | None = None,
    wakes: bool = False,
    now: Callable[[], float] = time.time,
) -> tuple[KeptDecision, ...]:
    """Keep a batch of decisions of a run: all of them or none. Return them.

    `choices` are decisions by the ids of questions, `shown` the digests of what the person saw. A
    batch that was kept before returns what was kept then, if it is the same. With `wakes`, a worker
    process goes on with the run; else the caller does.

    Raises:
        UnknownRunError: there is no such run.
        OriginalsRunError: the store is a restored copy, and the run is from before that.
        UnknownInterruptError: the run asks no such question.
        InvalidDecisionError: a decision is not allowed, or does not fit the question's schema.
        StaleDecisionError: a question is another one than the person saw.
        ExpiredInterruptError: the question's time is over, or its run has ended.
        AlreadyDecidedError: another decision came first.
        StateError: the database cannot be used.
    """
    batch = batch_id or uuid.uuid4().hex

    def work(connection: Connection) -> tuple[KeptDecision, ...] | DecisionError:
        status = _status(connection, run_id)
        done = decisions_of(connection, run_id)
        read = _read_batch(connection, run_id, choices, shown or {})
        if repeated := _find_repeat(run_id, done, read, batch):
            return repeated
        digests = digests_of(connection, run_id)
        at = now()
        late = {item.interrupt_id: item for item in _late(connection, run_id, at)}
        for each in read:
            if each in done | late:
                settle(connection, run_id, at)
                return lost(run_id, (done | late)[each])
            if status not in OPEN_RUNS:
                reason = f"its run has ended (`{status}`), and the decision changes nothing."
                return ExpiredInterruptError(run_id, each, reason)
        batched = [
            KeptDecision(each, decision, by, batch, at, digests[each])
            for each, decision in read.items()
        ]
        kept = _keep_batch(connection, run_id, batched, late)
        if wakes:
            _wake(connection, run_id)
        return kept

    outcome = engine.write(work)
    if isinstance(outcome, DecisionError):  # told after the commit: an expiry stays kept
        raise outcome
    return outcome


def _wake(connection: Connection, run_id: str) -> None:
    """Put a run that waited into the queue of worker processes."""
    waits = (runs.c.run_id == run_id, runs.c.status.in_(("needs_human", "queued")))
    woken = update(runs).where(*waits).values(status="queued", background=True)
    connection.execute(woken.values(reason=func.coalesce(runs.c.reason, "decided")))


def _status(connection: Connection, run_id: str) -> str:
    status = lock_run(connection, run_id)
    if status is None:
        raise UnknownRunError(run_id)
    its = select(runs.c.of_original).where(runs.c.run_id == run_id)
    if status in OPEN_RUNS and connection.execute(its).scalar_one():
        raise OriginalsRunError(run_id)
    return str(status)


def _read_batch(
    connection: Connection,
    run_id: str,
    choices: Mapping[str, GivenDecision],
    shown: Mapping[str, str],
) -> dict[str, dict[str, Any]]:
    """Return the whole batch as JSON, in the order of ids, if all of it may be decided."""
    kept = questions_of(connection, run_id)
    for each in choices:
        if each not in kept:
            raise UnknownInterruptError(run_id, each, _unknown(connection, run_id, each))
    read = {each: read_decision(run_id, kept[each], choices[each]) for each in sorted(choices)}
    for each in read:
        if each in shown and shown[each] != kept[each].shown_sha256:
            raise StaleDecisionError(run_id, each, _STALE.format(run_id, each))
    return read


def _keep_batch(
    connection: Connection,
    run_id: str,
    new: Sequence[KeptDecision],
    late: Mapping[str, KeptDecision],
) -> tuple[KeptDecision, ...]:
    """Keep all of a batch, and what has expired; in one order, so that no two block each other."""
    mine = {item.interrupt_id: item for item in new}
    for item in sorted((*late.values(), *new), key=attrgetter("interrupt_id")):
        if not _keep_decision(connection, run_id, item) and item.interrupt_id in mine:
            done = decisions_of(connection, run_id)  # somebody was faster, between two statements
            read = {each: dict(one.decision) for each, one in mine.items()}
            if repeated := _find_repeat(run_id, done, read, item.batch):
                return repeated
            raise lost(run_id, done[item.interrupt_id])  # nothing of the batch is kept
    return tuple(new)


def _unknown(connection: Connection, run_id: str, interrupt_id: str) -> str:
    tenant = select(runs.c.tenant).where(runs.c.run_id == run_id)
    waiting = open_questions(connection, tenant=connection.execute(tenant).scalar_one())
    mine = [item.interrupt.id for item in waiting if item.run_id == run_id]
    other = [item.run_id for item in waiting if item.interrupt.id == interrupt_id]
    told = f" Run `{other[0]}` asks it." if other else ""
    if not mine:
        return f"the run asks no such question, and no other one waits.{told}"
    return f"the run asks no such question. It waits for: {', '.join(mine)}.{told}"


def _find_repeat(
    run_id: str,
    done: Mapping[str, KeptDecision],
    choices: Mapping[str, Mapping[str, Any]],
    batch: str,
) -> tuple[KeptDecision, ...]:
    """Return what was kept, if this very batch was kept before; nothing if none was.

    Raises:
        DecisionError: another batch was kept under its id.
    """
    before = {each: item for each, item in sorted(done.items()) if item.batch == batch}
    if before and {each: item.decision for each, item in before.items()} != choices:
        other = [item for each, item in before.items() if choices.get(each) != item.decision]
        raise lost(run_id, (other or [*before.values()])[0])
    return tuple(before.values())


def lost(run_id: str, winner: KeptDecision) -> DecisionError:
    """Return the error of a decision that came after `winner`."""
    if winner.by == EXPIRY:
        reason = "the time to decide was over, so it was rejected."
        return ExpiredInterruptError(run_id, winner.interrupt_id, reason)
    return AlreadyDecidedError(run_id, winner.interrupt_id, winner.to_winner())


def _keep_decision(connection: Connection, run_id: str, item: KeptDecision) -> bool:
    """Keep a decision; False if another one lies there."""
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")  # only the one in use
    row = dialect.insert(decisions).values(
        run_id=run_id,
        interrupt_id=item.interrupt_id,
        kind=item.decision["type"],
        value=json.dumps(dict(item.decision), ensure_ascii=True),
        by=item.by,
        batch=item.batch,
        at=item.at,
        shown_sha256=item.shown_sha256,
    )
    made = row.on_conflict_do_nothing().returning(decisions.c.interrupt_id)
    return connection.execute(made).first() is not None  # psycopg's `rowcount` is -1 either way


def os_user() -> str:
    """Return the name of the person at this machine, for who decides."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return f"user {os.getuid()}"
