"""`make` sets itself up: what it does is said in short lines, once."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYTHON = """#!/bin/sh
if [ "$1" = --version ]; then echo 'Python 3.11.7'; fi
if [ "$2" = venv ]; then
    mkdir -p .venv/bin
    cp "$0" .venv/bin/python
    for program in uv minerva; do printf '#!/bin/sh\\n' > .venv/bin/$program; done
    chmod +x .venv/bin/*
fi
"""
"""A Python whose environments have an installer, and a `minerva`, that do nothing."""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What `make` reads of a fresh clone."""
    projects = [path.relative_to(ROOT) for path in ROOT.glob("*/pyproject.toml")]
    projects += [path.relative_to(ROOT) for path in ROOT.glob("teams/*/pyproject.toml")]
    for path in (
        *projects,
        Path("Makefile"),
        Path("pyproject.toml"),
        Path("configs/locks/dev.txt"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    (tmp_path / "python").write_text(PYTHON)
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def make(clone: Path, *words: str) -> list[str]:
    """Return the lines that `make` prints."""
    variables = {name: text for name, text in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", *words, f"PYTHON={clone / 'python'}"]
    return subprocess.check_output(
        command, cwd=clone, env=variables, text=True, stderr=subprocess.STDOUT
    ).splitlines()


def test_setting_up_says_what_it_does_and_how_long_it_takes(clone: Path) -> None:
    """No command and no address is printed, and nothing at all once it is done."""
    first, again = make(clone, "demo"), make(clone, "demo")

    assert [line[:8].strip() for line in first] == ["MINERVA", "1 of 3", "2 of 3", "3 of 3", ""]
    assert "minutes" in first[0]
    assert "about a minute" in first[2]
    assert all(len(line) <= 80 and "//" not in line for line in first)
    assert again == []


def test_the_number_of_packages_is_that_of_the_lock(clone: Path) -> None:
    """A line of the lock that names a version is a package."""
    (clone / "configs" / "locks" / "dev.txt").write_text(
        "one==1 ; python_full_version == '3.11' \\\n    --hash=sha256:0\ntwo==2 \\\n    --hash=x\n"
    )

    assert "installing 2 locked packages" in make(clone, "install")[2]
