"""What a run keeps, and how one that goes on reads it again.

To understand a request again could give other words: a model may have said them, or the thread may
have more turns by now. What was asked and given is never in a record, only that it was.
"""

from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from minerva_observability import record_decision, record_pause
from minerva_platform.contract.result import Bypass, BypassAction
from minerva_platform.contract.run_object import Interrupt, Notice, Run
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Frozen, Shown, Usage
from minerva_platform.conversation.follow_up import Understanding, understand
from minerva_platform.errors import LeaseLostError, StateError
from minerva_platform.people.langgraph_questions import Answer
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.run_context.context import current_run
from minerva_platform.run_context.failures.failure_text import to_bypass
from minerva_platform.run_context.recorded_failures import record_step_failure
from minerva_platform.storage.ledger.turn import KeptTurn
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.storage.engine.engine import Engine
    from minerva_platform.storage.ledger.open_run import OpenRun
    from minerva_platform.storage.ledger.questions import KeptDecision
    from minerva_platform.storage.ledger.threads import Conversation

TEXTS = read_texts("minerva_platform.durable", "save")
KEEP: Final = "keep"
"""The node that adds the turn to its thread, by its name in records."""

_HURRY_S: Final = 0.25
"""Seconds that a cancelled run waits to keep its turn, while a person waits for it to end."""


async def keep(
    open_run: "OpenRun", run: Run, turn: KeptTurn, team: "AssembledTeam", language: Language
) -> Run:
    """Add the turn to its thread, with the files as the teams tell them at the end.

    If either fails, the run keeps its answer, and says so.
    """
    if run.artifacts:
        from minerva_platform.durable.decided_files import with_decided_files  # noqa: PLC0415  # few runs have files

        try:
            run = await with_decided_files(run, team, open_run)
        except Exception as error:  # noqa: BLE001  # a team's own code
            run = not_kept(error, run, team, language, text="files_not_told")
    try:
        await in_daemon_thread(open_run.end, run, turn, used=current_run().used_so_far())
    except (LeaseLostError, StateError) as error:
        return not_kept(error, run, team, language)
    return run


def not_kept(
    error: Exception, run: Run, team: "AssembledTeam", language: Language, *, text: str = "not_kept"
) -> Run:
    """Return `run`, saying that it is not kept and why; or what else `text` names."""
    info = record_step_failure(error, "bypassed", team=team, node=KEEP)
    action: BypassAction = "stopped" if run.status == "failed" else "bypassed"
    entry = to_bypass(team.name, info, language, action)
    entry = entry.model_copy(update={"cause": TEXTS(text, language, cause=entry.cause)})
    status = "ok_degraded" if run.status == "ok" else run.status
    update = {"status": status, "bypassed": (*run.bypassed, entry)}
    sentence = TEXTS(text, language, cause=entry.sentence)
    return run.model_copy(update={**update, "answer": f"{run.answer}\n\n{sentence}"})


def cut_off(run: Run, language: Language) -> Run:
    """Return `run`, whose state could not be kept further, saying how it goes on."""
    hint = TEXTS("cut_off", language, run_id=run.run_id)
    return run.model_copy(update={"answer": f"{run.answer}\n\n{hint}"})


def keep_cancelled(
    open_run: "OpenRun", understanding: Understanding, words: Task, root: str
) -> None:
    """Add a cancelled run's request to its thread, because the next turn may refer to it."""
    turn = KeptTurn(
        request=words.context,
        answer="",
        topic=understanding.topic,
        run_id=open_run.run_id,
        status="cancelled",
        root=root,
        attachments=understanding.task.attachments,
    )
    with suppress(LeaseLostError, StateError):  # there will be no answer that could say so
        open_run.cancel(turn, seconds=_HURRY_S)


class KeptUnderstanding(Frozen):
    """How a run understood its request: earlier turns are named by their runs."""

    task: Task
    topic: str
    shown: tuple[Shown, ...] = ()
    before: str | None = None
    latest: str | None = None
    usage: Usage = Usage()
    bypassed: tuple[Bypass, ...] = ()
    suspected: tuple[str, ...] = ()


def to_kept(understanding: Understanding) -> str:
    """Return `understanding` as JSON for the ledger."""
    return KeptUnderstanding(
        task=understanding.task,
        topic=understanding.topic,
        shown=understanding.shown,
        before=understanding.before.run_id if understanding.before else None,
        latest=understanding.latest.run_id if understanding.latest else None,
        usage=understanding.usage,
        bypassed=understanding.bypassed,
        suspected=understanding.suspects,
    ).model_dump_json()


async def understood_again(
    team: "AssembledTeam", task: Task, text: str | None, conversation: "Conversation | None"
) -> Understanding:
    """Return the request as the run understood it; if that was not kept, understand it anew.

    The words of a call in the background were understood where it was made.
    """
    if task.started_by:
        return Understanding(task, task.context)
    if text is None or conversation is None:
        return await understand(team, task, conversation)
    try:
        found = KeptUnderstanding.model_validate_json(text)
    except ValidationError:  # of a later version
        return await understand(team, task, conversation)
    return Understanding(
        task=found.task,
        topic=found.topic,
        shown=found.shown,
        before=await in_daemon_thread(conversation.of_run, found.before),
        latest=await in_daemon_thread(conversation.of_run, found.latest),
        usage=found.usage,
        bypassed=found.bypassed,
        suspects=found.suspected,
    )


def record_pauses(
    team: "AssembledTeam", asked: Iterable[Interrupt], *, before: Iterable[Interrupt]
) -> None:
    """Record the questions that were not asked `before`, in an earlier part of the run.

    A part that is repeated after a crash records them again under the same ids; readers count them
    once.
    """
    known = {question.id for question in before}
    for question in asked:
        if question.id not in known:
            record_pause(**_about(question, team), asked=question.asked)


def _about(question: Interrupt, team: "AssembledTeam") -> dict[str, str]:
    """Return what rows say of a question: also its team, if a worker is below another worker."""
    names = {part.name for part in team.teams}
    above = [part.partition("#")[0] for part in question.path.split("/")[:-1]]
    asker = next((name for name in reversed(above) if name in names), team.name)
    return {"path": question.path, "interrupt_id": question.id, "team": asker}


async def given_decisions(
    team: "AssembledTeam", engine: "Engine", run_id: str, asked: Iterable[Interrupt]
) -> dict[str, Answer]:
    """Return all that was decided in a run, by LangGraph's ids; record what was about `asked`.

    `asked` are the questions with which the part of the run before has ended.

    Raises:
        StateError: the database cannot be read.
    """
    from minerva_platform.storage.ledger.questions import decisions_of, given_answers  # noqa: PLC0415  # SQLAlchemy is heavy

    def look(connection: "Connection") -> tuple[dict[str, Answer], dict[str, "KeptDecision"]]:
        return given_answers(connection, run_id), decisions_of(connection, run_id)

    nothing: tuple[dict[str, Answer], dict[str, KeptDecision]] = {}, {}
    values, done = await engine.aread(look, empty=nothing)
    for question in asked:
        decision = done.get(question.id)
        if decision is not None:
            about, kind = _about(question, team), str(decision.decision["type"])
            asked_at, at = question.asked, decision.at
            record_decision(**about, decision=kind, by=decision.by, asked=asked_at, at=at)
    return values


async def untold_notices(run: "OpenRun | None") -> tuple[Notice, ...]:
    """Return the background runs of the thread that no turn has told of yet."""
    if run is None:
        return ()
    from minerva_platform.storage.queue.finished_run_notices import untold_runs  # noqa: PLC0415  # SQLAlchemy is heavy

    with suppress(StateError):  # what cannot be read now cannot be kept either, which is said
        return await run.engine.aread(
            partial(untold_runs, run_id=run.run_id), empty=tuple[Notice, ...]()
        )
    return ()
