"""What every shape of a team keeps: the same tests for each router, at depth 1 or 3.

A router that leads a team is added to `shapes.SHAPES`, and `shapes.Leader` learns how it asks.
"""

import asyncio
import json
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from itertools import cycle, product
from pathlib import Path
from typing import Any, TypedDict

import pytest
from forms import forms
from langgraph.graph import START, StateGraph
from shapes import (
    APART,
    BY_TOOLS,
    DECLARED,
    NOTE,
    PORTER,
    SHAPES,
    Leader,
    asked,
    asked_twice,
    check_records,
    examples_of,
    leader,
    led,
    model_at,
    path_to,
    tree,
    worker,
)

from minerva_observability import MemorySink
from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    Run,
    RunLimits,
    Task,
    Team,
    ask_person,
)
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.testing import ModelCall, Reply, ScriptedOpenAI, scripted_openai_server

DEPTHS = (1, 3)
pytestmark = [
    pytest.mark.usefixtures("fresh_models"),
    pytest.mark.parametrize(
        ("shape", "depth"), forms(product(SHAPES, DEPTHS), zip(SHAPES, cycle(DEPTHS[::-1])))
    ),
]

Members = Callable[[], tuple[BaseAgent[Any, Any], ...]]


class Office:
    """A tree, the model that leads it, and what became of its runs; each part is made anew."""

    def __init__(self, shape: str, depth: int, home: Path, server: ScriptedOpenAI) -> None:
        self.shape, self.depth, self.home, self.server = shape, depth, home, server
        self.model, self.sink = model_at(server.url), MemorySink()
        self.members: Members = lambda: (worker("invoices"), worker("parcels"))
        self.declared: dict[str, Any] = {}

    def made(self) -> Team:
        """Return the team as a process makes it."""
        team = tree(*self.members(), depth=self.depth, **self.declared)
        return led(team, self.shape, self.model)

    async def ask(self, request: str, **limits: Any) -> Run:
        """Ask once; nothing is kept."""
        options = RunOptions(recorder=self.sink, limits=RunLimits(**limits))
        return self.checked(await run_team(self.made().assembled, Task(request=request), options))

    async def begin(self, request: str, **limits: Any) -> Run:
        """Ask once; the run is kept."""
        with opened_engine(self.home / "state.db") as engine:
            options = RunOptions(
                recorder=self.sink, home=self.home, engine=engine, limits=RunLimits(**limits)
            )
            return await run_team(self.made().assembled, Task(request=request), options)

    async def answer(self, run: Run, value: str = "yes") -> Run:
        """Answer what a run asks, to a team that was made anew."""
        given = {each.id: {"type": "respond", "value": value} for each in run.interrupts}
        with opened_engine(self.home / "state.db") as engine:
            options = RunOptions(recorder=self.sink, home=self.home, engine=engine)
            return await resume_team(
                self.made().assembled, run.run_id, DecisionBatch(given), options
            )

    def checked(self, run: Run) -> Run:
        """Return a run that has ended, whose account is that of its records and its model."""
        check_records(run, self.sink.records)
        assert run.usage.model_calls == len(self.server.calls)
        return run

    def path(self, name: str) -> str:
        """Return the path of a worker."""
        return path_to(name, self.depth)

    def statuses(self, run: Run) -> dict[str, str]:
        """Return how the calls of workers ended, by the last part of their paths."""
        ended: dict[str, str] = {hop.path.rpartition("/")[2]: hop.status for hop in run.hops}
        assert ended.pop(PORTER, None) == ("ok" if self.shape in DECLARED else None)
        return ended


@contextmanager
def office_of(
    shape: str, depth: int, home: Path, script: Callable[[ModelCall], Reply]
) -> Generator[Office]:
    """Give an office whose model answers by `script`."""
    home.mkdir(exist_ok=True)
    with scripted_openai_server(script) as server:
        yield Office(shape, depth, home, server)


@pytest.fixture
def office(shape: str, depth: int, minerva_home: Path) -> Generator[Office]:
    """Give an office of two workers that answer."""
    with office_of(shape, depth, minerva_home, leader("invoices", "parcels")) as made:
        yield made


BOTH = asked("invoices", "parcels")


def broken(_: Any) -> None:
    """Fail."""
    message = "no connection"
    raise OSError(message)


async def never(_: Any) -> None:
    """Hang."""
    await asyncio.Event().wait()


def asking(_: Any) -> dict[str, str]:
    """Ask a person, and answer with the answer."""
    return {"summary": f"a person said {ask_person('May I count?')}"}


@pytest.mark.small(3)
async def test_each_member_answers(office: Office) -> None:
    """Once, and the model is asked nothing twice."""
    run = await office.ask(BOTH)

    assert run.status == "ok"
    assert office.statuses(run) == {"invoices": "ok", "parcels": "ok"}
    assert "invoices answered" in run.answer
    assert "parcels answered" in run.answer
    assert asked_twice(office.server.calls) == []


async def test_the_whole_tree_is_drawn(office: Office) -> None:
    """As `minerva graph` prints it: each team's supervisor, and each worker."""
    diagram = office.made().graph.get_graph(xray=True).draw_mermaid()

    assert diagram.count("(supervisor)") == office.depth
    for name in ("invoices", "parcels"):
        assert name in diagram


@pytest.mark.small(9)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("behave", "status", "cause"),
    [
        (broken, "failed", "no connection"),
        (lambda _: {"summary": 7}, "failed", "`invoices` broke its own contract"),
        (never, "timeout", "gave no answer within 0.05 s"),
    ],
    ids=["fails", "answers wrongly", "hangs"],
)
async def test_a_sibling_s_failure_leaves_what_went_well(
    office: Office, behave: Any, status: str, cause: str
) -> None:
    """Where it failed and why is told once; the rest is the answer."""
    limit = 0.05 if behave is never else None
    office.members = lambda: (worker("invoices", behave, timeout=limit), worker("parcels"))

    run = await office.ask(BOTH)

    assert run.status == "ok_degraded"
    assert office.statuses(run) == {"invoices": status, "parcels": "ok"}
    assert "parcels answered" in run.answer
    (entry,) = run.bypassed
    assert (entry.path, entry.because_of) == (office.path("invoices"), None)
    assert cause in entry.cause
    assert f"`{entry.path}`: {entry.sentence}" in run.answer


@pytest.mark.slow
async def test_a_run_whose_only_member_fails_has_failed(office: Office, shape: str) -> None:
    """At each level above, the failure is said to have begun in the worker."""
    office.members = lambda: (worker("invoices", broken), worker("parcels"))

    run = await office.ask(asked("invoices"))

    assert office.statuses(run) == {"invoices": "failed"}
    began = {entry.because_of or entry.path for entry in run.bypassed}
    assert began == {office.path("invoices")}
    if shape == "workflow":  # the porter before it did what he was to do
        assert (run.status, run.reason, len(run.bypassed)) == ("ok_degraded", None, 1)
    else:
        assert (run.status, run.reason) == ("failed", "all_failed")
        assert len(run.bypassed) == office.depth


@pytest.mark.small(3)
@pytest.mark.slow
async def test_a_substitute_answers(office: Office) -> None:
    """The failure stays on record; nobody else is called."""
    office.members = lambda: (worker("invoices", broken), worker("parcels"), worker("visitors"))
    office.declared = {"substitutes": {"invoices": "visitors"}}

    run = await office.ask(asked("invoices"))

    assert run.status == "ok_degraded"
    assert office.statuses(run) == {"invoices": "failed", "visitors": "ok"}
    assert run.answer.startswith("visitors answered")
    assert [entry.action for entry in run.bypassed] == ["substituted"]


async def test_the_limit_of_calls_ends_the_run(office: Office, shape: str) -> None:
    """Before a stage that is too large for it, or by tools after the calls that fit."""
    hops = office.depth + (shape in DECLARED)  # one short of the two workers
    run = await office.ask(BOTH, hops=hops)

    assert run.reason == "loop_limit"
    assert "hops" in run.answer
    if shape in BY_TOOLS or shape in DECLARED:
        assert (run.status, office.statuses(run)) == ("ok_degraded", {"invoices": "ok"})
        assert [entry.action for entry in run.bypassed] == ["skipped"]
    else:
        assert (run.status, run.hops) == ("failed", ())


async def test_the_limit_of_model_calls_ends_the_run(office: Office, shape: str) -> None:
    """At the first decision that has none left; without a model there is nothing to limit."""
    run = await office.ask(BOTH, model_calls=1)

    unled = {"embedded", *DECLARED}
    if shape in unled or (shape == "plan" and office.depth == 1):
        assert run.status == "ok" or run.reason == "budget_model_calls"
    else:
        assert run.status in {"ok_degraded", "failed"}
        assert run.reason == "budget_model_calls"
    assert len(office.server.calls) <= 1


@pytest.mark.small(3)
@pytest.mark.slow
async def test_the_run_s_time_ends_a_member_that_hangs(office: Office) -> None:
    """What was done by then is the answer."""
    office.members = lambda: (worker("invoices", never), worker("parcels"))

    run = await office.ask(BOTH, seconds=3.0)

    assert (run.status, run.reason) == ("ok_degraded", "deadline")
    assert office.statuses(run) == {"invoices": "timeout", "parcels": "ok"}
    assert "parcels answered" in run.answer


class _Kept(TypedDict, total=False):
    request: str
    private: str
    summary: str
    detail: str


class _Detailed(AgentOutput):
    detail: str


SAID, DETAIL, PRIVATE = "said-7f21", "detail-7f21", "private-7f21"


class Secretive(BaseAgent[AgentInput, _Detailed]):
    """A worker with a state of its own, an answer, and a field beside its answer."""

    name = "invoices"
    description = "…"
    examples = examples_of("invoices")

    def build_graph(self) -> Any:
        """Return a graph of two steps."""
        builder: Any = StateGraph(_Kept)
        builder.add_node("look", lambda _: {"private": PRIVATE})
        builder.add_node("say", lambda _: {"summary": SAID, "detail": DETAIL})
        builder.add_edge(START, "look")
        builder.add_edge("look", "say")
        return builder


@pytest.mark.small(3)
@pytest.mark.slow
async def test_nothing_leaks_over_a_border(shape: str, depth: int, minerva_home: Path) -> None:
    """A worker's state, its answer and its part of the request stay on their side of a border."""
    heard = list[str]()

    def listen(given: Any) -> dict[str, str]:
        heard.append(repr(given))
        return {"summary": "parcels answered"}

    workers = (Secretive(), worker("parcels", listen))
    below = {"house": ["invoices", "parcels"], "desk": ["invoices"], "counter": ["parcels"]}
    members: Iterable[BaseAgent[Any, Any]] = workers
    for names in [("desk", "counter"), ("house",)] if depth > 1 else []:
        groups = [(each,) for each in members] if len(names) > 1 else [tuple(members)]
        members = [
            Team(name=name, description="…", members=group)
            for name, group in zip(names, groups, strict=True)
        ]
    team = Team(name="office", description="…", members=tuple(members))
    sink = MemorySink()
    with scripted_openai_server(Leader(below)) as server:
        options = RunOptions(recorder=sink, home=minerva_home)
        run = await run_team(
            led(team, shape, model_at(server.url)).assembled, Task(request=BOTH), options
        )

    assert run.status == "ok"
    assert SAID in run.answer
    assert len(heard) == 1
    assert "count the parcels" in heard[0]
    prompts = [json.dumps(call.body) for call in server.calls]
    records = repr(sink.records)
    # a workflow has no parts: each of its members is asked the whole of its team's request
    hears_all = shape == "workflow" and depth == 1
    for canary in (SAID, DETAIL, PRIVATE, "count the invoices", NOTE):
        assert canary not in heard[0] or (hears_all and canary == "count the invoices")
        assert canary not in records
    assert not any(canary in prompt for canary in (DETAIL, PRIVATE) for prompt in prompts)
    assert any(SAID in prompt for prompt in prompts) == (shape in BY_TOOLS)
    if depth > 1:  # each team's prompts hold its own part alone
        inner = [prompt for prompt in prompts if "count the invoices" not in prompt]
        assert len(inner) == {"plan": 1, "tools": 2, "dispatch": 2}.get(shape, 0)
        assert not any(SAID in prompt for prompt in inner)
    check_records(run, sink.records)


def paths_of(run: Run) -> list[str]:
    """Return the paths of the workers that ask."""
    return sorted(question.path for question in run.interrupts)


@pytest.mark.small(3)
@pytest.mark.slow
async def test_a_pause_keeps_what_was_done_beside_it(office: Office) -> None:
    """The decision goes to the one who asked; neither sibling nor model is asked again."""
    counted = list[str]()

    def count(_: Any) -> dict[str, str]:
        counted.append("parcels")
        return {"summary": "parcels answered"}

    office.members = lambda: (worker("invoices", asking), worker("parcels", count))
    paused = await office.begin(BOTH)
    assert (paused.status, paths_of(paused)) == ("needs_human", [office.path("invoices")])
    assert office.statuses(paused) == {"parcels": "ok"}
    assert "parcels answered" in paused.answer
    before = len(office.server.calls)
    assert paused.usage.model_calls == before

    run = office.checked(await office.answer(paused))

    assert (run.status, run.run_id) == ("ok", paused.run_id)
    assert office.statuses(run) == {"invoices": "ok", "parcels": "ok"}
    assert "a person said yes" in run.answer
    assert counted == ["parcels"]
    assert asked_twice(office.server.calls) == []


@pytest.mark.small(3)
@pytest.mark.slow
async def test_a_failure_beside_a_pause_is_told_once(office: Office) -> None:
    """While the run waits, and at its end; who failed is not called again."""
    tried = list[str]()

    def fail(given: Any) -> None:
        tried.append(given.request)
        broken(given)

    office.members = lambda: (worker("invoices", asking), worker("parcels", fail))
    paused = await office.begin(BOTH)
    assert (paused.status, paths_of(paused)) == ("needs_human", [office.path("invoices")])
    assert office.statuses(paused) == {"parcels": "failed"}
    assert [entry.path for entry in paused.bypassed] == [office.path("parcels")]

    run = office.checked(await office.answer(paused))

    assert run.status == "ok_degraded"
    assert office.statuses(run) == {"invoices": "ok", "parcels": "failed"}
    assert [entry.path for entry in run.bypassed] == [office.path("parcels")]
    assert len(tried) == 1


@pytest.mark.small(3)
@pytest.mark.slow
async def test_a_member_may_pause_twice(office: Office) -> None:
    """Each question has its answer; its first answer is not asked for again."""

    def ask_twice(_: Any) -> dict[str, str]:
        first, second = ask_person("How many?"), ask_person("Of which?")
        return {"summary": f"{first} of {second}"}

    office.members = lambda: (worker("invoices", ask_twice), worker("parcels"))
    first = await office.begin(BOTH)
    second = await office.answer(first, "two")
    assert [question.text for question in second.interrupts] == ["Of which?"]
    assert second.status == "needs_human"

    run = office.checked(await office.answer(second, "these"))

    assert run.status == "ok"
    assert "two of these" in run.answer
    assert office.statuses(run) == {"invoices": "ok", "parcels": "ok"}
    assert asked_twice(office.server.calls) == []


@pytest.mark.small(3)
@pytest.mark.slow
async def test_calls_of_one_member_fail_and_pause_apart(office: Office, shape: str) -> None:
    """A router that keeps goals apart makes a call of each; the others make one of all."""
    answered = list[str]()

    def count(given: Any) -> dict[str, str]:
        if "Tuesday" in given.request:
            return {"summary": f"a person said {ask_person('How many?')}"}
        if "Monday" in given.request:
            broken(given)
        answered.append(given.request)
        return {"summary": "Friday answered"}

    days = ("Monday", "Tuesday", "Friday")
    office.members = lambda: (worker("parcels", count), worker("invoices"))
    paused = await office.begin(asked(*(f"parcels of {day}" for day in days)))
    is_apart = shape in APART
    asker = office.path("parcels#2" if is_apart else "parcels")
    assert (paused.status, paths_of(paused)) == ("needs_human", [asker])

    run = office.checked(await office.answer(paused))

    assert "a person said yes" in run.answer
    if is_apart:
        assert run.status == "ok_degraded"
        ended = {"parcels": "failed", "parcels#2": "ok", "parcels#3": "ok"}
        assert office.statuses(run) == ended
        assert answered == ["count the parcels of Friday"]
    else:
        assert (run.status, office.statuses(run)) == ("ok", {"parcels": "ok"})
    assert asked_twice(office.server.calls) == []


GARBAGE = (
    Reply(text=""),
    Reply(tool_calls=[("nobody", {"request": "x"}), ("task", "{"), ("parcels", "{")]),
)


@pytest.mark.small(6)
@pytest.mark.slow
@pytest.mark.parametrize("garbage", GARBAGE, ids=["empty", "unusable"])
async def test_a_model_that_fails_after_the_pause_loses_nothing(
    shape: str, depth: int, minerva_home: Path, garbage: Reply
) -> None:
    """What the members did is the answer, and nobody is called again."""
    good, tried = leader("invoices", "parcels"), list[str]()
    is_broken = False

    def script(call: ModelCall) -> Reply:
        return garbage if is_broken else good(call)

    def count(_: Any) -> dict[str, str]:
        tried.append("parcels")
        return {"summary": "parcels answered"}

    with office_of(shape, depth, minerva_home, script) as office:
        office.members = lambda: (worker("invoices", asking), worker("parcels", count))
        paused = await office.begin(BOTH)
        is_broken = True
        run = office.checked(await office.answer(paused))

    assert run.status in {"ok", "ok_degraded"}
    assert office.statuses(run) == {"invoices": "ok", "parcels": "ok"}
    assert "parcels answered" in run.answer
    assert "a person said yes" in run.answer
    assert tried == ["parcels"]
