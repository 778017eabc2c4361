"""Every hint is typed as it stands, whether the environment is active or not."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from minerva_platform.cli.main import app
from minerva_platform.text.command_hint import minerva_command

MINERVA = Path(sys.executable).with_name("minerva")
HINT = re.compile(r"([^\s'`]*minerva) (?=ask|check|demo|explain|new|runs|teams|-h|\[OPTIONS\])")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder whose configuration names a team that is not there."""
    place = tmp_path / "far" / "away"
    (place / "configs").mkdir(parents=True)
    (place / "configs" / "platform.yaml").write_text("teams: [missing]\n")
    return place


def hints(place: Path, *arguments: str, path: str) -> set[str]:
    """Return how the command is called in what it prints, called in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setenv("PATH", path)
        done = CliRunner().invoke(app, arguments, prog_name=minerva_command())
    return set(HINT.findall(done.output))


def hints_of_a_process(place: Path, *arguments: str, path: str) -> set[str]:
    """Return the same of a process of its own: what help says is settled when it starts."""
    done = subprocess.run(
        [MINERVA, *arguments],
        cwd=place,
        env={**os.environ, "PATH": path},
        capture_output=True,
        check=False,
        text=True,
    )
    return set(HINT.findall(done.stdout + done.stderr))


@pytest.mark.parametrize(
    "arguments",
    [
        ["ask"],
        ["ask", " "],
        ["ask", "broken \udcff"],
        ["check"],
        ["demo"],
        ["explain", "--nonsense"],
        ["new", "team", "data"],
        ["runs"],
        ["runs", "last"],
        ["runs", "abc"],
    ],
    ids=" ".join,
)
def test_a_hint_works_as_typed(place: Path, arguments: list[str]) -> None:
    """The shell finds no `minerva` until `.venv` is active: then its path is what works."""
    inactive = hints(place, *arguments, path=os.defpath)
    active = hints(place, *arguments, path=f"{MINERVA.parent}{os.pathsep}{os.defpath}")

    assert (inactive, active) == ({str(MINERVA)}, {"minerva"})


@pytest.mark.small(1)
@pytest.mark.parametrize("arguments", [["--help"], ["ask"]], ids=" ".join)
def test_a_hint_of_a_process_works_as_typed(place: Path, arguments: list[str]) -> None:
    """Also where the name of the command is its own to find out."""
    inactive = hints_of_a_process(place, *arguments, path=os.defpath)
    active = hints_of_a_process(place, *arguments, path=f"{MINERVA.parent}{os.pathsep}{os.defpath}")

    assert (inactive, active) == ({str(MINERVA)}, {"minerva"})


def test_a_new_team_is_told_the_same_way(place: Path) -> None:
    """Install, check and ask: three lines to paste, and its tests."""
    assert hints(place, "new", "team", "billing", path=os.defpath) == {str(MINERVA)}


def test_without_a_team_it_says_how_to_write_one(place: Path) -> None:
    """Also how to call the command that writes it."""
    (place / "configs" / "platform.yaml").write_text("teams: []\n")

    assert hints(place, "teams", path=os.defpath) == {str(MINERVA)}


def test_a_removed_folder_keeps_nobody_from_help(tmp_path: Path) -> None:
    """Somebody cleaned up; the shell still stands there."""
    gone = tmp_path / "gone"
    gone.mkdir()
    line = f'rmdir "{gone}"; "{MINERVA}" --help'
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=gone,
        env={**os.environ, "PATH": os.defpath},
        capture_output=True,
        check=False,
        text=True,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert f"Begin with: {MINERVA} demo" in done.stdout
