"""Questions in two teams, decided while processes are killed, on SQLite and Postgres.

`make test` has the small form, in tests/platform/test_recovery.py.
"""

import random
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from answers import without_effects
from clerks import REQUEST, happened, office
from ledger import Store

from minerva_platform.storage.engine.location import PostgresPlace
from minerva_platform.testing import Scenario
from minerva_platform.testing.durability.processes import Move, Processes, processes
from minerva_platform.testing.durability.scenario import Outcome

APPROVE = {"type": "approve"}


def edit(**args: Any) -> dict[str, Any]:
    """Return the decision to pay otherwise."""
    return {"type": "edit", "edited_action": {"name": "pay", "args": args}}


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Generator[Processes]:
    """Give what starts processes."""
    scenario = Scenario(team=office, request=REQUEST)
    with processes(scenario, tmp_path_factory.mktemp("office")) as started:
        yield started


@dataclass
class Desk:
    """One run in a database and a folder of its own."""

    workers: Processes
    home: Path
    url: str | None

    def do(self, **move: Any) -> Outcome:
        """Make one move."""
        return self.workers.do(self.move(**move))

    def move(self, **move: Any) -> Move:
        """Return a move of this run."""
        return Move(home=self.home, storage_url=self.url, **move)

    def pay_and_write(self, outcome: Outcome) -> tuple[str, str]:
        """Return the ids of the two questions."""
        asked = {question.tool: question.id for question in outcome.its_run().interrupts}
        assert asked.keys() == {"pay", "write"}
        return asked["pay"], asked["write"]

    def decided(self, outcome: Outcome, **decisions: Any) -> Outcome:
        """Decide, and go on after the kill that may come."""
        chance = decisions.pop("kill_at", None)
        run_id = outcome.run_id
        done = self.do(run_id=run_id, decisions=decisions["of"], kill_at=chance)
        return self.do(run_id=run_id, after_kill=True) if done.was_killed else done


@pytest.fixture
def desk(workers: Processes, store: Store) -> Desk:
    """Give a database and a folder."""
    url = store.address if isinstance(store.place, PostgresPlace) else None
    return Desk(workers, workers.new_home("run"), url)


@pytest.mark.parametrize("first", ["pay", "write"])
@pytest.mark.parametrize("seed", range(20))
def test_both_deeds_happen_once_whatever_is_killed(desk: Desk, first: str, seed: int) -> None:
    """One is approved and one edited, by their ids, in both orders; each process may be killed."""
    chance = random.Random(seed)  # noqa: S311  # where to kill
    begun = desk.do(kill_at=chance.choice([None, *range(1, 10)]))
    paused = desk.do(run_id=begun.run_id, after_kill=True) if begun.was_killed else begun
    pay, write = desk.pay_and_write(paused)
    decisions = {"pay": {pay: edit(to="Lee", amount=7)}, "write": {write: APPROVE}}
    second = "write" if first == "pay" else "pay"

    between = desk.decided(paused, of=decisions[first], kill_at=chance.randrange(1, 12))
    assert between.its_run().status == "needs_human"
    ended = desk.decided(paused, of=decisions[second], kill_at=chance.randrange(1, 12))

    run = ended.its_run()
    assert run.status == "ok"
    said = "## finance\n\ndone: paid 7 to Lee\n\n## post\n\ndone: wrote hi to Kim"
    assert without_effects(run.answer) == said
    assert sorted((did.name, did.outcome) for did in run.effects) == [
        ("pay", "done"),
        ("write", "done"),
    ]
    assert happened(desk.home) == [
        {"what": "pay", "to": "Lee", "amount": 7},
        {"what": "write", "to": "Kim", "text": "hi"},
    ]
    assert {(each.name, each.state) for each in ended.effects} == {
        ("pay", "done"),
        ("write", "done"),
    }
    assert len(ended.effects) == 2
