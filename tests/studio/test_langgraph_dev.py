"""langgraph.json opens in LangGraph's own development server, as Studio opens it."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from langgraph.graph import START, StateGraph
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client
from shapes import PORTER, SHAPES, TEAMS, asked, asked_twice, leader
from typing_extensions import TypedDict

from minerva_platform.testing import scripted_openai_server

ROOT = Path(__file__).parents[2]
REQUEST = "환자 식별 컬럼의 표준 약어와 도메인을 알려주고, 답변 표는 도메인 우선순위로 정렬해줘"
PAUSING = """
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team
from minerva_platform.langgraph import as_graph
from minerva_platform.testing import EachOnceRouter
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    request: str
    summary: str


class Asks(BaseAgent[AgentInput, AgentOutput]):
    name, description = "asks", "Asks a person."

    def build_graph(self):
        builder = StateGraph(State)
        builder.add_node("ask", self.ask)
        builder.add_edge(START, "ask")
        return builder

    def ask(self, state):
        return {"summary": f"decided: {interrupt({'question': 'Delete it?'})}"}


inner = Team(name="inner", description="Asks.", members=(Asks(),), router=EachOnceRouter())
mine = Team(name="mine", description="Mine.", members=(inner,), router=EachOnceRouter())
graph = as_graph(mine)
"""

SHAPED = """
import sys

sys.path.insert(0, {support!r})
from minerva_platform import ask_person
from minerva_platform.langgraph import as_graph
from shapes import led, model_at, tree, worker


def asking(_):
    return {{"summary": f"a person said {{ask_person('May I count?')}}"}}


def _graph(shape):
    team = tree(worker("invoices", asking), worker("parcels"), depth=3)
    return as_graph(led(team, shape, model_at({url!r})))


{names} = map(_graph, {shapes!r})
"""


@contextmanager
def served(config: Path, home: Path) -> Generator[str]:
    """Start the server on a free port, wait until it is healthy, and end it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    command += ["--allow-blocking", "--port", str(port), "--config", str(config)]
    quiet = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGSMITH_TRACING": "false"}
    log = home.parent / "server.log"
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=home.parent, env=os.environ | quiet, stdout=output, stderr=output
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_healthy(url, server, log)
        yield url
    finally:
        server.terminate()
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(10)


def _wait_until_healthy(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    while True:
        assert server.poll() is None, log.read_text(encoding="utf-8")
        try:
            if httpx.get(f"{url}/ok").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)


async def looked_at(url: str) -> set[tuple[str, ...]]:
    """Use the server as Studio does; return the levels that a stream of the platform shows."""
    client: Any
    async with get_client(url=url) as client:
        ids = {item["graph_id"]: item["assistant_id"] for item in await client.assistants.search()}
        assert set(ids) == {"platform", "data", "insilico", "governance"}
        schemas = await client.assistants.get_schemas(ids["data"])
        assert set(schemas["input_schema"]["properties"]) == {"messages", "request", "attachments"}
        assert {"answer", "status", "hops"} <= set(schemas["output_schema"]["properties"])

        run = await client.runs.wait(None, "data", input={"request": REQUEST})
        assert (run["status"], "PT_ID" in run["answer"]) == ("ok", True)

        names = [
            part.event
            async for part in client.runs.stream(
                None,
                "platform",
                input={"request": REQUEST},
                stream_mode="updates",
                stream_subgraphs=True,
            )
        ]
    return {tuple(level.split(":")[0] for level in name.split("|")[1:]) for name in names}


async def asked_as_a_node_of_another_graph(url: str) -> dict[str, Any]:
    """Return how a host's graph ends whose one node is the data team, served elsewhere."""

    class Asked(TypedDict, total=False):
        request: str
        answer: str

    async with get_client(url=url) as client:
        host = StateGraph(Asked).add_sequence([("data", RemoteGraph("data", client=client))])
        compiled: Any = host.add_edge(START, "data").compile()
        ended: dict[str, Any] = await compiled.ainvoke({"request": REQUEST})
    return ended


async def test_the_platform_and_each_team_open(minerva_home: Path, tmp_path: Path) -> None:
    """Schemas, a run and a stream that shows the workers; all of it on record."""
    for name in ("langgraph.json", "configs"):
        (tmp_path / name).symlink_to(ROOT / name)
    with served(tmp_path / "langgraph.json", minerva_home) as url:
        spaces = await looked_at(url)
        remote = await asked_as_a_node_of_another_graph(url)
    assert ("platform", "data", "auditor_agent") in spaces
    assert "PT_ID" in remote["answer"]

    lines = (minerva_home / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["path"] for row in rows if row["kind"] == "run"] == ["data", "platform", "data"]
    assert "platform/data/auditor_agent" in {row["path"] for row in rows}


async def test_a_strangers_team_pauses_and_goes_on(minerva_home: Path, tmp_path: Path) -> None:
    """A question to a person stops the thread; its answer resumes it where it waited."""
    (tmp_path / "graphs.py").write_text(PAUSING, encoding="utf-8")
    config = tmp_path / "langgraph.json"
    config.write_text(
        json.dumps({"dependencies": ["."], "graphs": {"mine": "./graphs.py:graph"}}),
        encoding="utf-8",
    )
    with served(config, minerva_home) as url:
        run = await asked_and_answered(url)

    assert (run["status"], run["answer"]) == ("ok", "decided: yes")


async def asked_and_answered(url: str) -> dict[str, Any]:
    """Run into the question, answer it by its id, and return how the thread ends."""
    client: Any
    async with get_client(url=url) as client:
        thread = (await client.threads.create())["thread_id"]
        await client.runs.wait(thread, "mine", input={"request": "go"})
        (question,) = (await client.threads.get_state(thread))["interrupts"]
        assert question["value"] == {"question": "Delete it?"}
        resume = {"resume": {question["id"]: "yes"}}
        run: dict[str, Any] = await client.runs.wait(thread, "mine", command=resume)
    return run


async def test_a_team_of_each_shape_opens_pauses_and_goes_on(
    minerva_home: Path, tmp_path: Path
) -> None:
    """Three levels by each router; the model is asked nothing twice."""
    config = tmp_path / "langgraph.json"
    graphs = {shape: f"./graphs.py:{shape}" for shape in SHAPES}
    config.write_text(json.dumps({"dependencies": ["."], "graphs": graphs}), encoding="utf-8")
    with scripted_openai_server(leader("invoices", "parcels")) as model:
        support = str(ROOT / "tests" / "support")
        text = SHAPED.format(support=support, url=model.url, names=", ".join(SHAPES), shapes=SHAPES)
        (tmp_path / "graphs.py").write_text(text, encoding="utf-8")
        with served(config, minerva_home) as url:
            runs = {shape: await asked_in_its_shape(url, shape) for shape in SHAPES}

    for run in runs.values():
        assert run["status"] == "ok"
        assert "a person said yes" in run["answer"]
        assert "parcels answered" in run["answer"]
        paths = {hop["path"].rpartition("/")[2] for hop in run["hops"]}
        assert paths - {PORTER} == {"invoices", "parcels"}
    assert asked_twice(model.calls) == []


async def asked_in_its_shape(url: str, shape: str) -> dict[str, Any]:
    """Look at the graph as Studio does, run into its question, and answer that."""
    client: Any
    async with get_client(url=url) as client:
        drawn = await client.assistants.get_graph(shape, xray=True)
        names = " ".join(node["id"] for node in drawn["nodes"])
        assert names.count("supervisor") == len(TEAMS), names
        assert "invoices" in names, names
        thread = (await client.threads.create())["thread_id"]
        await client.runs.wait(thread, shape, input={"request": asked("invoices", "parcels")})
        (question,) = (await client.threads.get_state(thread))["interrupts"]
        resume = {"resume": {question["id"]: "yes"}}
        run: dict[str, Any] = await client.runs.wait(thread, shape, command=resume)
    return run
