"""A team whose workers do, one each, what a command line has to survive.

It is copied into a folder of its own and found there by its entry point, as an installed team.
"""

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from pydantic import BaseModel
from typing_extensions import TypedDict

from minerva_platform import (
    AgentInput,
    AgentOutput,
    Artifact,
    BaseAgent,
    Decision,
    Team,
    ask_person,
)
from minerva_platform.config import home_directory
from minerva_platform.routing import Goal, RoutingView

HOUR = 3_600.0
"""Nobody waits that long: what hangs is ended, or pytest ends the test."""


def at_work() -> None:
    """Leave a file where the command was started: who waits for it may press Ctrl-C."""
    Path("at-work").touch()


class TrialState(TypedDict):
    """The request and the Output's fields."""

    request: str
    summary: str
    artifacts: tuple[Artifact, ...]


class Speaker(BaseAgent[AgentInput, AgentOutput]):
    """Answers, and prints where it should not."""

    name = "speak"
    description = "Answers, and prints where it should not."
    examples = tuple(f"speak to me about number {n}" for n in range(10))

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return a graph of one node."""
        graph: StateGraph[Any, Any, Any, Any] = StateGraph(TrialState)
        graph.add_node("work", self.step)
        graph.add_edge(START, "work")
        return graph

    def step(self, state: TrialState) -> dict[str, Any]:
        """Print in every way there is, then answer."""
        print("noise from print")  # noqa: T201  # the point of this worker
        os.write(1, b"noise from the descriptor\n")
        child = [sys.executable, "-S", "-c", "print('noise from a child')"]
        subprocess.run(child, check=True)
        report = Artifact(name="보고서.md", media_type="text/markdown", content="# 보고서\n")
        return {"summary": f"**{state['request']}** \x1b]0;forged\x07", "artifacts": (report,)}


class Failer(Speaker):
    """Raises."""

    name = "fail"

    def step(self, state: TrialState) -> dict[str, Any]:
        """Break."""
        message = f"[bold]{len(state['request'])} characters broke it[/bold]"
        raise RuntimeError(message)


class Hanger(Speaker):
    """Blocks a thread."""

    name = "hang"

    def step(self, state: TrialState) -> dict[str, Any]:
        """Hang, once it is told that this is at work."""
        at_work()
        time.sleep(HOUR)
        return {"summary": state["request"]}


class Blocker(Hanger):
    """Blocks the event loop: no cancellation reaches it."""

    name = "block"

    async def step(self, state: TrialState) -> dict[str, Any]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]  # a node may be async
        """Hang where nobody may."""
        at_work()
        time.sleep(HOUR)  # noqa: ASYNC251  # the fault that is tried
        return {"summary": state["request"]}


class Stubborn(Speaker):
    """Will not be cancelled."""

    name = "stubborn"

    async def step(self, state: TrialState) -> dict[str, Any]:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]  # a node may be async
        """Go on, whatever is asked."""
        at_work()
        end = time.monotonic() + HOUR
        while time.monotonic() < end:
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                continue
        return {"summary": state["request"]}


class Holder(Speaker):
    """Holds the interpreter's lock for a minute, in a process of its own."""

    name = "hold"
    isolation = "process"

    def step(self, state: TrialState) -> dict[str, Any]:
        """Leave word that it began, and hold it."""
        (home_directory() / "held").touch()
        ctypes.PyDLL(None).sleep(int(HOUR))
        return {"summary": state["request"]}


class Asker(Speaker):
    """Asks a person."""

    name = "pause"

    def step(self, state: TrialState) -> dict[str, Any]:
        """Wait for the answer."""
        said = interrupt("May I?")
        return {"summary": f"{state['request']}: {said}"}


FORGED = "rent\nfor May \x1b[2J\u202e" + "·" * 2_000 + "x" * 1_000_000 + "the end"
"""Words of a payment that erase the screen, turn the writing round, and are a megabyte."""

_DECISIONS = ("approve", "reject", "respond")
_ARGUMENTS = {
    "type": "object",
    "properties": {
        "to": {"type": "string"},
        "amount": {"type": "integer"},
        "note": {"type": "string"},
    },
    "required": ["to", "amount"],
}
APPROVAL: dict[str, Any] = {
    "oneOf": [
        *({"type": "object", "properties": {"type": {"const": kind}}} for kind in _DECISIONS),
        {
            "type": "object",
            "properties": {
                "type": {"const": "edit"},
                "edited_action": {
                    "type": "object",
                    "properties": {"name": {"const": "transfer"}, "args": _ARGUMENTS},
                },
            },
        },
    ]
}
"""What LangChain's middleware says may be decided about a call of `transfer`."""


class Payer(Speaker):
    """Asks before it calls a tool, as LangChain's middleware does."""

    name = "pay"

    def step(self, state: TrialState) -> dict[str, Any]:
        """Write what is paid into a file, where the command was started."""
        del state
        arguments: dict[str, Any] = {"to": "Kim", "amount": 12_000, "note": FORGED}
        asked = {"type": "tool_approval", "name": "transfer", "args": arguments}
        said = interrupt(asked, response_schema=APPROVAL)
        if said["type"] == "edit":
            arguments = said["edited_action"]["args"]
        if said["type"] in {"approve", "edit"}:
            with Path("paid").open("a", encoding="utf-8") as file:
                file.write(f"{arguments['to']} {arguments['amount']!r}\n")
        return {"summary": f"pay {said['type']} {said.get('message', '')}".strip()}


class Weather(Speaker):
    """Asks a question of its own, which is answered by yes or no."""

    name = "weather"

    def step(self, state: TrialState) -> dict[str, Any]:
        """Wait for the answer."""
        del state
        return {"summary": f"sunny: {ask_person('Is it sunny?', answer=bool)}"}


class Account(BaseModel):
    """What is to be filled in."""

    iban: str
    limit: int


class Clerk(Speaker):
    """Asks for several values at once."""

    name = "account"

    def step(self, state: TrialState) -> dict[str, Any]:
        """Wait for them."""
        del state
        given = ask_person("Which account?", answer=Account, details={"bank": "KB"})
        return {"summary": f"account {given.iban} {given.limit}"}


class LateAsker(Speaker):
    """Asks what must be answered in time."""

    name = "late"

    def step(self, state: TrialState) -> dict[str, Any]:
        """Wait for an hour."""
        del state
        return {"summary": ask_person("In time?", expires_in=HOUR)}


class DiesOnce(Speaker):
    """Ends its process at the first attempt, as a power cut would."""

    name = "die"

    def step(self, state: TrialState) -> dict[str, Any]:
        """Leave word that it began; the second attempt finds it."""
        begun = home_directory() / "begun"
        if not begun.exists():
            begun.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return {"summary": f"{state['request']}: alive"}


class WordRouter:
    """Calls the members whose names are words of the request."""

    async def decide(self, view: RoutingView) -> Decision:
        """Return them in their usual order, or nobody."""
        words = view.request.split()
        names = [card.name for card in view.members if card.name in words]
        goals = tuple(Goal(member=name, request=view.request) for name in names)
        return Decision(
            goals=goals, finish=bool(goals), router="words", scores=dict.fromkeys(names, 1.0)
        )


class TrialTeam(Team):
    """Routed by words, so that no test waits for a classifier to learn."""

    name = "trial"
    description = "Does what a command line has to survive."
    members = (
        *(Speaker, Failer, Hanger, Blocker, Stubborn, Holder, Asker),
        *(Payer, Weather, Clerk, LateAsker, DiesOnce),
    )

    def __init__(self) -> None:
        super().__init__(router=WordRouter())
