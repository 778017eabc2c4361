"""Runs that were put into a thread's queue: its next messages ask about them, and stop them."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from ledger import rows

from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    Model,
    Platform,
    Run,
    Task,
    Team,
    agent,
)
from minerva_platform.config.limits import RunLimits
from minerva_platform.contract.askable import build_task
from minerva_platform.durable.incoming_request import ask_team, decided_by
from minerva_platform.engine import assembled_team
from minerva_platform.errors import ThreadBusyError, UnknownThreadError
from minerva_platform.models import ModelSpec
from minerva_platform.people.ask_person import ask_approval
from minerva_platform.routing import Tools
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.run_start import NewRun, enqueue, taken_up
from minerva_platform.storage.ledger.schema import runs
from minerva_platform.testing import Reply, scripted_openai_server

CHECK = ("check the contract", "please check contracts", "계약서 점검", "계약서를 점검해줘")
PAY = ("pay the bill", "pay a bill now", "청구서 지급", "청구서를 지급해줘")


class Checker(BaseAgent[AgentInput, AgentOutput]):
    """Checks contracts, as long as it is held."""

    name = "checker"
    description = "Checks contracts."
    examples = CHECK

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.begun, self.goes_on = asyncio.Event(), asyncio.Event()
        self.goes_on.set()

    async def work(self, given: AgentInput) -> AgentOutput:
        """Check."""
        self.calls.append(given.request)
        self.begun.set()
        await self.goes_on.wait()
        return AgentOutput(summary=f"3 faults: {given.request}")


@agent(examples=PAY)
def payer(request: str) -> str:
    """Pays bills, if a person lets it."""
    ask_approval("Pay?", tool="pay", arguments={"bill": request})
    return "paid"


class Office:
    """A platform with a queue, and the process that works it off."""

    def __init__(self, home: Path) -> None:
        self.checker = Checker()
        members = (self.checker, payer)
        team = Team(name="office", description="Contracts and bills.", members=members)
        self.app = Platform(teams=[team], home=home)

    async def submit(self, words: str) -> str:
        """Put a request into the queue of the thread."""
        return (await self.app.asubmit(words, thread="t")).run_id

    async def ask(self, words: str) -> Run:
        """Ask in the thread."""
        return await self.app.aask(words, thread="t")

    async def work(self) -> None:
        """Work off the queue."""
        async with self.app.worker_process() as process:
            await process.work(until_empty=True)

    async def at_work(self, then: Callable[[], Awaitable[Run]]) -> Run:
        """Return what `then` gives while the queue's run is at work."""
        self.checker.goes_on.clear()
        working = asyncio.create_task(self.work())
        await self.checker.begun.wait()
        try:
            return await asyncio.wait_for(then(), 60)
        finally:
            self.checker.goes_on.set()
            await working

    def status(self, run_id: str) -> str:
        """Return how a run is."""
        return self.app.find(run_id).status


@pytest.fixture
def office(minerva_home: Path) -> Office:
    """Give an office."""
    return Office(minerva_home)


@pytest.mark.parametrize(
    ("request_", "words"),
    [("check the contract", "what came out?"), ("계약서 점검", "결과 뭐 나왔어?")],
)
async def test_what_came_of_a_run_of_the_queue_is_told_and_not_done_again(
    office: Office, request_: str, words: str
) -> None:
    """The answer is the run's own, also after other words."""
    run_id = await office.submit(request_)
    await office.work()
    first = await office.ask(words)
    again = await office.ask(words)

    assert office.checker.calls == [request_]
    for run in (first, again):
        assert (run.reason, run_id[:8] in run.answer) == ("about", True)
        assert f"3 faults: {request_}" in run.answer
    assert first.notices == ()


@pytest.mark.parametrize(
    "words",
    [
        "what does it say?",
        "그거 뭐라고 나와요?",
        "최종 보고서를 보여주시면 감사하겠습니다",
        "몇 군데서 쓰고 있대?",
    ],
)
async def test_a_question_that_names_nothing_is_about_the_run_that_was_just_started(
    office: Office, words: str
) -> None:
    """Nothing else was said that it could mean; after another answer it can."""
    await office.submit("check the contract")
    await office.work()
    told = await office.ask(words)
    await office.ask("pay the bill")
    await office.ask("no")
    later = await office.ask(words)

    assert "3 faults: check the contract" in told.answer
    assert later.reason != "about"


@pytest.mark.parametrize(
    ("request_", "words"), [("check the contract", "stop it"), ("계약서 점검", "그거 취소해")]
)
async def test_a_run_that_waits_in_the_queue_is_stopped(
    office: Office, request_: str, words: str
) -> None:
    """Nothing of it is done."""
    run_id = await office.submit(request_)
    waits = await office.ask("is it done?")
    told = await office.ask(words)
    await office.work()

    assert "it waits for its turn" in waits.answer
    assert (told.reason, run_id[:8] in told.answer) == ("about", True)
    assert (office.status(run_id), office.checker.calls) == ("cancelled", [])


async def test_a_run_at_work_is_told_of_at_once(office: Office) -> None:
    """It holds the thread, so the answer waits for nothing and is no turn of it."""
    run_id = await office.submit("check the contract")
    told = await office.at_work(lambda: office.ask("is it done?"))
    kept = await office.ask("what came out?")

    assert (told.thread_id, told.reason) == ("t", "about")
    assert "it is still at work" in told.answer
    assert office.status(run_id) == "ok"
    assert "3 faults: check the contract" in kept.answer


async def test_a_run_at_work_is_stopped(office: Office) -> None:
    """By the thread that it holds."""
    run_id = await office.submit("check the contract")
    told = await office.at_work(lambda: office.ask("그거 취소해"))

    assert (told.reason, run_id[:8] in told.answer) == ("about", True)
    assert office.status(run_id) == "cancelled"


async def test_a_tenant_s_run_at_work_is_neither_told_of_nor_stopped(office: Office) -> None:
    """Who knows the id of its thread here is refused, as for every other request."""
    thread = "t~of~acme"
    async with office.app.worker_process() as process:
        task = Task(request="check the contract")
        enqueue(process.engine, NewRun("r", thread, office.app.team.name, task, tenant="acme"))

    async def refuse() -> Run:
        for words in ("is it done?", "stop it"):
            with pytest.raises(UnknownThreadError):
                await office.app.aask(words, thread=thread)
        return office.app.find("r")

    await office.at_work(refuse)

    assert office.status("r") == "ok"


class Reviewer(Checker):
    """Checks contracts in the background."""

    name = "reviewer"
    background = True


async def test_a_model_that_leads_waits_for_the_thread(
    minerva_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its words are a request; no part of it is done beside the run that holds the thread."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with (
        opened_engine(minerva_home / "state.db") as engine,
        scripted_openai_server({"*": Reply(text="no call is expected")}) as server,
    ):
        team = Team(name="desk", description="Contracts.", members=(Reviewer(),), router=Tools())
        team.model = Model(ModelSpec(name="openai:scripted", base_url=server.url))
        enqueue(engine, NewRun("r", "t", "desk", Task(request="check the contract")))
        limits = RunLimits(seconds=1)
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t", limits=limits)
        async with taken_up(engine, "r", seconds=1, moves=lambda *_: True, versions={}):
            with pytest.raises(ThreadBusyError):
                await ask_team(assembled_team(team), Task(request="is it done?"), options)

        assert server.calls == []


async def test_stop_rejects_no_question_while_a_run_may_be_meant(office: Office) -> None:
    """It asks which one; words that name the run stop it, and the question stays open."""
    paying = await office.ask("pay the bill")
    run_id = await office.submit("check the contract")
    back = await office.ask("stop it")
    statuses = office.status(paying.run_id), office.status(run_id)
    await office.ask("stop the contract check")
    stopped = office.status(paying.run_id), office.status(run_id)
    done = await office.ask("stop it")

    assert paying.status == "needs_human"
    assert (back.reason, run_id[:8] in back.answer) == ("asked_back", True)
    assert paying.run_id[:8] in back.answer
    assert statuses == ("needs_human", "queued")
    assert stopped == ("needs_human", "cancelled")
    assert "rejected" in done.answer
    assert done.run_id == paying.run_id


async def test_a_thread_without_such_runs_is_as_before(office: Office) -> None:
    """A run in the foreground was answered at once; its words are no run of the queue."""
    await office.ask("check the contract")
    said = await office.ask("what came out of the contract check?")

    assert said.reason != "about"


async def test_who_asks_by_a_server_is_told_of_the_thread_s_run(office: Office) -> None:
    """There each run is in the queue; the one that only answered a question is none of them."""
    async with office.app.worker_process() as process:
        team = office.app.team
        for number, words in enumerate(["check the contract", "is it done?", "what came out?"]):
            new = NewRun(f"r{number}", "t", team.name, Task(request=words), requester="ann")
            enqueue(process.engine, new)
        await process.work(until_empty=True)
        answer = office.app.find("r2").answer
        said = await decided_by(team, build_task("stop it"), process.engine, "t")
        statuses = dict(rows(process.engine, runs.c.run_id, runs.c.status))

    assert "3 faults: check the contract" in answer
    assert "is it done?" not in answer
    assert said is None
    assert statuses == {"r0": "ok", "r1": "ok", "r2": "ok"}
