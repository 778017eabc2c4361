"""Servers that share a database, under fire: fifty races, kills at random, cancels."""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx
import pytest
from ledger import Store, rows
from server import ServerProcess, processes
from server_work import ask, began, joined, packed, race, until

from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.storage.ledger.schema import runs

RACES = 50
RUNS = 90
KILLS = 8
CAP = 5
CANCELS = 10
LEASE_S = 1


def url_of(store: Store) -> str | None:
    """Return the address of a Postgres database; None for SQLite."""
    return store.address if isinstance(store.place, PostgresPlace) else None


def home_of(store: Store, folder: Path) -> Path:
    """Return the home in which the store's database is."""
    return store.place.parent if isinstance(store.place, Path) else folder


def has_begun(home: Path, count: int) -> bool:
    """True if packers have begun so often."""
    return began(home) == count


@pytest.fixture
def settings() -> dict[str, object]:
    """Give what platform.yaml says."""
    return {"queue": {"lease_seconds": LEASE_S, "at_once": CAP}}


def test_fifty_races_have_fifty_winners(store: Store, tmp_path: Path) -> None:
    """One 200 and one 409 with the winner, each time."""
    home = home_of(store, tmp_path)
    with processes(home, 2, url=url_of(store)) as servers, ThreadPoolExecutor(2) as pool:
        for _ in range(RACES):
            race([server.url for server in servers], pool)


def test_servers_that_are_killed_lose_nothing(
    store: Store, tmp_path: Path, settings: dict[str, object]
) -> None:
    """Three on Postgres, two on SQLite: each run ends or asks a person; no effect comes twice."""
    home, chance = home_of(store, tmp_path), random.Random(11)  # noqa: S311  # when to kill
    count = 3 if url_of(store) else 2
    wanted = {"url": url_of(store), "settings": settings}
    with processes(home, count, **wanted) as servers:
        its = [ask(servers[n % count].url, f"box {n}") for n in range(RUNS)]
        for _ in range(KILLS):
            time.sleep(chance.uniform(0.2, 1.0))
            place = chance.randrange(count)
            servers[place].close()
            servers[place] = ServerProcess(home, **wanted)
        ends = [joined(servers[0].url, run)["status"] for run in its]
    with store.opened() as engine:
        statuses = {status for (status,) in rows(engine, runs.c.status)}

    assert set(packed(home).values()) == {1}
    assert statuses <= {"ok", "needs_human"}
    assert ends.count("ok") <= len(packed(home)) <= RUNS
    assert ends.count("ok") > RUNS / 2


def test_runs_of_a_killed_server_go_on_within_two_leases(
    store: Store, tmp_path: Path, settings: dict[str, object]
) -> None:
    """Counted from its death, on a machine that is not busy; the cap holds before and after."""
    home = home_of(store, tmp_path)
    (home / "hold-packer").touch()
    wanted = {"url": url_of(store), "settings": settings, "at_once": 2 * CAP}
    with processes(home, 1, **wanted) as (first,):
        its = [ask(first.url, f"box {number}") for number in range(2 * CAP)]
        until(lambda: began(home) == CAP)
        with processes(home, 1, **wanted) as (second,):
            time.sleep(3 * LEASE_S)
            assert began(home) == CAP
            first.process.kill()
            died = time.monotonic()
            until(lambda: began(home) == 2 * CAP)
            took = time.monotonic() - died
            (home / "hold-packer").unlink()
            assert {joined(second.url, run)["status"] for run in its} == {"ok"}

    assert took < 2.0 * LEASE_S
    assert set(packed(home).values()) == {1}


def test_a_cancel_takes_effect_within_two_seconds(store: Store, tmp_path: Path) -> None:
    """From another server: the worker process lets go of the run, and no effect comes later."""
    home = home_of(store, tmp_path)
    (home / "hold-packer").touch()
    with processes(home, 2, url=url_of(store), at_once=1) as (first, second):
        for number in range(CANCELS):
            run = ask(first.url, f"glass {number}")
            until(partial(has_begun, home, number + 1))
            cancelled = time.monotonic()
            httpx.post(f"{second.url}{run}/cancel", timeout=60).raise_for_status()
            values = joined(first.url, run)
            assert values["status"] == "cancelled"
            assert time.monotonic() - cancelled < 2.0
        (home / "hold-packer").unlink()
        joined(second.url, ask(second.url, "bag"))

    assert packed(home) == {"bag": 1}
