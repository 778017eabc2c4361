"""A process that asks and decides as it is told line by line, several things at once if so told.

It reads a JSON object a line, begins its calls all at once (or, with `"in_order"`, one after the
other) and answers with a line: a list of what came of each.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import copies
from clerks import REQUEST, book, office
from ledger import Store

from minerva_platform import RunLimits, Task, Team, ask_person
from minerva_platform.contract.run_object import DecisionBatch, Run
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.errors import MinervaError
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.lease import LeaseTerms, boot_seconds
from minerva_platform.testing import EachOnceRouter, StubAgent


def desk() -> Team:
    """Return a team that books what it is asked, and first asks a person if it is to pay."""

    def work(given: Any) -> dict[str, str]:
        if given.request == REQUEST:
            return {"summary": f"paid {ask_person('How much?', answer=int)}"}
        book(given.request)
        return {"summary": f"did {given.request}"}

    worker = StubAgent("clerk", behave=work)
    worker.examples = (*worker.examples, REQUEST)
    return Team(name="desk", description="…", members=[worker], router=EachOnceRouter())


TEAMS: dict[str, Callable[[], Team]] = {"office": office, "desk": desk}


async def done(call: dict[str, Any], engine: Engine, home: Path) -> dict[str, Any]:
    """Do one call and return what came of it."""
    team = TEAMS[call.get("team", "office")]()
    options = RunOptions(
        engine=engine,
        home=home,
        limits=RunLimits(seconds=120),
        thread_id=call.get("thread"),
        terms=LeaseTerms(1.0, 0.3),
    )
    try:
        if "request" in call:
            return told(await run_team(team.assembled, Task(request=call["request"]), options))
        batch = DecisionBatch(
            call["decisions"], call.get("by"), call.get("batch"), call.get("shown", {})
        )
        return told(await resume_team(team.assembled, call["run"], batch, options))
    except MinervaError as error:
        return {"error": type(error).__name__, "winner": getattr(error, "winner", None)}


def told(run: Run) -> dict[str, Any]:
    """Return what a test looks at."""
    asked = {question.tool or "": question.id for question in run.interrupts}
    shown = {question.id: question.shown_sha256 for question in run.interrupts}
    return {
        "run": run.run_id,
        "status": run.status,
        "answer": run.answer,
        "asked": asked,
        "shown": shown,
    }


async def all_done(do: dict[str, Any], engine: Engine) -> list[dict[str, Any]]:
    """Do all calls of a line."""
    home = Path(do["home"])
    if do["in_order"]:
        return [await done(call, engine, home) for call in do["calls"]]
    return list(await asyncio.gather(*(done(call, engine, home) for call in do["calls"])))


def main() -> None:
    """Do what each line says."""
    for line in iter(sys.stdin.readline, ""):
        do = json.loads(line)
        os.chdir(do["home"])
        place, shift = do["place"], do["shift"]

        def clock(files: tuple[str, ...] = tuple(shift)) -> float:
            return boot_seconds() + sum(float(Path(file).read_text()) for file in files)

        where = PostgresPlace(place) if place.startswith("postgresql:") else Path(place)
        with opened_engine(where, clock=clock) as engine:
            print(json.dumps(asyncio.run(all_done(do, engine))), flush=True)  # noqa: T201  # its answer


class Player:
    """The program in a process of its own, and the database in which it works."""

    def __init__(self, process: "subprocess.Popen[str]", store: Store, home: Path) -> None:
        self.process, self.store, self.home = process, store, home

    def tell(self, *calls: dict[str, Any], in_order: bool = False) -> None:
        """Tell it what to do; `heard` gives what came of it."""
        assert self.process.stdin is not None
        store = self.store
        told = {"place": store.address, "home": str(self.home), "shift": store.arguments}
        self.process.stdin.write(json.dumps({"calls": calls, "in_order": in_order, **told}) + "\n")
        self.process.stdin.flush()

    def heard(self) -> list[dict[str, Any]]:
        """Wait for the next answer."""
        assert self.process.stdout is not None
        answer: list[dict[str, Any]] = json.loads(self.process.stdout.readline())
        return answer

    def do(self, **call: Any) -> dict[str, Any]:
        """Do one call."""
        self.tell(call)
        return self.heard()[0]


@contextmanager
def playing(count: int = 2) -> Generator[list["subprocess.Popen[str]"]]:
    """Give processes that ask and decide."""
    command = (sys.executable, __file__)
    started: list[subprocess.Popen[str]] = [
        copies.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()


if __name__ == "__main__":
    main()
