"""A decision is about what a person saw: what is asked otherwise by then is asked anew."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from changing import CHANGES, KIM, MALLORY, SHAPES, Desk, deed, now, yes_to
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from ledger import Store
from sqlalchemy import text

from minerva_platform import Run, Task, Team, ask_approval
from minerva_platform.contract.decision import DecisionBatch
from minerva_platform.durable.advance import resume_team
from minerva_platform.durable.run import run_team
from minerva_platform.langgraph import GraphInput, GraphOutput, as_graph, as_node
from minerva_platform.runtime.options import RunOptions
from minerva_platform.testing import EachOnceRouter, StubAgent

KINDS = ("approval", "person", "plain")
CASES = [
    (shape, change, kind)
    for (shape, change), kind in zip(
        itertools.product(SHAPES, CHANGES), itertools.cycle(KINDS), strict=False
    )
]
"""Each place, each change; the ways to ask take turns."""


def shaped(desk: Desk, shape: str) -> Team:
    """Return the team as a release has it: nothing is left of the one before."""
    return SHAPES[shape](desk)


async def decided(team: Team, run: Run, options: RunOptions, **decisions: Any) -> Run:
    """Return the run after these decisions about what it shows."""
    shown = {each.id: each.shown_sha256 for each in run.interrupts}
    given = {run.interrupts[int(n[1:])].id: what for n, what in decisions.items()}
    return await resume_team(team, run.run_id, DecisionBatch(given, shown=shown), options)


@pytest.mark.parametrize(("shape", "change", "kind"), CASES)
async def test_what_has_changed_is_asked_anew_and_only_that_is_done(
    minerva_home: Path, shape: str, change: str, kind: str
) -> None:
    """In 40 cases: nothing happens by the first decision; old stands beside new."""
    await changes_between(
        Store(minerva_home / "s.db", "", print), minerva_home, shape, change, kind
    )


@pytest.mark.parametrize("shape", ["worker", "foreign graph"])
async def test_it_is_so_in_both_databases(store: Store, minerva_home: Path, shape: str) -> None:
    """The digest lies beside the decision."""
    await changes_between(store, minerva_home, shape, "arguments", "approval")


async def changes_between(store: Store, home: Path, shape: str, change: str, kind: str) -> None:
    """Change what is asked while a decision is on its way."""
    desk, ask = Desk(home), now(KIM, kind=kind)
    after = CHANGES[change](ask)
    desk.asks(ask)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=home, thread_id="t")
        run = await run_team(shaped(desk, shape), Task(request="pay"), options)
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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", SHAPES)
async def test_what_has_not_changed_is_asked_once_and_done_as_shown(
    minerva_home: Path, shape: str, kind: str
) -> None:
    """Also by another release of the same words, in another process."""
    desk, ask = Desk(minerva_home), now(KIM, kind=kind)
    desk.asks(ask, now(ask, text="And the rest?"))
    with Store(minerva_home / "s.db", "", print).opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await run_team(shaped(desk, shape), Task(request="pay"), options)
        for _ in range(2):
            assert (run.status, len(run.interrupts)) == ("needs_human", 1)
            run = await decided(shaped(desk, shape), run, options, q0=yes_to(ask))
    assert (run.status, desk.done) == ("ok", [deed(ask)] * 2)


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
        run = await run_team(team, Task(request="pay"), options)
        run = await decided(team, run, options, q0=yes_to(ask))
        desk.asks(other, ask)
        run = await decided(team, run, options, q0={"type": "respond", "value": False})
        (again,) = run.interrupts
        assert (again.text, again.earlier and again.earlier["text"]) == (other["text"], ask["text"])
        run = await decided(team, run, options, q0={"type": "respond", "value": False})
        run = await decided(team, run, options, q0=yes_to(ask))
    assert (run.status, desk.done) == ("ok", [deed(ask)])


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
        run = await run_team(team, Task(request="pay"), options)
        run = await decided(team, run, options, q0="approve")
        assert run.status == "needs_human"
        run = await decided(team, run, options, q0="approve")
    assert (run.status, done) == ("failed", [])
    assert "`at` changed" in run.answer
    assert "`to`" not in run.answer


async def test_a_decision_of_the_release_before_is_asked_anew_and_says_why(
    store: Store, minerva_home: Path
) -> None:
    """It kept no digest. What it let happen before stays."""
    desk = Desk(minerva_home)
    desk.asks(KIM, now(KIM, text="And the rest?"))
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        team = shaped(desk, "worker")
        run = await run_team(team, Task(request="pay"), options)
        run = await decided(team, run, options, q0="approve")
        (second,) = run.interrupts
        given = {second.id: "approve"}
        from minerva_platform.storage.interrupts import decide  # noqa: PLC0415

        decide(engine, run.run_id, given, by="ann")
        engine.write(lambda c: c.execute(text("UPDATE decisions SET shown_sha256 = NULL")))

        run = await resume_team(team, run.run_id, DecisionBatch({}), options)
        (again,) = run.interrupts
        assert (run.status, again.id, desk.done) == ("needs_human", f"{second.id}.2", [])
        assert "before MINERVA kept what was shown" in again.refused
        run = await decided(team, run, options, q0="approve")
    assert (run.status, len(desk.done)) == ("ok", 2)


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


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("number", [0, 1])
def test_so_it_is_in_a_host_s_graph(tmp_path: Path, change: str, kind: str, number: int) -> None:
    """The host keeps the state and answers with `Command(resume=…)`, by value or by id."""
    desk, ask, saver = Desk(tmp_path), now(KIM, kind=kind), InMemorySaver()
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
