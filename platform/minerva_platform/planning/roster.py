"""The members of an assembled team, as planning knows them."""

from dataclasses import replace

from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.contract.task import Task
from minerva_platform.planning.effect_members import acting_members
from minerva_platform.planning.situation import Roster
from minerva_platform.routing.shapes.shape import reached


def roster_of(team: AssembledTeam) -> Roster:
    """Return the members of `team`."""
    agents = team.by_name
    return Roster(
        flows={name: agent.planned_flow for name, agent in agents.items()},
        teams=frozenset(name for name, agent in agents.items() if agent.is_team),
        cards=tuple(agent.card for agent in agents.values()),
        audits=team.audits,
        substitutes=team.substitutes,
        approvals=_approvals(team),
        output_modes={name: agent.output_mode for name, agent in agents.items()},
        before=_leading(team),
        acting=acting_members(team),
        lost=tuple(team.lost),
    )


def in_own_run(roster: Roster, task: Task, team: AssembledTeam) -> Roster:
    """Return the roster in the run of a background member: what it gives is not late there."""
    heads = {name.partition("/")[0] for name in task.members}
    there = {name: team.by_name[name].flow.in_own_run() for name in heads & roster.flows.keys()}
    return replace(roster, flows={**roster.flows, **there})


def _leading(team: AssembledTeam) -> dict[str, frozenset[str]]:
    """Return which members lead to each member of a workflow."""
    if team.shape is None or not team.shape.traits.names_every_call:
        return {}
    edges, instead = team.shape.edges, team.substitutes
    ahead = {name: reached(edges, (name,)) for name in team.by_name}
    before: dict[str, frozenset[str]] = {}
    for name in dict.fromkeys(edge.source for edge in edges if edge.source in team.by_name):
        leading = {other for other, after in ahead.items() if name in after}
        before[name] = frozenset({*leading, *(instead[one] for one in leading if one in instead)})
    return before | {other: before[name] for name, other in instead.items() if name in before}


def _approvals(team: AssembledTeam) -> dict[str, frozenset[str]]:
    """Return the kinds that each member asks about: a worker of this team's, a team its own."""
    approvals = {name: agent.flow.approves for name, agent in team.by_name.items()}
    for kind, member in team.approvals.items():
        if member in approvals:
            approvals[member] |= {kind}
    return {name: kinds for name, kinds in approvals.items() if kinds}
