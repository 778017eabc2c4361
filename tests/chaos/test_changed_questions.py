"""What changes between question and answer, at every place, and approve against cancel.

`make test` has the small form, in tests/platform/people and durable.
"""

import itertools
from pathlib import Path

import pytest
from changed_runs import KINDS, asked_once, changes_between, changes_in_host
from changing import CHANGES, SHAPES
from ledger import Store
from settling import race

CASES = [*itertools.product(SHAPES, CHANGES, KINDS)]
ROUNDS = range(7)


@pytest.mark.parametrize(("shape", "change", "kind"), CASES)
async def test_what_has_changed_is_asked_anew(
    store: Store, minerva_home: Path, shape: str, change: str, kind: str
) -> None:
    """240 questions, half of them in each database."""
    await changes_between(store, minerva_home, shape, change, kind)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_so_it_is_in_a_host_s_graph(tmp_path: Path, number: int, change: str, kind: str) -> None:
    """30 more."""
    changes_in_host(tmp_path, number, change, kind)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
async def test_what_has_not_changed_is_asked_once(
    store: Store, tmp_path: Path, shape: str, kind: str
) -> None:
    """Two questions a run, in 48 runs."""
    await asked_once(store, tmp_path / "home", shape, kind)


async def test_of_approve_and_cancel_one_wins(store: Store, minerva_home: Path) -> None:
    """A hundred races, half of them in each database."""
    assert set(await race(store, minerva_home, 50)) <= {"approve", "cancel"}
