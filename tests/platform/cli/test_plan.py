"""What `minerva explain` foresees is what a run does, and foreseeing calls nobody."""

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from minerva_platform import Handoff, Task, Team
from minerva_platform.contract.handoff import HandoffRecord
from minerva_platform.conversation.preview import Plan, foresee
from minerva_platform.routing import Decision, Goal
from minerva_platform.testing import ScriptedRouter, StubAgent


class Index(Handoff):
    """What the second team makes early, for itself."""

    kind: ClassVar[str] = "code.index"


class Mapping(Handoff):
    """What the first team hands to the second."""

    kind: ClassVar[str] = "data.mapping"


class Draft(Handoff):
    """What stays inside the first team."""

    kind: ClassVar[str] = "data.draft"


def ends_with(*names: str) -> ScriptedRouter:
    """Return a router whose whole plan, each time, is to call `names`."""
    return ScriptedRouter([*names, "FINISH"], repeat=True)


def build_tree() -> tuple[Team, list[StubAgent]]:
    """Return two teams of which the second waits for the first, but can prepare."""
    drafter = StubAgent("drafter", gives=[Draft()])
    mapper = StubAgent("mapper", needs=[Draft], gives=[Mapping()])
    auditor = StubAgent("auditor", wants=[Mapping])
    parser = StubAgent("parser", gives=[Index()])
    finder = StubAgent("finder", needs=[Index], wants=[Mapping])
    data = Team(
        name="data", description="d", members=[drafter, mapper, auditor], exports=[Mapping],
        audits={"data.mapping": "auditor"}, router=ends_with("mapper"),
    )  # fmt: skip
    code = Team(
        name="code", description="c", members=[parser, finder], exports=[Index],
        router=ends_with("finder"),
    )  # fmt: skip
    root = Team(
        name="platform", description="p", members=[data, code],
        router=ends_with("data", "code"),
    )  # fmt: skip
    return root, [drafter, mapper, auditor, parser, finder]


def leaves(plan: Plan) -> list[str]:
    """Return the paths of the workers that would be called, in order."""
    return [
        path
        for stage in plan.stages
        for call in stage
        for path in (leaves(call.inner) if call.inner else [call.path])
    ]


async def test_the_plan_is_what_the_run_does() -> None:
    """Producers, audits, early calls and the second call's number included."""
    root, workers = build_tree()
    task = Task(request="map it and find it")
    plan = await foresee(root.assembled, task)
    called = [len(worker.calls) for worker in workers]
    run = await root.ainvoke({"request": "map it and find it"})

    assert called == [0, 0, 0, 0, 0]
    assert sorted(leaves(plan)) == sorted(hop["path"] for hop in run["hops"])
    assert leaves(plan) == [
        "platform/data/drafter",
        "platform/data/mapper",
        "platform/data/auditor",
        "platform/code/parser",
        "platform/code#2/finder",
    ]
    assert [[call.role for call in stage] for stage in plan.stages] == [
        ["goal", "preparation"],
        ["goal"],
    ]


@pytest.mark.usefixtures("with_trial")
def test_explain_shows_the_decision_and_the_stages(invoke: Any, minerva_home: Path) -> None:
    """For people: request, goals, scores, router, and who would work when. Nothing is run."""
    done = invoke("explain", "speak then fail", "--team", "trial")

    assert done.exit_code == 0
    assert done.stdout.splitlines()[0] == "trial"
    assert "scores   speak 1.00  fail 1.00" in done.stdout
    assert "router   words" in done.stdout
    assert "stage 1  speak  asked for" in done.stdout
    assert not minerva_home.exists()


async def test_the_plan_says_what_nobody_serves() -> None:
    """The same parts as the run; what a follow-up repeats of earlier turns is none of them."""
    goal = Goal(member="a", request="go")
    router = ScriptedRouter(Decision(goals=(goal,), unserved=("pay them", "go")), repeat=True)
    team = Team(name="t", description="…", members=[StubAgent("a")], router=router)
    plan = await foresee(team.assembled, Task(request="check it and pay them"))
    later = await foresee(
        team.assembled, Task(request="check it and pay them\nand go on"), person_words="and go on"
    )

    assert plan.decision is not None
    assert plan.decision.unserved == ("pay them",)
    assert later.decision is not None
    assert later.decision.unserved == ("go",)


async def test_a_finish_with_nothing_done_serves_nobody() -> None:
    """The run would end with `no_route`; only small talk needs nobody."""
    team = Team(name="t", description="…", members=[StubAgent("a")], router=ends_with())
    plan = await foresee(team.assembled, Task(request="check it"))

    assert (plan.stages, plan.is_small_talk) == ((), False)


async def test_the_plan_skips_what_a_run_would_skip() -> None:
    """A member whose need nobody gives, with the cause; the others would be called."""
    finder = StubAgent("finder", needs=[Index])
    members = [finder, StubAgent("other")]
    router = ends_with("finder", "other")
    team = Team(name="t", description="…", members=members, router=router)
    plan = await foresee(team.assembled, Task(request="go"))
    run = await team.ainvoke({"request": "go"})

    assert [(call.path, call.cause) for call in plan.skipped] == [
        ("t/finder", "it needs code.index, which no member gave")
    ]
    assert leaves(plan) == [hop["path"] for hop in run["hops"]] == ["t/other"]
    assert [(item["path"], item["cause"]) for item in run["bypassed"]] == [
        (call.path, call.cause) for call in plan.skipped
    ]


async def test_the_plan_counts_on_what_is_there() -> None:
    """The hand-offs of a follow-up are not made again, as in a run."""
    drafter = StubAgent("drafter", gives=[Draft()])
    mapper = StubAgent("mapper", needs=[Draft])
    team = Team(
        name="t", description="…", members=[drafter, mapper], router=ends_with("mapper")
    )  # fmt: skip
    there = HandoffRecord(path="earlier:t/drafter", version=1, json={})

    fresh = await foresee(team.assembled, Task(request="go"))
    later = await foresee(team.assembled, Task(request="go", handoffs={"data.draft": [there]}))

    assert leaves(fresh) == ["t/drafter", "t/mapper"]
    assert leaves(later) == ["t/mapper"]


@pytest.mark.usefixtures("with_trial")
def test_explain_says_when_nobody_serves_it(invoke: Any) -> None:
    """With the code that the run would end with; as JSON, too."""
    done = invoke("explain", "book a flight", "--team", "trial")
    as_json = invoke("explain", "book a flight", "--team", "trial", "--json")

    assert (done.exit_code, as_json.exit_code) == (1, 1)
    assert "nobody serves this (no_route)" in done.stdout
    assert "a worker learns such a request from its `examples`" in done.stdout
    assert json.loads(as_json.stdout)["stages"] == []
