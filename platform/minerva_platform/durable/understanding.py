"""How a run understood its request, kept so that it goes on with the same words.

To understand a request again could give other words: a model may have said them, or the thread may
have more turns by now.
"""

from typing import TYPE_CHECKING

from pydantic import ValidationError

from minerva_platform.contract.result import Bypass
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Frozen, Shown, Usage
from minerva_platform.conversation.follow_up import Understanding, understand
from minerva_platform.run_context.blocking import in_daemon_thread

if TYPE_CHECKING:
    from minerva_platform.contract.assembled_team import AssembledTeam
    from minerva_platform.storage.ledger.threads import Conversation


class KeptUnderstanding(Frozen):
    """An `Understanding` as it is kept: earlier turns are named by their runs."""

    task: Task
    topic: str
    shown: tuple[Shown, ...] = ()
    before: str | None = None
    latest: str | None = None
    usage: Usage = Usage()
    bypassed: tuple[Bypass, ...] = ()
    suspected: tuple[str, ...] = ()


def to_kept(said: Understanding) -> str:
    """Return `said` as JSON for the ledger."""
    return KeptUnderstanding(
        task=said.task,
        topic=said.topic,
        shown=said.shown,
        before=said.before.run_id if said.before else None,
        latest=said.latest.run_id if said.latest else None,
        usage=said.usage,
        bypassed=said.bypassed,
        suspected=said.suspects,
    ).model_dump_json()


async def understood_again(
    team: "AssembledTeam", task: Task, kept: str | None, conversation: "Conversation | None"
) -> Understanding:
    """Return the request as the run understood it; if that was not kept, understand it anew.

    The words of a call in the background were understood where it was made.
    """
    if task.started_by:
        return Understanding(task, task.context)
    if kept is None or conversation is None:
        return await understand(team, task, conversation)
    try:
        found = KeptUnderstanding.model_validate_json(kept)
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
