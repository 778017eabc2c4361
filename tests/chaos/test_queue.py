"""Many background runs, three worker processes, and SIGKILL all the time."""

import random
import time
from collections import Counter
from pathlib import Path

from ledger import Store, rows
from run_mover import Mover, running_movers

from minerva_platform.storage.ledger.schema import runs

RUNS = 120
MIN_KILLS = 10
PROCESSES = 3
CAP = 5


def test_processes_that_are_killed_lose_no_run_and_repeat_no_effect(
    store: Store, tmp_path: Path
) -> None:
    """A run whose effect was cut off asks a person; every other one ends, with one effect."""
    chance = random.Random(7)  # noqa: S311  # when to kill
    with running_movers() as movers:

        def started() -> Mover:
            more = {"lease": 1, "at_once": 4, "cap": CAP}
            return movers.start("work", store.address, tmp_path, **more)

        for number in range(RUNS):
            thread = f"t{number % 6}" if number % 2 else None
            request = f"box {number}."
            told = movers.start("submit", store.address, tmp_path, request=request, thread=thread)
            assert told.result()["status"] == "queued"
        working = [started() for _ in range(PROCESSES)]
        kills = 0
        while all(mover.lives for mover in working):  # the first that ends has found nothing left
            place = chance.randrange(PROCESSES)
            working[place].kill()
            working[place], kills = started(), kills + 1
            time.sleep(chance.uniform(0.1, 0.6))
        for mover in working:
            mover.result()

    packed = Counter(
        line.removeprefix("packer packed ")
        for line in (tmp_path / "log").read_text().splitlines()
        if line.startswith("packer packed ")
    )
    with store.opened() as engine:
        statuses = Counter(status for (status,) in rows(engine, runs.c.status))
    assert set(packed.values()) == {1}
    assert statuses.keys() <= {"ok", "needs_human"}
    assert len(packed) >= statuses["ok"]
    assert statuses.total() == RUNS
    assert statuses["ok"] > 0
    assert kills >= MIN_KILLS
