"""Foresee what a request would lead to as the next turn of its thread. No member is called."""

from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.router import Decision
from minerva_platform.contract.task import Task
from minerva_platform.conversation.follow_up import understand
from minerva_platform.planning.preview import Plan, foresee
from minerva_platform.planning.unserved import person_words_in
from minerva_platform.storage.ledger.threads import Conversation


async def foresee_turn(team: AssembledTeam, task: Task, before: Conversation | None = None) -> Plan:
    """Return the plan for `task` as the next turn of its thread; None means a new thread."""
    said = await understand(team, task, before)
    if said.instead is None:
        return await foresee(team, said.task, person_words=person_words_in(task))
    is_small_talk = said.instead.reason != "asked_back"
    reason = (
        "Small talk, or a question about the members: it is answered, and no member works."
        if is_small_talk
        else "A question of the thread waits for a person: this answers it, or asks back."
    )
    decision = Decision(finish=True, reason=reason, router=team.name)
    return Plan(
        path=team.name, request=task.request, decision=decision, is_small_talk=is_small_talk
    )
