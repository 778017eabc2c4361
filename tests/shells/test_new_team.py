"""`minerva new team`: what it writes works before anybody changed a line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

MINERVA = Path(sys.executable).with_name("minerva")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A freshly written team."""
    made = tmp_path / "made"
    subprocess.run([MINERVA, "new", "team", "field_ops", "--dir", made], check=True)
    return made


def test_it_passes_its_own_tests_as_it_is(project: Path) -> None:
    """Before it is installed anywhere, and without a warning about somebody else's settings."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(project)]
    done = subprocess.run(command, cwd=project, capture_output=True, check=False, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\n\d+ passed in ", done.stdout)
    assert done.stderr == ""


def test_once_installed_it_is_found_checked_and_reached(project: Path, tmp_path: Path) -> None:
    """Its wheel, built by its own build backend, among the teams that are there."""
    built, target = tmp_path / "built", tmp_path / "target"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=project, check=True, capture_output=True)
    (wheel,) = built.glob("*.whl")
    subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, target], check=True)

    def minerva(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [MINERVA, *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(target)},
            capture_output=True,
            check=False,
            text=True,
        )

    checked = minerva("check")
    asked = minerva("ask", "섭씨 30도는 화씨로 몇 도야?")
    again = minerva("new", "team", "field_ops")

    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.startswith("ok: ")
    assert (asked.returncode, asked.stdout) == (0, "30 °C = **86 °F**\n")
    assert again.returncode == 2
    assert "A team `field_ops` is installed already" in again.stderr
