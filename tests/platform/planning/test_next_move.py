"""What a supervisor does next follows from values alone, and it always ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import Phase, given, settings, strategies as st

from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.dataflow import Flow, Port
from minerva_platform.contract.handoff import Handoff, HandoffRecord
from minerva_platform.contract.result import Result
from minerva_platform.contract.task import Task
from minerva_platform.contract.values import Usage
from minerva_platform.planning.next_move import Ask, Call, Finish, Move, Skip, follow, next_move
from minerva_platform.planning.planner import Assignment
from minerva_platform.planning.progress import Progress
from minerva_platform.planning.situation import Roster, Situation
from minerva_platform.routing import Decision, Goal
from minerva_platform.run_context.budget import BudgetLeft

NAMES = ("a", "b", "c", "d", "e")
PLENTY = BudgetLeft(
    limits=RunLimits(), max_hops=99, seconds=9.0, hops=99, model_calls=9, tokens=None
)


def flow_of(name: str, *, needs: Sequence[str] = (), wants: Sequence[str] = ()) -> Flow:
    """Return the flow of a member that gives the kind `x.<name>`."""

    def ports(kinds: Sequence[str]) -> dict[str, tuple[Port, ...]]:
        return {kind: (Port(name, "field", Handoff, is_required=True),) for kind in kinds}

    gives = f"x.{name}"
    return Flow(ports(needs), ports(wants), ports([gives]), {gives: frozenset([*needs, *wants])})


def team_of(
    flows: Mapping[str, Flow], *, substitutes: Mapping[str, str] | None = None
) -> Situation:
    """Return the situation in which a task of these members begins."""
    members = Roster(flows=flows, audits={}, substitutes=substitutes or {})
    return Situation(path="t", members=members, task=Task(request="all of it"), handoffs={})


@dataclass
class Played:
    """A task played to its end by scripted routers and members."""

    here: Situation
    progress: Progress = field(default_factory=Progress)
    moves: list[Move] = field(default_factory=list)
    situations: list[Situation] = field(default_factory=list)

    @property
    def calls(self) -> list[tuple[Assignment, Situation]]:
        """Each call, with the situation in which it was made."""
        pairs = zip(self.moves, self.situations, strict=True)
        return [
            (call.assignment, here) for m, here in pairs if isinstance(m, Call) for call in m.calls
        ]

    @property
    def end(self) -> Finish:
        """The last move."""
        assert isinstance(self.moves[-1], Finish)
        return self.moves[-1]


def play(
    here: Situation,
    decisions: Sequence[Decision],
    *,
    failing: frozenset[str] = frozenset(),
    hops: int = 99,
) -> Played:
    """Carry the moves out; the router repeats its last decision, members in `failing` fail."""
    played, asked = Played(here), 0
    for _ in range(200):  # far more than any of these can take
        left = replace(PLENTY, hops=hops)
        move = next_move(played.progress, played.here, left)
        assert move == next_move(played.progress, played.here, left)
        played.moves.append(move)
        played.situations.append(played.here)
        played.progress = move.progress
        match move:
            case Ask(progress):
                decision = decisions[min(asked, len(decisions) - 1)]
                asked += 1
                progress = progress.spending(Usage(routing_calls=1))
                played.progress = follow(progress, decision, played.here)
            case Call(progress, calls):
                hops -= len(calls)
                results = [
                    *progress.skips,
                    *(
                        Result(
                            agent=call.assignment.member,
                            path=call.path,
                            status="failed" if call.assignment.member in failing else "ok",
                            role=call.assignment.role,
                            summary="done",
                        )
                        for call in calls
                    ),
                ]
                played.here = after(played.here, results)
                played.progress = Progress.model_validate(progress.model_dump(mode="json"))
            case Skip():
                pass
            case Finish():
                return played
    message = f"it does not end: {played.moves[-3:]}"
    raise AssertionError(message)


def after(here: Situation, results: Sequence[Result]) -> Situation:
    """Return the situation with `results` and what those that went well give."""
    handoffs = dict(here.handoffs)
    for result in results:
        if result.status == "ok":
            record = HandoffRecord(path=result.path, version=1)
            kind = f"x.{result.agent}"
            handoffs[kind] = [*handoffs.get(kind, ()), record]
    return replace(here, handoffs=handoffs, results=(*here.results, *results))


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """Draw members that take what members before them give, or what nobody gives."""
    flows: dict[str, Flow] = {}
    for name in NAMES[: draw(st.integers(2, 5))]:
        kinds = [*(f"x.{other}" for other in flows), "x.nobody"]
        taken = draw(st.lists(st.sampled_from(kinds), max_size=2, unique=True))
        cut = draw(st.integers(0, len(taken)))
        flows[name] = flow_of(name, needs=taken[:cut], wants=taken[cut:])
    pairs = st.tuples(st.sampled_from(list(flows)), st.sampled_from(list(flows)))
    substitutes = {one: other for one, other in draw(st.lists(pairs, max_size=2)) if one != other}
    return team_of(flows, substitutes=substitutes)


@st.composite
def decisions(draw: st.DrawFn) -> list[Decision]:
    """Draw what a router says, sensible or not."""
    return [
        Decision(
            goals=tuple(
                Goal(member=name, request=draw(st.sampled_from(["this", "that"])))
                for name in draw(st.lists(st.sampled_from(NAMES[:2]), max_size=2, unique=True))
            ),
            finish=draw(st.booleans()),
            review=draw(st.booleans()),
        )
        for _ in range(draw(st.integers(1, 4)))
    ]


failures = st.frozensets(st.sampled_from(NAMES))
PROPERTY = settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],  # explaining traces every line
)


@pytest.mark.slow
@PROPERTY
@given(here=situations(), said=decisions(), failing=failures, hops=st.integers(0, 12))
def test_it_always_ends(
    here: Situation, said: list[Decision], failing: frozenset[str], hops: int
) -> None:
    """Whatever the router repeats and whoever fails, within the hops of the run."""
    played = play(here, said, failing=failing, hops=hops)

    assert len(played.calls) <= hops


@pytest.mark.slow
@PROPERTY
@given(here=situations(), said=decisions(), failing=failures)
def test_no_call_starts_without_what_it_needs(
    here: Situation, said: list[Decision], failing: frozenset[str]
) -> None:
    """A call that cannot start is skipped, and the result names what is missing."""
    played = play(here, said, failing=failing)

    for assignment, then in played.calls:
        assert then.members.flows[assignment.member].needs.keys() <= then.handoffs.keys()
    for move, then in zip(played.moves, played.situations, strict=True):
        for result in move.results if isinstance(move, Skip) else ():
            missing = then.members.flows[result.agent].needs.keys() - then.handoffs.keys()
            assert result.error is not None
            assert all(kind in result.error.message for kind in missing)


@pytest.mark.slow
@PROPERTY
@given(here=situations(), said=decisions(), failing=failures)
def test_no_call_repeats_the_one_before_it(
    here: Situation, said: list[Decision], failing: frozenset[str]
) -> None:
    """A member is called again only with other words, wishes or hand-offs."""
    latest: dict[str, str] = {}
    for assignment, then in play(here, said, failing=failing).calls:
        assert latest.get(assignment.member) != then.digest(assignment)
        latest[assignment.member] = then.digest(assignment)


@pytest.mark.slow
@PROPERTY
@given(here=situations(), said=decisions())
def test_the_order_follows_needs_and_wants(here: Situation, said: list[Decision]) -> None:
    """Who takes what another of the same plan gives is called after it."""
    played = play(here, said[:1])
    order = [assignment.member for assignment, _ in played.calls]

    for number, name in enumerate(order):
        for kind in here.members.flows[name].takes:
            giver = kind.removeprefix("x.")
            assert giver not in order or order.index(giver) < number


@PROPERTY
@given(name=st.sampled_from("ab"), others=st.sets(st.sampled_from("abcd")), review=st.booleans())
def test_a_substitute_comes_next(name: str, others: set[str], *, review: bool) -> None:
    """Before what is left of the plan, with the words of the member that failed."""
    flows = {key: flow_of(key) for key in "abcde"}
    flows["c"] = flow_of("c", wants=["x.a", "x.b"])
    here = team_of(flows, substitutes={name: "e"})
    goals = [Goal(member=key, request=f"do {key}") for key in sorted({name, *others})]
    said = Decision(goals=tuple(goals), finish=True, review=review)

    played = play(here, [said], failing=frozenset(name))
    first, second = [move for move in played.moves if isinstance(move, Call)][:2]
    assert name in [call.assignment.member for call in first.calls]
    (call,) = second.calls
    assert (call.assignment.member, call.assignment.role) == ("e", "substitute")
    assert call.assignment.request == f"do {name}"


def asked(here: Situation) -> Progress:
    """Return the progress with a plan of one call."""
    goal = Decision(goals=(Goal(member="a", request="go"),), finish=True)
    return follow(Progress(), goal, here)


def test_a_limit_ends_it_and_says_which() -> None:
    """Each in a sentence that names the setting; below the root it follows from the root."""
    here = team_of({"a": flow_of("a")})
    inner = replace(here, path="platform/t")
    spent = {
        "deadline": (replace(PLENTY, seconds=0), "seconds"),
        "loop_limit": (replace(PLENTY, hops=0), "hops"),
        "budget_model_calls": (replace(PLENTY, model_calls=0), "model_calls"),
        "budget_tokens": (replace(PLENTY, tokens=0), "tokens"),
    }
    for reason, (left, setting) in spent.items():
        for place, because_of in ((here, None), (inner, "platform")):
            move = next_move(asked(place), place, left)
            assert isinstance(move, Finish)
            assert (move.stop.reason, move.stop.because_of) == (reason, because_of)
            assert move.stop.error is not None
            assert f"limits: {{{setting}: …}}" in move.stop.error.message


def test_a_member_that_is_late_at_the_deadline_is_why() -> None:
    """The end follows from the call that took the time, not from the run."""
    here = team_of({"a": flow_of("a")})
    called = next_move(asked(here), here, PLENTY)
    assert isinstance(called, Call)
    late = Result(agent="a", path="t/a", status="timeout")

    over = next_move(called.progress, after(here, [late]), replace(PLENTY, seconds=0))

    assert isinstance(over, Finish)
    assert (over.stop.reason, over.stop.because_of) == ("deadline", "t/a")


def test_a_router_that_names_nobody_serves_nobody() -> None:
    """Before anything was done it is `no_route`, afterwards it is the end."""
    here = team_of({"a": flow_of("a")})
    go = Decision(goals=(Goal(member="a", request="go"),))

    assert play(here, [Decision()]).end.stop.reason == "no_route"
    assert play(here, [go, Decision()]).end.stop.reason is None


def test_a_router_that_repeats_itself_is_a_loop() -> None:
    """The same call is made once; the end says why."""
    here = team_of({"a": flow_of("a")})
    played = play(here, [Decision(goals=(Goal(member="a", request="go"),))])

    assert len(played.calls) == 1
    assert played.end.stop.reason == "loop_limit"


@pytest.mark.parametrize(("kinds", "calls"), [(["x.a"], "ab"), ([], "aba")])
def test_what_another_answer_shows_is_made_once(kinds: list[str], calls: str) -> None:
    """Who ran by itself is called again only if the router wants its own answer."""
    flows = {"a": flow_of("a"), "b": flow_of("b", needs=["x.a"])}
    here = team_of(flows)
    here = replace(here, members=replace(here.members, presents={"b": kinds}))
    goals = [Decision(goals=(Goal(member=name, request=f"do {name}"),)) for name in "ba"]

    played = play(here, [*goals, Decision(finish=True)])

    assert "".join(call.member for call, _ in played.calls) == calls
    assert played.end.stop.reason is None


def test_a_failed_early_call_is_not_made_again() -> None:
    """A router that names the same after a failure does not get the same calls once more."""
    flow = flow_of("b", wants=["x.a", "x.b"])
    here = team_of({"a": flow_of("a"), "b": replace(flow, waits={"x.b": frozenset()})})
    both = tuple(Goal(member=name, request="go") for name in "ab")

    played = play(here, [Decision(goals=both, finish=True, review=True)], failing=frozenset("ab"))

    assert [(call.member, call.role) for call, _ in played.calls] == [
        ("a", "goal"),
        ("b", "preparation"),
        ("b", "goal"),
    ]


def test_a_plan_that_fails_is_reviewed_if_the_router_said_so() -> None:
    """A final plan is final, unless the router wants to hear of failures."""
    here = team_of({"a": flow_of("a"), "b": flow_of("b")})
    goal = Decision(goals=(Goal(member="a", request="go"),), finish=True)
    other = Decision(goals=(Goal(member="b", request="go"),), finish=True)
    review = goal.model_copy(update={"review": True})

    final = play(here, [goal, other], failing=frozenset("a"))
    again = play(here, [review, other], failing=frozenset("a"))
    assert [call.member for call, _ in final.calls] == ["a"]
    assert [call.member for call, _ in again.calls] == ["a", "b"]


def test_a_checkpoint_of_the_version_before_is_read() -> None:
    """Its plan lies under `waves`, its calls under `visits`, and an audit is a `check`."""
    call = {"member": "a", "role": "check", "request": "go", "wanted_kinds": []}
    kept = {
        "waves": [[call]],
        "running": [call],
        "plan_is_final": True,
        "may_review": True,
        "bypassed": [{"path": "t/a", "cause": "broken", "action": "bypassed"}],
        "unserved": ["pay them"],
        "usage": {"routing_calls": 1},
        "hops": 1,
        "visits": {"a": 1},
        "digests": {"a": "0"},
    }

    progress = Progress.model_validate(kept)

    assignment = Assignment(member="a", role="audit", request="go")
    assert (progress.stages, progress.running) == (((assignment,),), (assignment,))
    stored = progress.model_dump(mode="json")
    new = {"stages", "calls", "rounds", "answer"}
    assert stored.keys() - new == kept.keys() - {"waves", "visits"}
    assert Progress.model_validate(stored) == progress
