"""Eight effects of a run that is killed anywhere, or whose database fails: the full numbers.

`make test` has the small forms, in tests/platform/durable/test_deeds.py.
"""

import random
from collections.abc import Generator
from pathlib import Path

import pytest
from deed_doer import KINDS, Doers, running_doers
from deeds import Story, with_full_disk, with_stopped_server
from ledger import Store, postgres_store, sqlite_store
from postgres import Cluster

RUNS = 100


@pytest.fixture(scope="module")
def doers() -> Generator[Doers]:
    """Give the program in whose processes the runs work."""
    with running_doers() as found:
        yield found


@pytest.mark.parametrize("forget", [False, True], ids=["killed", "newest_checkpoint_lost"])
def test_a_hundred_killed_runs_do_no_deed_twice_unasked(
    store: Store, tmp_path: Path, doers: Doers, *, forget: bool
) -> None:
    """Each is killed once or more, at random points, and others go on with it to its end."""
    kills = asked = repeated = 0
    for seed in range(RUNS):
        chance = random.Random(f"{seed} {forget}")  # noqa: S311  # where to kill
        story = Story(store, doers, tmp_path / f"run-{seed}", chance)
        story.check(story.whole(forget=forget))
        kills, asked = kills + story.kills, asked + story.asked
        repeated += len(story.world()) - len(KINDS)
    print(f"{RUNS} runs, {kills} kills, {asked} questions, {repeated} deeds done again")  # noqa: T201  # for the one who runs it
    assert kills >= RUNS / 2


def test_a_disk_that_is_full_anywhere_stops_all_effects(minerva_home: Path, doers: Doers) -> None:
    """From too small for the run's first row to too small for its end."""
    minerva_home.mkdir()
    done: list[int] = []
    with sqlite_store(minerva_home) as store:
        for kilobytes in range(20, 320, 10):
            folder = minerva_home / f"run-{kilobytes}"
            story = Story(store, doers, folder, random.Random(kilobytes))  # noqa: S311  # decides
            done.append(with_full_disk(story, 1000 * kilobytes))
    print(f"effects done before the disk was full: {done}")  # noqa: T201  # for the one who runs it
    assert len(set(done)) > 4


@pytest.mark.parametrize("name", KINDS)
def test_a_crash_of_the_server_in_each_effect_stops_all(
    tmp_path: Path, doers: Doers, postgres_server: Cluster, name: str
) -> None:
    """With a server again the run goes on to the same end."""
    with postgres_store(postgres_server) as store:
        story = Story(store, doers, tmp_path / "run", random.Random(name))  # noqa: S311  # decides
        done = with_stopped_server(story, postgres_server, name)
        print(f"in `{name}`: {done} done before, {story.asked} questions")  # noqa: T201  # see above
