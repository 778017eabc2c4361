"""A decision is about what a person saw: what is asked otherwise by then is asked anew."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from changed_runs import KINDS, asked_once, changes_between, changes_in_host, decided, shaped
from changing import CHANGES, KIM, MALLORY, SHAPES, Desk, deed, now, payer, yes_to
from front_desk import by_turn, chat_at, led_by, root_of
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, RetryPolicy
from ledger import Store
from sqlalchemy import text
from typing_extensions import TypedDict

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Task, Team, ask_approval
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.errors import InvalidDecisionError
from minerva_platform.langgraph import ToolAgent, agent_from_graph, as_graph
from minerva_platform.models import Model
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, Reply, StubAgent, scripted_openai_server


class State(TypedDict, total=False):
    """What a step exchanges."""

    request: str
    summary: str


CASES = [
    (shape, change, KINDS[n % 3])
    for n, (shape, change) in enumerate(itertools.product(SHAPES, CHANGES))
    if n % 2 == 0
]
"""Places, changes and ways to ask take turns; `make chaos` has all of them."""


@pytest.mark.small(10)
@pytest.mark.parametrize(("shape", "change", "kind"), CASES)
async def test_what_has_changed_is_asked_anew_and_only_that_is_done(
    minerva_home: Path, shape: str, change: str, kind: str
) -> None:
    """In 20 cases: nothing happens by the first decision; old stands beside new."""
    await changes_between(
        Store(minerva_home / "s.db", "", print), minerva_home, shape, change, kind
    )


@pytest.mark.small(2)
@pytest.mark.parametrize("shape", ["worker", "foreign graph"])
async def test_it_is_so_in_both_databases(store: Store, minerva_home: Path, shape: str) -> None:
    """The digest lies beside the decision."""
    await changes_between(store, minerva_home, shape, "arguments", "approval")


@pytest.mark.small(4)
@pytest.mark.parametrize(("shape", "kind"), [*zip(SHAPES, itertools.cycle(KINDS), strict=False)])
async def test_what_has_not_changed_is_asked_once_and_done_as_shown(
    minerva_home: Path, shape: str, kind: str
) -> None:
    """Also by another release of the same words."""
    await asked_once(Store(minerva_home / "s.db", "", print), minerva_home, shape, kind)


async def test_an_answer_that_was_used_before_is_no_answer_to_something_else(
    minerva_home: Path,
) -> None:
    """The step has two questions; a release swaps them when the first one was answered."""
    desk, other = Desk(minerva_home), now(KIM, kind="plain", text="Wipe it?", tool="wipe")
    ask = now(KIM, kind="plain")
    desk.asks(ask, other)
    with Store(minerva_home / "s.db", "", print).opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        team = shaped(desk, "worker")
        run = await run_team(team.assembled, Task(request="pay"), options)
        run = await decided(team, run, options, q0=yes_to(ask))
        desk.asks(other, ask)
        run = await decided(team, run, options, q0={"type": "respond", "value": False})
        (again,) = run.interrupts
        assert (again.text, again.earlier and again.earlier["text"]) == (other["text"], ask["text"])
        run = await decided(team, run, options, q0={"type": "respond", "value": False})
        run = await decided(team, run, options, q0=yes_to(ask))
    assert (run.status, desk.done) == ("ok", [deed(ask)])


class _Wiki(ToolAgent):
    """A worker whose model calls tools; a person decides about one of them."""

    name, description, examples = "wiki", "…", ("delete it",)
    review = ("delete",)


def _tool_agent(url: str, desk: Desk, release: int) -> Any:
    """Return it; its second release takes other arguments."""

    def first(page: str) -> str:
        """Deletes a page."""
        desk.do("delete", {"page": page})
        return "deleted"

    def second(page: str, *, all_of_it: bool = True) -> str:
        """Deletes a page and all below it."""
        desk.do("delete", {"page": page, "all_of_it": all_of_it})
        return "deleted"

    worker = _Wiki()
    worker.tools = (StructuredTool.from_function((first, second)[release], name="delete"),)
    worker.model = Model(ModelSpec(name="openai:scripted", base_url=url))
    return worker


def _middleware(url: str, desk: Desk, release: int) -> Any:
    """Return an agent of LangChain; its second release says what a call really does."""

    def delete(page: str) -> str:
        """Delete a page."""
        desk.do("delete", {"page": page})
        return "deleted"

    words: Any = {"allowed_decisions": ["approve", "reject"], "description": f"Release {release}"}
    gated = HumanInTheLoopMiddleware(interrupt_on={"delete": words}, interrupt_mode="per_call")
    graph: Any = create_agent(chat_at(url), tools=[delete], middleware=[gated])
    return agent_from_graph(graph, name="wiki", description="…", examples=["delete it"])


def _members(url: str, desk: Desk, release: int) -> Any:
    """Return an agent that leads a worker."""
    del release
    return led_by(url, payer(desk))


@pytest.mark.small(1)
@pytest.mark.parametrize(
    ("made", "tool"),
    [(_tool_agent, "delete"), (_middleware, "delete"), (_members, "payer")],
    ids=["tool agent", "middleware", "members"],
)
async def test_so_it_is_where_a_model_leads(minerva_home: Path, made: Any, tool: str) -> None:
    """The call lies in the state, so it is the shown one; what is said of it may change."""
    desk = Desk(minerva_home)
    arguments = {"request": "delete p1"} if made is _members else {"page": "p1"}
    script = by_turn(Reply(tool_calls=[(tool, arguments)]), Reply(text="done"))
    store = Store(minerva_home / "s.db", "", print)
    with scripted_openai_server(script) as server, store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        before, team = (root_of(made(server.url, desk, release)) for release in (0, 1))
        if made is _members:
            desk.asks(now(KIM, tool="delete", arguments={"page": "p1"}))
        run = await run_team(before.assembled, Task(request="delete it"), options)
        if made is _members:
            desk.asks(now(KIM, tool="delete_all", arguments={"page": "p1"}))
        run = await decided(team, run, options, q0="approve")
        assert (run.status, desk.done) == ("needs_human", [])
        assert run.interrupts[0].earlier is not None
        run = await decided(team, run, options, q0="approve")
    assert (run.status, len(desk.done), desk.done[0][1]["page"]) == ("ok", 1, "p1")


async def test_what_changes_by_itself_fails_the_worker_and_is_named(minerva_home: Path) -> None:
    """A clock or a random id would be asked for ever."""
    numbers, done = itertools.count(), list[Any]()

    def work(_: Any) -> dict[str, Any]:
        arguments = {"to": "Kim", "at": next(numbers)}
        done.append(ask_approval("Pay?", tool="pay", arguments=arguments))
        return {"summary": "paid"}

    team = Team(
        name="t",
        description="…",
        members=[StubAgent("payer", behave=work)],
        router=EachOnceRouter(),
    )
    with Store(minerva_home / "s.db", "", print).opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await run_team(team.assembled, Task(request="pay"), options)
        run = await decided(team, run, options, q0="approve")
        assert run.status == "needs_human"
        run = await decided(team, run, options, q0="approve")
    assert (run.status, done) == ("failed", [])
    assert "`at` changed" in run.answer
    assert "`to`" not in run.answer


async def test_a_retry_does_nothing_else_with_the_approval(minerva_home: Path) -> None:
    """The step fails after the answer, and asks for something else in its next attempt."""
    arguments, done, falls = {"to": "Kim"}, list[Any](), [True]

    class Retrying(BaseAgent[AgentInput, AgentOutput]):
        name, description, examples = "payer", "…", ("pay",)

        def build_graph(self) -> Any:
            builder: Any = StateGraph(State)
            policy = RetryPolicy(initial_interval=0, jitter=False, retry_on=ValueError)
            builder.add_node("pay", self.pay, retry_policy=policy)
            builder.add_edge(START, "pay")
            return builder

        def pay(self, _: State) -> State:
            got = ask_approval("Pay?", tool="pay", arguments=arguments)
            if falls.pop():
                arguments["to"] = "Mallory"
                falls.append(False)
                message = "the line is down"
                raise ValueError(message)
            done.append(got)
            return {"summary": "paid"}

    with Store(minerva_home / "s.db", "", print).opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        team = root_of(Retrying())
        run = await run_team(team.assembled, Task(request="pay"), options)
        run = await decided(team, run, options, q0="approve")
        assert (run.status, done) == ("needs_human", [])
        assert run.interrupts[0].arguments == {"to": "Mallory"}


async def test_null_is_no_answer_to_a_plain_question(minerva_home: Path) -> None:
    """LangGraph takes it for none; nothing is spent."""
    desk = Desk(minerva_home)
    desk.asks(now(KIM, kind="plain"))
    with Store(minerva_home / "s.db", "", print).opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        team = shaped(desk, "worker")
        run = await run_team(team.assembled, Task(request="pay"), options)
        with pytest.raises(InvalidDecisionError, match="takes null for no answer"):
            await decided(team, run, options, q0={"type": "respond", "value": None})
        run = await decided(team, run, options, q0={"type": "respond", "value": False})
    assert (run.status, desk.done) == ("ok", [])


@pytest.mark.small(databases=1)
async def test_a_decision_of_the_release_before_is_asked_anew_and_says_why(
    store: Store, minerva_home: Path
) -> None:
    """It kept no digest. What it let happen before stays."""
    desk = Desk(minerva_home)
    desk.asks(KIM, now(KIM, text="And the rest?"))
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        team = shaped(desk, "worker")
        run = await run_team(team.assembled, Task(request="pay"), options)
        run = await decided(team, run, options, q0="approve")
        (second,) = run.interrupts
        given = {second.id: "approve"}
        from minerva_platform.storage.ledger.decisions import decide  # noqa: PLC0415

        decide(engine, run.run_id, given, by="ann")
        engine.write(lambda c: c.execute(text("UPDATE decisions SET shown_sha256 = NULL")))

        run = await resume_team(team.assembled, run.run_id, DecisionBatch({}), options)
        (again,) = run.interrupts
        assert (run.status, again.id, desk.done) == ("needs_human", f"{second.id}.2", [])
        assert "before MINERVA kept what was shown" in again.refused
        run = await decided(team, run, options, q0="approve")
    assert (run.status, len(desk.done)) == ("ok", 2)


@pytest.mark.small(5)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("number", [0, 1])
def test_so_it_is_in_a_host_s_graph(tmp_path: Path, change: str, number: int) -> None:
    """The host keeps the state and answers with `Command(resume=…)`, by value or by id."""
    changes_in_host(tmp_path, number, change, KINDS[len(change) % 3])


def test_a_host_s_earlier_answer_is_no_answer_to_something_else(tmp_path: Path) -> None:
    """The questions of a step are swapped in the host when the first one was answered."""
    desk, saver = Desk(tmp_path), InMemorySaver()
    wipe, config = now(KIM, tool="wipe", text="Wipe it?"), {"configurable": {"thread_id": "host"}}

    def invoke(given: Any) -> Any:
        graph: Any = as_graph(shaped(desk, "worker"), checkpointer=saver)
        return graph.invoke(given, config)

    desk.asks(KIM, wipe)
    invoke({"request": "pay"})
    invoke(Command(resume=True))
    desk.asks(wipe, now(KIM, arguments=MALLORY))
    paused = invoke(Command(resume=True))["__interrupt__"]
    assert (paused[0].value["arguments"], desk.done) == (MALLORY, [])


def test_the_kept_arguments_are_what_is_returned() -> None:
    """Plain JSON, which nothing that the worker still holds can change."""
    held = {"to": "Kim", "tags": ("a", "b")}
    schema: Any = dict
    graph: Any = StateGraph(schema)

    def step(_: Any) -> Any:
        got = ask_approval("Pay?", tool="pay", arguments=held)
        held["to"] = "Mallory"
        return {"got": json.dumps(got)}

    graph.add_node("step", step)
    graph.add_edge(START, "step")
    compiled = graph.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    compiled.invoke({}, config)
    left = compiled.invoke(Command(resume=True), config)
    assert json.loads(left["got"]) == {"to": "Kim", "tags": ["a", "b"]}
