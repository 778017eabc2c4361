"""Follow a workflow: what comes after the calls that have ended.

The router keeps its place in the note of its decision. So a run that goes on in another process
evaluates no condition twice, and asks no model twice.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from minerva_platform.contract.router import (
    Decision,
    Goal,
    MemberCard,
    ReadHandoff,
    ResultSummary,
    Router,
    RoutingView,
    prepare_router,
)
from minerva_platform.errors import ConditionError
from minerva_platform.routing.examples_router import EmbeddedRouter
from minerva_platform.routing.shapes.shape import END, START, names_after
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
    failed_paths: dict[str, str] = field(default_factory=dict[str, str])
    """Failed members, each with the path of its call."""
    condition_errors: list[str] = field(default_factory=list[str])
    """Why the first condition failed that did, in English and Korean."""

    @classmethod
    def of(cls, view: RoutingView) -> "_Place":
        return cls(**json.loads(view.rounds[-1].note)) if view.rounds else cls(done=[START])

    @property
    def note(self) -> str:
        return json.dumps(vars(self), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Chooser:
    """What makes one choice: a router, and the examples on which it falls back."""

    router: Router
    examples: EmbeddedRouter | None


class WorkflowRouter:
    """A `Router` that calls the members in the declared order."""

    def __init__(
        self,
        workflow: Workflow,
        *,
        owner: str,
        cards: Sequence[MemberCard],
        choosers: Mapping[tuple[str, ...], Chooser],
    ) -> None:
        """`choosers` are the routers of its choices, by the members of each."""
        self.workflow, self.owner = workflow, owner
        self.traits = workflow.traits
        self._cards = {card.name: card for card in cards}
        self._choosers = choosers
        self._forward = workflow.forward_edges

    @property
    def learns_from_examples(self) -> bool:
        """True if it has choices to make."""
        return bool(self._choosers)

    def prepare(self) -> None:
        """Let the choosers learn before any run's clock starts."""
        for chooser in self._choosers.values():
            prepare_router(chooser.router)

    async def decide(self, view: RoutingView) -> Decision:
        """Return the members whose turn it is; none end the visit.

        In the run of a member in the background it is that member's turn alone: the order goes on
        where the run was started.

        Raises:
            ConditionError: a condition could not be evaluated, and all other branches have ended.
        """
        if view.is_own_run and view.task_members:
            goals = tuple(Goal(member=name, request=view.request) for name in view.task_members)
            return Decision(goals=goals, finish=True, router=NAME)
        place = _Place.of(view)
        chosen = await self._go_on(place, view)
        ready = self._ready(place.waiting)
        place.waiting = [name for name in place.waiting if name not in ready]
        place.running, place.done = ready, [*dict.fromkeys((*place.done, *ready))]
        if place.condition_errors and not ready:
            message, korean, *_ = place.condition_errors
            raise ConditionError(message, korean, given_up=self._given_up(place))
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
                place.failed_paths[name] = result.path if result else ""
                continue
            place.failed_paths.pop(name, None)
            following = self.workflow.order.get(name, END)
            try:
                found = await self._following(following, name, result, view)
            except ConditionError as error:  # the other branches go on
                place.condition_errors = place.condition_errors or [str(error), error.korean]
                place.failed_paths[name] = result.path if result else ""
                continue
            for target, choice in found:
                chosen = choice or chosen
                if target not in place.waiting:
                    place.waiting.append(target)
        return chosen

    def _ready(self, waiting: Sequence[str]) -> list[str]:
        """Return those to which no other one that waits may still come."""
        ahead = {name: names_after(self._forward, (name,)) for name in waiting}
        return [name for name in waiting if not any(name in ahead[other] for other in waiting)]

    def _given_up(self, place: _Place) -> dict[str, str]:
        """Return the members that were never called because others failed."""
        found: dict[str, str] = {}
        for name, path in place.failed_paths.items():
            for other in names_after(self.workflow.edges, (name,)) - {END, *place.done}:
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
                choice = await self._choice(following, after, view)
                return [(choice.goals[0].member, choice)]
            case _:
                found = [await self._following(each, after, result, view) for each in following]
                return [pair for pairs in found for pair in pairs]

    def _holds(
        self, when: When, after: str, result: ResultSummary | None, view: RoutingView
    ) -> bool:
        """True if the condition holds for the hand-off that it reads."""
        record = self._find_handoff(when, after, result, view)
        if record is None:
            raise ConditionError(*self._why("unread", when, after))
        if record.version != when.handoff.version:
            why = self._why("version", when, after, version=record.version)
            raise ConditionError(*why)
        try:
            holds = when.test(when.handoff.model_validate(record.payload))
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise ConditionError(*self._why("condition", when, after, said=said)) from error
        if not isinstance(holds, bool):
            said = f"{holds!r:.80}"
            raise ConditionError(*self._why("no_bool", when, after, said=said))
        return holds

    def _find_handoff(
        self, when: When, after: str, result: ResultSummary | None, view: RoutingView
    ) -> ReadHandoff | None:
        """Return the hand-off that a condition reads: of its own member, or of one before it.

        If the member itself may give the kind, its latest call alone counts.
        """
        records = view.handoffs_by_kind.get(when.kind, ())
        at = result.answered_at if result else ""
        answered = at.rpartition("/")[2].partition("#")[0]
        if {after, answered} & view.givers.get(when.kind, frozenset()):
            own = [one for one in records if one.path == at or one.path.startswith(f"{at}/")]
            return own[-1] if own else None
        edges = self.workflow.edges
        before = {edge.source for edge in edges if after in names_after(edges, (edge.source,))}
        known = [one for one in records if one.giver in before or one.giver not in self._cards]
        return known[-1] if known else None

    def _why(self, key: str, when: When, after: str, **values: object) -> tuple[str, str]:
        values |= {"team": self.owner, "after": after, "kind": when.kind, "where": when.where}
        return TEXTS(key, "en", **values), TEXTS(key, "ko", **values)

    async def _choice(self, choose: Choose, after: str, view: RoutingView) -> Decision:
        """Return the decision for one of the members; if the model has none, that of the examples.

        Raises:
            ConditionError: the model chooses nobody, and there are no examples.
        """
        chooser, known = self._choosers[choose.members], {*choose.members}
        update: dict[str, Any] = {
            "members": tuple(self._cards[name] for name in choose.members),
            "results": (),
            "rounds": (),
            "task_members": (),
            "in_scope": True,
            "evidence": {name: view.evidence[name] for name in known & {*view.evidence}},
        }
        decision = await chooser.router.decide(view.model_copy(update=update))
        if not any(goal.member in known for goal in decision.goals):
            decision = self._instead(choose, after, view)
        goals = [goal for goal in decision.goals if goal.member in known]
        best = max(goals, key=lambda goal: decision.scores.get(goal.member, 0.0))
        return decision.model_copy(update={"goals": (best,)})

    def _instead(self, choose: Choose, after: str, view: RoutingView) -> Decision:
        """Return the choice of the examples where the model, or nothing but them, chose nobody."""
        chooser = self._choosers[choose.members]
        if chooser.examples is not None:
            goal = Goal(member=chooser.examples.rank(view.request).best, request=view.request)
            is_model_s = chooser.router is not chooser.examples
            told = f"ModelOutputError: {TEXTS('by_examples', view.language)}" if is_model_s else ""
            return Decision(goals=(goal,), fallback=told)
        values = {"team": self.owner, "after": after, "names": ", ".join(choose.members)}
        raise ConditionError(TEXTS("nobody", "en", **values), TEXTS("nobody", "ko", **values))
