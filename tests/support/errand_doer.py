"""Errands in processes of their own that are killed in the deed, or right after it.

    python tests/support/errand_doer.py

It reads a JSON object a line, forks a process for it, and says a line when that one has ended. Each
deed is a line in the file `world` of the home.
"""

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import copies
from errand_office import World, errands

from minerva_platform import Task
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import opened_engine

HEAVY = (
    "durable.run_continuation",
    "storage.checkpoints.run_checkpointer",
    "storage.ledger.effects",
)
"""What each process would import by itself."""


class Killed(World):
    """A world in which the process is killed in the deed, or when it is kept."""

    def __init__(self, file: Path, at: str) -> None:
        super().__init__()
        self.file, self.at = file, at

    def do(self, name: str, words: str) -> None:
        """Write a line, so that it is whole or not there."""
        line = json.dumps([name, words]) + "\n"
        with self.file.open("ab", buffering=0) as file:
            file.write(line.encode())
        if self.at == "in":
            os.kill(os.getpid(), signal.SIGKILL)

    def after(self, name: str) -> None:
        """Come to this when the deed is kept as done."""
        del name
        os.kill(os.getpid(), signal.SIGKILL)


async def done(do: dict[str, Any]) -> None:
    """Do one errand; this never comes back."""
    home = Path(do["home"])
    with opened_engine(home / "state.db") as engine:
        options = RunOptions(engine=engine, home=home, thread_id=do["thread"])
        task = Task(request=do["request"], members=(do["member"],))
        await run_team(errands(Killed(home / "world", do["at"])).assembled, task, options)


def main() -> None:
    """Fork a process for each line, and say by which signal it ended."""
    for name in HEAVY:
        import_module(f"minerva_platform.{name}")
    gc.collect()
    gc.freeze()  # a child's search for garbage would copy every page it shares
    for line in iter(sys.stdin.readline, ""):
        pid = os.fork()
        if pid == 0:
            asyncio.run(done(json.loads(line)))
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        os.write(1, f"{os.waitstatus_to_exitcode(status)}\n".encode())


class Doers:
    """The program."""

    def __init__(self) -> None:
        self.process = copies.Popen(
            (sys.executable, __file__), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def do(self, **do: str) -> int:
        """Do an errand, and return how its process ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(do) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


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
