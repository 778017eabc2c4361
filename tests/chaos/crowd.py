"""Processes that run a team in one home, all at once, and what became of it.

    python tests/chaos/crowd.py HOME PROCESSES RUNS AT_ONCE [KILL_AFTER]

Each process asks RUNS times, AT_ONCE at a time, every fifth time in a thread that all share.
After KILL_AFTER runs the process that ended the last of them is killed. Everything is imported
before the processes are forked, so that they start together and cheaply. A JSON object is
printed at the end: see `Seen`.
"""

import asyncio
import json
import os
import signal
import sqlite3
import sys
from contextlib import closing
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from minerva_platform import Platform, Team
from minerva_platform.storage.engine.compression import unpack
from minerva_platform.testing import EachOnceRouter, StubAgent

SHARED = "shared"


@dataclass
class Seen:
    """What the processes said, and what is in the database after them."""

    unwell: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Runs that did not end `ok`, with their causes."""
    told: list[str] = field(default_factory=list[str])
    """Thread and request of each run that said to be done."""
    kept: list[str] = field(default_factory=list[str])
    """Thread and request of each turn in the database."""
    integrity: list[str] = field(default_factory=list[str])
    """What SQLite finds wrong with it, `ok` if nothing."""
    of_the_killed: int = 0
    """Runs of the process that was killed which said to be done."""


class CrowdTeam(Team):
    """A team whose worker answers at once."""

    def __init__(self) -> None:
        super().__init__(
            name="crowd",
            description="Answers.",
            members=[StubAgent("worker")],
            router=EachOnceRouter(),
        )


def install(folder: Path) -> None:
    """Let the platform find the team as it finds installed ones: by its metadata on the path."""
    metadata = folder / "crowd-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: crowd\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[minerva.teams]\ncrowd = __main__:CrowdTeam\n")
    sys.path.insert(0, str(folder))


async def ask(app: Platform, number: int, told: int) -> None:
    """Ask once and write how it went to the descriptor `told`."""
    thread = SHARED if number % 5 == 0 else f"{os.getpid()}-{number}"
    request = f"{os.getpid()} asks {number}"
    try:
        run = await app.aask(request, thread=thread)
        status, cause = (
            str(run.status),
            "; ".join(entry.cause for entry in run.bypassed) or run.answer,
        )
    except Exception as error:  # noqa: BLE001  # whatever it is, the one who watches must see it
        status, cause = "raised", f"{type(error).__name__}: {error}"
    row = {"pid": os.getpid(), "turn": f"{thread}: {request}", "status": status, "cause": cause}
    os.write(told, f"{json.dumps(row)}\n".encode())  # whole: it is shorter than a pipe's buffer


async def ask_often(app: Platform, runs: int, at_once: int, told: int) -> None:
    """Ask `runs` times, `at_once` at a time."""
    gate = asyncio.Semaphore(at_once)

    async def one(number: int) -> None:
        async with gate:
            await ask(app, number, told)

    await asyncio.gather(*(one(number) for number in range(runs)))


def watched(heard: int, kill_after: int) -> Seen:
    """Return what is heard until all processes have ended."""
    seen, killed = Seen(), 0
    with open(heard, encoding="utf-8") as lines:  # a descriptor
        for row in map(json.loads, lines):
            seen.told.append(row["turn"])
            seen.unwell += [row] if row["status"] != "ok" else []
            if len(seen.told) == kill_after:
                killed = row["pid"]
                os.kill(killed, signal.SIGKILL)
    seen.of_the_killed = sum(f" {killed} asks" in f" {turn}" for turn in seen.told)
    seen.told.sort()
    return seen


def look_into(home: Path, seen: Seen) -> None:
    """Add what is in the database."""
    with closing(sqlite3.connect(home / "state.db")) as database:
        seen.integrity = [text for (text,) in database.execute("PRAGMA integrity_check")]
        rows = database.execute(
            "SELECT thread_id, turn FROM turns WHERE turn IS NOT NULL"
        ).fetchall()
    seen.kept = sorted(f"{thread}: {json.loads(unpack(turn))['request']}" for thread, turn in rows)


def main() -> None:
    """Start the processes, wait for them and print what was seen."""
    for name in (
        "minerva_platform.storage.checkpoints.run_checkpointer",
        "minerva_platform.storage.ledger.run_start",
    ):  # or each process would import them by itself
        import_module(name)
    home, (processes, runs, at_once, *kill_after) = Path(sys.argv[1]), map(int, sys.argv[2:])
    with TemporaryDirectory() as folder:
        install(Path(folder))
        app = Platform(only_team="crowd", home=home)
        heard, told = os.pipe()
        for _ in range(processes):
            if os.fork() == 0:
                asyncio.run(ask_often(app, runs, at_once, told))
                os._exit(0)
        os.close(told)
        seen = watched(heard, *kill_after or [0])
    while processes := processes - bool(os.wait()[0]):
        pass
    look_into(home, seen)
    print(json.dumps(asdict(seen)))  # noqa: T201  # the program's answer


if __name__ == "__main__":
    main()
