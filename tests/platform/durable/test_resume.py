"""A run that waits for a person, or was cut off, goes on by its id."""

import asyncio
import json
import os
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, TypedDict

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from ledger import Store, rows, said
from sqlalchemy import Connection

from minerva_observability import MemorySink
from minerva_observability.tracing.trace_context import called_by
from minerva_platform import (
    AgentInput,
    AgentOutput,
    Artifact,
    BaseAgent,
    Handoff,
    Platform,
    RunError,
    RunLimits,
    Task,
    Team,
    agent,
)
from minerva_platform.config.settings import Settings
from minerva_platform.contract.run_object import (
    DecisionBatch,
    Origin,
    ResumeRequest,
    Run,
    SentHandoff,
)
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.incoming_request import submit_team
from minerva_platform.durable.run_continuation import advance, resume_team
from minerva_platform.engine import stream_team
from minerva_platform.errors import (
    AlreadyDecidedError,
    OtherTeamsError,
    UnknownInterruptError,
    UnknownRunError,
)
from minerva_platform.run_context.context import count_model_call
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import close_engines, opened_engine
from minerva_platform.storage.ledger.schema import runs
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent


class Count(Handoff):
    """What several workers give."""

    kind: ClassVar[str] = "office.count"
    version: ClassVar[int] = 2
    n: int


def asker(name: str, times: int = 1) -> StubAgent:
    """Return a worker that asks a person some times and says what it heard."""

    def ask(_: Any) -> dict[str, str]:
        heard = [interrupt(f"{name} asks {number}") for number in range(times)]
        return {"summary": f"{name} heard {', '.join(map(str, heard))}"}

    return StubAgent(name, behave=ask)


def office(*members: Any, name: str = "office") -> Team:
    """Return a team that calls each member once, all at once."""
    return Team(name=name, description="…", members=members, router=EachOnceRouter())


def answers(run: Run, *values: Any) -> DecisionBatch:
    """Return answers to what a run asks, in the order of the workers' paths."""
    asked = sorted(run.interrupts, key=lambda question: question.path)
    given = {q.id: {"type": "respond", "value": v} for q, v in zip(asked, values, strict=False)}
    return DecisionBatch(given)


@asynccontextmanager
async def kept(home: Path, **more: Any) -> AsyncGenerator[RunOptions]:
    """Give the options of runs that are kept in a home."""
    with opened_engine(home / "state.db") as engine:
        yield RunOptions(engine=engine, home=home, thread_id="t", **more)


@pytest.mark.small(databases=1)
async def test_a_run_goes_on_where_it_waited(store: Store, minerva_home: Path) -> None:
    """Its answer, hops and turn hold what was done before and after, once."""
    waits, beside = asker("waits"), StubAgent("beside")
    team = office(waits, beside)
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        paused = await run_team(team.assembled, Task(request="list the orders"), options)

        (question,) = paused.interrupts
        assert (paused.status, question.path) == ("needs_human", "office/waits")
        assert paused.answer == "beside answered"
        assert paused.usage.routing_calls == 1

        run = await resume_team(team.assembled, paused.run_id, answers(paused, "yes"), options)

        assert (run.status, run.run_id, run.thread_id) == ("ok", paused.run_id, "t")
        assert sorted(hop.path for hop in run.hops) == ["office/beside", "office/waits"]
        assert "beside answered" in run.answer
        assert "waits heard yes" in run.answer
        assert len(beside.calls) == 1
        assert said(engine) == [(1, "list the orders")]
        assert await advance(team.assembled, run.run_id, options) == run


@pytest.mark.small(databases=1)
async def test_a_worker_asks_several_times_in_a_row(store: Store, minerva_home: Path) -> None:
    """Each question has an id of its own, and gets its own answer."""
    team = office(asker("waits", times=3))
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run, ids = await run_team(team.assembled, Task(request="go"), options), []
        for number in range(3):
            ids.append(run.interrupts[0].id)
            assert run.interrupts[0].value == f"waits asks {number}"
            run = await resume_team(team.assembled, run.run_id, answers(run, f"a{number}"), options)

        assert run.answer == "waits heard a0, a1, a2"
        assert len(set(ids)) == 3
        assert rows(engine, runs.c.resumes, runs.c.status) == [(3, "ok")]


async def test_an_answer_starts_no_other_waiting_worker(minerva_home: Path) -> None:
    """Five workers that are answered one by one start twice each: to ask, and with the answer."""
    members = [asker(f"w{number}") for number in range(5)]
    team = office(*members)
    async with kept(minerva_home) as options:
        run = await run_team(team.assembled, Task(request="go"), options)
        while run.interrupts:
            first = run.interrupts[0]
            batch = DecisionBatch({first.id: {"type": "respond", "value": first.path}})
            run = await resume_team(team.assembled, run.run_id, batch, options)

    assert run.status == "ok"
    assert [len(member.calls) for member in members] == [2] * 5


async def test_questions_at_several_depths_are_answered_one_by_one(minerva_home: Path) -> None:
    """What waits on waits on, under the same id."""
    deep = office(office(asker("deep"), name="inner"), asker("middle"), name="outer")
    team = office(deep, asker("top"))
    async with kept(minerva_home) as options:
        run = await run_team(team.assembled, Task(request="go"), options)
        asked = {question.path: question.id for question in run.interrupts}
        assert asked.keys() == {
            "office/outer/inner/deep",
            "office/outer/middle",
            "office/top",
        }
        for path in sorted(asked):
            batch = DecisionBatch({asked.pop(path): {"type": "respond", "value": path}})
            run = await resume_team(team.assembled, run.run_id, batch, options)
            assert {question.path: question.id for question in run.interrupts} == asked

    assert run.status == "ok"
    assert sorted(hop.path for hop in run.hops) == [
        "office/outer/inner/deep",
        "office/outer/middle",
        "office/top",
    ]
    assert "deep heard office/outer/inner/deep" in run.answer


async def test_a_failing_sibling_loses_no_question(minerva_home: Path) -> None:
    """Its failure is told while the run waits, and once at the end."""

    def fail(_: Any) -> None:
        message = "broken"
        raise ValueError(message)

    team = office(asker("waits"), StubAgent("bad", behave=fail))
    async with kept(minerva_home) as options:
        paused = await run_team(team.assembled, Task(request="go"), options)
        run = await resume_team(team.assembled, paused.run_id, answers(paused, "yes"), options)

    assert [entry.path for entry in paused.bypassed] == ["office/bad"]
    assert [entry.path for entry in run.bypassed] == ["office/bad"]
    assert run.status == "ok_degraded"
    assert "waits heard yes" in run.answer


async def test_a_new_turn_leaves_an_open_question_open(minerva_home: Path) -> None:
    """The later answer changes the turn that asked, and no order."""
    async with kept(minerva_home) as options:
        assert options.engine is not None
        paused = await run_team(
            office(asker("waits")).assembled, Task(request="list the orders"), options
        )
        other = office(StubAgent("other"))
        await run_team(other.assembled, Task(request="what is new in the inventory"), options)
        team = office(asker("waits"))
        run = await resume_team(team.assembled, paused.run_id, answers(paused, "yes"), options)

        assert run.answer == "waits heard yes"
        assert [number for number, _ in said(options.engine)] == [1, 2]
        found = rows(options.engine, runs.c.run_id, runs.c.status)
        assert (run.run_id, "ok") in found


async def test_a_run_that_is_over_is_returned_as_it_is(minerva_home: Path) -> None:
    """Another decision about it is refused, and says who won; the same batch is the same run."""
    team = office(asker("waits"))
    async with kept(minerva_home) as options:
        paused = await run_team(team.assembled, Task(request="go"), options)
        batch = replace(answers(paused, "yes"), by="ann", batch_id="one")
        run = await resume_team(team.assembled, paused.run_id, batch, options)

        assert await resume_team(team.assembled, run.run_id, batch, options) == run
        assert await resume_team(team.assembled, run.run_id, DecisionBatch(), options) == run
        with pytest.raises(AlreadyDecidedError, match="by ann came first") as raised:
            await resume_team(team.assembled, run.run_id, answers(paused, "no"), options)
        assert raised.value.winner["value"] == "yes"


async def test_what_cannot_be_resumed_is_told_and_changes_nothing(minerva_home: Path) -> None:
    """An unknown run, a question of another run, another root."""
    team = office(asker("waits"))
    async with kept(minerva_home) as options:
        assert options.engine is not None
        paused = await run_team(team.assembled, Task(request="go"), options)
        before = rows(options.engine, runs)
        with pytest.raises(UnknownRunError, match="There is no run `nothing`"):
            await resume_team(team.assembled, "nothing", DecisionBatch(), options)
        unknown = DecisionBatch({"nothing": {"type": "approve"}})
        with pytest.raises(UnknownInterruptError, match="asks no such question"):
            await resume_team(team.assembled, paused.run_id, unknown, options)
        home = office(*team.assembled.agents, name="home")
        with pytest.raises(OtherTeamsError, match="`office` was asked, and here `home` is"):
            await resume_team(home.assembled, paused.run_id, answers(paused, 1), options)
        waiting = await resume_team(team.assembled, paused.run_id, DecisionBatch(), options)

        assert waiting == paused
        assert rows(options.engine, runs) == before


async def test_a_member_that_is_gone_is_told_and_the_run_waits_on(minerva_home: Path) -> None:
    """Nothing runs; with the member there again the decision counts."""
    whole, less = office(asker("waits"), StubAgent("b")), office(StubAgent("b"))
    async with kept(minerva_home) as options:
        assert options.engine is not None
        paused = await run_team(whole.assembled, Task(request="go"), options)
        with pytest.raises(OtherTeamsError, match="`office/waits` is not there any more"):
            await resume_team(less.assembled, paused.run_id, answers(paused, "yes"), options)
        assert rows(options.engine, runs.c.status) == [("needs_human",)]
        run = await advance(whole.assembled, paused.run_id, options)

    assert (run.status, "waits heard yes" in run.answer) == ("ok", True)


CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


async def test_a_run_says_what_it_began_with_and_who_called_it(
    store: Store, minerva_home: Path
) -> None:
    """From the queue to its end. A refused resume names the version to install."""
    sink, whole, less = MemorySink(), office(asker("waits"), StubAgent("b")), office(StubAgent("b"))
    old, new, lost = (
        replace(team.assembled, origin=Origin(distribution="minerva-team-office", version=version))
        for team, version in ((whole, "1.0"), (whole, "2.0"), (less, "2.0"))
    )
    with store.opened() as engine:
        options = RunOptions(recorder=sink, engine=engine, home=minerva_home, thread_id="t")
        with called_by(CALLER):
            queued = await submit_team(new, Task(request="go"), options)
        assert rows(engine, runs.c.versions) == [(None,)]  # whoever begins it says it
        paused = await advance(old, queued.run_id, options)
        with pytest.raises(
            OtherTeamsError,
            match=r"`office/waits` is not .* started with \(`minerva-team-office 1\.0`\), or ask",
        ):
            await resume_team(lost, paused.run_id, answers(paused, "yes"), options)
        with pytest.raises(
            OtherTeamsError, match=r"`office` was asked.*`minerva-team-office 1\.0`"
        ):
            await advance(office(StubAgent("b"), name="home").assembled, paused.run_id, options)
        await advance(new, paused.run_id, options)
        [(began, caller)] = rows(engine, runs.c.versions, runs.c.traceparent)

    parts = [
        record for record in sink.records if record.kind == "run" and record.status != "failed"
    ]
    assert [part.versions for part in parts] == [old.versions, new.versions]
    assert {record.traceparent for record in sink.records} == {CALLER}
    assert {(part.host, part.pid) for part in parts} == {(socket.gethostname(), os.getpid())}
    assert (json.loads(began), caller) == (old.versions, CALLER)


class _State(TypedDict, total=False):
    request: str
    answer: str
    summary: str


class Stepper(BaseAgent[AgentInput, AgentOutput]):
    """A worker of two steps; the second one asks, under a name that is given."""

    name = "stepper"
    description = "…"

    def __init__(self, step: str, schema: Any = _State) -> None:
        super().__init__()
        self.step, self.schema = step, schema

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return the graph."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(self.schema)
        builder.add_node("begin", self.begin)
        builder.add_node(self.step, self.ask)
        builder.add_edge(START, "begin")
        builder.add_edge("begin", self.step)
        return builder

    def begin(self, state: _State) -> _State:  # noqa: ARG002  # a node takes the state
        """Call a model, in effect."""
        count_model_call(prompt_tokens=5, completion_tokens=5)
        return {}

    def ask(self, state: _State) -> _State:  # noqa: ARG002  # a node takes the state
        """Ask, then call a model once more."""
        heard = interrupt("?")
        count_model_call(prompt_tokens=5, completion_tokens=5)
        return {"summary": f"heard {heard}"}


async def test_a_step_that_has_another_name_now_is_told(minerva_home: Path) -> None:
    """LangGraph would end the worker without a word."""
    async with kept(minerva_home) as options:
        paused = await run_team(office(Stepper("ask")).assembled, Task(request="go"), options)
        with pytest.raises(OtherTeamsError, match="has another graph now, without its step `ask`"):
            await resume_team(
                office(Stepper("enquire")).assembled, paused.run_id, answers(paused, "yes"), options
            )


async def test_a_state_that_has_lost_a_key_is_told(minerva_home: Path) -> None:
    """LangGraph would drop its value. With the key, the run goes on."""

    class Wide(_State, total=False):
        count: int

    async def go(_: Any) -> Any:
        return {"count": 7}

    async with kept(minerva_home) as options:
        stepper = Stepper("ask", Wide)
        stepper.begin = go  # type: ignore[method-assign, assignment]  # another first step
        paused = await run_team(office(stepper).assembled, Task(request="go"), options)
        given = answers(paused, "yes")
        with pytest.raises(OtherTeamsError, match="another state now, without its key `count`"):
            await resume_team(office(Stepper("ask")).assembled, paused.run_id, given, options)
        run = await advance(office(Stepper("ask", Wide)).assembled, paused.run_id, options)
    assert (run.status, "heard yes" in run.answer) == ("ok", True)


async def test_a_resumed_run_goes_on_with_its_budget(minerva_home: Path) -> None:
    """Model calls and hops of both parts count, in its own limits; waiting takes no time of it."""
    team = Team(name="office", description="…", members=[Stepper("ask"), StubAgent("b")])
    async with kept(minerva_home, limits=RunLimits(model_calls=2, hops=2, seconds=60)) as options:
        assert options.engine is not None
        team.router = ScriptedRouter("stepper")
        paused = await run_team(team.assembled, Task(request="go"), options)
        ((used,),) = rows(options.engine, runs.c.used)
        assert json.loads(used)["hops"] == 1
        assert json.loads(used)["calls"] == 1

        team.router = ScriptedRouter("b")
        other = replace(options, limits=RunLimits())
        run = await resume_team(team.assembled, paused.run_id, answers(paused, "yes"), other)

        assert (paused.usage.model_calls, run.usage.model_calls) == (1, 2)
        assert run.usage.prompt_tokens == 10
        assert "heard yes" in run.answer
        ((used,),) = rows(options.engine, runs.c.used)
        assert {key: json.loads(used)[key] for key in ("calls", "tokens")} == {
            "calls": 2,
            "tokens": 20,
        }


async def test_a_limit_that_was_reached_before_the_pause_still_holds(minerva_home: Path) -> None:
    """One call of a member was allowed, and it was made before the question."""
    team = Team(name="office", description="…", members=[asker("waits"), StubAgent("b")])
    async with kept(minerva_home, limits=RunLimits(hops=1)) as options:
        team.router = ScriptedRouter("waits")
        paused = await run_team(team.assembled, Task(request="go"), options)
        team.router = ScriptedRouter("b")
        run = await resume_team(team.assembled, paused.run_id, answers(paused, "yes"), options)

    assert run.reason == "loop_limit"
    assert [hop.path for hop in run.hops] == ["office/waits"]


async def test_a_resumed_run_is_streamed(minerva_home: Path) -> None:
    """Each span as it happens, and the run at the end; records know which resume it is."""
    team, sink = office(asker("waits"), StubAgent("b")), MemorySink()
    async with kept(minerva_home, recorder=sink) as options:
        paused = await run_team(team.assembled, Task(request="go"), options)
        before = len(sink.records)
        again = ResumeRequest(paused.run_id, answers(paused, "yes"))
        stream = stream_team(team.assembled, again, nullcontext(options))
        events = [event async for event in stream]

    last = events[-1]
    assert last.run is not None
    assert (last.type, last.path, last.run.status) == ("run", "office", "ok")
    assert "office/waits" in [event.path for event in events if event.type == "finished"]
    assert "office/b" not in [event.path for event in events]
    assert {record.resume_no for record in sink.records[before:]} == {1}


async def test_a_follow_up_goes_on_with_the_words_it_was_understood_by(minerva_home: Path) -> None:
    """Though the thread has later turns by then."""
    waits = asker("waits")
    async with kept(minerva_home) as options:
        await run_team(
            office(StubAgent("waits")).assembled, Task(request="list the orders of May"), options
        )
        paused = await run_team(office(waits).assembled, Task(request="and their length?"), options)
        await run_team(
            office(StubAgent("b")).assembled, Task(request="describe all the customers"), options
        )
        run = await resume_team(
            office(waits).assembled, paused.run_id, answers(paused, "yes"), options
        )

    assert paused.understood == run.understood
    assert "list the orders of May" in run.understood


async def test_a_run_of_the_version_before_is_returned(minerva_home: Path) -> None:
    """It kept what `--json` prints, without media types of artifacts and senders of hand-offs."""
    note = Artifact(name="note.md", media_type="text/markdown", content="x")
    worker = StubAgent("a", behave=lambda _: {"summary": "done", "artifacts": [note]})
    giver = StubAgent("b", gives=[Count(n=1)])
    team = Team(
        name="office",
        description="…",
        members=[worker, giver],
        exports=[Count],
        router=EachOnceRouter(),
    )
    async with kept(minerva_home) as options:
        assert options.engine is not None
        run = await run_team(team.assembled, Task(request="go"), options)
        told = run.to_json_dict()
        del told["all_handoffs"]
        old = runs.update().values(run=json.dumps(told))
        options.engine.write(lambda connection: connection.execute(old))
        again = await advance(team.assembled, run.run_id, options)

    assert again.handoffs == {"office.count": {"n": 1}}
    assert again.all_handoffs == {"office.count": (SentHandoff(payload={"n": 1}),)}
    whole = again.model_copy(update={"all_handoffs": run.all_handoffs})
    assert whole.to_json_dict() == run.to_json_dict()
    assert [artifact.name for artifact in again.artifacts] == ["note.md"]


@pytest.mark.small(databases=1)
async def test_a_run_keeps_each_hand_off_with_its_sender(store: Store, minerva_home: Path) -> None:
    """While it waits, and after its database was closed and opened; the latest is kept once."""
    depot = Team(
        name="depot",
        description="…",
        members=[StubAgent("one", gives=[Count(n=1)]), StubAgent("two", gives=[Count(n=2)])],
        exports=[Count],
        router=ScriptedRouter(["one"], ["two"]),
    )
    team = Team(
        name="office",
        description="…",
        members=[depot, asker("waits")],
        exports=[Count],
        router=ScriptedRouter(["depot"], ["waits"]),
    )
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        paused = await run_team(team.assembled, Task(request="count"), options)
        assert paused.status == "needs_human"
    close_engines()
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home, thread_id="t")
        run = await resume_team(team.assembled, paused.run_id, answers(paused, "yes"), options)
    close_engines()
    with store.opened() as engine:
        options = RunOptions(engine=engine, home=minerva_home)
        again = await advance(team.assembled, run.run_id, options)
        ((row,),) = rows(engine, runs.c.run)

    assert [(one.sender, one.version, one.payload) for one in run.all_handoffs["office.count"]] == [
        ("office/depot/one", 2, {"n": 1}),
        ("office/depot/two", 2, {"n": 2}),
    ]
    assert run.handoffs == {"office.count": {"n": 2}}
    assert paused.all_handoffs == run.all_handoffs
    assert again == run
    first, latest = json.loads(row)["all_handoffs"]["office.count"]
    assert ("payload" in first, "payload" in latest) == (True, False)


async def test_a_cancelled_run_stays_cancelled(minerva_home: Path) -> None:
    """Whoever resumes it is told its status."""
    started = asyncio.Event()

    async def hang(_: Any) -> dict[str, str]:
        started.set()
        await asyncio.Event().wait()
        return {}

    team = office(StubAgent("hangs", behave=hang))
    async with kept(minerva_home) as options:
        assert options.engine is not None
        work = asyncio.create_task(run_team(team.assembled, Task(request="go"), options))
        await started.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        ((run_id,),) = rows(options.engine, runs.c.run_id)
        run = await advance(team.assembled, run_id, options)

    assert (run.status, run.reason, run.run_id) == ("cancelled", "cancelled", run_id)


async def test_a_full_database_stops_a_run_that_later_goes_on(minerva_home: Path) -> None:
    """What cannot be kept is not waited for; with space again the run comes to the same end."""
    async with kept(minerva_home) as options:
        engine = options.engine
        assert engine is not None

        def fill(_: Any) -> dict[str, str]:
            engine.write(_fill)
            return {"summary": os.urandom(30_000).hex()}  # more than the last page has room for

        filler = StubAgent("filler", behave=fill)
        stopped = await run_team(
            office(filler, asker("waits")).assembled, Task(request="go"), options
        )
        assert (stopped.status, stopped.interrupts) == ("failed", ())
        assert f"minerva resume {stopped.run_id}" in stopped.answer

        engine.write(_make_room)
        team = office(StubAgent("filler"), asker("waits"))
        paused = await advance(team.assembled, stopped.run_id, options)
        run = await resume_team(team.assembled, paused.run_id, answers(paused, "yes"), options)

    assert (paused.status, run.status) == ("needs_human", "ok")
    assert "waits heard yes" in run.answer


def _fill(connection: Connection) -> None:
    """Let SQLite take no more pages, as if the disk were full."""
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    free = connection.exec_driver_sql("PRAGMA freelist_count").scalar()
    assert free == 0
    connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


def _make_room(connection: Connection) -> None:
    connection.exec_driver_sql("PRAGMA max_page_count = 1000000")


async def test_a_team_is_resumed_by_itself_and_by_another_of_the_same_name(
    minerva_home: Path,
) -> None:
    """With a thread a team keeps its runs in the home; whoever has it there goes on."""
    paused = await office(asker("waits")).aask("go", thread="t")
    (question,) = paused.interrupts
    given = {question.id: {"type": "respond", "value": "yes"}}
    run = await office(asker("waits")).aresume(paused.run_id, given, by="ann")

    assert (run.status, run.answer) == ("ok", "waits heard yes")
    assert (minerva_home / "state.db").exists()


def test_where_nothing_is_kept_a_question_is_refused_and_nothing_is_resumed(
    tmp_path: Path,
) -> None:
    """Both sentences name the setting."""
    (tmp_path / "platform.yaml").write_text("keep_state: false\n", encoding="utf-8")
    with Platform(settings=Settings(tmp_path), teams=[office(asker("waits"))]) as platform:
        run = platform.ask("ask waits for its part number 0")
        with pytest.raises(RunError, match=r"set `keep_state: true` in platform\.yaml"):
            platform.resume(run.run_id)

    assert run.status == "failed"
    assert "Set `keep_state: true` in platform.yaml" in run.answer


@pytest.mark.small(databases=1)
async def test_questions_and_decisions_are_recorded_beside_the_work(
    store: Store, minerva_home: Path
) -> None:
    """Who asked and what was decided by whom; a question that is still open is not told twice."""
    sink = MemorySink()
    with store.opened() as engine:
        options = RunOptions(recorder=sink, engine=engine, home=minerva_home, thread_id="t")
        team = office(asker("first"), asker("second"))
        run = paused = await run_team(team.assembled, Task(request="list the orders"), options)
        for question in paused.interrupts:
            answer = {question.id: {"type": "respond", "message": "a secret word"}}
            run = await resume_team(
                team.assembled, paused.run_id, DecisionBatch(answer, "kim"), options
            )

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
        paused = await run_team(team.assembled, Task(request="pay it"), options)
        answer = {paused.interrupts[0].id: {"type": "respond", "message": "yes"}}
        run = await resume_team(team.assembled, paused.run_id, DecisionBatch(answer), options)

    assert run.answer == "pay it: yes"
    assert "Blocked" not in caplog.text
