"""Decisions that two long-lived processes give at the same moment, and what must come of a race.

    python tests/support/racers.py

A process reads a JSON object a line: a list of decisions about one run. It answers `ready`, waits
for a line `go`, and gives them all at once. Then it answers what came of each.
"""

import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import copies
from ledger import Store, rows

from minerva_platform import MinervaError, Task, Team
from minerva_platform.contract.run_object import DecisionBatch
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import resume_team
from minerva_platform.errors import AlreadyDecidedError
from minerva_platform.people.ask_person import ask_decision
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.schema import decisions
from minerva_platform.testing import EachOnceRouter, StubAgent

WORKERS = ("ann", "ben", "cho")
"""Each asks whether it may pay, and pays into a file."""


@dataclass(frozen=True, slots=True)
class Given:
    """A batch of decisions as a racer gives it."""

    decisions: dict[str, str]
    batch: str
    by: str


@dataclass(frozen=True, slots=True)
class Got:
    """What came of a batch: the state of the run, or the error with the winner it names."""

    status: str = ""
    error: str = ""
    winner: dict[str, Any] = field(default_factory=dict[str, Any])


def office(folder: Path) -> Team:
    """Return two teams whose workers ask before they pay."""

    def pays(name: str) -> Callable[[Any], dict[str, str]]:
        def work(_: Any) -> dict[str, str]:
            about = {"kind": "effect", "text": f"May {name} pay?", "tool": "pay"}
            allowed = ["approve", "reject"]
            asked: Any = {**about, "arguments": {"to": name}, "allowed": allowed}
            decision = ask_decision(asked)
            if decision["type"] == "approve":
                with (folder / "paid").open("a", encoding="utf-8") as book:
                    book.write(f"{name}\n")
            return {"summary": f"{name}: {decision['type']}"}

        return work

    first, *others = (StubAgent(name, behave=pays(name)) for name in WORKERS)
    teams = [
        Team(name=name, description="…", members=members, router=EachOnceRouter())
        for name, members in (("one", [first]), ("two", others))
    ]
    return Team(name="office", description="…", members=teams, router=EachOnceRouter())


async def given_at_once(job: dict[str, Any]) -> list[Got]:
    """Give all decisions of a job at the same moment, in one event loop."""
    folder, address = Path(job["folder"]), job["address"]
    place = PostgresPlace(address) if address.startswith("postgresql:") else Path(address)
    with opened_engine(place) as engine:
        options, team = RunOptions(engine=engine, home=folder), office(folder)

        async def give(one: dict[str, Any]) -> Got:
            batch = DecisionBatch(one["decisions"], one["by"], one["batch"])
            try:
                run = await resume_team(team.assembled, job["run"], batch, options)
            except AlreadyDecidedError as error:
                return Got(error=type(error).__name__, winner=dict(error.winner))
            except MinervaError as error:
                return Got(error=f"{type(error).__name__}: {error}")
            return Got(status=run.status)

        return list(await asyncio.gather(*map(give, job["given"])))


def main() -> None:
    """Serve jobs until the input ends."""
    for line in iter(sys.stdin.readline, ""):
        job = json.loads(line)
        print("ready", flush=True)  # noqa: T201  # the other end of the pipe waits for it
        assert sys.stdin.readline() == "go\n"
        got = asyncio.run(given_at_once(job))
        print(json.dumps([asdict(each) for each in got]), flush=True)  # noqa: T201


class Racers:
    """The processes."""

    def __init__(self, count: int = 2) -> None:
        start = partial(
            copies.Popen,
            (sys.executable, __file__),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.processes = [start() for _ in range(count)]

    def race(self, store: Store, folder: Path, run: str, given: Sequence[Given]) -> list[Got]:
        """Deal the decisions to the processes; return what came of each, in their order."""
        shares = [given[at :: len(self.processes)] for at in range(len(self.processes))]
        job = {"address": store.address, "folder": str(folder), "run": run}
        for process, share in zip(self.processes, shares, strict=True):
            self._tell(process, json.dumps({**job, "given": [asdict(each) for each in share]}))
        for process in self.processes:
            assert self._heard(process) == "ready"
        for process in self.processes:
            self._tell(process, "go")
        got = [[Got(**each) for each in json.loads(self._heard(p))] for p in self.processes]
        return [got[at % len(got)][at // len(got)] for at in range(len(given))]

    @staticmethod
    def _tell(process: "subprocess.Popen[str]", line: str) -> None:
        assert process.stdin is not None
        process.stdin.write(f"{line}\n")
        process.stdin.flush()

    @staticmethod
    def _heard(process: "subprocess.Popen[str]") -> str:
        assert process.stdout is not None
        return process.stdout.readline().strip()


@contextmanager
def running_racers(count: int = 2) -> Generator[Racers]:
    """Give processes that decide at once."""
    racers = Racers(count)
    try:
        yield racers
    finally:
        for process in racers.processes:
            process.kill()
            process.communicate()


def approvals(ids: Sequence[str], count: int) -> list[Given]:
    """Return approvals of everything, each a batch of its own."""
    return [Given(dict.fromkeys(ids, "approve"), f"b{n}", f"p{n}") for n in range(count)]


def for_and_against(ids: Sequence[str], count: int) -> list[Given]:
    """Return approvals and rejections of everything in turn."""
    kinds = islice(cycle(("approve", "reject")), count)
    return [Given(dict.fromkeys(ids, kind), f"b{n}", f"p{n}") for n, kind in enumerate(kinds)]


def repeats(ids: Sequence[str], count: int) -> list[Given]:
    """Return two batches against each other, each sent again and again."""
    kinds = ("approve", "reject")
    return [Given(dict.fromkeys(ids, kinds[n % 2]), f"b{n % 2}", f"p{n % 2}") for n in range(count)]


def overlaps(ids: Sequence[str], count: int) -> list[Given]:
    """Return batches that share a question with each other; none may be kept in part."""
    first, second, third = ids
    pairs = islice(cycle(((first, second), (third, second), (third, first))), count)
    return [Given(dict.fromkeys(pair, "approve"), f"b{n}", f"p{n}") for n, pair in enumerate(pairs)]


KINDS = (approvals, for_and_against, repeats, overlaps)


async def run_race(store: Store, racers: Racers, folder: Path, kind: Any, count: int) -> None:
    """Let `count` decisions of a kind race for a new run, and check what came of it.

    Raises:
        AssertionError: not one batch won, one was kept in part, or something was paid twice.
    """
    _make(folder)
    with store.opened() as engine:
        options, team = RunOptions(engine=engine, home=folder), office(folder)
        run = await run_team(team.assembled, Task(request="pay"), options)
        asked = {question.id: question.path.rpartition("/")[2] for question in run.interrupts}
        assert sorted(asked.values()) == sorted(WORKERS)
        given = kind(sorted(asked), count)

        got = racers.race(store, folder, run.run_id, given)

        columns = (
            decisions.c.run_id,
            decisions.c.interrupt_id,
            decisions.c.batch,
            decisions.c.kind,
        )
        kept = {
            each: (batch, what)
            for of, each, batch, what in rows(engine, *columns)
            if of == run.run_id
        }
        (winner,) = {batch for batch, _ in kept.values()}
        won = next(each for each in given if each.batch == winner)
        assert {each: what for each, (_, what) in kept.items()} == won.decisions
        for sent, came in zip(given, got, strict=True):
            if sent.batch == winner:
                assert came.status in {"ok", "needs_human"}, came
            else:
                assert (came.error, came.winner.get("by")) == ("AlreadyDecidedError", won.by), came
        rest = dict.fromkeys(asked.keys() - won.decisions, "reject")
        ended = await resume_team(team.assembled, run.run_id, DecisionBatch(rest), options)
        assert ended.status == "ok"
        assert paid(folder) == Counter(
            asked[each] for each, what in won.decisions.items() if what == "approve"
        )


def _make(folder: Path) -> None:
    folder.mkdir()


def paid(folder: Path) -> Counter[str]:
    """Return who paid how often."""
    book = folder / "paid"
    return Counter(book.read_text(encoding="utf-8").split() if book.exists() else ())


if __name__ == "__main__":
    main()
