"""Effects in graphs that MINERVA did not build: agents of LangChain, graphs in graphs, loops."""

import operator
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from answers import without_effects
from hypothesis import given, strategies as st
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, ToolRetryMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import RetryPolicy, interrupt
from ledger import sqlite_store
from sqlalchemy import update

from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    Decision,
    EffectNotDoneError,
    Run,
    Task,
    Team,
    effect,
    effect_key,
)
from minerva_platform.agents.graph_agent import agent_from_graph
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.routing import Goal
from minerva_platform.run_context.effect_place import Numbering
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.ledger.schema import effects
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent

TASK = Task(request="pay the orders of May")


class Book:
    """What was paid, and with which keys."""

    def __init__(self) -> None:
        self.paid: list[int] = []
        self.keys: list[str] = []

    def pay(self, cents: int) -> str:
        """Pay."""
        self.paid.append(cents)
        self.keys.append(effect_key())
        return f"paid {cents}"


@pytest.fixture
def options(minerva_home: Path) -> Generator[RunOptions]:
    """Give options that keep runs."""
    minerva_home.mkdir()
    with sqlite_store(minerva_home) as store, store.opened() as engine:
        yield RunOptions(engine=engine, home=minerva_home, thread_id="t")


class Scripted(GenericFakeChatModel):
    """A model that says what a test wrote, whatever its tools are."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        """Return itself."""
        del tools
        return self


def calls(*asked: tuple[str, dict[str, Any]], turn: int = 0) -> AIMessage:
    """Return a model's turn that calls tools."""
    return AIMessage(
        "",
        tool_calls=[
            ToolCall(name=name, args=args, id=f"{turn}-{number}")
            for number, (name, args) in enumerate(asked)
        ],
    )


def model(*said: AIMessage | str) -> Scripted:
    """Return a model that says one thing after the other."""
    return Scripted(messages=iter([AIMessage(s) if isinstance(s, str) else s for s in said]))


def team_of(graph: Any) -> Team:
    """Return a team of one worker with that graph."""
    worker = agent_from_graph(graph, name="payer", description="Pays.", examples=("pay",))
    return Team(name="office", description="…", members=[worker], router=EachOnceRouter())


def yes_to(run: Run) -> Any:
    """Return a yes to the first question of a run: a tool's, or another one."""
    return "approve" if run.interrupts[0].tool else {"type": "respond", "message": "yes"}


async def decided(run: Run, decision: Any, team: Team, options: RunOptions) -> Run:
    """Decide about the first question of a run, and move it on."""
    question = run.interrupts[0]
    return await resume_team(
        team.assembled, run.run_id, DecisionBatch({question.id: decision}), options
    )


def forget_ends(options: RunOptions) -> None:
    """Leave the effects as a process that was killed while they were done."""
    assert options.engine is not None
    options.engine.write(lambda c: c.execute(update(effects).values(state="begun", outcome=None)))


async def test_several_tool_calls_of_one_turn_are_done_once_each(options: RunOptions) -> None:
    """The same tool with the same arguments, too, if a person says so.

    A question beside them repeats none.
    """
    book = Book()

    @tool
    @effect("once")
    def pay(cents: int) -> str:
        """Pay."""
        return book.pay(cents)

    @tool
    def ask() -> str:
        """Ask a person."""
        return str(interrupt("go on?"))

    three = calls(("pay", {"cents": 7}), ("pay", {"cents": 7}), ("ask", {}), ("pay", {"cents": 9}))
    team = team_of(create_agent(model(three, "done"), [pay, ask]))
    run = await run_team(team.assembled, TASK, options)
    assert sorted(book.paid) == [7, 9]
    assert sorted((question.kind, question.tool) for question in run.interrupts) == [
        ("question", None),
        ("tool", "pay"),
    ]
    while run.interrupts:
        run = await decided(run, yes_to(run), team, options)

    assert without_effects(run.answer) == "done", run
    assert sorted(book.paid) == [7, 7, 9]
    assert len(set(book.keys)) == 3


async def test_one_tool_may_do_several_deeds(options: RunOptions) -> None:
    """Each is a deed of its own, also in a repetition."""
    book = Book()
    pay_once = effect("once")(book.pay)

    @tool
    def pay_all(cents: int) -> str:
        """Pay twice, ask, and pay once more."""
        said = [pay_once(cents), pay_once(cents + 1), interrupt("go on?"), pay_once(cents + 2)]
        return ", ".join(said)

    team = team_of(create_agent(model(calls(("pay_all", {"cents": 1})), "done"), [pay_all]))
    run = await run_team(team.assembled, TASK, options)
    run = await decided(run, {"type": "respond", "message": "yes"}, team, options)

    assert without_effects(run.answer) == "done", run
    assert book.paid == [1, 2, 3]


async def test_a_tool_retry_repeats_a_deed_only_if_it_may(options: RunOptions) -> None:
    """LangChain's middleware calls the tool again; `once` of unknown end asks a person instead."""
    book, failed = Book(), list[str]()

    def failing(name: str, error: Exception) -> Callable[[int], str]:
        def pay(cents: int) -> str:
            if name not in failed:
                failed.append(name)
                book.keys.append(effect_key())
                raise error
            return book.pay(cents)

        pay.__name__ = name
        pay.__doc__ = "Pay."
        return pay

    tools = [
        tool(effect("keyed")(failing("keyed", ConnectionError()))),
        tool(effect("once")(failing("refused", EffectNotDoneError()))),
        tool(effect("once")(failing("lost", ConnectionError()))),
    ]
    told = (("keyed", {"cents": 1}), ("refused", {"cents": 2}), ("lost", {"cents": 3}))
    retry = ToolRetryMiddleware(max_retries=2, initial_delay=0, jitter=False)
    agent = create_agent(model(calls(*told), "done"), tools, middleware=[retry])
    team = team_of(agent)
    run = await run_team(team.assembled, TASK, options)

    (question,) = run.interrupts
    assert (question.kind, question.tool, question.arguments) == ("effect", "lost", {"cents": 3})
    assert sorted(book.paid) == [1, 2]
    run = await decided(run, "approve", team, options)
    assert without_effects(run.answer) == "done", run
    assert {(each.name, each.outcome) for each in run.effects} == {
        (name, "done") for name in ("keyed", "refused", "lost")
    }
    assert sorted(book.paid) == [1, 2, 3]
    assert len(book.keys) == 6
    assert len(set(book.keys)) == 3


async def test_edited_arguments_are_what_is_done_once(options: RunOptions) -> None:
    """A person edits the call of a tool, and the run is cut off before its end is kept."""
    book = Book()

    @tool
    @effect("once")
    def pay(cents: int) -> str:
        """Pay."""
        return book.pay(cents)

    @tool
    def ask() -> str:
        """Ask a person."""
        return str(interrupt("go on?"))

    person = HumanInTheLoopMiddleware(interrupt_on={"pay": True}, interrupt_mode="per_call")
    both = calls(("pay", {"cents": 700}), ("ask", {}))
    team = team_of(create_agent(model(both, "done"), [pay, ask], middleware=[person]))
    run = await run_team(team.assembled, TASK, options)
    edit = {"type": "edit", "edited_action": {"name": "pay", "args": {"cents": 70}}}
    while run.interrupts:
        run = await decided(run, edit if run.interrupts[0].tool else yes_to(run), team, options)

    assert run.answer == "Done: `pay` (cents: 70).\n\ndone", run
    assert book.paid == [70]


class Loop(TypedDict, total=False):
    """The state of a graph that comes by again and again."""

    request: str
    left: int
    said: Annotated[list[str], operator.add]
    summary: str


def nested_twice(book: Book, *, depth: int, retry: RetryPolicy | None = None) -> Any:
    """Return a graph that calls a graph twice, `depth` levels down; it pays the same each time.

    Each time but the first a person is asked.
    """
    pay = effect("once")(book.pay)
    failed = list[int]()

    def work(_: Loop) -> Loop:
        said = pay(5)
        if retry is not None and not failed:
            failed.append(1)
            raise ConnectionError
        return {"said": [said]}

    graph: Any = StateGraph(Loop)
    graph.add_node("pay", work, retry_policy=retry)
    graph.add_edge(START, "pay")
    for _ in range(depth):
        graph = looped(graph.compile())

    def ask(_: Loop) -> Loop:
        return {"said": [str(interrupt("go on?"))]}

    def close(state: Loop) -> Loop:
        return {"summary": ", ".join(state.get("said", []))}

    whole: Any = StateGraph(Loop)
    inner = graph.compile()

    async def call(state: Loop) -> Loop:
        del state
        first = await inner.ainvoke({"left": 2, "said": []})
        second = await inner.ainvoke({"left": 1, "said": []})
        return {"said": [*first["said"], *second["said"]]}

    whole.add_sequence([call, ask, close])
    return whole.add_edge(START, "call")


def looped(inner: Any) -> Any:
    """Return a graph whose one node calls `inner` as often as its state says."""

    async def again(state: Loop) -> Loop:
        found = await inner.ainvoke({"left": 2, "said": []})
        return {"left": state.get("left", 1) - 1, "said": found["said"]}

    builder: Any = StateGraph(Loop)
    builder.add_node("again", again)
    builder.add_edge(START, "again")
    builder.add_conditional_edges("again", lambda s: "again" if s["left"] > 0 else "__end__")
    return builder


class OfGraph(BaseAgent[AgentInput, AgentOutput]):
    """A worker with a graph."""

    name = "payer"
    description = "Pays."
    examples = ("pay",)

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def build_graph(self) -> Any:
        """Return it."""
        return self.builder


@pytest.mark.small(3)
@pytest.mark.slow
@pytest.mark.parametrize(("depth", "count"), [(0, 2), (1, 3), (2, 6)])
@pytest.mark.parametrize("own", [True, False], ids=["build_graph", "compiled"])
async def test_a_graph_that_is_called_often_does_a_deed_each_time(
    options: RunOptions, depth: int, count: int, *, own: bool
) -> None:
    """In loops of loops no two deeds are taken for one, and none is repeated after a pause."""
    book = Book()
    builder = nested_twice(book, depth=depth)
    team = team_of(builder.compile())
    if own:
        members = [OfGraph(builder)]
        team = Team(name="office", description="…", members=members, router=EachOnceRouter())
    run = await run_team(team.assembled, TASK, options)
    asked = 0
    while run.interrupts:  # whether to pay the same once more, and last whether to go on
        asked += 1
        assert len(book.paid) == len(set(book.keys)) == min(asked, count), (count, run)
        run = await decided(run, yes_to(run), team, options)

    assert asked == count
    assert without_effects(run.answer).count("paid 5") == count, run
    assert len(run.effects) == len(book.paid) == count


@pytest.mark.slow
async def test_a_retry_inside_an_inner_graph_repeats_no_deed(options: RunOptions) -> None:
    """Its first deed is found again; the others are deeds of their own."""
    book = Book()
    retry = RetryPolicy(initial_interval=0.0, jitter=False, retry_on=ConnectionError)
    team = team_of(nested_twice(book, depth=1, retry=retry).compile())
    run = await run_team(team.assembled, TASK, options)
    while run.interrupts and run.interrupts[0].kind == "tool":
        run = await decided(run, yes_to(run), team, options)

    assert run.status == "needs_human", run
    assert len(book.paid) == len(set(book.keys)) == 3


async def test_tools_side_by_side_in_one_step_are_told_apart(options: RunOptions) -> None:
    """A graph with a ToolNode of its own: OS threads, in another order than that of the calls."""
    book, turn = Book(), threading.Event()
    order: list[int] = []

    @tool
    def pay(cents: int) -> str:
        """Pay, the second call before the first."""
        if cents == 1:
            turn.wait(60)
        order.append(cents)
        said = paid(cents)
        turn.set()
        return said

    paid = effect("once")(book.pay)

    def begin(_: Any) -> Any:
        return {"messages": [calls(("pay", {"cents": 1}), ("pay", {"cents": 2}))]}

    tools = ToolNode([pay])

    async def act(state: Any) -> Any:
        found = await tools.ainvoke(state)
        interrupt("go on?")
        return found

    builder: Any = StateGraph(MessagesState)
    builder.add_sequence([begin, act])
    builder.add_edge(START, "begin")
    team = team_of(builder.compile())
    run = await run_team(team.assembled, TASK, options)
    assert run.status == "needs_human", run
    assert order == [2, 1]
    run = await decided(run, {"type": "respond", "message": "yes"}, team, options)

    assert run.status == "ok", run
    assert sorted(book.paid) == [1, 2]


def to_payer(words: str) -> Decision:
    """Return the decision that the payer is asked for `words`."""
    return Decision(goals=(Goal(member="payer", request=words),), router="scripted")


async def test_a_worker_that_is_called_twice_in_a_run_pays_twice(options: RunOptions) -> None:
    """Its second call is another one: `…#2`. A question in it repeats neither payment."""
    book = Book()
    pay = effect("once")(book.pay)

    def work(given: Any) -> dict[str, str]:
        said = pay(5 if given.request == "pay May" else 6)
        return {"summary": f"{said}, {interrupt('go on?')}" if len(book.paid) > 1 else said}

    team = Team(
        name="office",
        description="…",
        members=[StubAgent("payer", behave=work)],
        router=ScriptedRouter(*(to_payer(words) for words in ("pay May", "pay June"))),
    )
    run = await run_team(team.assembled, TASK, options)
    run = await decided(run, {"type": "respond", "message": "yes"}, team, options)

    assert [hop.path for hop in run.hops] == ["office/payer", "office/payer#2"], run
    assert [(each.path, each.arguments) for each in run.effects] == [
        ("office/payer", {"cents": 5}),
        ("office/payer#2", {"cents": 6}),
    ]
    assert len(book.paid) == len(set(book.keys)) == 2


async def test_a_deed_inside_a_deed_is_not_done_again(options: RunOptions) -> None:
    """Nor does it take the number of the one after it."""
    book = Book()
    pay = effect("once")(book.pay)

    @effect("keyed")
    def settle(cents: int) -> str:
        return f"settled: {pay(cents)}, {pay(cents + 1)}"

    def work(_: Any) -> dict[str, str]:
        first, second = settle(5), pay(7)
        return {"summary": f"{first}, {second}, {interrupt('go on?')}, {pay(8)}"}

    team = Team(
        name="office",
        description="…",
        members=[StubAgent("payer", behave=work)],
        router=EachOnceRouter(),
    )
    run = await run_team(team.assembled, TASK, options)
    run = await decided(run, {"type": "respond", "message": "yes"}, team, options)

    assert without_effects(run.answer) == "settled: paid 5, paid 6, paid 7, yes, paid 8", run
    assert book.paid == [5, 6, 7, 8]


@pytest.mark.slow
@given(st.lists(st.integers(0, 2), max_size=12), st.data())
def test_deeds_are_known_again_in_any_order(deeds: list[int], data: st.DataObject) -> None:
    """No two in one attempt share a number, and a repetition finds each where it was."""
    kept: dict[int, str] = {}
    for order in (deeds, data.draw(st.permutations(deeds)), deeds):
        numbering, found = Numbering(), dict[int, str]()
        for deed in map(str, order):
            number = numbering.next("place", deed, dict(kept) | found)
            assert number not in found
            found[number] = deed
            if data.draw(st.booleans()):
                numbering.note_failure("place", number)
                assert numbering.next("place", deed, dict(kept) | found) == number
        assert kept in ({}, found)
        kept = found
