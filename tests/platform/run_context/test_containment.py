"""What a worker raises stays its own; what ends the run from outside always passes."""

import asyncio
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from pydantic import field_validator

from minerva_observability import MemorySink
from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    Decision,
    Run,
    RunLimits,
    Task,
    Team,
    agent,
)
from minerva_platform.contract.bounds import MAX_CHECKPOINT_BYTES
from minerva_platform.contract.result import TeamOutput
from minerva_platform.durable.active_run import run_team
from minerva_platform.langgraph import agent_from_graph
from minerva_platform.run_context.budget import Budget
from minerva_platform.run_context.context import RunContext
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.checkpoints.ledger_checkpointer import LedgerCheckpointer
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import ArtifactStore
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent

ENDS = [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError, BaseException]
"""What a worker must not end the run with."""


def team_of(*members: Any, **declared: Any) -> Team:
    """Return a team that asks each member once."""
    declared.setdefault("router", EachOnceRouter())
    return Team(name="t", description="…", members=members, **declared)


async def ask(team: Team) -> Run:
    """Run `team` and keep nothing."""
    return await run_team(team.assembled, Task(request="go"), RunOptions())


def raise_it(error: type[BaseException]) -> NoReturn:
    """Raise `error`."""
    raise error


@pytest.mark.parametrize("answer", ["swallows", *ENDS[:3], ValueError])
async def test_cancelling_the_run_always_passes(answer: Any) -> None:
    """Also through a worker that answers to it with something of its own."""
    at_work = asyncio.Event()

    async def behave(_: Any) -> Any:
        try:
            at_work.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if answer == "swallows":
                return {"summary": "never heard"}
            raise_it(answer)

    run = asyncio.ensure_future(ask(team_of(StubAgent("deaf", behave=behave), StubAgent("good"))))
    await at_work.wait()
    run.cancel()

    with pytest.raises(asyncio.CancelledError):
        await run
    assert run.cancelled()


async def test_a_run_inside_of_a_worker_is_the_workers_to_cancel() -> None:
    """A worker may ask another team, and give it up."""
    at_work, given_up = asyncio.Event(), asyncio.Event()

    async def wait(_: Any) -> None:
        try:
            at_work.set()
            await asyncio.Event().wait()
        finally:
            given_up.set()

    async def ask_another(_: Any) -> Any:
        other = Team(
            name="other",
            description="…",
            members=(StubAgent("slow", behave=wait),),
            router=EachOnceRouter(),
        )
        asking = asyncio.ensure_future(other.ainvoke({"request": "go"}))
        await at_work.wait()
        asking.cancel()
        await given_up.wait()
        return {"summary": "without it"}

    run = await ask(team_of(StubAgent("asks", behave=ask_another)))

    assert (run.status, run.answer) == ("ok", "without it")


def _stop(*_: Any) -> NoReturn:
    raise SystemExit(75)


@pytest.mark.parametrize(
    ("number", "handler", "error"),
    [
        (signal.SIGTERM, _stop, SystemExit),
        (signal.SIGINT, signal.default_int_handler, KeyboardInterrupt),
    ],
)
def test_a_signal_ends_the_run_wherever_it_meets_it(
    number: signal.Signals, handler: Any, error: type[BaseException]
) -> None:
    """A service manager's SIGTERM and Ctrl-C may arrive while a worker holds the event loop."""

    async def behave(_: Any) -> None:
        signal.raise_signal(number)
        await asyncio.sleep(0)

    team = team_of(StubAgent("busy", behave=behave), StubAgent("good"))
    before = signal.signal(number, handler)
    try:
        with pytest.raises(error):
            team.invoke({"request": "go"})
    finally:
        signal.signal(number, before)


class _Strict(AgentInput):
    @field_validator("request")
    @classmethod
    def _never(cls, value: str) -> str:  # noqa: ARG003  # the validator's signature
        raise KeyboardInterrupt


class Converting(StubAgent):
    """A worker whose code around its graph breaks."""

    def __init__(self, where: str, error: type[BaseException]) -> None:
        super().__init__("bad")
        self.where, self.error = where, error
        if where == "validation":
            self.Input = _Strict

    def input_to_state(self, payload: Any) -> dict[str, Any]:
        """Break on the way in."""
        return raise_it(self.error) if self.where == "in" else super().input_to_state(payload)

    def state_to_output(self, state: Mapping[str, Any]) -> Any:
        """Break on the way out."""
        return raise_it(self.error) if self.where == "out" else super().state_to_output(state)


@pytest.mark.parametrize("error", ENDS)
@pytest.mark.parametrize("where", ["in", "out", "validation"])
async def test_code_around_a_graph_is_contained(where: str, error: type[BaseException]) -> None:
    """Converters and validators run outside of every node."""
    run = await ask(team_of(Converting(where, error), StubAgent("good")))

    assert run.status == "ok_degraded"
    assert [entry.path for entry in run.bypassed] == ["t/bad"]
    assert "good answered" in run.answer


class _State(TypedDict, total=False):
    request: str
    answer: str
    summary: str
    kept: str


def graph_of(**nodes: Callable[..., Any]) -> "StateGraph[Any, Any, Any, Any]":
    """Return a graph that runs `nodes` side by side."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
    for name, node in nodes.items():
        builder.add_node(name, node)
        builder.add_edge(START, name)
    return builder


@pytest.mark.parametrize("error", ENDS)
@pytest.mark.parametrize("is_async", [False, True])
async def test_a_wrapped_graph_is_contained(error: type[BaseException], *, is_async: bool) -> None:
    """LangGraph runs parallel nodes as tasks of its own, which nobody here wraps."""

    def plain(_: _State) -> _State:
        raise_it(error)

    async def in_loop(_: _State) -> _State:
        raise_it(error)

    def fine(_: _State) -> _State:
        return {"summary": "fine"}

    graph = graph_of(bad=in_loop if is_async else plain, fine=fine).compile()
    run = await ask(team_of(agent_from_graph(graph, name="w", description="…"), StubAgent("good")))

    assert run.status == "ok_degraded"
    assert [entry.path for entry in run.bypassed] == ["t/w"]
    assert "good answered" in run.answer


@pytest.mark.parametrize("error", ENDS)
async def test_a_wrapped_function_is_contained(error: type[BaseException]) -> None:
    """Sync or async, it is a node as any other."""

    def plain(request: str) -> str:  # noqa: ARG001  # the function's one argument
        raise_it(error)

    async def in_loop(request: str) -> str:  # noqa: ARG001  # see above
        raise_it(error)

    members = [agent(description="…")(f) for f in (plain, in_loop)]
    run = await ask(team_of(*members, StubAgent("good")))

    assert run.status == "ok_degraded"
    assert {entry.path for entry in run.bypassed} == {"t/plain", "t/in_loop"}
    assert "good answered" in run.answer


class _BrokenRouter:
    def __init__(self, error: type[BaseException]) -> None:
        self.error = error

    async def decide(self, view: Any) -> Decision:  # noqa: ARG002  # the protocol's signature
        raise_it(self.error)


@pytest.mark.parametrize("error", ENDS)
async def test_a_teams_router_ends_its_visit_only(error: type[BaseException]) -> None:
    """The other teams' answers are there."""
    inner = Team(
        name="inner",
        description="…",
        members=(StubAgent("never"),),
        router=_BrokenRouter(error),
    )

    run = await ask(team_of(inner, StubAgent("good")))

    assert run.status == "ok_degraded"
    assert [entry.path for entry in run.bypassed] == ["t/inner"]
    assert "good answered" in run.answer


@pytest.mark.parametrize("said", [*ENDS, None, 42, "\ud800"])
async def test_a_teams_own_words_cannot_lose_what_its_members_found(said: Any) -> None:
    """Where `finish` breaks, the parts are put together as every team's are."""

    class Wordy(Team):
        def finish(self, task: Any, shown: Any) -> Any:  # noqa: ARG002  # the contract
            return raise_it(said) if isinstance(said, type) else said

    inner = Wordy(
        name="inner",
        description="…",
        members=(StubAgent("a"), StubAgent("b")),
        router=EachOnceRouter(),
    )

    sink = MemorySink()
    team = team_of(inner, StubAgent("good"))
    run = await run_team(team.assembled, Task(request="go"), RunOptions(recorder=sink))

    assert run.status == "ok_degraded"
    assert [(entry.path, entry.action) for entry in run.bypassed] == [("t/inner", "substituted")]
    (row,) = [record for record in sink.records if record.node == "finish"]
    assert (row.path, row.status, row.action) == ("t/inner", "skipped", "substituted")
    for part in ("a answered", "b answered", "good answered"):
        assert part in run.answer


async def test_one_question_is_refused_and_the_other_waits(minerva_home: Path) -> None:
    """Siblings in one fan-out: what may pass passes, the rest is its worker's failure."""
    fair = StubAgent("fair", behave=lambda _: interrupt({"question": "May I?"}))
    foul = StubAgent("foul", behave=lambda _: interrupt(object()))
    sink = MemorySink()

    with opened_engine(minerva_home / "state.db") as engine:
        options = RunOptions(engine=engine, home=minerva_home, recorder=sink)
        run = await run_team(team_of(fair, foul).assembled, Task(request="go"), options)

    assert run.status == "needs_human"
    assert [question.value for question in run.interrupts] == [{"question": "May I?"}]
    assert [entry.path for entry in run.bypassed] == ["t/foul"]
    rows = {r.path: r.status for r in sink.records if r.kind == "agent"}
    assert rows == {"t/fair": "paused", "t/foul": "failed"}


async def test_a_wrapped_graphs_question_is_checked_before_it_is_kept(minerva_home: Path) -> None:
    """LangGraph would write it into the checkpoint of the wrapped graph first."""

    def ask_badly(_: _State) -> _State:
        return {"summary": interrupt({"ask": len})}

    graph = graph_of(ask_badly=ask_badly).compile()
    team = team_of(agent_from_graph(graph, name="w", description="…"), StubAgent("good"))
    with opened_engine(minerva_home / "state.db") as engine:
        run = await run_team(
            team.assembled,
            Task(request="go"),
            RunOptions(engine=engine, home=minerva_home, thread_id="x"),
        )

    assert run.status == "ok_degraded"
    (entry,) = run.bypassed
    assert entry.path == "t/w"
    assert "its question to a person cannot be written as JSON" in entry.cause


class Hoarder(BaseAgent[AgentInput, AgentOutput]):
    """A worker that asks a person while it holds a large state."""

    name = "hoarder"
    description = "…"

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph that gathers, asks and tells."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
        steps: list[Any] = [self.gather, self.ask, self.tell]
        builder.add_sequence(steps)
        builder.add_edge(START, "gather")
        return builder

    def gather(self, _: _State) -> _State:
        """Hold more than is kept between steps."""
        return {"kept": "x" * (MAX_CHECKPOINT_BYTES + 1)}

    def ask(self, _: _State) -> _State:
        """Wait for a person."""
        return {"answer": interrupt("go on?")}

    def tell(self, state: _State) -> _State:
        """Say what was held."""
        return {"summary": f"{state.get('answer')}: {len(state.get('kept', ''))}"}


async def test_a_large_state_is_there_when_the_person_answers(minerva_home: Path) -> None:
    """It is kept once, because the worker waits."""
    team = team_of(Hoarder(), router=ScriptedRouter("hoarder"))
    with opened_engine(minerva_home / "state.db") as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="x")
        run = await run_team(team.assembled, Task(request="go"), options)
        graph = team.graph.copy({"checkpointer": LedgerCheckpointer(engine)})
        store = ArtifactStore(minerva_home / "artifacts")
        with RunContext(Budget(RunLimits(), 25), store).bound():
            final = await graph.ainvoke(
                Command(resume={run.interrupts[0].id: "yes"}),
                {"configurable": {"thread_id": run.run_id}},
            )

    assert run.status == "needs_human"
    outcome = TeamOutput.model_validate(final["outcome"])
    assert outcome.summary == f"yes: {MAX_CHECKPOINT_BYTES + 1}"
