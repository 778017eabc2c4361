"""Effects of a team inside somebody else's graph: done once, or asked about."""

import json
import sqlite3
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import copies
import pytest
from host_payer import Payer, pay
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from ledger import postgres_store
from postgres import Cluster
from pydantic import SecretStr

from minerva_platform import Run, Task, Team
from minerva_platform.cli.maintenance.commands import ForgetOptions, PruneOptions
from minerva_platform.cli.maintenance.forget import forget_thread
from minerva_platform.cli.maintenance.prune import prune_store
from minerva_platform.errors import SettingsError
from minerva_platform.langgraph import GraphOutput, Members, as_graph, as_node, as_tool
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.run_start import NewRun, enqueue
from minerva_platform.storage.maintenance.restored import mark_restored
from minerva_platform.testing import EachOnceRouter, Reply, scripted_openai_server

PROGRAM = Path(__file__).parents[2] / "support" / "host_payer.py"
ASKED_ANEW = {"resume": {"type": "respond", "value": "paid by hand"}}


def call(folder: Path, shape: str, given: Any, storage: str = "") -> dict[str, Any] | None:
    """Call the program in a process of its own; None if it was killed."""
    typed = (sys.executable, PROGRAM, folder, shape, storage, json.dumps(given))
    done = copies.run(typed, capture_output=True, text=True, check=False)
    assert "unregistered type" not in done.stderr
    if done.returncode < 0:
        return None
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def paid(folder: Path) -> list[str]:
    """Return what was paid."""
    file = folder / "paid"
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


@pytest.mark.parametrize(
    ("shape", "place", "in_postgres"),
    [
        ("graph", "approved", False),
        ("graph", "doing", False),
        ("inside", "doing", True),
        ("inside", "done", False),
    ],
)
def test_a_killed_host_pays_once_or_asks(
    minerva_home: Path,
    tmp_path: Path,
    postgres_server: Cluster,
    shape: str,
    place: str,
    *,
    in_postgres: bool,
) -> None:
    """Between approval and effect, in it, and after it, by the home's ledger or one that is named.

    Only of a payment that was cut off nobody knows, so a person says what became of it.
    """
    del minerva_home  # every process has it
    with postgres_store(postgres_server) if in_postgres else nullcontext() as store:
        _killed(tmp_path, shape, place, store.address if store else "")


def _killed(tmp_path: Path, shape: str, place: str, storage: str) -> None:
    asked = call(tmp_path, shape, "pay Kim", storage)
    assert asked is not None
    assert [*asked["asked"].values()] == ["tool"]
    (tmp_path / "die").write_text(place)
    assert call(tmp_path, shape, {"resume": "approve"}, storage) is None

    ended = call(tmp_path, shape, {"resume": "approve"}, storage)
    assert ended is not None
    if place == "doing":
        assert [*ended["asked"].values()] == ["effect"]
        assert paid(tmp_path) == ["Kim 3"]
        ended = call(tmp_path, shape, ASKED_ANEW, storage)
        assert ended is not None
    assert (ended["status"], paid(tmp_path)) == ("ok", ["Kim 3"])
    assert ended["answer"].endswith("paid by hand" if place == "doing" else "paid 3 to Kim")
    assert [(each["name"], each["outcome"]) for each in ended["effects"]] == [("pay", "done")]


def graph(folder: Path, **options: Any) -> Any:
    """Return a graph with a checkpointer that remembers nothing of another one's."""
    team = Team(name="office", description="…", members=[Payer(folder)], router=EachOnceRouter())
    return as_graph(team, checkpointer=InMemorySaver(), **options)


def test_what_a_lost_checkpoint_would_repeat_is_asked(minerva_home: Path, tmp_path: Path) -> None:
    """The host begins anew in its thread. What is no decision is refused, and nothing is done."""
    del minerva_home
    config = {"configurable": {"thread_id": "t"}}
    before, office = graph(tmp_path), graph(tmp_path)
    for each in (before, office):
        each.invoke({"request": "pay"}, config)
    before.invoke(Command(resume=True), config)
    (question,) = office.invoke(Command(resume=True), config)["__interrupt__"]
    assert "Do it again?" in question.value["text"]
    assert paid(tmp_path) == ["Kim 3"]

    (again,) = office.invoke(Command(resume="perhaps"), config)["__interrupt__"]
    assert "`perhaps` may not be decided here" in again.value["refused"]
    out = office.invoke(Command(resume={again.id: {"type": "approve"}}), config)
    assert (out["status"], paid(tmp_path)) == ("ok", ["Kim 3", "Kim 3"])


@pytest.mark.parametrize("shape", ["members", "worker", "team"])
def test_an_agent_s_tool_pays_once(
    minerva_home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, shape: str
) -> None:
    """A worker or a team behind a tool of `create_agent`, in its own program."""
    payer = Payer(tmp_path)
    office = Team(name="office", description="…", members=[payer], router=EachOnceRouter())
    tools = {"members": [], "worker": [as_tool(payer)], "team": [as_tool(office)]}[shape]
    leads = [Members(payer)] if shape == "members" else []
    name = "office" if shape == "team" else "payer"
    script = [Reply(tool_calls=[(name, {"request": "pay"})]), Reply(text="done")]
    config: Any = {"configurable": {"thread_id": shape}}
    with scripted_openai_server(script) as server:
        key = SecretStr("none")
        model = ChatOpenAI(base_url=server.url, api_key=key, model="m", max_retries=0)
        agent: Any = create_agent(
            model, tools=tools, middleware=leads, checkpointer=InMemorySaver()
        )
        agent.invoke({"messages": [("user", "pay")]}, config)
        told = agent.invoke(Command(resume=True), config)["messages"]
    assert "paid 3 to Kim" in told[-2].content
    assert (paid(tmp_path), rows(minerva_home)) == (["Kim 3"], [(shape, shape)])
    assert "unregistered type" not in caplog.text


def test_a_thread_of_a_tenant_is_another_one(minerva_home: Path, tmp_path: Path) -> None:
    """What erases the tenant leaves what the host has done."""
    with opened_engine(minerva_home / "state.db") as engine:
        enqueue(engine, NewRun("r", "t", "office", Task(request="pay"), tenant="globex"))
    config = {"configurable": {"thread_id": "t"}}
    office = graph(tmp_path)
    office.invoke({"request": "pay"}, config)
    office.invoke(Command(resume=True), config)
    forget_thread(ForgetOptions(tenant="globex", yes=True))
    assert rows(minerva_home) == [("t~of~local", "t~of~local")]
    again = graph(tmp_path)
    again.invoke({"request": "pay"}, config)
    (question,) = again.invoke(Command(resume=True), config)["__interrupt__"]
    assert "Do it again?" in question.value["text"]


def test_a_restored_copy_does_none(minerva_home: Path, tmp_path: Path) -> None:
    """The original may have done it after the copy was made."""
    config = {"configurable": {"thread_id": "t"}}
    with opened_engine(minerva_home / "state.db") as engine:
        engine.write(mark_restored)
    office = graph(tmp_path)
    office.invoke({"request": "pay"}, config)
    out = office.invoke(Command(resume=True), config)
    assert (out["status"], paid(tmp_path)) == ("failed", [])
    assert "minerva doctor --this-is-the-store" in out["answer"]


async def test_it_is_forgotten_with_its_thread_and_pruned_by_age(
    minerva_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the host's name of the thread; nothing else is removed."""
    for thread in ("a", "b"):
        config = {"configurable": {"thread_id": thread}}
        office = graph(tmp_path)
        await office.ainvoke({"request": "pay"}, config)
        await office.ainvoke(Command(resume=True), config)
    assert rows(minerva_home) == [("a", "a"), ("b", "b")]
    forget_thread(ForgetOptions(thread="a", yes=True))
    assert "effects: 1" in capsys.readouterr().out
    assert rows(minerva_home) == [("b", "b")]
    prune_store(PruneOptions(older_than="1d", yes=True))
    assert rows(minerva_home) == [("b", "b")]
    with sqlite3.connect(minerva_home / "state.db") as database:
        database.execute("UPDATE host_effects SET at = at - 90000")
    prune_store(PruneOptions(older_than="1d", yes=True))
    assert "effects inside graphs of other programs: 1" in capsys.readouterr().out
    assert rows(minerva_home) == []


def rows(home: Path) -> list[tuple[str, str]]:
    """Return the threads of the effects, and those that the ledger knows."""
    query = (
        "SELECT e.thread_id, t.thread_id FROM host_effects e FULL JOIN threads t USING (thread_id)"
    )
    with sqlite3.connect(home / "state.db") as database:
        return sorted(database.execute(query))


def test_without_a_ledger_nobody_is_asked(
    minerva_home: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The graph says so when it is made, and the worker before anybody could approve."""
    config = {"configurable": {"thread_id": "t"}}
    office = graph(tmp_path, storage=None)
    assert "`office/payer` has an `@effect` that may not be repeated" in caplog.text
    out = office.invoke({"request": "pay"}, config)
    assert out["status"] == "failed"
    assert "nobody was asked" in out["answer"]
    assert "storage=URL" in out["answer"]
    assert (paid(tmp_path), [*minerva_home.glob("state.db*")]) == ([], [])


@pytest.mark.parametrize("door", [as_graph, as_node, as_tool])
def test_a_storage_that_is_none_is_refused_at_once(tmp_path: Path, door: Any) -> None:
    """At each door, before any run."""
    team = Team(name="office", description="…", members=[Payer(tmp_path)], router=EachOnceRouter())
    with pytest.raises(SettingsError, match="`storage` names no database"):
        door(team, storage="mysql://x")


def test_a_graph_gives_all_that_a_run_tells() -> None:
    """But its thread and its questions, which are LangGraph's."""
    fields = Run(run_id="r", thread_id="t", status="ok").to_json_dict()
    assert fields.keys() - GraphOutput.__annotations__ == {"thread_id", "interrupts"}
    assert pay.__name__ == "pay"
