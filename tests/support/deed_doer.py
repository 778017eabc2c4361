"""Runs of eight effects that are killed and gone on with: each in a process of its own.

    python tests/support/deed_doer.py

It reads a JSON object a line and forks a process for it. `Doers` starts it and talks to it. What
the effects do is a line each in the file `world` of the run's folder, written in one piece.
"""

import asyncio
import gc
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, TypedDict

import copies

from minerva_platform import (
    AgentInput,
    AgentOutput,
    BaseAgent,
    Run,
    RunLimits,
    Task,
    Team,
    effect,
    effect_key,
)
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.errors import MinervaError
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.testing import EachOnceRouter

KINDS = {
    "reserve": "idempotent",
    "charge": "keyed",
    "wire": "once",
    "book": "keyed",
    "receipt": "once",
    "letter": "once",
    "stamp": "keyed",
    "note": "idempotent",
}
"""The eight effects."""
AMOUNT = 7
HEAVY = (
    "durable.run_continuation",
    "storage.checkpoints.run_checkpointer",
    "storage.ledger.effects",
    "storage.engine.postgres",
)
"""What each process would import by itself."""


class _State(TypedDict, total=False):
    request: str
    told: str
    summary: str


class World:
    """What effects do to the world; each of them may be held in the middle, by a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def do(self, name: str, amount: int) -> str:
        """Write a line, so that it is whole or not there; wait while the effect is held."""
        line = json.dumps({"name": name, "key": effect_key(), "amount": amount}) + "\n"
        with (self.folder / "world").open("ab", buffering=0) as file:
            file.write(line.encode())
        while (self.folder / f"hold-{name}").exists():
            time.sleep(0.005)
        return f"{name} {amount}"

    def sync(self, name: str) -> Any:
        """Return the effect `name` as a function."""

        def deed(amount: int) -> str:
            return self.do(name, amount)

        deed.__name__ = name
        return effect(KINDS[name])(deed)  # type: ignore[arg-type]  # one of the three

    def coroutine(self, name: str) -> Any:
        """Return the effect `name` as a coroutine function."""

        async def deed(amount: int) -> str:
            await asyncio.sleep(0)
            return self.do(name, amount)

        deed.__name__ = name
        return effect(KINDS[name])(deed)  # type: ignore[arg-type]  # one of the three


class Payer(BaseAgent[AgentInput, AgentOutput]):
    """A worker of three steps and a graph in the last one: five effects."""

    name = "payer"
    description = "Pays."
    examples = ("pay",)

    def __init__(self, world: World) -> None:
        self.world = world

    def build_graph(self) -> Any:
        """Return the graph; plain functions run in OS threads."""
        from langgraph.graph import START, StateGraph  # noqa: PLC0415  # the program's first import

        world = self.world
        reserve, charge, wire = world.sync("reserve"), world.sync("charge"), world.coroutine("wire")
        book, receipt = world.coroutine("book"), world.sync("receipt")

        def prepare(_: _State) -> _State:
            return {"told": f"{reserve(AMOUNT)}, {charge(AMOUNT)}"}

        async def pay(state: _State) -> _State:
            return {"told": f"{state.get('told')}, {await wire(AMOUNT)}"}

        async def to_book(state: _State) -> _State:
            return {"told": f"{state.get('told')}, {await book(AMOUNT)}"}

        def to_confirm(state: _State) -> _State:
            return {"told": f"{state.get('told')}, {receipt(AMOUNT)}"}

        inner: Any = StateGraph(_State)
        inner.add_sequence([to_book, to_confirm])
        inner.add_edge(START, "to_book")
        nested = inner.compile()

        async def close(state: _State) -> _State:
            told = await nested.ainvoke({"told": state.get("told", "")})
            return {"summary": told["told"]}

        builder: Any = StateGraph(_State)
        builder.add_sequence([prepare, pay, close])
        builder.add_edge(START, "prepare")
        return builder


class Clerk(BaseAgent[AgentInput, AgentOutput]):
    """A worker of one step, with three effects, two of them side by side."""

    name = "clerk"
    description = "Writes."
    examples = ("write",)

    def __init__(self, world: World) -> None:
        self.letter, self.stamp = world.coroutine("letter"), world.coroutine("stamp")
        self.note = world.sync("note")

    async def work(self, given: AgentInput) -> AgentOutput:
        """Do them."""
        del given
        both = await asyncio.gather(self.letter(AMOUNT), self.stamp(AMOUNT))
        noted = await asyncio.to_thread(self.note, AMOUNT)
        return AgentOutput(summary=", ".join([*both, noted]))


def office(folder: Path) -> Team:
    """Return a tree of two teams that work side by side."""
    world = World(folder)
    teams = [
        Team(name=name, description="…", members=(worker,), router=EachOnceRouter())
        for name, worker in (("pay", Payer(world)), ("mail", Clerk(world)))
    ]
    return Team(name="office", description="…", members=teams, router=EachOnceRouter())


def told(run: Run) -> dict[str, Any]:
    """Return what a test looks at."""
    return {
        "run": run.run_id,
        "status": run.status,
        "answer": run.answer,
        "effects": sorted(f"{each.name} {each.outcome}" for each in run.effects),
        "hops": sorted(f"{hop.path} {hop.status}" for hop in run.hops),
        "causes": [entry.cause for entry in run.bypassed],
        "asked": {question.id: question.tool for question in run.interrupts},
    }


async def done(do: dict[str, Any]) -> dict[str, Any]:
    """Do one command."""
    folder, place = Path(do["folder"]), do["place"]
    where = PostgresPlace(place) if place.startswith("postgresql:") else Path(place)
    if "bytes" in do:  # a full disk: no file may grow beyond that
        resource.setrlimit(resource.RLIMIT_FSIZE, (do["bytes"], do["bytes"]))
    with opened_engine(where) as engine:
        options = RunOptions(
            engine=engine,
            home=folder / "home",
            limits=RunLimits(seconds=300),
            thread_id=do["thread"],
        )
        try:
            if "run" not in do:
                return told(
                    await run_team(
                        office(folder).assembled, Task(request="pay the orders"), options
                    )
                )
            batch = DecisionBatch(do.get("decisions", {}), "tester")
            return told(await resume_team(office(folder).assembled, do["run"], batch, options))
        except MinervaError as error:
            return {"error": type(error).__name__, "text": str(error)}


def main() -> None:
    """Fork a process for each line; say how it ended, by the line that it has written itself."""
    for name in HEAVY:
        import_module(f"minerva_platform.{name}")
    gc.collect()
    gc.freeze()  # a child's search for garbage would copy every page it shares
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever was killed is gone at once
    for line in iter(sys.stdin.readline, ""):
        do = json.loads(line)
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.close(reader)
            answer = json.dumps(asyncio.run(done(do)))
            os.write(writer, answer.encode())
            os._exit(0)
        os.close(writer)
        _say({"pid": pid})
        with os.fdopen(reader) as answers:  # ends with the process
            _say({"ended": json.loads(answers.read() or "null")})


def _say(what: dict[str, Any]) -> None:
    os.write(1, (json.dumps(what) + "\n").encode())


class Doers:
    """The program; one process at a time works."""

    def __init__(self) -> None:
        self.process = copies.Popen(
            (sys.executable, __file__), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def start(self, **do: Any) -> int:
        """Start a process and return its id; `ended` waits for it."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(do) + "\n")
        self.process.stdin.flush()
        return int(self._heard()["pid"])

    def ended(self) -> dict[str, Any] | None:
        """Return what the process said at its end; None if it was killed before."""
        found: dict[str, Any] | None = self._heard()["ended"]
        return found

    def do(self, **do: Any) -> dict[str, Any]:
        """Start a process and wait for its end."""
        self.start(**do)
        found = self.ended()
        assert found is not None
        return found

    def _heard(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found


@contextmanager
def running_doers() -> Generator[Doers]:
    """Give the program."""
    doers = Doers()
    try:
        yield doers
    finally:
        doers.process.kill()
        doers.process.communicate()


if __name__ == "__main__":
    main()
