"""A process that takes turns in threads, as it is told line by line.

    python tests/support/turn_taker.py PLACE [SECONDS_OF_A_LEASE]

PLACE is the path of a SQLite database or the URL of a Postgres one. It reads a JSON object a line:
`{"do": "ask", "thread": …, "run": …}` takes a whole turn, `"begin"` and `"end"` its halves. It
answers each with a line: `ok`, or the class of the error. `--shift FILE` makes SQLite's clock go
wrong by the seconds in FILE.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from minerva_platform import Run, Task
from minerva_platform.errors import RunError
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.engine.place import Place, PostgresPlace
from minerva_platform.storage.holder import boot_seconds
from minerva_platform.storage.lease import LeaseTerms
from minerva_platform.storage.open_run import OpenRun
from minerva_platform.storage.runs import NewRun, accepted
from minerva_platform.storage.turn import KeptTurn


class TurnTaker:
    """Takes turns in the threads of a database."""

    def __init__(self, engine: Engine, terms: LeaseTerms) -> None:
        self.engine, self.terms = engine, terms
        self.stack, self.open = AsyncExitStack(), dict[str, OpenRun]()

    async def do(self, told: dict[str, Any]) -> None:
        """Do what is told."""
        run_id = str(told["run"])
        if told["do"] in {"ask", "begin"}:
            task = Task(request=run_id)
            new = NewRun(run_id, told["thread"], "t", task)
            seconds = told.get("seconds", 60)
            going_on = accepted(self.engine, new, seconds=seconds, terms=self.terms)
            self.open[run_id] = await self.stack.enter_async_context(going_on)
        if told["do"] in {"ask", "end"}:
            open_run = self.open.pop(run_id)
            thread_id = open_run.lease.thread_id
            run = Run(run_id=run_id, thread_id=thread_id, status="ok", answer=f"to {run_id}")
            open_run.end(run, _turn(run_id, run.answer))


def _turn(run_id: str, answer: str) -> KeptTurn:
    return KeptTurn(request=run_id, answer=answer, topic=run_id, run_id=run_id, status="ok")


async def serve(place: Place, terms: LeaseTerms, clock: Callable[[], float]) -> None:
    """Do what each line says."""
    with opened_engine(place, clock=clock) as engine:
        taker = TurnTaker(engine, terms)
        for line in iter(sys.stdin.readline, ""):
            try:
                await taker.do(json.loads(line))
                answer = "ok"
            except RunError as error:
                answer = type(error).__name__
            print(answer, flush=True)  # noqa: T201  # the program's answer


def main() -> None:
    """Read the arguments and serve."""
    place, seconds, *shift = sys.argv[1:]
    terms = LeaseTerms(float(seconds), float(seconds) / 3)

    def clock() -> float:
        return boot_seconds() + (float(Path(shift[0]).read_text()) if shift else 0.0)

    where = PostgresPlace(place) if place.startswith("postgresql:") else Path(place)
    asyncio.run(serve(where, terms, clock))


if __name__ == "__main__":
    main()
