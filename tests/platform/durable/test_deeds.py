"""Eight effects of a run that is killed anywhere, or whose database fails in the middle.

`make chaos` has the full numbers, in tests/chaos/test_deeds.py.
"""

import random
from collections.abc import Generator
from itertools import product
from pathlib import Path

import pytest
from deed_doer import Doers, running_doers
from deeds import Story, with_full_disk, with_stopped_server
from forms import forms, pairs
from ledger import Store, postgres_store, sqlite_store
from postgres import Cluster


@pytest.fixture(scope="module")
def doers() -> Generator[Doers]:
    """Give the program in whose processes the runs work."""
    with running_doers() as found:
        yield found


STORIES = (["sqlite", "postgres"], range(4), [False, True])
"""Databases, places of the kills, and whether the newest checkpoint is lost."""


@pytest.mark.small(4)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("store", "seed", "forget"), forms(product(*STORIES), pairs(*STORIES)), indirect=["store"]
)
def test_a_killed_run_does_no_deed_twice_unasked(
    store: Store, tmp_path: Path, doers: Doers, seed: int, *, forget: bool
) -> None:
    """Another process goes on: no step is lost, `once` is asked about, `keyed` keeps its key."""
    chance = random.Random(f"{seed} {forget}")  # noqa: S311  # where to kill
    story = Story(store, doers, tmp_path / f"run-{seed}", chance)
    story.check(story.whole(forget=forget, again=0))


def test_a_full_disk_stops_all_effects(minerva_home: Path, doers: Doers) -> None:
    """None is done whose intent is not kept; with space again the run goes on to the same end."""
    minerva_home.mkdir()
    done = set[int]()
    with sqlite_store(minerva_home) as store:
        for kilobytes in (140, 220):
            folder = minerva_home / f"run-{kilobytes}"
            story = Story(store, doers, folder, random.Random(kilobytes))  # noqa: S311  # decides
            done.add(with_full_disk(story, 1000 * kilobytes))
    assert done & set(range(1, 8)), "no disk was full in the middle; give other sizes"


def test_a_crash_of_the_server_stops_all_effects(
    tmp_path: Path, doers: Doers, postgres_server: Cluster
) -> None:
    """It comes in the middle of an effect; with a server again the run goes on to the same end."""
    with postgres_store(postgres_server) as store:
        story = Story(store, doers, tmp_path / "run", random.Random(1))  # noqa: S311  # decides
        assert with_stopped_server(story, postgres_server, "wire") in range(3, 8)
        assert story.asked == 1
