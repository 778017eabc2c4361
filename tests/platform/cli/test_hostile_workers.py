"""What one worker does stays with it: the run object and everybody else's answers are there."""

import json
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest
from forms import forms
from typer.testing import Result

Ask = Callable[..., Result]

PATH = "hostile/cell/hostile"
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Failure:
    """How a deed ends: the class and the text that the worker's row and the person get."""

    type: str
    text: str
    """A pattern of its beginning."""
    in_loop: "Failure | None" = None
    """Where an async node ends otherwise."""


def _exit(deed: str) -> Failure:
    return Failure("AgentExitError", f"`hostile` {deed}")


def _contract(said: str) -> Failure:
    return Failure("OutputError", f"`hostile` broke its own contract: {said}")


def _limit(said: str) -> Failure:
    return Failure("OutputLimitError", f"`hostile` broke its own contract: {said}")


_UNWRITABLE = "its question to a person cannot be written as JSON: "
FAILURES: dict[str, Failure] = {
    "raise": Failure("LookupError", "LookupError: no table"),
    "base_exception": _exit("raised OwnError: enough"),
    "generator_exit": _exit("raised GeneratorExit"),
    "keyboard_interrupt": _exit("raised KeyboardInterrupt"),
    "system_exit": _exit(r"tried to end the process \(sys\.exit\(3\)\)"),
    "cancelled": _exit("was cancelled from inside"),
    "cancelled_in_a_pool": Failure(
        "AgentExitError",
        "`hostile` was cancelled from inside",
        Failure("CancelledError", "CancelledError"),
    ),
    "exception_group": Failure("ExceptionGroup", r"ExceptionGroup: both \(2 sub"),
    "base_exception_group": _exit("raised BaseExceptionGroup: both"),
    "stop_iteration": Failure(
        "AgentExitError",
        "`hostile` raised StopIteration",
        Failure("RuntimeError", "RuntimeError: coroutine raised StopIteration"),
    ),
    "unshowable": _exit(r"raised SilentError: \(its message cannot be shown\)"),
    "unpicklable": Failure("StuckError", r"StuckError: \(its message cannot be shown\)"),
    "forged_pause": _contract("it raised a GraphInterrupt itself"),
    "empty_pause": _contract("it paused without a question"),
    "bubble_up": _exit("raised GraphBubbleUp"),
    "question_object": _contract(f"{_UNWRITABLE}Type is not JSON serializable: object"),
    "question_function": _contract(f"{_UNWRITABLE}Type is not JSON serializable"),
    "question_nan": _contract(f"{_UNWRITABLE}Out of range float values"),
    "question_surrogate": _contract(f"{_UNWRITABLE}str is not valid UTF-8"),
    "question_large_int": _contract(f"{_UNWRITABLE}Integer exceeds 64-bit range"),
    "question_large": _limit("its questions to people have 3,000,0[0-9]{2} bytes of JSON"),
    "ghost_goto": _contract(
        "its node `work` goes to `ghost`, which is no node of its graph; its nodes: work, done"
    ),
    "ghost_send": _contract("its node `work` sends to `ghost`, which is no node of its graph"),
    "ghost_sends": _contract("its node `work` sends to `ghost`, which is no node of its graph"),
    "parent": _contract("it tried to leave its own graph"),
    "unwritable_state": _contract(
        "its node `work` returned `kept`, which holds a value of the type `object`"
    ),
    "artifacts": _limit("it returned 51 artifacts; at most 50 may leave it"),
    "large_artifact": _limit("its artifact `dump.csv` has 68,157,440 characters; one may have"),
}
ASYNC_FAILURES: dict[str, Failure] = {
    "cancel_all": Failure("AgentExitError", f"`{PATH}` was cancelled from inside"),
    "exit_in_task": Failure("AgentExitError", rf"`{PATH}` tried to end the process \(sys\.exit"),
}
SURVIVED = {
    "large_state": "hostile answered",
    "large_summary": "(65536 of 100000000 characters shown)",
    "citations": "hostile answered",
    "exit_in_child": "the child ended with 9",
    "run_on_in_child": "one process answers",
}
ASYNC_SURVIVED = {"exit_in_callback": "hostile answered", "stop_the_loop": "hostile answered"}


@pytest.fixture(scope="session")
def hostile_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the hostile team, installed as pip would."""
    folder = tmp_path_factory.mktemp("hostile")
    shutil.copy(Path(__file__).with_name("hostile_team.py"), folder)
    metadata = folder / "hostile_team-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile-team\nVersion: 1.0\n")
    entry = "[minerva.teams]\nhostile = hostile_team:HostileTeam\n"
    (metadata / "entry_points.txt").write_text(entry)
    return folder


@pytest.fixture
def ask(hostile_folder: Path, invoke: Any, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask the hostile team by the command, in this process."""
    monkeypatch.syspath_prepend(str(hostile_folder))

    def call(deed: str, form: str) -> Result:
        monkeypatch.setenv("HOSTILE_DEED", deed)
        monkeypatch.setenv("HOSTILE_FORM", form)
        done: Result = invoke("ask", "do it", "--team", "hostile", "--json")
        return done

    return call


def run_of(done: Result) -> dict[str, Any]:
    """Return the run object, which is there however the worker ended."""
    run: dict[str, Any] = json.loads(done.stdout)
    answered = {hop["path"] for hop in run["hops"] if hop["status"] == "ok"}
    assert {"hostile/cell/beside", "hostile/office/apart"} <= answered
    assert "beside answered" in run["answer"]
    assert "apart answered" in run["answer"]
    return run


def every(sync: Any, in_loop: Any) -> list[Any]:
    """Return each deed with each form that it has, or each with one of them."""
    in_turn = [(form, deed) for form, deed in zip(cycle(("sync", "async")), sync, strict=False)]
    alone = [("async", deed) for deed in in_loop]
    return forms([*product(("sync", "async"), sync), *alone], [*in_turn, *alone])


@pytest.mark.small(15)
@pytest.mark.slow
@pytest.mark.parametrize(("form", "deed"), every(FAILURES, ASYNC_FAILURES))
def test_a_hostile_worker_fails_alone(
    deed: str, form: str, ask: Ask, recorded: Callable[[], list[dict[str, Any]]]
) -> None:
    """The command ends with 0; the person and the records are told who failed of what."""
    failure = (FAILURES | ASYNC_FAILURES)[deed]
    if form == "async":
        failure = failure.in_loop or failure

    done = ask(deed, form)

    assert done.exit_code == 0
    run = run_of(done)
    assert run["status"] == "ok_degraded"
    (told,) = [entry for entry in run["bypassed"] if entry["path"] == PATH]
    assert re.match(failure.text, told["cause"])
    assert f"- `{PATH}`: " in run["answer"]
    (row,) = [row for row in recorded() if (row["path"], row["kind"]) == (PATH, "agent")]
    assert (row["status"], row["error"]["type"]) == ("failed", failure.type)


@pytest.mark.small(2)
@pytest.mark.slow
@pytest.mark.parametrize(("form", "deed"), every(SURVIVED, ASYNC_SURVIVED))
def test_a_wasteful_worker_costs_little(deed: str, form: str, ask: Ask, minerva_home: Path) -> None:
    """It answers, and what is kept of the run stays small."""
    done = ask(deed, form)

    assert done.exit_code == 0
    run = run_of(done)
    assert run["status"] == "ok"
    assert (SURVIVED | ASYNC_SURVIVED)[deed] in run["answer"]
    assert run["cut"] == {"citations": 50, "large_summary": 1}.get(deed, 0)
    assert ("were cut at their bounds" in done.stderr) == (run["cut"] > 0)
    assert (minerva_home / "state.db").stat().st_size < 3 * MEGABYTE


def test_a_fair_question_still_waits_for_its_person(ask: Ask) -> None:
    """What may pass passes, with its own exit code."""
    done = ask("question", "async")

    assert done.exit_code == 4
    run = json.loads(done.stdout)
    assert run["status"] == "needs_human"
    assert [question["value"] for question in run["interrupts"]] == ["May I?"]
    assert "apart answered" in run["answer"]


@pytest.mark.parametrize(
    ("deed", "form"),
    [("keyboard_interrupt", "async"), ("system_exit", "sync")],
)
def test_the_process_ends_as_documented(
    deed: str, form: str, hostile_folder: Path, start: Any, minerva_home: Path
) -> None:
    """One answer on standard output, no traceback on the other, and the database is whole."""
    variables = {"HOSTILE_DEED": deed, "HOSTILE_FORM": form, "PYTHONPATH": str(hostile_folder)}
    run: subprocess.Popen[bytes] = start("ask", "do it", "--team", "hostile", "--json", **variables)
    stdout, stderr = run.communicate()

    assert run.returncode == 0
    assert "apart answered" in json.loads(stdout)["answer"]
    assert b"Traceback" not in stderr
    with sqlite3.connect(minerva_home / "state.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
