"""A team with one worker that does what a worker may not, and siblings that answer.

What it does is named by HOSTILE_DEED, whether its nodes are async by HOSTILE_FORM, so that each
command builds the few workers that it needs. It is found by its entry point, as an installed team.
"""

import asyncio
import concurrent.futures
import os
from collections.abc import Callable
from typing import Any, NoReturn

from langgraph.errors import GraphBubbleUp, GraphInterrupt
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from minerva_platform import AgentInput, AgentOutput, Artifact, BaseAgent, Citation, Team
from minerva_platform.testing import EachOnceRouter

MEGABYTE = 1_000_000


class HostileState(TypedDict, total=False):
    """The request, the Output's fields, and whatever the worker wants to keep."""

    request: str
    summary: str
    citations: tuple[Citation, ...]
    artifacts: tuple[Artifact, ...]
    kept: Any


class OwnError(BaseException):
    """Passes every `except Exception`."""


class SilentError(BaseException):
    """Ends the process when it is shown."""

    def __str__(self) -> str:
        raise SystemExit(7)

    __repr__ = __str__


class StuckError(Exception):
    """Cannot be pickled, nor shown."""

    def __str__(self) -> str:
        raise SystemExit(6)

    def __reduce__(self) -> NoReturn:
        raise SystemExit(8)

    def __repr__(self) -> str:
        raise KeyboardInterrupt


def _raising(error: type[BaseException], *given: Any) -> Callable[[], Any]:
    def deed() -> NoReturn:
        raise error(*given)

    return deed


def _exit_in_child() -> dict[str, Any]:
    child = os.fork()
    if child == 0:
        os._exit(9)
    return {"summary": f"the child ended with {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}"}


def _run_on_in_child() -> dict[str, Any]:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return {"summary": "one process answers"}


def _answer(**fields: Any) -> Callable[[], Any]:
    return lambda: {"summary": "hostile answered", **fields}


async def _exit_in_task() -> None:
    async def deed() -> NoReturn:
        raise SystemExit(5)

    await asyncio.gather(deed())


async def _exit_in_callback() -> dict[str, Any]:
    asyncio.get_running_loop().call_soon(_raising(SystemExit, 6))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return {"summary": "hostile answered"}


async def _cancel_all() -> None:
    for task in asyncio.all_tasks():
        task.cancel()
    await asyncio.sleep(0)


async def _stop_the_loop() -> dict[str, Any]:
    asyncio.get_running_loop().stop()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return {"summary": "hostile answered"}


DEEDS: dict[str, Callable[[], Any]] = {
    "raise": _raising(LookupError, "no table"),
    "base_exception": _raising(OwnError, "enough"),
    "generator_exit": _raising(GeneratorExit),
    "keyboard_interrupt": _raising(KeyboardInterrupt),
    "system_exit": _raising(SystemExit, 3),
    "cancelled": _raising(asyncio.CancelledError),
    "cancelled_in_a_pool": _raising(concurrent.futures.CancelledError),
    "exception_group": _raising(ExceptionGroup, "both", [LookupError("a"), ValueError("b")]),
    "base_exception_group": _raising(BaseExceptionGroup, "both", [KeyboardInterrupt()]),
    "stop_iteration": _raising(StopIteration),
    "unshowable": _raising(SilentError),
    "unpicklable": _raising(StuckError, "stuck"),
    "forged_pause": _raising(GraphInterrupt, ("forged",)),
    "empty_pause": _raising(GraphInterrupt),
    "bubble_up": _raising(GraphBubbleUp),
    "question_object": lambda: interrupt(object()),
    "question_function": lambda: interrupt({"ask": len}),
    "question_nan": lambda: interrupt({"amount": float("nan")}),
    "question_surrogate": lambda: interrupt("\ud800"),
    "question_large_int": lambda: interrupt(2**64),
    "question_large": lambda: interrupt("x" * 3_000_000),
    "question": lambda: interrupt("May I?"),
    "ghost_goto": lambda: Command(goto="ghost"),
    "ghost_send": lambda: Send("ghost", {}),
    "ghost_sends": lambda: Command(goto=["done", Send("ghost", {})]),
    "parent": lambda: Command(graph=Command.PARENT, goto="apart"),
    "unwritable_state": _answer(kept=object),
    "large_state": lambda: {"summary": "hostile answered", "kept": "x" * (100 * MEGABYTE)},
    "large_summary": lambda: {"summary": "x" * (100 * MEGABYTE)},
    "citations": lambda: {
        "summary": "hostile answered",
        "citations": tuple(Citation(source="x" * MEGABYTE) for _ in range(50)),
    },
    "artifacts": _answer(artifacts=tuple(Artifact(name=f"{n}.md", content="") for n in range(51))),
    "large_artifact": lambda: {
        "summary": "hostile answered",
        "artifacts": (Artifact(name="dump.csv", content="x" * (65 * 1024 * 1024)),),
    },
    "exit_in_child": _exit_in_child,
    "run_on_in_child": _run_on_in_child,
}
ASYNC_DEEDS: dict[str, Callable[[], Any]] = {
    "exit_in_task": _exit_in_task,
    "exit_in_callback": _exit_in_callback,
    "stop_the_loop": _stop_the_loop,
    "cancel_all": _cancel_all,
}


class Hostile(BaseAgent[AgentInput, AgentOutput]):
    """Does the deed in the first of two steps, so that its state is kept between them."""

    name = "hostile"
    description = "Does what no worker may."
    examples = tuple(f"do harm number {n}" for n in range(10))

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return a graph of two nodes."""
        graph: StateGraph[Any, Any, Any, Any] = StateGraph(HostileState)
        node: Any = self.adeed if os.environ.get("HOSTILE_FORM") == "async" else self.deed
        graph.add_node("work", node)
        graph.add_node("done", self.done)
        graph.add_edge(START, "work")
        graph.add_edge("work", "done")
        return graph

    def deed(self, state: HostileState) -> Any:  # noqa: ARG002  # a node takes the state
        """Do it in a thread."""
        return DEEDS[os.environ["HOSTILE_DEED"]]()

    async def adeed(self, state: HostileState) -> Any:  # noqa: ARG002  # a node takes the state
        """Do it in the event loop."""
        name = os.environ["HOSTILE_DEED"]
        return await ASYNC_DEEDS[name]() if name in ASYNC_DEEDS else DEEDS[name]()

    def done(self, state: HostileState) -> HostileState:  # noqa: ARG002  # a node takes the state
        """Add nothing."""
        return {}


class Sibling(BaseAgent[AgentInput, AgentOutput]):
    """Answers."""

    description = "Answers."
    examples = tuple(f"answer number {n}" for n in range(10))

    def __init__(self, name: str) -> None:
        self.name = name

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return a graph of one node."""
        graph: StateGraph[Any, Any, Any, Any] = StateGraph(HostileState)
        graph.add_node("work", self.step)
        graph.add_edge(START, "work")
        return graph

    def step(self, state: HostileState) -> HostileState:  # noqa: ARG002  # a node takes the state
        """Answer."""
        return {"summary": f"{self.name} answered"}


class HostileTeam(Team):
    """Two teams: in one the hostile worker and a sibling, in the other somebody else's worker."""

    name = "hostile"
    description = "What one worker does must stay with it."

    def __init__(self) -> None:
        cell = Team(
            name="cell",
            description="Holds the hostile worker.",
            members=(Hostile(), Sibling("beside")),
            router=EachOnceRouter(),
        )
        office = Team(
            name="office",
            description="Somebody else's.",
            members=(Sibling("apart"),),
            router=EachOnceRouter(),
        )
        super().__init__(members=(cell, office), router=EachOnceRouter())
