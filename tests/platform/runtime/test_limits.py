"""Loops stop, deadlines hold, and what is there is kept."""

import asyncio
import threading
from typing import Any, ClassVar

import pytest

from minerva_observability import MemorySink
from minerva_platform import BindingError, Decision, Handoff, Run, RunLimits, Task, Team
from minerva_platform.durable.active_run import run_team
from minerva_platform.routing import Goal
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent, assert_hops


class Note(Handoff):
    """Something that changes with every call."""

    kind: ClassVar[str] = "limits.note"
    number: int


class Missing(Handoff):
    """Something that nobody gives."""

    kind: ClassVar[str] = "limits.missing"


def team_of(*members: Any, **declared: Any) -> Team:
    """Return a team that asks each member once."""
    declared.setdefault("router", EachOnceRouter())
    return Team(name=declared.pop("name", "t"), description="…", members=members, **declared)


async def ask(team: Team, request: str = "go", **limits: Any) -> Run:
    """Run `team` within `limits`."""
    return await run_team(
        team.assembled, Task(request=request), RunOptions(limits=RunLimits(**limits))
    )


def counter(name: str, **contract: Any) -> StubAgent:
    """Return an agent that gives another number each time, so that no call repeats another."""
    numbers = iter(range(1000))
    stub = StubAgent(name, gives=[Note(number=0)], **contract)
    stub.behave = lambda _: {"summary": name, "limits_note": {"number": next(numbers)}}
    return stub


async def test_the_same_call_is_not_made_twice() -> None:
    """A router in love with one member ends the visit; its answer is there."""
    agent = StubAgent("a")

    run = await ask(team_of(agent, StubAgent("b"), router=ScriptedRouter("a", repeat=True)))

    assert (run.status, run.reason) == ("ok_degraded", "loop_limit")
    assert run.answer.startswith("a answered")
    assert len(agent.calls) == 1


async def test_ping_pong_ends_with_what_is_there() -> None:
    """Two members that always have something new for each other."""
    team = team_of(
        counter("ping", wants=[Note]),
        counter("pong", wants=[Note]),
        router=ScriptedRouter("ping", "pong", repeat=True),
    )

    run = await ask(team)

    assert (run.status, run.reason) == ("ok_degraded", "loop_limit")
    assert_hops(run, "t/ping", "t/pong", "t/ping#2")


async def test_going_to_and_fro_between_teams_ends() -> None:
    """A-B-A over a border, each visit with new input."""
    teams = [
        team_of(
            counter(f"{name}_worker", wants=[Note]),
            name=name,
            exports=(Note,),
        )
        for name in ("a", "b")
    ]
    router = ScriptedRouter("a", "b", repeat=True)

    run = await ask(team_of(*teams, router=router))

    assert (run.status, run.reason) == ("ok_degraded", "loop_limit")
    assert [hop.path for hop in run.hops] == ["t/a/a_worker", "t/b/b_worker", "t/a#2/a_worker"]
    assert len(router.views) <= 5


async def test_a_loop_below_is_told_above() -> None:
    """The reason reaches the run; the other team's answer is there."""
    looping = team_of(StubAgent("x"), name="looping", router=ScriptedRouter("x", repeat=True))

    run = await ask(team_of(looping, StubAgent("y")))

    assert (run.status, run.reason) == ("ok_degraded", "loop_limit")
    assert "x answered" in run.answer
    assert "y answered" in run.answer


async def test_hops_of_a_run_are_limited() -> None:
    """Whatever the supervisors below would allow."""
    run = await ask(
        team_of(
            *(StubAgent(f"a{n}") for n in range(4)), router=ScriptedRouter("a0", "a1", "a2", "a3")
        ),
        hops=2,
    )

    assert (run.status, run.reason) == ("ok_degraded", "loop_limit")
    assert_hops(run, "t/a0", "t/a1")


async def test_a_run_that_could_do_nothing_has_failed() -> None:
    """A limit that allows no call is no success."""
    run = await ask(team_of(StubAgent("a"), StubAgent("b")), hops=1)

    assert (run.status, run.reason, run.hops) == ("failed", "loop_limit", ())


async def test_asking_for_members_that_cannot_start_ends() -> None:
    """No hop is spent on them, so hops alone would not stop it."""
    router = ScriptedRouter("needy", repeat=True)
    team = team_of(StubAgent("needy", needs=[Missing]), StubAgent("other"), router=router)

    run = await ask(team)

    assert run.status == "failed"
    assert run.reason == "loop_limit"
    assert len(router.views) <= 4


async def test_the_deadline_ends_the_run_with_partial_results() -> None:
    """At every depth: what finished in time is kept, what hung is told."""
    never = asyncio.Event()

    async def hangs(_: Any) -> None:
        await never.wait()

    inner = team_of(
        StubAgent("quick"),
        StubAgent("slow", behave=hangs),
        StubAgent("late", wants=[Note]),
        name="inner",
    )
    outer = team_of(inner, StubAgent("beside"), name="outer")

    run = await ask(team_of(outer, StubAgent("top")), seconds=2)  # the others need some CPU

    assert (run.status, run.reason) == ("ok_degraded", "deadline")
    assert {hop.path: hop.status for hop in run.hops} == {
        "t/top": "ok",
        "t/outer/beside": "ok",
        "t/outer/inner/quick": "ok",
        "t/outer/inner/late": "ok",
        "t/outer/inner/slow": "timeout",
    }
    assert "quick answered" in run.answer


async def test_the_deadline_stops_what_was_still_to_come() -> None:
    """No stage starts after it."""
    gate = threading.Event()
    second = StubAgent("second", wants=[Note])
    first = StubAgent("first", gives=[Note(number=1)], behave=lambda _: gate.wait(60))

    run = await ask(team_of(first, second, StubAgent("other")), seconds=2)
    gate.set()

    assert (run.status, run.reason) == ("ok_degraded", "deadline")
    assert second.calls == []


async def test_who_waits_for_a_free_place_is_held_to_the_deadline_too() -> None:
    """The time in the queue is the run's time."""
    never = asyncio.Event()

    async def hangs(_: Any) -> None:
        await never.wait()

    members = [StubAgent(f"a{number}", behave=hangs) for number in range(6)]

    run = await ask(team_of(*members), seconds=2, concurrency=2)  # what comes before needs some CPU

    assert (run.status, run.reason) == ("failed", "deadline")
    assert [hop.status for hop in run.hops] == ["timeout"] * 6
    assert all(hop.ms < 10_000 for hop in run.hops)


async def test_a_router_is_held_to_the_deadline() -> None:
    """A model that never answers cannot hang the run."""

    class Sleepy:
        async def decide(self, view: Any) -> Decision:  # noqa: ARG002  # the seam's signature
            await asyncio.Event().wait()
            return Decision()

    run = await ask(team_of(StubAgent("a"), router=Sleepy()), seconds=0.2)

    assert (run.status, run.reason) == ("failed", "deadline")


async def test_concurrency_is_limited_over_the_whole_run() -> None:
    """Not for each team: three teams of four work two at a time."""
    at_work, most = 0, 0

    async def works(_: Any) -> None:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        for _turn in range(5):
            await asyncio.sleep(0)
        at_work -= 1

    teams = [
        team_of(*(StubAgent(f"w{n}", behave=works) for n in range(4)), name=f"team{number}")
        for number in range(3)
    ]

    run = await ask(team_of(*teams), concurrency=2)

    assert (run.status, len(run.hops), most) == ("ok", 12, 2)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Decision(goals=(Goal(member="nobody", request="x"),)), "bad_decision"),
        (Decision(goals=(Goal(member="A", request="x"),)), "bad_decision"),
        (Decision(goals=(Goal(member="а", request="x"),)), "bad_decision"),
        (Decision(goals=(Goal(member="a ", request="x"),)), "bad_decision"),
        (None, "router_failed"),
        ("a", "router_failed"),
        ({"goals": ["a"]}, "router_failed"),
    ],
)
async def test_a_bad_decision_is_never_ok(answer: Any, reason: str) -> None:
    """Another case, a look-alike letter, a space, or no decision at all reach nobody."""

    class Odd:
        async def decide(self, view: Any) -> Any:  # noqa: ARG002  # the seam's signature
            return answer

    agent = StubAgent("a")

    run = await ask(team_of(agent, router=Odd()))

    assert (run.status, run.reason, agent.calls) == ("failed", reason, [])


async def test_a_router_that_fails_later_keeps_what_is_there() -> None:
    """The first answer stands; the run says what broke."""

    class Once:
        async def decide(self, view: Any) -> Decision:
            if view.results:
                message = "model is down"
                raise OSError(message)
            return Decision(goals=(Goal(member="a", request="x"),))

    run = await ask(team_of(StubAgent("a"), StubAgent("b"), router=Once()))

    assert (run.status, run.reason) == ("ok_degraded", "router_failed")
    assert run.answer.startswith("a answered")


async def test_nobody_serves_it() -> None:
    """`no_route`, with what can be asked for, at the root and from below."""
    empty = Decision()
    silent = StubAgent("b")
    silent.examples = ()

    run = await ask(team_of(StubAgent("a"), silent, router=ScriptedRouter(empty)))
    below = await ask(team_of(team_of(StubAgent("a"), name="inner", router=ScriptedRouter(empty))))

    assert (run.status, run.reason) == ("failed", "no_route")
    assert "- `a`: ask a for its part number 0\n- `b`: Stands in for b." in run.answer
    assert (below.status, below.reason) == ("failed", "no_route")


async def test_finishing_with_nothing_done_is_no_answer() -> None:
    """A request was asked and nobody was called: that is `no_route`, however it was said."""
    run = await ask(team_of(StubAgent("a"), router=ScriptedRouter("FINISH")))

    assert (run.status, run.reason, run.hops) == ("failed", "no_route", ())


@pytest.mark.parametrize("payload", [{}, {"request": "  "}, {"requst": "typo"}])
async def test_a_request_without_words_is_refused(payload: dict[str, str]) -> None:
    """It would otherwise be a success that answers nothing."""
    with pytest.raises(BindingError, match="`request` is empty"):
        await team_of(StubAgent("a")).ainvoke(payload)


@pytest.mark.parametrize("request_", ["\ud800", "name \udc80.sql"])
async def test_text_that_cannot_be_written_is_refused(request_: str) -> None:
    """A checkpoint would silently alter it."""
    with pytest.raises(BindingError, match="lone surrogate"):
        await ask(team_of(StubAgent("a")), request=request_)


async def test_two_runs_at_once_do_not_mix() -> None:
    """Each has its budget, its records and its answers."""
    arrived = asyncio.Event()
    waiting: list[int] = []

    async def meet(_: Any) -> None:
        waiting.append(1)
        if len(waiting) == 2:
            arrived.set()
        await arrived.wait()

    def options() -> tuple[MemorySink, RunOptions]:
        sink = MemorySink()
        return sink, RunOptions(recorder=sink, limits=RunLimits(hops=2))

    team = team_of(team_of(StubAgent("a", behave=meet), name="inner"))
    pairs = [options(), options()]

    runs = await asyncio.gather(
        *(
            run_team(team.assembled, Task(request=f"request {n}"), each)
            for n, (_, each) in enumerate(pairs)
        )
    )

    assert [run.status for run in runs] == ["ok", "ok"]
    for run, (sink, _) in zip(runs, pairs, strict=True):
        assert {record.run_id for record in sink.records} == {run.run_id}
        assert len([r for r in sink.records if r.kind == "agent"]) == 2
