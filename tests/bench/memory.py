"""How much memory small runs leave behind in the process that ran them: 10,000, kept in SQLite.

python tests/bench/memory.py
"""

import asyncio
import gc
import sys
from pathlib import Path
from resource import getpagesize
from tempfile import TemporaryDirectory

from minerva_platform import Task, Team, agent
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.engine.opening import engine_in_loop
from minerva_platform.testing import EachOnceRouter

RUNS, WARM_UP, EVERY = 10_000, 100, 1_000


@agent(examples=["shout"])
async def shout(request: str) -> str:
    """Repeats a request in capitals."""
    return request.upper()


def resident() -> int:
    """Return the bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * getpagesize()


async def measure(home: Path) -> None:
    """Run and print."""
    team = Team(name="t", description="…", members=[shout], router=EachOnceRouter())
    async with engine_in_loop(home / "state.db") as engine:
        before = 0
        for number in range(-WARM_UP, RUNS + 1):
            if number % EVERY == 0:
                gc.collect()
                before = before or resident()
                grown = resident() - before
                print(f"{number:>8,} runs{grown:>12,} bytes{grown / max(number, 1):>10,.0f} a run")
            run = await run_team(
                team.assembled, Task(request="go"), RunOptions(home=home, engine=engine)
            )
            assert run.status == "ok"


def main() -> int:
    """Print the table; exit 0 (a benchmark reports, it does not judge)."""
    with TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
