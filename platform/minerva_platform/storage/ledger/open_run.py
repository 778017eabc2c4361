"""A run that goes on in this process: what it writes, and when it lets its thread go."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import Connection, bindparam, update

from minerva_platform.contract.run_object import IS_OVER, Event, EventType, Interrupt, Run
from minerva_platform.errors import LeaseLostError, StateError
from minerva_platform.people.langgraph_questions import Answer
from minerva_platform.run_context.usage import Used
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.events import EventLog, write_events
from minerva_platform.storage.ledger.lease import TERMS, Lease, LeaseTerms, release, renew
from minerva_platform.storage.ledger.questions import (
    answers_now,
    keep_questions,
    lock_run,
    open_questions,
)
from minerva_platform.storage.ledger.run_row import run_to_row
from minerva_platform.storage.ledger.schema import runs, turns
from minerva_platform.storage.ledger.turn import KeptTurn
from minerva_platform.storage.queue.finished_run_notices import mark_told

if TYPE_CHECKING:
    from minerva_platform.storage.checkpoints.run_checkpointer import RunCheckpointer
    from minerva_platform.storage.checkpoints.tables import Kept

T = TypeVar("T")

_LAST_WORDS_S: Final = 0.25
"""Seconds that a run which cannot be kept waits to give its thread back."""
CUT_OFF: Final = ("queued", "lost")
"""Status and reason of a run that lost its process or its thread, and can be gone on with."""


_ITS_ROW: Final = update(runs).where(runs.c.run_id == bindparam("its"))
_ITS_TURN: Final = update(turns).where(turns.c.run_id == bindparam("its"))


@dataclass(slots=True)
class OpenRun:
    """A run that was accepted and is not over: it alone writes to its thread."""

    engine: Engine
    lease: Lease
    run_id: str
    terms: LeaseTerms = TERMS
    checkpointer: "RunCheckpointer | None" = None
    """Of the run, once it has one: what it has not written yet is kept with the run."""
    keep_checkpoints: "Kept" = "last"
    used: Callable[[], Used] | None = None
    """Tells what the run has used, once it is at work; kept with each of its states."""
    understanding: str | None = None
    """The request as it was understood, as JSON."""
    wait_seconds: float = 0.0
    """Seconds that it took to get the thread."""
    has_waited: bool = False
    """True if another run had the thread before."""
    events: EventLog | None = None
    """Where the events of the run go; None if nobody can watch it."""
    root: str = ""
    """The path of the run's own events."""
    goes_on: bool = False
    """True if another process goes on with the run when its task is cancelled here."""
    is_ending: bool = False
    """True from the last write on: a beat that comes then finds the lease given back."""
    is_over: bool = False
    """True if nothing more is written: the run has ended, or waits for a person."""

    def end(
        self, run: Run, turn: KeptTurn, *, used: Used | None = None, seconds: float | None = None
    ) -> None:
        """Keep the run with its turn, and give the thread back.

        Raises:
            LeaseLostError: another run has the thread by now; nothing was written.
            StateError: the database cannot be written.
        """
        row = (used or Used()).to_row(is_over=True)

        def work(connection: Connection) -> None:
            if self.checkpointer is not None:
                self.checkpointer.end(connection, self.keep_checkpoints)
            over = {"used": json.dumps(row), "understood": None, "limits": None}
            self._let_go(connection, run, turn, **over, ended=time.time())
            if run.notices:
                mark_told(connection, run.notices)
            self._note_end(connection, run)

        self._last(work, seconds)

    def pause(
        self, run: Run, turn: KeptTurn, *, used: Used, refused: Mapping[str, str]
    ) -> tuple[Run, dict[str, Answer]]:
        """Keep the run with what it asks, and give the thread back until somebody decides.

        Return the run with its questions as they are kept. If decisions about them are there
        already, the run keeps its thread to go on with what is returned beside it. `refused` says
        why an answer was not taken, by LangGraph's ids.

        Raises:
            LeaseLostError: another run has the thread by now; nothing was written.
            StateError: the database cannot be written.
        """
        row = json.dumps(used.to_row(is_over=False))
        checkpointer = self.checkpointer

        def work(connection: Connection) -> tuple[Run, dict[str, Answer], int]:
            renew(connection, self.lease, self.terms)
            lock_run(connection, self.run_id)
            mark = checkpointer.write(connection) if checkpointer is not None else 0
            look = partial(open_questions, connection, self.run_id, with_late=True)
            before = {each.interrupt.id for each in look()}
            keep_questions(connection, self.run_id, run.interrupts, refused=refused)
            decided = answers_now(connection, self.run_id, run.interrupts)
            asked = tuple(item.interrupt for item in look())
            told = run.model_copy(update={"interrupts": asked})
            new = [question for question in asked if question.id not in before]
            self._note_questions(connection, new, waits=not decided)
            if not decided:
                self._let_go(connection, told, turn, used=row, understood=self.understanding)
            return told, decided, mark

        told, decided, mark = self._last(work, None, goes_on=lambda done: bool(done[1]))
        if checkpointer is not None:
            checkpointer.confirm(mark)
        return told, decided

    def cancel(self, turn: KeptTurn | None, *, seconds: float) -> None:
        """Keep that the run was cancelled, with what was asked, and give the thread back.

        Raises:
            LeaseLostError: another run has the thread by now; nothing was written.
            StateError: the database cannot be written.
        """
        self._leave("cancelled", "cancelled", turn, seconds)

    def leave(self, *, status: str, reason: str | None) -> None:
        """Give the thread back if that was not done: nothing, or no turn, could be kept.

        A full disk may have room for this, though not for the state.
        """
        if self.is_over:
            return
        with suppress(LeaseLostError, StateError):
            self._leave(status, reason, None, _LAST_WORDS_S)
            return
        self.checkpointer = None
        with suppress(LeaseLostError, StateError):
            self._leave(status, reason, None, _LAST_WORDS_S)

    @asynccontextmanager
    async def kept_alive(self) -> AsyncGenerator[None]:
        """Renew the lease while the block runs; end the block if it is lost.

        Raises:
            LeaseLostError: another run took the thread, because this process stood still.
        """
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  # a coroutine runs in a task
        beating = asyncio.create_task(self._beat(task))
        try:
            yield
        except asyncio.CancelledError:
            is_lost = beating.done() and not beating.cancelled() and beating.exception() is not None
            if not is_lost or task.uncancel() > 0:  # the person cancelled it, too
                raise
            beating.result()  # raises why
        finally:
            if not beating.cancel() and not beating.cancelled():
                beating.exception()  # asked for, so that nobody complains that nobody did

    def note(self, connection: Connection) -> None:
        """Keep what the run has used so far, so that it goes on with its budget after a crash."""
        if self.used is not None:
            used = json.dumps(self.used().to_row(is_over=False))
            self._row(connection, used=used, understood=self.understanding)

    async def _beat(self, work: "asyncio.Task[object]") -> None:

        def renew_it(connection: Connection) -> None:
            renew(connection, self.lease, self.terms)
            self.note(connection)

        while True:
            await asyncio.sleep(self.terms.beat_seconds)
            try:
                await self.engine.awrite(renew_it, seconds=self.terms.beat_seconds)
            except LeaseLostError:
                if self.is_ending:
                    return
                work.cancel()
                raise
            except StateError:
                continue  # the next beat may find it free; the fence guards what is written

    def _leave(
        self, status: str, reason: str | None, turn: KeptTurn | None, seconds: float
    ) -> None:
        def work(connection: Connection) -> None:
            release(connection, self.lease)
            is_over = status in IS_OVER
            if self.checkpointer is not None:
                self.checkpointer.end(connection, self.keep_checkpoints if is_over else "all")
            ended = time.time() if is_over else None
            self._row(connection, status=status, reason=reason, ended=ended, lone_starts=0)
            self._keep_turn(connection, turn)
            if is_over:
                self._note_end(connection, None, status=status, reason=reason)

        self._last(work, seconds)

    def _let_go(
        self, connection: Connection, run: Run, turn: KeptTurn, **values: str | float | None
    ) -> None:
        """Write the run as it is now, with its turn, and give the thread back."""
        release(connection, self.lease)
        values |= {"run": run_to_row(run, turn), "lone_starts": 0}
        self._row(connection, status=run.status, reason=run.reason, **values)
        self._keep_turn(connection, turn)

    def _note_end(self, connection: Connection, run: Run | None, **status: str | None) -> None:
        """Write the last events of a run that is over; `status` is of one without a run object."""
        if self.events is None:
            return
        told: list[Event] = []
        if run is not None:
            status = {"status": run.status, "reason": run.reason}
            told = [self._event("notice", **each.model_dump()) for each in run.notices]
            told += [self._event("text", text=run.answer)] if run.answer else []
        ends = self._event("run_ended", **status)
        write_events(connection, self.run_id, [*told, ends])

    def _note_questions(
        self, connection: Connection, new: Sequence[Interrupt], *, waits: bool
    ) -> None:
        """Write what a run asks that it did not ask before, and that it waits."""
        if self.events is None:
            return
        told = [
            self._event("question", question.path, **question.model_dump(mode="json"))
            for question in new
        ]
        pause = [self._event("run_paused", status="needs_human")] if waits else []
        write_events(connection, self.run_id, [*told, *pause])

    def _event(self, kind: EventType, path: str = "", /, **data: Any) -> Event:
        return Event.of(kind, path or self.root, at=time.time(), is_run=not path, **data)

    def _row(self, connection: Connection, **values: str | float | None) -> None:
        connection.execute(_ITS_ROW, {"its": self.run_id, **values})

    def _keep_turn(self, connection: Connection, turn: KeptTurn | None) -> None:
        if turn is not None:
            connection.execute(_ITS_TURN, {"its": self.run_id, "turn": turn.model_dump_json()})

    def _last(
        self,
        work: Callable[[Connection], T],
        seconds: float | None,
        goes_on: Callable[[T], bool] = lambda _: False,
    ) -> T:
        self.is_ending = True
        try:
            done = self._write(work, seconds)
        except (LeaseLostError, StateError):
            self.is_ending = False
            raise
        self.is_over = not goes_on(done)
        self.is_ending = self.is_over
        return done

    def _write(self, work: Callable[[Connection], T], seconds: float | None) -> T:
        """Do `work` in a transaction that first writes the events which wait."""
        if self.events is None:
            return self.engine.write(work, seconds=seconds)
        with self.events.taken() as waiting:

            def whole(connection: Connection) -> T:
                renew(connection, self.lease, self.terms)
                write_events(connection, self.run_id, waiting)
                return work(connection)

            return self.engine.write(whole, seconds=seconds)
