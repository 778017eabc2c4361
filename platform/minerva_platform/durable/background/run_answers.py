"""Answer what a person asks about the background runs of a thread, and stop those that she names.

This is the small worker of the platform for "is it done?". A team that is led by tools with a model
needs none: its model gets the words, and has tools for them.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from minerva_platform.contract.result import Reason, TeamOutput
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.task import Task
from minerva_platform.conversation.follow_up import Understanding
from minerva_platform.conversation.reply import Decides, back_output, reply_of
from minerva_platform.durable.background.member_runs import KeptOwnRuns
from minerva_platform.durable.background.run_question import (
    NAMED_CHARACTERS,
    TEXTS,
    RunQuestion,
    asks_in_vain,
    read_run_question,
    states_text,
)
from minerva_platform.people.typed_answer import is_answer
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.run_context.context import OwnRuns
from minerva_platform.storage.queue.owned_runs import OwnedRun
from minerva_platform.text.language import Language

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.storage.ledger.questions import OpenQuestion
    from minerva_platform.storage.ledger.threads import Conversation


async def answered_about_runs(
    team: "AssembledTeam", task: Task, own_runs: OwnRuns, conversation: "Conversation | None"
) -> Understanding | None:
    """Return the answer to a question about background runs; None if `task` is a request.

    While a question of the thread waits for a person, "stop" is an answer to it, unless something
    else could be stopped. For a model with tools for runs, the words are a request that stands
    alone, not a follow-up.

    Raises:
        StateError: the thread cannot be read, or a run cannot be cancelled.
    """
    if not isinstance(own_runs, KeptOwnRuns) or conversation is None:
        return None
    is_work = task.members or task.attachments  # of a program, or with something to work on
    runs = () if is_work else await own_runs.find_runs()
    if not runs:
        may_start = team.starts_runs and not is_work
        return await _in_vain(team, task, conversation) if may_start else None
    before = await in_daemon_thread(conversation.latest)
    is_next = before is None or before.run_id in {run.run_id for run in runs}
    words = before.request if before else ""
    question = read_run_question(team, task.request, runs, words, is_next=is_next)
    waiting: tuple[OpenQuestion, ...] = ()
    if question is not None and question.wish == "stop" and not question.names:
        waiting = await in_daemon_thread(conversation.open_questions, team.name)
        if waiting and not question.stops_beside(waiting):
            return None
        question = replace(question, is_clear=question.is_clear and not waiting)
    output = await _answer_to_question(team, task, own_runs, runs, question)
    if output is None and question is None:
        return None
    if output is None and team.router_traits.reads_results and team.starts_runs:
        return Understanding(task, task.context, latest=before)
    topic = before.topic if before else ""
    if output is None and question is not None:
        output = await _answer(question, own_runs, runs, task.language)
    if output and waiting and (back := back_output(team, task, waiting)):
        output = back.model_copy(update={"summary": f"{output.summary}\n\n{back.summary}"})
    return Understanding(task, topic, before, before, instead=output)


async def _answer_to_question(
    team: "AssembledTeam",
    task: Task,
    own_runs: KeptOwnRuns,
    runs: tuple[OwnedRun, ...],
    question: RunQuestion | None,
) -> TeamOutput | None:
    """Return what is said when `task` answers what a run asks a person; None if it does not.

    A run that is to stop asks no more.
    """
    waiting = [run.run_id for run in runs if run.status == "needs_human" and run.is_of_member]
    if not waiting or (question is not None and question.wish == "stop"):
        return None
    asked = await own_runs.open_questions(waiting)
    reply = reply_of(team, task, asked)
    if isinstance(reply, Decides):
        if await own_runs.requester() is not None:
            return back_output(team, task, asked, why="elsewhere")
        await own_runs.decide(reply)
        (run,) = (each for each in runs if each.run_id == reply.run_id)
        names = {"member": run.member, "run": run.run_id[:NAMED_CHARACTERS]}
        text = TEXTS("one", task.language, **names, state=TEXTS("answered", task.language))
        if not await own_runs.has_workers():
            text += f"\n\n{TEXTS('no_worker', task.language)}"
        return _output(text)
    if reply is None or question is not None or not is_answer(task.request):
        return None
    return back_output(team, task, asked)


async def _in_vain(
    team: "AssembledTeam", task: Task, conversation: "Conversation"
) -> Understanding | None:
    """Return the answer to "is it done?" in a thread that has turns, and no background runs."""
    before = await in_daemon_thread(conversation.latest)
    if before is None or team.router_traits.reads_results or not asks_in_vain(team, task.request):
        return None
    if await in_daemon_thread(conversation.open_questions, team.name):
        return None
    output = _output(TEXTS("none_here", task.language))
    return Understanding(task, before.topic, before, before, instead=output)


async def _answer(
    question: RunQuestion, own_runs: KeptOwnRuns, runs: tuple[OwnedRun, ...], language: Language
) -> TeamOutput:
    if not question.is_clear:
        asked = f"{TEXTS('which', language)}\n\n{states_text(question.runs, runs, language)}"
        return _output(asked, "asked_back")
    if question.wish == "stop":
        return _output(await _stop_runs(question, own_runs, runs, language))
    if question.wish == "result" and all(run.is_over for run in question.runs):
        ends = [await own_runs.end(run.run_id) for run in question.runs]
        parts = [_result(*each, runs, language) for each in zip(question.runs, ends, strict=True)]
        await own_runs.mark_told(question.runs)
        files = tuple(each for end in ends if end is not None for each in end.artifacts)
        return _output("\n\n".join(parts)).model_copy(update={"artifacts": files})
    text = states_text(question.runs, runs, language)
    for run in question.runs:
        if not run.is_over and (values := await own_runs.progress(run.run_id)):
            line = TEXTS("progress", language, run=run.run_id[:NAMED_CHARACTERS], **values)
            text += f"\n{line.rstrip(' ·')}"
    if any(run.status == "queued" for run in question.runs) and not await own_runs.has_workers():
        text += f"\n\n{TEXTS('no_worker', language)}"
    if any(run.status in {"ok", "ok_degraded", "failed"} for run in question.runs):
        text += f"\n\n{TEXTS('ask_result', language)}"
    await own_runs.mark_told([run for run in question.runs if run.is_over])
    return _output(text)


async def _stop_runs(
    question: RunQuestion, own_runs: KeptOwnRuns, runs: tuple[OwnedRun, ...], language: Language
) -> str:
    lines: list[str] = []
    for run in question.runs:
        if not run.is_over and await own_runs.stop_run(run.run_id):
            names = {"member": run.member, "run": run.run_id[:8]}
            lines.append(TEXTS("one", language, **names, state=TEXTS("stopped", language)))
    if lines:
        return "\n".join(lines)
    over = {run.run_id: run for run in await own_runs.find_runs()}
    now = [over[run.run_id] for run in question.runs]
    later = tuple(over[run.run_id] for run in runs)
    return f"{TEXTS('nothing_to_stop', language)}\n\n{states_text(now, later, language)}"


def _result(run: OwnedRun, end: Run | None, runs: tuple[OwnedRun, ...], language: Language) -> str:
    answer = (end.answer if end else "") or TEXTS("nothing", language)
    return f"{states_text([run], runs, language)}\n\n{answer}"


def _output(text: str, reason: Reason = "about") -> TeamOutput:
    return TeamOutput(reason=reason, summary=text)
