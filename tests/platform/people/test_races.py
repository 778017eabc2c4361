"""Decisions at the same moment from two processes: one counts, its batch is whole, it runs once."""

from collections.abc import Generator
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest
from forms import forms
from ledger import Store
from racers import KINDS, Racers, approvals, run_race, running_racers


@pytest.fixture(scope="module")
def racers() -> Generator[Racers]:
    """Give two processes that decide, for all races."""
    with running_racers() as started:
        yield started


RACES: list[tuple[Any, int]] = [*zip(KINDS, (2, 4, 6, 9), strict=True), (approvals, 16)]
CASES = forms(
    ((store, *race) for store, race in product(["sqlite", "postgres"], RACES)),
    ((store, *race) for store, race in zip(cycle(["postgres", "sqlite"]), RACES, strict=False)),
)


@pytest.mark.small(3)
@pytest.mark.parametrize(("store", "kind", "count"), CASES, indirect=["store"])
async def test_one_of_many_decisions_counts(
    store: Store, racers: Racers, tmp_path: Path, kind: Any, count: int
) -> None:
    """The others learn which it was; a repeated request gets the winner's; each tool runs once."""
    await run_race(store, racers, tmp_path / "home", kind, count)
