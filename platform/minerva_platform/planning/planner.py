"""Derive the stages of a plan from goals and contracts.

A router only names goals. All else follows from what the members need, want and give: the producers
that run first, the calls that may run side by side, the audits, and what can be prepared early.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pydantic import Field

from minerva_platform.contract.dataflow import Flow
from minerva_platform.contract.handoff import Handoffs
from minerva_platform.contract.result import KeptRole, Role
from minerva_platform.contract.router import PLAIN, Goal, RouterTraits
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Frozen


class Assignment(Frozen):
    """One planned call of a member."""

    member: str
    role: KeptRole
    request: str = ""
    wanted_kinds: tuple[str, ...] = ()
    fields: dict[str, Any] = Field(default_factory=dict[str, Any])
    """Values for fields of the member's Input, passed on with control."""
    handoffs: Handoffs = Field(default_factory=dict)
    """Hand-offs that this call alone is given, passed on with control."""


Stage = tuple[Assignment, ...]
"""Calls that do not depend on each other, so they run side by side."""


class AtEnd(NamedTuple):
    """Who asks a person when a visit's other calls are over."""

    approvals: Mapping[str, frozenset[str]]
    """member -> the kinds that it asks about."""
    earlier_members: tuple[str, ...] = ()
    """The members that this visit has called before."""
    is_final: bool = True
    """No other plan follows in this visit."""


NOBODY: Final = AtEnd({})


def derive_stages(
    goals: Iterable[Goal],
    *,
    flows: Mapping[str, Flow],
    audits: Mapping[str, str],
    task: Task,
    available: Iterable[str],
    at_end: AtEnd = NOBODY,
    traits: RouterTraits = PLAIN,
) -> tuple[Stage, ...]:
    """Return the stages that fulfil `goals` and give `task.wanted_kinds`.

    By the router's `traits`, goals of one member are one call with the words of all, or one each;
    and the producers and audits that they need are added, or not.

    `flows` holds every member in declared order. `audits` maps a kind to the member that must see
    it before the visit ends. `available` are the kinds already there. `at_end` says who asks a
    person in a stage of its own.
    """
    approvals = at_end.approvals
    if task.approvals == "only":
        return _approving(approvals, frozenset(available))
    there, asks_later = frozenset(available), task.approvals in {"last", "later"}
    asked: dict[str, list[Goal]] = {}
    wanted = list(task.wanted_kinds)
    for goal in goals:
        if asks_later and goal.member in approvals and not flows[goal.member].approves:
            wanted += sorted(approvals[goal.member])  # a worker that asks a person comes last
            continue
        words = goal.request or task.request
        asked.setdefault(goal.member, []).append(goal.model_copy(update={"request": words}))
    roles: dict[str, Role] = dict.fromkeys(asked, "goal")
    if not traits.names_every_call:
        _add_producers(wanted, roles, flows, there)
        carried = frozenset(
            kind for parts in asked.values() for one in parts for kind in one.handoffs
        )
        _add_producers(_needs(asked, flows), roles, flows, there | carried)
        _add_audits(roles, flows, audits)
        _add_producers(_needs(set(audits.values()) & roles.keys(), flows), roles, flows, there)
    level = _levels(roles, flows, audits)
    if not traits.keeps_goals_apart:
        asked = {member: [_join(parts)] for member, parts in asked.items()}
    stages = _stages(roles, level, asked=asked, flows=flows, task=task, there=there)
    given = frozenset[str]().union(
        *(flows[name].gives for name in (*roles, *at_end.earlier_members))
    )
    asks_now = at_end.is_final and task.approvals == "last"
    last = _approving(approvals, given) if asks_now else ()
    return (*stages, *last)


def _join(goals: Sequence[Goal]) -> Goal:
    """Return the goals of one member as one, with the words of all."""
    words = dict.fromkeys(goal.request for goal in goals)
    return Goal(member=goals[0].member, request="\n".join(words))


def _approving(
    approvals: Mapping[str, frozenset[str]], available: frozenset[str]
) -> tuple[Stage, ...]:
    """Return the stage that asks a person about the kinds that are `available`."""
    stage = tuple(
        Assignment(member=member, role="approval")
        for member, kinds in approvals.items()
        if not kinds.isdisjoint(available)
    )
    return (stage,) if stage else ()


def _needs(members: Iterable[str], flows: Mapping[str, Flow]) -> list[str]:
    return [kind for member in members for kind in flows[member].needs]


def _producer(kind: str, flows: Mapping[str, Flow], members: Iterable[str]) -> str | None:
    producers = [name for name, flow in flows.items() if kind in flow.gives]
    preferred = [name for name in producers if name in members]
    return next(iter(preferred or producers), None)


def _add_producers(
    kinds: Iterable[str], roles: dict[str, Role], flows: Mapping[str, Flow], there: frozenset[str]
) -> None:
    """Add the producers of `kinds`, then the producers that these need, and so on.

    Only those needs of a team count that the kind itself waits for. The other needs belong to work
    of the team that was not asked for.
    """
    queue, seen = list(kinds), set(there)
    while queue:
        kind = queue.pop(0)
        producer = None if kind in seen else _producer(kind, flows, roles)
        seen.add(kind)
        if producer is not None:
            roles.setdefault(producer, "producer")
            queue += _makings(kind, flows[producer])


def _makings(kind: str, flow: Flow) -> list[str]:
    """Return the needs of `flow` that the production of `kind` waits for."""
    return [need for need in flow.needs if need in flow.waits[kind]]


def _add_audits(
    roles: dict[str, Role], flows: Mapping[str, Flow], audits: Mapping[str, str]
) -> None:
    for kind, auditor in audits.items():
        if any(kind in flows[name].gives for name in roles if name != auditor):
            roles[auditor] = "audit" if roles.get(auditor) != "goal" else "goal"


def _providers(
    member: str, members: Iterable[str], flows: Mapping[str, Flow], audits: Mapping[str, str]
) -> dict[str, frozenset[str]]:
    """Return the chosen members before `member`, each with the kinds that `member` awaits."""
    audited = {kind for kind, auditor in audits.items() if auditor == member}
    takes = flows[member].takes | audited
    return {
        other: takes & flows[other].gives.keys()
        for other in members
        if other != member and takes & flows[other].gives.keys()
    }


def _levels(
    roles: Mapping[str, Role], flows: Mapping[str, Flow], audits: Mapping[str, str]
) -> dict[str, int]:
    levels: dict[str, int] = {}

    def level_of(member: str, above: tuple[str, ...]) -> int:
        if member not in levels:
            before = [
                level_of(other, (*above, member))
                for other in _providers(member, roles, flows, audits)
                if other not in above  # a cycle is a build error; do not loop on one
            ]
            levels[member] = 1 + max(before, default=0)
        return levels[member]

    for member in roles:
        level_of(member, ())
    return levels


def _stages(
    roles: Mapping[str, Role],
    level: Mapping[str, int],
    *,
    asked: Mapping[str, Sequence[Goal]],
    flows: Mapping[str, Flow],
    task: Task,
    there: frozenset[str],
) -> tuple[Stage, ...]:
    coming = there.union(*(flows[member].gives for member in roles))
    stages: list[list[Assignment]] = [[] for _ in range(max(level.values(), default=0))]
    for member, role in roles.items():
        later = {
            kind for other in roles if level[other] > level[member] for kind in flows[other].takes
        }
        wanted = (later | set(task.wanted_kinds)) & flows[member].gives.keys()
        if role == "producer":  # no kind is asked of it whose own needs are not being produced
            wanted = {kind for kind in wanted if coming.issuperset(_makings(kind, flows[member]))}
        stages[level[member] - 1] += [
            Assignment(
                member=member,
                role=role,
                request=goal.request,
                wanted_kinds=tuple(sorted(wanted)),
                fields=goal.fields,
                handoffs=goal.handoffs,
            )
            for goal in asked.get(member, (Goal(member=member, request=""),))
        ]
        early = _preparation(member, roles, flows, there) if level[member] > 1 else ()
        if early:
            stages[0].append(Assignment(member=member, role="preparation", wanted_kinds=early))
    return tuple(tuple(stage) for stage in stages)


def _preparation(
    member: str, members: Iterable[str], flows: Mapping[str, Flow], there: frozenset[str]
) -> tuple[str, ...]:
    """Return the kinds that `member` will want itself and can make before its inputs come."""
    flow = flows[member]
    awaited = {
        kind
        for other in members
        if other != member
        for kind in flow.takes & flows[other].gives.keys()
    }
    return tuple(
        sorted(
            kind
            for kind in flow.gives.keys() & flow.takes - there
            if not flow.waits[kind] & awaited and there.issuperset(_makings(kind, flow))
        )
    )
