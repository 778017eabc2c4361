"""Make teams work together whose hand-offs do not all fit, and leave out as little as possible.

A misfit that a team only wants is dropped, so its consumer works without it. If members need it,
these members are left out; if the team is not sound without them, the whole team is left out. If
two teams give the same kind, the team that the kind is named after gives it, else the first.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from minerva_platform.assembly.assemble import DeclaredTeam
from minerva_platform.contract.assembled_team import AssembledTeam, Declaration
from minerva_platform.contract.dataflow import Flow, LostHandoff, Port
from minerva_platform.contract.run_object import LeftOut
from minerva_platform.contract.team import Member
from minerva_platform.run_context.failures.error_info import left_out_entry
from minerva_platform.run_context.failures.foreign_code import TeamCodeError, run_team_code
from minerva_platform.run_context.failures.source_location import location_of_class, package_of
from minerva_platform.validation.background import unmet_text
from minerva_platform.validation.handoffs import (
    Misfit,
    clash_text,
    cycle_text,
    find_clashes,
    find_cycle,
    misfit_text,
    misfits,
    taking,
)
from minerva_platform.validation.team_declarations import member_problems


def left_out(
    team: DeclaredTeam | AssembledTeam, cause: str, *, where: str | None = None
) -> LeftOut:
    """Return the entry of `team`. Without `where` it names the place of the team's class."""
    place = where or location_of_class(type(team.declaration))
    name, package = _name_of_team(team.declaration), package_of(team.declaration)
    return left_out_entry(name, team.origin, where=place, cause=cause, package=package)


def _name_of_team(team: Declaration) -> object:
    try:
        return run_team_code(lambda: team.name)
    except TeamCodeError:  # it has no name, or its name raises
        return type(team).__name__


class Fitting:
    """The teams of a platform. Misfits are taken away step by step."""

    def __init__(self, platform: AssembledTeam, teams: Iterable[AssembledTeam]) -> None:
        self.platform = platform
        self.teams = {team.name: team for team in teams}
        self.left_out: list[LeftOut] = []
        self.lost: list[LostHandoff] = []

    def fit(self) -> None:
        """Take away one misfit after the other until everything fits."""
        while any(step() for step in (self._collision, self._circle, self._unmet, self._misfit)):
            pass

    @property
    def _flows(self) -> dict[str, Flow]:
        return {name: team.planned_flow for name, team in self.teams.items()}

    def _collision(self) -> bool:
        """Keep a kind that two teams give inside one of the two."""
        clash = next(find_clashes(self._flows), None)
        if clash is None:
            return False
        names = (clash.one, clash.other)
        keeps = clash.other if _owner(clash.kind) == clash.other else clash.one
        loses = next(name for name in names if name != keeps)
        self._keep_inside(loses, clash.kind, f"{clash_text(clash)}; `{keeps}` gives it.")
        return True

    def _circle(self) -> bool:
        """Break a circle of teams where it costs least: at a wanted kind, late in the order."""
        cycle = find_cycle(self._flows)
        if cycle is None:
            return False
        flows, order = self._flows, list(self.teams)

        def cost(edge: tuple[str, str]) -> tuple[bool, int]:
            waiter, giver = edge
            is_needed = bool(flows[waiter].needs.keys() & flows[giver].gives.keys())
            return is_needed, -order.index(waiter)

        waiter, giver = min(pairwise(cycle), key=cost)
        for kind in sorted(flows[waiter].takes & flows[giver].gives.keys()):
            port = taking(flows[waiter], kind)[0]
            self._drop(waiter, port, cycle_text(cycle), givers=[giver])
        return True

    def _unmet(self) -> bool:
        """Leave out members that need a kind that no other team gives."""
        flows = self._flows
        for name, flow in flows.items():
            for kind, ports in flow.needs.items():
                if not any(kind in other.gives for it, other in flows.items() if it != name):
                    self._drop(name, ports[0], unmet_text(ports[0], self._as_platform()), givers=[])
                    return True
        return False

    def _misfit(self) -> bool:
        """Separate one producer from one consumer. Consumers that need the kind come first."""
        flows = self._flows
        found = [item for item in misfits(flows) if item.giver != item.taker]
        if not found:
            return False
        worst = min(found, key=lambda item: item.kind not in flows[item.taker].needs)
        same = [item for item in found if (item.kind, item.taker) == (worst.kind, worst.taker)]
        cause = misfit_text(worst, self._as_platform())
        cause += f" (and {len(same) - 1} more)" if len(same) > 1 else ""
        strangers = _strangers(same, flows)
        for giver in strangers:
            self._keep_inside(giver, worst.kind, cause)
        if not strangers:
            givers = list(dict.fromkeys(item.giver for item in same))
            self._drop(worst.taker, worst.in_port, cause, givers=givers)
        return True

    def _as_platform(self) -> AssembledTeam:
        return replace(self.platform, members=tuple(self.teams.values()), exports=())

    def _keep_inside(self, name: str, kind: str, cause: str) -> None:
        team = self.teams[name]
        kept = [handoff for handoff in team.exports if handoff.kind != kind]
        self.teams[name] = replace(team, exports=tuple(kept))
        where = next(location_of_class(item) for item in team.exports if item.kind == kind)
        self._note(team, f"its `{kind}` stays inside it: {cause}", where)

    def _drop(self, name: str, port: Port, cause: str, *, givers: Sequence[str]) -> None:
        """Make the team `name` work without a kind, and without the members that need it."""
        team, where = self.teams[name], location_of_class(port.model)
        needy = list(_needy(team, port.kind))
        rest = self._without(team, needy) if needy else team
        if rest is None:
            self._leave_out(team, f"{cause}.", where)
            return
        if needy:
            names = ", ".join(f"`{agent.name}`" for agent in needy)
            self._note(team, f"it works without its member {names}: {cause}.", where)
        if port.kind in rest.flow.wants:
            rest = replace(rest, refuses=rest.refuses | {port.kind})
            self.lost += [LostHandoff(port.kind, giver, name, f"{cause}.") for giver in givers]
            if not needy:
                self._note(team, f"it works without `{port.kind}`: {cause}.", where)
        self.teams[name] = rest

    def _without(self, team: AssembledTeam, needy: Sequence[Member]) -> AssembledTeam | None:
        """Return `team` without the members `needy`, or None if the rest is not sound."""
        members = [agent for agent in team.agents if agent not in needy]
        given = {kind for agent in members for kind in agent.flow.gives}
        exports = [handoff for handoff in team.exports if handoff.kind in given]
        rest = replace(team, members=tuple(members), exports=tuple(exports))
        try:
            problems = run_team_code(lambda: member_problems(self.platform, rest))
        except TeamCodeError:
            return None
        return None if problems else rest

    def _leave_out(self, team: AssembledTeam, cause: str, where: str | None) -> None:
        del self.teams[team.name]
        self.left_out = [entry for entry in self.left_out if entry.team != team.name]
        self.lost = [item for item in self.lost if team.name not in {item.giver, item.taker}]
        self._note(team, cause, where)

    def _note(self, team: AssembledTeam, cause: str, where: str | None) -> None:
        self.left_out.append(left_out(team, cause, where=where))


def _owner(kind: str) -> str:
    """Return the team that a kind is named after: `data` for `data.rename_plan`."""
    return kind.partition(".")[0]


def _strangers(same: Sequence[Misfit], flows: Mapping[str, Flow]) -> list[str]:
    """Return the producers at fault: other teams, if the kind's own team gives a readable model."""
    odd = list(dict.fromkeys(item.giver for item in same))
    owner = _owner(same[0].kind)
    owner_gives = owner in flows and same[0].kind in flows[owner].gives
    return odd if owner_gives and owner not in odd else []


def _needy(team: AssembledTeam, kind: str) -> Iterator[Member]:
    """Yield the members of `team` that need `kind` from outside it."""
    for agent in team.agents:
        others = (other for other in team.agents if other is not agent)
        if kind in agent.flow.needs and not any(
            kind in other.planned_flow.gives for other in others
        ):
            yield agent
