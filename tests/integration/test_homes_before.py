"""Homes and databases that an earlier version left with open questions and runs go on.

`homes_of_b03255a.tar.gz` is what commit b03255a left, in SQLite and in PostgreSQL;
`tests/support/earlier_homes.py` says how, and made it. The runs are those of `earlier_office.py`.
"""

import json
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from earlier_homes import HOMES, KEPT, Earlier, configure, restored, restored_database
from earlier_office import booked

from minerva_platform import Platform
from minerva_platform.assembly.file_team import PACKAGE
from minerva_platform.storage.engine.engine import find_schema
from minerva_platform.storage.engine.location import find_place
from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.schema import SCHEMA

ARCHIVE = Path(__file__).with_name(HOMES)
TYPED = {
    "approval": (("approve",), "paid Kim 100"),
    "edit": (("edit", "--set", "amount=90"), "paid Lee 90"),
    "answer": (("respond", "-m", "5"), "9 seats"),
    "middleware": (("approve",), "mailed offer-1"),
    "asked-in-queue": (("approve",), "paid Seo 1"),
    "effect": (("respond", "-m", "seen at the bank"), "seen at the bank"),
}
"""What a person types about runs that wait, and the answers."""
CALLED: dict[str, tuple[Any, str]] = {
    "plain": ({"type": "respond", "value": "yes"}, "confirmed: yes"),
    "review": ("approve", "deleted page-1"),
}
"""What a program decides about others."""
BEFORE = ["wired Han 300", "wired Jung 400", "wired Choi 500", "wired Baek 700", "paid Kang 800"]
AFTER = [
    *("paid Kim 100", "paid Lee 90", "mailed offer-1", "paid Seo 1", "deleted page-1"),
    *("packed box-1", "paid Noh 1000", "paid Moon 5"),
]
DECIDED = [
    *("paid Yun 600", "deleted page-2", "mailed offer-2", "paid Kang 800", "paid Bae 900"),
]
"""What follows from the decisions that were kept; the payment to Kang has the key of before."""


@pytest.fixture(params=["sqlite", "postgres"])
def earlier(
    request: pytest.FixtureRequest,
    minerva_home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Generator[Earlier]:
    """Give what the earlier version left in a kind of database."""
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        monkeypatch.delitem(sys.modules, name)  # a process of its own has loaded no other team
    configure(tmp_path / "configs")
    left = restored(ARCHIVE, request.param, minerva_home)
    if request.param == "sqlite":
        yield left
        return
    cluster = request.getfixturevalue("postgres_server")
    with restored_database(cluster, minerva_home / "state.sql") as url:
        monkeypatch.setenv("MINERVA_STORAGE_URL", url)
        yield left


@pytest.fixture
def minerva(type_in: Callable[..., Any]) -> Callable[..., str]:
    """Return what calls `minerva`, which has to end as said, and gives what it prints."""

    def call(*words: str, ends: int = 0) -> str:
        done = type_in(*words)
        assert done.returncode == ends, (words, done.stdout, done.stderr)
        return str(done.stdout)

    return call


@pytest.fixture
def waiting(earlier: Earlier, minerva: Callable[..., str]) -> Callable[[], dict[str, Any]]:
    """Return what gives the questions that wait, by what their runs are there for."""
    names = {run_id: name for name, run_id in earlier.runs.items()}

    def listed() -> dict[str, Any]:
        found = json.loads(minerva("waiting", "--json"))["questions"]
        return {names[question["run_id"]]: question for question in found}

    return listed


@pytest.mark.small("sqlite")
def test_what_an_earlier_version_left_is_listed(
    earlier: Earlier, minerva: Callable[..., str], waiting: Callable[[], dict[str, Any]]
) -> None:
    """Questions, runs that were cut off, the queue, records and figures."""
    runs, goes_on = earlier.runs, {"cut-off", "kept-begun", *KEPT}
    assert waiting().keys() == {*TYPED, *CALLED}
    cut_off = json.loads(minerva("waiting", "--json"))["cut_off"]
    assert set(cut_off) == {runs[name] for name in goes_on}
    recorded = json.loads(minerva("runs", "--json", "--limit", "100"))
    queued = {run["run_id"] for run in recorded["queued"]}
    assert queued > {runs[name] for name in ("queued", "queued-question", "kept-in-queue")}
    assert {run["run_id"] for run in recorded["runs"]} >= {*runs.values()} - queued
    assert "not finished" in minerva("runs", runs["cut-off"])
    assert "wire, " in minerva("stats")
    found = json.loads(minerva("doctor", "--json", ends=1))["findings"]
    assert {each["code"] for each in found} == {"run_cut_off", "run_decided"}


@pytest.mark.small("postgres")
def test_what_an_earlier_version_left_goes_on(
    earlier: Earlier, minerva: Callable[..., str], tmp_path: Path
) -> None:
    """Each run to its end, by command, program and worker process; no deed is done twice."""
    runs = earlier.runs
    for name, (typed, answer) in TYPED.items():
        command, *options = typed
        assert answer in minerva(command, runs[name], *options)
    with Platform.from_config(tmp_path / "configs") as app:
        for name, (decision, answer) in CALLED.items():
            (question,) = app.find(runs[name]).interrupts
            run = app.resume(runs[name], {question.id: decision})
            assert run.status == "ok"
            assert run.answer.endswith(answer)
    asked = json.loads(minerva("resume", runs["cut-off"], "--json", ends=4))
    assert [each["kind"] for each in asked["interrupts"]] == ["effect"]
    assert "by hand" in minerva("respond", runs["cut-off"], "-m", "by hand")
    minerva("approve", runs["cancelled"], ends=2)

    minerva("worker", "--until-empty")
    assert "I speak of the queue" in minerva("runs", "wait", runs["queued"])
    minerva("runs", "wait", runs["queued-question"], ends=4)
    assert "paid Noh 1000" in minerva("approve", runs["queued-question"])

    minerva("runs", "wait", runs["over"], "--out", str(tmp_path / "out"))
    assert (tmp_path / "out" / "report.md").read_text(encoding="utf-8") == "speak of Han"
    told = json.loads(minerva("ask", "speak of Moon", "--thread", "over", "--json"))
    assert (told["status"], told["answer"]) == ("ok", "I speak of Moon")
    again = json.loads(minerva("ask", "wire Han 300", "--thread", "over", "--json", ends=4))
    assert "was done at" in again["interrupts"][0]["text"]
    assert "wired Han 300" not in minerva("reject", again["run_id"], ends=1)
    paying = json.loads(minerva("ask", "pay Moon 5", "--thread", "over", "--json", ends=4))
    assert "paid Moon 5" in minerva("approve", paying["run_id"])

    done = [line for line in booked(earlier.home) if line != "paid Bae 900"]  # decided before
    assert sorted(done) == sorted([*BEFORE, *AFTER])
    with opened_engine(find_place(earlier.home)) as engine:
        assert engine.read(find_schema, empty=None) == SCHEMA


@pytest.mark.small("sqlite")
def test_a_decision_kept_before_is_asked_anew(
    earlier: Earlier,
    minerva: Callable[..., str],
    waiting: Callable[[], dict[str, Any]],
    tmp_path: Path,
) -> None:
    """The question says why, and nothing is done before it is decided again; then it is, once.

    A decision about an effect of unknown end was always bound to its name and arguments: it counts.
    """
    runs, decided = earlier.runs, {name: decision for name, (_, decision) in KEPT.items()}
    del decided["kept-effect"]
    assert "seen" in minerva("resume", runs["kept-effect"])
    decided |= {"kept-begun": "approve", "kept-in-queue": "approve"}
    for name in decided.keys() - {"kept-in-queue"}:
        minerva("resume", runs[name], ends=4)
    minerva("worker", "--until-empty")
    asked = {name: question for name, question in waiting().items() if name in decided}
    assert asked.keys() == decided.keys()
    assert all(question["refused"] for question in asked.values())
    assert sorted(booked(earlier.home)) == sorted([*BEFORE, "packed box-1"])

    with Platform.from_config(tmp_path / "configs") as app:
        for name, decision in decided.items():
            run = app.resume(runs[name], {asked[name]["id"]: decision})
            assert run.status == "ok"
    assert sorted(booked(earlier.home)) == sorted([*BEFORE, "packed box-1", *DECIDED])
