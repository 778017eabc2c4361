"""Writing turns as runs do, for tests of what reads them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from minerva_platform.contract.run_object import Run
from minerva_platform.contract.task import Task
from minerva_platform.run_context.blocking import run_sync
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.run_start import NewRun, accepted
from minerva_platform.storage.ledger.turn import KeptTurn


def keep_turn(path: Path, thread_id: str, turn: KeptTurn, *, seconds: float = 30) -> None:
    """Keep a whole run with its turn; its id is that of the turn."""
    task = Task(request=turn.request)
    run = Run(run_id=turn.run_id, thread_id=thread_id, status=turn.status, answer=turn.answer)

    async def kept() -> None:
        with opened_engine(path) as engine:
            new = NewRun(turn.run_id, thread_id, turn.root, task)
            async with accepted(engine, new, seconds=seconds) as open_run:
                open_run.end(run, turn, seconds=seconds)

    with ThreadPoolExecutor(1) as other:  # the test may have an event loop here
        other.submit(run_sync, kept).result()
