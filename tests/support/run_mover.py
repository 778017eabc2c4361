"""Runs that are asked, resumed, killed and stopped: each command in a process of its own.

    python tests/support/run_mover.py

It reads a JSON object a line and forks a process for it, which is cheap, because everything is
imported by then. The process says who it is, `{"tag", "pid"}`, and later what came of it. `Movers`
starts the program and talks to it.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, TypedDict

import copies

from minerva_observability import build_recorder
from minerva_observability.tracing import NO_RECORDER
from minerva_platform import AgentInput, AgentOutput, BaseAgent, RunLimits, Task, Team, effect
from minerva_platform.contract.run_object import DecisionBatch, Run
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.incoming_request import submit_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.durable.worker_process import WorkerProcess
from minerva_platform.errors import MinervaError
from minerva_platform.run_context.context import count_model_call
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.lease import LeaseTerms
from minerva_platform.storage.queue.background_runs import Caps
from minerva_platform.testing import EachOnceRouter, StubAgent


class _State(TypedDict, total=False):
    request: str
    decided: str
    summary: str


class Careful(BaseAgent[AgentInput, AgentOutput]):
    """A worker that prepares, asks and acts, and writes each step down; it acts while not held."""

    description = "…"

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__()
        self.name, self.folder = name, folder

    def build_graph(self) -> Any:
        """Return a graph of three steps."""
        from langgraph.graph import START, StateGraph  # noqa: PLC0415  # the program's first import

        builder: Any = StateGraph(_State)
        builder.add_node("prepare", self.prepare)
        builder.add_node("ask", self.ask)
        builder.add_node("act", self.act)
        builder.add_edge(START, "prepare")
        builder.add_edge("prepare", "ask")
        builder.add_edge("ask", "act")
        return builder

    def prepare(self, _: _State) -> _State:
        """Call a model, in effect."""
        count_model_call(prompt_tokens=3, completion_tokens=2)
        self._note("prepared")
        return {}

    def ask(self, _: _State) -> _State:
        """Ask what to do."""
        from langgraph.types import interrupt  # noqa: PLC0415  # see above

        return {"decided": str(interrupt(f"What shall `{self.name}` do?"))}

    def act(self, state: _State) -> _State:
        """Do it, once nobody holds it."""
        count_model_call(prompt_tokens=3, completion_tokens=2)
        self._note("began")
        while (self.folder / f"hold-{self.name}").exists():
            time.sleep(0.01)
        self._note(f"did {state.get('decided')}")
        return {"summary": f"{self.name} did {state.get('decided')}"}

    def _note(self, what: str) -> None:
        with (self.folder / "log").open("a", encoding="utf-8") as log:
            log.write(f"{self.name} {what}\n")


class Packer(Careful):
    """A worker that packs without asking, by an effect, while it is not held. Poison ends it."""

    def build_graph(self) -> Any:
        """Return a graph of two steps."""
        from langgraph.graph import START, StateGraph  # noqa: PLC0415  # see above

        builder: Any = StateGraph(_State)
        builder.add_node("prepare", self.prepare)
        builder.add_node("act", self.act)
        builder.add_edge(START, "prepare")
        builder.add_edge("prepare", "act")
        return builder

    def act(self, state: _State) -> _State:
        """Pack what the request says, once nobody holds it."""
        what = str(state.get("request"))
        self._note(f"began {what}")
        if what.startswith("poison"):
            os.kill(os.getpid(), signal.SIGKILL)
        while (self.folder / f"hold-{self.name}").exists():
            time.sleep(0.01)
        self._pack(what)
        return {"summary": f"packed {what}"}

    @effect("once")
    def _pack(self, what: str) -> str:
        self._note(f"packed {what}")
        return what


def depot(folder: Path) -> Team:
    """Return a team with one worker, which packs."""
    members = (Packer("packer", folder),)
    return Team(name="depot", description="…", members=members, router=EachOnceRouter())


def bureau(folder: Path) -> Team:
    """Return a team whose packer works in the background."""
    packer = Packer("packer", folder)
    packer.background = True
    return Team(name="bureau", description="…", members=(packer,), router=EachOnceRouter())


def office(folder: Path) -> Team:
    """Return a tree with two teams whose workers ask, and a worker that does not."""

    def beside(_: Any) -> dict[str, str]:
        with (folder / "log").open("a", encoding="utf-8") as log:
            log.write("beside\n")
        return {"summary": "beside answered"}

    teams = [
        Team(
            name=name,
            description="…",
            members=(Careful(f"{name}_agent", folder),),
            router=EachOnceRouter(),
        )
        for name in ("pay", "mail")
    ]
    members: tuple[BaseAgent[Any, Any], ...] = (*teams, StubAgent("beside", behave=beside))
    return Team(name="office", description="…", members=members, router=EachOnceRouter())


TEAMS = {"bureau": bureau, "depot": depot, "office": office}


def told(run: Run) -> dict[str, Any]:
    """Return what a test looks at."""
    return {
        "run": run.run_id,
        "status": run.status,
        "answer": run.answer,
        "hops": sorted(hop.path for hop in run.hops),
        "calls": run.usage.model_calls,
        "bypassed": [entry.cause for entry in run.bypassed],
        "asked": {question.path.rpartition("/")[2]: question.id for question in run.interrupts},
    }


async def done(do: dict[str, Any]) -> dict[str, Any]:
    """Do one command."""
    folder, place = Path(do["folder"]), do["place"]
    where = PostgresPlace(place) if place.startswith("postgresql:") else Path(place)
    seconds = float(do.get("lease", 30.0))
    with opened_engine(where) as engine:
        options = RunOptions(
            engine=engine,
            home=folder / "home",
            limits=RunLimits(seconds=float(do.get("seconds", 300))),
            thread_id=do.get("thread", "t"),
            terms=LeaseTerms(seconds, seconds / 3),
            recorder=build_recorder(folder / "home") if do.get("recorded") else NO_RECORDER,
        )
        try:
            if do["do"] == "submit":
                return told(
                    await submit_team(depot(folder).assembled, Task(request=do["request"]), options)
                )
            if do["do"] == "work":
                return await worked(folder, replace(options, thread_id=None), do)
            if do["do"] == "ask":
                team = TEAMS[do.get("team", "office")](folder)
                return told(await run_team(team.assembled, Task(request=do["request"]), options))
            batch = DecisionBatch(do.get("decisions", {}), do.get("by"), do.get("batch"))
            resumed = TEAMS[do.get("team", "office")](folder).assembled
            return told(await resume_team(resumed, do["run"], batch, options))
        except MinervaError as error:
            return {"error": type(error).__name__, "text": str(error)}


async def worked(folder: Path, options: RunOptions, do: dict[str, Any]) -> dict[str, Any]:
    """Work off the queue until it is empty, and return what became of which run."""
    team = bureau(folder) if do.get("team") == "bureau" else depot(folder)
    ends: dict[str, str] = {}

    def note(run_id: str, end: Run | MinervaError) -> None:
        ends[run_id] = end.status if isinstance(end, Run) else type(end).__name__

    caps = Caps(do.get("cap"))
    process = WorkerProcess(
        lambda _: team.assembled, options, do.get("at_once", 4), caps, on_end=note
    )
    if "drain_after" in do:
        working = asyncio.create_task(process.work())
        while not (folder / do["drain_after"]).exists():  # noqa: ASYNC110  # another process makes it
            await asyncio.sleep(0.01)
        left = len(await process.let_go(0.2))
        await working
        return {"ends": ends, "left": left}
    await process.work(until_empty=True)
    return {"ends": ends}


def _import_all() -> None:
    """Import what a run imports when it needs it, once for all processes."""
    for name in (
        "langgraph.graph",
        "minerva_platform.people.decision_json",
        "minerva_platform.runtime.supervisor",
        "minerva_platform.storage.checkpoints.run_checkpointer",
        "minerva_platform.storage.ledger.effects",
        "minerva_platform.storage.engine.postgres",
        "minerva_platform.storage.ledger.run_start",
        "minerva_platform.storage.ledger.threads",
        "psycopg",
    ):
        import_module(name)


def main() -> None:
    """Fork a process for each line."""
    _import_all()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever was killed is gone at once
    for line in iter(sys.stdin.readline, ""):
        do = json.loads(line)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _serve(do)


def _serve(do: dict[str, Any]) -> None:
    """Do a command in the forked process, and end it whatever comes."""
    try:
        _say({"tag": do["tag"], "pid": os.getpid()})
        _say({"tag": do["tag"], **asyncio.run(done(do))})
    except BaseException as error:  # noqa: BLE001  # the test would wait for ever
        _say({"tag": do["tag"], "error": type(error).__name__, "text": str(error)})
    finally:
        os._exit(0)


def _say(what: dict[str, Any]) -> None:
    os.write(1, (json.dumps(what) + "\n").encode())


class Movers:
    """The program, and what its processes have said."""

    def __init__(self) -> None:
        self.process = copies.Popen(
            (sys.executable, __file__), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.said: dict[int, list[dict[str, Any]]] = {}
        self._tags = count()

    def start(self, do: str, place: str, folder: Path, **more: Any) -> "Mover":
        """Start a process that asks or resumes."""
        tag = next(self._tags)
        command = {"do": do, "tag": tag, "place": place, "folder": str(folder), **more}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return Mover(self, tag, int(self.heard(tag)["pid"]))

    def heard(self, tag: int) -> dict[str, Any]:
        """Wait for what a process says next."""
        assert self.process.stdout is not None
        while not self.said.get(tag):
            what = json.loads(self.process.stdout.readline())
            self.said.setdefault(what.pop("tag"), []).append(what)
        return self.said[tag].pop(0)


class Mover:
    """One process."""

    def __init__(self, movers: Movers, tag: int, pid: int) -> None:
        self.movers, self.tag, self.pid = movers, tag, pid

    def result(self) -> dict[str, Any]:
        """Wait for what came of it."""
        return self.movers.heard(self.tag)

    @property
    def lives(self) -> bool:
        """True if it has not ended."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def kill(self) -> None:
        """End it as a crash would."""
        os.kill(self.pid, signal.SIGKILL)

    def stop(self) -> None:
        """Let it stand still."""
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)


@contextmanager
def running_movers() -> Generator[Movers]:
    """Give the program."""
    movers = Movers()
    try:
        yield movers
    finally:
        movers.process.kill()
        movers.process.communicate()


if __name__ == "__main__":
    main()
