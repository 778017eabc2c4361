"""The ledger's questions and decisions: a question is open until its first decision is kept.

A decision is one transaction: the whole batch or nothing. The table's key lets the first one alone
count, whichever process it comes from.
"""

import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Final

from sqlalchemy import Connection, Row, func, insert, or_, select, update

from minerva_platform.contract.run_object import GivenDecision, Interrupt
from minerva_platform.errors import (
    NOT_IN_TIME,
    AlreadyDecidedError,
    DecisionError,
    ExpiredInterruptError,
    RunError,
    StaleDecisionError,
    UnknownInterruptError,
    UnknownRunError,
)
from minerva_platform.people.decision_json import read_decision
from minerva_platform.people.langgraph_questions import (
    Answer,
    langgraph_id,
    next_id,
    to_earlier,
    to_resume_value,
)
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.run_row import request_in
from minerva_platform.storage.ledger.schema import LOCAL, decisions, interrupts, runs

EXPIRY: Final = "expiry"
"""Who decides when nobody did in time."""
OPEN_RUNS: Final = ("queued", "running", "needs_human")
"""The states of a run that may still be given a decision."""
_APART: Final = {"id", "path", "allowed", "answer_schema", "shown_sha256", "asked", "expires_at"}
"""Fields of a question with a column of their own."""


@dataclass(frozen=True, slots=True)
class KeptDecision:
    """A decision that counts."""

    interrupt_id: str
    decision: Mapping[str, Any]
    by: str
    batch: str
    at: float
    """Seconds since 1970."""
    shown_sha256: str | None = None
    """The digest of what was decided about; None if a release decided that kept none."""

    def to_winner(self) -> dict[str, object]:
        """Return it as losers of a race see it."""
        return {**self.decision, "by": self.by, "at": self.at}


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that nobody has decided yet, and the run that waits for it."""

    run_id: str
    thread_id: str
    root: str
    status: str
    request: str
    """The words of the run's request; empty if they cannot be read."""
    interrupt: Interrupt


def keep_questions(
    connection: Connection,
    run_id: str,
    asked: Sequence[Interrupt],
    *,
    refused: Mapping[str, str] | None = None,
) -> None:
    """Keep the questions with which a run pauses; their ids are LangGraph's.

    A question that lies there keeps the time when it was first asked. One that was decided and is
    asked again gets a new id, and the old one is spent: its answer was refused by the worker's own
    code (`refused` says why, by LangGraph's id), or it asks for something else now, and tells what
    it asked when it was decided. An open one that is not asked any more is spent, too: its run goes
    another way since a crash.
    """
    kept, done = _latest(connection, run_id), decisions_of(connection, run_id)
    still = {question.id for question in asked}
    for base, earlier in kept.items():
        if base not in still and earlier.id not in done:
            _change(connection, run_id, earlier.id, {"spent": True})
    for question in asked:
        before = kept.get(langgraph_id(question.id))
        reason = (refused or {}).get(question.id)
        if before is None:
            connection.execute(insert(interrupts).values(run_id=run_id, **_to_row(question)))
        elif before.id not in done:
            if before.shown_sha256 != question.shown_sha256:
                now = question.model_copy(update={"id": before.id})
                _change(connection, run_id, before.id, _to_row(now))
        elif reason is not None or before.shown_sha256 != question.shown_sha256:
            _change(connection, run_id, before.id, {"spent": True})
            told: dict[str, Any] = {"id": next_id(before.id), "refused": reason or question.refused}
            if before.shown_sha256 != question.shown_sha256:
                told["earlier"] = to_earlier(before)
            again = _to_row(question.model_copy(update=told))
            connection.execute(insert(interrupts).values(run_id=run_id, **again))


def open_questions(
    connection: Connection,
    run_id: str | None = None,
    *,
    thread_id: str | None = None,
    tenant: str = LOCAL,
    with_late: bool = False,
) -> tuple[OpenQuestion, ...]:
    """Return the questions that wait for a person, the oldest first.

    They are those of a run, of the runs of a thread, or of all runs of `tenant`. One whose time is
    over waits for nobody; `with_late` gives it until that is settled.

    A damaged row is left out; `minerva doctor` names it.
    """
    about = (runs.c.thread_id, runs.c.root, runs.c.status, runs.c.task)
    query = (
        select(interrupts, *about)
        .join_from(interrupts, runs, runs.c.run_id == interrupts.c.run_id)
        .where(runs.c.status.in_(OPEN_RUNS), *_UNDECIDED)
        .order_by(interrupts.c.asked, interrupts.c.run_id, interrupts.c.interrupt_id)
    )
    if not with_late:
        its_end = interrupts.c.expires_at
        query = query.where(or_(its_end.is_(None), its_end > time.time()))
    if run_id is not None:
        query = query.where(interrupts.c.run_id == run_id)
    if thread_id is not None:
        query = query.where(runs.c.thread_id == thread_id)
    if run_id is None and thread_id is None:
        query = query.where(runs.c.tenant == tenant)
    found = ((row, _readable(row)) for row in connection.execute(query))
    return tuple(
        OpenQuestion(
            row.run_id, row.thread_id, row.root, row.status, request_in(row.task), question
        )
        for row, question in found
        if question is not None
    )


_UNDECIDED: Final = (
    interrupts.c.spent.is_(False),
    ~select(decisions.c.interrupt_id)
    .where(
        decisions.c.run_id == interrupts.c.run_id,
        decisions.c.interrupt_id == interrupts.c.interrupt_id,
    )
    .exists(),
)


def late_runs(connection: Connection) -> list[str]:
    """Return the runs that ask something whose time is over, in the order of their ids."""
    query = (
        select(interrupts.c.run_id)
        .join(runs, runs.c.run_id == interrupts.c.run_id)
        .where(interrupts.c.expires_at <= time.time(), *_UNDECIDED)
        .where(runs.c.status.in_(OPEN_RUNS))
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


def decisions_of(connection: Connection, run_id: str) -> dict[str, KeptDecision]:
    """Return what was decided in a run, by the ids of its questions."""
    rows = connection.execute(select(decisions).where(decisions.c.run_id == run_id))
    return {row.interrupt_id: _to_decided(row) for row in rows}


def digests_of(connection: Connection, run_id: str) -> dict[str, str]:
    """Return the digest of what a run's questions show, by their ids."""
    columns = (interrupts.c.interrupt_id, interrupts.c.shown_sha256)
    rows = connection.execute(select(*columns).where(interrupts.c.run_id == run_id))
    return {str(interrupt_id): str(digest) for interrupt_id, digest in rows}


def given_answers(connection: Connection, run_id: str) -> dict[str, Answer]:
    """Return what a run's waiting code gets, by LangGraph's ids.

    Only the latest decisions are in it: a spent one is never given again.
    """
    found: dict[str, Answer] = {}
    done = decisions_of(connection, run_id)
    for base, question in _latest(connection, run_id).items():
        if (item := done.get(question.id)) is not None:
            value = to_resume_value(question, item.decision)
            found[base] = Answer(question, value, is_bound=item.shown_sha256 is not None)
    return found


def answers_now(
    connection: Connection, run_id: str, asked: Sequence[Interrupt]
) -> dict[str, Answer]:
    """Return what the waiting code gets for those questions in `asked` that are decided already.

    Their ids, and those of what is returned, are LangGraph's.
    """
    done = given_answers(connection, run_id)
    return {item.id: done[item.id] for item in asked if item.id in done}


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
    return sorted(late, key=_by_id)


def _by_id(item: KeptDecision) -> str:
    return item.interrupt_id


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


def lock_run(connection: Connection, run_id: str) -> str | None:
    """Return the status of a run, which nobody else changes until the transaction ends.

    A run that is about to pause and a decision about its other question follow each other so.
    """
    row = select(runs.c.status).where(runs.c.run_id == run_id)
    return connection.execute(row.with_for_update()).scalar()


def _status(connection: Connection, run_id: str) -> str:
    status = lock_run(connection, run_id)
    if status is None:
        raise UnknownRunError(run_id)
    return str(status)


def _read_batch(
    connection: Connection,
    run_id: str,
    choices: Mapping[str, GivenDecision],
    shown: Mapping[str, str],
) -> dict[str, dict[str, Any]]:
    """Return the whole batch as JSON, in the order of ids, if all of it may be decided."""
    kept = _questions(connection, run_id)
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
    for item in sorted((*late.values(), *new), key=_by_id):
        if not _keep_decision(connection, run_id, item) and item.interrupt_id in mine:
            done = decisions_of(connection, run_id)  # somebody was faster, between two statements
            read = {each: dict(one.decision) for each, one in mine.items()}
            if repeated := _find_repeat(run_id, done, read, item.batch):
                return repeated
            raise lost(run_id, done[item.interrupt_id])  # nothing of the batch is kept
    return tuple(new)


_STALE: Final = (
    "it is another question by now than the one that was shown. Look at it again: "
    "minerva waiting show {} {}"
)


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


def _questions(connection: Connection, run_id: str) -> dict[str, Interrupt]:
    """Return the questions that are open or were decided."""
    rows = connection.execute(select(interrupts).where(interrupts.c.run_id == run_id))
    done = decisions_of(connection, run_id)
    found = (_readable(row) for row in rows if not row.spent or row.interrupt_id in done)
    return {question.id: question for question in found if question is not None}


def _latest(connection: Connection, run_id: str) -> dict[str, Interrupt]:
    """Return the questions that are not spent, by LangGraph's ids."""
    rows = connection.execute(
        select(interrupts).where(interrupts.c.run_id == run_id, interrupts.c.spent.is_(False))
    )
    found = (_readable(row) for row in rows)
    return {langgraph_id(question.id): question for question in found if question is not None}


def _change(connection: Connection, run_id: str, interrupt_id: str, to: Mapping[str, Any]) -> None:
    mine = (interrupts.c.run_id == run_id, interrupts.c.interrupt_id == interrupt_id)
    connection.execute(update(interrupts).where(*mine).values(**to))


def _to_row(question: Interrupt) -> dict[str, Any]:
    shown = question.model_dump(mode="json", exclude=_APART)
    schema = question.answer_schema
    return {
        "interrupt_id": question.id,
        "path": question.path,
        "shown": json.dumps(shown, ensure_ascii=True),
        "shown_sha256": question.shown_sha256,
        "allowed": json.dumps(question.allowed),
        "schema": None if schema is None else json.dumps(schema, ensure_ascii=True),
        "asked": question.asked,
        "expires_at": question.expires_at,
    }


def _readable(row: Row[Any]) -> Interrupt | None:
    """Return the question in a row; None if the row is damaged."""
    try:
        return Interrupt(
            id=row.interrupt_id,
            path=row.path,
            allowed=json.loads(row.allowed),
            answer_schema=None if row.schema is None else json.loads(row.schema),
            shown_sha256=row.shown_sha256,
            asked=row.asked,
            expires_at=row.expires_at,
            **json.loads(row.shown),
        )
    except (TypeError, ValueError):
        return None


def _to_decided(row: Row[Any]) -> KeptDecision:
    try:
        decision = json.loads(row.value)
    except ValueError as error:
        message = f"A decision of the run `{row.run_id}` cannot be read. Type: minerva doctor"
        raise RunError(message) from error
    return KeptDecision(row.interrupt_id, decision, row.by, row.batch, row.at, row.shown_sha256)
