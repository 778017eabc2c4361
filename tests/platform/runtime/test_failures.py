"""A worker's failure is data: the run goes on, says so, and keeps what the others answered."""

import asyncio
import re
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, RetryPolicy, Send

from minerva_observability import MemorySink
from minerva_platform import (
    AgentError,
    AgentInput,
    AgentOutput,
    BaseAgent,
    Handoff,
    RejectedError,
    Run,
    RunLimits,
    Task,
    Team,
)
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent

NEVER = threading.Event()
"""A hang of a minute that no test waits for."""


class Plan(Handoff):
    """What one gives and another needs."""

    kind: ClassVar[str] = "failures.plan"


class Report(Handoff):
    """What the second one gives."""

    kind: ClassVar[str] = "failures.report"


async def ask(team: Team, *, sink: MemorySink | None = None, **limits: Any) -> Run:
    """Run `team`, recording into `sink`."""
    options = RunOptions(limits=RunLimits(**limits))
    if sink is not None:
        options = RunOptions(recorder=sink, limits=RunLimits(**limits))
    return await run_team(team.assembled, Task(request="go"), options)


def team_of(*members: Any, **declared: Any) -> Team:
    """Return a team that asks each member once."""
    declared.setdefault("router", EachOnceRouter())
    return Team(name="t", description="…", members=members, **declared)


def raising(error: BaseException) -> Callable[[Any], Any]:
    """Return a behaviour that raises `error`."""

    def behave(_: Any) -> Any:
        raise error

    return behave


async def cancels_itself(_: Any) -> None:
    """Await something that was cancelled: it looks as if the run had been."""
    inner = asyncio.ensure_future(asyncio.sleep(60))
    inner.cancel()
    await inner


async def waits(_: Any) -> None:
    """Hang in the event loop."""
    await asyncio.sleep(60)


async def ignores(_: Any) -> None:
    """Hang and refuse to be cancelled, as long as the test lasts."""
    loop = asyncio.get_running_loop()
    end = loop.time() + 0.5
    while loop.time() < end:
        try:
            await asyncio.sleep(0.2)
        except asyncio.CancelledError:
            continue


class _Unprintable(Exception):  # noqa: N818  # a name is not what is wrong with it
    def __str__(self) -> str:
        raise ValueError


FAILURES: dict[str, tuple[Any, str]] = {
    "an exception": (raising(LookupError("no table")), "LookupError: no table"),
    "an error of its own": (raising(AgentError("못 찾음")), "못 찾음"),
    "an exit": (raising(SystemExit(3)), "`bad` tried to end the process (sys.exit(3)). ("),
    "a forged Ctrl-C": (raising(KeyboardInterrupt()), "`bad` raised KeyboardInterrupt. ("),
    "a StopIteration": (raising(StopIteration()), "`bad` raised StopIteration. ("),
    "an error that cannot print": (
        raising(_Unprintable()),
        "_Unprintable: (its message cannot be shown)",
    ),
    "an endless recursion": (lambda _: _endless(), "RecursionError: maximum recursion"),
    "a cancelled task": (cancels_itself, "`bad` was cancelled from inside. ("),
    "a wrong type": (
        lambda _: 42,
        "`bad` broke its own contract: its node `answer` must return a dict of state keys, such as "
        "{'output': …}; it returned int.",
    ),
    "an empty answer": (
        lambda _: {},
        "`bad` broke its own contract: `summary`: nothing has set it; was `return {'summary': …}` "
        "forgotten?",
    ),
    "a schema violation": (
        lambda _: {"summary": 5},
        "`bad` broke its own contract: `summary`: Input should be a valid string, got int.",
    ),
    "an object in the answer": (
        lambda _: {"summary": object()},
        "`bad` broke its own contract: `summary`: Input should be a valid string, got object.",
    ),
    "a blocking hang": (lambda _: NEVER.wait(60), "`t/bad` gave no answer"),
    "a waiting hang": (waits, "`t/bad` gave no answer"),
    "a hang that ignores": (ignores, "`t/bad` gave no answer"),
}


def _endless() -> Any:
    return _endless()


@pytest.fixture(autouse=True)
def _release_hung_threads() -> Any:
    NEVER.clear()
    yield
    NEVER.set()


@pytest.mark.parametrize("failure", FAILURES)
async def test_every_failure_is_bypassed(failure: str) -> None:
    """Cause and action are told, the others' results are there, the records agree."""
    behave, cause = FAILURES[failure]
    bad = StubAgent("bad", behave=behave, timeout=0.3 if "hang" in failure else None)
    sink = MemorySink()

    run = await ask(team_of(StubAgent("before"), bad, StubAgent("after")), sink=sink)

    assert run.status == "ok_degraded"
    (bypass,) = run.bypassed
    assert (bypass.path, bypass.action) == ("t/bad", "bypassed")
    assert bypass.cause.startswith(cause)
    assert "before answered" in run.answer
    assert "after answered" in run.answer
    status = "timeout" if "hang" in failure else "failed"
    assert {hop.agent_name: hop.status for hop in run.hops} == {
        "before": "ok",
        "bad": status,
        "after": "ok",
    }
    (row,) = [r for r in sink.records if r.kind == "agent" and r.status not in {"ok", "skipped"}]
    assert (row.path, row.status, row.action) == ("t/bad", status, "bypassed")


@pytest.mark.parametrize("failure", ["an exception", "a schema violation", "a waiting hang"])
async def test_all_failing_is_failed(failure: str) -> None:
    """Nobody answered: that is never `ok`, whatever was tried."""
    behave, _ = FAILURES[failure]
    members = [StubAgent(name, behave=behave, timeout=0.2) for name in ("a", "b")]

    run = await ask(team_of(*members))

    assert (run.status, run.reason) == ("failed", "all_failed")
    assert sorted(entry.path for entry in run.bypassed) == ["t/a", "t/b"]


@pytest.mark.parametrize(
    ("beside", "reason"), [(RejectedError("May I?"), "rejected"), (ValueError("x"), "all_failed")]
)
async def test_a_no_of_a_person_is_told_from_a_breakdown(beside: Exception, reason: str) -> None:
    """At any depth; one other failure in the run is a breakdown."""
    inner = team_of(StubAgent("bad", behave=raising(RejectedError("May I?", "too dear"))))
    inner.name = "inner"

    run = await ask(team_of(inner, StubAgent("other", behave=raising(beside))))

    assert (run.status, run.reason) == ("failed", reason)
    assert "A person rejected it: too dear" in run.answer


async def test_a_failure_deep_below_degrades_the_run() -> None:
    """Three levels down, with its path; siblings at every level go on."""
    worst = team_of(StubAgent("bad", behave=raising(ValueError("deep"))), StubAgent("good"))
    worst.name = "inner"
    middle = Team(
        name="middle",
        description="…",
        members=(worst, StubAgent("beside")),
        router=EachOnceRouter(),
    )

    run = await ask(team_of(middle, StubAgent("top")))

    assert run.status == "ok_degraded"
    assert [entry.path for entry in run.bypassed] == ["t/middle/inner/bad"]
    assert {hop.path for hop in run.hops if hop.status == "ok"} == {
        "t/middle/inner/good",
        "t/middle/beside",
        "t/top",
    }


async def test_a_failing_converter_is_a_failure_too() -> None:
    """Code of the worker that runs outside of its graph cannot end the run either."""

    class Broken(StubAgent):
        def state_to_output(self, state: Mapping[str, Any]) -> Any:  # noqa: ARG002  # the contract
            sys.exit("goodbye")

    run = await ask(team_of(Broken("bad"), StubAgent("good")))

    assert run.status == "ok_degraded"
    (entry,) = run.bypassed
    said = r"`t/bad` tried to end the process \(sys\.exit\('goodbye'\)\)\."
    assert re.fullmatch(rf"{said} \(.*test_failures\.py:\d+, in .*\)", entry.cause)


async def test_a_declared_substitute_takes_over() -> None:
    """The run is degraded and says who was replaced; the answer is there."""
    sink = MemorySink()
    first, second = StubAgent("first", behave=raising(OSError("down"))), StubAgent("second")
    team = team_of(first, second, router=ScriptedRouter("first"), substitutes={"first": "second"})

    run = await ask(team, sink=sink)

    assert (run.status, run.answer.splitlines()[0]) == ("ok_degraded", "second answered")
    assert [(b.path, b.action) for b in run.bypassed] == [("t/first", "substituted")]
    assert [call.request for call in second.calls] == ["go"]
    rows = [(r.path, r.status, r.action) for r in sink.records if r.kind == "agent"]
    assert rows == [("t/first", "failed", "substituted"), ("t/second", "ok", None)]


async def test_a_substitute_gives_what_consumers_need() -> None:
    """The plan goes on as if the first one had answered."""
    makers = (
        StubAgent("first", gives=[Plan()], behave=raising(OSError("down"))),
        StubAgent("second", gives=[Plan()]),
    )
    consumer = StubAgent("consumer", needs=[Plan])
    team = team_of(
        *makers,
        consumer,
        router=ScriptedRouter(["consumer", "first"]),
        substitutes={"first": "second"},
    )

    run = await ask(team)

    assert run.status == "ok_degraded"
    assert consumer.calls[0].failures_plan == Plan()


async def test_a_substitute_that_fails_too_is_told_as_well() -> None:
    """Both failures are in the run; nothing loops."""
    failing = raising(OSError("down"))
    members = [StubAgent(name, behave=failing) for name in ("a", "b")]
    team = team_of(
        *members,
        StubAgent("c"),
        router=ScriptedRouter(["a", "c"]),
        substitutes={"a": "b"},
    )

    run = await ask(team)

    assert run.status == "ok_degraded"
    assert [(b.path, b.action) for b in run.bypassed] == [
        ("t/a", "substituted"),
        ("t/b", "bypassed"),
    ]


async def test_substitutes_in_a_circle_end() -> None:
    """Even in a tree that nobody checked."""
    failing = raising(OSError("down"))
    members = [StubAgent(name, behave=failing) for name in ("a", "b")]
    team = team_of(*members, router=ScriptedRouter("a"), substitutes={"a": "b", "b": "a"})

    run = await ask(team)

    assert run.status == "failed"
    assert [len(member.calls) for member in members] == [1, 1]


async def test_a_substitute_that_is_a_goal_itself_is_called_once() -> None:
    """Beside the one it stands in for, or after it."""
    failing = raising(OSError("down"))
    for order in ([["a", "b"]], ["a", "b"]):
        second = StubAgent("b")
        team = team_of(
            StubAgent("a", behave=failing),
            second,
            StubAgent("c"),
            router=ScriptedRouter(*order, "c"),
            substitutes={"a": "b"},
        )

        run = await ask(team)

        assert len(second.calls) == 1
        assert (run.status, run.reason) == ("ok_degraded", None)
        assert run.hops[-1].path == "t/c"


async def test_consumers_of_a_failed_producer_are_skipped() -> None:
    """With the cause, and their consumers as well; they were never called."""
    sink = MemorySink()
    consumer = StubAgent("consumer", needs=[Plan], gives=[Report()])
    last = StubAgent("last", needs=[Report])
    team = team_of(
        StubAgent("producer", gives=[Plan()], behave=raising(ValueError("no"))),
        consumer,
        last,
        StubAgent("other"),
    )

    run = await ask(team, sink=sink)

    assert run.status == "ok_degraded"
    assert [(b.path, b.cause.partition(" (")[0], b.action) for b in run.bypassed] == [
        ("t/producer", "ValueError: no", "bypassed"),
        ("t/consumer", "it needs failures.plan, which no member gave", "skipped"),
        ("t/last", "it needs failures.report, which no member gave", "skipped"),
    ]
    assert (consumer.calls, last.calls) == ([], [])
    assert [hop.path for hop in run.hops] == ["t/producer", "t/other"]
    rows = [(r.path, r.status) for r in sink.records if r.kind == "agent"]
    assert ("t/consumer", "skipped") in rows
    assert ("t/last", "skipped") in rows


async def test_a_want_of_a_failed_producer_is_no_reason_to_skip() -> None:
    """What is only wanted may be missing."""
    consumer = StubAgent("consumer", wants=[Plan])
    producer = StubAgent("producer", gives=[Plan()], behave=raising(ValueError("no")))

    await ask(team_of(producer, consumer))

    assert consumer.calls[0].failures_plan is None


@pytest.mark.parametrize("works", [True, False])
async def test_a_checked_kind_leaves_only_after_its_check(*, works: bool) -> None:
    """If the auditor fails, what it should have seen stays inside."""
    auditor = StubAgent("auditor", behave=None if works else raising(ValueError("no")))
    data = Team(
        name="data",
        description="…",
        members=(StubAgent("maker", gives=[Plan()]), auditor),
        exports=(Plan,),
        audits={"failures.plan": "auditor"},
        router=ScriptedRouter("maker"),
    )
    reader = StubAgent("reader", wants=[Plan])

    run = await ask(team_of(data, reader, exports=(Plan,)))

    assert (run.status, "failures.plan" in run.handoffs) == (
        ("ok", True) if works else ("ok_degraded", False)
    )
    assert reader.calls[0].failures_plan == (Plan() if works else None)


async def test_a_check_that_passed_once_does_not_answer_for_later() -> None:
    """What counts is the last time it ran."""
    answers = iter([{"summary": "fine"}])
    auditor = StubAgent("auditor", wants=[Plan], behave=lambda _: next(answers))
    members = (StubAgent("one", gives=[Plan()]), StubAgent("two", gives=[Plan()]), auditor)
    team = team_of(
        *members,
        exports=(Plan,),
        audits={"failures.plan": "auditor"},
        router=ScriptedRouter("one", "two"),
    )

    run = await ask(team)

    assert [(hop.path, hop.status) for hop in run.hops] == [
        ("t/one", "ok"),
        ("t/auditor", "ok"),
        ("t/two", "ok"),
        ("t/auditor#2", "failed"),
    ]
    assert run.handoffs == {}


async def test_the_substitute_of_a_check_may_check() -> None:
    """Its team declared it to stand in."""
    team = team_of(
        StubAgent("maker", gives=[Plan()]),
        StubAgent("auditor", behave=raising(OSError("down"))),
        StubAgent("deputy"),
        exports=(Plan,),
        audits={"failures.plan": "auditor"},
        substitutes={"auditor": "deputy"},
        router=ScriptedRouter("maker"),
    )

    run = await ask(team)

    assert (run.status, list(run.handoffs)) == ("ok_degraded", ["failures.plan"])


class _State(TypedDict, total=False):
    request: str
    summary: str


class Flaky(BaseAgent[AgentInput, AgentOutput]):
    """A worker with a retried leaf node."""

    name = "flaky"
    description = "…"

    def __init__(self, *, fails: int, attempts: int = 3) -> None:
        self.left = fails
        self.attempts = attempts

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph with one node that is retried."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
        policy = RetryPolicy(
            max_attempts=self.attempts, retry_on=OSError, initial_interval=0.001, jitter=False
        )
        fetch: Any = self.fetch
        builder.add_node("fetch", fetch, retry_policy=policy)
        builder.add_edge(START, "fetch")
        return builder

    def fetch(self, _: _State) -> _State:
        """Fail as often as it is set to."""
        if self.left:
            self.left -= 1
            message = "connection reset"
            raise OSError(message)
        return {"summary": "fetched"}


async def test_what_succeeds_after_a_retry_is_ok() -> None:
    """The attempts are on record, the run is not degraded."""
    sink = MemorySink()

    run = await ask(team_of(Flaky(fails=2)), sink=sink)

    assert (run.status, run.answer) == ("ok", "fetched")
    rows = [(r.attempt, r.status, r.action) for r in sink.records if r.kind == "node"]
    assert rows == [(1, "failed", "retried"), (2, "failed", "retried"), (3, "ok", None)]


async def test_the_last_attempt_is_not_retried() -> None:
    """And retries do not multiply over the levels."""
    sink = MemorySink()

    run = await ask(team_of(team_of(Flaky(fails=9)), StubAgent("other")), sink=sink)

    assert run.status == "ok_degraded"
    rows = [(r.attempt, r.action) for r in sink.records if r.kind == "node" and r.node == "fetch"]
    assert rows == [(1, "retried"), (2, "retried"), (3, None)]


async def test_an_error_that_is_not_to_be_retried_is_not() -> None:
    """`retry_on` decides."""
    sink = MemorySink()
    agent = Flaky(fails=1)
    setattr(agent, "fetch", raising(ValueError("wrong")))  # noqa: B010  # a node that breaks otherwise

    await ask(team_of(agent, StubAgent("other")), sink=sink)

    rows = [(r.attempt, r.action) for r in sink.records if r.node == "fetch"]
    assert rows == [(1, None)]


JUMPS: dict[str, Any] = {
    "to the parent's member": Command(graph=Command.PARENT, goto="other", update={"results": []}),
    "to the end": Command(graph=Command.PARENT, goto=END),
    "by name": Command(graph="t", goto="other"),
    "by send": Command(graph=Command.PARENT, goto=[Send("other", {})]),
    "to nobody of its own": Command(goto="nowhere"),
    "by a plain send": [Send("other", {})],
}


@pytest.mark.parametrize("jump", JUMPS)
async def test_a_worker_cannot_jump(jump: str) -> None:
    """Commands stop at the border; nobody else is called by them."""
    other = StubAgent("other")
    jumper = StubAgent("jumper", behave=lambda _: JUMPS[jump])
    team = team_of(jumper, other, StubAgent("third"), router=ScriptedRouter(["jumper", "third"]))

    run = await ask(team)

    assert run.status == "ok_degraded"
    assert other.calls == []
    assert {hop.path: hop.status for hop in run.hops} == {"t/jumper": "failed", "t/third": "ok"}


async def test_secrets_in_an_exception_stay_out_of_the_answer() -> None:
    """What the person and the state see is masked as the records are."""
    secret = "sk-abcdefghijklmnop1234"  # noqa: S105  # it opens nothing
    team = team_of(StubAgent("bad", behave=raising(ValueError(f"key {secret}"))), StubAgent("a"))

    run = await ask(team)

    assert secret not in run.model_dump_json()
    assert run.bypassed[0].cause.startswith("ValueError: key [masked]")


async def test_a_huge_error_is_cut() -> None:
    """Ten megabytes of traceback do not enter the state."""
    team = team_of(StubAgent("bad", behave=raising(AgentError("x" * 10_000_000))), StubAgent("a"))

    run = await ask(team)

    assert len(run.model_dump_json()) < 10_000


async def test_a_team_does_not_repeat_its_members_cause_in_the_answer() -> None:
    """The person reads it once, where it arose; the run object keeps both."""
    inner = team_of(StubAgent("bad", behave=raising(AgentError("no figures"))))
    inner.name = "inner"

    run = await ask(team_of(inner, StubAgent("good")))

    assert run.answer == (
        "good answered\n\nMissing from this answer:\n\n- `t/inner/bad`: no figures"
    )
    assert [(entry.path, entry.cause) for entry in run.bypassed] == [
        ("t/inner/bad", "no figures"),
        ("t/inner", "no figures"),
    ]


@pytest.mark.parametrize(
    ("request_text", "answer"),
    [
        ("go", "No answer could be made.\n\nWhat failed:\n\n- `t/a`: no figures"),
        (
            "해줘",
            "답을 만들지 못했습니다.\n\n실패한 단계:\n\n- `t/a`: 요청에 답하지 못했습니다.",
        ),
    ],
)
async def test_where_no_answer_is_nothing_may_be_incomplete(request_text: str, answer: str) -> None:
    """What failed is told as such, in the language of the request."""
    team = team_of(StubAgent("a", behave=raising(AgentError("no figures"))))

    run = await run_team(team.assembled, Task.model_validate({"request": request_text}))

    assert run.answer == answer
