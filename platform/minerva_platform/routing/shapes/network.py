"""A network: members pass control to their peers, and nobody else chooses.

The router reads the transfers that the members' borders have checked. It knows no words.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from minerva_platform.contract.router import (
    Decision,
    Edge,
    Goal,
    ResultSummary,
    RouterTraits,
    RoutingView,
)
from minerva_platform.errors import RouterLimitError
from minerva_platform.routing.shapes.shape import END, START, bound_or, bound_problem, name_problems
from minerva_platform.text.texts import read_texts

NAME: Final = "network"
TEXTS = read_texts("minerva_platform.routing.shapes", "shapes")


@dataclass(frozen=True, kw_only=True)
class Network:
    """Peers that pass control to each other by `Transfer`.

        router = Network(start="draft", peers={"draft": ("legal",), "legal": ("draft",)})

    A visit begins with `start`. It ends when a member that works passes control to nobody.
    """

    start: str
    """The member that gets the request."""
    peers: Mapping[str, Sequence[str]]
    """member -> the members to which it may pass control."""
    max_transfers: int = 8
    """How often control passes in one visit. Then the visit ends with what is there."""

    @property
    def name(self) -> str:
        """The router's name in records."""
        return NAME

    @property
    def traits(self) -> RouterTraits:
        """It reads transfers, and each of them is a call of its own."""
        return RouterTraits(
            keeps_goals_apart=True,
            reads_results=True,
            max_rounds=bound_or(self.max_transfers, 1) + 2,  # the first call, and the end
            is_asked_first=True,
        )

    @property
    def edges(self) -> tuple[Edge, ...]:
        """From the start, and from each member to its peers; any member may end the visit."""
        peers: Mapping[str, Sequence[str]] = self.peers if _is_read(self.peers) else {}
        every = dict.fromkeys(
            (self.start, *peers, *(other for others in peers.values() for other in others))
        )
        return (
            Edge(START, self.start),
            *(Edge(one, other, "transfer") for one in peers for other in peers[one]),
            *(Edge(one, END) for one in every),
        )

    def problems(
        self,
        members: Sequence[str],
        versions: Mapping[str, int],  # noqa: ARG002  # a network has no conditions
        apart: Collection[str] = (),
    ) -> Iterator[str]:
        """Yield what can never work."""
        yield from bound_problem("network", "max_transfers", self.max_transfers)
        if not _is_read(self.peers):
            yield (
                f"its network has peers={self.peers!r}; write a tuple of names for each member: "
                '{"draft": ("legal",)}.'
            )
            return
        for member, others in self.peers.items():
            for other in sorted({name for name in others if list(others).count(name) > 1}):
                yield f"its network names `{other}` twice among the peers of `{member}`."
            if member in others:
                yield f"its network makes `{member}` its own peer; it can go on by itself."
        if {START, END} & {self.start, *self.peers, *(n for o in self.peers.values() for n in o)}:
            yield (
                "its network names START or END, which are words of a Workflow; `start` is a "
                "member, and a member that passes control to nobody ends the visit."
            )
            return
        yield from name_problems(self.edges, members, word="network", apart=apart)


class NetworkRouter:
    """A `Router` that calls whom the last members passed control to."""

    def __init__(self, network: Network, owner: str) -> None:
        self.network, self.owner = network, owner
        self.traits = network.traits

    async def decide(self, view: RoutingView) -> Decision:
        """Return the targets of the latest transfers; none end the visit.

        A follow-up begins with the members that answered before.

        Raises:
            RouterLimitError: control has passed `max_transfers` times.
        """
        if not view.rounds:
            begin = view.task_members or (self.network.start,)
            goals = tuple(Goal(member=name, request=view.request) for name in begin)
            return Decision(goals=goals, router=NAME)
        passed = [(each.member, goal) for each in _latest(view) for goal in each.passes_to]
        room = self.network.max_transfers - sum(one.calls for one in view.rounds[1:])
        refused = [*_refusals(view), *((member, goal.member) for member, goal in passed[room:])]
        goals = tuple(goal for _, goal in passed[:room])
        if refused and not goals:
            self._refuse(refused)
        note = json.dumps(refused) if refused else ""
        return Decision(goals=goals, finish=not goals, router=NAME, note=note)

    def _refuse(self, refused: Sequence[Sequence[str]]) -> None:
        most, pairs = self.network.max_transfers, [f"`{one}` → `{other}`" for one, other in refused]
        message, korean = (
            TEXTS("transfers", language, team=self.owner, most=most, refused=", ".join(pairs))
            for language in ("en", "ko")
        )
        raise RouterLimitError(message, korean)


def _refusals(view: RoutingView) -> list[tuple[str, str]]:
    """Return the transfers that did not fit in earlier rounds: from whom, to whom."""
    return [
        (one, other) for each in view.rounds if each.note for one, other in json.loads(each.note)
    ]


def _is_read(peers: Any) -> bool:
    """True if `peers` is a mapping of names to several names."""
    return isinstance(peers, Mapping) and all(
        isinstance(others, list | tuple)
        and all(isinstance(other, str) for other in cast("Sequence[object]", others))
        for others in cast("Mapping[object, object]", peers).values()
    )


def _latest(view: RoutingView) -> Sequence[ResultSummary]:
    """Return the results of the latest decision's calls."""
    asked = [result for result in view.results if result.is_asked_for]
    return asked[sum(one.calls for one in view.rounds[:-1]) :]
