"""Every hop, node and decision of a run is on record, and the times add up."""

import time
from typing import Any, ClassVar, TypedDict

import pytest
from langgraph.graph import START, StateGraph

from minerva_observability import MemorySink, Record
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Decision, Handoff, Task, Team
from minerva_platform.durable.active_run import run_team
from minerva_platform.routing import Goal
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent


class Index(Handoff):
    """Prepared early."""

    kind: ClassVar[str] = "records.index"


class Plan(Handoff):
    """Waited for."""

    kind: ClassVar[str] = "records.plan"


class _State(TypedDict, total=False):
    request: str
    summary: str


class Works(BaseAgent[AgentInput, AgentOutput]):
    """A worker with two nodes that take their time on the processor."""

    name = "works"
    description = "…"

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of a blocking node and an async one."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
        builder.add_node("parse", self.parse)
        builder.add_node("audit", self.audit)
        builder.add_edge(START, "parse")
        builder.add_edge("parse", "audit")
        return builder

    def parse(self, state: _State) -> _State:  # noqa: ARG002  # a node takes the state
        """Work in a daemon thread."""
        _spin()
        return {}

    async def audit(self, state: _State) -> _State:  # noqa: ARG002  # a node takes the state
        """Work in the loop."""
        _spin()
        return {"summary": "done"}


def _spin(ms: float = 5) -> None:
    end = time.perf_counter() + ms / 1000
    while time.perf_counter() < end:
        pass


async def records_of(team: Team) -> list[Record]:
    """Return what a run of `team` records."""
    sink = MemorySink()
    await run_team(team.assembled, Task(request="go", context="환자 go"), RunOptions(recorder=sink))
    return sink.records


def named(name: str) -> Works:
    """Return a worker called `name`."""
    agent = Works()
    agent.name = name
    return agent


async def test_every_hop_has_agent_and_node_rows() -> None:
    """With the path, the team and the names that a dashboard groups by."""
    data = Team(
        name="data", description="…", members=(named("retrieval_agent"),), router=EachOnceRouter()
    )
    platform = Team(name="platform", description="…", members=(data,), router=EachOnceRouter())

    rows = [
        (r.kind, r.path, r.team, r.agent_name, r.node, r.status) for r in await records_of(platform)
    ]

    worker = "platform/data/retrieval_agent"
    assert rows == [
        ("route", "platform", "platform", "platform_supervisor", "supervisor", "ok"),
        ("route", "platform/data", "data", "data_team_supervisor", "supervisor", "ok"),
        ("node", worker, "data", "retrieval_agent", "parse", "ok"),
        ("node", worker, "data", "retrieval_agent", "audit", "ok"),
        ("agent", worker, "data", "retrieval_agent", None, "ok"),
        ("agent", "platform/data", "data", "data_team_supervisor", None, "ok"),
        ("run", "platform", "platform", "platform_supervisor", None, "ok"),
    ]


async def test_rows_hang_together() -> None:
    """One run, one tree: every parent is there, the run is the root."""
    inner = Team(name="inner", description="…", members=(named("a"),), router=EachOnceRouter())
    records = await records_of(
        Team(name="t", description="…", members=(inner, named("b")), router=EachOnceRouter())
    )

    by_id = {record.span_id: record for record in records}
    parents = {
        (r.kind, r.path, r.node): by_id[r.parent_id].path if r.parent_id else None for r in records
    }
    assert parents[("run", "t", None)] is None
    assert parents[("agent", "t/inner", None)] == "t"
    assert parents[("agent", "t/inner/a", None)] == "t/inner"
    assert parents[("node", "t/inner/a", "parse")] == "t/inner/a"
    assert len({record.run_id for record in records}) == 1
    assert len({record.thread_id for record in records}) == 1


async def test_the_second_visit_has_a_path_of_its_own() -> None:
    """`#2` in everything below it, too."""
    code = Team(
        name="code",
        description="…",
        members=(
            StubAgent("parser", gives=[Index()]),
            StubAgent("search", needs=[Index], wants=[Plan]),
        ),
        exports=(Index,),
        router=ScriptedRouter("search"),
    )
    platform = Team(
        name="platform",
        description="…",
        members=(StubAgent("data", gives=[Plan()]), code),
        router=ScriptedRouter(["data", "code"]),
    )

    agents = [r.path for r in await records_of(platform) if r.kind == "agent"]

    assert sorted(agents[:3]) == ["platform/code", "platform/code/parser", "platform/data"]
    assert agents[3:] == ["platform/code#2/search", "platform/code#2"]


async def test_self_times_of_a_sequential_run_add_up_to_its_wall_time() -> None:
    """Nothing is counted twice and nothing is missing, within 5 %."""
    inner = Team(
        name="inner",
        description="…",
        members=(named("a"), named("b")),
        router=ScriptedRouter("a", "b"),
    )
    team = Team(
        name="t",
        description="…",
        members=(named("c"), inner),
        router=ScriptedRouter("c", "inner"),
    )

    records = await records_of(team)

    (run,) = [record for record in records if record.kind == "run"]
    assert sum(record.self_ms for record in records) == pytest.approx(run.ms, rel=0.05)
    assert run.ms > 30


async def test_route_rows_hold_the_decision() -> None:
    """Goals, scores, runner-up and margin, but not the words."""
    decision = Decision(
        goals=(Goal(member="a", request="secret words"),),
        finish=True,
        scores={"a": 0.9, "b": 0.1},
        runner_up="b",
        margin=0.8,
        router="embedded",
    )
    members = (StubAgent("a"), StubAgent("b"))
    team = Team(name="t", description="…", members=members, router=ScriptedRouter(decision))

    (route,) = [record for record in await records_of(team) if record.kind == "route"]

    assert route.router == "embedded"
    assert route.decision == {
        "goals": ["a"],
        "finish": True,
        "scores": {"a": 0.9, "b": 0.1},
        "runner_up": "b",
        "margin": 0.8,
    }


async def test_a_decision_that_cannot_be_used_is_recorded_as_failed() -> None:
    """With what was wrong."""
    decision = Decision(goals=(Goal(member="nobody", request="x"),))
    team = Team(
        name="t", description="…", members=(StubAgent("a"),), router=ScriptedRouter(decision)
    )

    records = await records_of(team)

    assert [(r.kind, r.status, r.reason) for r in records] == [
        ("route", "failed", None),
        ("run", "failed", "bad_decision"),
    ]
    assert "nobody" in str(records[0].error)


async def test_the_run_row_knows_the_request_by_its_digest_only() -> None:
    """Requests are personal data; equal ones can still be counted."""
    team = Team(name="t", description="…", members=(StubAgent("a"),), router=EachOnceRouter())

    one, two = [(await records_of(team))[-1] for _ in range(2)]

    assert one.request_sha256 == two.request_sha256
    assert len(one.request_sha256 or "") == 64
    assert "환자" not in str(one)


async def test_a_recorder_that_breaks_never_fails_a_run() -> None:
    """Observability is not allowed to be the failure."""

    class Broken(MemorySink):
        def finished(self, record: Record) -> None:  # noqa: ARG002  # the seam's signature
            message = "disk full"
            raise OSError(message)

    team = Team(name="t", description="…", members=(StubAgent("a"),), router=EachOnceRouter())

    run = await run_team(team.assembled, Task(request="go"), RunOptions(recorder=Broken()))

    assert run.status == "ok"


async def test_a_sensitive_field_is_in_no_record() -> None:
    """Even if the worker's error quotes it."""

    def quotes(payload: Any) -> None:
        message = f"cannot parse {payload.request}"
        raise ValueError(message)

    agent = StubAgent("a", behave=quotes)
    agent.sensitive = ("request",)
    team = Team(name="t", description="…", members=(agent,), router=EachOnceRouter())
    sink = MemorySink()

    run = await run_team(team.assembled, Task(request="850101-1234567"), RunOptions(recorder=sink))

    assert "850101" not in str(sink.records)
    assert "850101" not in run.model_dump_json()


class Missing(Handoff):
    """What nobody gives in the end."""

    kind: ClassVar[str] = "t.missing"


def fails(_: Any) -> None:
    """Fail."""
    message = "no"
    raise ValueError(message)


async def test_the_words_of_a_sensitive_member_are_not_told_when_it_is_skipped() -> None:
    """Neither by the run nor by the records; those of its neighbour are."""
    secret, plain = (StubAgent(name, needs=(Missing,)) for name in ("a", "b"))
    secret.sensitive = ("request",)
    giver = StubAgent("giver", gives=(Missing(),), behave=fails)
    members = (secret, plain, giver)
    team = Team(name="t", description="…", members=members, router=EachOnceRouter())
    sink = MemorySink()
    options = RunOptions(recorder=sink)

    run = await run_team(team.assembled, Task(request="the blue door"), options)

    parts = {each.path: each.part for each in run.bypassed}
    assert (parts["t/a"], parts["t/b"]) == ("", "the blue door")
    assert "blue" not in str(sink.records)


async def test_an_agent_alone_is_recorded_when_a_scope_is_bound() -> None:
    """And runs as well without one."""
    assert (await named("a").ainvoke({"request": "x"}))["summary"] == "done"
