"""The ledger's questions to people: a question is open until its first decision is kept."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, insert, or_, select, update

from minerva_platform.contract.run_object import Interrupt
from minerva_platform.errors import RunError
from minerva_platform.people.langgraph_questions import (
    Answer,
    langgraph_id,
    next_id,
    to_earlier,
    to_resume_value,
)
from minerva_platform.storage.ledger.run_row import RunHead, to_head
from minerva_platform.storage.ledger.schema import LOCAL, decisions, interrupts, runs

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


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion(RunHead):
    """A question that nobody has decided yet, with the run that waits for it."""

    interrupt: Interrupt

    @property
    def rests(self) -> bool:
        """True if the original of this restored store may have been answered: nobody is to."""
        return self.of_original


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
    tenant: str | None = LOCAL,
    with_late: bool = False,
) -> tuple[OpenQuestion, ...]:
    """Return the questions that wait for a person, the oldest first.

    They are those of a run, or of the runs of `tenant`, or of all tenants: all, or those of a
    thread. One whose time is over waits for nobody; `with_late` gives it until that is settled.

    A damaged row is left out; `minerva doctor` names it.
    """
    names = ("thread_id", "root", "status", "task", "tenant", "of_original", "reason", "requester")
    about = [runs.c[name] for name in (*names, "created", "ended")]
    query = (
        select(interrupts, *about)
        .join_from(interrupts, runs, runs.c.run_id == interrupts.c.run_id)
        .where(runs.c.status.in_(OPEN_RUNS), *UNDECIDED)
        .order_by(interrupts.c.asked, interrupts.c.run_id, interrupts.c.interrupt_id)
    )
    if not with_late:
        its_end = interrupts.c.expires_at
        query = query.where(or_(its_end.is_(None), its_end > time.time()))
    if run_id is not None:
        query = query.where(interrupts.c.run_id == run_id)
    elif tenant is not None:
        query = query.where(runs.c.tenant == tenant)
    if thread_id is not None:
        query = query.where(runs.c.thread_id == thread_id)
    found = ((row, _readable(row)) for row in connection.execute(query))
    return tuple(
        OpenQuestion(**asdict(to_head(row)), interrupt=question)
        for row, question in found
        if question is not None
    )


UNDECIDED: Final = (
    interrupts.c.spent.is_(False),
    ~select(decisions.c.interrupt_id)
    .where(
        decisions.c.run_id == interrupts.c.run_id,
        decisions.c.interrupt_id == interrupts.c.interrupt_id,
    )
    .exists(),
)


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


def lock_run(connection: Connection, run_id: str) -> str | None:
    """Return the status of a run, which nobody else changes until the transaction ends.

    A run that is about to pause and a decision about its other question follow each other so.
    """
    row = select(runs.c.status).where(runs.c.run_id == run_id)
    return connection.execute(row.with_for_update()).scalar()


def questions_of(connection: Connection, run_id: str) -> dict[str, Interrupt]:
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
