"""A run in the ledger: accepted before anything is done, kept with its turn at the end."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from minerva_observability import RunScope
from minerva_platform.calls.blocking import in_daemon_thread
from minerva_platform.calls.error_info import record_step_failure
from minerva_platform.calls.failure_text import failure_text
from minerva_platform.contract.result import Bypass
from minerva_platform.contract.run_object import Run
from minerva_platform.contract.task import Task
from minerva_platform.conversation.follow_up import Understood
from minerva_platform.errors import LeaseLostError, StateError
from minerva_platform.runtime.options import RunOptions
from minerva_platform.storage.turn import KeptTurn
from minerva_platform.text.language import Language
from minerva_platform.text.texts import read_texts

if TYPE_CHECKING:
    from minerva_platform.contract.team import Team
    from minerva_platform.storage.runs import OpenRun

TEXTS = read_texts("minerva_platform.runtime", "kept_run")
KEEP: Final = "keep"
"""The node that adds the turn to its thread, by its name in records."""

_HURRY_S: Final = 0.25
"""Seconds that a cancelled run waits to keep its turn, while a person waits for it to end."""


@asynccontextmanager
async def accepted_run(
    team: "Team", task: Task, options: RunOptions, scope: RunScope
) -> AsyncGenerator["OpenRun | None"]:
    """Yield the run as the only writer of its thread; None if nothing is kept.

    Raises:
        ThreadBusyError: another run goes on in the thread until this one's time is up.
        StateError: the run cannot be kept; nothing has been done yet.
    """
    if options.engine is None:
        yield None
        return
    from minerva_platform.storage.runs import NewRun, accepted  # noqa: PLC0415  # SQLAlchemy is heavy

    new = NewRun(scope.run_id, scope.thread_id or scope.run_id, team.name, task)
    seconds = max(0.0, options.limits.seconds - options.waited)
    async with accepted(options.engine, new, seconds=seconds) as kept:
        kept.keep_checkpoints = options.keep_checkpoints
        yield kept


async def keep(kept: "OpenRun", run: Run, turn: KeptTurn, team: "Team", language: Language) -> Run:
    """Add the turn to its thread. If that fails, the run keeps its answer."""
    try:
        await in_daemon_thread(kept.end, run, turn)
    except (LeaseLostError, StateError) as error:
        info = record_step_failure(error, "bypassed", team=team, node=KEEP)
        cause = TEXTS("not_kept", language, cause=failure_text(info, language))
        entry = Bypass(path=team.name, cause=cause, action="bypassed")
        status = "ok_degraded" if run.status == "ok" else run.status
        return run.model_copy(update={"status": status, "bypassed": (*run.bypassed, entry)})
    return run


def keep_cancelled(kept: "OpenRun", said: Understood, words: Task, root: str) -> None:
    """Add a cancelled run's request to its thread, because the next turn may refer to it."""
    turn = KeptTurn(
        request=words.context,
        answer="",
        topic=said.topic,
        run_id=kept.run_id,
        status="failed",
        root=root,
        attachments=said.task.attachments,
    )
    with suppress(LeaseLostError, StateError):  # there will be no answer that could say so
        kept.cancel(turn, seconds=_HURRY_S)
