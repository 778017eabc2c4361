"""Foresee a run: which members would be called, in which order and why. No member is called.

The preview asks the same routers and follows the same moves as a supervisor (`next_move`). It does
not know the members' answers, so it assumes that each gives what it declares.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.handoff import HandoffRecord
from minerva_platform.contract.result import Result, Role
from minerva_platform.contract.router import Decision, evidence_by_member
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Frozen
from minerva_platform.conversation.follow_up import understand
from minerva_platform.errors import ConditionError
from minerva_platform.planning.decide import decide, with_words_of_takers
from minerva_platform.planning.next_move import Ask, Call, Finish, Skip, follow, next_move
from minerva_platform.planning.progress import Progress
from minerva_platform.planning.request_words import person_words_in
from minerva_platform.planning.roster import roster_of
from minerva_platform.planning.situation import Situation
from minerva_platform.run_context.budget import BudgetLeft
from minerva_platform.storage.ledger.threads import Conversation

_UNSPENT = BudgetLeft(
    limits=RunLimits(), max_hops=1_000_000, seconds=1.0, hops=1_000_000, model_calls=1, tokens=None
)
"""A budget without limits: a preview reaches none."""


class PlannedCall(Frozen):
    """One call that would be made."""

    path: str
    role: Role
    request: str = ""
    gives: tuple[str, ...] = ()
    inner: "Plan | None" = None
    """The plan of a called team's supervisor."""


class SkippedCall(Frozen):
    """One call that would not be made, with its cause."""

    path: str
    role: Role
    cause: str


class Plan(Frozen):
    """The plan of a supervisor: the decision, and the stages that follow from it."""

    path: str
    request: str = ""
    decision: Decision | None = None
    """None if the task has no words: the stages then follow from wanted hand-offs alone."""
    stages: tuple[tuple[PlannedCall, ...], ...] = ()
    skipped: tuple[SkippedCall, ...] = ()
    """Calls that cannot start, because a needed hand-off is missing."""
    is_small_talk: bool = False
    """True if the task asks for nothing, so no member works."""


async def foresee_turn(team: AssembledTeam, task: Task, before: Conversation | None = None) -> Plan:
    """Return the plan for `task` as the next turn of its thread; None means a new thread."""
    understanding = await understand(team, task, before)
    if understanding.instead is None:
        return await foresee(team, understanding.task, person_words=person_words_in(task))
    is_small_talk = understanding.instead.reason != "asked_back"
    reason = (
        "Small talk, or a question about the members: it is answered, and no member works."
        if is_small_talk
        else "A question of the thread waits for a person: this answers it, or asks back."
    )
    decision = Decision(finish=True, reason=reason, router=team.name)
    return Plan(
        path=team.name, request=task.request, decision=decision, is_small_talk=is_small_talk
    )


async def foresee(team: AssembledTeam, task: Task, *, person_words: str | None = None) -> Plan:
    """Return what `team` would do with `task`. `person_words` are a follow-up's own words."""
    here = _situation(team, team.name, task)
    return await _plan(team, here, person_words_in(task) if person_words is None else person_words)


def _situation(team: AssembledTeam, path: str, task: Task) -> Situation:
    return Situation(
        path=path,
        members=roster_of(team),
        task=task,
        handoffs=dict(task.handoffs),
        traits=team.router_traits,
    )


async def _plan(team: AssembledTeam, here: Situation, person_words: str) -> Plan:
    """Return the plan of `team`, up to where its router would need the members' answers."""
    plan, progress = Plan(path=here.path, request=here.task.request), Progress()
    is_asked = False
    while True:
        match next_move(progress, here, _UNSPENT):
            case Ask(progress) if not is_asked or here.traits.names_every_call:
                try:
                    decision = await _decision(team, here, person_words, progress)
                except ConditionError:  # it reads a hand-off, which no preview has
                    return plan
                plan = plan if is_asked else plan.model_copy(update={"decision": decision})
                is_asked = True
                goals = with_words_of_takers(decision or Decision(finish=True), here)
                progress = follow(progress, goals, here)
            case Skip(progress, results):
                skipped = tuple(map(_to_skipped_call, results))
                plan = plan.model_copy(update={"skipped": (*plan.skipped, *skipped)})
            case Call(progress, calls):
                stage: list[PlannedCall] = []
                for assignment, path in calls:
                    task = here.task_for(assignment, skips=progress.skips)
                    agent = team.by_name[assignment.member]
                    stage.append(await _call(agent, task, path, assignment.role, person_words))
                here = _after(here, stage)
                plan = plan.model_copy(update={"stages": (*plan.stages, tuple(stage))})
            case Ask() | Finish():
                return plan


async def _decision(
    team: AssembledTeam, here: Situation, person_words: str, progress: Progress
) -> Decision | None:
    if not (here.task.request or here.traits.names_every_call):
        return None
    evidence = evidence_by_member(team.agents, here.task.request, here.task.attachments)
    return await decide(
        here.view(evidence, rounds=progress.rounds),
        team.router.decide,
        router=team.router,
        named_members=here.task.members,
        person_words=here.accountable(person_words),
        acting=here.members.acting,
    )


def _to_skipped_call(result: Result) -> SkippedCall:
    cause = result.error.short_text if result.error else ""
    return SkippedCall(path=result.path, role=result.role, cause=cause)


async def _call(
    agent: BaseAgent[Any, Any], task: Task, path: str, role: Role, person_words: str
) -> PlannedCall:
    if not isinstance(agent, AssembledTeam):
        gives = tuple(agent.flow.gives)
        return PlannedCall(path=path, role=role, request=task.request, gives=gives)
    here = _situation(agent, path, task)
    inner = await _plan(agent, here, person_words)
    kinds = {kind for stage in inner.stages for call in stage for kind in call.gives}
    gives = tuple(kind for kind in agent.export_kinds if kind in kinds)
    return PlannedCall(path=path, role=role, request=task.request, gives=gives, inner=inner)


def _after(here: Situation, stage: Iterable[PlannedCall]) -> Situation:
    """Return the situation after all calls of `stage` went well."""
    handoffs, results = dict(here.handoffs), list(here.results)
    for call in stage:
        member = call.path.rpartition("/")[2].partition("#")[0]
        results.append(Result(agent=member, path=call.path, status="ok", role=call.role))
        for kind in call.gives:
            record = HandoffRecord(path=call.path, version=1)
            handoffs[kind] = [*handoffs.get(kind, ()), record]
    return replace(here, handoffs=handoffs, results=tuple(results))
