"""What agents make lies under its own digest."""

import os
from pathlib import Path

import pytest

from minerva_platform import Artifact, RunError, Task, Team
from minerva_platform.contract.values import Content
from minerva_platform.durable.active_run import run_team
from minerva_platform.runtime.run_options import RunOptions
from minerva_platform.storage.files.artifacts import ArtifactStore
from minerva_platform.testing import ScriptedRouter, StubAgent


@pytest.mark.parametrize("text", ["", "보고서", "\x00\r\n", "x" * 1_000_000])
def test_what_is_stored_is_read(tmp_path: Path, text: str) -> None:
    """To the byte, whatever the line ends."""
    store = ArtifactStore(tmp_path / "deep" / "artifacts")

    assert store.read_text(store.write(Content.of(text))) == text


def test_equal_content_is_stored_once(tmp_path: Path) -> None:
    """And nothing half-written is left over."""
    store = ArtifactStore(tmp_path)

    assert store.write(Content.of("x")) == store.write(Content.of("x"))
    assert len(list(tmp_path.iterdir())) == 1


def test_a_disk_that_is_full_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A half-written file never has the name of the whole one."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)

    with pytest.raises(OSError, match="No space left"):
        ArtifactStore(tmp_path).write(Content.of("x"))

    assert os.listdir(tmp_path) == []  # noqa: PTH208  # Path itself is patched here


@pytest.mark.parametrize("digest", ["0" * 64, "../state.db"])
def test_what_is_not_there_is_said(tmp_path: Path, digest: str) -> None:
    """With the folder that was looked in."""
    with pytest.raises(RunError, match="is not in"):
        ArtifactStore(tmp_path / "artifacts").read_text(digest)


async def test_a_runs_artifacts_are_in_its_home(tmp_path: Path) -> None:
    """With name, path and digest."""
    made = {"summary": "s", "artifacts": [Artifact(name="report.md", content="# 보고서")]}
    agent = StubAgent("a", behave=lambda _: {**made, "artifacts": [made["artifacts"][0]]})
    team = Team(name="t", description="…", members=(agent,), router=ScriptedRouter("a"))

    run = await run_team(team.assembled, Task(request="go"), RunOptions(home=tmp_path))

    (artifact,) = run.artifacts
    assert artifact.name == "report.md"
    assert Path(artifact.path) == tmp_path / "artifacts" / artifact.sha256
    assert ArtifactStore(tmp_path / "artifacts").read_text(artifact.sha256) == "# 보고서"
