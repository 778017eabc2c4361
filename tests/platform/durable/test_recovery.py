"""Runs whose processes are killed, stopped or race each other, on SQLite and on Postgres."""

import json
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from forms import forms
from ledger import Store, rows, said
from run_mover import Mover, Movers, running_movers
from sqlalchemy import Connection

from minerva_observability import Metrics, SpanStore, list_runs
from minerva_platform.errors import StateError
from minerva_platform.storage.ledger.schema import runs, threads

ORDERS = [("pay_agent", "mail_agent"), ("mail_agent", "pay_agent")]
HELD = ("hold-pay_agent", "hold-mail_agent")


@pytest.fixture(scope="module")
def movers() -> Generator[Movers]:
    """Give what starts processes."""
    with running_movers() as started:
        yield started


class Desk:
    """A folder and a database in which processes work."""

    def __init__(self, movers: Movers, store: Store, folder: Path) -> None:
        self.movers, self.store, self.folder = movers, store, folder

    def start(self, do: str, **more: Any) -> Mover:
        """Start a process."""
        return self.movers.start(do, self.store.address, self.folder, lease=2, **more)

    def do(self, do: str, **more: Any) -> dict[str, Any]:
        """Start a process and wait for its end."""
        return self.start(do, **more).result()

    def hold(self, name: str) -> None:
        """Let a worker wait before it acts."""
        (self.folder / f"hold-{name}").touch()

    def let_go(self, name: str) -> None:
        """Let it act."""
        (self.folder / f"hold-{name}").unlink()

    def log(self) -> list[str]:
        """Return what the workers did."""
        log = self.folder / "log"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def wait_for(self, line: str, mover: Mover, times: int = 1) -> None:
        """Wait until a worker has written something down, which `mover` runs."""
        while self.log().count(line) < times:
            assert mover.lives, mover.result()
            time.sleep(0.01)

    def stop_between_writes(self, mover: Mover) -> None:
        """Let a process stand still, but not while it holds the database."""
        with self.store.opened() as engine:
            while True:
                mover.stop()
                try:
                    engine.write(_touch, seconds=1)
                except StateError:
                    mover.go_on()
                else:
                    return


@pytest.fixture
def desk(movers: Movers, store: Store, tmp_path: Path) -> Desk:
    """Give a folder and a database."""
    return Desk(movers, store, tmp_path)


def _touch(connection: Connection) -> None:
    """Write to every thread, unless another transaction holds one."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SET LOCAL lock_timeout = '1s'")
    connection.execute(threads.update().values(tenant=threads.c.tenant))


def respond(**values: str) -> dict[str, Any]:
    """Return answers to questions, by id."""
    return {asked: {"type": "respond", "value": value} for asked, value in values.items()}


@pytest.mark.small(1)
@pytest.mark.parametrize("order", forms(zip(ORDERS, strict=True), ORDERS[:1]))
def test_two_questions_in_two_teams_outlive_every_process(
    desk: Desk, order: tuple[str, str]
) -> None:
    """Each is answered from a new process, and one is killed in the middle of acting.

    What was finished is not done again, and the answer holds each worker once.
    """
    first, second = order
    paused = desk.do("ask", request="pay and mail")
    assert (paused["status"], paused["hops"]) == ("needs_human", ["office/beside"])
    assert paused["calls"] == 2
    asked, run = paused["asked"], paused["run"]

    desk.hold(first)
    killed = desk.start("resume", run=run, decisions=respond(**{asked[first]: "one"}))
    desk.wait_for(f"{first} began", killed)
    killed.kill()
    desk.let_go(first)
    half = desk.do("resume", run=run)
    assert (half["status"], list(half["asked"])) == ("needs_human", [second])
    assert half["hops"] == sorted(["office/beside", _path(first)])

    whole = desk.do("resume", run=run, decisions=respond(**{asked[second]: "two"}))

    assert (whole["status"], whole["run"]) == ("ok", run)
    assert whole["hops"] == sorted(["office/beside", _path(first), _path(second)])
    assert f"{first} did one" in whole["answer"]
    assert f"{second} did two" in whole["answer"]
    log = desk.log()
    assert sorted(line for line in log if "did" in line) == sorted(
        [f"{first} did one", f"{second} did two"]
    )
    assert sorted(line for line in log if "prepared" in line or line == "beside") == sorted(
        ["pay_agent prepared", "mail_agent prepared", "beside"]
    )
    with desk.store.opened() as engine:
        assert said(engine) == [(1, "pay and mail")]


def _path(worker: str) -> str:
    return f"office/{worker.removesuffix('_agent')}/{worker}"


@pytest.mark.small(1)
def test_simultaneous_decisions_have_one_winner_and_one_run(desk: Desk) -> None:
    """Who loses is told the winner; who decides about another question gets the same run."""
    paused = desk.do("ask", request="pay and mail")
    asked, run = paused["asked"], paused["run"]
    pay, mail = asked["pay_agent"], asked["mail_agent"]
    racing = [
        desk.start("resume", run=run, decisions=respond(**{pay: "first"}), by="ann"),
        desk.start("resume", run=run, decisions=respond(**{pay: "second"}), by="bob"),
        desk.start("resume", run=run, decisions=respond(**{mail: "third"}), by="eve"),
    ]
    results = [mover.result() for mover in racing]

    lost = [result for result in results if "error" in result]
    assert [result["error"] for result in lost] == ["AlreadyDecidedError"]
    assert "ann" in lost[0]["text"] or "bob" in lost[0]["text"]
    acts = [line for line in desk.log() if " did " in line]
    assert len(acts) == 2
    last = desk.do("resume", run=run)
    assert last["status"] == "ok"
    ended = [result for result in results if result.get("status") == "ok"]
    assert ended
    assert all(result == last for result in ended)


@pytest.mark.small(1)
def test_the_same_batch_again_is_no_second_decision(desk: Desk) -> None:
    """Two processes with the same request get the same run, with all that was used, once.

    A worker calls a model before its question and after it.
    """
    paused = desk.do("ask", request="pay and mail")
    asked = paused["asked"]
    both = respond(**{asked["pay_agent"]: "a", asked["mail_agent"]: "b"})
    twice = [
        desk.start("resume", run=paused["run"], decisions=both, batch="form-1") for _ in range(2)
    ]
    first, second = (mover.result() for mover in twice)

    assert first == second
    assert (first["status"], paused["calls"], first["calls"]) == ("ok", 2, 4)
    assert len([line for line in desk.log() if " did " in line]) == 2


@pytest.mark.small(1)
def test_a_stopped_process_that_lost_its_run_writes_nothing(desk: Desk) -> None:
    """Another takes the run over once the lease is over.

    What the first has then is an error, or an answer that says it is not kept, if all its work was
    done before it looked at the lease again.
    """
    paused = desk.do("ask", request="pay and mail")
    asked, run = paused["asked"], paused["run"]
    both = respond(**{asked["pay_agent"]: "a", asked["mail_agent"]: "b"})
    desk.hold("pay_agent")
    stopped = desk.start("resume", run=run, decisions=both)
    desk.wait_for("pay_agent began", stopped)
    desk.stop_between_writes(stopped)
    taker = desk.start("resume", run=run)
    desk.wait_for("pay_agent began", taker, times=2)
    desk.let_go("pay_agent")
    taken = taker.result()
    before = _row(desk, run)
    stopped.go_on()
    late = stopped.result()

    assert taken["status"] == "ok"
    assert late.get("error") == "LeaseLostError" or late["status"] == "ok_degraded"
    assert "taken over the thread `t`" in (late.get("text") or late["bypassed"][-1])
    assert _row(desk, run) == before


def _row(desk: Desk, run_id: str) -> tuple[Any, ...]:
    columns = (runs.c.run_id, runs.c.status, runs.c.run, runs.c.used, runs.c.fence)
    with desk.store.opened() as engine:
        return next(row for row in rows(engine, *columns) if row[0] == run_id)


@pytest.mark.small(1)
def test_a_killed_run_holds_nobody_up_and_goes_on_after_a_new_turn(desk: Desk) -> None:
    """The thread is free for the next turn; each turn keeps its number."""
    paused = desk.do("ask", request="pay and mail")
    asked, run = paused["asked"], paused["run"]
    both = respond(**{asked["pay_agent"]: "a", asked["mail_agent"]: "b"})
    desk.hold("mail_agent")
    killed = desk.start("resume", run=run, decisions=both)
    desk.wait_for("mail_agent began", killed)
    killed.kill()
    beside = desk.do("ask", request="settle the invoices and write to everybody")
    assert beside["status"] == "needs_human"
    with desk.store.opened() as engine:
        assert (run, "queued", "lost") in rows(engine, runs.c.run_id, runs.c.status, runs.c.reason)
    desk.let_go("mail_agent")

    assert desk.do("resume", run=run)["status"] == "ok"
    with desk.store.opened() as engine:
        assert said(engine) == [
            (1, "pay and mail"),
            (2, "settle the invoices and write to everybody"),
        ]
        assert (beside["run"], "needs_human") in rows(engine, runs.c.run_id, runs.c.status)


@pytest.mark.small(1)
def test_a_run_that_was_taken_over_is_what_the_ledger_says_in_every_list(desk: Desk) -> None:
    """The first process stands still beyond its lease, goes on too late, and records that."""
    own, home = {"team": "depot", "recorded": True}, desk.folder / "home"
    desk.hold("packer")
    stopped = desk.start("ask", request="crate", **own)
    desk.wait_for("packer began crate", stopped)
    desk.stop_between_writes(stopped)
    with desk.store.opened() as engine:
        ((run,),) = rows(engine, runs.c.run_id)
    taker = desk.start("resume", run=run, **own)
    desk.wait_for("packer began crate", taker, times=2)
    desk.let_go("packer")
    assert taker.result()["status"] == "ok"
    stopped.go_on()
    assert stopped.result()["error"] == "LeaseLostError"

    (listed,) = list_runs(home).runs
    with SpanStore(home) as spans:
        spans.refresh()
        totals = Metrics(spans).totals()
        failures = Metrics(spans).failures()
    assert _row(desk, run)[1] == listed.status == "ok"
    assert (totals.statuses, totals.failures, totals.bypasses) == ({"ok": 1}, 0, 0)
    assert (listed.hops, listed.failures, failures) == (1, 0, ())
    last = json.loads((home / "runs.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert (last["kind"], last["status"], last["reason"]) == ("run", "skipped", "lease_lost")
    assert desk.log().count("packer packed crate") == 1
