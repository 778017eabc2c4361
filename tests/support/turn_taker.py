"""Processes that take turns in threads, as they are told line by line.

    python tests/support/turn_taker.py SOCKET

It listens there and forks a process for each connection, which is cheap, because everything is
imported by then. The first line says where: `{"place": …, "lease": …, "shift": …}`; the process
answers with its id. PLACE is the path of a SQLite database or the URL of a Postgres one, `lease`
the seconds of a lease, and `shift` a file with the seconds by which SQLite's clock is wrong.

Then it reads a JSON object a line: `{"do": "ask", "thread": …, "run": …}` takes a whole turn,
`"begin"` and `"end"` its halves. It answers each with a line: `ok`, or the class of the error. The
program ends with its standard input.
"""

import asyncio
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from minerva_platform import Run, Task
from minerva_platform.errors import RunError
from minerva_platform.storage.engine.engine import Engine
from minerva_platform.storage.engine.location import Place, PostgresPlace
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.lease import LeaseTerms, boot_seconds
from minerva_platform.storage.ledger.open_run import OpenRun
from minerva_platform.storage.ledger.run_start import NewRun, accepted
from minerva_platform.storage.ledger.turn import KeptTurn

Clock: TypeAlias = Callable[[], float]


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


async def serve(heard: TextIO, said: TextIO, place: Place, terms: LeaseTerms, clock: Clock) -> None:
    """Do what each line says."""
    with opened_engine(place, clock=clock) as engine:
        taker = TurnTaker(engine, terms)
        for line in iter(heard.readline, ""):
            try:
                await taker.do(json.loads(line))
                answer = "ok"
            except RunError as error:
                answer = type(error).__name__
            print(answer, file=said, flush=True)


def take_turns(heard: TextIO, said: TextIO) -> None:
    """Read where, and serve."""
    told = json.loads(heard.readline())
    place, seconds, shift = told["place"], float(told["lease"]), told["shift"]

    def clock() -> float:
        return boot_seconds() + (float(Path(shift).read_text()) if shift else 0.0)

    print(os.getpid(), file=said, flush=True)
    where = PostgresPlace(place) if place.startswith("postgresql:") else Path(place)
    asyncio.run(serve(heard, said, where, LeaseTerms(seconds, seconds / 3), clock))


def main() -> None:
    """Fork a process for each connection."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(sys.argv[1])
        listening.listen()
        print("ready", flush=True)  # noqa: T201  # the program's answer
        while sys.stdin not in select.select([sys.stdin, listening], [], [])[0]:
            connection, _ = listening.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listening.close()
                take_turns(connection.makefile("r"), connection.makefile("w"))
                os._exit(0)
            connection.close()


if __name__ == "__main__":
    main()
