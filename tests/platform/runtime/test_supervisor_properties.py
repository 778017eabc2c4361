"""Properties of every tree: all goals are served once, in an order that the contracts allow."""

import asyncio
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from forms import IS_WHOLE
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from minerva_platform import Handoff, Run, RunLimits, Task, Team
from minerva_platform.durable.active_run import run_team
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent


@dataclass
class Tree:
    """A drawn tree of teams, and what its workers should do."""

    root: Team
    workers: dict[str, StubAgent]
    """By path."""
    needs: dict[str, set[str]] = field(default_factory=dict)
    wants: dict[str, set[str]] = field(default_factory=dict)
    """Of each worker's path: the paths of those whose hand-offs it takes."""
    failing: set[str] = field(default_factory=set)


@cache
def handoff_type(name: str) -> type[Handoff]:
    """Return a hand-off that only the worker `name` gives."""
    return type(
        f"From{name}", (Handoff,), {"kind": f"tree.{name}", "__annotations__": {"text": str}}
    )


@st.composite
def trees(draw: st.DrawFn, *, with_failures: bool = False) -> Tree:
    """Draw a tree of depth 2 to 4 with up to 40 members and acyclic needs and wants.

    Workers are numbered as they are met, depth first; each may take what workers of smaller
    numbers give, so nothing waits in a circle, and teams export everything.
    """
    makers: list[tuple[str, type[Handoff]]] = []
    tree = Tree(Team(name="root", description="…"), {})
    left = [draw(st.integers(2, 40))]

    def worker(path: str) -> StubAgent:
        number = len(tree.workers)
        name = f"w{number}"
        path = f"{path}/{name}"
        mine = handoff_type(name)
        taken = draw(st.lists(st.sampled_from(makers), max_size=3, unique=True)) if makers else []
        needed = [draw(st.booleans()) for _ in taken]
        if with_failures and draw(st.integers(0, 4)) == 0:
            tree.failing.add(path)
        stub = StubAgent(
            name,
            needs=[kind for (_, kind), is_need in zip(taken, needed, strict=True) if is_need],
            wants=[kind for (_, kind), is_need in zip(taken, needed, strict=True) if not is_need],
            gives=[mine.model_validate({"text": name})],
            behave=_fail if path in tree.failing else None,
        )
        tree.workers[path] = stub
        tree.needs[path] = {p for (p, _), need in zip(taken, needed, strict=True) if need}
        tree.wants[path] = {p for (p, _), need in zip(taken, needed, strict=True) if not need}
        makers.append((path, mine))
        return stub

    def team(name: str, path: str, depth: int) -> Team:
        members: list[Any] = []
        for number in range(draw(st.integers(2, 6))):
            if left[0] <= 0:
                break
            left[0] -= 1
            if depth > 1 and draw(st.booleans()):
                members.append(team(f"{name}_{number}", f"{path}/{name}_{number}", depth - 1))
            else:
                members.append(worker(path))
        if not members:
            members.append(worker(path))
        exports = tuple(kind for _, kind in makers)
        inner = {kind for agent in members for kind in agent.flow.gives}
        return Team(
            name=name,
            description="…",
            members=members,
            exports=[kind for kind in exports if kind.kind in inner],
            router=EachOnceRouter(),
        )

    tree.root = team("root", "root", draw(st.integers(2, 4)))
    return tree


def _fail(_: Any) -> Any:
    message = "broken"
    raise OSError(message)


def run_tree(tree: Tree) -> Run:
    """Ask every worker of the tree once."""
    options = RunOptions(limits=RunLimits(hops=500))
    return run_sync(run_team, tree.root.assembled, Task(request=PART, context="all of it"), options)


PART = "this part"
"""The words of every goal; who is called without a goal reads the context."""

PROPERTY = settings(
    max_examples=12 if IS_WHOLE else 4,
    deadline=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],  # explaining traces every line
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def first_visit(path: str) -> str:
    """Return a hop's path without the numbers of calls."""
    return "/".join(part.split("#")[0] for part in path.split("/"))


@pytest.mark.slow
@pytest.mark.small
@PROPERTY
@given(tree=trees())
def test_n_goals_give_n_results_each_once(tree: Tree) -> None:
    """However the tree is shaped, and whoever waits for whom.

    What a team prepares for its later visit is no answer to a goal: it is called without words
    of its own, and only where a team is visited twice.
    """
    run = run_tree(tree)

    assert (run.status, run.reason, run.bypassed) == ("ok", None, ())
    assert {first_visit(hop.path) for hop in run.hops} == tree.workers.keys()
    for stub in tree.workers.values():
        assert [call.request for call in stub.calls].count(PART) == 1
    early = sum(len(stub.calls) - 1 for stub in tree.workers.values())
    assert early == 0 or any("#2" in hop.path for hop in run.hops)


@pytest.mark.slow
@pytest.mark.small
@PROPERTY
@given(tree=trees())
def test_no_order_breaks_a_declared_dependency(tree: Tree) -> None:
    """By the order of starts, and by what each worker was given when it was asked."""
    run = run_tree(tree)

    order = [first_visit(hop.path) for hop in run.hops]
    for path, stub in tree.workers.items():
        (asked,) = [call for call in stub.calls if call.request == PART]
        for other in tree.needs[path] | tree.wants[path]:
            maker = other.rsplit("/", 1)[-1]
            assert order.index(other) < len(order) - order[::-1].index(path)
            assert getattr(asked, f"tree_{maker}").text == maker


@pytest.mark.slow
@pytest.mark.small
@PROPERTY
@given(tree=trees(with_failures=True))
def test_failures_take_only_those_who_need_them(tree: Tree) -> None:
    """Who failed or needed it is bypassed with cause and action; all others answered."""
    run = run_tree(tree)

    lost = set(tree.failing)
    for path in tree.workers:  # needs go to smaller numbers only
        if tree.needs[path] & lost:
            lost.add(path)
    answered = {first_visit(hop.path) for hop in run.hops if hop.status == "ok"}
    assert answered == tree.workers.keys() - lost
    actions = {(first_visit(entry.path), entry.action) for entry in run.bypassed}
    assert actions >= {(path, "skipped") for path in lost - tree.failing}
    action = "bypassed" if answered else "stopped"
    assert actions >= {(p, action) for p in tree.failing if not tree.needs[p] & lost}
    assert run.status == ("ok" if not lost else "ok_degraded" if answered else "failed")


@pytest.mark.slow
@pytest.mark.small
@PROPERTY
@given(order=st.permutations(range(6)), data=st.data())
def test_scripted_goals_one_by_one_or_together(order: list[int], data: st.DataObject) -> None:
    """However a router hands its goals over, each is served once, in its order."""
    stubs = [StubAgent(f"a{number}") for number in range(6)]
    cuts = sorted(data.draw(st.sets(st.integers(1, 5))))
    groups = [order[i:j] for i, j in zip([0, *cuts], [*cuts, 6], strict=True)]
    script = [[f"a{number}" for number in group] for group in groups]
    team = Team(name="t", description="…", members=stubs, router=ScriptedRouter(*script))

    run = run_sync(run_team, team.assembled, Task(request="go"), RunOptions())

    assert run.status == "ok"
    assert [len(stub.calls) for stub in stubs] == [1] * 6
    stages = [sorted(f"t/a{number}" for number in group) for group in groups]
    called = [hop.path for hop in run.hops]
    for stage in stages:
        assert sorted(called[: len(stage)]) == stage
        called = called[len(stage) :]


def test_a_tree_drawn_wide_and_flat_runs_side_by_side() -> None:
    """Forty members that need nobody are one stage."""
    started: list[int] = []
    together = asyncio.Event()

    async def meet(_: Any) -> None:
        started.append(1)
        if len(started) == 40:
            together.set()
        await together.wait()

    members = [StubAgent(f"a{number}", behave=meet) for number in range(40)]
    team = Team(name="t", description="…", members=members, router=EachOnceRouter())
    options = RunOptions(limits=RunLimits(concurrency=40, seconds=30))

    run = run_sync(run_team, team.assembled, Task(request="go"), options)

    assert (run.status, len(run.hops)) == ("ok", 40)
