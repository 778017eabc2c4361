"""Foresee a run: who would be called, in which order and why, without calling anybody.

It asks the same routers and derives the same waves as the supervisors do; only what members
answer is not known, so each is taken to give what it declares.
"""

from collections.abc import Collection
from typing import Any

from minerva_platform.contract.agent import BaseAgent
from minerva_platform.contract.team import Team
from minerva_platform.contract.values import Frozen, Role, Task
from minerva_platform.planning.planner import Assignment, derive_waves
from minerva_platform.planning.unserved import address_to, told_unserved, typed_in
from minerva_platform.routing.protocol import Decision, RoutingView, check_decision


class PlannedCall(Frozen):
    """One call that would be made."""

    path: str
    role: Role
    request: str = ""
    gives: tuple[str, ...] = ()
    inner: "Plan | None" = None
    """What the supervisor of a team would do with it."""


class Plan(Frozen):
    """One visit of a supervisor: the decision, and the waves that follow from it."""

    path: str
    request: str = ""
    decision: Decision | None = None
    """None: nothing is asked for in words, the waves follow from wanted hand-offs alone."""
    waves: tuple[tuple[PlannedCall, ...], ...] = ()
    is_courtesy: bool = False
    """True if nothing is asked for, so no member needs to work."""


async def foresee(team: Team, task: Task, *, typed: str | None = None) -> Plan:
    """Return what `team` would do with `task`; `typed` are a follow-up's own words."""
    words = typed_in(task) if typed is None else typed
    plan = await _plan(team, task, team.name, frozenset(), typed=words)
    if plan.decision is None:
        return plan
    decision = told_unserved(plan.decision, _view(team, task, team.name, ()), words)
    return plan.model_copy(update={"decision": decision})


async def _plan(
    team: Team, task: Task, path: str, held: frozenset[str], *, typed: str = ""
) -> Plan:
    view = _view(team, task, path, held)
    decision = await _decide(team, task, view, typed) if task.request else None
    waves = derive_waves(
        decision.goals if decision else (),
        flows={name: agent.flow for name, agent in team.by_name.items()},
        checks=team.checks,
        task=task,
        available=held,
    )
    visits: dict[str, int] = {}
    planned: list[tuple[PlannedCall, ...]] = []
    for wave in waves:
        calls: list[PlannedCall] = []
        for assignment in wave:
            name = assignment.member
            count = visits[name] = visits.get(name, 0) + 1
            below = f"{path}/{name}" if count == 1 else f"{path}/{name}#{count}"
            calls.append(await _call(team.by_name[name], assignment, task, below, held))
        held |= {kind for call in calls for kind in call.gives}
        planned.append(tuple(calls))
    return Plan(path=path, request=task.request, decision=decision, waves=tuple(planned))


async def _decide(team: Team, task: Task, view: RoutingView, typed: str) -> Decision:
    if task.members:
        answer = address_to(task.members, view, team.router, typed)
    else:
        answer = await team.router.decide(view)
    return check_decision(answer, team.by_name)


def _view(team: Team, task: Task, path: str, held: Collection[str]) -> RoutingView:
    return RoutingView(
        request=task.request,
        context=task.context,
        language=task.language,
        members=tuple(agent.card for agent in team.by_name.values()),
        handoffs=tuple(sorted(held)),
        in_scope="/" in path,
    )


async def _call(
    agent: BaseAgent[Any, Any], assignment: Assignment, task: Task, path: str, held: frozenset[str]
) -> PlannedCall:
    if not isinstance(agent, Team):
        gives = tuple(agent.flow.gives)
        return PlannedCall(path=path, role=assignment.role, request=assignment.request, gives=gives)
    inner_task = Task(
        request=assignment.request,
        context=task.context,
        language=task.language,
        wanted_kinds=assignment.wanted_kinds,
    )
    inner = await _plan(agent, inner_task, path, held & agent.flow.takes)
    made = {kind for wave in inner.waves for call in wave for kind in call.gives}
    return PlannedCall(
        path=path,
        role=assignment.role,
        request=assignment.request,
        gives=tuple(kind for kind in agent.export_kinds if kind in made),
        inner=inner,
    )
