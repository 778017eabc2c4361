"""Move a kept run on after a question, a crash or a wait in the queue; no other way leads on.

The ledger says what was decided, LangGraph says what is pending, and `advance` joins them. It may
be called at any time, by anybody, and again: a run that is over or that waits is returned as it is,
and one that was cut off goes on.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from langgraph.errors import GraphBubbleUp
from sqlalchemy import Connection

from minerva_observability import Recorder, RunScope
from minerva_platform.contract.run_object import DecisionBatch, Run
from minerva_platform.durable.active_run import ActiveRun
from minerva_platform.durable.events import EventWriter
from minerva_platform.errors import OtherTeamsError, RunError, UnknownRunError
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.storage.ledger.decisions import decide, expire, os_user
from minerva_platform.storage.ledger.events import EventLog
from minerva_platform.storage.ledger.lease import TERMS
from minerva_platform.storage.ledger.open_run import OpenRun
from minerva_platform.storage.ledger.questions import decisions_of
from minerva_platform.storage.ledger.run_row import KeptRun, find_run
from minerva_platform.storage.ledger.run_start import taken_up

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.runtime.run_options import RunOptions
    from minerva_platform.storage.engine.engine import Engine

_KEPT_NOWHERE = (
    "Nothing of runs is kept, so none can go on: set `keep_state: true` in platform.yaml."
)


async def resume_team(
    team: "AssembledTeam", run_id: str, batch: DecisionBatch, options: "RunOptions"
) -> Run:
    """Keep what was decided about the questions of a run, and move the run on.

    Raises:
        UnknownRunError: there is no such run.
        DecisionError: a decision cannot be taken; none of them is kept then.
        OtherTeamsError: the run cannot go on with the teams that are there now.
        ThreadBusyError: another run goes on in the thread until the time is up.
        StateError: the database cannot be used.
    """
    engine = _engine(options)
    kept = await engine.aread(partial(find_run, run_id=run_id, place=engine.place), empty=None)
    if kept is None:
        raise UnknownRunError(run_id)
    _check_root(team, kept)
    if batch.decisions:
        given = partial(decide, engine, run_id, batch.decisions, by=batch.by or os_user())
        await in_daemon_thread(partial(given, batch_id=batch.batch_id, shown=batch.shown))
    return await advance(team, run_id, options)


async def advance(
    team: "AssembledTeam",
    run_id: str,
    options: "RunOptions",
    *,
    let_begin: "Callable[[Connection, KeptRun], bool] | None" = None,
    began: Callable[[], None] | None = None,
    writer: EventWriter | None = None,
    is_alone: bool = False,
) -> Run:
    """Move a run on until it ends or waits for a person, and return it.

    A worker process gives `let_begin`, which is asked in the transaction that would take the run
    up: if it says no, the run is returned as it is. Such a process waits for no thread, and if its
    task is cancelled, another process goes on with the run. `began` is called if the run is taken
    up here. `writer` writes the run's events. `is_alone`: nothing else is at work in the process.

    Raises:
        UnknownRunError: there is no such run.
        OtherTeamsError: the run cannot go on with the teams that are there now.
        ThreadBusyError: another run goes on in the thread until the time is up.
        LeaseLostError: this process stood still, and another took the run over.
        StateError: the database cannot be used.
    """
    engine = _engine(options)
    going_on = taken_up(
        engine,
        run_id,
        seconds=0.0 if let_begin else options.limits.seconds,
        moves=partial(_moves, let_begin=let_begin),
        versions=team.versions,
        terms=options.terms or TERMS,
        is_alone=is_alone,
    )
    async with going_on as (row, kept):
        if kept is None:
            return row.to_run()
        if began is not None:
            began()
        _check_root(team, row)
        kept.keep_checkpoints, kept.goes_on = options.keep_checkpoints, let_begin is not None
        own = replace(options, thread_id=row.thread_id, limits=row.limits)
        with _watched(team, kept, options.recorder, writer) as recorder:
            scope = _scope(row, recorder, options)
            return await ActiveRun(team, row.task, own, scope, kept, row).done()


@contextmanager
def _watched(
    team: "AssembledTeam", open_run: OpenRun, recorder: Recorder, writer: EventWriter | None
) -> Generator[Recorder]:
    """Give what records the run; with a writer, the run's events are written, too."""
    if writer is None:
        yield recorder
        return
    open_run.root, open_run.events = team.name, EventLog(open_run.run_id, open_run.lease)
    teams = frozenset(part.name for part in team.teams)
    with writer.watched(open_run.events, recorder, teams) as watching:
        yield watching


def _scope(row: KeptRun, recorder: Recorder, options: "RunOptions") -> RunScope:
    return RunScope(
        run_id=row.run_id,
        recorder=recorder,
        control_flow=(GraphBubbleUp,),
        thread_id=row.thread_id,
        resume_no=row.next_resume,
        traceparent=row.traceparent,
        clock=options.clock,
    )


def _engine(options: "RunOptions") -> "Engine":
    if options.engine is None:
        raise RunError(_KEPT_NOWHERE)
    return options.engine


def _check_root(team: "AssembledTeam", row: KeptRun) -> None:
    if row.root != team.name:
        what = f"was asked, and here `{team.name}` is"
        raise OtherTeamsError(row.run_id, row.root, what, row.versions, team.versions)


def _moves(
    connection: Connection, row: KeptRun, let_begin: "Callable[[Connection, KeptRun], bool] | None"
) -> bool:
    """True if the run can go on; one that waits for a person needs a decision first.

    Whoever looks at a run first rejects what has expired.
    """
    expire(connection, row.run_id, time.time())
    if let_begin is not None and not let_begin(connection, row):
        return False
    if row.status != "needs_human" or row.run is None:
        return True
    done = decisions_of(connection, row.run_id)
    return any(question.id in done for question in row.run.interrupts)
