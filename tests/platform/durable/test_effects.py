"""What a run does to the world happens once, or a person is asked."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypedDict

import pytest
from answers import without_effects
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from langgraph.types import RetryPolicy, interrupt
from ledger import Store
from pydantic import BaseModel
from sqlalchemy import select, update

from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    ContractError,
    EffectError,
    EffectNotDoneError,
    Run,
    RunError,
    RunLimits,
    Task,
    Team,
    effect,
    effect_key,
)
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import advance, resume_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.ledger.schema import effects
from minerva_platform.testing import EachOnceRouter, StubAgent

TASK = Task(request="pay the orders of May")


class Paid(BaseModel):
    """What a payment gives."""

    cents: int
    key: str


def team_of(behave: Callable[[Any], dict[str, str]], **named: Any) -> Team:
    """Return a team of one worker whose step is `behave`."""
    worker = StubAgent("payer", behave=behave, **named)
    return Team(name="office", description="…", members=[worker], router=EachOnceRouter())


def kept(engine: Engine) -> list[tuple[str, str]]:
    """Return the names and states of all effects, in no order."""
    nothing: list[tuple[str, str]] = []
    names = select(effects.c.name, effects.c.state)
    return sorted(engine.read(lambda c: [(a, b) for a, b in c.execute(names)], empty=nothing))


def forget_the_end(engine: Engine) -> None:
    """Leave the effects as a process that was killed while they were done."""
    engine.write(lambda c: c.execute(update(effects).values(state="begun", outcome=None)))


async def decide(run: Run, decision: Any, team: Team, options: RunOptions) -> Run:
    """Decide about the one question of a run, and move it on."""
    (question,) = run.interrupts
    return await resume_team(
        team.assembled, run.run_id, DecisionBatch({question.id: decision}), options
    )


def said_yes(run: Run) -> dict[str, Any]:
    """Return an answer to a plain question."""
    assert run.status == "needs_human", run
    return {"type": "respond", "message": "yes"}


@pytest.mark.small(2)
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["idempotent", "keyed", "once"])
async def test_a_repeated_step_finds_what_it_did(
    store: Store, minerva_home: Path, kind: Any
) -> None:
    """A step runs again after a pause; its effects do not, and return what they returned."""
    done: list[Paid] = []

    @effect(kind)
    def pay(cents: int) -> Paid:
        done.append(Paid(cents=cents, key=effect_key()))
        return done[-1]

    def work(_: Any) -> dict[str, str]:
        first, second = pay(100), pay(100)
        heard = interrupt("go on?")
        third = pay(cents=300)
        keys = {first.key, second.key, third.key}
        return {"summary": f"{heard}: {len(keys)} payments, {third.cents} last"}

    team = team_of(work)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await run_team(team.assembled, TASK, options)
        if kind != "idempotent":  # the second payment is the first one once more
            assert run.interrupts[0].kind == "tool"
            assert len(done) == 1
            run = await decide(run, {"type": "approve"}, team, options)
        run = await decide(run, said_yes(run), team, options)

        told = "Done: `pay` (cents: 100); `pay` (cents: 100); `pay` (cents: 300)."
        assert run.answer == f"{told}\n\nyes: 3 payments, 300 last", run
        assert [paid.cents for paid in done] == [100, 100, 300]
        assert [(each.key, each.outcome) for each in run.effects] == [
            (paid.key, "done") for paid in done
        ]
        assert kept(engine) == [("pay", "done")] * 3


@pytest.mark.small(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("decision", "times", "said"),
    [
        ({"type": "approve"}, 2, "paid 7"),
        ({"type": "respond", "value": {"cents": 5, "key": "by hand"}}, 1, "paid 5"),
        ({"type": "reject", "message": "leave it"}, 1, "leave it"),
    ],
)
async def test_a_person_is_asked_what_became_of_a_deed_that_may_not_be_repeated(
    store: Store, minerva_home: Path, decision: Any, times: int, said: str
) -> None:
    """Whoever was killed in the middle of it left no outcome."""
    done: list[int] = []

    @effect("once")
    def pay(cents: int) -> Paid:
        done.append(cents)
        return Paid(cents=cents, key=effect_key())

    def work(_: Any) -> dict[str, str]:
        paid = pay(7)
        interrupt("go on?")
        return {"summary": f"paid {paid.cents}"}

    team = team_of(work)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await run_team(team.assembled, TASK, options)
        forget_the_end(engine)
        run = await decide(run, said_yes(run), team, options)

        (question,) = run.interrupts
        assert (question.kind, question.tool, question.arguments) == ("effect", "pay", {"cents": 7})
        assert question.allowed == ("approve", "reject", "respond")
        assert "pay" in question.text
        assert len(done) == 1

        run = await decide(run, decision, team, options)
        if run.interrupts:  # the worker's own question, whose answer was given before
            run = await decide(run, said_yes(run), team, options)
        assert said in run.answer or any(said in entry.cause for entry in run.bypassed), run
        assert len(done) == times


@pytest.mark.small(1)
async def test_an_approval_is_good_for_one_repetition(store: Store, minerva_home: Path) -> None:
    """Killed a second time, the person is asked a second time."""
    done: list[int] = []

    @effect("once")
    def pay(cents: int) -> int:
        done.append(cents)
        return cents

    def work(_: Any) -> dict[str, str]:
        pay(7)
        interrupt("go on?")
        interrupt("and on?")
        return {"summary": "paid"}

    team = team_of(work)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await run_team(team.assembled, TASK, options)
        seen = set[str]()
        for count in (1, 2):
            engine.write(lambda c: c.execute(update(effects).values(state="begun")))
            run = await decide(run, said_yes(run), team, options)
            (question,) = run.interrupts
            assert question.kind == "effect"
            assert question.id not in seen
            seen.add(question.id)
            assert len(done) == count
            run = await decide(run, {"type": "approve"}, team, options)
            assert len(done) == count + 1
        assert without_effects(run.answer) == "paid"
        (told,) = run.effects
        assert (told.outcome, told.arguments) == ("done", {"cents": 7})


@pytest.mark.small(2)
@pytest.mark.parametrize(("kind", "times"), [("idempotent", 2), ("keyed", 2)])
async def test_what_may_be_repeated_is_done_again_with_its_key(
    store: Store, minerva_home: Path, kind: Any, times: int
) -> None:
    """Whoever takes the key knows that it is the same payment."""
    keys: list[str] = []

    @effect(kind)
    async def pay() -> str:
        keys.append(effect_key())
        return "paid"

    async def work(_: Any) -> dict[str, Any]:
        return {"summary": f"{await pay()} {interrupt('go on?')}"}

    team = Team(name="office", description="…", members=[Grown(work)], router=EachOnceRouter())
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await run_team(team.assembled, TASK, options)
        forget_the_end(engine)
        run = await decide(run, said_yes(run), team, options)

        assert run.answer == "Done: `pay`.\n\npaid yes"
        assert len(keys) == times
        assert {each.key for each in run.effects} == {*keys}
        assert len(set(keys)) == 1


class GrownState(TypedDict, total=False):
    """The state of `Grown`."""

    request: str
    summary: str


class Grown(BaseAgent[AgentInput, AgentOutput]):
    """A worker with a graph of one node of its own."""

    name = "payer"
    description = "Pays."
    examples = ("pay",)

    def __init__(self, node: Any, retry: RetryPolicy | None = None) -> None:
        self.node, self.retry = node, retry

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return it."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(GrownState)
        builder.add_node("pay", self.node, retry_policy=self.retry)
        builder.add_edge(START, "pay")
        return builder


@pytest.mark.small(databases=1)
async def test_a_retry_repeats_its_deed_and_does_no_second_one(
    store: Store, minerva_home: Path
) -> None:
    """LangGraph's retry, and a loop of the author's: the first deed is found again."""
    keys: list[str] = []

    @effect("keyed")
    async def pay(invoice: int) -> int:
        assert invoice
        keys.append(effect_key())
        if len(keys) == 2:
            raise ConnectionError
        return len(keys)

    async def work(_: Any) -> dict[str, Any]:
        first = await pay(1)
        try:
            second = await pay(2)
        except ConnectionError:
            second = await pay(2)
        if len(keys) < 4:
            await pay(3)
            raise ConnectionError
        return {"summary": f"{first} {second}"}

    retry = RetryPolicy(initial_interval=0.0, jitter=False, retry_on=ConnectionError)
    team = Team(
        name="office", description="…", members=[Grown(work, retry)], router=EachOnceRouter()
    )
    with store.opened() as engine:
        run = await run_team(team.assembled, TASK, RunOptions(engine=engine, home=minerva_home))

        assert without_effects(run.answer) == "1 3", run
        assert len(keys) == 4
        assert len(set(keys)) == 3
        assert kept(engine) == [("pay", "done")] * 3


@pytest.mark.small(databases=1)
async def test_a_deed_that_failed_may_have_happened(store: Store, minerva_home: Path) -> None:
    """Unless its function says that it did not."""
    done: list[str] = []

    @effect("once")
    async def pay(name: str, error: str) -> str:
        done.append(name)
        if error == "refused" and done.count(name) == 1:
            raise EffectNotDoneError
        if error == "lost":
            raise ConnectionError
        return name

    async def work(_: Any) -> dict[str, Any]:
        for _attempt in range(2):
            try:
                await pay("a", "refused")
            except EffectNotDoneError:
                continue
        try:
            await pay("b", "lost")
        except ConnectionError:
            await pay("b", "lost")
        return {"summary": "paid"}

    team = Team(name="office", description="…", members=[Grown(work)], router=EachOnceRouter())
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home)
        run = await run_team(team.assembled, TASK, options)

        (question,) = run.interrupts
        assert (question.tool, question.arguments["name"]) == ("pay", "b")
        assert done == ["a", "a", "b"]
        assert [each.outcome for each in run.effects] == ["done", "unknown"]
        assert kept(engine) == [("pay", "done"), ("pay", "unknown")]


@pytest.mark.small(databases=1)
async def test_deeds_side_by_side_are_kept_apart(store: Store, minerva_home: Path) -> None:
    """Coroutines of one step, and two calls of one tool."""
    keys: list[str] = []

    @effect("once")
    @tool
    async def pay(cents: int) -> str:
        """Pay."""
        keys.append(effect_key())
        return f"paid {cents}"

    async def work(_: Any) -> dict[str, Any]:
        said = await asyncio.gather(*(pay.ainvoke({"cents": n}) for n in (1, 2, 3)))
        return {"summary": f"{said} {interrupt('go on?')}"}

    team = Team(name="office", description="…", members=[Grown(work)], router=EachOnceRouter())
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home)
        run = await run_team(team.assembled, TASK, options)
        run = await decide(run, said_yes(run), team, options)

        assert without_effects(run.answer) == "['paid 1', 'paid 2', 'paid 3'] yes"
        assert {each.key for each in run.effects} == {*keys}
        assert len(set(keys)) == len(keys) == 3


@pytest.mark.small(databases=1)
async def test_another_deed_in_the_place_of_the_first_is_refused(
    store: Store, minerva_home: Path
) -> None:
    """A worker that decides anew what it pays would pay twice."""
    done: list[int] = []

    @effect("keyed")
    def pay(cents: int) -> None:
        done.append(cents)

    def work(_: Any) -> dict[str, str]:
        pay(len(done) + 1)
        interrupt("go on?")
        return {"summary": "paid"}

    team = team_of(work)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home)
        run = await run_team(team.assembled, TASK, options)
        run = await decide(run, said_yes(run), team, options)

        (entry,) = run.bypassed
        assert "other arguments" in entry.cause
        assert done == [1]


@pytest.mark.small(databases=1)
async def test_a_worker_whose_time_is_up_does_nothing_more(
    store: Store, minerva_home: Path
) -> None:
    """Its OS thread goes on, and nobody waits for it."""
    may_go_on, ended = threading.Event(), threading.Event()
    raised: list[EffectError] = []
    done: list[int] = []

    @effect("idempotent")
    def pay() -> None:
        done.append(1)

    def work(_: Any) -> dict[str, str]:
        may_go_on.wait(60)
        try:
            pay()
        except EffectError as error:
            raised.append(error)
        ended.set()
        return {"summary": "paid"}

    team = team_of(work)
    team.members[0].timeout = 0.05
    with store.opened() as engine:
        run = await run_team(team.assembled, TASK, RunOptions(engine=engine, home=minerva_home))
        may_go_on.set()
        assert await asyncio.to_thread(ended.wait, 60)

        assert run.hops[0].status == "timeout"
        assert not done
        (error,) = raised
        assert "time was up" in str(error)


async def test_nothing_is_done_where_it_could_not_be_known_again(minerva_home: Path) -> None:
    """What is idempotent needs no journal; the others say what to type."""
    done: list[str] = []

    @effect("once")
    def pay() -> None:
        done.append("pay")

    @effect("idempotent")
    def look() -> None:
        done.append("look")

    def work(_: Any) -> dict[str, str]:
        look()
        pay()
        return {"summary": "paid"}

    run = await run_team(team_of(work).assembled, TASK, RunOptions(home=minerva_home))

    (entry,) = run.bypassed
    assert "keep_state: true" in entry.cause
    assert done == ["look"]


def test_outside_of_a_run_it_is_the_function() -> None:
    """So an author tests it like any other."""

    @effect("once")
    def pay(cents: int) -> int:
        return cents

    assert pay(7) == 7
    with pytest.raises(RunError, match="only while"):
        effect_key()


def test_what_cannot_be_guarded_is_refused_when_it_is_declared() -> None:
    """With what to do instead."""
    with pytest.raises(ContractError, match="`once`"):
        effect("twice")  # type: ignore[arg-type]
    with pytest.raises(ContractError, match="takes a function"):
        effect("once")(3)  # type: ignore[call-overload]


@pytest.mark.small(databases=1)
async def test_arguments_and_outcomes_are_plain_json(store: Store, minerva_home: Path) -> None:
    """They are compared, shown to people and read back in another process."""
    done: list[int] = []

    @effect("keyed")
    def pay(what: object) -> None:
        done.append(hash(what))

    def work(_: Any) -> dict[str, str]:
        pay(object())
        return {"summary": "paid"}

    with store.opened() as engine:
        run = await run_team(
            team_of(work).assembled, TASK, RunOptions(engine=engine, home=minerva_home)
        )

        assert "`pay` gets `what`" in run.bypassed[0].cause
        assert not done
        again = await advance(team_of(work).assembled, run.run_id, RunOptions(engine=engine))
        assert again.run_id == run.run_id


@pytest.mark.small(databases=1)
async def test_a_run_has_time_for_its_effects(store: Store, minerva_home: Path) -> None:
    """A cancelled deed may have happened."""
    began = asyncio.Event()

    @effect("once")
    async def pay() -> None:
        began.set()
        await asyncio.sleep(60)

    async def work(_: Any) -> dict[str, Any]:
        await pay()
        return {"summary": "paid"}

    team = Team(name="office", description="…", members=[Grown(work)], router=EachOnceRouter())
    limits = RunLimits(seconds=60)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, limits=limits)
        running = asyncio.ensure_future(run_team(team.assembled, TASK, options))
        await began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

        while kept(engine) == [("pay", "begun")]:  # noqa: ASYNC110  # an OS thread writes it
            await asyncio.sleep(0)
        assert kept(engine) == [("pay", "unknown")]
