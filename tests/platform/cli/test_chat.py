"""`minerva chat` and `--thread`: a conversation that goes on over turns, commands and processes."""

import json
from pathlib import Path
from typing import Any

import pytest

trial = pytest.mark.usefixtures("with_trial")


def turns(stdout: str) -> list[dict[str, Any]]:
    """Return the run objects of `--json`, one a line."""
    return [json.loads(line) for line in stdout.splitlines()]


def test_a_follow_up_is_answered_from_the_turn_before(invoke: Any) -> None:
    """On the installed teams, without a model; what it was understood as is said beside."""
    typed = "환자번호의 표준 약어 알려줘\n그럼 길이는?\n내일 날씨 어때?\n"
    done = invoke("chat", stdin=typed.encode())
    first, second, refused = done.stdout.strip().split("\n\n**")[0], done.stdout, done.stdout

    assert done.exit_code == 1  # the weather is nobody's
    assert "PT_NO" in first
    assert second.count("VARCHAR(20)") == 2
    assert "맡을 구성원이 없습니다" in refused
    assert "understood as: 환자번호의 표준 약어 알려줘 그럼 길이는?" in done.stderr


@trial
def test_json_is_one_object_a_line(invoke: Any) -> None:
    """All turns are of one thread, which the last line of standard error names."""
    done = invoke("chat", "--team", "trial", "--json", stdin=b"speak\n\nspeak again\n")
    first, second = turns(done.stdout)

    assert done.exit_code == 0
    assert first["thread_id"] == second["thread_id"] != first["run_id"]
    assert done.stderr.splitlines()[-1].endswith(f"chat --thread {first['thread_id']}")


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
