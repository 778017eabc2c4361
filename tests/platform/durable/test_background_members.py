"""Members in the background: a call starts a run of its own, which the thread owns."""

import json
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest
from langgraph.graph import StateGraph
from langgraph.types import Command
from ledger import Store, rows
from opentelemetry.sdk.resources import Resource
from review_desk import held, installed_desk
from sqlalchemy import Connection
from typing_extensions import TypedDict

from minerva_observability import MemorySink
from minerva_observability.sinks.otel import record_to_span
from minerva_platform import (
    AgentInput,
    AgentOutput,
    Artifact,
    BaseAgent,
    Handoff,
    Platform,
    Run,
    RunLimits,
    Task,
    Team,
    agent,
    ask_person,
    progress,
)
from minerva_platform.cli.ask.chat import chat
from minerva_platform.cli.ask.commands import ChatOptions
from minerva_platform.cli.views.hop_tree import HopTree
from minerva_platform.config.model_spec import ModelSpec
from minerva_platform.contract.run_object import DecisionBatch, Event
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.background.member_runs import own_run_id
from minerva_platform.durable.background.run_question import read_run_question
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.errors import LeaseLostError
from minerva_platform.models.model import Model
from minerva_platform.routing import START, Dispatch, Network, Tools, Workflow
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.files.artifacts import find_artifacts
from minerva_platform.storage.ledger.events import read_events
from minerva_platform.storage.ledger.lease import TERMS, Lease
from minerva_platform.storage.ledger.open_run import OpenRun
from minerva_platform.storage.ledger.questions import OpenQuestion, open_questions
from minerva_platform.storage.ledger.run_row import find_run
from minerva_platform.storage.ledger.run_start import NewRun, accepted, enqueue
from minerva_platform.storage.ledger.schema import owned_runs, runs, threads
from minerva_platform.storage.ledger.threads import last_thread
from minerva_platform.storage.maintenance.forget import forget, plan_forget
from minerva_platform.storage.maintenance.prune import PruneRule, plan_prune, prune
from minerva_platform.storage.queue.background_runs import cancel_run
from minerva_platform.storage.queue.finished_run_notices import tell_once
from minerva_platform.storage.queue.owned_runs import OwnedRun, start_owned
from minerva_platform.storage.server.tenant_rows import Sight, ThreadSearch, search_threads
from minerva_platform.testing import (
    EachOnceRouter,
    ModelCall,
    Reply,
    StubAgent,
    scripted_openai_server,
)
from minerva_platform.validation.team_declarations import find_problems

REVIEW = ("review contract A", "please review contract B", "계약서 A 검토해줘", "계약서 검토")
COUNT = ("count the clauses", "how many clauses are there", "조항 수를 세어줘", "조항이 몇 개야?")


class Doc(Handoff):
    """What the reviewer needs."""

    kind: ClassVar[str] = "desk.doc"
    words: str = ""


class Verdict(Handoff):
    """What the reviewer gives."""

    kind: ClassVar[str] = "desk.verdict"


class NeedsDoc(AgentInput):
    """Input of a reviewer that needs a document."""

    doc: Doc


class NeedsVerdict(AgentInput):
    """Input of what cannot begin before the review is over."""

    verdict: Verdict


class GivesVerdict(AgentOutput):
    """Output of a reviewer."""

    verdict: Verdict = Verdict()


class Reviewer(BaseAgent[AgentInput, GivesVerdict]):
    """Reviews in the background."""

    name = "reviewer"
    description = "Reviews contracts."
    examples = REVIEW
    background = True

    def work(self, given: AgentInput) -> GivesVerdict:
        """Review."""
        return GivesVerdict(summary=f"reviewed: {given.request}")


class Filer(BaseAgent[NeedsVerdict, AgentOutput]):
    """Waits for a verdict."""

    name = "filer"
    description = "Files verdicts."
    examples = ("file the verdict", "put the verdict on file", "의견서 보관해줘", "보관")

    def work(self, given: NeedsVerdict) -> AgentOutput:
        """File."""
        del given
        return AgentOutput(summary="filed")


@agent(examples=COUNT)
def counter(request: str) -> str:
    """Counts clauses."""
    del request
    return "12 clauses"


class Desk:
    """A team in a database, asked in threads, and a process that works off its queue."""

    def __init__(self, engine: Engine, home: Path, team: Team | None = None) -> None:
        members = (Reviewer, counter)
        self.team = team or Team(name="desk", description="Contracts.", members=members)
        self.options = RunOptions(engine=engine, home=home)
        self.team.assembled.prepare()

    async def ask(self, words: str, thread: str = "t", **more: Any) -> Run:
        """Ask the team in a thread."""
        options = RunOptions(
            engine=self.options.engine, home=self.options.home, thread_id=thread, **more
        )
        return await run_team(self.team.assembled, Task(request=words), options)

    async def work(self) -> dict[str, str]:
        """Work off the queue, and return how each run ended."""
        ends: dict[str, str] = {}

        def told(run_id: str, end: Any) -> None:
            ends[run_id] = end.status if isinstance(end, Run) else repr(end)

        await WorkerProcess(lambda _: self.team.assembled, self.options, on_end=told).work(
            until_empty=True
        )
        return ends

    def owned(self) -> list[tuple[str, str]]:
        """Return the runs that threads own: owner and path."""
        assert self.options.engine is not None
        return [
            (str(a), str(b))
            for a, b in rows(self.options.engine, owned_runs.c.owner, owned_runs.c.path)
        ]


@pytest.fixture
def desk(minerva_home: Path) -> Generator[Desk]:
    """Give a desk on SQLite."""
    with opened_engine(minerva_home / "state.db") as engine:
        yield Desk(engine, minerva_home)


@pytest.fixture
def stored_desk(store: Store, minerva_home: Path) -> Generator[Desk]:
    """Give a desk on each kind of database."""
    with store.opened() as engine:
        yield Desk(engine, minerva_home)


@pytest.mark.small(databases=1)
async def test_a_call_comes_back_at_once_with_the_id_of_a_run_that_the_thread_owns(
    stored_desk: Desk,
) -> None:
    """It is in the queue; a worker process does it, and its limits are those of a run."""
    run = await stored_desk.ask("review contract A", limits=RunLimits(seconds=77))
    run_id = own_run_id(run.run_id, "desk/reviewer")

    assert (run.status, run_id in run.answer) == ("ok", True)
    assert [hop.path for hop in run.hops] == ["desk/reviewer"]
    assert stored_desk.owned() == [("t", "desk/reviewer")]
    assert stored_desk.options.engine is not None
    found = rows(stored_desk.options.engine, runs.c.run_id, runs.c.status, runs.c.limits)
    assert json.loads({one: limits for one, _, limits in found}[run_id])["seconds"] == 77
    assert await stored_desk.work() == {run_id: "ok"}


async def test_its_state_its_result_and_its_end_are_told_in_its_own_thread_alone(
    desk: Desk,
) -> None:
    """Another thread's words of the same kind are a request that nobody serves."""
    await desk.ask("계약서 A 검토해줘")
    waits = await desk.ask("검토 끝났어?")
    elsewhere = await desk.ask("검토 끝났어?", "other")
    await desk.work()
    done, result = await desk.ask("is it done?"), await desk.ask("결과 보여줘")

    assert (waits.status, waits.reason, waits.hops) == ("ok", "about", ())
    assert "차례를 기다립니다" in waits.answer
    assert elsewhere.reason != "about"
    assert "it is done" in done.answer
    assert "reviewed: 계약서 A 검토해줘" in result.answer
    assert done.notices == result.notices == ()


@pytest.mark.small(databases=1)
async def test_the_next_turn_of_the_owner_tells_once_that_a_run_has_ended(
    stored_desk: Desk,
) -> None:
    """Whatever it asks."""
    await stored_desk.ask("review contract A")
    await stored_desk.work()
    first, second = (
        await stored_desk.ask("count the clauses"),
        await stored_desk.ask("count the clauses"),
    )

    assert [notice.status for notice in first.notices] == ["ok"]
    assert second.notices == ()


@pytest.mark.small(databases=1)
async def test_a_conversation_that_has_told_of_an_end_does_not_tell_again(
    stored_desk: Desk,
) -> None:
    """Neither by itself nor with its next turn; another conversation tells nothing of it."""
    engine = stored_desk.options.engine
    assert engine is not None
    await stored_desk.ask("review contract A")
    (run_id,) = await stored_desk.work()
    told = [
        engine.write(partial(tell_once, run_id=run_id, owner=owner, is_over=True))
        for owner in ("other", "t", "t")
    ]

    assert told == [False, True, False]
    assert (await stored_desk.ask("count the clauses")).notices == ()


async def test_a_word_stops_one_run_and_asks_which_if_there_are_several(desk: Desk) -> None:
    """What is stopped does nothing more; the other one goes on."""
    await desk.ask("review contract A")
    await desk.ask("please review contract B")
    which, stopped = await desk.ask("stop it"), await desk.ask("the second one")
    ends = await desk.work()

    assert which.reason == "asked_back"
    assert "1. `reviewer`" in which.answer
    assert "2. `reviewer`" in which.answer
    assert "is cancelled" in stopped.answer
    assert list(ends.values()) == ["ok"]
    assert "There is no run to stop" in (await desk.ask("stop it")).answer


@pytest.mark.small(2)
@pytest.mark.parametrize("words", ["is it done?", "stop it", "끝났어?", "그만둬"])
async def test_without_background_runs_such_words_repeat_nothing(desk: Desk, words: str) -> None:
    """They are no follow-up of the request before them, which would be done again."""
    first = await desk.ask("count the clauses")

    asked = await desk.ask(words)

    assert first.answer.startswith("12 clauses")
    assert (asked.status, asked.hops) == ("ok", ())
    assert asked.reason == "about"


async def test_ordinary_requests_of_the_thread_go_their_way(desk: Desk) -> None:
    """Thanks are thanks, and another member's work is its own."""
    await desk.ask("review contract A")

    assert (await desk.ask("thanks")).reason == "small_talk"
    assert (await desk.ask("how many clauses are there")).answer.startswith("12 clauses")


@pytest.mark.parametrize(
    ("words", "wish", "meant"),
    [
        ("is it done?", "state", "ab"),
        ("검토 다 끝났나요?", "state", "ab"),
        ("아까 맡긴 거 어떻게 됐어?", "state", "ab"),
        ("is contract B ready yet?", "state", "b"),
        ("what came out?", "result", "c"),
        ("결과 보여줘", "result", "c"),
        ("stop the second one", "stop", "b"),
        ("첫 번째 거 취소해줘", "stop", "a"),
        ("cancel both of them", "stop", "ab"),
        ("stop bbbb1", "stop", "b"),
        ("stop the second", "stop", "b"),
        ("stop 2", "stop", "b"),
        ("1번 그만둬", "stop", "a"),
        ("any news about contract B?", "state", "b"),
        ("check job bbbb1bbbb1 and summarise the result", "result", "b"),
        ("please stop bbbb1bbbb1, the wrong file was in it", "stop", "b"),
        ("do not stop bbbb1bbbb1", "state", "b"),
        ("where are the files?", "result", "c"),
        ("아까 돌려놓은 거 소식 있어?", "state", "ab"),
        ("Not rushing you, but is contract B ready?", "state", "b"),
        ("how far along is the contract B analysis?", "state", "b"),
        ("Sorry, we no longer need that. Would you mind stopping the second one?", "stop", "b"),
        ("open bbbb1bbbb1 for me", "state", "b"),
        ("never mind contract B, don't bother finishing it", "stop", "b"),
        ("we don't need contract B any more", "stop", "b"),
        ("B 계약서는 이제 필요 없어요", "stop", "b"),
        ("아 됐고 1번 그만둬", "stop", "a"),
        ("my boss asks what came out of that dull contracts thing", "result", "c"),
        ("never mind that one, just show me the results", "result", "c"),
    ],
)
def test_closed_words_ask_about_runs(words: str, wish: str, meant: str) -> None:
    """By what the run was asked, by its place, by its id, or about all that are open."""
    found = read_run_question(team_of_desk().assembled, words, three_runs())

    assert found is not None
    assert (found.wish, "".join(run.run_id[0] for run in found.runs)) == (wish, meant)
    assert found.is_clear


@pytest.mark.parametrize(
    "words",
    [
        "show me the results as a table",
        "결과를 표로 정리해줘",
        "예약 취소해줘",
        "cancel my flight to Busan",
        "review contract A again",
        "write a list of stop words",
        "the invoice is done, file it",
        "summarise it",
        "which files use PT_ID?",
        "cancel the subscription, I gave it up",
        "is it done? translate the glossary then",
        "is contract B done in schema_v2?",
        "검토 끝났으면 계약서도 검토해줘",
        "we don't need it any more",
        "go find contract B, background job",
        "never mind contract B, translate the glossary",
        "contract B의 표는 필요 없어",
        "됐고, 용어집 번역본 이름이 뭐야?",
        "list the results of contract B again, in the background",
    ],
)
def test_other_words_are_requests(words: str) -> None:
    """They ask for something that no run was asked for, or for work."""
    assert read_run_question(team_of_desk().assembled, words, three_runs()) is None


@pytest.mark.parametrize(
    "words", ["stop it", "그만둬", "stop the fifth one", "kill the long job, please"]
)
def test_nothing_is_stopped_while_it_is_open_which_one_is_meant(words: str) -> None:
    """Neither without a name nor by a place that no run has."""
    found = read_run_question(team_of_desk().assembled, words, three_runs())

    assert found is not None
    assert not found.is_clear


def team_of_desk() -> Team:
    """Return the team whose runs the words are about."""
    return Team(name="desk", description="…", members=(Reviewer, counter))


def three_runs() -> tuple[OwnedRun, ...]:
    """Return two open runs and one that is over and was not told of."""
    path = "desk/reviewer"
    return (
        OwnedRun("aaaa1" * 6, path, "running", None, "review contract A", is_told=False),
        OwnedRun("bbbb1" * 6, path, "queued", None, "review contract B", is_told=False),
        OwnedRun("cccc1" * 6, path, "ok", None, "review contract C", is_told=True),
    )


@pytest.mark.small(databases=1)
async def test_a_call_that_is_made_again_finds_its_run(stored_desk: Desk) -> None:
    """And one whose process has lost the thread starts none."""
    engine = stored_desk.options.engine
    assert engine is not None
    new = NewRun("parent", "t", "desk", Task(request="review"))
    child = NewRun("child", "child", "desk", Task(request="review"))
    async with accepted(engine, new, seconds=1) as kept:
        for lease in (kept.lease, kept.lease, Lease("t", kept.lease.fence - 1)):
            starter = OpenRun(engine, lease, "parent", TERMS)
            work = partial(
                start_owned, engine=engine, new=child, path="desk/reviewer", starter=starter
            )
            if lease is kept.lease:
                engine.write(work)
            else:
                with pytest.raises(LeaseLostError):
                    engine.write(work)

    assert stored_desk.owned() == [("t", "desk/reviewer")]


class _Late(AgentInput):
    pages: int = 0


class Late(BaseAgent[_Late, AgentOutput]):
    """Works in the background, and says what it was given."""

    name, description = "late", "Works later."
    background = True

    def __init__(self, heard: list[str]) -> None:
        self.heard = heard

    def work(self, given: _Late) -> AgentOutput:
        """Note it."""
        self.heard.append(f"{given.request}, {given.pages} pages")
        return AgentOutput(summary="done later")


async def test_in_a_workflow_the_run_of_one_member_does_that_member_s_work_alone(
    minerva_home: Path,
) -> None:
    """What came before it in the order is not done again."""
    heard: list[str] = []
    first = StubAgent("first", behave=lambda given: heard.append(f"first: {given.request}"))
    team = Team(
        name="desk",
        description="…",
        members=(first, Late(heard)),
        router=Workflow({START: "first", "first": "late"}),
    )
    with opened_engine(minerva_home / "state.db") as engine:
        workflow = Desk(engine, minerva_home, team)
        run = await workflow.ask("print it")
        ends = await workflow.work()

    assert run.status == "ok"
    assert list(ends.values()) == ["ok"]
    assert heard == ["first: print it", "print it, 0 pages"]


async def test_in_a_network_the_run_gets_all_that_was_passed_on(minerva_home: Path) -> None:
    """The words of the transfer, and the fields that the member declares."""
    heard: list[str] = []

    class Leaving(TypedDict, total=False):
        request: str
        summary: str

    class Front(BaseAgent[AgentInput, AgentOutput]):
        name, description = "front", "Passes on."

        def build_graph(self) -> Any:
            builder: Any = StateGraph(Leaving)
            update = {"request": "print the annex", "pages": 7}
            builder.add_node(
                "go", lambda _: Command(goto="late", update=update, graph=Command.PARENT)
            )
            builder.add_edge(START, "go")
            return builder

    router = Network(start="front", peers={"front": ("late",)})
    team = Team(name="desk", description="…", members=(Front(), Late(heard)), router=router)
    with opened_engine(minerva_home / "state.db") as engine:
        network = Desk(engine, minerva_home, team)
        await network.ask("print it")
        ends = await network.work()

    assert list(ends.values()) == ["ok"]
    assert heard == ["print the annex, 7 pages"]


async def test_the_run_gets_the_words_and_the_hand_offs_of_the_call(minerva_home: Path) -> None:
    """Its team is below the root; what was made for the call is not made again."""
    made: list[str] = []

    class Extracts(AgentOutput):
        doc: Doc

    class Reader(BaseAgent[AgentInput, Extracts]):
        name = "reader"
        description = "Reads contracts."
        examples = ("read the contract", "extract the contract", "계약서 읽어줘", "계약서 추출")

        def work(self, given: AgentInput) -> Extracts:
            del given
            made.append("contract")
            return Extracts(summary="read", doc=Doc(words="the contract"))

    class Checks(BaseAgent[NeedsDoc, GivesVerdict]):
        name = "checks"
        description = "Reviews contracts."
        examples = REVIEW
        background = True

        def work(self, given: NeedsDoc) -> GivesVerdict:
            return GivesVerdict(summary=f"{given.request}: {given.doc.words}")

    inner = Team(name="law", description="Contracts.", members=(Reader, Checks), exports=(Verdict,))
    root = Team(
        name="house",
        description="…",
        members=(inner,),
        exports=(Verdict,),
        router=EachOnceRouter(),
    )
    with opened_engine(minerva_home / "state.db") as engine:
        house = Desk(engine, minerva_home, root)
        run = await house.ask("review contract A")
        (child,) = (await house.work()).items()
        found = await house.ask("what came out?")
        kinds = json.loads(dict(rows(engine, runs.c.run_id, runs.c.run))[child[0]])["handoffs"]

    assert [hop.path for hop in run.hops] == ["house/law/reader", "house/law/checks"]
    assert child == (own_run_id(run.run_id, "house/law/checks"), "ok")
    assert "review contract A: the contract" in found.answer
    assert made == ["contract"]
    assert list(kinds) == ["desk.verdict"]


async def test_a_member_that_reads_the_conversation_reads_that_of_its_owner(
    minerva_home: Path,
) -> None:
    """Its own thread has no earlier turns."""
    heard: list[str] = []

    class Listener(BaseAgent[AgentInput, AgentOutput]):
        name = "listener"
        description = "Reviews contracts."
        examples = REVIEW
        background = True
        input_mode = "full"

        def work(self, given: AgentInput) -> AgentOutput:
            heard.extend(turn.request for turn in given.conversation)
            return AgentOutput(summary="heard")

    team = Team(name="desk", description="…", members=(Listener, counter))
    with opened_engine(minerva_home / "state.db") as engine:
        desk = Desk(engine, minerva_home, team)
        await desk.ask("count the clauses")
        await desk.ask("please review contract B")
        await desk.work()

    assert heard == ["count the clauses"]


async def test_a_run_that_asks_a_person_says_so_and_goes_on_with_the_answer(
    minerva_home: Path,
) -> None:
    """The conversation is free meanwhile."""

    class Asks(BaseAgent[AgentInput, AgentOutput]):
        name = "asks"
        description = "Reviews contracts."
        examples = REVIEW
        background = True

        def work(self, given: AgentInput) -> AgentOutput:
            del given
            return AgentOutput(summary=f"risk: {ask_person('Which risk?')}")

    team = Team(name="desk", description="…", members=(Asks, counter))
    with opened_engine(minerva_home / "state.db") as engine:
        desk = Desk(engine, minerva_home, team)
        await desk.ask("review contract A")
        ((child, status),) = (await desk.work()).items()
        waits = await desk.ask("is it done?")
        free = await desk.ask("how many clauses are there")
        asked = dict(rows(engine, runs.c.run_id, runs.c.run))[child]
        (question,) = json.loads(asked)["interrupts"]
        given = DecisionBatch({question["id"]: {"type": "respond", "message": "low"}})
        done = await resume_team(team.assembled, child, given, desk.options)

    assert status == "needs_human"
    assert "minerva waiting" in waits.answer
    assert free.answer.startswith("12 clauses")
    assert (done.status, done.answer) == ("ok", "risk: low")


SIZE: Any = Literal["small", "large"]


class Pays(BaseAgent[AgentInput, AgentOutput]):
    """Asks in the background whether it may go on, and leaves a file."""

    name = "pays"
    description = "Reviews contracts."
    examples = REVIEW
    background = True

    def work(self, given: AgentInput) -> AgentOutput:
        """Say how far it is, ask, and write a file."""
        del given
        progress(1, 2, "reading")
        progress(1, 2, "still reading")
        size = ask_person("Which size?", answer=SIZE)
        file = Artifact(name="size.txt", media_type="text/plain", content=size)
        return AgentOutput(summary=f"size: {size}", artifacts=(file,))


async def test_the_conversation_answers_what_its_run_asks_and_gets_its_files(
    minerva_home: Path,
) -> None:
    """The answer goes to the run, which works on in the background; other words go their way."""
    team = Team(name="desk", description="…", members=(Pays, counter))
    with opened_engine(minerva_home / "state.db") as engine:
        desk = Desk(engine, minerva_home, team)
        await desk.ask("review contract A")
        await desk.work()
        back = await desk.ask("yes")
        free = await desk.ask("how many clauses are there")
        told = await desk.ask("the second one")
        (status,) = (await desk.work()).values()
        came = await desk.ask("what came out?")

    assert (back.reason, "`large`" in back.answer) == ("asked_back", True)
    assert free.answer.startswith("12 clauses")
    assert "it has your answer and goes on" in told.answer
    assert (status, "size: large" in came.answer) == ("ok", True)
    assert [each.name for each in came.artifacts] == ["size.txt"]


@pytest.mark.parametrize("words", ["the second one", "large"])
async def test_who_asks_by_a_server_decides_nothing_by_a_message(
    minerva_home: Path, words: str
) -> None:
    """A token may only ask, or four eyes are needed: neither is looked at while a run works."""
    team = Team(name="desk", description="…", members=(Pays, counter))
    with opened_engine(minerva_home / "state.db") as engine:
        desk = Desk(engine, minerva_home, team)
        await desk.ask("review contract A")
        await desk.work()
        enqueue(engine, NewRun("r", "t", "desk", Task(request=words), requester="ann"))
        await desk.work()
        kept = engine.read(partial(find_run, run_id="r", place=engine.place), empty=None)
        waiting = engine.read(open_questions, empty=tuple[OpenQuestion, ...]())

    assert kept is not None
    assert "this one has done nothing" in kept.to_run().answer
    assert len(waiting) == 1


async def test_how_far_a_worker_is_shows_in_its_state_events_tree_and_records(
    minerva_home: Path,
) -> None:
    """As the worker says it; of each percent the first word."""
    team, sink = Team(name="desk", description="…", members=(Pays, counter)), MemorySink()
    with opened_engine(minerva_home / "state.db") as engine:
        desk = Desk(engine, minerva_home, team)
        desk.options = replace(desk.options, recorder=sink)
        await desk.ask("review contract A")
        ((child, _),) = (await desk.work()).items()
        state = await desk.ask("how far is it?")
        events = engine.read(partial(read_events, run_id=child, after=0), empty=list[Event]())

    told = {"done": 1, "of": 2, "text": "reading"}
    assert f"`{child[:8]}`: 1 of 2 · reading" in state.answer
    assert [each.data for each in events if each.type == "progress"] == [told]
    rows_of = [each for each in sink.records if each.run_id == child]
    assert [each.decision for each in rows_of if each.kind == "progress"] == [told]
    tree = HopTree.from_rows([{**each.to_json_dict()} for each in rows_of])
    assert tree.by_path["desk/pays"].progress == "1/2 reading"
    with pytest.raises(ValueError, match="3 of 2"):
        progress(3, 2)


async def test_a_run_that_waits_for_an_answer_is_stopped(minerva_home: Path) -> None:
    """It asks nobody any more."""
    team = Team(name="desk", description="…", members=(Pays, counter))
    with opened_engine(minerva_home / "state.db") as engine:
        desk = Desk(engine, minerva_home, team)
        await desk.ask("review contract A")
        await desk.work()
        await desk.ask("stop it")

        assert "cancelled" in dict(rows(engine, runs.c.run_id, runs.c.status)).values()
        assert engine.read(open_questions, empty=tuple[OpenQuestion, ...]()) == ()


def test_without_kept_state_the_member_is_called_here() -> None:
    """Whoever asks a team in a program without a thread waits for its answer."""
    run = Team(name="desk", description="…", members=(Reviewer, counter)).ask("review contract A")

    assert (run.status, run.answer) == ("ok", "reviewed: review contract A")


async def test_the_records_of_the_run_and_of_its_start_name_each_other(desk: Desk) -> None:
    """In rows, and as links between their spans; the start is no call, the queue is a wait."""
    sink = MemorySink()
    run = await desk.ask("review contract A", recorder=sink)
    run_id = own_run_id(run.run_id, "desk/reviewer")
    (start,) = [row for row in sink.records if row.path == "desk/reviewer"]
    desk.options = replace(desk.options, recorder=sink)
    await desk.work()
    (child,) = [row for row in sink.records if row.kind == "run" and row.run_id == run_id]

    assert (start.kind, start.background, child.started_by) == ("start", run_id, run.run_id)
    (queue,) = [row for row in sink.records if row.kind == "wait" and row.run_id == run_id]
    assert (queue.reason, queue.parent_id) == ("queue", child.span_id)
    assert abs(queue.started_ns + queue.duration_ns - child.started_ns) < 1_000
    spans = {row.span_id: record_to_span(row, Resource.get_empty()) for row in (start, child)}
    for one, other in ((start, child), (child, start)):
        (link,) = spans[one.span_id].links
        context = spans[other.span_id].context
        assert context is not None
        assert (link.context.trace_id, link.context.span_id) == (context.trace_id, context.span_id)


def test_check_names_file_team_and_member_if_others_wait_for_the_background() -> None:
    """A hand-off that is needed comes too late."""
    team = Team(name="desk", description="…", members=(Reviewer, Filer))
    (problem,) = find_problems(team.assembled)

    assert problem.startswith("`filer` needs the hand-off `desk.verdict` (its input `verdict`)")
    assert "`reviewer` of the team `desk` (" in problem
    assert "test_background_members.py:" in problem
    assert "background = True" in problem


def test_check_names_an_auditor_in_the_background() -> None:
    """The end of a visit would wait for what it sees."""
    team = Team(
        name="desk", description="…", members=(Reviewer,), audits={"desk.verdict": "reviewer"}
    )

    assert any(
        "it audits `desk.verdict` for the team `desk`" in one
        for one in find_problems(team.assembled)
    )


def test_a_team_with_such_a_mistake_works_without_the_member_that_waits(tmp_path: Path) -> None:
    """As with any hand-off that nobody gives; the cause is named."""
    team = Team(name="desk", description="…", members=(Reviewer, Filer, counter))
    with Platform(teams=[team], home=tmp_path) as platform:
        (entry,) = platform.team.left_out

    assert entry.team == "desk"
    assert "it works without its member `filer`" in entry.cause
    assert "works in the background" in entry.cause


@pytest.mark.small(1)
@pytest.mark.usefixtures("fresh_models")
@pytest.mark.parametrize("spec", [Tools(), Dispatch()], ids=["tools", "dispatch"])
async def test_a_model_starts_asks_reads_and_cancels(spec: Tools, minerva_home: Path) -> None:
    """By three tools that are no members; another thread's run is as unknown as none."""
    told: list[dict[str, Any]] = []

    def call_for(words: str) -> Reply:
        if isinstance(spec, Dispatch):
            return Reply(tool_calls=[("task", {"agent_name": "reviewer", "description": words})])
        return Reply(tool_calls=[("reviewer", {"request": words})])

    def answer(call: ModelCall) -> Reply:
        words = str(call.messages[1]["content"])
        results = [json.loads(m["content"]) for m in call.messages if m["role"] == "tool"]
        if results:
            told.append(results[-1])
            return Reply(text="So it is.")
        if words.startswith("review"):
            return call_for(words)
        name, _, run_id = words.partition(" ")
        return Reply(tool_calls=[(name, {"run_id": run_id})])

    with (
        opened_engine(minerva_home / "state.db") as engine,
        scripted_openai_server(answer) as server,
    ):
        team = Team(name="desk", description="…", members=(Reviewer, counter), router=spec)
        team.model = Model(ModelSpec(name="openai:scripted", base_url=server.url, timeout=10.0))
        desk = Desk(engine, minerva_home, team)
        first, second = await desk.ask("review A"), await desk.ask("review B")
        ids = [own_run_id(run.run_id, "desk/reviewer") for run in (first, second)]
        await desk.ask("run_status")
        await desk.ask(f"cancel_run {ids[1][:8]}")
        await desk.work()
        await desk.ask(f"run_status {ids[0]}")
        await desk.ask(f"run_result {ids[0]}")
        await desk.ask(f"run_result {ids[0]}", "other")
        await desk.ask(f"run_result {'0' * 32}", "other")
        tools = {tool["function"]["name"] for tool in server.calls[0].body["tools"]}

    assert {"run_status", "run_result", "cancel_run"} <= tools
    listed, cancelled, status, result, foreign, unknown = told[2:]
    assert [run["status"] for run in listed["runs"]] == ["queued", "queued"]
    assert (cancelled["status"], cancelled["before"]) == ("cancelled", "queued")
    assert status["status"] == "ok"
    assert result["answer"] == "reviewed: review A"
    assert set(foreign) == set(unknown) == {"error"}
    assert foreign["error"].replace(ids[0], "") == unknown["error"].replace("0" * 32, "")


@pytest.mark.small(databases=1)
async def test_to_forget_a_thread_takes_its_runs_along(
    stored_desk: Desk, minerva_home: Path
) -> None:
    """Those of another thread stay."""
    engine = stored_desk.options.engine
    assert engine is not None
    await stored_desk.ask("review contract A")
    await stored_desk.ask("review contract A", "other")
    plan = engine.read(
        partial(plan_forget, engine=engine, place=find_artifacts(minerva_home), thread_id="t"),
        empty=None,
    )
    assert plan is not None
    assert plan.unfinished_runs == 1
    forget(engine, plan)

    assert stored_desk.owned() == [("other", "desk/reviewer")]
    assert len(rows(engine, threads.c.thread_id)) == len(rows(engine, runs.c.run_id)) == 2


@pytest.mark.small(databases=1)
async def test_a_thread_stays_while_it_owns_a_run(stored_desk: Desk, minerva_home: Path) -> None:
    """Or a later thread of its name would own it; prune takes it with the last one."""
    engine = stored_desk.options.engine
    assert engine is not None
    run = await stored_desk.ask("review contract A")
    child = own_run_id(run.run_id, "desk/reviewer")
    cancel_run(engine, child)

    def pruned(run_id: str) -> set[str]:
        def plan(connection: Connection) -> Any:
            place = find_artifacts(minerva_home)
            rule = PruneRule(named_ids=(run_id,))
            return plan_prune(connection, engine, place, rule, now=time.time())

        prune(engine, engine.read(plan, empty=None))
        return {str(name) for (name,) in rows(engine, threads.c.thread_id)}

    assert pruned(run.run_id) == {"t", child}
    assert pruned(child) == set()


@pytest.mark.small(databases=1)
async def test_its_thread_is_no_conversation(stored_desk: Desk) -> None:
    """A search for threads does not find it, and the last thread is the person's."""
    engine = stored_desk.options.engine
    assert engine is not None
    await stored_desk.ask("review contract A")
    await stored_desk.work()
    find = partial(search_threads, search=ThreadSearch(), sight=Sight("local"))

    nothing: list[Any] = []
    assert [row.thread_id for row in engine.read(find, empty=nothing)] == ["t"]
    assert last_thread(engine) == "t"


@dataclass(frozen=True)
class Typed:
    """Standard input whose lines come when their time has come: each waits for a condition."""

    lines: Sequence[tuple[str, Callable[[], bool]]]

    @property
    def buffer(self) -> Iterator[bytes]:
        """Yield each line once its condition holds."""
        for line, is_time in self.lines:
            while not is_time():
                time.sleep(0.01)
            yield f"{line}\n".encode()

    def isatty(self) -> bool:
        """Nobody sits there."""
        return False


def test_a_conversation_works_off_its_own_runs(
    minerva_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Start, ask twice, read the result, cancel another: in one `minerva chat`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(installed_desk(tmp_path / "installed")))
    minerva_home.mkdir()
    for word in "AB":
        held(word).touch()

    def now() -> bool:
        return True

    def begun(word: str) -> bool:
        log = minerva_home / "desk-log"
        return log.exists() and f"began {word}" in log.read_text().splitlines()

    def ended(word: str) -> bool:
        held(word).unlink(missing_ok=True)
        with opened_engine(minerva_home / "state.db") as engine:
            return ("ok", True) in rows(engine, runs.c.status, runs.c.background)

    lines = (
        ("review contract A", now),
        ("is it done?", partial(begun, "A")),
        ("계약서 B 검토해줘", partial(ended, "A")),
        ("계약서 A 검토 끝났어?", now),
        ("show me the result", now),
        ("stop it", partial(begun, "B")),
    )
    monkeypatch.setattr("sys.stdin", Typed(lines))
    chat(ChatOptions(team="desk", as_json=True))
    said = capsys.readouterr().out
    answers = [json.loads(line)["answer"] for line in said.splitlines()]

    assert "as run `" in answers[0]
    assert "still at work" in answers[1]
    assert "끝났습니다" in answers[3]
    assert "Contract A has no risk." in answers[4]
    assert "is cancelled" in answers[5]
