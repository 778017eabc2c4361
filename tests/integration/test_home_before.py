"""A home that an earlier version wrote is read: its runs, its thread, its glossary.

`home_of_f061089.tar.gz` is what commit f061089 left after a question in the thread `t1` and the
import of a glossary of one term.
"""

import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HOME = Path(__file__).with_name("home_of_f061089.tar.gz")


@pytest.fixture
def minerva(minerva_home: Path, type_in: Callable[..., Any]) -> Callable[..., str]:
    """Return what calls `minerva` in the home of the earlier version and gives what it prints."""
    with tarfile.open(HOME) as archive:
        archive.extractall(minerva_home, filter="data")

    def call(*words: str) -> str:
        done = type_in(*words)
        assert done.returncode == 0, done.stderr
        return str(done.stdout)

    return call


def test_its_runs_and_figures_are_shown(minerva: Callable[..., str]) -> None:
    """Records of then have the names of now."""
    (run,) = json.loads(minerva("runs", "--json"))["runs"]
    shown = minerva("runs", run["run_id"][:8])

    assert (run["status"], run["thread_id"]) == ("ok", "t1")
    assert "retrieval_agent" in shown
    assert "retrieval_agent, " in minerva("stats")


@pytest.mark.whole
def test_its_thread_goes_on(minerva: Callable[..., str]) -> None:
    """A follow-up refers to the turn that the earlier version kept."""
    run = json.loads(minerva("ask", "--thread", "t1", "--json", "길이는?"))

    assert run["status"] == "ok"
    assert "주소V200" in run["answer"]


@pytest.mark.whole
def test_its_glossary_answers(minerva: Callable[..., str]) -> None:
    """What was imported then is still first."""
    assert "BLD_TYP" in minerva("ask", "--json", "혈액형 표준 물리명")
