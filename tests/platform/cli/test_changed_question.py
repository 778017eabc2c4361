"""At the command line: what has changed is asked anew; what is wrong or late decides nothing."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from changing import KIM, MALLORY, WRONG_EDITS, Desk, deed, now

TEAM = """
from pathlib import Path

from changing import Desk, payer

from minerva_platform import Team
from minerva_platform.testing import EachOnceRouter


class Clerks(Team):
    name = "clerks"
    description = "Pays."
    members = (payer(Desk(Path({folder!r}))),)
    router = EachOnceRouter()
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Give the folder of a worker whose team stands beside platform.yaml."""
    folder = tmp_path / "configs"
    folder.mkdir()
    (folder / "platform.yaml").write_text("teams: ['./clerks.py:Clerks']\n", encoding="utf-8")
    (folder / "clerks.py").write_text(TEAM.format(folder=str(tmp_path)), encoding="utf-8")
    return Desk(tmp_path)


def paused(invoke: Any) -> dict[str, Any]:
    """Ask, and return the run that waits."""
    done = invoke("ask", "pay", "--team", "clerks", "--json", "--config", "configs")
    assert done.exit_code == 4, done.stderr
    run: dict[str, Any] = json.loads(done.stdout)
    return run


def test_an_approval_of_something_else_is_asked_anew(invoke: Any, desk: Desk) -> None:
    """The command says so in its line, and `waiting` as JSON; the next approval counts."""
    desk.asks(KIM)
    run = paused(invoke)["run_id"]
    desk.asks(now(KIM, arguments=MALLORY))
    late = invoke("approve", run, "--config", "configs", "--language", "en")
    assert (late.exit_code, desk.done) == (4, [])
    assert "`to`: Kim then, Mallory now" in late.stderr
    listed = json.loads(invoke("waiting", "--json", "--config", "configs").stdout)["questions"]
    assert [each["earlier"]["arguments"] for each in listed] == [KIM["arguments"]]

    done = invoke("approve", run, "--config", "configs")
    assert (done.exit_code, desk.done) == (0, [["pay", MALLORY]])


def test_wrong_edits_decide_nothing(invoke: Any, desk: Desk, tmp_path: Path) -> None:
    """Each is refused by its field; the question waits on."""
    desk.asks(now(KIM, arguments=WRONG_EDITS.arguments))
    run = paused(invoke)["run_id"]
    for args, field in WRONG_EDITS.wrong:
        (tmp_path / "args.json").write_text(json.dumps(args), encoding="utf-8")
        done = invoke("edit", run, "--args", "args.json", "--config", "configs")
        assert done.exit_code != 0
        assert field.strip("`") in done.stderr
    assert desk.done == []
    done = invoke("edit", run, "--set", "amount=7", "--config", "configs")
    assert (done.exit_code, desk.done) == (
        0,
        [["pay", {**WRONG_EDITS.arguments, "amount": 7}]],
    )


@pytest.mark.small(3)
@pytest.mark.parametrize(
    "command", ["waiting", "runs", "waiting show {run}", "approve {run}", "runs wait {run}"]
)
def test_the_next_command_settles_what_is_late(
    invoke: Any, desk: Desk, minerva_home: Path, command: str
) -> None:
    """Once; then `minerva worker` has the rest, and nothing was done."""
    desk.asks(now(KIM, expires_in=3600))
    run = paused(invoke)["run_id"]
    with closing(sqlite3.connect(minerva_home / "state.db")) as database, database:
        database.execute("UPDATE interrupts SET expires_at = asked")
    words = command.format(run=run).split()
    invoke(*words, "--config", "configs", *(["--seconds", "0"] if "wait" in words else ()))
    with closing(sqlite3.connect(minerva_home / "state.db")) as database:
        rows = database.execute('SELECT kind, "by" FROM decisions').fetchall()
        state = database.execute("SELECT status, background FROM runs").fetchone()
    assert (rows, state) == ([("reject", "expiry")], ("queued", 1))
    invoke("worker", "--until-empty", "--config", "configs")
    ended = invoke("runs", "wait", run, "--config", "configs")
    assert (ended.exit_code, desk.done) == (1, [])
    assert "rejected" in ended.stdout


def test_a_chat_is_told_what_changed(invoke: Any, desk: Desk) -> None:
    """A yes to the old question is none to the new one."""
    desk.asks(KIM)
    first = invoke("chat", "--team", "clerks", "--thread", "t", "--config", "configs", stdin=b"pay")
    assert first.exit_code == 4, first.stderr
    desk.asks(now(KIM, arguments=MALLORY))
    talk = ("chat", "--team", "clerks", "--thread", "t", "--config", "configs", "--language", "en")
    said = invoke(*talk, stdin=b"yes\n")
    assert "`to`: Kim then, Mallory now" in said.stderr, said.stderr
    assert desk.done == []
    invoke(*talk, stdin=b"yes\n")
    assert desk.done == [deed(now(KIM, arguments=MALLORY))]
