"""A question to a person passes every border; it is a pause, not a failure."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.errors import ParentCommand
from langgraph.graph import START, StateGraph
from langgraph.types import Command, RetryPolicy, interrupt

from minerva_observability import MemorySink
from minerva_platform import AgentInput, AgentOutput, BaseAgent, RunLimits, Task, Team
from minerva_platform.contract.result import TeamOutput
from minerva_platform.durable.active_run import run_team
from minerva_platform.errors import AgentError, OutputError
from minerva_platform.run_context.budget import Budget
from minerva_platform.run_context.context import RunContext
from minerva_platform.runtime.member_call import MemberCall
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.checkpoints.ledger_checkpointer import LedgerCheckpointer
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import ArtifactStore
from minerva_platform.testing import EachOnceRouter, StubAgent


class _State(TypedDict, total=False):
    request: str
    answer: str
    summary: str


class Asks(BaseAgent[AgentInput, AgentOutput]):
    """A worker that asks a person before it acts."""

    name = "asks"
    description = "…"
    prepared = 0

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph that prepares, asks and acts; asking is a node of its own."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
        builder.add_node("prepare", self.prepare)
        policy = RetryPolicy(retry_on=Exception)
        builder.add_node("ask", self.ask, retry_policy=policy)
        builder.add_node("act", self.act)
        builder.add_edge(START, "prepare")
        builder.add_edge("prepare", "ask")
        builder.add_edge("ask", "act")
        return builder

    def prepare(self, state: _State) -> _State:  # noqa: ARG002  # a node takes the state
        """Count that it ran."""
        self.prepared += 1
        return {}

    def ask(self, state: _State) -> _State:  # noqa: ARG002  # a node takes the state
        """Ask, and wait."""
        return {"answer": interrupt({"question": "Delete the table?"})}

    def act(self, state: _State) -> _State:
        """Say what was decided."""
        return {"summary": f"decided: {state.get('answer')}"}


def three_levels_deep(asks: Asks, beside: StubAgent) -> Team:
    """Return a tree whose worker three levels down asks."""
    inner = Team(name="inner", description="…", members=(asks,), router=EachOnceRouter())
    middle = Team(name="middle", description="…", members=(inner, beside), router=EachOnceRouter())
    return Team(
        name="root",
        description="…",
        members=(middle, StubAgent("top")),
        router=EachOnceRouter(),
    )


@asynccontextmanager
async def options(home: Path, sink: MemorySink) -> AsyncGenerator[RunOptions]:
    """Return what surrounds a run whose state is kept on disk."""
    with opened_engine(home / "state.db") as engine:
        yield RunOptions(recorder=sink, home=home, engine=engine, thread_id="thread")


async def test_a_question_three_levels_down_reaches_the_person(minerva_home: Path) -> None:
    """The run waits with the question's id and text; what siblings answered is there."""
    sink = MemorySink()
    async with options(minerva_home, sink) as surroundings:
        run = await run_team(
            three_levels_deep(Asks(), StubAgent("beside")).assembled,
            Task(request="go"),
            surroundings,
        )

    assert (run.status, run.reason, run.bypassed) == ("needs_human", None, ())
    (question,) = run.interrupts
    assert question.value == {"question": "Delete the table?"}
    assert question.id
    assert run.answer == "top answered\n\n## middle\n\nbeside answered"
    assert {hop.path for hop in run.hops} == {"root/top", "root/middle/beside"}


async def test_a_pause_is_recorded_as_paused(minerva_home: Path) -> None:
    """At every level; a dashboard counts no failure, and nothing was retried."""
    sink = MemorySink()
    async with options(minerva_home, sink) as surroundings:
        await run_team(
            three_levels_deep(Asks(), StubAgent("beside")).assembled,
            Task(request="go"),
            surroundings,
        )

    paused = [(r.kind, r.path, r.node, r.action) for r in sink.records if r.status == "paused"]
    assert paused == [
        ("node", "root/middle/inner/asks", "ask", None),
        ("agent", "root/middle/inner/asks", None, None),
        ("agent", "root/middle/inner", None, None),
        ("agent", "root/middle", None, None),
        ("pause", "root/middle/inner/asks", None, None),
    ]
    assert {r.status for r in sink.records} == {"ok", "paused", "needs_human"}


async def test_a_question_can_be_answered(minerva_home: Path) -> None:
    """`Command(resume={id: answer})` on the root's graph goes on where it waited.

    This is the level of the graph: who resumes binds the run's budget and store as a run does.
    What finished before is not done again: siblings, and nodes before the question.
    """
    asks, beside = Asks(), StubAgent("beside")
    team = three_levels_deep(asks, beside)
    async with options(minerva_home, MemorySink()) as surroundings:
        run = await run_team(team.assembled, Task(request="go"), surroundings)
        assert surroundings.engine is not None
        graph = team.graph.copy({"checkpointer": LedgerCheckpointer(surroundings.engine)})
        store = ArtifactStore(minerva_home / "artifacts")
        with RunContext(Budget(RunLimits(), 25), store).bound():
            final = await graph.ainvoke(
                Command(resume={run.interrupts[0].id: "yes"}),
                {"configurable": {"thread_id": run.run_id}},
            )

    outcome = TeamOutput.model_validate(final["outcome"])
    assert (outcome.status, outcome.bypassed) == ("ok", ())
    assert "decided: yes" in outcome.summary
    assert "beside answered" in outcome.summary
    assert [hop.path for hop in outcome.hops] == [
        "root/middle/inner/asks",
        "root/middle/beside",
        "root/top",
    ]
    assert (asks.prepared, len(beside.calls)) == (1, 1)


async def test_a_call_that_the_version_before_has_sent_is_answered(minerva_home: Path) -> None:
    """A paused run keeps the message to its member; its role was `check`, in an `assignment`."""
    member = StubAgent("member")
    team = Team(name="t", description="…", members=[member], router=EachOnceRouter())
    call = {"member": "member", "role": "check", "request": "go", "wanted_kinds": []}
    sent: Any = {
        "assignment": call,
        "task": Task(request="go").model_dump(mode="json"),
        "path": "t/member",
    }
    with RunContext(Budget(RunLimits(), 25), ArtifactStore(minerva_home / "artifacts")).bound():
        update = await MemberCall(team.assembled, member)(member.graph.ainvoke, sent)

    (result,) = update["results"]
    assert (result["status"], result["role"], result["path"]) == ("ok", "audit", "t/member")


async def test_two_questions_wait_at_once(minerva_home: Path) -> None:
    """Each has an id of its own."""
    first, second = Asks(), Asks()
    second.name = "asks_too"
    team = Team(name="t", description="…", members=(first, second), router=EachOnceRouter())
    async with options(minerva_home, MemorySink()) as surroundings:
        run = await run_team(team.assembled, Task(request="go"), surroundings)

    assert run.status == "needs_human"
    assert len({question.id for question in run.interrupts}) == 2


async def test_a_failing_sibling_is_told_while_a_question_waits(minerva_home: Path) -> None:
    """The person who is asked sees what was bypassed."""

    def fail(_: Any) -> None:
        message = "broken"
        raise ValueError(message)

    members = (Asks(), StubAgent("bad", behave=fail))
    team = Team(name="t", description="…", members=members, router=EachOnceRouter())
    async with options(minerva_home, MemorySink()) as surroundings:
        run = await run_team(team.assembled, Task(request="go"), surroundings)

    assert run.status == "needs_human"
    assert [entry.path for entry in run.bypassed] == ["t/bad"]


@pytest.mark.parametrize("depth", [0, 2])
async def test_a_question_without_kept_state_is_refused(depth: int) -> None:
    """Nobody could answer it, so the worker fails and the sentence names the setting."""
    team: Any = Asks()
    for level in range(depth + 1):
        team = Team(name=f"t{level}", description="…", members=(team,), router=EachOnceRouter())

    run = await run_team(team.assembled, Task(request="go"), RunOptions())

    assert (run.status, run.interrupts) == ("failed", ())
    assert "nobody could answer. Set `keep_state: true` in platform.yaml" in run.answer


async def test_a_worker_that_is_called_by_itself_has_nobody_to_ask() -> None:
    """What would be said else, that a field of its Output is missing, is not the cause."""
    with pytest.raises(AgentError, match=r"`asks` asks a person .* run in a team"):
        await Asks().ainvoke({"request": "go"})


async def test_a_worker_that_is_called_by_itself_leaves_no_graph() -> None:
    """LangGraph's own exception would say nothing of whose contract is broken."""

    def leaves(_task: AgentInput) -> AgentOutput:
        raise ParentCommand(Command(graph=Command.PARENT, update={"summary": "done"}))

    with pytest.raises(OutputError, match="`leaves` broke its own contract: it tried to leave"):
        await StubAgent("leaves", behave=leaves).ainvoke({"request": "go"})
