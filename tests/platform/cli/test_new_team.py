"""`minerva new team`: a project that works at once, with nothing of the platform changed."""

import os
import re
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


def test_its_readme_finds_the_environment(project: Path) -> None:
    """Its first line, pasted where the README lies, puts all that follows on the path."""
    readme = (project / "README.md").read_text(encoding="utf-8")
    (block, *_) = re.findall(r"```sh\n(.*?)```", readme, re.DOTALL)
    first, *others = block.splitlines()
    names = [line.split()[0] for line in others]
    line = f"{first} && command -v {' '.join(names)}"
    environment = {**os.environ, "PATH": os.defpath}
    done = subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=project,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
    )

    assert names == ["uv", "pytest", "minerva", "minerva"]
    assert done.stdout.split() == [f"{sys.prefix}/bin/{name}" for name in names]


def test_its_readme_names_every_file_to_replace(project: Path) -> None:
    """Whoever follows the table has none of the template's miles left."""
    readme = (project / "README.md").read_text(encoding="utf-8")
    (search,) = re.findall(r"^grep -rniE .*$", readme, re.MULTILINE)
    found = subprocess.run(
        ["/bin/bash", "-c", search.replace("grep -rniE", "grep -rliE")],
        cwd=project,
        capture_output=True,
        check=True,
        text=True,
    )
    named = set(re.findall(r"^\| `(\S+\.(?:py|toml))` \|", readme, re.MULTILINE))
    places = re.findall(r"\]\(([^)]+)\)", readme)

    assert named == set(found.stdout.split())
    assert len(places) == 1
    assert all((project / place).exists() for place in places)


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


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What makes a folder a checkout of MINERVA."""
    checkout = tmp_path / "minerva"
    (checkout / "platform" / "minerva_platform").mkdir(parents=True)
    (checkout / "teams").mkdir()
    return checkout


@pytest.mark.parametrize("place", [".", "teams"])
def test_in_a_checkout_the_team_is_put_beside_it(
    invoke: Any, checkout: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """A team of its own has a repository of its own."""
    monkeypatch.chdir(checkout / place)
    done = invoke("new", "team", "billing")

    assert done.exit_code == 0
    assert (checkout.parent / "minerva-team-billing" / "pyproject.toml").exists()


@pytest.mark.parametrize("place", ["billing", "teams/billing", "new/deep/billing"])
def test_inside_a_checkout_no_team_is_written(invoke: Any, checkout: Path, place: str) -> None:
    """The checkout's own tests would fail; a link into it changes nothing."""
    link = checkout.with_name("link")
    link.symlink_to(checkout)
    before = sorted(checkout.rglob("*"))
    plain = invoke("new", "team", "billing", "--dir", checkout / place)
    linked = invoke("new", "team", "billing", "--dir", link / place)

    assert (plain.exit_code, linked.exit_code) == (2, 2)
    assert f"--dir {checkout.parent / 'minerva-team-billing'}" in plain.stderr
    assert "is inside a checkout of MINERVA" in linked.stderr
    assert sorted(checkout.rglob("*")) == before


def test_help_says_where_it_would_be_written(invoke: Any) -> None:
    """Before anybody finds a folder where none was expected."""
    told = "".join(invoke("new", "team", "--help").stdout.split())  # lines break at hyphens too

    assert "Withoutit:minerva-team-NAME,besidethecheckout" in told
