"""Turns and wrong decisions from two processes, beside an open question."""

from collections.abc import Generator
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from clerks import REQUEST, booked
from ledger import Store, rows, said, takers
from player import Player, playing

from minerva_platform.storage.ledger.schema import turns

APPROVE = {"type": "approve"}
REJECT = {"type": "reject", "message": "no"}

WORDS = (
    "amber bravo charlie delta echo foxtrot golf hotel india juliett"
    " kilo lima mike november oscar papa quebec romeo sierra tango"
).split()


@pytest.fixture(scope="module")
def processes() -> "Generator[list[Popen[str]]]":
    """Give two processes for all tests."""
    with playing() as started:
        yield started


@pytest.fixture
def two(processes: "list[Popen[str]]", store: Store, minerva_home: Path) -> list[Player]:
    """Give the processes, at work in one database."""
    return [Player(process, store, minerva_home) for process in processes]


WRONG: list[tuple[str, Any, str]] = [
    ("another id", {"nobody": APPROVE}, "UnknownInterruptError"),
    ("another run", {"pay": APPROVE}, "UnknownRunError"),
    ("another type", {"pay": {"type": "respond", "value": 3}}, "InvalidDecisionError"),
    ("another question", {"pay": APPROVE}, "StaleDecisionError"),
    ("a late one", {"pay": APPROVE}, "AlreadyDecidedError"),
]


@pytest.mark.small("sqlite")
def test_each_wrong_decision_has_its_error_and_nothing_happens(
    two: list[Player], minerva_home: Path
) -> None:
    """Also if the rest of its batch is right."""
    first, second = two
    asked = first.do(request=REQUEST)
    ids = {**asked["asked"], "nobody": "nobody"}
    for what, wrong, error in WRONG:
        if what == "a late one":
            kept = {ids["pay"]: REJECT}
            assert first.do(run=asked["run"], decisions=kept)["status"] == "needs_human"
        given = {ids["write"]: APPROVE} | {ids[name]: value for name, value in wrong.items()}
        shown = {ids["pay"]: "0" * 64} if what == "another question" else {}
        run = "nobody" if what == "another run" else asked["run"]
        assert second.do(run=run, decisions=given, shown=shown)["error"] == error, what

    assert booked(minerva_home) == []


@pytest.mark.small("postgres")
def test_turns_keep_their_order_beside_an_open_question_a_lost_lease_and_a_clock_set_back(
    two: list[Player], minerva_home: Path, store: Store
) -> None:
    """Two processes take ten turns each; the question can be answered afterwards."""
    asked = two[0].do(team="desk", thread="t", request=REQUEST)
    with takers(store, 1, lease_seconds=1) as (doomed,):
        assert doomed.do("begin", "lost", "t") == "ok"
        doomed.process.kill()
        doomed.process.wait()
    own = WORDS[:10], WORDS[10:]
    for part in (slice(5), slice(5, 10)):
        for player, words in zip(two, own, strict=True):
            calls = [
                {"team": "desk", "thread": "t", "request": f"please list the orders of {word}"}
                for word in words[part]
            ]
            player.tell(*calls, in_order=True)
        answers = [result for player in two for result in player.heard()]
        assert [result["answer"][:16] for result in answers] == ["did please list "] * 10, answers
        store.shift(-3600)

    done = [row["what"].rpartition(" ")[2] for row in booked(minerva_home)]
    with store.opened() as engine:
        kept = [request.rpartition(" ")[2] for _, request in said(engine)[1:]]
        assert sorted(rows(engine, turns.c.number)) == [(number,) for number in range(1, 23)]
    assert kept == done
    for words in own:
        assert [word for word in kept if word in words] == words
    answer = {asked["asked"][""]: {"type": "respond", "value": 7}}
    ended = two[1].do(team="desk", thread="t", run=asked["run"], decisions=answer)
    assert (ended["status"], ended["answer"]) == ("ok", "paid 7")
