"""What a request in a thread does: it answers the question that waits there, or begins a run."""

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from minerva_observability.tracing import new_run_id
from minerva_platform.contract.run_object import DecisionBatch, Run
from minerva_platform.contract.task import Task
from minerva_platform.conversation.follow_up import Understanding
from minerva_platform.conversation.reply import Decides, reply_of
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.errors import RunError, StateError
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.runtime.border.input_binding import refuse_unusable
from minerva_platform.runtime.run_options import RunOptions

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.storage.engine.engine import Engine


async def ask_team(team: "AssembledTeam", task: Task, options: RunOptions) -> Run:
    """Run `team` on `task`. A plain yes or no in a thread with an open question resumes its run.

    Raises:
        BindingError: the task asks for nothing, or is no Unicode text.
        DecisionError: another decision about the question came first, or its time is over.
        ThreadBusyError: another run goes on in the thread until the time is up.
        LeaseLostError: this process stood still, and another run took the thread over.
        StateError: the run cannot be kept; said before anything is done.
    """
    decides = await decided_by(team, task, options.engine, options.thread_id)
    if decides is None:
        about_runs = await _said_meanwhile(team, task, options)
        return await run_team(team, task, options, about_runs=about_runs)
    given, shown = {decides.interrupt_id: decides.decision}, {decides.interrupt_id: decides.shown}
    return await resume_team(team, decides.run_id, DecisionBatch(given, shown=shown), options)


async def _said_meanwhile(
    team: "AssembledTeam", task: Task, options: RunOptions
) -> Understanding | None:
    """Return the answer to a question about the run that is at work in the thread, if it is one.

    That run alone writes to the thread, so only the records tell of the answer. A request waits for
    the thread, also one of a model with tools for runs.
    """
    engine, thread_id = options.engine, options.thread_id
    if engine is None or thread_id is None:
        return None
    from minerva_platform.durable.background.member_runs import KeptOwnRuns  # noqa: PLC0415  # SQLAlchemy is heavy
    from minerva_platform.durable.background.run_answers import answered_about_runs  # noqa: PLC0415  # the same
    from minerva_platform.storage.ledger.threads import Conversation  # noqa: PLC0415  # the same

    runs = KeptOwnRuns(engine, thread_id, "", team.name, task, options.limits, None)
    with suppress(StateError):  # what cannot be read now cannot be kept either, which is said
        if await runs.hold_thread():
            conversation = Conversation(engine, thread_id)
            about_runs = await answered_about_runs(team, task, runs, conversation)
            return about_runs if about_runs is not None and about_runs.instead else None
    return None


async def submit_team(team: "AssembledTeam", task: Task, options: RunOptions) -> Run:
    """Keep a run of `team` for a worker process, and return it: `queued`.

    Raises:
        BindingError: the task asks for nothing, or is no Unicode text.
        RunError: the words answer a question that waits in the thread, or nothing of runs is kept.
        StateError: the run cannot be kept.
    """
    from minerva_platform.storage.ledger.run_start import NewRun, enqueue  # noqa: PLC0415  # SQLAlchemy is heavy

    refuse_unusable(team.name, task)
    if options.engine is None:
        message = "A background run is kept: set `keep_state: true` in platform.yaml."
        raise RunError(message)
    decides = await decided_by(team, task, options.engine, options.thread_id)
    if decides is not None:
        message = (
            f"This answers a question of run `{decides.run_id}`, which goes on at once: "
            "ask it in the foreground."
        )
        raise RunError(message)
    run_id = new_run_id()
    new = NewRun(run_id, options.thread_id or run_id, team.name, task, options.limits)
    await in_daemon_thread(enqueue, options.engine, new)
    return Run(run_id=run_id, thread_id=new.thread_id, status="queued")


async def decided_by(
    team: "AssembledTeam",
    task: Task,
    engine: "Engine | None",
    thread_id: str | None,
    *,
    tenant: str = "local",
) -> Decides | None:
    """Return the decision that a request is; None if it is none, or in no thread.

    It is about a question of a run of `tenant`. Questions whose time is over are settled first.
    "stop" decides nothing while a background run may be meant.
    """
    if engine is None or thread_id is None:
        return None
    from minerva_platform.durable.background.run_question import read_run_question  # noqa: PLC0415  # the same
    from minerva_platform.storage.ledger.decisions import settle_late  # noqa: PLC0415  # the same
    from minerva_platform.storage.ledger.threads import Conversation  # noqa: PLC0415  # SQLAlchemy is heavy
    from minerva_platform.storage.queue.owned_runs import OwnedRun, runs_owned_by  # noqa: PLC0415  # the same

    await in_daemon_thread(settle_late, engine)
    conversation = Conversation(engine, thread_id, tenant=tenant)
    waiting = await in_daemon_thread(conversation.open_questions, team.name)
    reply = reply_of(team, task, waiting)
    if not isinstance(reply, Decides):
        return None
    look = partial(runs_owned_by, thread_id=thread_id, asker="")
    runs = await engine.aread(look, empty=tuple[OwnedRun, ...]())
    question = read_run_question(team, task.request, runs)
    return None if question and question.stops_beside(waiting) else reply
