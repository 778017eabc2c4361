"""`ask --background`, `worker`, and what `runs` does with runs of other processes."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from minerva_platform.storage.ledger.decisions import os_user

pytestmark = pytest.mark.usefixtures("trial_alone")

ASK = ("ask", "--background", "--team", "trial")
WORK = ("worker", "--until-empty")


@pytest.fixture
def waiting(invoke: Any) -> str:
    """Put a run into the queue; return its id."""
    return str(invoke(*ASK, "speak").stdout.strip())


@pytest.mark.slow
def test_a_request_is_answered_by_another_process(invoke: Any, waiting: str) -> None:
    """The id alone is on standard output, and what to type next beside it."""
    later = invoke(*ASK, "fail")
    listed = invoke("runs")
    assert (later.exit_code, later.stderr.count("\n")) == (0, 2)
    assert f"runs wait {later.stdout[:8]}" in later.stderr
    assert "minerva worker" in later.stderr
    assert [line.split()[:1] + line.split()[-2:] for line in listed.stdout.splitlines()[1:]] == [
        [later.stdout[:8], "queued", "fail"],
        [waiting[:8], "queued", "speak"],
    ]
    assert [run["run_id"] for run in json.loads(invoke("runs", "--json").stdout)["queued"]] == [
        later.stdout.strip(),
        waiting,
    ]

    worked = invoke(*WORK)
    assert worked.exit_code == 0
    assert f"{waiting[:8]} ok · more: " in worked.stderr

    answered, failed = invoke("runs", "wait", waiting[:8]), invoke("runs", "wait", later.stdout[:8])
    assert (answered.exit_code, failed.exit_code) == (0, 1)
    assert "**speak**" in answered.stdout
    told = json.loads(invoke("runs", "wait", waiting, "--json").stdout)
    assert (told["run_id"], told["status"]) == (waiting, "ok")
    assert invoke("runs", "wait", "last").stdout == failed.stdout
    assert invoke("runs", waiting).exit_code == 0


def test_the_thread_of_such_a_run_is_asked_what_came_out_and_stops_one(invoke: Any) -> None:
    """Nothing is done again, and what waits in the queue is cancelled."""
    asked = ("ask", "--team", "trial", "--thread", "t")
    invoke(*asked, "--background", "speak")
    invoke(*WORK)
    came = json.loads(invoke(*asked, "--json", "what came out?").stdout)
    stopped = invoke(*asked, "--background", "speak").stdout.strip()
    told = invoke(*asked, "stop it").stdout

    assert (came["reason"], "**speak**" in came["answer"]) == ("about", True)
    assert (stopped[:8] in told, "it is cancelled" in told) == (True, True)
    assert json.loads(invoke("runs", "wait", stopped, "--json").stdout)["status"] == "cancelled"


@pytest.mark.parametrize(
    ("typed", "hint"),
    [(("--out", "out"), "runs wait RUN --out"), (("--router", "plan"), "router:")],
)
def test_what_the_queue_cannot_keep_is_refused(
    invoke: Any, typed: tuple[str, str], hint: str
) -> None:
    """With what to do instead; nothing is put into the queue."""
    refused = invoke(*ASK, "speak", *typed)

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert hint in refused.stderr
    assert json.loads(invoke("runs", "--json").stdout)["queued"] == []


def test_who_waits_for_a_time_is_told_that_it_goes_on(invoke: Any, waiting: str) -> None:
    """The run stays as it is."""
    told = invoke("runs", "wait", waiting, "--seconds", "0")

    assert (told.exit_code, told.stdout) == (1, "")
    assert "has not ended (`queued`)" in told.stderr
    assert invoke("runs", "wait", "nothing").exit_code == 2


def test_a_cancelled_run_is_over(invoke: Any, waiting: str) -> None:
    """No process takes it, and it cannot be cancelled again."""
    assert invoke("runs", "cancel", waiting[:8]).exit_code == 0

    assert invoke(*WORK).exit_code == 0
    again = invoke("runs", "cancel", waiting)
    assert (again.exit_code, "is over (`cancelled`)" in again.stderr) == (2, True)
    told = invoke("runs", "wait", waiting, "--json")
    assert (told.exit_code, json.loads(told.stdout)["status"]) == (1, "cancelled")


def test_last_is_the_same_run_for_each_command(invoke: Any, waiting: str) -> None:
    """The one that was accepted last, though another one was recorded last."""
    invoke(*WORK)
    later = invoke(*ASK, "speak").stdout.strip()
    shown = json.loads(invoke("runs", "--json", "last").stdout)["run_id"]
    waited = json.loads(invoke("runs", "wait", "last", "--seconds", "0", "--json").stdout or "{}")

    assert (shown, waited) == (later, {})
    assert shown != waiting
    assert invoke("runs", "cancel", "last").exit_code == 0
    assert json.loads(invoke("runs", "--json", later).stdout)["status"] == "cancelled"


def test_who_cancelled_a_run_is_listed_shown_and_audited(invoke: Any, waiting: str) -> None:
    """The person at this machine; the server keeps the token's name."""
    invoke("runs", "cancel", waiting[:8])
    listed = json.loads(invoke("runs", "--json").stdout)
    shown = json.loads(invoke("runs", "--json", waiting).stdout)
    (line,) = map(json.loads, invoke("audit").stdout.splitlines())

    (row,) = listed["unrecorded"]
    assert (row["cancelled_by"], row["reason"]) == (os_user(), "cancelled")
    assert (shown["cancelled_by"], shown["ended"]) == (os_user(), row["ended"])
    assert f"(by {os_user()})" in " ".join(invoke("runs", waiting).stdout.split())
    assert "accepted" in invoke("runs", waiting).stdout
    assert (line["by"], line["decision"], line["run_id"]) == (
        os_user(),
        {"type": "cancel"},
        waiting,
    )


def test_a_question_in_the_background_waits_for_a_person(invoke: Any) -> None:
    """Whoever waits for the run is told how to answer it."""
    run = invoke(*ASK, "pause").stdout.strip()
    invoke(*WORK)

    asked = invoke("runs", "wait", run)
    assert asked.exit_code == 4
    assert f"respond {run}" in asked.stderr
    assert invoke("respond", run, "-m", "yes").exit_code == 0
    assert invoke("runs", "wait", run).stdout == "pause: yes\n"


@pytest.mark.small(2)
@pytest.mark.parametrize(("worker", "left"), [("hang", True), ("stubborn", True), ("block", False)])
def test_a_signal_lets_go_of_what_is_at_work(
    invoke: Any, start: Any, tmp_path: Path, worker: str, *, left: bool
) -> None:
    """A second one ends a process whose event loop is blocked.

    Two that come before Python has seen the first are one to it, so the second is sent again.
    """
    run = invoke(*ASK, worker).stdout.strip()
    process = start("worker", "--grace", "0")
    while not (tmp_path / "at-work").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    while not left and process.poll() is None:
        time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate()

    assert process.returncode == (0 if left else 128 + signal.SIGTERM)
    assert (f"1 did not end: {run}" in stderr.decode()) is left


def test_the_next_turn_tells_of_a_background_run_once(invoke: Any) -> None:
    """In the thread where it was asked; beside the answer, and in the JSON."""
    run = invoke(*ASK, "speak", "--thread", "t").stdout.strip()
    invoke(*WORK)
    ask = ("ask", "--team", "trial", "speak", "--thread")
    elsewhere, told, again = invoke(*ask, "u"), invoke(*ask, "t", "--json"), invoke(*ask, "t")

    assert json.loads(told.stdout)["notices"] == [
        {"run_id": run, "status": "ok", "request": "speak"}
    ]
    assert f"the background run `{run[:8]}` of this thread has ended (`ok`)" in told.stderr
    assert run[:8] not in elsewhere.stderr + again.stderr
