"""Run a team as the root: bind recorder, budget and store, and build the run object.

Only the root has a checkpointer. Graphs below inherit it from LangGraph.
"""

import asyncio
import hashlib
import time
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from langgraph.errors import GraphBubbleUp

from minerva_observability import RunScope, record_span
from minerva_observability.records import SpanFields
from minerva_platform.answer.messages import answer_text
from minerva_platform.calls.budget import DEFAULT_HOPS, Budget
from minerva_platform.calls.context import RunContext, current_run
from minerva_platform.calls.deadline import within
from minerva_platform.calls.error_info import (
    cancelled_fields,
    error_to_reason_info,
    stop_fields,
)
from minerva_platform.calls.questions import to_interrupts
from minerva_platform.config.settings import bound_home, home_directory
from minerva_platform.contract.result import Reason, Result, TeamOutput
from minerva_platform.contract.run_object import Interrupt, Run, RunStatus
from minerva_platform.contract.task import Task
from minerva_platform.conversation.follow_up import Understood, kept_turn, understand
from minerva_platform.conversation.small_talk import kind_output
from minerva_platform.errors import AgentTimeoutError, StateBusyError
from minerva_platform.planning.unserved import person_words_in
from minerva_platform.runtime.firewall import convert_in, hide_request
from minerva_platform.runtime.input_binding import payload_of, refuse_unusable
from minerva_platform.runtime.kept_run import accepted_run, keep, keep_cancelled
from minerva_platform.runtime.options import RunOptions
from minerva_platform.runtime.outcome import account, paused_output
from minerva_platform.storage.artifacts import ArtifactStore

if TYPE_CHECKING:
    from minerva_platform.contract.team import Team
    from minerva_platform.storage.runs import OpenRun
    from minerva_platform.storage.threads import Conversation


async def run_team(team: "Team", task: Task, options: RunOptions | None = None) -> Run:
    """Run `team` on `task` to its end and return the run object. Failures are in it.

    Raises:
        BindingError: the task asks for nothing, or is no Unicode text.
        ThreadBusyError: another run goes on in the thread until the time is up.
        LeaseLostError: this process stood still, and another run took the thread over.
        StateError: the run cannot be kept; said before anything is done.
    """
    refuse_unusable(team.name, task)
    options = options or RunOptions()
    hops = options.limits.hops or max(DEFAULT_HOPS, team.size)
    home = options.home or home_directory()
    store = ArtifactStore(home / "artifacts")
    scope = RunScope(recorder=options.recorder, control_flow=(GraphBubbleUp,))
    scope.thread_id = options.thread_id or scope.run_id
    async with accepted_run(team, task, options, scope) as kept:
        if kept is not None:
            options = replace(options, waited=options.waited + kept.waited)
        context = RunContext(
            Budget(options.limits, hops, waited=options.waited),
            store,
            keeps_state=options.engine is not None,
            conversation=_conversation(options, scope.thread_id),
            person_words=person_words_in(task),
        )
        with scope.bound(), context.bound(), bound_home(home):
            return await _recorded_run(team, task, options, scope, kept)


def _conversation(options: RunOptions, thread_id: str) -> "Conversation | None":
    if options.engine is None:
        return None
    from minerva_platform.storage.threads import Conversation  # noqa: PLC0415  # SQLAlchemy is heavy

    return Conversation(options.engine, thread_id)


async def _recorded_run(
    team: "Team", task: Task, options: RunOptions, scope: RunScope, kept: "OpenRun | None"
) -> Run:
    with record_span(
        kind="run",
        path=team.name,
        team=team.name,
        agent_name=team.record_name,
        request_sha256=hashlib.sha256(task.context.encode()).hexdigest(),
    ) as span:
        try:
            async with kept.kept_alive() if kept else nullcontext():
                run, stop = await _whole_run(team, task, options, scope, kept)
        except asyncio.CancelledError:
            span.set(**cancelled_fields())
            raise
        except GraphBubbleUp:  # only an inner run's: the graph around it waits for the person
            raise
        except Exception as error:
            info = error_to_reason_info("internal_error", error)
            span.set(**stop_fields("internal_error", info))
            raise
        span.set(status=run.status)
        span.set(**stop)
    return run


async def _whole_run(
    team: "Team", task: Task, options: RunOptions, scope: RunScope, kept: "OpenRun | None"
) -> tuple[Run, SpanFields]:
    """Return the run, and the fields of its record that say why it stopped."""
    hide_request(task)
    context = current_run()
    said = await understand(team, task, context.conversation)
    try:
        output, interrupts = await _answered(team, said, options, scope, context, kept)
    except asyncio.CancelledError:
        if kept is not None:
            keep_cancelled(kept, said, task, team.name)
        raise
    output = _with_understanding(output, said)
    told = account(task, said, output, is_over=not interrupts)
    run = Run(
        run_id=scope.run_id,
        thread_id=scope.thread_id or scope.run_id,
        status=_status(output, interrupts),
        reason=output.reason,
        understood="" if said.task.request == task.request else said.task.request,
        answer=answer_text(team, said.task, output, told),
        hops=tuple(sorted(output.hops, key=lambda hop: hop.started_ns)),
        handoffs={
            kind: payload_of(records[-1], context.store)
            for kind, records in output.handoffs.items()
        },
        bypassed=output.bypassed,
        unserved=output.unserved,
        interrupts=interrupts,
        artifacts=output.artifacts,
        usage=output.usage,
        left_out=team.left_out,
        cut=output.cut,
        files=told.files,
        more_files=told.more_files,
        unused=told.unused,
    )
    if kept is not None:
        turn = kept_turn(run, task, said, output, team.name)
        run = await keep(kept, run, turn, team, said.task.language)
    return run, _stop_of(output, team.name)


def _stop_of(output: TeamOutput, root: str) -> SpanFields:
    """Return the fields of the run's record that say why it stopped, if it did.

    A run's limit that a team below has reached began at the root.
    """
    if output.reason is None:
        return {}
    if output.error is None:  # small talk asked for nothing
        return {"reason": output.reason}
    because_of = output.because_of if output.because_of != root else None
    return stop_fields(output.reason, output.error, because_of)


def _with_understanding(output: TeamOutput, said: Understood) -> TeamOutput:
    """Return `output` with the usage and the bypasses of understanding the request."""
    usage, bypassed = said.usage + output.usage, (*said.bypassed, *output.bypassed)
    return output.model_copy(update={"usage": usage, "bypassed": bypassed})


async def _answered(
    team: "Team",
    said: Understood,
    options: RunOptions,
    scope: RunScope,
    context: RunContext,
    kept: "OpenRun | None",
) -> tuple[TeamOutput, tuple[Interrupt, ...]]:
    if said.is_small_talk:
        return kind_output(team, said.task), ()
    return await _finished(team, said.task, options, scope, context, kept)


async def _finished(
    team: "Team",
    task: Task,
    options: RunOptions,
    scope: RunScope,
    context: RunContext,
    kept: "OpenRun | None",
) -> tuple[TeamOutput, tuple[Interrupt, ...]]:
    graph = team.graph
    if kept is not None:
        from minerva_platform.storage.checkpoints.run_checkpointer import RunCheckpointer  # noqa: PLC0415  # SQLAlchemy is heavy

        checkpointer = kept.checkpointer = RunCheckpointer(kept.engine, kept.run_id, kept.lease)
        graph = graph.copy({"checkpointer": checkpointer})
    config: Any = None if options.is_inner else {"configurable": {"thread_id": scope.run_id}}
    # supervisors end in time; this fence catches an answer that is composed too late
    seconds = options.limits.seconds + options.limits.grace_seconds - options.waited
    try:
        entering = convert_in(team, task, context.store)
        final = await within(graph.ainvoke(entering, config), seconds=seconds, path=team.name)
        if "__interrupt__" not in final:
            return team.state_to_output(final), ()
    except (AgentTimeoutError, StateBusyError) as error:
        return _failed("deadline", error), ()
    except GraphBubbleUp:  # only an inner run's: the graph around it waits for the person
        raise
    except Exception as error:  # noqa: BLE001  # after any failure the person gets a run object
        return _failed("internal_error", error), ()
    results = [Result.model_validate(item) for item in final.get("results", ())]
    interrupts = to_interrupts(
        final["__interrupt__"], context.questions, root=team.name, now=time.time()
    )
    unserved = final.get("progress", {}).get("unserved", ())
    return paused_output(team, task, results, unserved), interrupts


def _failed(reason: Reason, error: Exception) -> TeamOutput:
    info = error_to_reason_info(reason, error)
    return TeamOutput(status="failed", reason=reason, error=info)


def _status(output: TeamOutput, interrupts: tuple[Interrupt, ...]) -> RunStatus:
    if interrupts:
        return "needs_human"
    if output.status != "ok":
        return "failed"
    is_cut_short = output.reason not in {None, "small_talk"}
    return "ok_degraded" if output.bypassed or is_cut_short else "ok"
