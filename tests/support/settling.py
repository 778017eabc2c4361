"""Runs that wait for a payment, and races of approve and cancel."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from changing import KIM, SHAPES, Desk, now
from ledger import Store

from minerva_platform import Run, Task
from minerva_platform.durable.active_run import run_team
from minerva_platform.durable.run_continuation import advance
from minerva_platform.errors import AlreadyDecidedError, ExpiredInterruptError
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.ledger.decisions import decide
from minerva_platform.storage.queue.background_runs import cancel_run


def seen(engine: Any, work: Any, *arguments: Any) -> Any:
    """Return what the ledger says."""
    return engine.read(lambda connection: work(connection, *arguments), empty=None)


async def waiting(desk: Desk, options: RunOptions, **ask: Any) -> Run:
    """Return a run that waits for the payment."""
    desk.asks(now(KIM, **ask))
    return await run_team(SHAPES["worker"](desk).assembled, Task(request="pay"), options)


async def race(store: Store, home: Path, times: int) -> list[str]:
    """Approve and cancel at once, so often; return who won."""
    desk, won = Desk(home), list[str]()
    team = SHAPES["worker"](desk)
    with store.opened() as engine:
        for number in range(times):
            options = RunOptions(engine=engine, home=home, thread_id=f"t{number}")
            run = await waiting(desk, options, arguments={"n": number})
            give = partial(decide, engine, run.run_id, {run.interrupts[0].id: "approve"}, by="ann")
            stop = partial(cancel_run, engine, run.run_id)
            works: tuple[Any, ...] = (give, stop) if number % 2 else (stop, give)
            ends = await asyncio.gather(
                *(asyncio.to_thread(work) for work in works), return_exceptions=True
            )
            said, stopped = ends if number % 2 else reversed(ends)
            ended = await advance(team.assembled, run.run_id, options)
            if isinstance(stopped, AlreadyDecidedError):
                assert not isinstance(said, BaseException)
                assert "`approve` by ann came first" in str(stopped)
                assert (ended.status, desk.done[-1]) == ("ok", ["pay", {"n": number}])
            else:
                assert isinstance(said, ExpiredInterruptError)
                assert "its run has ended (`cancelled`)" in str(said)
                assert ended.status == "cancelled"
                assert ["pay", {"n": number}] not in desk.done
            won.append("approve" if ended.status == "ok" else "cancel")
        assert len(desk.done) == won.count("approve")
    return won
