"""A program of somebody else's around a team whose worker pays: each call of it is a process.

    python tests/support/host_payer.py FOLDER SHAPE STORAGE GIVEN

GIVEN is JSON: a request as a text, or `{"resume": …}`. What comes of it is printed as JSON. The
worker kills its process where the file `die` in FOLDER says: when it was `approved`, when it has
paid but nobody knows (`doing`), or when that is `done`.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from typing_extensions import TypedDict

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team, ask_approval, effect
from minerva_platform.langgraph import as_graph, as_node
from minerva_platform.testing import EachOnceRouter


class Payer(BaseAgent[AgentInput, AgentOutput]):
    """Pays what a person approves."""

    name = "payer"
    description = "Pays."
    examples = ("pay Kim",)

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def work(self, given: AgentInput) -> AgentOutput:
        """Ask, then pay."""
        del given
        agreed = ask_approval("Pay?", tool="pay", arguments={"to": "Kim", "amount": 3})
        self.die("approved")
        told = pay(str(self.folder), agreed["to"], agreed["amount"])
        self.die("done")
        return AgentOutput(summary=told)

    def die(self, place: str) -> None:
        """End the process if the test wants it here; once."""
        die(self.folder, place)


def die(folder: Path, place: str) -> None:
    """Kill this process once, if it is to die at `place`."""
    file = folder / "die"
    if file.exists() and file.read_text() == place:
        file.unlink()
        os.kill(os.getpid(), signal.SIGKILL)


@effect("once", target="to")
def pay(folder: str, to: str, amount: int) -> str:
    """Pay once."""
    with (Path(folder) / "paid").open("a", encoding="utf-8") as file:
        file.write(f"{to} {amount}\n")
    die(Path(folder), "doing")
    return f"paid {amount} to {to}"


class State(TypedDict, total=False):
    """Of the graph around."""

    request: str
    status: str
    answer: str
    effects: list[dict[str, Any]]


def graph_of(shape: str, folder: Path, storage: Any, saver: Any) -> Any:
    """Return the team as a graph of its own, or inside the second step of another graph."""
    team = Team(name="office", description="…", members=[Payer(folder)], router=EachOnceRouter())
    if shape == "graph":
        return as_graph(team, checkpointer=saver, storage=storage)
    inner: Any = StateGraph(State)
    inner.add_node("pays", as_node(team, storage=storage)).add_edge(START, "pays")
    around: Any = StateGraph(State)
    around.add_node("before", lambda _: {}).add_node("office", inner.compile())
    around.add_edge(START, "before").add_edge("before", "office")
    return around.compile(checkpointer=saver)


def main() -> None:
    """Do one call."""
    folder, shape, storage, text = Path(sys.argv[1]), *sys.argv[2:]
    given = json.loads(text)
    with SqliteSaver.from_conn_string(str(folder / "host.db")) as saver:
        graph = graph_of(shape, folder, storage or ..., saver)
        payload = Command(**given) if isinstance(given, dict) else {"request": given}
        out = graph.invoke(payload, {"configurable": {"thread_id": "hosts"}})
    told = {name: out[name] for name in ("status", "answer", "effects") if name in out}
    asked = {each.id: each.value["kind"] for each in out.get("__interrupt__", ())}
    print(json.dumps({**told, "asked": asked}))  # noqa: T201  # the test reads it


if __name__ == "__main__":
    main()
