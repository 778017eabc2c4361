"""What the declared shapes of a team have in common: their edges, and what is wrong with these.

A shape is a router that knows its members by name. So a mistake in it is found before any run, and
the team's drawing shows its edges. The graph of the team stays that of the one supervisor.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from minerva_platform.contract.router import Edge

START: Final = "__start__"
"""Where a visit begins. It is LangGraph's word."""
END: Final = "__end__"
"""Where it ends."""


def names_after(edges: Iterable[Edge], start: Iterable[str]) -> set[str]:
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


def name_problems(
    edges: Sequence[Edge], members: Sequence[str], *, word: str, apart: Collection[str] = ()
) -> Iterator[str]:
    """Yield the names in `edges` that are no members, and the members that nothing leads to.

    Members `apart` are called by others than the edges: substitutes, and who asks at the end.
    """
    known = {*members, START, END}
    named = dict.fromkeys(name for edge in edges for name in (edge.source, edge.target))
    strangers = [name for name in named if name not in known]
    for name in strangers:
        yield f"its {word} names `{name}`, which is no member; {_hint(name, members)}."
    if any(edge.target == START for edge in edges):
        yield f"its {word} leads to START, where nobody works; name the member that is first."
    if strangers:
        return  # with a misspelt name others would seem unreachable
    there = names_after(edges, (START, *apart)) | {*apart}
    for name in members:
        if name not in there:
            yield f"its {word} never reaches `{name}`; lead an edge to it, or take it out."


def _hint(name: str, members: Sequence[str]) -> str:
    if name.strip("_").upper() in {"START", "END"}:
        word = name.strip("_").upper()
        return f"write {word} (from minerva_platform.routing), not a text"
    return f"it has {', '.join(members)}"


def bound_problem(word: str, name: str, value: object) -> Iterator[str]:
    """Yield that a bound is no whole number from 1 on."""
    if type(value) is not int or value < 1:
        yield f"its {word} has {name}={value!r}; write a whole number, 1 or more."


def bound_or(value: object, otherwise: int) -> int:
    """Return a bound; `otherwise` if it is none, which its problem says."""
    return value if type(value) is int and value >= 1 else otherwise
