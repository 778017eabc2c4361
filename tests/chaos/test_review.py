"""A review is killed wherever it is; another process comes to the same findings."""

from pathlib import Path
from typing import Any

import pytest
from reviews import HOSPITAL, findings, kill_when, last_run, minerva


def answers(folder: Path) -> list[tuple[Any, ...]]:
    """Return what the rules came to."""
    keys = ("rule_id", "target", "status", "count", "total", "fingerprint")
    return [tuple(each[key] for key in keys) for each in findings(folder)["findings"]]


@pytest.fixture(scope="module")
def unkilled(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, ...]]:
    """The answers of a review that nobody disturbed."""
    out = tmp_path_factory.mktemp("out")
    minerva(tmp_path_factory.mktemp("home"), "review", HOSPITAL, "--out", out)
    return answers(out)


@pytest.mark.parametrize("node", ["retrieve", "parse", "trace", "scan", "evaluate"])
@pytest.mark.parametrize("decision", ["approve", "edit", "reject"])
def test_a_killed_review_is_finished_and_decided_by_others(
    node: str, decision: str, unkilled: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    """Killed in data, in code, in governance; resumed, killed while it is decided, decided."""
    home, out = tmp_path / "home", tmp_path / "out"
    kill_when(home, ["review", HOSPITAL, "--out", out], node)
    run = last_run(home)

    assert minerva(home, "resume", run, "--out", out).returncode == 4
    assert answers(out) == unkilled
    assert not [*tmp_path.rglob("migration.sql")]

    words: list[object] = [decision, run, "--out", out]
    if decision == "edit":
        words += ["--set", "TB_PATIENT.PAT_ID=PT_KEY"]
    kill_when(home, words, "ask", after=2)
    done = minerva(home, "resume", run, "--out", out)
    if done.returncode == 4:  # the decision was not kept before the kill
        done = minerva(home, *words)

    assert done.returncode == 0, done.stderr
    assert (out / "migration.sql").exists() == (decision != "reject")
    assert answers(out) == unkilled
    if decision == "edit":
        assert '"PT_KEY"' in (out / "migration.sql").read_text(encoding="utf-8")
