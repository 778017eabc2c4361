"""The run object, made of what came of a run."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minerva_observability.records import SpanFields
from minerva_platform.answer.messages import Account, answer_text
from minerva_platform.answer.repetition import repeats_unasked
from minerva_platform.contract.result import Bypass, TeamOutput
from minerva_platform.contract.run_object import Interrupt, Notice, Run, RunStatus, SentHandoff
from minerva_platform.contract.task import Task
from minerva_platform.conversation.follow_up import Understanding
from minerva_platform.planning.request_words import quotes_of
from minerva_platform.run_context.context import current_run
from minerva_platform.run_context.failures.error_info import stop_fields
from minerva_platform.runtime.attached_files import named_files
from minerva_platform.runtime.border.exact_handoffs import payload_of
from minerva_platform.runtime.border.input_binding import fetch_handoffs

if TYPE_CHECKING:
    from minerva_observability import RunScope
    from minerva_platform.contract.assembled_team import AssembledTeam


async def bring_files(output: TeamOutput) -> None:
    """Bring here what the run object names and another host has made.

    Raises:
        StateError: the database that has it cannot be read.
    """
    store = current_run().store
    await fetch_handoffs(output.handoffs, store)
    await store.afetch([artifact.sha256 for artifact in output.artifacts])


def to_run(
    team: "AssembledTeam",
    task: Task,
    understanding: Understanding,
    output: TeamOutput,
    scope: "RunScope",
    interrupts: Sequence[Interrupt] = (),
    notices: Sequence[Notice] = (),
) -> Run:
    """Return the run object of `output`: of its end, or of what is done while it waits."""
    told = _account(task, understanding, output, is_over=not interrupts)
    store, effects = current_run().store, current_run().effect_log.all()
    status = _status(output, interrupts)
    all_handoffs = {
        kind: tuple(
            SentHandoff(
                sender=each["path"], version=each["version"], payload=payload_of(each, store)
            )
            for each in records
        )
        for kind, records in output.handoffs.items()
    }
    return Run(
        run_id=scope.run_id,
        thread_id=scope.thread_id or scope.run_id,
        status=status,
        reason=output.reason,
        understood="" if understanding.task.request == task.request else understanding.task.request,
        answer=answer_text(team, understanding.task, output, told, effects),
        hops=tuple(sorted(output.hops, key=lambda hop: hop.started_ns)),
        handoffs={kind: several[-1].payload for kind, several in all_handoffs.items()},
        all_handoffs=all_handoffs,
        bypassed=to_stopped(output.bypassed) if status == "failed" else output.bypassed,
        unserved=output.unserved,
        effects=effects,
        interrupts=tuple(interrupts),
        artifacts=tuple(map(store.locate, output.artifacts)),
        usage=output.usage,
        left_out=team.left_out,
        cut=output.cut,
        files=told.files,
        more_files=told.more_files,
        unused=told.unused,
        notices=tuple(notices),
    )


def to_stopped(entries: Sequence[Bypass]) -> tuple[Bypass, ...]:
    """Return the failures of a run that has failed itself: none was got over."""
    return tuple(entry.model_copy(update={"action": "stopped"}) for entry in entries)


def with_understanding(
    output: TeamOutput, task: Task, understanding: Understanding, *, is_over: bool
) -> TeamOutput:
    """Return `output` with the usage and the bypasses of understanding the request of `task`.

    An answer that only repeats the last one asks back, because it may miss what is asked.
    What a run that waits has used is what was counted, because members that wait tell nothing yet.
    """
    usage = understanding.usage + output.usage if is_over else current_run().budget.usage
    reason, is_whole = output.reason, is_over and output.status == "ok"
    if is_whole and reason is None and repeats_unasked(task.request, output, understanding.latest):
        reason = "asked_back"
    bypassed = (*understanding.bypassed, *output.bypassed)
    return output.model_copy(update={"usage": usage, "bypassed": bypassed, "reason": reason})


def stop_of(output: TeamOutput, root: str) -> SpanFields:
    """Return the fields of the run's record that say why it stopped, if it did.

    A run's limit that a team below has reached began at the root.
    """
    if output.reason is None:
        return {}
    if output.error is None:  # an answer without work
        return {"reason": output.reason}
    because_of = output.because_of if output.because_of != root else None
    return stop_fields(output.reason, output.error, because_of)


def _account(
    task: Task, understanding: Understanding, output: TeamOutput, *, is_over: bool
) -> Account:
    """Return the account of `task`. A file from an earlier turn is in it only if a member got it.

    While the run waits for a person (`is_over` is false), a file may still be used.
    """
    if understanding.instead is not None:
        return Account()
    heard, came = understanding.task, is_over and bool(task.attachments)
    files, more = named_files(output, heard.attachments, heard.language, is_over=came)
    unused = output.unused if output.status == "ok" else None
    quotes = quotes_of(unused or (), task.request, unserved=output.unserved)
    return Account(files, more, quotes, repeats_unasked(task.request, output, understanding.latest))


def _status(output: TeamOutput, interrupts: Sequence[Interrupt]) -> RunStatus:
    if interrupts:
        return "needs_human"
    if output.status != "ok":
        return "failed"
    lacks = any(not entry.is_whole for entry in output.bypassed)
    is_cut_short = output.reason not in {None, "about", "asked_back", "small_talk"}
    return "ok_degraded" if lacks or is_cut_short else "ok"
