"""The command as people start it, and a team that is installed for these tests alone."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import copies
import pytest
from typer.testing import CliRunner, Result

from minerva_platform.cli.main import app

MINERVA = Path(sys.executable).with_name("minerva")

Invoke = Callable[..., Result]
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the trial team, installed as pip would: a module beside its metadata."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copy(Path(__file__).with_name("trial_team.py"), folder)
    metadata = folder / "trial_team-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: trial-team\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[minerva.teams]\ntrial = trial_team:TrialTeam\n")
    return folder


@pytest.fixture
def with_trial(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process, and those it starts, find the trial team."""
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.setenv("PYTHONPATH", str(installed))


@pytest.fixture
def trial_alone(with_trial: None, tmp_path: Path) -> None:  # noqa: ARG001  # finds the team
    """Let commands in the empty folder find no other team, as many have nothing to do with them."""
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "platform.yaml").write_text("teams: [trial]\n", encoding="utf-8")


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Call the command in this process, standing in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | Path, stdin: bytes | None = None) -> Result:
        words = [str(argument) for argument in arguments]
        return CliRunner().invoke(app, words, input=stdin, prog_name="minerva")

    return call


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start the command as a process of its own, standing in an empty folder."""

    def run(*arguments: str | Path | bytes, **variables: str) -> "subprocess.Popen[bytes]":
        return copies.Popen(
            [MINERVA, *arguments],
            cwd=tmp_path,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    return run


@pytest.fixture
def recorded(minerva_home: Path) -> Callable[[], list[dict[str, Any]]]:
    """Return the rows of this test's runs.jsonl, all of which must be whole."""

    def rows() -> list[dict[str, Any]]:
        lines = (minerva_home / "runs.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    return rows
