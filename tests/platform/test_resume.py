"""A run that waits for a person, or was cut off, goes on by its id."""

from pathlib import Path
from typing import Any

import pytest
from langgraph.types import interrupt
from ledger import Store, said

from minerva_observability import MemorySink
from minerva_platform import Task, Team, agent
from minerva_platform.contract.decision import DecisionBatch
from minerva_platform.durable.advance import advance, resume_team
from minerva_platform.durable.run import run_team
from minerva_platform.runtime.options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.testing import EachOnceRouter, StubAgent


def asker(name: str, times: int = 1) -> StubAgent:
    """Return a worker that asks a person some times and says what it heard."""

    def ask(_: Any) -> dict[str, str]:
        heard = [interrupt(f"{name} asks {number}") for number in range(times)]
        return {"summary": f"{name} heard {heard}"}

    return StubAgent(name, behave=ask)


def office(*members: Any) -> Team:
    """Return a team that calls each member once, all at once."""
    return Team(name="office", description="…", members=members, router=EachOnceRouter())


async def test_a_run_goes_on_where_it_waited(store: Store, minerva_home: Path) -> None:
    """Its answer, hops and turn hold what was done before and after, once."""
    waits, beside = asker("waits"), StubAgent("beside")
    team = office(waits, beside)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        paused = await run_team(team, Task(request="list the orders"), options)

        (question,) = paused.interrupts
        assert (paused.status, question.path) == ("needs_human", "office/waits")
        assert paused.answer == "beside answered"

        answer = {question.id: {"type": "respond", "message": "yes"}}
        run = await resume_team(team, paused.run_id, DecisionBatch(answer), options)

        assert (run.status, run.run_id, run.thread_id) == ("ok", paused.run_id, "t")
        assert sorted(hop.path for hop in run.hops) == ["office/beside", "office/waits"]
        assert "beside answered" in run.answer
        assert len(beside.calls) == 1
        assert said(engine) == [(1, "list the orders")]
        assert await advance(team, run.run_id, options) == run


async def test_questions_and_decisions_are_recorded_beside_the_work(
    store: Store, minerva_home: Path
) -> None:
    """Who asked and what was decided by whom; a question that is still open is not told twice."""
    sink = MemorySink()
    with store.opened() as engine:
        options = RunOptions(recorder=sink, engine=engine, home=minerva_home, thread_id="t")
        team = office(asker("first"), asker("second"))
        paused = await run_team(team, Task(request="list the orders"), options)
        for question in paused.interrupts:
            answer = {question.id: {"type": "respond", "message": "a secret word"}}
            run = await resume_team(team, paused.run_id, DecisionBatch(answer, "kim"), options)

    assert run.status == "ok"
    told = [row for row in sink.records if row.kind in {"pause", "decision"}]
    assert [(row.kind, row.resume_no) for row in told] == [
        *[("pause", None)] * 2,
        *[("decision", 1), ("decision", 2)],
    ]
    ids = [question.id for question in paused.interrupts]
    assert [row.interrupt_id for row in told] == [*ids, *ids]
    assert {row.path for row in told} == {"office/first", "office/second"}
    assert [row.decision for row in told[2:]] == [{"type": "respond", "by": "kim"}] * 2
    assert all(row.waited_ms is not None and row.waited_ms >= 0 for row in told[2:])
    assert {row.resume_no for row in sink.records} == {None, 1, 2}
    assert {row.run_id for row in sink.records} == {run.run_id}
    assert "secret" not in str([row.to_json_dict() for row in sink.records])


async def test_nothing_is_said_of_the_classes_of_a_worker_of_one_step(
    minerva_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its state holds its Input, which LangGraph reads back only where its graph is known."""

    @agent(examples=["pay"])
    def payer(request: str) -> str:
        """Pays."""
        return f"{request}: {interrupt('pay?')}"

    team = office(payer)
    with opened_engine(minerva_home / "state.db") as engine:
        options = RunOptions(engine=engine, home=minerva_home)
        paused = await run_team(team, Task(request="pay it"), options)
        answer = {paused.interrupts[0].id: {"type": "respond", "message": "yes"}}
        run = await resume_team(team, paused.run_id, DecisionBatch(answer), options)

    assert run.answer == "pay it: yes"
    assert "Blocked" not in caplog.text
