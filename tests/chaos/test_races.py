"""Fifty races of 2 to 16 decisions from two processes, on each database.

`make test` has the small form, in tests/platform/people/test_races.py.
"""

from pathlib import Path

from ledger import Store
from racers import KINDS, run_race, running_racers

RACES = 50


async def test_one_of_many_decisions_counts_in_every_race(store: Store, tmp_path: Path) -> None:
    """Whatever the kind of decisions and their number."""
    with running_racers() as racers:
        for number in range(RACES):
            kind, count = KINDS[number % len(KINDS)], 2 + number * 14 // (RACES - 1)
            await run_race(store, racers, tmp_path / f"{number}", kind, count)
