"""A conversation whose process is killed, and its runs in the background, which are not lost."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ledger import rows
from review_desk import held, installed_desk

from minerva_platform.storage.engine.opening import opened_engine
from minerva_platform.storage.ledger.schema import owned_runs, runs
from minerva_platform.testing import ModelCall, Reply, scripted_openai_server

MINERVA = Path(sys.executable).with_name("minerva")


class Chat:
    """`minerva chat` in a process of its own."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.process = subprocess.Popen(
            [MINERVA, "chat", "--team", "desk", "--thread", "t", "--json"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(folder / "installed"), **variables},
        )

    def says(self, words: str) -> dict[str, Any]:
        """Type a line, and return the run object."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        told: dict[str, Any] = json.loads(self.process.stdout.readline())
        return told

    def kill(self) -> None:
        """Send SIGKILL."""
        self.process.kill()
        self.process.communicate()


@contextmanager
def chat(folder: Path, **variables: str) -> Generator[Chat]:
    """Give a conversation that is killed after the block."""
    begun = Chat(folder, **variables)
    try:
        yield begun
    finally:
        begun.kill()


@pytest.fixture
def folder(tmp_path: Path, minerva_home: Path) -> Path:
    """Give a folder with the team, and hold both reviews."""
    installed_desk(tmp_path / "installed")
    minerva_home.mkdir()
    for word in "AB":
        held(word).touch()
    return tmp_path


def wait_for(line: str, home: Path) -> None:
    """Wait until the reviewer has written something down."""
    log = home / "desk-log"
    while not log.exists() or line not in log.read_text().splitlines():
        time.sleep(0.02)


def wait_for_end(run_id: str, home: Path) -> None:
    """Wait until a run is over."""
    with opened_engine(home / "state.db") as engine:
        while dict(rows(engine, runs.c.run_id, runs.c.status))[run_id] != "ok":
            time.sleep(0.02)


def started(home: Path) -> list[str]:
    """Return the runs that the thread owns."""
    with opened_engine(home / "state.db") as engine:
        return [run_id for run_id, _ in rows(engine, owned_runs.c.run_id, owned_runs.c.owner)]


def test_a_killed_conversation_is_gone_on_with_by_the_next_one(
    folder: Path, minerva_home: Path
) -> None:
    """Start, ask twice, kill, read the result, cancel another; without a model."""
    with chat(folder) as first:
        first.says("review contract A")
        (run_id,) = started(minerva_home)
        wait_for("began A", minerva_home)
        assert "still at work" in first.says("is it done?")["answer"]
    with chat(folder) as second:
        held("A").unlink()
        wait_for_end(run_id, minerva_home)
        assert "끝났습니다" in second.says("검토 끝났어?")["answer"]
        second.says("계약서 B 검토해줘")
        wait_for("began B", minerva_home)
    with chat(folder) as third:
        assert "Contract A has no risk." in third.says("what came out?")["answer"]
        assert "is cancelled" in third.says("stop it")["answer"]

    assert len(started(minerva_home)) == 2


def test_a_model_goes_on_asking_about_the_runs_of_a_killed_conversation(
    folder: Path, minerva_home: Path
) -> None:
    """By the tools for runs, in another process than the one that started them."""

    def answer(call: ModelCall) -> Reply:
        words = str(call.messages[1]["content"])
        results = [str(each["content"]) for each in call.messages if each["role"] == "tool"]
        if results:
            return Reply(text=results[-1])
        if words.startswith("review"):
            return Reply(tool_calls=[("review_agent", {"request": words})])
        name, _, run_id = words.partition(" ")
        return Reply(tool_calls=[(name, {"run_id": run_id})])

    with scripted_openai_server(answer) as server:
        config = folder / "configs"
        (config / "teams").mkdir(parents=True)
        (config / "platform.yaml").write_text("{}\n")
        (config / "teams" / "desk.yaml").write_text("router: tools\n")
        with_model = {
            "MINERVA_MODEL": "openai:scripted",
            "OPENAI_BASE_URL": server.url,
            "OPENAI_API_KEY": "none",
        }
        with chat(folder, **with_model) as first:
            first.says("review contract A")
            (run_id,) = started(minerva_home)
            wait_for("began A", minerva_home)
            assert '"running"' in first.says("run_status")["answer"]
        with chat(folder, **with_model) as second:
            held("A").unlink()
            wait_for_end(run_id, minerva_home)
            assert '"ok"' in second.says(f"run_status {run_id}")["answer"]
            assert "has no risk" in second.says(f"run_result {run_id[:8]}")["answer"]
            second.says("review contract B")
            (other,) = set(started(minerva_home)) - {run_id}
            assert '"cancelled"' in second.says(f"cancel_run {other}")["answer"]
