"""A turn of a thread in which a worker waits for a person: it answers, asks back or runs beside."""

from pathlib import Path
from typing import Any

import pytest
from ledger import Store, rows, said

from minerva_platform import Run, Task, Team
from minerva_platform.durable.incoming_request import ask_team
from minerva_platform.durable.run_continuation import advance
from minerva_platform.people.ask_person import ask_decision
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.ledger.decisions import decide
from minerva_platform.storage.ledger.schema import runs
from minerva_platform.testing import EachOnceRouter, StubAgent

ASKS = "pay the invoice of Kim"


class Office:
    """A team whose worker asks whether it may pay, if it is asked to pay."""

    def __init__(self, engine: Any, home: Path) -> None:
        self.paid = 0
        worker = StubAgent("pays", behave=self.work)
        self.team = Team(name="office", description="…", members=[worker], router=EachOnceRouter())
        self.options = RunOptions(engine=engine, home=home, thread_id="t")

    def work(self, given: Any) -> dict[str, str]:
        """Ask about a payment; do anything else at once."""
        if given.request != ASKS:
            return {"summary": f"did: {given.request}"}
        decision = ask_decision(
            {
                "kind": "question",
                "text": "May I pay?",
                "tool": "pay",
                "arguments": {"to": "Kim", "amount": 10},
                "allowed": ["approve", "reject"],
            }
        )
        self.paid += decision["type"] == "approve"
        return {"summary": f"decided: {decision['type']}"}

    async def ask(self, request: str) -> Run:
        """Ask in the thread."""
        return await ask_team(
            self.team.assembled, Task(request=request, context=request), self.options
        )


@pytest.mark.small(2)
@pytest.mark.parametrize(
    ("reply", "decided", "paid"),
    [("네, 진행해 주세요", "approve", 1), ("no", "reject", 0)],
)
async def test_a_plain_yes_or_no_resumes_the_run_that_waits(
    store: Store, minerva_home: Path, reply: str, decided: str, paid: int
) -> None:
    """It is no run and no turn of its own; the one that waited ends."""
    with store.opened() as engine:
        office = Office(engine, minerva_home)
        waiting = await office.ask(ASKS)
        assert waiting.status == "needs_human"

        run = await office.ask(reply)

        assert (run.run_id, run.status, run.answer) == (waiting.run_id, "ok", f"decided: {decided}")
        assert office.paid == paid
        assert said(engine) == [(1, ASKS)]
        assert (await office.ask("thanks")).reason == "small_talk"


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.parametrize("reply", ["yes, but only 5", "thanks", "to Lee"])
async def test_an_unclear_reply_asks_back_and_decides_nothing(
    store: Store, minerva_home: Path, reply: str
) -> None:
    """Nothing is small talk while a question waits, and nothing is done on a guess."""
    with store.opened() as engine:
        office = Office(engine, minerva_home)
        waiting = await office.ask(ASKS)

        back = await office.ask(reply)

        assert (back.status, back.reason, back.hops) == ("ok", "asked_back", ())
        assert f"minerva approve {waiting.run_id[:8]} " in back.answer
        assert office.paid == 0
        assert (await office.ask("yes")).run_id == waiting.run_id
        assert office.paid == 1


@pytest.mark.small(1)
async def test_a_new_request_runs_beside_the_question(store: Store, minerva_home: Path) -> None:
    """Two questions wait then, if it asks, too; a yes is about neither of them."""
    with store.opened() as engine:
        office = Office(engine, minerva_home)
        first = await office.ask(ASKS)
        beside = await office.ask("which tables hold phone numbers?")
        assert (beside.status, beside.answer) == ("ok", "did: which tables hold phone numbers?")

        second = await ask_team(
            office.team.assembled,
            Task(request=ASKS, context=ASKS, members=("pays",)),
            office.options,
        )
        assert second.status == "needs_human"
        back = await office.ask("yes")
        assert (back.reason, office.paid) == ("asked_back", 0)
        assert first.run_id[:8] in back.answer
        assert second.run_id[:8] in back.answer

        decide(engine, second.run_id, {second.interrupts[0].id: "reject"}, by="ann")
        assert (await advance(office.team.assembled, second.run_id, office.options)).status == "ok"
        assert (await office.ask("yes")).run_id == first.run_id
        assert office.paid == 1
        assert {status for (status,) in rows(engine, runs.c.status)} == {"ok"}
