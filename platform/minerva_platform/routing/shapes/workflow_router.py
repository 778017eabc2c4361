"""Follow a workflow: what comes after the calls that have ended.

The router keeps its place in the note of its decision. So a run that goes on in another process
evaluates no condition twice, and asks no model twice.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minerva_platform.routing.errors import ConditionError
from minerva_platform.routing.protocol import (
    Decision,
    Goal,
    MemberCard,
    ResultSummary,
    Router,
    RoutingView,
    choose_by_examples,
    prepare_router,
)
from minerva_platform.routing.shapes.shape import END, START, reached
from minerva_platform.routing.shapes.workflow import NAME, Choose, Next, When, Workflow
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.routing.shapes", "shapes")


@dataclass
class _Place:
    """Where a visit is in its workflow."""

    running: list[str] = field(default_factory=list[str])
    """Members that were called last."""
    waiting: list[str] = field(default_factory=list[str])
    """Members that will be called once no other branch may still come to them."""
    done: list[str] = field(default_factory=list[str])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    """Failed members, each with the path of its call."""
    broken: list[str] = field(default_factory=list[str])
    """Why the first condition failed that did, in English and Korean."""

    @classmethod
    def of(cls, view: RoutingView) -> "_Place":
        return cls(**json.loads(view.rounds[-1].note)) if view.rounds else cls(done=[START])

    @property
    def note(self) -> str:
        return json.dumps(vars(self), ensure_ascii=False)


class WorkflowRouter:
    """A `Router` that calls the members in the declared order."""

    def __init__(
        self,
        workflow: Workflow,
        *,
        owner: str,
        cards: Sequence[MemberCard],
        choosers: Mapping[tuple[str, ...], Router],
    ) -> None:
        """`choosers` are the routers of its choices, by the members of each."""
        self.workflow, self.owner = workflow, owner
        self.traits = workflow.traits
        self._cards = {card.name: card for card in cards}
        self._choosers = choosers

    @property
    def learns_from_examples(self) -> bool:
        """True if it has choices to make."""
        return bool(self._choosers)

    def prepare(self) -> None:
        """Let the choosers learn before any run's clock starts."""
        for chooser in self._choosers.values():
            prepare_router(chooser)

    async def decide(self, view: RoutingView) -> Decision:
        """Return the members whose turn it is; none end the visit.

        Raises:
            ConditionError: a condition could not be evaluated, and all other branches have ended.
        """
        place = _Place.of(view)
        chosen = await self._go_on(place, view)
        ready = self._ready(place.waiting)
        place.waiting = [name for name in place.waiting if name not in ready]
        place.running, place.done = ready, [*dict.fromkeys((*place.done, *ready))]
        if place.broken and not ready:
            raise ConditionError(*place.broken)
        return chosen.model_copy(
            update={
                "goals": tuple(Goal(member=name, request=view.request) for name in ready),
                "finish": not ready,
                "given_up": {} if ready else self._given_up(place),
                "unserved": (),
                "review": False,
                "note": place.note,
                "router": NAME,
            }
        )

    async def _go_on(self, place: _Place, view: RoutingView) -> Decision:
        """Add to `place` who follows the calls that have ended; return the last choice made."""
        chosen = Decision()
        last = {result.member: result for result in view.results if result.is_asked_for}
        for name in place.running or [START]:
            result = last.get(name)
            if name != START and (result is None or result.status != "ok"):
                place.failed[name] = result.path if result else ""
                continue
            place.failed.pop(name, None)
            following = self.workflow.order.get(name, END)
            try:
                found = await self._following(following, name, result, view)
            except ConditionError as error:  # the other branches go on
                place.broken = place.broken or [str(error), error.korean]
                continue
            for target, choice in found:
                chosen = choice or chosen
                if target not in place.waiting:
                    place.waiting.append(target)
        return chosen

    def _ready(self, waiting: Sequence[str]) -> list[str]:
        """Return those to which no other one that waits leads; of a circle, all."""
        ahead = {name: reached(self.workflow.edges, (name,)) for name in waiting}
        return [
            name
            for name in waiting
            if not any(name in ahead[other] and other not in ahead[name] for other in waiting)
        ]

    def _given_up(self, place: _Place) -> dict[str, str]:
        """Return the members that were never called because others failed."""
        found: dict[str, str] = {}
        for name, path in place.failed.items():
            for other in reached(self.workflow.edges, (name,)) - {END, *place.done}:
                found.setdefault(other, path)
        order = list(self._cards)
        return {name: found[name] for name in sorted(found, key=order.index)}

    async def _following(
        self, following: Next, after: str, result: ResultSummary | None, view: RoutingView
    ) -> list[tuple[str, Decision | None]]:
        """Return who follows, each with the choice that led to it, if one did."""
        match following:
            case str():
                return [] if following == END else [(following, None)]
            case When():
                is_so = self._holds(following, after, result, view)
                branch = following.then if is_so else following.otherwise
                return await self._following(branch, after, result, view)
            case Choose():
                choice = await self._choice(following, view)
                return [(choice.goals[0].member, choice)]
            case _:
                found = [await self._following(each, after, result, view) for each in following]
                return [pair for pairs in found for pair in pairs]

    def _holds(
        self, when: When, after: str, result: ResultSummary | None, view: RoutingView
    ) -> bool:
        """True if the condition holds for the latest hand-off of its kind.

        What the member itself gave in an earlier call does not count for its latest one.
        """
        record = view.read.get(when.kind)
        if record is None or (result is not None and _is_old(record.path, result)):
            raise ConditionError(*self._why("unread", when, after))
        if record.version != when.handoff.version:
            why = self._why("version", when, after, version=record.version)
            raise ConditionError(*why)
        try:
            return bool(when.test(when.handoff.model_validate(record.payload)))
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise ConditionError(*self._why("condition", when, after, said=said)) from error

    def _why(self, key: str, when: When, after: str, **values: object) -> tuple[str, str]:
        values |= {"team": self.owner, "after": after, "kind": when.kind, "where": when.where}
        return TEXTS(key, "en", **values), TEXTS(key, "ko", **values)

    async def _choice(self, choose: Choose, view: RoutingView) -> Decision:
        """Return the decision for one of the members; the nearest one if none seems right."""
        chooser = self._choosers[choose.members]
        cards = tuple(self._cards[name] for name in choose.members)
        update: Mapping[str, Any] = {
            "members": cards,
            "results": (),
            "rounds": (),
            "addressed": (),
            "in_scope": True,
            "evidence": {
                name: one for name, one in view.evidence.items() if name in choose.members
            },
        }
        decision = await chooser.decide(view.model_copy(update=dict(update)))
        goals = _known(decision, choose.members) or _known(
            choose_by_examples(chooser, view.request), choose.members
        )
        best = max(goals, key=lambda goal: decision.scores.get(goal.member, 0.0), default=None)
        goal = best or Goal(member=choose.members[0], request=view.request)
        return decision.model_copy(update={"goals": (goal,)})


def _is_old(path: str, result: ResultSummary) -> bool:
    """True if an earlier call of the member behind `result` gave what lies at `path`."""
    team, _, latest = result.path.rpartition("/")
    giver = path.removeprefix(f"{team}/").partition("/")[0]
    return giver.partition("#")[0] == result.member and giver != latest


def _known(decision: Decision, members: Iterable[str]) -> list[Goal]:
    names = set(members)
    return [goal for goal in decision.goals if goal.member in names]
