"""What nobody decides in time is settled by itself; of approve and cancel the first one wins."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from changing import KIM, SHAPES, WRONG_EDITS, Desk, deed, now
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from ledger import Store
from settling import race, seen, waiting
from sqlalchemy import text

from minerva_platform import Task
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.incoming_request import ask_team, submit_team
from minerva_platform.durable.run_continuation import advance, resume_team
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.errors import (
    AlreadyDecidedError,
    ContractError,
    ExpiredInterruptError,
    InvalidDecisionError,
    UnknownThreadError,
)
from minerva_platform.langgraph import as_graph
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.ledger.decisions import decide, settle_late
from minerva_platform.storage.ledger.questions import decisions_of, open_questions
from minerva_platform.storage.ledger.run_start import NewRun, enqueue
from minerva_platform.storage.queue.background_runs import cancel_run

ITS_TIME = text("UPDATE interrupts SET expires_at = asked")


@pytest.mark.small(2)
@pytest.mark.parametrize("kind", ["approval", "person"])
async def test_a_worker_process_settles_it_once_and_goes_on(
    store: Store, minerva_home: Path, kind: str
) -> None:
    """Two processes look; the run of a command in the foreground goes on there, too."""
    desk = Desk(minerva_home)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await waiting(desk, options, kind=kind, expires_in=3600)
        engine.write(lambda connection: connection.execute(ITS_TIME))
        assert seen(engine, open_questions) == ()

        own = RunOptions(engine=engine, home=minerva_home)
        process = partial(WorkerProcess, lambda _: SHAPES["worker"](desk).assembled, own)
        await asyncio.gather(*(process().work(until_empty=True) for _ in range(2)))
        ended = await advance(SHAPES["worker"](desk).assembled, run.run_id, options)
        settled = [
            (each.by, each.decision["type"])
            for each in seen(engine, decisions_of, run.run_id).values()
        ]
    assert (ended.status, desk.done, settled) == ("failed", [], [("expiry", "reject")])
    assert "Nobody decided in time" in ended.answer


async def test_the_next_request_in_the_thread_settles_it(minerva_home: Path) -> None:
    """A yes that comes too late is no decision, and a worker process has the rest."""
    desk = Desk(minerva_home)
    with Store(minerva_home / "s.db", "", print).opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await waiting(desk, options, expires_in=3600)
        engine.write(lambda connection: connection.execute(ITS_TIME))
        desk.asks()
        after = await ask_team(SHAPES["worker"](desk).assembled, Task(request="yes"), options)
        (settled,) = seen(engine, decisions_of, run.run_id).values()
        row = text("SELECT status, background FROM runs WHERE run_id = :run")
        kept = seen(engine, lambda c: c.execute(row, {"run": run.run_id}).one())
    assert (after.run_id != run.run_id, settled.by) == (True, "expiry")
    assert tuple(kept) == ("queued", 1)


@pytest.mark.small(databases=1)
async def test_what_is_settled_is_settled_once_whoever_looks(
    store: Store, minerva_home: Path
) -> None:
    """Eight look at once, and one decides: there is one decision."""
    desk = Desk(minerva_home)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await waiting(desk, options, expires_in=3600)
        engine.write(lambda connection: connection.execute(ITS_TIME))
        (question,) = run.interrupts

        def late() -> None:
            with pytest.raises(ExpiredInterruptError):
                decide(engine, run.run_id, {question.id: "approve"}, by="ann")

        with ThreadPoolExecutor(4) as pool:
            done = [pool.submit(settle_late, engine) for _ in range(7)] + [pool.submit(late)]
            await asyncio.to_thread(lambda: [each.result() for each in done])
        assert len(seen(engine, decisions_of, run.run_id)) == 1


@pytest.mark.parametrize("seconds", [0, -1.0, 4e7])
def test_a_time_that_is_none_is_refused(tmp_path: Path, seconds: float) -> None:
    """As `ask_person` refuses it."""
    desk = Desk(tmp_path)
    desk.asks(now(KIM, expires_in=seconds))
    with pytest.raises(ContractError, match="`ask_approval`: `expires_in`"):
        desk.work()


@pytest.mark.small(databases=1)
async def test_of_approve_and_cancel_one_wins_and_the_other_is_told(
    store: Store, minerva_home: Path
) -> None:
    """What was approved is done once, what was cancelled never."""
    assert len(await race(store, minerva_home, 3)) == 3


@pytest.mark.small(databases=1)
async def test_who_knows_of_the_approval_may_cancel(store: Store, minerva_home: Path) -> None:
    """And a run that goes on with a rejection is cancelled as any other."""
    desk = Desk(minerva_home)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await waiting(desk, options)
        decide(engine, run.run_id, {run.interrupts[0].id: "approve"}, by="ann")
        with pytest.raises(AlreadyDecidedError):
            cancel_run(engine, run.run_id)
        assert cancel_run(engine, run.run_id, even_decided=True).status == "needs_human"
        assert (
            await advance(SHAPES["worker"](desk).assembled, run.run_id, options)
        ).status == "cancelled"

        run = await waiting(desk, replace(options, thread_id="u"))
        decide(engine, run.run_id, {run.interrupts[0].id: "reject"}, by="ann")
        assert cancel_run(engine, run.run_id).status == "needs_human"
    assert desk.done == []


@pytest.mark.small(databases=1)
@pytest.mark.slow
async def test_a_wrong_edit_is_refused_by_field_and_nothing_is_spent(
    store: Store, minerva_home: Path
) -> None:
    """In Python, for a run in the foreground; the right one is taken then."""
    desk = Desk(minerva_home)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        team = SHAPES["worker"](desk)
        run = await waiting(desk, options, arguments=WRONG_EDITS.arguments)
        (question,) = run.interrupts
        for args, field in WRONG_EDITS.wrong:
            batch = DecisionBatch({question.id: edit(args)})
            with pytest.raises(InvalidDecisionError) as refused:
                await resume_team(team.assembled, run.run_id, batch, options)
            assert field in str(refused.value)
        assert (seen(engine, decisions_of, run.run_id), desk.done) == ({}, [])
        right = {**WRONG_EDITS.arguments, "to": "Lee"}
        await resume_team(
            team.assembled, run.run_id, DecisionBatch({question.id: edit(right)}), options
        )
    assert desk.done == [["pay", right]]


@pytest.mark.slow
def test_a_host_s_wrong_edit_is_asked_again(tmp_path: Path) -> None:
    """With the field; the host's person answers once more."""
    desk = Desk(tmp_path)
    desk.asks(now(KIM, arguments=WRONG_EDITS.arguments))
    graph: Any = as_graph(SHAPES["worker"](desk), checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "host"}}
    graph.invoke({"request": "pay"}, config)
    for args, field in WRONG_EDITS.wrong:
        (again,) = graph.invoke(Command(resume=edit(args)), config)["__interrupt__"]
        assert field in again.value["refused"]
    assert desk.done == []
    graph.invoke(Command(resume=edit({**WRONG_EDITS.arguments, "to": "Lee"})), config)
    assert desk.done == [["pay", {**WRONG_EDITS.arguments, "to": "Lee"}]]


def edit(args: Any) -> dict[str, Any]:
    """Return an edit of the payment."""
    return {"type": "edit", "edited_action": {"name": "pay", "args": args}}


@pytest.mark.small(databases=1)
async def test_a_background_run_is_bound_too(store: Store, minerva_home: Path) -> None:
    """A worker process goes on with it, in the release that is there then."""
    desk = Desk(minerva_home)
    desk.asks(KIM)
    with store.opened() as engine:
        own = RunOptions(engine=engine, home=minerva_home)
        process = partial(WorkerProcess, lambda _: SHAPES["worker"](desk).assembled, own)
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await submit_team(SHAPES["worker"](desk).assembled, Task(request="pay"), options)
        await process().work(until_empty=True)
        for changed in ({"to": "Mallory", "amount": 1}, None):
            (waits,) = seen(engine, open_questions)
            shown, ask = waits.interrupt.arguments, now(KIM, arguments=changed)
            if changed:
                desk.asks(ask)
            decide(engine, run.run_id, {waits.interrupt.id: "approve"}, by="ann", wakes=True)
            await process().work(until_empty=True)
    assert (shown, desk.done) == (ask["arguments"] or shown, [deed(now(KIM, arguments=shown))])


@pytest.mark.parametrize("word", ["yes", "no"])
async def test_words_of_this_machine_decide_nothing_of_a_tenant(
    store: Store, minerva_home: Path, word: str
) -> None:
    """Who knows the name of the thread is refused as for any other request; so is the queue."""
    desk = Desk(minerva_home)
    desk.asks(KIM)
    team = SHAPES["worker"](desk).assembled
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        new = NewRun("of-globex", "t", team.name, Task(request="pay"), tenant="globex")
        enqueue(engine, new)
        run = await advance(team, "of-globex", options)
        assert run.status == "needs_human"
        with pytest.raises(UnknownThreadError):
            await ask_team(team, Task(request=word), options)
        with pytest.raises(UnknownThreadError):
            await submit_team(team, Task(request=word), options)
        assert seen(engine, decisions_of, "of-globex") == {}
    assert desk.done == []
