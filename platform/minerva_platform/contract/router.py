"""The question of a supervisor to a router, and the closed set of answers that it accepts.

A router sees the request, one card for each member of its own level, and how the calls so far
ended. It never sees a worker's private state, and the words of a worker only if it says so in its
`traits`. It answers with a `Decision`. `check_decision` stands between that answer and the graph,
so no router can leave its team, however it was trained or prompted.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeAlias, runtime_checkable

from pydantic import Field

from minerva_platform.config.router_spec import RouterName, ToolSpec
from minerva_platform.contract.attachment import Attachment
from minerva_platform.contract.values import Frozen
from minerva_platform.errors import UnknownMemberError

_MAX_WHY: Final = 200
"""Characters of a reason."""


class Evidence(Frozen):
    """What speaks for a member beside the sense of a request: names it knows, what is attached."""

    score: float = Field(default=0.0, ge=0.0, le=1.0)
    """0: nothing. 1: as much as can be."""
    why: str = Field(default="", max_length=_MAX_WHY)
    """Shown by `minerva explain`."""
    words: tuple[str, ...] = ()
    """Of the request: it speaks for the parts that hold one. None: for all."""

    def speaks_of(self, text: str) -> bool:
        """True if it is about `text`, a part of the request. Upper and lower case are alike."""
        folded = text.casefold()
        return not self.words or any(word.casefold() in folded for word in self.words)


class Evident(Protocol):
    """A member, as far as it speaks for itself."""

    name: str

    def evidence(self, request: str, attachments: Sequence[Attachment]) -> Evidence:
        """Return what speaks for it beside the sense of the words."""
        ...


def evidence_by_member(
    members: Iterable[Evident], request: str, attachments: Sequence[Attachment]
) -> dict[str, Evidence]:
    """Return what speaks for each member, without those that have nothing to say.

    An exception of a member's code counts as nothing, and the router's decision says so.
    """
    found: dict[str, Evidence] = {}
    for agent in members:
        try:
            one = Evidence.model_validate(agent.evidence(request, attachments))
        except Exception as error:  # noqa: BLE001  # an author's code may raise anything
            one = Evidence(why=f"its evidence failed: {type(error).__name__}"[:_MAX_WHY])
        if one.score or one.why:
            found[agent.name] = one
    return found


@runtime_checkable
class RunQuestions(Protocol):
    """Answers questions about the background runs of one thread, as JSON.

    It knows no other runs: the id of another thread's run gets the answer of one that is not there.
    A run is named by its id or the beginning of one.
    """

    async def status(self, run_id: str) -> str:
        """Return how a run goes; without an id, how each of the thread's runs goes."""
        ...

    async def result(self, run_id: str) -> str:
        """Return what came of a run, at most as much as is read of a member's answer."""
        ...

    async def cancel(self, run_id: str) -> str:
        """Cancel a run, and return how it went before."""
        ...


class Goal(Frozen):
    """One member that the request asks for, with the words that ask for it."""

    member: str
    request: str
    fields: dict[str, Any] = {}
    """Values for fields of its Input, passed on by another member."""
    handoffs: dict[str, list[Any]] = {}
    """Records of hand-offs by kind, passed on to this call alone."""


class Decision(Frozen):
    """The answer of a router.

    No goals mean that all is done. Before any call they mean that no member serves the request
    (`no_route`). Goals with `finish` true are the whole plan.
    """

    goals: tuple[Goal, ...] = ()
    finish: bool = False
    unserved: tuple[str, ...] = ()
    """Parts of the request, in its words, that no member here serves."""
    absent: tuple[Goal, ...] = ()
    """What teams would do that were left out at the start."""
    reason: str = ""
    """Shown to the person who reviews the run."""
    scores: dict[str, float] = {}
    answer: str = ""
    """The supervisor's own words at the end; empty if the parts are put together."""
    note: str = ""
    """What a router that `reads_results` will want to know of it later."""
    runner_up: str | None = None
    margin: float | None = None
    """What the scores lack to the nearest other decision, a refusal too."""
    router: str = ""
    evidence: dict[str, str] = {}
    """By member: why the router gave it more than its words did."""
    review: bool = False
    """Ask again if a member of this plan fails, although it is final."""
    fallback: str = ""
    """Why another router answered instead of the one that was asked."""
    given_up: dict[str, str] = {}
    """Members that will not be called, each with the path of the failure behind it."""


def address(members: Iterable[str], request: str) -> Decision:
    """Return the decision of a task that names its members. No router is asked."""
    goals = tuple(Goal(member=member, request=request) for member in members)
    reason = "The task says whom it is for."
    return Decision(goals=goals, finish=True, reason=reason, router="addressed")


class MemberCard(Frozen):
    """A member as the router of its supervisor sees it."""

    name: str
    description: str
    examples: tuple[str, ...] = ()
    declines: tuple[str, ...] = ()
    aspects: tuple[str, ...] = ()
    background: bool = False
    """A call of it starts a run of its own."""
    starts_runs: bool = False
    """So does it, or a member below it."""


class RouterTraits(Frozen):
    """What the supervisor grants a router. The defaults are those of a router without `traits`."""

    keeps_goals_apart: bool = False
    """Each goal is a call of its own; else one member gets one call with all words."""
    reads_results: bool = False
    """It sees what members answered, and its own earlier decisions."""
    max_rounds: int | None = Field(default=None, ge=1)
    """How often it decides in one visit; None means once more than there are members, and as many
    calls."""
    max_at_once: int | None = Field(default=None, ge=1)
    """Calls of the team at once, within the run's own limit."""
    is_asked_first: bool = False
    """It begins every visit, even one whose task names its members."""
    names_every_call: bool = False
    """No producer and no audit is added to its goals, and it is asked even if only hand-offs are
    wanted."""
    reads_handoffs: frozenset[str] = frozenset()
    """Kinds of which it reads the latest hand-off."""


PLAIN: Final = RouterTraits()


OutputMode = Literal["summary", "data", "history"]
"""What of a member's answer its supervisor's router reads, if that reads answers at all: the
summary only, also the Output's own fields, or also the messages of the worker's graph."""


class ResultSummary(Frozen):
    """The result of an earlier call, as a router sees it."""

    member: str
    path: str = ""
    answered_at: str = ""
    """The path of the call that answered: a substitute's, if one did."""
    status: Literal["ok", "ok_degraded", "needs_human", "failed", "timeout", "skipped"]
    is_asked_for: bool = True
    """A goal of this router named it."""
    request: str = ""
    """The words that the member was given."""
    cause: str = ""
    """Why it failed, in the language of the run."""
    summary: str = ""
    """Its answer, for a router that `reads_results`."""
    data: dict[str, Any] = {}
    """Its Output's own fields, if its `output_mode` says so."""
    left_out: tuple[str, ...] = ()
    """Fields of its Output that are too large to be read."""
    history: tuple[dict[str, Any], ...] = ()
    """Its newest messages, if its `output_mode` says so."""
    effects: tuple[dict[str, Any], ...] = ()
    """What it did to the world, even if it failed then."""
    passes_to: tuple[Goal, ...] = ()
    """The members to which it passes control, with what they shall do."""


class ReadHandoff(Frozen):
    """A hand-off, for a router that reads it."""

    path: str
    version: int
    payload: dict[str, Any]
    giver: str = ""
    """The member of this team that gave it, if one did."""


class Round(Frozen):
    """An earlier decision of the visit, for a router that `reads_results`."""

    note: str = ""
    """The router's note to itself."""
    calls: int = 0
    """How many goals it had."""


class RoutingView(Frozen, arbitrary_types_allowed=True):
    """Everything that a router sees."""

    request: str
    context: str = ""
    language: Literal["ko", "en"] = "ko"
    members: tuple[MemberCard, ...]
    results: tuple[ResultSummary, ...] = ()
    rounds: tuple[Round, ...] = ()
    handoffs: tuple[str, ...] = ()
    """Kinds that are available."""
    handoffs_by_kind: dict[str, tuple[ReadHandoff, ...]] = {}
    """By kind that its `traits` let it read: the latest hand-off of each giver, the newest last."""
    givers: dict[str, frozenset[str]] = {}
    """By such a kind: the members that may give it."""
    task_members: tuple[str, ...] = ()
    """Members that the task names, for a router that is asked first."""
    is_own_run: bool = False
    """The run does the work of one member in the background alone."""
    in_scope: bool = False
    """A supervisor above has already found that this team serves it."""
    evidence: dict[str, Evidence] = {}
    """By member: what speaks for it. Those without any are left out."""
    runs: RunQuestions | None = Field(default=None, exclude=True, repr=False)
    """Knows the background runs of the thread, if members can start some."""


class Router(Protocol):
    """Anything that can choose members for a request."""

    async def decide(self, view: RoutingView) -> Decision:
        """Answer with goals among `view.members`, or with none."""
        ...


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """One member, or START, and one that may work after it, or END."""

    source: str
    target: str
    label: str = ""
    """When the edge is taken. Empty: always."""


class Shape(Protocol):
    """An order or a network that a team declares. Its router follows from it."""

    @property
    def name(self) -> str:
        """The router's name in records."""
        ...

    @property
    def traits(self) -> RouterTraits:
        """What the supervisor grants its router."""
        ...

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Who may work after whom."""
        ...

    def problems(
        self, members: Sequence[str], versions: Mapping[str, int], apart: Collection[str] = ()
    ) -> Iterator[str]:
        """Yield what can never work with these members."""
        ...


RouterChoice: TypeAlias = Router | Shape | ToolSpec | RouterName | None
"""What a team may say of its router: one, what one is made of, or its name."""


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


def traits_of(router: Router | None) -> RouterTraits:
    """Return what `router` says in its attribute `traits`, else the defaults."""
    traits: object = getattr(router, "traits", None)
    return traits if isinstance(traits, RouterTraits) else PLAIN


def check_decision(
    decision: Decision, members: Iterable[str], *, keeps_goals_apart: bool = False
) -> Decision:
    """Return `decision` with one goal per member, in order of first mention.

    A member named twice keeps the words of both goals, in one goal or, with `keeps_goals_apart`, in
    two. Names must match exactly: they are not stripped, folded or normalised.

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
    if keeps_goals_apart or len(parts) == len(decision.goals):
        return decision
    goals = tuple(Goal(member=name, request=" ".join(words)) for name, words in parts.items())
    return decision.model_copy(update={"goals": goals})
