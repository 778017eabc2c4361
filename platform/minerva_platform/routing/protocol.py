"""The question of a supervisor to a router, and the closed set of answers that it accepts.

A router sees the request, one card for each member of its own level, and short summaries of the
results so far. It never sees a worker's private state. It answers with a `Decision`.
`check_decision` stands between that answer and the graph, so no router can leave its team, however
it was trained or prompted.
"""

from collections.abc import Iterable
from typing import Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from minerva_platform.routing.errors import UnknownMemberError
from minerva_platform.routing.evidence import Evidence


class Goal(BaseModel):
    """One member that the request asks for, with the words that ask for it."""

    model_config = ConfigDict(frozen=True)

    member: str
    request: str


class Decision(BaseModel):
    """The answer of a router.

    No goals mean that all is done. Before any call they mean that no member serves the request
    (`no_route`). Goals with `finish` true are the whole plan.
    """

    model_config = ConfigDict(frozen=True)

    goals: tuple[Goal, ...] = ()
    finish: bool = False
    unserved: tuple[str, ...] = Field(
        default=(), description="Parts of the request, in its words, that no member here serves."
    )
    reason: str = Field(default="", description="Shown to the person who reviews the run.")
    scores: dict[str, float] = {}
    runner_up: str | None = None
    margin: float | None = Field(
        default=None,
        description="What the scores lack to the nearest other decision, a refusal too.",
    )
    router: str = ""
    evidence: dict[str, str] = Field(
        default={}, description="By member: why the router gave it more than its words did."
    )
    review: bool = Field(
        default=False, description="Ask again if a member of this plan fails, although it is final."
    )
    fallback: str = Field(
        default="", description="Why another router answered instead of the one that was asked."
    )


def address(members: Iterable[str], request: str) -> Decision:
    """Return the decision of a task that names its members. No router is asked."""
    goals = tuple(Goal(member=member, request=request) for member in members)
    reason = "The task says whom it is for."
    return Decision(goals=goals, finish=True, reason=reason, router="addressed")


class MemberCard(BaseModel):
    """A member as the router of its supervisor sees it."""

    model_config = ConfigDict(frozen=True)

    name: str
    description: str
    examples: tuple[str, ...] = ()
    declines: tuple[str, ...] = ()
    aspects: tuple[str, ...] = ()


class ResultSummary(BaseModel):
    """The result of an earlier call, as a router sees it."""

    model_config = ConfigDict(frozen=True)

    member: str
    status: Literal["ok", "ok_degraded", "needs_human", "failed", "timeout", "skipped"]
    summary: str = ""


class RoutingView(BaseModel):
    """Everything that a router sees."""

    model_config = ConfigDict(frozen=True)

    request: str
    context: str = ""
    language: Literal["ko", "en"] = "ko"
    members: tuple[MemberCard, ...]
    results: tuple[ResultSummary, ...] = ()
    handoffs: tuple[str, ...] = Field(default=(), description="Kinds that are available.")
    in_scope: bool = Field(
        default=False, description="A supervisor above has already found that this team serves it."
    )
    evidence: dict[str, Evidence] = Field(
        default={}, description="By member: what speaks for it. Those without any are left out."
    )


class Router(Protocol):
    """Anything that can choose members for a request."""

    async def decide(self, view: RoutingView) -> Decision:
        """Answer with goals among `view.members`, or with none."""
        ...


@runtime_checkable
class TrainedRouter(Router, Protocol):
    """A router that loads or learns something before any run's clock starts."""

    @property
    def learns_from_examples(self) -> bool:
        """True if the router is trained on the members' examples."""
        ...

    def prepare(self) -> None:
        """Load and learn now."""
        ...


@runtime_checkable
class ExamplesRouter(Router, Protocol):
    """A router that can decide by the members' examples alone."""

    def choose(self, request: str) -> Decision:
        """Decide for `request` by examples, among all members."""
        ...

    def is_sure(self, decision: Decision) -> bool:
        """True if no other decision is nearly as good."""
        ...


def prepare_router(router: Router | None) -> None:
    """Let `router` load and learn, if it is a `TrainedRouter`."""
    if isinstance(router, TrainedRouter):
        router.prepare()


def choose_by_examples(router: Router, request: str) -> Decision:
    """Return the decision of the examples that `router` has learned. Empty if it has none."""
    return router.choose(request) if isinstance(router, ExamplesRouter) else Decision()


def served_words(decision: Decision) -> str:
    """Return the words that `decision` gives to members, without the unserved ones."""
    return " ".join(goal.request for goal in decision.goals)


def check_decision(decision: Decision, members: Iterable[str]) -> Decision:
    """Return `decision` with one goal per member, in order of first mention.

    A member named twice keeps the words of both goals. Names must match exactly: they are not
    stripped, folded or normalised.

    Raises:
        UnknownMemberError: A goal names a member outside `members`.
    """
    names = tuple(members)
    parts: dict[str, list[str]] = {}
    for goal in decision.goals:
        if goal.member not in names:
            raise UnknownMemberError(goal.member, names)
        words = parts.setdefault(goal.member, [])
        if goal.request not in words:
            words.append(goal.request)
    if len(parts) == len(decision.goals):
        return decision
    goals = tuple(Goal(member=name, request=" ".join(words)) for name, words in parts.items())
    return decision.model_copy(update={"goals": goals})
