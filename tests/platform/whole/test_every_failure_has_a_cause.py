"""No run is degraded or failed without a row that says what happened and what was done about it.

One table over every kind of fault: what went wrong, how the run ended, and the rows at which a
failure began. All else that failed points to one of them.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypedDict, get_args

import pytest
from kept import keep_turn
from langgraph.graph import START, StateGraph
from langgraph.types import Command, RetryPolicy
from pydantic import BaseModel, create_model

from minerva_observability import build_recorder, read_records
from minerva_platform import (
    AgentError,
    AgentInput,
    AgentOutput,
    Attachment,
    BaseAgent,
    Citation,
    Decision,
    Handoff,
    Model,
    RefusedAnswerError,
    Run,
    RunLimits,
    Task,
    Team,
)
from minerva_platform.config.router_spec import RouterName
from minerva_platform.contract.result import REASON_ERRORS, Reason
from minerva_platform.durable.active_run import run_team
from minerva_platform.langgraph import agent_from_graph
from minerva_platform.models import ModelSpec
from minerva_platform.routing import Goal
from minerva_platform.run_context.context import current_run
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.turn import KeptTurn
from minerva_platform.testing import (
    EachOnceRouter,
    Fault,
    Reply,
    ScriptedRouter,
    StubAgent,
    scripted_openai_server,
)
from minerva_platform.testing.model_script import Answer
from minerva_platform.text import has_hangul

pytestmark = pytest.mark.usefixtures("fresh_models")

Row = Mapping[str, Any]

Root = tuple[str, str, str]
"""Where a failure began, what was done, and the class of the error."""

SHORT_S = 0.3
"""Of what hangs for a minute."""


class Plan(Handoff):
    """What one gives and another needs."""

    kind: ClassVar[str] = "causes.plan"


class Report(Handoff):
    """What the second one gives."""

    kind: ClassVar[str] = "causes.report"


class Guess(BaseModel):
    """What a model is asked for."""

    word: str


class _State(TypedDict, total=False):
    request: str
    summary: str


class Worker(BaseAgent[AgentInput, AgentOutput]):
    """A worker of one node, which may be tried again and may ask a model."""

    description = "…"

    def __init__(self, name: str, *, fails: int = 0, questions: int = 0) -> None:
        self.name = name
        self.examples = tuple(f"ask {name} for its part number {n}" for n in range(10))
        self.fails, self.questions = fails, questions

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of one node that is tried twice."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
        policy = RetryPolicy(max_attempts=2, retry_on=OSError, initial_interval=0.001, jitter=False)
        work: Any = self.step
        builder.add_node("work", work, retry_policy=policy)
        builder.add_edge(START, "work")
        return builder

    async def step(self, _: _State) -> _State:
        """Fail as often as it is set to, then ask as often as it is set to."""
        if self.fails:
            self.fails -= 1
            message = "connection reset"
            raise OSError(message)
        core = Guess(word="core")
        for _number in range(self.questions):
            core = await self.assist("which?", schema=Guess, instead=core, check=self.confirmed)
        return {"summary": core.word}

    def confirmed(self, guess: Guess) -> Guess:
        """Refuse what the core does not know."""
        if guess.word == "invented":
            message = "`invented` is in no dictionary."
            raise RefusedAnswerError(message)
        return guess


class BrokenRouter:
    """Raises, or hangs."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    async def decide(self, view: Any) -> Decision:  # noqa: ARG002  # the seam's signature
        """Answer nothing."""
        if self.error is None:
            await asyncio.sleep(60)
        raise self.error or AssertionError


class BrokenTeam(Team):
    """Cannot say how its visit ended."""

    def state_to_output(self, state: Any) -> Any:  # noqa: ARG002  # the contract's signature
        """Break, as a team's own code may."""
        message = "no outcome"
        raise LookupError(message)


class WordlessTeam(Team):
    """Cannot put an answer together."""

    def finish(self, task: Task, shown: Any) -> str:  # noqa: ARG002  # the seam's signature
        """Break, as a team's own code may."""
        message = "no template"
        raise LookupError(message)


def raising(error: BaseException) -> Callable[[Any], Any]:
    """Return a behaviour that raises `error`."""

    def behave(_: Any) -> Any:
        raise error

    return behave


async def hangs(_: Any) -> None:
    """Wait for a minute that nobody waits for."""
    await asyncio.sleep(60)


async def hangs_past_the_deadline(_: Any) -> None:
    """Hang while the run's time runs out, however long it took to get here."""
    budget = current_run().budget
    budget.deadline = budget.clock()
    await asyncio.sleep(60)


def bad(name: str = "bad", error: BaseException | None = None, **more: Any) -> StubAgent:
    """Return a worker that raises."""
    return StubAgent(name, behave=raising(error or ValueError("no table")), **more)


def late() -> StubAgent:
    """Return a worker that is cut when the run's time is over."""
    return StubAgent("bad", behave=hangs_past_the_deadline, timeout=SHORT_S)


def team(*members: Any, name: str = "t", **declared: Any) -> Team:
    """Return a team that asks each member once."""
    declared.setdefault("router", EachOnceRouter())
    return Team(name=name, description="…", members=members, **declared)


def partly(unserved: str) -> ScriptedRouter:
    """Return a router for which `unserved` is nobody's."""
    goals = (Goal(member="good", request="go"),)
    return ScriptedRouter(Decision(goals=goals, finish=True, unserved=(unserved,)))


def routed(router: RouterName) -> Team:
    """Return a team that routes by a model."""
    cats, walls = StubAgent("cats"), StubAgent("walls")
    cats.examples = ("feed the cat", "which cat is that", "the cat is ill", "고양이 밥 줘")
    walls.examples = ("paint the wall", "which colour has it", "a green wall", "벽을 칠해줘")
    made = team(cats, walls, router=None)
    made.router = router
    return made


def missing_input() -> StubAgent:
    """Return a worker that needs a file nobody attached."""
    agent = StubAgent("bad")
    wanted: Any = (Annotated[Attachment, Attachment.of("*.csv")], ...)
    agent.Input = create_model("bad_input", __base__=AgentInput, file=wanted)
    return agent


def wrapped_graph() -> Any:
    """Return an agent of a graph that somebody else built, which fails."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
    fail: Any = raising(LookupError("no such table"))
    builder.add_node("fail", fail)
    builder.add_edge(START, "fail")
    return agent_from_graph(builder.compile(), name="bad", description="…")


def cited(finish_mode: Any) -> Team:
    """Return a team whose answer a model explains, or puts into words."""
    said = {"summary": "`PT_NO` it is.", "citations": (Citation(source="terms.csv", row=3),)}
    members = (StubAgent("a", behave=lambda _: said), StubAgent("b"))
    made = team(*members)
    made.finish_mode = finish_mode
    return made


def unserved(name: str) -> Team:
    """Return a team in which nobody serves the request."""
    return team(StubAgent("idle"), name=name, router=ScriptedRouter(Decision()))


def audited() -> Team:
    """Return a platform in which one team's check fails, and another needs what it checked."""
    data = team(
        StubAgent("maker", gives=[Plan()]),
        bad("auditor"),
        name="data",
        exports=(Plan,),
        audits={"causes.plan": "auditor"},
        router=ScriptedRouter("maker"),
    )
    reads = team(StubAgent("reader", needs=[Plan]), StubAgent("other"), name="reads")
    return team(data, reads)


def consumers() -> Sequence[StubAgent]:
    """Return two that need, one after the other, what a failing one should have given."""
    return (
        bad("producer", gives=[Plan()]),
        StubAgent("consumer", needs=[Plan], gives=[Report()]),
        StubAgent("last", needs=[Report]),
        StubAgent("other"),
    )


GUESS = Reply(json={"word": "core"})


@dataclass(frozen=True)
class Fate:
    """A fault, how the run ends with it, and where failures began."""

    build: Callable[[], Team]
    roots: Sequence[Root]
    status: str = "ok_degraded"
    reason: Reason | None = None
    model: Answer | None = None
    """What the model of the whole tree answers to everything."""
    model_s: float = 30.0
    """How long it may take."""
    limits: dict[str, Any] = field(default_factory=dict[str, Any])
    follows: Sequence[tuple[str, str]] = ()
    """Failures that follow from another: path, and path of the other."""


def beside(worker: Any, error: str) -> Fate:
    """Return the fate of a worker that fails beside one that does not."""
    return Fate(lambda: team(worker(), StubAgent("good")), [("t/bad", "bypassed", error)])


def helpless(model: Answer, error: str) -> Fate:
    """Return the fate of a worker whose model is no help."""
    helped = Fate(lambda: team(Worker("helped", questions=1)), lost("t/helped", error), model=model)
    return replace(helped, status="ok")


def misled(router: RouterName, model: Answer, error: str) -> Fate:
    """Return the fate of a run that a model should have routed."""
    return Fate(lambda: routed(router), lost("t", error), status="ok", model=model)


def lost(path: str, error: str) -> Sequence[Root]:
    """Return the rows of a model's answer that was lost; a server that is down is asked again."""
    tried = [(path, "retried", error)] if error == "ModelUnavailableError" else []
    return [*tried, (path, "substituted", error)]


def stopped(build: Callable[[], Team], reason: Reason, **more: Any) -> Fate:
    """Return the fate of a run that failed for `reason`, which began at its root."""
    roots = [("t", "stopped", REASON_ERRORS[reason])]
    return Fate(build, roots, status="failed", reason=reason, **more)


ARTIFACT = {"name": "../x", "content": "x"}
STRANGER = Decision(goals=(Goal(member="stranger", request="go"),))

FATES: dict[str, Fate] = {
    # what a worker does
    "a worker raises": beside(bad, "ValueError"),
    "a worker says that it cannot": beside(lambda: bad(error=AgentError("no")), "AgentError"),
    "a worker exits": beside(lambda: bad(error=SystemExit(3)), "AgentExitError"),
    "a worker times out": beside(
        lambda: StubAgent("bad", behave=hangs, timeout=SHORT_S), "AgentTimeoutError"
    ),
    "a worker answers nonsense": beside(
        lambda: StubAgent("bad", behave=lambda _: 4), "OutputError"
    ),
    "a worker breaks its contract": beside(
        lambda: StubAgent("bad", behave=lambda _: {"summary": 5}), "OutputError"
    ),
    "a worker jumps": beside(
        lambda: StubAgent("bad", behave=lambda _: Command(graph=Command.PARENT, goto="good")),
        "OutputError",
    ),
    "a worker's artifact is refused": beside(
        lambda: StubAgent("bad", behave=lambda _: {"summary": "x", "artifacts": [ARTIFACT]}),
        "OutputError",
    ),
    "a worker's input is missing": beside(missing_input, "BindingError"),
    "a wrapped graph fails": beside(wrapped_graph, "LookupError"),
    "a try fails, the next does not": Fate(
        lambda: team(Worker("bad", fails=1)), [("t/bad", "retried", "OSError")], status="ok"
    ),
    "every try fails": Fate(
        lambda: team(Worker("bad", fails=9), StubAgent("good")),
        [("t/bad", "retried", "OSError"), ("t/bad", "bypassed", "OSError")],
    ),
    "a substitute is used": Fate(
        lambda: team(
            bad(), StubAgent("deputy"), router=ScriptedRouter("bad"), substitutes={"bad": "deputy"}
        ),
        [("t/bad", "substituted", "ValueError")],
    ),
    "a substitute fails, too": Fate(
        lambda: team(
            bad(),
            bad("deputy", OSError("down")),
            StubAgent("good"),
            router=ScriptedRouter(["bad", "good"]),
            substitutes={"bad": "deputy"},
        ),
        [("t/bad", "substituted", "ValueError"), ("t/deputy", "bypassed", "OSError")],
    ),
    # what follows from it
    "consumers are skipped": Fate(
        lambda: team(*consumers()),
        [("t/producer", "bypassed", "ValueError")],
        follows=[("t/consumer", "t/producer"), ("t/last", "t/producer")],
    ),
    "a consumer in another team is skipped": Fate(
        lambda: team(
            team(bad("producer", gives=[Plan()]), StubAgent("x"), name="data", exports=(Plan,)),
            team(StubAgent("consumer", needs=[Plan]), StubAgent("y"), name="code"),
        ),
        [("t/data/producer", "bypassed", "ValueError")],
        follows=[("t/code/consumer", "t/data/producer")],
    ),
    "a check fails": Fate(
        audited,
        [("t/data/auditor", "bypassed", "ValueError")],
        follows=[("t/reads/reader", "t/data/auditor")],
    ),
    "nobody gives what is needed": Fate(
        lambda: team(StubAgent("consumer", needs=[Plan]), StubAgent("good")),
        [("t/consumer", "skipped", "MissingHandoffError")],
    ),
    "all members fail": Fate(
        lambda: team(bad(), bad("worse")),
        [("t/bad", "stopped", "ValueError"), ("t/worse", "stopped", "ValueError")],
        status="failed",
        reason="all_failed",
        follows=[("t", "t/bad")],
    ),
    "one of two teams fails": Fate(
        lambda: team(team(bad(), name="data"), team(StubAgent("x"), name="code")),
        [("t/data/bad", "bypassed", "ValueError")],
        follows=[("t/data", "t/data/bad")],
    ),
    "the only team fails": Fate(
        lambda: team(team(bad(), name="data")),
        [("t/data/bad", "stopped", "ValueError")],
        status="failed",
        reason="all_failed",
        follows=[("t/data", "t/data/bad"), ("t", "t/data/bad")],
    ),
    "a team's own code fails": Fate(
        lambda: team(
            BrokenTeam(
                name="data", description="…", members=(StubAgent("x"),), router=EachOnceRouter()
            ),
            StubAgent("good"),
        ),
        [("t/data", "bypassed", "LookupError")],
    ),
    "a team's own words fail": Fate(
        lambda: team(
            WordlessTeam(
                name="data", description="…", members=(StubAgent("x"),), router=EachOnceRouter()
            ),
            StubAgent("good"),
        ),
        [("t/data", "substituted", "LookupError")],
    ),
    # what a router does
    "a router raises": stopped(
        lambda: team(StubAgent("a"), router=BrokenRouter(RuntimeError("no weights"))),
        "router_failed",
    ),
    "a router names a stranger": stopped(
        lambda: team(StubAgent("a"), router=ScriptedRouter(STRANGER)), "bad_decision"
    ),
    "a router hangs": stopped(
        lambda: team(StubAgent("a"), router=BrokenRouter()), "deadline", limits={"seconds": SHORT_S}
    ),
    "a team's router raises": Fate(
        lambda: team(
            team(StubAgent("a"), name="data", router=BrokenRouter(RuntimeError("no weights"))),
            StubAgent("good"),
        ),
        [("t/data", "bypassed", "RouterFailedError")],
    ),
    "nobody serves a part of the request": Fate(
        lambda: team(StubAgent("good"), router=partly("cat")),
        [("t", "left_out", "PartlyServedError")],
        reason="partly_served",
    ),
    "nobody serves the request": stopped(lambda: unserved("t"), "no_route"),
    "nobody in a team serves it": Fate(
        lambda: team(unserved("data"), StubAgent("good")),
        [("t/data", "bypassed", "NoRouteError")],
    ),
    "nobody in the only team serves it": Fate(
        lambda: team(unserved("data")),
        [("t/data", "stopped", "NoRouteError")],
        status="failed",
        reason="no_route",
        follows=[("t", "t/data")],
    ),
    "the model that routes is down": misled("plan", Fault("server_error"), "ModelUnavailableError"),
    "it answers garbage": misled("step", Reply(text="hm"), "ModelOutputError"),
    "it refuses the key": misled("plan", Fault("unauthorized"), "ModelRequestError"),
    "it hangs": replace(misled("plan", Fault("hang"), "ModelTimeoutError"), model_s=SHORT_S),
    # what a worker's model, or the model of an answer, does
    "a worker's model is down": helpless(Fault("server_error"), "ModelUnavailableError"),
    "a worker's model is cut": helpless(Fault("length"), "ModelIncompleteError"),
    "a worker refuses what its model says": helpless(
        Reply(json={"word": "invented"}), "RefusedAnswerError"
    ),
    "a worker's model calls are spent": Fate(
        lambda: team(Worker("helped", questions=2)),
        [("t/helped", "substituted", "ModelUnavailableError")],
        status="ok",
        model=GUESS,
        limits={"model_calls": 1},
    ),
    "no model puts the parts into words": Fate(
        lambda: cited("synthesise"),
        lost("t", "ModelUnavailableError"),
        status="ok",
        model=Fault("server_error"),
    ),
    "a model explains what no source says": Fate(
        lambda: cited("explain"),
        [("t", "substituted", "RefusedAnswerError")],
        status="ok",
        model=Reply(json={"statements": [{"text": "7 of them.", "sources": [1]}]}),
    ),
    # limits
    "a worker works until the deadline": Fate(
        lambda: team(late(), StubAgent("good")),
        [("t/bad", "bypassed", "AgentTimeoutError")],
        reason="deadline",
        follows=[("t", "t/bad")],
    ),
    "a worker below works until the deadline": Fate(
        lambda: team(team(late(), name="data"), StubAgent("good")),
        [("t/data/bad", "bypassed", "AgentTimeoutError")],
        reason="deadline",
        follows=[("t/data", "t/data/bad"), ("t", "t/data/bad")],
    ),
    "the plan goes in circles": Fate(
        lambda: team(StubAgent("a"), router=ScriptedRouter("a", repeat=True)),
        [("t", "stopped", "LoopLimitError")],
        reason="loop_limit",
    ),
    "a team's plan goes in circles": Fate(
        lambda: team(
            team(StubAgent("a"), name="data", router=ScriptedRouter("a", repeat=True)),
        ),
        [("t/data", "stopped", "LoopLimitError")],
        reason="loop_limit",
        follows=[("t", "t/data")],
    ),
    "calls of members are spent below": Fate(
        lambda: team(
            team(StubAgent("a"), StubAgent("b"), name="data", router=ScriptedRouter("a", "b")),
        ),
        [("t", "stopped", "LoopLimitError")],
        reason="loop_limit",
        limits={"hops": 2},
        follows=[("t/data", "t")],
    ),
    "model calls are spent": Fate(
        lambda: team(Worker("a", questions=1), StubAgent("b"), router=ScriptedRouter("a", "b")),
        [("t", "stopped", "ModelCallsSpentError")],
        reason="budget_model_calls",
        model=GUESS,
        limits={"model_calls": 1},
    ),
    "tokens are spent": Fate(
        lambda: team(Worker("a", questions=1), StubAgent("b"), router=ScriptedRouter("a", "b")),
        [("t", "stopped", "TokensSpentError")],
        reason="budget_tokens",
        model=GUESS,
        limits={"tokens": 1},
    ),
    # what is ours
    "an internal error": stopped(
        lambda: BrokenTeam(
            name="t", description="…", members=(StubAgent("x"),), router=EachOnceRouter()
        ),
        "internal_error",
    ),
}


class _Scripted:
    """One model server for the whole table, which answers what the fault at hand says."""

    url: str
    answer: Answer = Reply()


@pytest.fixture(scope="module")
def scripted() -> Generator[_Scripted]:
    """Start it once."""
    said = _Scripted()
    with scripted_openai_server(lambda _: said.answer) as server:
        said.url = server.url
        yield said


def equip(made: Team, fate: Fate, scripted: _Scripted) -> None:
    """Give the tree of `made` the model of its fate, if it has one."""
    if fate.model is None:
        return
    scripted.answer = fate.model
    spec = ModelSpec(name="openai:scripted", base_url=scripted.url, timeout=fate.model_s)
    made.model = Model(spec)
    made.assembled.prepare()


async def recorded_run(
    home: Path, made: Team, task: Task | None = None, **options: Any
) -> tuple[Run, list[Row]]:
    """Run a team as a command does, and return the run and the rows of `runs.jsonl`."""
    recorder = build_recorder(home)
    task = task or Task(request="feed the cat")
    try:
        run = await run_team(made.assembled, task, RunOptions(recorder=recorder, **options))
    finally:
        recorder.close()
    return run, rows_of(home)


def rows_of(home: Path) -> list[Row]:
    """Return what is recorded."""
    reader = read_records(home)
    rows: list[Row] = [dict(row) for row in reader]
    assert reader.summary.bad == 0
    return rows


def roots_of(rows: Sequence[Row]) -> list[Root]:
    """Return where failures began, each once."""
    found = [
        (row["path"], row["action"], row["error"]["type"])
        for row in rows
        if "action" in row and "because_of" not in row
    ]
    return sorted(set(found))


def assert_caused(run: Run, rows: Sequence[Row]) -> None:
    """Assert what holds of every run, however it ended."""
    told = [row for row in rows if "action" in row]
    began = {row["path"] for row in told if "because_of" not in row}
    (root,) = [row for row in rows if row["kind"] == "run"]
    assert (root["status"], root.get("reason")) == (run.status, run.reason)
    if run.status in {"ok_degraded", "failed"}:
        assert began
    for row in told:
        assert row["error"]["type"].endswith("Error")
        assert row["error"]["message"]
    assert {row["because_of"] for row in rows if "because_of" in row} <= began
    for entry in run.bypassed:
        assert (entry.because_of or entry.path) in began
        assert entry.path in {row["path"] for row in told}
    if run.reason is not None and run.reason != "partly_served":  # that one stopped nothing
        assert (root["error"]["type"], root["action"]) == (REASON_ERRORS[run.reason], "stopped")


@pytest.mark.small(25)
@pytest.mark.slow
@pytest.mark.parametrize("name", FATES)
async def test_a_degraded_run_has_a_cause_on_record_and_in_the_answer(
    name: str,
    scripted: _Scripted,
    minerva_home: Path,
    english_in: Callable[[str], list[str]],
) -> None:
    """Where it began, what was done and the error's class; all else that failed points there.

    A Korean sentence says it to who asked in Korean; what only programmers read is code in it.
    """
    fate = FATES[name]
    made = fate.build()
    equip(made, fate, scripted)
    task = Task(request="고양이 cat 밥 줘")

    run, rows = await recorded_run(minerva_home, made, task, limits=RunLimits(**fate.limits))

    assert_caused(run, rows)
    assert (run.status, run.reason) == (fate.status, fate.reason)
    assert roots_of(rows) == sorted(fate.roots)
    follows = {(row["path"], row["because_of"]) for row in rows if "because_of" in row}
    assert follows == set(fate.follows)
    assert english_in(run.answer) == []
    for entry in run.bypassed:
        assert english_in(entry.cause) == []
        assert any("가" <= letter <= "힣" for letter in entry.cause)


async def test_a_cancelled_run_says_so(minerva_home: Path) -> None:
    """Its row has the reason's class; those below it were only called off."""
    begun = asyncio.Event()

    async def waits(_: Any) -> None:
        begun.set()
        await asyncio.sleep(60)

    work = asyncio.create_task(recorded_run(minerva_home, team(StubAgent("a", behave=waits))))
    await begun.wait()
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    rows = rows_of(minerva_home)
    assert roots_of(rows) == [("t", "stopped", "CancelledError")]
    assert {row.get("reason") for row in rows if row["status"] == "skipped"} == {"cancelled"}


@pytest.mark.parametrize(("when", "node"), [("UPDATE", "keep"), ("SELECT", "understand")])
async def test_a_thread_that_cannot_be_used_is_on_record(
    when: str, node: str, minerva_home: Path
) -> None:
    """The answer is there; its turn is not kept, or the turns before are not read.

    That is said in the language that the run was asked to answer in.
    """
    state = minerva_home / "state.db"
    before = KeptTurn(request="a", answer="b", topic="a", run_id="r", status="ok", root="t")
    keep_turn(state, "t", before)
    with closing(sqlite3.connect(state)) as database:
        if when == "UPDATE":
            raised = "BEFORE UPDATE ON turns BEGIN SELECT RAISE(ABORT, 'disk full'); END"
            database.execute(f"CREATE TRIGGER full {raised}")
        else:
            database.execute("ALTER TABLE turns RENAME COLUMN turn TO lost")
        database.commit()

    task = Task(request="feed the cat", language="ko")
    with opened_engine(state) as engine:
        run, rows = await recorded_run(
            minerva_home, team(StubAgent("a")), task, thread_id="t", engine=engine
        )

    assert_caused(run, rows)
    assert has_hangul(run.bypassed[0].cause)
    assert (run.status, run.answer.splitlines()[0]) == ("ok_degraded", "a answered")
    nodes = {
        row["node"]: row["action"] for row in rows if row["kind"] == "node" and "action" in row
    }
    assert nodes[node] == "bypassed"


async def test_small_talk_is_ok_and_has_no_cause(minerva_home: Path) -> None:
    """Its reason says that nothing was asked for."""
    recorder = build_recorder(minerva_home)
    thanks = Task(request="thank you!")
    run = await run_team(team(StubAgent("a")).assembled, thanks, RunOptions(recorder=recorder))
    recorder.close()

    assert (run.status, run.reason) == ("ok", "small_talk")
    assert roots_of(rows_of(minerva_home)) == []


def test_every_reason_has_a_class() -> None:
    """But answers without work, which are none for complaint."""
    reasons = set(get_args(Reason)) - {"about", "small_talk", "asked_back"}

    assert set(REASON_ERRORS) == reasons
    assert all(name.endswith("Error") for name in REASON_ERRORS.values())
    assert len(set(REASON_ERRORS.values())) == len(REASON_ERRORS)
