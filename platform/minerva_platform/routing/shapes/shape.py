"""A declared shape of a team: its edges, and the router that follows them.

A shape is a router that knows its members by name. So a mistake in it is found before any run, and
the team's drawing shows its edges. The graph of the team stays that of the one supervisor.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

from minerva_platform.routing.protocol import RouterTraits

START: Final = "__start__"
"""Where a visit begins. It is LangGraph's word."""
END: Final = "__end__"
"""Where it ends."""


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """One member, or START, and one that may work after it, or END."""

    source: str
    target: str
    label: str = ""
    """When the edge is taken. Empty: always."""


@runtime_checkable
class Shape(Protocol):
    """What a `Network` and a `Workflow` have in common."""

    @property
    def name(self) -> str:
        """The router's name in records: `network` or `workflow`."""
        ...

    @property
    def traits(self) -> RouterTraits:
        """What the supervisor grants the router."""
        ...

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Every edge, in declared order."""
        ...

    def problems(self, members: Sequence[str], given: Mapping[str, int]) -> Iterator[str]:
        """Yield what can never work, as sentences that begin with `its`.

        `members` are the team's; `given` are the kinds of hand-offs that can be there, with their
        versions.
        """
        ...


def reached(edges: Iterable[Edge], start: Iterable[str]) -> set[str]:
    """Return every name that the edges lead to from `start`, without `start` itself."""
    following: dict[str, set[str]] = {}
    for edge in edges:
        following.setdefault(edge.source, set()).add(edge.target)
    found, queue = set[str](), list(start)
    while queue:
        for name in following.get(queue.pop(), ()):
            if name not in found:
                found.add(name)
                queue.append(name)
    return found


def name_problems(edges: Sequence[Edge], members: Sequence[str], *, word: str) -> Iterator[str]:
    """Yield the names in `edges` that are no members, and the members that nothing leads to."""
    known = {*members, START, END}
    named = dict.fromkeys(name for edge in edges for name in (edge.source, edge.target))
    strangers = [name for name in named if name not in known]
    for name in strangers:
        yield f"its {word} names `{name}`, which is no member; it has {', '.join(members)}."
    if strangers:
        return  # with a misspelt name others would seem unreachable
    there = reached(edges, (START,))
    for name in members:
        if name not in there:
            yield f"its {word} never reaches `{name}`; lead an edge to it, or take it out."
