"""Runs in which what is asked changes between question and answer: the helpers of several tests."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from changing import CHANGES, KIM, SHAPES, Desk, deed, now, yes_to
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from ledger import Store

from minerva_platform import Run, Task, Team
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.langgraph import GraphInput, GraphOutput, as_graph, as_node
from minerva_platform.runtime.run_options import RunOptions

KINDS = ("approval", "person", "plain")


def shaped(desk: Desk, shape: str) -> Team:
    """Return the team as a release has it: nothing is left of the one before."""
    return SHAPES[shape](desk)


async def decided(team: Team, run: Run, options: RunOptions, **decisions: Any) -> Run:
    """Return the run after these decisions about what it shows."""
    shown = {each.id: each.shown_sha256 for each in run.interrupts}
    given = {run.interrupts[int(n[1:])].id: what for n, what in decisions.items()}
    return await resume_team(team.assembled, run.run_id, DecisionBatch(given, shown=shown), options)


async def changes_between(store: Store, home: Path, shape: str, change: str, kind: str) -> None:
    """Change what is asked while a decision is on its way."""
    desk, ask = Desk(home), now(KIM, kind=kind)
    after = CHANGES[change](ask)
    desk.asks(ask)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=home, thread_id="t")
        run = await run_team(shaped(desk, shape).assembled, Task(request="pay"), options)
        (first,) = run.interrupts
        desk.asks(*after)

        run = await decided(shaped(desk, shape), run, options, q0=yes_to(ask))
        assert (run.status, desk.done) == ("needs_human", [])
        (again,) = run.interrupts
        assert again.id == f"{first.id}.2"
        assert again.earlier == {
            "text": first.text,
            "tool": first.tool,
            "arguments": first.arguments,
        }

        for number in range(len(after)):
            assert (run.status, desk.done, len(run.interrupts)) == ("needs_human", [], 1)
            run = await decided(shaped(desk, shape), run, options, q0=yes_to(after[number]))
    assert (run.status, desk.done) == ("ok", [deed(each) for each in after])


async def asked_once(store: Store, home: Path, shape: str, kind: str) -> None:
    """Let two questions that do not change happen: each is asked once, and done as shown."""
    desk, ask = Desk(home), now(KIM, kind=kind)
    desk.asks(ask, now(ask, text="And the rest?"))
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=home, thread_id="t")
        run = await run_team(shaped(desk, shape).assembled, Task(request="pay"), options)
        for _ in range(2):
            assert (run.status, len(run.interrupts)) == ("needs_human", 1)
            run = await decided(shaped(desk, shape), run, options, q0=yes_to(ask))
    assert (run.status, desk.done) == ("ok", [deed(ask)] * 2)


def hosts(team: Team, saver: Any) -> Iterator[Any]:
    """Yield the graphs of a host around a team."""
    yield as_graph(team, checkpointer=saver)

    class State(GraphInput, GraphOutput):
        pass

    builder: Any = StateGraph(State)
    builder.add_node("team", as_node(team))
    builder.add_edge(START, "team")
    outer: Any = StateGraph(State)
    outer.add_node("inner", builder.compile())
    outer.add_edge(START, "inner")
    yield outer.compile(checkpointer=saver)


def changes_in_host(home: Path, number: int, change: str, kind: str) -> None:
    """Change what is asked while a host's graph has the answer."""
    desk, ask, saver = Desk(home), now(KIM, kind=kind), InMemorySaver()
    after, config = CHANGES[change](ask), {"configurable": {"thread_id": "host"}}

    def invoke(given: Any) -> Any:
        host: Any = list(hosts(shaped(desk, "worker"), saver))[number]
        return host.invoke(given, config)

    desk.asks(ask)
    (pause,) = invoke({"request": "pay"})["__interrupt__"]
    desk.asks(*after)
    (pause,) = invoke(Command(resume=True if number else {pause.id: True}))["__interrupt__"]
    assert pause.value["minerva.earlier"]["text"] == ask["text"]
    assert desk.done == []

    states = [invoke(Command(resume=True)) for _ in after]
    assert "__interrupt__" not in states[-1]
    assert desk.done == [deed(each) for each in after]
