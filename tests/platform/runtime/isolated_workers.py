"""A worker for a process of its own, which does what its request says, mostly harm."""

import asyncio
import contextlib
import ctypes
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypedDict
from uuid import UUID

import langgraph.types
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.graph import START, StateGraph
from pydantic import ConfigDict, Field, SecretStr

from minerva_platform import (
    AgentError,
    AgentInput,
    AgentOutput,
    Artifact,
    Attachment,
    BaseAgent,
    Citation,
    Handoff,
    effect,
)
from minerva_platform.config import home_directory
from minerva_platform.run_context.langchain_callbacks import GraphListener

MINUTE = 60


class Note(Handoff):
    """What it wants of another."""

    kind: ClassVar[str] = "isolated.note"
    text: str


class Finding(Handoff):
    """What it hands over."""

    kind: ClassVar[str] = "isolated.finding"
    text: str


class RiskyInput(AgentInput):
    """A file and a hand-off besides the words."""

    file: Annotated[Attachment | None, Attachment.of("*.txt")] = None
    note: Note | None = None


class RiskyOutput(AgentOutput):
    """Every part that an Output may have."""

    finding: Finding | None = None


class RiskyState(TypedDict):
    """The request and the Output's fields."""

    request: str
    file: Attachment | None
    note: Note | None
    summary: str
    citations: tuple[Citation, ...]
    artifacts: tuple[Artifact, ...]
    finding: Finding


class RiskyAgent(BaseAgent[RiskyInput, RiskyOutput]):
    """Does what its request says, in a process of its own."""

    name = "risky"
    description = "Does what its request says."
    examples = tuple(f"take the risk number {n}" for n in range(10))
    isolation = "process"

    def build_graph(self) -> StateGraph[Any, Any, Any, Any]:
        """Return a graph of two nodes."""
        graph: StateGraph[Any, Any, Any, Any] = StateGraph(RiskyState)
        graph.add_node("begin", self.begin)
        graph.add_node("work", self.step)
        graph.add_edge(START, "begin")
        graph.add_edge("begin", "work")
        return graph

    async def begin(self, state: RiskyState) -> dict[str, Any]:
        """Make the home, where a test may find what is left."""
        home_directory().mkdir(parents=True, exist_ok=True)
        if state["request"] == "leave a thread":
            asyncio.get_running_loop().run_in_executor(None, time.sleep, MINUTE)
        return {"summary": state["request"]}

    def step(self, state: RiskyState) -> dict[str, Any]:
        """Do it."""
        request, file, note = state["request"], state["file"], state["note"]
        if file and note:
            return {"summary": f"{file.path.read_text()}, {note.text}"}
        act = ACTS.get(request.partition(" ")[0])
        return {"summary": str(act(request) or "done")} if act else _whole(request)


class OneStepAgent(BaseAgent[AgentInput, AgentOutput]):
    """Says in which process its one step is done."""

    name = "one_step"
    description = "Says where it works."
    isolation = "process"

    def work(self, given: AgentInput) -> AgentOutput:
        """Say it."""
        return AgentOutput(summary=f"{given.request} in {os.getpid()}")


class Exact(Handoff):
    """Values that JSON would give back as others, or not at all."""

    model_config = ConfigDict(strict=True)
    kind: ClassVar[str] = "isolated.exact"
    key: SecretStr
    ratio: float
    either: date | str
    pair: tuple[Any, ...]
    large: int
    alias: int = Field(alias="anAlias")


EXACT: dict[str, Any] = {
    "key": SecretStr("k-9"),
    "ratio": float("inf"),
    "either": date(2026, 3, 1),
    "pair": (Decimal("1.10"), UUID(int=7)),
    "large": 2**90,
    "anAlias": 1,
}


class ExactInput(AgentInput):
    """Takes them."""

    exact: Exact


class ExactOutput(AgentOutput):
    """Gives them back."""

    exact: Exact
    seen: Any = None


class ExactAgent(BaseAgent[ExactInput, ExactOutput]):
    """Gives back what it was given, if it is what was sent."""

    name = "exact"
    description = "Looks at values."
    isolation = "process"

    def work(self, given: ExactInput) -> ExactOutput:
        """Look at them."""
        same = given.exact == Exact(**EXACT)
        seen = sys if given.request == "module" else None
        return ExactOutput(summary=f"same: {same}", exact=given.exact, seen=seen)


def _whole(request: str) -> dict[str, Any]:
    return {
        "summary": f"**{request}** — 네",
        "citations": (Citation(source="a.csv", row=3, quote="…"),),
        "artifacts": (Artifact(name="보고서.md", content="# 보고서\n"),),
        "finding": Finding(text=request),
    }


@effect("once")
def pay(cents: int) -> str:
    """Pay, which may not be done where it could not be known again."""
    return f"paid {cents}"


def _surroundings() -> str:
    told = {
        "pid": os.getpid(),
        "server": os.getppid(),
        "home": str(home_directory()),
        "folder": str(Path.cwd()),
        "variable": os.environ.get("ISOLATED_VARIABLE"),
        "stdin": os.read(0, 1).decode(),
        "group": os.getpgid(0),
        "descriptors": _descriptors(),
    }
    return json.dumps(told)


def _descriptors() -> list[str]:
    """Return what kinds of files are open, the standard ones left out."""
    found: list[str] = []
    for descriptor in range(3, 256):
        try:
            mode = os.fstat(descriptor).st_mode
        except OSError:
            continue
        found.append("socket" if stat.S_ISSOCK(mode) else stat.filemode(mode)[0])
    return found


def _match_for_ever() -> None:
    re.match(r"(a+)+$", "a" * 40 + "b")


def _hold_the_lock() -> None:
    (home_directory() / "pids").write_text(f"{os.getpid()} {os.getppid()}")
    ctypes.PyDLL(None).sleep(MINUTE)


def _start_a_program_and_hold() -> None:
    program = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-S", "-c", program]) as started:
        (home_directory() / "pids").write_text(f"{os.getpid()} {os.getppid()} {started.pid}")
        ctypes.PyDLL(None).sleep(MINUTE)


def _loop() -> None:
    while True:
        pass


def _print() -> str:
    print("noise from print")  # noqa: T201  # the point of it
    os.write(1, b"noise from the descriptor\n")
    return _surroundings()


def _write_garbage() -> None:
    for descriptor in range(3, 256):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"what no frame begins with")


def _exec() -> None:
    os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(60)"])  # noqa: S606  # the point of it


def _kill_the_server() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    _hold_the_lock()


def _ask_a_model() -> None:
    model = FakeListChatModel(responses=["…"])  # one that is not ours; importing ours is slow
    model.invoke("hello", config={"callbacks": [GraphListener("risky")]})


def _raise(error: Exception) -> None:
    raise error


ACTS: dict[str, Callable[[str], object]] = {
    "tell": lambda _: _surroundings(),
    "regex": lambda _: _match_for_ever(),
    "hold": lambda _: _hold_the_lock(),
    "program": lambda _: _start_a_program_and_hold(),
    "loop": lambda _: _loop(),
    "pay": lambda _: pay(7),
    "print": lambda _: _print(),
    "garbage": lambda _: _write_garbage(),
    "exec": lambda _: _exec(),
    "server": lambda _: _kill_the_server(),
    "model": lambda _: _ask_a_model(),
    "refuse": lambda _: _raise(AgentError("못 찾음")),
    "quote": lambda request: _raise(LookupError(request)),
    "raise": lambda _: _raise(LookupError("no table")),
    "exit": lambda _: os._exit(3),
    "end": lambda _: sys.exit(4),
    "leave": lambda _: os.getpid(),
    "crash": lambda _: os.kill(os.getpid(), signal.SIGSEGV),
    "ask": lambda _: langgraph.types.interrupt("May I?"),
    "large": lambda _: "x" * 20_000_000,
    "surrogate": lambda _: "\ud800",
}
