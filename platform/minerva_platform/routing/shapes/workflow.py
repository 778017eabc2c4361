"""A workflow: a declared order of members, with conditions, branches and joins.

    router = Workflow({
        START: "extract",
        "extract": "validate",
        "validate": When(Verdict, lambda verdict: verdict.ok, then="load", otherwise="quarantine"),
        "load": Choose("mail_report", "file_report"),
    })

This module says what can be declared, and what is wrong with it. `workflow_router` follows it.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from pydantic import BaseModel

from minerva_platform.contract.router import Edge, RouterTraits
from minerva_platform.routing.shapes.shape import (
    END,
    START,
    bound_or,
    bound_problem,
    name_problems,
    names_after,
)
from minerva_platform.run_context.failures.source_location import short_path

NAME: Final = "workflow"


class When:
    """Go on by what a hand-off says: to `then` if `test` of the latest one is true."""

    def __init__(
        self,
        handoff: type[Any],
        test: Callable[[Any], object],
        *,
        then: "Next",
        otherwise: "Next",
    ) -> None:
        self.handoff, self.test, self.then, self.otherwise = handoff, test, then, otherwise

    @property
    def kind(self) -> str:
        """The kind of hand-off that is read. Empty if it is none."""
        return str(getattr(self.handoff, "kind", ""))

    @property
    def where(self) -> str:
        """The place of the test: `pipeline.py:41`."""
        code: Any = getattr(self.test, "__code__", None)
        if code is None:
            return repr(self.test)
        return f"{short_path(code.co_filename, self.test.__module__)}:{code.co_firstlineno}"


class Choose:
    """Go on with one of several members: the one that the request is for.

    A model chooses, if there is one and the members' examples are in doubt; else the examples do.
    """

    def __init__(self, *members: str) -> None:
        self.members = members


Next: TypeAlias = "str | tuple[Next, ...] | When | Choose"
"""Who works next: a member, or END; several side by side; by a condition; by a choice."""


@dataclass(frozen=True)
class Workflow:
    """A declared order: each member, and who works after it. Who is not named ends its branch.

    Members that follow side by side run side by side. A member to which several branches lead
    waits for all branches that may still come to it. Of a circle, an edge to a member that is
    declared above is the way back, and nobody waits for it. What follows a failed member alone is
    skipped.
    """

    order: Mapping[str, Next]
    max_rounds: int | None = None
    """How often the order is looked at in one visit; a circle needs such a bound. Then the visit
    ends with what is there."""

    @property
    def name(self) -> str:
        """The router's name in records."""
        return NAME

    @property
    def traits(self) -> RouterTraits:
        """It names every call, and reads the hand-offs of its conditions."""
        return RouterTraits(
            keeps_goals_apart=True,
            reads_results=True,
            max_rounds=bound_or(self.max_rounds, len({edge.target for edge in self.edges}) + 2),
            is_asked_first=True,
            names_every_call=True,
            reads_handoffs=frozenset(when.kind for when in self.conditions),
        )

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Every edge, with its condition; a member without one leads to END."""
        every = [
            Edge(source, target, label)
            for source, following in self._items
            for target, label in _targets(following)
        ]
        named = dict(self._items)
        last = dict.fromkeys(edge.target for edge in every if edge.target not in named)
        return (*every, *(Edge(name, END) for name in last if name != END))

    @property
    def forward_edges(self) -> tuple[Edge, ...]:
        """The edges without the ways back: in a circle, those to a member that is declared above.

        A join waits for what may come on these.
        """
        place = {name: at for at, (name, _) in enumerate(self._items)}
        after = {name: names_after(self.edges, (name,)) for name in place}
        return tuple(
            edge
            for edge in self.edges
            if edge.source not in after.get(edge.target, ())
            or place[edge.target] > place[edge.source]
        )

    @property
    def _items(self) -> tuple[tuple[str, Any], ...]:
        given = cast("object", self.order)
        return tuple(self.order.items()) if isinstance(given, Mapping) else ()

    def _every_part(self) -> Iterator[Any]:
        return (part for _, following in self._items for part in _parts(following))

    @property
    def conditions(self) -> tuple[When, ...]:
        """Every condition."""
        return tuple(part for part in self._every_part() if isinstance(part, When))

    @property
    def choices(self) -> tuple[Choose, ...]:
        """Every choice."""
        return tuple(part for part in self._every_part() if isinstance(part, Choose))

    def problems(
        self, members: Sequence[str], versions: Mapping[str, int], apart: Collection[str] = ()
    ) -> Iterator[str]:
        """Yield what can never work."""
        order: Any = self.order
        if not isinstance(order, Mapping):
            yield f"its workflow is {order!r:.80}; write a dict: Workflow({{START: …}})."
            return
        unread = [*self._unread()]
        if unread:
            yield from unread
            return
        if START not in self.order:
            hint = " (from minerva_platform.routing), not a text" if "START" in self.order else ""
            yield f"its workflow has no START; write {{START: …}}{hint} to say who works first."
            return
        if END in self.order:
            yield "its workflow says what follows END, where all is done; take it out."
        yield from self._part_problems(versions)
        yield from name_problems(self.edges, members, word="workflow", apart=apart)
        yield from self._circle_problems()

    def _unread(self) -> Iterator[str]:
        for source, following in self._items:
            shown = "START" if source == START else f"`{source}`"
            for part in _parts(following):
                if not isinstance(part, str | When | Choose):
                    yield (
                        f"its workflow has {part!r} after {shown}; write a member, END, a tuple, "
                        "When(…) or Choose(…)."
                    )
                names: Any = part.members if isinstance(part, Choose) else ()
                if any(not isinstance(name, str) or name == END for name in names):
                    yield (
                        f"its workflow has a Choose of {', '.join(map(repr, names))}; name "
                        'members, as in Choose("mail", "file").'
                    )

    def _part_problems(self, versions: Mapping[str, int]) -> Iterator[str]:
        for source, following in self._items:
            names = [target for target, _ in _targets(following) if target != END]
            for name in sorted({name for name in names if names.count(name) > 1}):
                if not any(isinstance(part, When) for part in _parts(following)):
                    shown = "START" if source == START else f"`{source}`"
                    yield f"its workflow leads from {shown} to `{name}` twice."
        for when in self.conditions:
            yield from _condition_problems(when, versions)
        for choose in self.choices:
            if len(set(choose.members)) < 2:  # noqa: PLR2004  # one is no choice
                named = ", ".join(choose.members) or "nobody"
                yield f"its workflow has a Choose of {named}; name two members or more."

    def _circle_problems(self) -> Iterator[str]:
        if self.max_rounds is not None:
            yield from bound_problem("workflow", "max_rounds", self.max_rounds)
            return
        circle = [name for name in self.order if name in names_after(self.edges, (name,))]
        if circle:
            yield (
                f"its workflow goes in a circle ({', '.join(circle)}) without a bound; write "
                "Workflow({…}, max_rounds=10)."
            )


def _condition_problems(when: When, versions: Mapping[str, int]) -> Iterator[str]:
    kind, read = when.kind, cast("object", when.handoff)
    if not (isinstance(read, type) and issubclass(read, BaseModel) and kind):
        yield f"its workflow has a condition on {read!r}, which is no hand-off."
    elif kind not in versions:
        yield f"its workflow has a condition on `{kind}`, a hand-off that no member gives."
    elif versions[kind] != when.handoff.version:
        yield (
            f"its workflow has a condition on version {when.handoff.version} of `{kind}`, and "
            f"version {versions[kind]} is given."
        )
    test: Any = when.test
    if not callable(test) or isinstance(test, type) or _takes(test) is False:
        yield (
            f"its workflow has a condition on `{kind or read!r}` whose test is {test!r}; write a "
            "function of one hand-off: lambda verdict: verdict.ok."
        )
    elif inspect.iscoroutinefunction(test):
        yield (
            f"its workflow has a condition whose test is a coroutine function ({when.where}); "
            "write a plain one."
        )


def _takes(test: Any) -> bool | None:
    """True if `test` can be called with one value. None if nobody can tell."""
    try:
        inspect.signature(test).bind(None)
    except TypeError:
        return False
    except ValueError:  # of some built-in functions nothing is known
        return None
    return True


def _parts(following: Any) -> Iterator[Any]:
    """Yield names, conditions and choices, those inside of conditions included."""
    if isinstance(following, tuple):
        for part in cast("Iterable[Any]", following):
            yield from _parts(part)
        return
    yield following
    if isinstance(following, When):
        yield from _parts(following.then)
        yield from _parts(following.otherwise)


def _targets(following: Any, label: str = "") -> Iterator[tuple[str, str]]:
    """Yield each member that may follow, with when it does."""
    match following:
        case str():
            yield following, label
        case tuple():
            for part in cast("Iterable[Any]", following):
                yield from _targets(part, label)
        case When():
            said = getattr(following.handoff, "__name__", "?")
            yield from _targets(following.then, f"{said}: then")
            yield from _targets(following.otherwise, f"{said}: otherwise")
        case Choose():
            names: tuple[Any, ...] = following.members
            for name in names:
                if name.__class__ is str:
                    yield name, f"{label}, choose" if label else "choose"
        case _:
            pass
