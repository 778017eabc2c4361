"""What a supervisor knows when it chooses: its members, the task, what came of it so far.

Values only: what a member is called with and what a router is shown follow from them.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import orjson

from minerva_platform.contract.dataflow import Flow, LostHandoff
from minerva_platform.contract.handoff import HandoffRecord, Handoffs
from minerva_platform.contract.result import Result
from minerva_platform.contract.task import Task
from minerva_platform.contract.team import Team
from minerva_platform.planning.planner import Assignment
from minerva_platform.planning.root_cause import lost_at
from minerva_platform.routing.protocol import MemberCard, ResultSummary, RoutingView

MAX_VIEWED: Final = 500
"""Characters of a member's summary that a router is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The members of a team, as far as planning needs to know them."""

    flows: Mapping[str, Flow]
    """Every member in declared order."""
    teams: frozenset[str] = frozenset()
    """The members that are teams."""
    cards: tuple[MemberCard, ...] = ()
    audits: Mapping[str, str]
    """kind -> member that must have seen a hand-off of this kind before it leaves."""
    substitutes: Mapping[str, str]
    """member -> member that is tried when the first fails."""
    lost: tuple[LostHandoff, ...] = ()
    """The hand-offs that do not pass between members, although both sides declare them."""

    @classmethod
    def of(cls, team: Team) -> "Roster":
        """Return the members of `team`."""
        return cls(
            flows={name: agent.flow for name, agent in team.by_name.items()},
            teams=frozenset(name for name, agent in team.by_name.items() if agent.is_team),
            cards=tuple(agent.card for agent in team.by_name.values()),
            audits=team.audits,
            substitutes=team.substitutes,
            lost=tuple(team.lost),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """One visit of a supervisor: what was asked, and what is there now."""

    path: str
    members: Roster
    task: Task
    handoffs: Handoffs
    results: tuple[Result, ...] = ()

    def view(self) -> RoutingView:
        """Return all that the router may know."""
        return RoutingView(
            request=self.task.request,
            context=self.task.context,
            language=self.task.language,
            members=self.members.cards,
            results=tuple(
                ResultSummary(
                    member=item.agent, status=item.status, summary=item.summary[:MAX_VIEWED]
                )
                for item in self.results
            ),
            handoffs=tuple(self.handoffs),
            in_scope="/" in self.path,
        )

    def missing_for(self, assignment: Assignment) -> tuple[str, ...]:
        """Return the kinds without which the call cannot start.

        A team can always start: only those of its members that need what is missing cannot.
        """
        if assignment.member in self.members.teams:
            return ()
        needs = self.members.flows[assignment.member].needs
        return tuple(kind for kind in needs if kind not in self.handoffs)

    def task_for(self, assignment: Assignment, *, skipped: Iterable[Result]) -> Task:
        """Return what the member is asked to do."""
        flow = self.members.flows[assignment.member]
        crossing = flow.takes | flow.gives.keys()  # what it gives: it may have failed to before
        return Task(
            request=assignment.request,
            context=self.task.context,
            language=self.task.language,
            attachments=self.task.attachments,
            handoffs=narrow(self.handoffs, flow.takes),
            wanted_kinds=assignment.wanted_kinds,
            lost=self.lost_of(sorted(crossing - self.handoffs.keys()), skipped=skipped),
        )

    def lost_of(self, kinds: Iterable[str], *, skipped: Iterable[Result]) -> dict[str, str]:
        """Return those of `kinds` that a member failed to give, each with where that began."""
        results, audits = (*self.results, *skipped), self.members.audits
        found = {
            kind: lost_at(kind, results, flows=self.members.flows, auditor=audits.get(kind))
            or self.task.lost.get(kind)
            for kind in kinds
        }
        return {kind: path for kind, path in found.items() if path is not None}

    def digest(self, assignment: Assignment) -> str:
        """Return what tells two calls of a member apart: words, wishes and hand-offs."""
        takes = self.members.flows[assignment.member].takes
        content = [
            assignment.request,
            assignment.wanted_kinds,
            {kind: self.handoffs[kind] for kind in sorted(takes & self.handoffs.keys())},
        ]
        return hashlib.sha256(orjson.dumps(content)).hexdigest()


def narrow(handoffs: Mapping[str, list[HandoffRecord]], kinds: frozenset[str]) -> Handoffs:
    """Return only the hand-offs of `kinds`."""
    return {kind: list(records) for kind, records in handoffs.items() if kind in kinds}
