"""What orchestration costs: MINERVA against the same tree as plain LangGraph supervisors.

The work: one request that visits three teams in turn, two workers in each. Both trees have
the same deterministic workers (a graph of one node), the same scripted choices and state on disk:
plain LangGraph by AsyncSqliteSaver, MINERVA in its ledger. MINERVA also records every span to
`runs.jsonl`. The unit is CPU
(user + system of this process) per run, medians of alternating runs.

    python tests/bench/orchestration.py
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypedDict

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

from minerva_observability import NO_RECORDER, JsonlSink, Recorder
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Task, Team
from minerva_platform.durable.active_run import run_team
from minerva_platform.routing import Router
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import engine_in_loop
from minerva_platform.testing import ScriptedRouter

RUNS = 60
WARM_UP = 5
VISITED_TEAMS, VISITED_WORKERS = 3, 2
REQUEST = "standardise the columns, find the code that breaks and report what violates the policy"

Once = Callable[[str], Awaitable[Any]]


class WorkerState(TypedDict, total=False):
    """The state of every worker, on both sides."""

    request: str
    summary: str


def answer(state: WorkerState) -> WorkerState:
    """Work deterministically, and hardly at all."""
    return {"summary": f"{len(state.get('request', ''))} characters read"}


async def answer_async(state: WorkerState) -> WorkerState:
    """Do the same as a coroutine, so that no thread is involved on either side."""
    return answer(state)


def worker_graph() -> StateGraph[Any, Any, Any, Any]:
    """Return the worker both trees run."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(WorkerState)
    builder.add_node("answer", answer_async)
    builder.add_edge(START, "answer")
    return builder


# ---- the plain tree, as the tutorial writes it


class PlainState(MessagesState):
    """Messages and the supervisor's choice."""

    next: str


def plain_supervisor(members: list[str], visits: int) -> Callable[[PlainState], Any]:
    """Return a supervisor node that visits the first `visits` members in turn, then FINISH."""

    async def supervise(state: PlainState) -> Command[Any]:
        done = {message.name for message in state["messages"] if message.name}
        choice = next((name for name in members[:visits] if name not in done), "FINISH")
        return Command(goto=END if choice == "FINISH" else choice, update={"next": choice})

    return supervise


def plain_level(members: dict[str, Callable[..., Any]], visits: int) -> Any:
    """Return the graph of one supervisor over nodes."""
    builder: StateGraph[Any, Any, Any, Any] = StateGraph(PlainState)
    names = list(members)
    choose: Any = plain_supervisor(names, visits)
    builder.add_node("supervisor", choose, destinations=(*names, END))
    builder.add_edge(START, "supervisor")
    for name, node in members.items():
        builder.add_node(name, node)
        builder.add_edge(name, "supervisor")
    return builder


def plain_worker_node(name: str) -> Callable[..., Any]:
    """Return a node that calls a worker's graph and answers with a named message."""
    graph = worker_graph().compile()

    async def node(state: PlainState) -> dict[str, Any]:
        final = await graph.ainvoke({"request": str(state["messages"][0].content)})
        return {"messages": [AIMessage(content=final["summary"], name=name)]}

    return node


def plain_team_node(name: str, workers: int) -> Callable[..., Any]:
    """Return a node that calls a team's graph and answers with its last message."""
    names = {f"{name}_worker_{number}": None for number in range(workers)}
    members = {worker: plain_worker_node(worker) for worker in names}
    graph = plain_level(members, VISITED_WORKERS).compile()

    async def node(state: PlainState) -> dict[str, Any]:
        final = await graph.ainvoke({"messages": [state["messages"][0]]})
        return {"messages": [AIMessage(content=final["messages"][-1].content, name=name)]}

    return node


def plain_tree(teams: int, workers: int, checkpointer: Any) -> Once:
    """Return a function that runs the plain hierarchy once."""
    members = {
        f"team_{number}": plain_team_node(f"team_{number}", workers) for number in range(teams)
    }
    graph = plain_level(members, VISITED_TEAMS).compile(checkpointer=checkpointer)

    async def once(thread_id: str) -> Any:
        config: Any = {"configurable": {"thread_id": thread_id}}
        return await graph.ainvoke({"messages": [HumanMessage(REQUEST)]}, config)

    return once


# ---- the same tree in MINERVA


class Worker(BaseAgent[AgentInput, AgentOutput]):
    """The worker behind the agent contract."""

    description = "Reads the request."

    def __init__(self, name: str) -> None:
        self.name = name
        self.examples = tuple(f"ask {name} for part {number}" for number in range(10))

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return the same graph of one node."""
        return worker_graph()


class FreshScript:
    """The scripted choice: the first `visits` members, one after another, as one plan."""

    def __init__(self, visits: int) -> None:
        self.visits = visits

    async def decide(self, view: Any) -> Any:
        """Answer as a new `ScriptedRouter` would, whichever run asks."""
        names = [card.name for card in view.members[: self.visits]]
        done = len(view.results)
        router = ScriptedRouter(names[done]) if done < len(names) else ScriptedRouter()
        return await router.decide(view)


def minerva_tree(
    teams: int,
    workers: int,
    engine: Engine,
    recorder: Recorder,
    routing: Callable[[int], Router],
) -> Once:
    """Return a function that runs the MINERVA tree once."""
    members = [
        Team(
            name=f"team_{team}",
            description="A team.",
            members=[Worker(f"team_{team}_worker_{worker}") for worker in range(workers)],
            router=routing(VISITED_WORKERS),
        )
        for team in range(teams)
    ]
    platform = Team(
        name="platform", description="All.", members=members, router=routing(VISITED_TEAMS)
    )

    async def once(thread_id: str) -> Any:
        options = RunOptions(recorder=recorder, engine=engine, thread_id=thread_id)
        run = await run_team(platform.assembled, Task(request=REQUEST), options)
        assert run.status == "ok", run
        assert len(run.hops) == VISITED_TEAMS * VISITED_WORKERS, run
        return run

    return once


# ---- measuring


async def cpu_ms(once: Once, thread_id: str) -> float:
    """Return the CPU milliseconds of one run."""
    started = time.process_time()
    await once(thread_id)
    return (time.process_time() - started) * 1000


async def medians(subjects: dict[str, Once]) -> dict[str, tuple[float, float]]:
    """Run the subjects in turn; return each one's median ms and median ratio to the first.

    A round holds a run of each, a breath apart, so a machine that slows down slows them all.
    """
    rows: list[dict[str, float]] = []
    for turn in range(RUNS + WARM_UP):
        stamp = time.time_ns()
        rows.append(
            {name: await cpu_ms(once, f"{name}-{stamp}") for name, once in subjects.items()}
        )
        if turn < WARM_UP:
            rows.clear()
    base = next(iter(subjects))
    return {
        name: (
            statistics.median(row[name] for row in rows),
            statistics.median(row[name] / row[base] for row in rows),
        )
        for name in subjects
    }


async def compare(folder: Path) -> dict[str, tuple[float, float]]:
    """Measure every subject."""
    recorder = JsonlSink(folder / "runs.jsonl")
    plain_db = AsyncSqliteSaver.from_conn_string(str(folder / "plain.db"))
    async with plain_db as plain_saver, engine_in_loop(folder / "state.db") as engine:
        return await medians(
            {
                "plain 3x3": plain_tree(3, 3, plain_saver),
                "minerva 3x3": minerva_tree(3, 3, engine, recorder, FreshScript),
                "minerva 3x3, not recorded": minerva_tree(3, 3, engine, NO_RECORDER, FreshScript),
                "plain 30x30": plain_tree(30, 30, plain_saver),
                "minerva 30x30": minerva_tree(30, 30, engine, recorder, FreshScript),
            }
        )


def main() -> int:
    """Print the table; exit 0 (a benchmark reports, it does not judge)."""
    with TemporaryDirectory() as folder:
        found = asyncio.run(compare(Path(folder)))
    print(f"{'CPU ms per run':<28}{'median':>9}{'ratio':>8}   ({RUNS} rounds)")
    for name, (value, ratio) in found.items():
        print(f"{name:<28}{value:>9.2f}{ratio:>8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
