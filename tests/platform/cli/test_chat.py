"""`minerva chat` and `--thread`: a conversation that goes on over turns, commands and processes."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import copies
import pytest

MINERVA = Path(sys.executable).with_name("minerva")

trial = pytest.mark.usefixtures("with_trial")


def turns(stdout: str) -> list[dict[str, Any]]:
    """Return the run objects of `--json`, one a line."""
    return [json.loads(line) for line in stdout.splitlines()]


def test_a_follow_up_is_answered_from_the_turn_before(invoke: Any) -> None:
    """On the installed teams, without a model; what it was understood as is said beside."""
    typed = "환자번호의 표준 약어 알려줘\n그럼 길이는?\n내일 날씨 어때?\n"
    done = invoke("chat", stdin=typed.encode())
    _, first, rest = done.stdout.split("**이름")
    second, _, refused = rest.partition("\n\n이 요청을")

    assert done.exit_code == 1  # the weather is nobody's
    assert "PT_NO" in first
    assert "PT_NO" in second
    assert "맡을 구성원이 없습니다" in refused
    assert "PT_NO" not in refused
    assert done.stderr.count("이렇게 이해함: ") == 1
    assert "이렇게 이해함: 환자번호의 표준 약어 알려줘 길이는?" in done.stderr


@trial
def test_json_is_one_object_a_line(invoke: Any) -> None:
    """All turns are of one thread; the last line of standard error says how to go on in it."""
    done = invoke("chat", "--team", "trial", "--json", stdin=b"speak\n\nspeak again\n")
    first, second = turns(done.stdout)

    assert done.exit_code == 0
    assert first["thread_id"] == second["thread_id"] != first["run_id"]
    more = f"chat --team trial --thread {first['thread_id']}"
    assert done.stderr.splitlines()[-1].endswith(more)


@trial
def test_a_thread_goes_on_in_another_command(invoke: Any) -> None:
    """By its id, or as the last one."""
    (begun,) = turns(invoke("chat", "--team", "trial", "--json", stdin=b"speak\n").stdout)
    for name in (begun["thread_id"], "last"):
        done = invoke("ask", "speak", "--team", "trial", "--json", "--thread", name)
        assert json.loads(done.stdout)["thread_id"] == begun["thread_id"]


@trial
def test_a_turn_that_cannot_be_run_ends_no_conversation(invoke: Any, tmp_path: Path) -> None:
    """What was wrong is said; the next line is answered."""
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    typed = b"/file nowhere.txt\n/file a.txt\n/what\n/new\nspeak\n/quit\nspeak\n"
    done = invoke("chat", "--team", "trial", "--json", stdin=typed)

    assert len(turns(done.stdout)) == 1
    assert "nowhere.txt: there is no such file" in done.stderr
    assert "/file PATH" in done.stderr
    assert "a new thread: " in done.stderr


def test_a_slash_that_is_no_command_is_named(invoke: Any) -> None:
    """Who types `/reject` at a request learns that a question is answered by its answer."""
    done = invoke("chat", "--language", "ko", stdin="/reject 필요 없음\n".encode())

    assert "/reject: 그런 명령은 없습니다" in done.stderr


def test_what_is_no_thread_runs_nothing(invoke: Any) -> None:
    """It ends as wrong usage, with what an id looks like."""
    done = invoke("ask", "speak", "--thread", "../x")

    assert done.exit_code == 2
    assert "letters, digits" in done.stderr


@trial
def test_a_thread_needs_state(invoke: Any, tmp_path: Path) -> None:
    """Said with the key that keeps it."""
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "platform.yaml").write_text("keep_state: false\n", encoding="utf-8")
    done = invoke("ask", "speak", "--team", "trial", "--thread", "t", "--config", tmp_path / "conf")

    assert done.exit_code == 2
    assert "keep_state: true" in done.stderr


@trial
def test_what_is_wrong_with_a_turn_ends_the_turn(invoke: Any, tmp_path: Path) -> None:
    """A file that is gone, a byte that is no text: said, and the next line is answered."""
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    typed = b"/file a.txt\nspeak\n" + b"speak \xff\n" + b"\xef\xbb\xbfspeak\nquit\nspeak\n"
    done = invoke("chat", "--team", "trial", "--json", stdin=typed)

    assert done.exit_code == 2
    assert len(turns(done.stdout)) == 2
    assert "The request is no UTF-8" in done.stderr


@trial
def test_a_new_thread_is_said_to_be_new(invoke: Any) -> None:
    """A mistyped id would otherwise look like a conversation that forgot everything."""
    new = invoke("ask", "speak", "--team", "trial", "--thread", "lasst")
    again = invoke("ask", "speak", "--team", "trial", "--thread", "lasst")

    assert "begins the new thread `lasst`" in new.stderr
    assert "begins the new thread" not in again.stderr


@trial
def test_secrets_are_not_echoed(invoke: Any) -> None:
    """What a follow-up was understood as may hold what was pasted before."""
    typed = b"speak of sk-proj-abcdefghijklmnopqrstuvwx1234567890ABCD\nand its length?\n"
    done = invoke("chat", "--team", "trial", stdin=typed)

    assert "understood as: speak of " in done.stderr
    assert "sk-proj-abcdefghijkl" not in done.stderr


def test_explain_shows_a_follow_up_as_it_would_be_understood(invoke: Any) -> None:
    """In its thread; nothing is run."""
    invoke("ask", "환자번호의 표준 약어 알려줘", "--thread", "t")
    plan = json.loads(invoke("explain", "그럼 길이는?", "--thread", "t", "--json").stdout)

    assert plan["request"] == "환자번호의 표준 약어 알려줘\n길이는?"
    assert [goal["member"] for goal in plan["decision"]["goals"]] == ["data"]
    assert plan["decision"]["router"] == "addressed"


@trial
def test_ctrl_c_between_turns_is_said(tmp_path: Path) -> None:
    """With how to go on; what was answered stays answered."""
    chat = copies.Popen(
        [MINERVA, "chat", "--team", "trial", "--json"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert chat.stdin is not None
    assert chat.stdout is not None
    chat.stdin.write(b"speak\n")
    chat.stdin.flush()
    answered = json.loads(chat.stdout.readline())
    chat.send_signal(signal.SIGINT)
    _, stderr = chat.communicate()

    assert answered["status"] == "ok"
    assert chat.returncode == 130
    assert b"minerva: Interrupted." in stderr
    assert f"--thread {answered['thread_id']}".encode() in stderr
    assert b"Traceback" not in stderr


def test_thanks_are_answered_and_run_nobody(invoke: Any) -> None:
    """In the language they are said in; `explain` says so, too."""
    done = invoke("chat", "--json", stdin="안녕하세요\nthanks!\n".encode())
    greeted, thanked = turns(done.stdout)
    explained = invoke("explain", "thanks!")

    assert (done.exit_code, explained.exit_code) == (0, 0)
    assert [(run["status"], run["reason"], run["hops"]) for run in (greeted, thanked)] == [
        ("ok", "small_talk", [])
    ] * 2
    assert "안녕하세요" in greeted["answer"]
    assert "You're welcome" in thanked["answer"]
    assert "Small talk" in explained.stdout
    assert "no_route" not in explained.stdout
