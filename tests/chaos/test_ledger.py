"""Many processes in one thread: kills, stops and clocks that jump, on SQLite and Postgres.

`make test` has the small forms, in tests/platform/storage/test_ledger.py.
"""

import json
import random
import signal

import pytest
from ledger import Store, Taker, rows, said, takers

from minerva_platform.storage.ledger.schema import runs, threads, turns


def check(store: Store, told: list[str], *, holders: int) -> None:
    """Check that each turn that was told to be done is kept once, in the order of acceptance."""
    with store.opened() as engine:
        kept = said(engine)
        requests = [request for _, request in kept]
        assert len(requests) == len(set(requests))
        assert set(told) <= set(requests)
        by_run = {
            run_id: (number, turn and json.loads(turn)["run_id"])
            for run_id, number, turn in rows(engine, turns.c.run_id, turns.c.number, turns.c.turn)
        }
        assert all(turn in {None, run_id} for run_id, (_, turn) in by_run.items())
        fences = sorted(rows(engine, runs.c.fence, runs.c.run_id))
        assert [by_run[run_id][0] for _, run_id in fences] == sorted(n for n, _ in by_run.values())
        assert rows(engine, threads.c.fence) == [(holders,)]
        assert {status for (status,) in rows(engine, runs.c.status)} <= {"ok", "queued"}


def test_eight_processes_take_twenty_five_turns_each(store: Store) -> None:
    """All two hundred are kept, each process's own in its order."""
    with takers(store, 8) as many:
        for number in range(25):
            for who, taker in enumerate(many):
                taker.tell("ask", f"{who}-{number}", seconds=300)
        answers = [taker.heard() for _ in range(25) for taker in many]

    assert answers == ["ok"] * 200
    check(store, [f"{who}-{n}" for who in range(8) for n in range(25)], holders=200)
    with store.opened() as engine:
        order = [request for _, request in said(engine)]
    for who in range(8):
        mine = [request for request in order if request.startswith(f"{who}-")]
        assert mine == [f"{who}-{number}" for number in range(25)]


@pytest.mark.parametrize("seed", range(20))
def test_a_holder_that_is_killed_anywhere_costs_one_turn_at_most(store: Store, seed: int) -> None:
    """What it had said to be done is kept; the other goes on, and nothing is there twice."""
    chance = random.Random(seed)  # noqa: S311  # where to kill
    with takers(store, 2, lease_seconds=1) as (doomed, other):
        told: list[str] = []
        for number in range(chance.randrange(1, 6)):
            assert doomed.do("ask", f"a-{number}") == "ok"
            told.append(f"a-{number}")
        doomed.tell(chance.choice(["begin", "ask"]), "a-last")
        if chance.random() < 0.5:
            doomed.heard()
        doomed.process.kill()
        doomed.process.wait()
        for number in range(5):
            assert other.do("ask", f"b-{number}") == "ok"
            told.append(f"b-{number}")

    with store.opened() as engine:
        (holders,) = rows(engine, threads.c.fence)
    assert holders[0] in {len(told), len(told) + 1}
    check(store, told, holders=holders[0])


@pytest.mark.parametrize("seed", range(5))
def test_stops_beyond_the_lease_and_clocks_that_jump_lose_no_order(store: Store, seed: int) -> None:
    """Whoever was stopped writes nothing; the clock jumps up to an hour before each turn."""
    chance = random.Random(seed)  # noqa: S311  # how far
    told: list[str] = []
    with takers(store, 2, lease_seconds=1) as two:
        for number in range(8):
            first, second = chance.sample(two, 2)
            store.shift(chance.uniform(-3600, 3600))
            assert stopped_and_overtaken(first, second, number) == ["ok", "LeaseLostError"]
            told.append(f"{number}-b")
    check(store, told, holders=16)


def stopped_and_overtaken(first: Taker, second: Taker, number: int) -> list[str]:
    """Stop `first` in its turn until `second` has taken its own; return what both said."""
    assert first.do("begin", f"{number}-a") == "ok"
    first.process.send_signal(signal.SIGSTOP)
    answers = [second.do("ask", f"{number}-b")]
    first.process.send_signal(signal.SIGCONT)
    return [*answers, first.do("end", f"{number}-a")]
