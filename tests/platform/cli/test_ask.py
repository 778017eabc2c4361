"""`minerva ask`, as scripts use it: what is on which stream, and how it ends."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minerva_platform.cli.io.exit_codes import ExitCode, run_to_exit_code
from minerva_platform.contract.attachment import AttachmentUse
from minerva_platform.contract.run_object import Run, RunStatus

MINERVA = Path(sys.executable).with_name("minerva")

pytestmark = pytest.mark.usefixtures("with_trial")

FIELDS = [
    "run_id",
    "thread_id",
    "status",
    "reason",
    "answer",
    "hops",
    "handoffs",
    "all_handoffs",
    "bypassed",
    "unserved",
    "effects",
    "interrupts",
    "artifacts",
    "usage",
    "left_out",
    "cut",
    "files",
    "more_files",
    "unused",
    "notices",
]


def test_json_is_one_object_and_nothing_else(start: Any, tmp_path: Path) -> None:
    """Neither a worker's print, nor its descriptor, nor its child reaches standard output."""
    out = tmp_path / "out"
    done = start("ask", "speak fail", "--team", "trial", "--json", "--out", out)
    stdout, stderr = done.communicate()
    run = json.loads(stdout)

    assert done.returncode == 0
    assert list(run) == FIELDS
    assert run["status"] == "ok_degraded"
    assert [(hop["path"], hop["status"]) for hop in run["hops"]] == [
        ("trial/speak", "ok"),
        ("trial/fail", "failed"),
    ]
    assert set(run["hops"][0]) == {"path", "agent_name", "team", "status", "ms"}
    assert run["bypassed"][0]["path"] == "trial/fail"
    assert set(run["usage"]) == {
        "model_calls",
        "routing_calls",
        "prompt_tokens",
        "completion_tokens",
        "unpriced_calls",
    }
    assert stderr.count(b"noise from") == 3
    (artifact,) = run["artifacts"]
    written = Path(artifact["path"])
    assert written == out / "보고서.md"
    assert hashlib.sha256(written.read_bytes()).hexdigest() == artifact["sha256"]
    assert (out / "answer.md").read_text(encoding="utf-8").startswith("**speak fail**")
    assert sorted(path.name for path in out.iterdir()) == ["answer.md", "보고서.md"]


def test_a_pipe_gets_the_markdown(start: Any) -> None:
    """With what a terminal would obey written out, because somebody may `cat` the file.

    Standard error gets one line on how it went, with what to type to see more.
    """
    done = start("ask", "speak 안녕", "--team", "trial", NO_COLOR="1")
    stdout, stderr = done.communicate()
    status = stderr.decode().splitlines()[-1]

    assert done.returncode == 0
    assert stdout.decode() == "**speak 안녕** \\x1b]0;forged\\x07\n"
    assert status.startswith("ok · 구성원 호출 1번 · ")
    assert " runs " in status


def test_a_failed_run_ends_with_1_and_still_speaks(
    invoke: Any, recorded: Callable[[], Any]
) -> None:
    """Who failed is in the answer, and why in the record."""
    done = invoke("ask", "fail", "--team", "trial")

    assert done.exit_code == 1
    assert "`trial/fail`: It could not do its part" in done.stdout
    assert any(
        "characters broke it" in row["error"]["message"] for row in recorded() if "error" in row
    )
    assert "failed (all_failed) · 1 hop" in done.stderr


def test_a_run_that_waits_for_a_person_ends_with_4(invoke: Any) -> None:
    """A script must be able to tell it from an answer; the question is shown."""
    done = invoke("ask", "pause", "--team", "trial")

    assert done.exit_code == 4
    assert "trial/pause asks a person: May I?" in done.stderr
    assert "needs_human" in done.stderr


def test_a_request_nobody_serves_ends_with_1(invoke: Any, recorded: Callable[[], Any]) -> None:
    """It is recorded with its reason."""
    done = invoke("ask", "book a flight", "--team", "trial", "--json")
    (run_row,) = [row for row in recorded() if row["kind"] == "run"]

    assert (done.exit_code, json.loads(done.stdout)["reason"]) == (1, "no_route")
    assert (run_row["status"], run_row["reason"]) == ("failed", "no_route")


@pytest.mark.parametrize(
    ("request_text", "told"),
    [
        ("book a flight", "minerva explain 'book a flight' --team trial shows why; "),
        ("비행기 표 예약해줘", "minerva explain '비행기 표 예약해줘' --team trial 명령이 이유를 "),
        ("book a\nflight", 'minerva explain "…" --team trial shows why; '),
    ],
)
def test_who_builds_teams_learns_why_nobody_serves_a_request(
    invoke: Any, request_text: str, told: str
) -> None:
    """Beside the answer, which may be read by somebody who builds none."""
    done = invoke("ask", request_text, "--team", "trial")
    status, hint = done.stderr.splitlines()[-2:]

    assert told in hint
    assert "`examples`" in hint
    assert status.startswith("failed (no_route)")
    assert "explain" not in done.stdout
    assert "examples`" not in done.stdout


@pytest.mark.parametrize(
    ("request_text", "language", "told"),
    [
        ("비행기 표 예약해줘", "en", "Nobody here serves this request"),
        ("book a flight", "ko", "이 요청을 맡을 구성원이 없습니다"),
    ],
)
def test_the_language_of_the_answer_can_be_chosen(
    invoke: Any, request_text: str, language: str, told: str
) -> None:
    """Whatever the language of the request, and of what stands beside the answer."""
    options = ("--team", "trial", "--language", language)
    asked = invoke("ask", request_text, *options)
    talked = invoke("chat", *options, stdin=request_text.encode())
    explained = invoke("explain", request_text, *options, "--thread", "new")
    beside = {"en": ("go on later", "begins the new"), "ko": ("나중에 이어서", "새 스레드")}

    assert told in asked.stdout
    assert told in talked.stdout
    assert beside[language][0] in talked.stderr
    assert f"--language {language}" in talked.stderr
    assert beside[language][1] in explained.stderr


def test_an_answer_comes_without_such_a_hint(invoke: Any) -> None:
    """Neither when it is right, nor when a worker failed."""
    for request in ("speak", "fail"):
        assert "explain" not in invoke("ask", request, "--team", "trial").stderr


def test_a_request_may_come_from_standard_input(invoke: Any) -> None:
    """With or without the mark that some editors put in front."""
    done = invoke("ask", "-", "--team", "trial", stdin="\ufeffspeak 여기\n".encode())

    assert done.exit_code == 0
    assert done.stdout.startswith("**speak 여기")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ask", " "], "The request is empty. Type what you want"),
        (["ask", "hi", "-i", "missing.sql"], "-i missing.sql: there is no such file"),
        (
            ["ask", "hi", "-i", "/no/such/x.sql"],
            "there is no such file or directory. Look with: ls /\n",
        ),
        (["ask", "hi", "--team", "nobody"], "No team `nobody` is installed; there are: "),
        (["ask", "hi", "--language", "fr"], "--language fr: there are ko, en."),
        (["demo", "--language", "fr"], "--language fr: there are ko, en."),
        (["chat", "--language", "fr"], "--language fr: there are ko, en."),
        (["ask", "hi", "--config", "nowhere"], "give the one with platform.yaml"),
        (["ask", "hi\udcff", "--team", "trial"], "its character 3 is a broken byte"),
        (["ask", "hi", "-i", "a\udcff"], "the name is no UTF-8"),
        (["ask"], "Missing argument 'TEXT'"),
        (["ask", "hi", "--jsn"], "No such option: --jsn"),
        (["runs", "abc"], "No run `abc` is recorded"),
        (["runs", "last"], "Nothing is recorded"),
        (["explain", ""], "The request is empty"),
        (["demo"], "There is no configs/demo.yaml"),
        (["nonsense"], "No such command 'nonsense'"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_to_type(
    invoke: Any, arguments: list[str], told: str
) -> None:
    """Nothing ran, nothing is on standard output, and nobody sees a traceback."""
    done = invoke(*arguments)

    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_broken_bytes_on_standard_input_are_refused(invoke: Any) -> None:
    """They would be recorded and answered as something else than was meant."""
    done = invoke("ask", "-", stdin="환자".encode("cp949"))

    assert done.exit_code == 2
    assert "iconv -f cp949 -t utf-8" in done.stderr


def test_a_file_is_no_folder_to_write_to(invoke: Any, tmp_path: Path) -> None:
    """Said before anything runs for it."""
    (tmp_path / "taken").write_text("mine")
    done = invoke("ask", "speak", "--team", "trial", "--out", "taken")

    assert done.exit_code == 2
    assert "--out taken: cannot be made" in done.stderr
    assert (tmp_path / "taken").read_text() == "mine"


def test_a_home_that_cannot_be_made_is_told(
    invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs that leave no record are not started."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("MINERVA_HOME", str(tmp_path / "file" / "home"))
    done = invoke("ask", "speak", "--team", "trial")

    assert done.exit_code == 2
    assert "Set MINERVA_HOME" in done.stderr


def test_a_state_file_that_is_no_database_is_set_aside(invoke: Any, minerva_home: Path) -> None:
    """The person has the answer, and is told once, in a sentence, where the old file is."""
    minerva_home.mkdir()
    (minerva_home / "state.db").write_bytes(b"no database at all" * 100)
    done = invoke("ask", "speak", "--team", "trial", "--thread", "t")
    again = invoke("ask", "speak", "--team", "trial", "--thread", "t")

    assert (done.exit_code, again.exit_code) == (0, 0)
    assert (
        f"{minerva_home / 'state.db'} was damaged (file is not a database). It is kept as "
        "state.damaged-1.db; a new one begins without its conversations.\n"
    ) in done.stderr
    assert "damaged" not in again.stderr


@pytest.mark.small("full")
@pytest.mark.parametrize("where", [">/dev/full", ">&-", "| true"])
def test_an_answer_that_cannot_be_written_is_no_traceback(
    where: str, installed: Path, tmp_path: Path
) -> None:
    """A full disk, a closed stream and a reader that went away."""
    line = f"{MINERVA} ask speak --team trial {where}"
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", line],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == (0 if where == ">&-" else 1)
    assert "Traceback" not in done.stderr
    assert ("Standard output cannot be written: No space" in done.stderr) == ("full" in where)


@pytest.mark.parametrize(
    ("status", "must_mend", "code"),
    [
        ("ok", False, ExitCode.ANSWERED),
        ("ok", True, ExitCode.WRONG_USAGE),
        ("ok_degraded", True, ExitCode.WRONG_USAGE),
        ("failed", True, ExitCode.FAILED),
    ],
)
def test_a_file_to_mend_ends_an_answer_with_2(
    status: RunStatus, code: ExitCode, *, must_mend: bool
) -> None:
    """The answer goes on without the file, and scripts still see that it is not whole."""
    use = AttachmentUse(name="policy.yaml", status="unreadable", must_mend=must_mend)

    assert run_to_exit_code(Run(run_id="r", thread_id="t", status=status, files=(use,))) is code
