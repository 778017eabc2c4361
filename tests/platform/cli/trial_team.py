"""A team whose workers do, one each, what a command line has to survive.

It is copied into a folder of its own and found there by its entry point, as an installed team.
"""

import asyncio
import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from minerva_platform import AgentInput, AgentOutput, Artifact, BaseAgent, Decision, Team
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
    members = (Speaker, Failer, Hanger, Blocker, Stubborn, Holder, Asker)

    def __init__(self) -> None:
        super().__init__(router=WordRouter())
