"""What a run did to the world is told, and a second one to the same target asks a person first."""

import json
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.tools import tool
from ledger import Store, sqlite_store
from sqlalchemy import update

from minerva_observability import MemorySink
from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    ContractError,
    EffectNotDoneError,
    RejectedError,
    Run,
    Task,
    Team,
    effect,
)
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.background.member_runs import own_run_id
from minerva_platform.durable.events import record_to_events
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.langgraph import ToolAgent
from minerva_platform.models.model import Model
from minerva_platform.routing import Tools
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.ledger.schema import effects
from minerva_platform.testing import (
    EachOnceRouter,
    Fault,
    ModelCall,
    Reply,
    ScriptedRouter,
    StubAgent,
    scripted_openai_server,
)

SAID = {"en": "pay invoice 3", "ko": "3번 송장 결제해줘"}
KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz012345"
"""A secret as it looks."""
PAY_EXAMPLES = ("pay invoice 7", "pay the bill of Kim", "7번 송장 결제해줘", "청구서 결제해줘")


class Bank:
    """What was paid, and how: by `once` unless a test says otherwise."""

    def __init__(self, kind: Any = "once", target: Any = ("invoice",)) -> None:
        self.paid: list[tuple[int, str]] = []
        self.error: Exception | None = None
        self.refused: list[RejectedError] = []

        @effect(kind, target=target)
        def pay(invoice: int, note: str = "") -> str:
            if isinstance(self.error, EffectNotDoneError):
                raise self.error
            self.paid.append((invoice, note))
            if self.error is not None:
                raise self.error
            return f"paid {invoice}"

        self.pay = pay

    def worker(self, *notes: str, invoice: int = 3, then: str = "", **named: Any) -> StubAgent:
        """Return a worker that pays an invoice, once with each note, and fails `then`."""

        def work(_: Any) -> dict[str, str]:
            try:
                told = [self.pay(invoice, note) for note in notes or ("",)]
            except RejectedError as error:
                self.refused.append(error)
                return {"summary": "left it"}
            if then:
                raise RuntimeError(then)
            return {"summary": ", ".join(told)}

        worker = StubAgent("payer", behave=work, **named)
        worker.examples = PAY_EXAMPLES
        return worker


def office(*members: BaseAgent[Any, Any], router: Any = None, **named: Any) -> Team:
    """Return a team that asks each member once."""
    by = router or EachOnceRouter()
    return Team(name="office", description="…", members=members, router=by, **named)


class Asked:
    """A database, and the runs of a team in its threads."""

    def __init__(self, options: Callable[[str], RunOptions]) -> None:
        self.options = options

    async def ask(self, team: Team, words: str = SAID["en"], thread: str = "t") -> Run:
        """Ask a team in a thread."""
        return await run_team(team.assembled, Task(request=words), self.options(thread))

    async def decide(self, run: Run, kind: str, team: Team, **more: str) -> Run:
        """Decide about the one question of a run, and move it on."""
        (question,) = run.interrupts
        batch = DecisionBatch({question.id: {"type": kind, **more}})
        return await resume_team(team.assembled, run.run_id, batch, self.options(run.thread_id))

    def forget(self, **values: Any) -> None:
        """Overwrite columns of all effects."""
        engine = self.options("t").engine
        assert engine is not None
        engine.write(lambda c: c.execute(update(effects).values(**values)))


@pytest.fixture
def desk(minerva_home: Path) -> Generator[Asked]:
    """Give a database on SQLite."""
    minerva_home.mkdir()
    with sqlite_store(minerva_home) as store, store.opened() as engine:
        yield Asked(lambda t: RunOptions(engine=engine, home=minerva_home, thread_id=t))


@pytest.fixture
def each_desk(store: Store, minerva_home: Path) -> Generator[Asked]:
    """Give a database of each kind."""
    with store.opened() as engine:
        yield Asked(lambda t: RunOptions(engine=engine, home=minerva_home, thread_id=t))


@pytest.mark.small(databases=1)
@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "Done: `pay` (invoice: 3). Then it failed. What was done is not done again."),
        ("ko", "한 일: `pay` (invoice: 3). 그다음에 실패했으며, 이 일은 다시 하지 않습니다."),
    ],
)
async def test_what_a_worker_did_before_it_failed_comes_first(
    each_desk: Asked, language: str, told: str
) -> None:
    """In answer, run, records and events alike; nobody else does it for the worker."""
    bank, sink = Bank(), MemorySink()
    stand_in = StubAgent("stand_in")
    team = office(
        bank.worker("May", then="the printer burns"),
        stand_in,
        router=ScriptedRouter("payer"),
        substitutes={"payer": "stand_in"},
    )
    options = replace(each_desk.options("t"), recorder=sink)
    run = await run_team(team.assembled, Task(request=SAID[language]), options)

    (done,) = run.effects
    assert (done.name, done.outcome, done.path) == ("pay", "done", "office/payer")
    assert (done.arguments, done.target) == ({"invoice": 3, "note": "May"}, ("invoice",))
    assert (done.run_id, bool(done.key), done.at > 1_700_000_000) == (run.run_id, True, True)
    assert run.answer.startswith(told), run.answer
    (entry,) = run.bypassed
    assert (stand_in.calls, entry.action, "the printer burns" in entry.cause) == (
        [],
        "stopped",
        True,
    )
    kept = {"name": "pay", "key": done.key, "outcome": "done"}
    (row,) = [each for each in sink.records if each.kind == "agent"]
    assert (row.action, row.decision) == ("bypassed", {"effects": [kept]})
    (event, *_) = record_to_events(row, {"office"})
    assert (event.type, event.path, event.data) == ("effect", "office/payer", kept)
    assert run.to_json_dict()["effects"][0]["arguments"] == {"invoice": 3, "note": "May"}


async def test_a_substitute_still_works_for_one_that_did_nothing(desk: Asked) -> None:
    """What certainly did not happen keeps nobody from doing it."""
    bank = Bank()
    bank.error = EffectNotDoneError("the bank is shut")
    stand_in = StubAgent("stand_in")
    team = office(
        bank.worker(),
        stand_in,
        router=ScriptedRouter("payer"),
        substitutes={"payer": "stand_in"},
    )
    run = await desk.ask(team)

    assert [each.outcome for each in run.effects] == ["failed"]
    assert len(stand_in.calls) == 1
    assert run.answer.startswith("Not done: `pay` (invoice: 3).")


# A model that leads


def model_at(url: str) -> Model:
    """Return the scripted model."""
    return Model(ModelSpec(name="openai:scripted", base_url=url, timeout=10.0))


def led(url: str, *members: BaseAgent[Any, Any]) -> Team:
    """Return a team that a model leads; without it, the examples do."""
    team = office(*members, router=Tools())
    team.model = model_at(url)
    team.assembled.prepare()
    return team


def results_in(call: ModelCall) -> list[dict[str, Any]]:
    """Return what the model was told of the members' answers."""
    return [json.loads(each["content"]) for each in call.messages if each["role"] == "tool"]


@pytest.mark.usefixtures("fresh_models")
async def test_a_model_reads_what_a_failed_member_did(desk: Asked) -> None:
    """The same words again are skipped; without a model the examples do not call it either."""
    bank = Bank()
    worker = bank.worker(then="the printer burns")
    again = Reply(tool_calls=[("payer", {"request": "pay invoice 3"})])
    with scripted_openai_server([again, again, *[Fault("server_error")] * 9]) as server:
        run = await desk.ask(led(server.url, worker, StubAgent("clerk")))

    done = {"name": "pay", "arguments": {"invoice": 3, "note": ""}, "outcome": "done"}
    second, third = map(results_in, server.calls[1:3])
    assert second[0]["effects"] == [done]
    assert "let nobody do it again" in server.calls[1].prompt
    assert "has done something already" in third[1]["cause"]
    assert (len(worker.calls), len(bank.paid)) == (1, 1)
    assert {hop.path: hop.status for hop in run.hops}["office/payer"] == "failed"
    assert run.answer.startswith("Done: `pay` (invoice: 3). Then it failed."), run.answer
    assert [each.outcome for each in run.effects] == ["done"]


@pytest.mark.usefixtures("fresh_models")
async def test_a_model_may_give_a_failed_member_other_work(desk: Asked) -> None:
    """Other words are another part; a guard below looks at the target."""
    bank = Bank()
    worker = bank.worker(then="the printer burns")
    first, other = (
        Reply(tool_calls=[("payer", {"request": words})]) for words in ("pay 3", "pay 4")
    )
    with scripted_openai_server([first, other, Reply(text="Both.")]) as server:
        run = await desk.ask(led(server.url, worker, StubAgent("clerk")))

    assert (len(worker.calls), len(bank.paid)) == (2, 1)
    (question,) = run.interrupts
    assert (question.kind, question.tool) == ("tool", "pay")


@pytest.mark.usefixtures("fresh_models")
async def test_approved_calls_are_told_though_the_model_is_gone(desk: Asked) -> None:
    """Two payments that a person approved, and then nobody who would say a word about them."""
    bank = Bank()

    class Payer(ToolAgent):
        name = "payer"
        description = "Pays."
        examples = PAY_EXAMPLES
        tools = (tool(bank.pay, description="Pay an invoice."),)
        instructions = "You pay."
        review = ("pay",)

    both = Reply(tool_calls=[("pay", {"invoice": n}) for n in (3, 4)])
    with scripted_openai_server([both, *[Fault("server_error")] * 9]) as server:
        payer = Payer()
        payer.model = model_at(server.url)
        team = office(payer)
        run = await desk.ask(team)
        batch = DecisionBatch({each.id: {"type": "approve"} for each in run.interrupts})
        run = await resume_team(team.assembled, run.run_id, batch, desk.options("t"))

    assert sorted(bank.paid) == [(3, ""), (4, "")]
    assert run.status == "failed"
    assert sorted(each.arguments["invoice"] for each in run.effects) == [3, 4]
    assert "`pay` (invoice: 3)" in run.answer.splitlines()[0]
    assert "`pay` (invoice: 4)" in run.answer.splitlines()[0]


# Secrets


class WithPin(AgentInput):
    """What a worker gets that knows a person's number."""

    pin: str = "0000"


class Keeper(BaseAgent[WithPin, AgentOutput]):
    """Calls a service with a key and with a number of the person."""

    name = "keeper"
    description = "Opens doors."
    examples = ("open the door",)
    sensitive = ("pin",)

    def work(self, given: WithPin) -> AgentOutput:
        """Open it, and fail with all that was given."""
        unlock("north", KEY, given.pin)
        message = f"the door is stuck: {KEY} {given.pin}"
        raise RuntimeError(message)


@effect("once")
def unlock(door: str, key: str, pin: str) -> str:
    """Open a door."""
    return f"{door} {key} {pin}"


@pytest.mark.small(databases=1)
async def test_secrets_among_the_arguments_are_told_to_nobody(each_desk: Asked) -> None:
    """Neither what looks like one, nor what the worker declares; a question shows no more."""
    sink, team = MemorySink(), office(Keeper())
    options = replace(each_desk.options("t"), recorder=sink)
    task = Task(request="open the door", fields={"pin": "naranja-77"})
    run = await run_team(team.assembled, task, options)
    told = await each_desk.ask(team, "did you open the door?")
    twin = await run_team(team.assembled, task.model_copy(update={"members": ("keeper",)}), options)

    (done,) = run.effects
    assert done.arguments["door"] == "north"
    events = [
        event.model_dump_json() for row in sink.records for event in record_to_events(row, ())
    ]
    seen = [run.model_dump_json(), told.model_dump_json(), twin.interrupts[0].text, *events]
    seen += [repr(row) for row in sink.records]
    assert "door: north" in run.answer
    assert "door: north" in told.answer
    for text in seen:
        assert KEY not in text
        assert "naranja-77" not in text


# A second one


@pytest.mark.small(databases=1)
async def test_a_second_effect_of_the_same_target_asks_in_the_same_run(each_desk: Asked) -> None:
    """Whatever its other arguments; approved it is done once more."""
    bank = Bank()
    team = office(bank.worker("May", "once more"))
    run = await each_desk.ask(team)

    (question,) = run.interrupts
    assert (question.kind, question.tool) == ("tool", "pay")
    assert question.arguments == {"invoice": 3, "note": "once more"}
    assert question.allowed == ("approve", "reject")
    assert "`pay` (invoice: 3) was done at 20" in question.text
    assert bank.paid == [(3, "May")]
    run = await each_desk.decide(run, "approve", team)

    assert (run.status, bank.paid) == ("ok", [(3, "May"), (3, "once more")])
    assert [each.outcome for each in run.effects] == ["done", "done"]


@pytest.mark.small(databases=1)
async def test_a_rejected_second_effect_is_an_error_in_its_worker(each_desk: Asked) -> None:
    """With what the person said."""
    bank = Bank()
    team = office(bank.worker("May", "once more"))
    run = await each_desk.ask(team)
    run = await each_desk.decide(run, "reject", team, message="once is enough")

    (refused,) = bank.refused
    assert "once is enough" in str(refused)
    assert (run.status, bank.paid) == ("ok", [(3, "May")])


@pytest.mark.small(3)
@pytest.mark.parametrize(
    ("kind", "target", "notes", "asks"),
    [
        ("once", "note", ("May", "June"), False),
        ("once", ("invoice", "note"), ("May", "June"), False),
        ("once", (), ("May", "June"), False),
        ("once", (), ("May", "May"), True),
        ("keyed", "invoice", ("May", "June"), True),
        ("idempotent", "invoice", ("May", "May"), False),
    ],
)
async def test_the_target_says_what_is_the_same(
    desk: Asked, kind: str, target: Any, notes: tuple[str, str], *, asks: bool
) -> None:
    """Without one all arguments do; what is idempotent never asks."""
    bank = Bank(kind, target)
    run = await desk.ask(office(bank.worker(*notes)))

    assert bool(run.interrupts) == asks
    assert len(bank.paid) == 2 - asks


@pytest.mark.parametrize("target", ["bill", ("invoice", "bill")])
def test_a_target_without_such_an_argument_is_refused(target: Any) -> None:
    """With the names that there are."""
    with pytest.raises(ContractError, match="`pay` has no such argument; it has: invoice, note"):
        Bank(target=target)


async def test_what_did_not_happen_is_no_first_one(desk: Asked) -> None:
    """Unless nobody knows whether it did: then the question says so."""
    bank = Bank()
    team = office(bank.worker())
    bank.error = EffectNotDoneError()
    await desk.ask(team)
    bank.error = ConnectionError("the line is cut")
    lost = await desk.ask(team)
    bank.error = None
    run = await desk.ask(team)

    assert [each.outcome for each in lost.effects] == ["unknown"]
    assert "Nobody knows whether it was done: `pay` (invoice: 3)." in lost.answer
    assert len(bank.paid) == 1
    (question,) = run.interrupts
    assert question.kind == "tool"
    assert "was begun at" in question.text
    assert "nobody knows whether it happened" in question.text


# Across turns, runs and versions


@pytest.mark.small(databases=1)
async def test_a_later_turn_asks_and_another_thread_does_not(each_desk: Asked) -> None:
    """A router that knows nothing of conversations called the worker; the guard lies below."""
    bank = Bank()
    team = office(bank.worker())
    first = await each_desk.ask(team)
    other = await each_desk.ask(team, thread="u")
    run = await run_team(  # as an API says it: these members, whatever the words
        team.assembled, Task(request="settle it", members=("payer",)), each_desk.options("t")
    )

    assert [each.status for each in (first, other)] == ["ok", "ok"]
    assert len(bank.paid) == 2
    assert run.interrupts[0].kind == "tool"
    await each_desk.decide(run, "reject", team)
    assert len(bank.paid) == 2


@pytest.mark.small(databases=1)
async def test_a_later_turn_asks_of_what_an_earlier_version_did(each_desk: Asked) -> None:
    """It kept no arguments, so all of them together are the target."""
    bank = Bank(target=())
    team = office(bank.worker())
    await each_desk.ask(team)
    each_desk.forget(target_sha256=None, arguments=None, target=None)
    same = await each_desk.ask(team)
    assert same.interrupts[0].text.startswith("`pay` was done at")
    await each_desk.decide(same, "reject", team)
    other = await each_desk.ask(office(bank.worker(invoice=4)), "pay invoice 4")

    assert (other.status, bank.paid) == ("ok", [(3, ""), (4, "")])


@pytest.mark.small(databases=1)
async def test_a_background_run_waits_with_its_question(each_desk: Asked) -> None:
    """Nobody is there to ask; it is the conversation that started it that did the first one."""
    bank = Bank()
    await each_desk.ask(office(bank.worker()))
    worker = bank.worker()
    worker.background = True
    team = office(worker, router=ScriptedRouter("payer"))
    started = await run_team(
        team.assembled, Task(request="pay it", members=("payer",)), each_desk.options("t")
    )
    child = own_run_id(started.run_id, "office/payer")
    ends: dict[str, Any] = {}
    queue = WorkerProcess(lambda _: team.assembled, each_desk.options("t"), on_end=ends.__setitem__)
    await queue.work(until_empty=True)

    assert ends[child].status == "needs_human", ends
    (question,) = ends[child].interrupts
    assert (question.kind, len(bank.paid)) == ("tool", 1)
    batch = DecisionBatch({question.id: {"type": "approve"}})
    run = await resume_team(team.assembled, child, batch, each_desk.options("t"))
    assert (run.status, len(bank.paid)) == ("ok", 2)


async def test_an_action_has_not_failed_if_another_member_has(desk: Asked) -> None:
    """The failure of one member says nothing of what another one did."""

    def fail(_: Any) -> dict[str, str]:
        raise ZeroDivisionError

    bank = Bank()
    run = await desk.ask(office(bank.worker(), StubAgent("other", behave=fail)))

    assert len(bank.paid) == 1
    assert [each.path for each in run.bypassed] == ["office/other"]
    assert run.answer.splitlines()[0] == "Done: `pay` (invoice: 3)."
