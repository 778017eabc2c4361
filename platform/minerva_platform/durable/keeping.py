"""What a run writes to the ledger when it ends, waits for a person, or is cancelled."""

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from minerva_platform.contract.result import Bypass
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.task import Task
from minerva_platform.conversation.follow_up import Understanding
from minerva_platform.errors import LeaseLostError, StateError
from minerva_platform.run_context.blocking import in_daemon_thread
from minerva_platform.run_context.context import current_run
from minerva_platform.run_context.failures.failure_text import failure_text
from minerva_platform.run_context.recorded_failures import record_step_failure
from minerva_platform.storage.ledger.turn import KeptTurn
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.storage.ledger.open_run import OpenRun

TEXTS = read_texts("minerva_platform.durable", "keeping")
KEEP: Final = "keep"
"""The node that adds the turn to its thread, by its name in records."""

_HURRY_S: Final = 0.25
"""Seconds that a cancelled run waits to keep its turn, while a person waits for it to end."""


async def keep(
    kept: "OpenRun", run: Run, turn: KeptTurn, team: "AssembledTeam", language: Language
) -> Run:
    """Add the turn to its thread. If that fails, the run keeps its answer."""
    try:
        await in_daemon_thread(kept.end, run, turn, used=current_run().used_so_far())
    except (LeaseLostError, StateError) as error:
        return not_kept(error, run, team, language)
    return run


def not_kept(error: Exception, run: Run, team: "AssembledTeam", language: Language) -> Run:
    """Return `run`, saying that it is not kept and why."""
    info = record_step_failure(error, "bypassed", team=team, node=KEEP)
    cause = TEXTS("not_kept", language, cause=failure_text(info, language))
    entry = Bypass(path=team.name, cause=cause, action="bypassed")
    status = "ok_degraded" if run.status == "ok" else run.status
    return run.model_copy(update={"status": status, "bypassed": (*run.bypassed, entry)})


def cut_off(run: Run, language: Language) -> Run:
    """Return `run`, whose state could not be kept further, saying how it goes on."""
    hint = TEXTS("cut_off", language, run_id=run.run_id)
    return run.model_copy(update={"answer": f"{run.answer}\n\n{hint}"})


def keep_cancelled(kept: "OpenRun", said: Understanding, words: Task, root: str) -> None:
    """Add a cancelled run's request to its thread, because the next turn may refer to it."""
    turn = KeptTurn(
        request=words.context,
        answer="",
        topic=said.topic,
        run_id=kept.run_id,
        status="cancelled",
        root=root,
        attachments=said.task.attachments,
    )
    with suppress(LeaseLostError, StateError):  # there will be no answer that could say so
        kept.cancel(turn, seconds=_HURRY_S)
