"""The state of a run lies in SQLite and is read back as it was."""

import logging
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from minerva_platform import (
    AgentInput,
    AgentOutput,
    Attachment,
    BaseAgent,
    Handoff,
    Run,
    RunError,
    Task,
    Team,
    agent,
)
from minerva_platform.config.limits import RunLimits
from minerva_platform.durable.active_run import run_team
from minerva_platform.errors import StateBusyError, StateDamagedError
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.checkpoints.ledger_checkpointer import LedgerCheckpointer
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.testing import EachOnceRouter, ScriptedRouter, StubAgent


class Row(Handoff):
    """Nested in a hand-off."""

    kind: ClassVar[str] = "keep.row"
    name: str


class Plan(Handoff):
    """A hand-off in a worker's own state."""

    kind: ClassVar[str] = "keep.plan"
    rows: tuple[Row, ...] = ()


class Given(AgentInput):
    """An Input with an attachment and a hand-off."""

    file: Annotated[Attachment, Attachment.of("*.sql")]
    plan: Plan | None = None


class Returned(AgentOutput):
    """An Output with a hand-off."""

    plan: Plan


class _State(TypedDict):
    request: str
    context: str
    language: str
    file: Attachment
    plan: Plan | None
    summary: str


class Typed(BaseAgent[Given, Returned]):
    """A worker that keeps typed objects in its state, as the README shows."""

    name = "typed"
    description = "…"

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of two nodes, so that state is kept between them."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_State)
        builder.add_node("parse", self.parse)
        builder.add_node("tell", self.tell)
        builder.add_edge(START, "parse")
        builder.add_edge("parse", "tell")
        return builder

    def parse(self, state: _State) -> dict[str, Any]:  # noqa: ARG002  # a node takes the state
        """Make a typed object."""
        return {"plan": Plan(rows=(Row(name="환자"),))}

    def tell(self, state: _State) -> dict[str, Any]:
        """Use it."""
        plan = state["plan"]
        assert isinstance(plan, Plan)
        return {"summary": f"{state['file'].name}: {plan.rows[0].name}"}


class Waits(Typed):
    """The same worker, which asks before it tells."""

    name = "waits"

    def tell(self, state: _State) -> dict[str, Any]:
        """Ask."""
        interrupt("?")
        return super().tell(state)


def shout(request: str) -> str:
    """Repeats a request in capitals."""
    return request.upper()


def tree() -> Team:
    """Return a tree with every kind of worker."""
    inner = Team(
        name="inner",
        description="…",
        members=(Typed(), StubAgent("stub", gives=[Row(name="x")]), agent()(shout)),
        exports=(Plan, Row),
        router=EachOnceRouter(),
    )
    return Team(
        name="root", description="…", members=(inner,), exports=(Plan, Row), router=EachOnceRouter()
    )


async def ask(team: Team, home: Path, **options: Any) -> Run:
    """Run `team` with its state kept in `home`."""
    file = home.parent / "schema.sql"
    file.write_text("x", encoding="utf-8")
    task = Task(request="go", attachments=(Attachment(path=file),))
    with opened_engine(home / "state.db") as engine:
        return await run_team(team.assembled, task, RunOptions(home=home, engine=engine, **options))


HOST = """
from dataclasses import dataclass
from typing import TypedDict
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from minerva_platform import Team
from minerva_platform.langgraph import agent_from_graph
from minerva_platform.testing import EachOnceRouter

@dataclass
class Hit:
    name: str

class State(TypedDict):
    request: str
    hit: Hit
    summary: str

graph = StateGraph(State)
graph.add_node("make", lambda state: {"hit": Hit("found")})
graph.add_node("ask", lambda state: {"request": interrupt("Go on?")})
graph.add_node("read", lambda state: {"summary": state["hit"].name})
graph.add_edge(START, "make").add_edge("make", "ask").add_edge("ask", "read")
worker = agent_from_graph(graph.compile(), name="hits", description="Reads hits.")
team = Team(name="reading", members=[worker], router=EachOnceRouter())
run = team.ask("go", thread="t")
run = team.resume(run.run_id, {run.interrupts[0].id: {"type": "respond", "message": "yes"}})
print(run.answer)
"""


@pytest.mark.small("langgraph.graph")
@pytest.mark.parametrize("first", ["minerva_platform", "langgraph.graph"])
def test_a_program_may_import_langgraph_first(
    first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """States are read strictly, and whole, without what LangGraph reads once at its import."""
    monkeypatch.delenv("LANGGRAPH_STRICT_MSGPACK")

    done = subprocess.run(
        [sys.executable, "-c", f"import {first}\n{HOST}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == "found\n", done.stderr
    assert "unregistered" not in done.stderr


async def test_a_runs_state_is_in_the_database(minerva_home: Path) -> None:
    """Under the thread of the run; the outcome can be read later."""
    team = tree()
    run = await ask(team, minerva_home)

    with sqlite3.connect(minerva_home / "state.db") as database:
        threads = database.execute("SELECT DISTINCT thread_id FROM run_checkpoints").fetchall()
    database.close()
    assert threads == [(run.run_id,)]
    with opened_engine(minerva_home / "state.db") as engine:
        graph = team.graph.copy({"checkpointer": LedgerCheckpointer(engine)})
        state = await graph.aget_state({"configurable": {"thread_id": run.run_id}})
    assert state.next == ()
    assert state.values["outcome"]["status"] == "ok"
    assert [result["path"] for result in state.values["results"]] == ["root/inner"]


async def test_the_history_of_a_run_can_be_read(
    minerva_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing in it is refused by the strict reader, and nothing is warned about."""
    caplog.set_level(logging.WARNING)
    team = tree()
    run = await ask(team, minerva_home, keep_checkpoints="all")

    with opened_engine(minerva_home / "state.db") as engine:
        config: Any = {"configurable": {"thread_id": run.run_id}}
        graph = team.graph.copy({"checkpointer": LedgerCheckpointer(engine)})
        history = [state async for state in graph.aget_state_history(config)]

    assert len(history) > 3
    assert history[0].values["outcome"]["status"] == "ok"
    assert caplog.records == []
    assert run.answer.startswith("schema.sql: 환자\n\nstub answered\n\nGO\n\nFiles: `schema.sql`")
    assert run.handoffs["keep.plan"] == {"rows": [{"name": "환자"}]}


async def test_the_state_of_each_level_can_be_looked_at(
    minerva_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Where a run waits for a person: its team's state, and the worker's typed objects in it."""
    caplog.set_level(logging.WARNING)
    inner = Team(name="inner", description="…", members=(Waits(),), router=EachOnceRouter())
    team = Team(name="root", description="…", members=(inner,), router=EachOnceRouter())

    run = await ask(team, minerva_home)

    assert run.status == "needs_human"
    with opened_engine(minerva_home / "state.db") as engine:
        config: Any = {"configurable": {"thread_id": run.run_id}}
        graph = team.graph.copy({"checkpointer": LedgerCheckpointer(engine)})
        root = await graph.aget_state(config, subgraphs=True)
    below: Any = root.tasks[0].state
    worker: Any = below.tasks[0].state
    assert (root.next, below.next, worker.next) == (("inner",), ("waits",), ("tell",))
    assert below.values["task"]["request"] == "go"
    assert worker.values["plan"] == Plan(rows=(Row(name="환자"),))
    assert isinstance(worker.values["file"], Attachment)
    assert caplog.records == []


async def test_a_second_turn_of_a_thread_starts_afresh(minerva_home: Path) -> None:
    """What the first turn did is neither shown again nor counted against the second."""
    agent = StubAgent("a", gives=[Row(name="x")])
    team = Team(name="t", description="…", members=(agent, StubAgent("b")), exports=(Row,))
    for turn in range(5):
        team.router = ScriptedRouter("a")
        run = await ask(team, minerva_home, thread_id="conversation")
        said = run.answer.partition("\n")[0]
        assert (run.status, run.reason, said) == ("ok", None, "a answered"), turn
        assert [hop.path for hop in run.hops] == ["t/a"]
        assert run.thread_id == "conversation"

    assert len(agent.calls) == 5


class _Count(TypedDict, total=False):
    count: int
    summary: str


class Looper(BaseAgent[AgentInput, AgentOutput]):
    """A worker whose one node comes back to itself."""

    name = "looper"
    description = "…"

    def build_graph(self) -> "StateGraph[Any, Any, Any, Any]":
        """Return a graph of one node and an edge that leads back."""
        builder: StateGraph[Any, Any, Any, Any] = StateGraph(_Count)
        builder.add_node("count", self.count)
        builder.add_edge(START, "count")
        builder.add_conditional_edges("count", self.more)
        return builder

    def count(self, state: _Count) -> _Count:
        """Count on."""
        count = state.get("count", 0) + 1
        return {"count": count, "summary": f"counted to {count}"}

    def more(self, state: _Count) -> str:
        """Come back four times."""
        return "count" if state.get("count", 0) < 5 else END


def namespaces(home: Path) -> set[str]:
    """Return the members in whose graphs something is kept."""
    with sqlite3.connect(home / "state.db") as database:
        rows = database.execute("SELECT DISTINCT checkpoint_ns FROM run_checkpoints").fetchall()
    return {name.partition(":")[0] for (name,) in rows}


async def test_inside_a_worker_of_one_step_nothing_is_kept(minerva_home: Path) -> None:
    """Its step repeats after a crash either way; one that comes back to itself has more to lose."""
    team = Team(name="t", description="…", members=(StubAgent("a"), Looper()))
    team.router = ScriptedRouter(["a", "looper"])
    run = await ask(team, minerva_home, keep_checkpoints="all")

    assert (run.status, len(run.hops)) == ("ok", 2)
    assert namespaces(minerva_home) == {"", "looper"}


async def test_a_folder_that_cannot_be_written_is_said_before_anything_runs(
    tmp_path: Path,
) -> None:
    """With what to change."""
    (tmp_path / "file").write_text("x", encoding="utf-8")

    with pytest.raises(RunError, match="cannot be used"):
        await ask(tree(), tmp_path / "file")


async def test_a_run_that_meets_damage_says_so_and_the_next_begins_anew(minerva_home: Path) -> None:
    """SQLite sees a broken page when it reads it, which may be in the middle of a run."""
    team, state = tree(), minerva_home / "state.db"
    await ask(team, minerva_home)
    with closing(sqlite3.connect(state)) as database:
        where = "SELECT rootpage FROM sqlite_master WHERE name = 'threads'"
        (page,) = database.execute(where).fetchone()
    whole = state.read_bytes()
    damage = b"\xa5" * 4096
    state.write_bytes(whole[: 4096 * (page - 1)] + damage + whole[4096 * page :])

    with pytest.raises(StateDamagedError, match=r"image is malformed\. The next run sets it aside"):
        await ask(team, minerva_home)
    after = await ask(team, minerva_home)

    assert after.status == "ok"
    assert (minerva_home / "state.damaged-1.db").stat().st_size == len(whole)
    with closing(sqlite3.connect(state)) as database:
        threads = database.execute("SELECT DISTINCT thread_id FROM run_checkpoints").fetchall()
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert threads == [(after.run_id,)]


async def test_a_run_waits_for_the_database_until_its_deadline(minerva_home: Path) -> None:
    """Then nothing is done, and a sentence says what it waited for."""
    await ask(tree(), minerva_home)
    with closing(sqlite3.connect(minerva_home / "state.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StateBusyError, match=r"time was up \(database is locked"):
            await ask(tree(), minerva_home, limits=RunLimits(seconds=60), seconds_waited=59)

    assert (await ask(tree(), minerva_home)).status == "ok"


async def test_what_a_run_waited_before_it_began_counts(minerva_home: Path) -> None:
    """A person waits for the answer, whatever the time goes by with."""
    run = await ask(tree(), minerva_home, limits=RunLimits(seconds=60), seconds_waited=60.0)

    assert (run.reason, run.hops) == ("deadline", ())


async def test_without_a_saver_nobody_is_warned_of_durability(
    minerva_home: Path, recwarn: pytest.WarningsRecorder
) -> None:
    """A worker of one step keeps no checkpoints of its own; without any that is nothing to say."""
    one_step = agent(name="one", description="…")(lambda _: "done")
    team = Team(name="t", description="…", members=[one_step], router=EachOnceRouter())
    run = await run_team(team.assembled, Task(request="go"), RunOptions(home=minerva_home))

    assert run.status == "ok"
    assert [str(warning.message) for warning in recwarn] == []
