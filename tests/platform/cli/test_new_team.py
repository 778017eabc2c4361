"""`minerva new team`: a project that works at once, with nothing of the platform changed."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def project(invoke: Any, tmp_path: Path) -> Path:
    """A freshly written team."""
    done = invoke("new", "team", "field_ops", "--dir", "made/here")
    assert done.exit_code == 0, done.output
    assert "install" in done.stdout
    assert 'ask "How many miles are 42 km?"' in done.stdout
    return tmp_path / "made" / "here"


def test_it_passes_its_own_tests_as_it_is(project: Path) -> None:
    """Before it is installed anywhere."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(project)]
    done = subprocess.run(command, cwd=project, capture_output=True, check=False, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout


def test_once_installed_it_is_found_checked_and_reached(
    project: Path, tmp_path: Path, invoke: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its wheel, built by its own build backend, among the teams that are there."""
    target = tmp_path / "target"
    build = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        str(tmp_path / "built"),
    ]
    subprocess.run(build, cwd=project, check=True, capture_output=True)
    (wheel,) = (tmp_path / "built").glob("*.whl")
    unpack = [sys.executable, "-m", "zipfile", "-e", str(wheel), str(target)]
    subprocess.run(unpack, check=True, env=os.environ)
    monkeypatch.syspath_prepend(str(target))
    checked = invoke("check")
    asked = invoke("ask", "섭씨 30도는 화씨로 몇 도야?")
    again = invoke("new", "team", "field_ops")

    assert checked.exit_code == 0, checked.stderr
    assert checked.stdout.startswith("ok: ")
    assert (asked.exit_code, asked.stdout) == (0, "30 °C = **86 °F**\n")
    assert again.exit_code == 2
    assert "A team `field_ops` is installed already" in again.stderr


def test_it_declares_what_it_imports(project: Path) -> None:
    """With lower bounds, and an entry point that leads to its team."""
    said = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert said["entry-points"]["minerva.teams"] == {
        "field_ops": "minerva_field_ops.team:FieldOpsTeam"
    }
    assert all(">=" in line for line in said["dependencies"])
    assert {path.name for path in project.iterdir()} == {
        "README.md",
        "minerva_field_ops",
        "pyproject.toml",
        "tests",
    }


def test_nothing_is_overwritten(invoke: Any, tmp_path: Path) -> None:
    """Not even a folder that holds one file; an empty one may be filled."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "empty").mkdir()

    assert invoke("new", "team", "billing", "--dir", "full").exit_code == 2
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]
    assert invoke("new", "team", "billing", "--dir", "empty").exit_code == 0
    assert (tmp_path / "empty" / "minerva_billing" / "team.py").exists()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Billing", "write it in snake_case"),
        ("9lives", "write it in snake_case"),
        ("a-b", "write it in snake_case"),
        ("a__b", "write it in snake_case"),
        ("../evil", "write it in snake_case"),
        ("청구", "write it in snake_case"),
        ("a" * 41, "write it in snake_case"),
        ("supervisor", "is reserved"),
        ("platform", "is reserved"),
        ("class", "is reserved"),
        ("data", "is installed already"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(
    invoke: Any, tmp_path: Path, name: str, told: str
) -> None:
    """Before anything is written."""
    done = invoke("new", "team", name)

    assert done.exit_code == 2
    assert told in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_in_a_checkout_the_team_is_put_beside_it(
    invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A team of its own has a repository of its own."""
    checkout = tmp_path / "minerva"
    (checkout / "platform" / "minerva_platform").mkdir(parents=True)
    (checkout / "teams").mkdir()
    monkeypatch.chdir(checkout)
    done = invoke("new", "team", "billing")

    assert done.exit_code == 0
    assert (tmp_path / "minerva-team-billing" / "pyproject.toml").exists()
