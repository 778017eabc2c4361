"""A network: members pass control to their peers, and nobody else chooses.

The router reads the transfers that the members' borders have checked. It knows no words.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from minerva_platform.routing.errors import RouterLimitError
from minerva_platform.routing.protocol import (
    Decision,
    Goal,
    ResultSummary,
    RouterTraits,
    RoutingView,
)
from minerva_platform.routing.shapes.shape import END, START, Edge, name_problems
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
            max_rounds=max(1, self.max_transfers + 2),  # the first call, and the end
            is_asked_first=True,
        )

    @property
    def edges(self) -> tuple[Edge, ...]:
        """From the start, and from each member to its peers; any member may end the visit."""
        every = dict.fromkeys((self.start, *self.peers))
        return (
            Edge(START, self.start),
            *(Edge(one, other, "transfer") for one in self.peers for other in self.peers[one]),
            *(Edge(one, END) for one in every),
        )

    def problems(
        self,
        members: Sequence[str],
        given: Mapping[str, int],  # noqa: ARG002  # a network has no conditions
    ) -> Iterator[str]:
        """Yield what can never work."""
        for member, others in self.peers.items():
            if isinstance(others, str):
                yield f'its network gives `{member}` one text as peers; write ("{others}",).'
                return
            for other in sorted({name for name in others if list(others).count(name) > 1}):
                yield f"its network names `{other}` twice among the peers of `{member}`."
            if member in others:
                yield f"its network makes `{member}` its own peer; it can go on by itself."
        if self.max_transfers < 1:
            yield f"its network has max_transfers={self.max_transfers}; write 1 or more."
        yield from name_problems(self.edges, members, word="network")


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
            begin = view.addressed or (self.network.start,)
            goals = tuple(Goal(member=name, request=view.request) for name in begin)
            return Decision(goals=goals, router=NAME)
        last = _latest(view)
        goals = tuple(goal for result in last for goal in result.passes_to)
        made = sum(one.calls for one in view.rounds[1:])
        if made + len(goals) > self.network.max_transfers:
            self._refuse(last)
        return Decision(goals=goals, finish=not goals, router=NAME)

    def _refuse(self, last: Sequence[ResultSummary]) -> None:
        passed = [(result.member, goal.member) for result in last for goal in result.passes_to]
        most = self.network.max_transfers
        one, other = passed[0]
        message, korean = (
            TEXTS("transfers", language, team=self.owner, most=most, one=one, other=other)
            for language in ("en", "ko")
        )
        raise RouterLimitError(message, korean)


def _latest(view: RoutingView) -> Sequence[ResultSummary]:
    """Return the results of the latest decision's calls."""
    asked = [result for result in view.results if result.is_asked_for]
    return asked[sum(one.calls for one in view.rounds[:-1]) :]
