"""Time belongs to who spends it: self times and waits together are the time of a run."""

import asyncio
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import START
from langgraph.types import interrupt

from minerva_observability import MemorySink, Metrics, Record, SpanStore, build_recorder
from minerva_observability.testing import ManualClock
from minerva_platform import Run, RunLimits, Task, Team, Transfer
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import advance, resume_team
from minerva_platform.langgraph import as_tool
from minerva_platform.routing import Network, Workflow
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.decisions import decide
from minerva_platform.storage.ledger.run_start import NewRun, enqueue
from minerva_platform.testing import EachOnceRouter, StubAgent

STEPS = 3
SHAPES = ("routed", "workflow", "network", "led")


class Trees:
    """Makes trees of teams whose workers and routers move the clock of `day`."""

    def __init__(self) -> None:
        self.day = ManualClock()
        self.spent: dict[str, float] = {}
        """What each worker has spent itself, by its name."""

    def worker(self, depth: int, part: str, *below: Any, then: str = "") -> StubAgent:
        """Return a worker that spends 3 times as many ms as its number, and asks those `below`."""
        name, ms = f"{part}{depth}", 10.0 * depth + len(self.spent)
        self.spent[name] = STEPS * ms
        tools = [as_tool(each) for each in below]

        async def behave(_: Any) -> dict[str, Any]:
            for _step in range(STEPS):
                self.day.advance(ms)
                await asyncio.sleep(0)
            for each in tools:
                await each.ainvoke({"request": "go on"})
            passed = [Transfer(to=then, request="go on")] if then else []
            return {"summary": name, "transfers": passed}

        return StubAgent(name, behave=behave)

    def tree(self, shape: str, depth: int) -> Team:
        """Return a team with teams of the same shape below it, `depth` of them."""
        below = [self.tree(shape, depth - 1)] if depth > 1 else []
        names = [each.name for each in below]
        if shape == "led":
            members: list[Any] = [self.worker(depth, "lead", *below, self.worker(depth, "a"))]
            members.append(self.worker(depth, "b"))
            router: Any = EachOnceRouter()
        elif shape == "network":
            last = self.worker(depth, "b")
            members = [self.worker(depth, "a", then=[*names, last.name][0]), *below, last]
            router = Network(start=members[0].name, peers={members[0].name: [*names, last.name]})
        else:
            members = [self.worker(depth, part) for part in "abc"] + below
            first, *others = [each.name for each in members]
            order: dict[str, Any] = {START: first, first: tuple(others)}
            router = Workflow(order) if shape == "workflow" else EachOnceRouter()
        return Team(name=f"team{depth}", description="…", members=members, router=router)


async def records_of(trees: Trees, team: Team, **limits: Any) -> tuple[Run, list[Record]]:
    """Return a run by the clock of `trees`, and its records."""
    sink = MemorySink()
    options = RunOptions(recorder=sink, limits=RunLimits(**limits), clock=trees.day.as_clock())
    return await run_team(team.assembled, Task(request="go"), options), sink.records


def total(records: Iterable[Record], field: str = "self_ms") -> float:
    """Return the sum of a field."""
    return float(sum(getattr(record, field) for record in records))


@pytest.mark.small(5)
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("shape", SHAPES)
async def test_self_times_and_waits_cover_a_run(shape: str, depth: int) -> None:
    """No moment counts twice but beside another one, and none is nobody's."""
    for places in (1, 2, 16):
        trees = Trees()
        run, records = await records_of(trees, trees.tree(shape, depth), concurrency=places)

        assert run.status == "ok", run.bypassed
        (root,) = [record for record in records if record.kind == "run"]
        waits = [record for record in records if record.kind == "wait"]
        calls = {record.agent_name: record for record in records if record.kind == "agent"}
        assert len(run.hops) > depth
        # beside the workers that have a place, each team below may choose
        assert total(records) <= root.ms * (places + depth - 1)
        assert total(records) + total(waits, "ms") >= 0.98 * root.ms
        assert {record.reason for record in waits} <= {"place"}
        assert total(waits) == 0
        if places == 1:  # one after another: everybody's time is exactly its own
            own = {name: calls[name] for name in trees.spent if name in calls}
            assert {name: sum_of(records, name) for name in own} == pytest.approx(
                {name: trees.spent[name] for name in own}
            )
            plain = {
                hop.path.rpartition("/")[2]: hop.ms for hop in run.hops if "lead" not in hop.path
            }
            assert plain == pytest.approx({name: trees.spent[name] for name in plain})


def sum_of(records: Iterable[Record], agent: str) -> float:
    """Return the self times of an agent, its nodes included."""
    return total(record for record in records if record.agent_name == agent)


async def test_a_call_that_asks_a_person_is_one_call_with_all_its_parts(minerva_home: Path) -> None:
    """Its mean, the run's and the hop's are over both parts; the person's time is a wait."""
    day = ManualClock()
    day.now_ns = time.time_ns()

    def ask(_: Any) -> dict[str, str]:
        day.advance(30)
        heard = interrupt("may I?")
        day.advance(50)
        return {"summary": heard}

    team = Team(
        name="office",
        description="…",
        members=(StubAgent("asks", behave=ask),),
        router=EachOnceRouter(),
    )
    recorder = build_recorder(minerva_home, environment={})
    with opened_engine(minerva_home / "state.db") as engine:
        options = RunOptions(
            engine=engine, home=minerva_home, recorder=recorder, clock=day.as_clock()
        )
        paused = await run_team(team.assembled, Task(request="go"), options)
        given = {paused.interrupts[0].id: {"type": "respond", "value": "yes"}}
        run = await resume_team(team.assembled, paused.run_id, DecisionBatch(given), options)
    recorder.close()
    with SpanStore(minerva_home) as store:
        store.refresh()
        metrics = Metrics(store)
        agents = {each.name: each for each in metrics.figures("agent")}
        parts = metrics.time_parts("asks")

    asks = agents["asks"]
    assert (asks.calls, asks.pauses, asks.mean_ms, asks.p95_ms) == (1, 1, 110, 110)
    assert agents["office_team_supervisor"].mean_ms == 110
    assert [hop.ms for hop in run.hops] == [110]
    assert sum(part.ms for part in parts if part.kind != "wait") == asks.total_ms == 110
    assert [(part.kind, part.name) for part in parts if part.kind == "wait"] == [("wait", "person")]
    assert metrics_waits(minerva_home).keys() == {"person"}


@pytest.mark.parametrize("cut", ["decision", "let_go", "crash"])
async def test_waits_for_a_process_cover_a_run(
    cut: str, minerva_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From its request on, after a decision made elsewhere, and after its process let go or died.

    A crash leaves the database as it was while the worker worked, and no more records.
    """
    day, sink, has_begun = ManualClock(), MemorySink(), asyncio.Event()
    began_ns = day.now_ns
    monkeypatch.setattr(time, "time", lambda: day.now_ns / 1e9)

    async def behave(_: Any) -> dict[str, str]:
        day.advance(3_000)
        if cut == "decision":
            interrupt("may I?")
        elif not has_begun.is_set():
            has_begun.set()
            await asyncio.Event().wait()
        day.advance(5_000)
        return {"summary": "done"}

    members = (StubAgent("works", behave=behave),)
    team = Team(name="office", description="…", members=members, router=EachOnceRouter()).assembled
    place, left = minerva_home / "state.db", minerva_home / "left.db"
    with opened_engine(place, clock=time.time) as engine:
        options = RunOptions(engine=engine, home=minerva_home, recorder=sink, clock=day.as_clock())
        enqueue(engine, NewRun("r", "t", "office", Task(request="go")))
        day.advance(20_000)
        first = asyncio.create_task(advance(team, "r", options, let_begin=lambda *_: True))
        if cut == "decision":
            [asked] = (await first).interrupts
            day.advance(40_000)
            decide(
                engine,
                "r",
                {asked.id: {"type": "respond", "value": "yes"}},
                by="ann",
                wakes=True,
                now=time.time,
            )
        else:
            await has_begun.wait()
            with closing(sqlite3.connect(place)) as now, closing(sqlite3.connect(left)) as copy:
                now.backup(copy)
            records = [*sink.records]
            first.cancel()
            await asyncio.wait([first])
            if cut == "crash":
                sink.records[:] = records
        day.advance(60_000)
        with opened_engine(left if cut == "crash" else place, clock=time.time) as later:
            run = await advance(team, "r", replace(options, engine=later))

    assert (run.status, run.answer) == ("ok", "done")
    waits = [each for each in sink.records if each.kind == "wait"]
    asks = ["person"] if cut == "decision" else []
    assert sorted(each.reason or "" for each in waits) == [*asks, "queue", "queue"]
    covered = total(sink.records) + total(waits, "ms")
    assert covered == pytest.approx((day.now_ns - began_ns) / 1e6, rel=0.02)


def metrics_waits(home: Path) -> dict[str, float]:
    """Return the waits of all runs, as `minerva stats` has them."""
    with SpanStore(home) as store:
        store.refresh()
        return dict(Metrics(store).totals().waits_ms)
