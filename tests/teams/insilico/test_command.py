"""`minerva code` as people type it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MINERVA = Path(sys.executable).with_name("minerva")

Type = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def type_(tmp_path: Path) -> Type:
    """Return what types `minerva code …` beside the sources."""

    def run(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
        command = [MINERVA, "code", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return run


def test_index_names_what_it_could_not_parse(type_: Type, pkg: Path) -> None:
    """B1 on the command line: counts, the file, its line; nothing read again the second time."""
    first, second = type_("index", pkg), type_("index", pkg, "--json")

    assert first.returncode == 0, first.stderr
    assert "3 of 4 files parsed" in first.stdout
    assert "not parsed: d.py:4: SyntaxError: invalid syntax" in first.stdout
    said = json.loads(second.stdout)
    assert (said["files"], said["parsed"], said["read"], said["unchanged"]) == (4, 3, 0, 4)


def test_a_question_makes_the_index_it_needs(type_: Type, pkg: Path) -> None:
    """Nobody has to know that there is an index; what it does not cover is said beside."""
    callers = type_("callers", pkg, "load")

    assert callers.returncode == 0, callers.stderr
    assert callers.stdout.splitlines() == [
        'b.py:4: exact pkg.b.run: def run(): return load("x")',
        "c.py:4: same_name pkg.c.T.m: def m(self): return self.load()",
    ]
    assert "1 of 4 files are not parsed" in callers.stderr


def test_a_path_that_is_no_directory_ends_with_2(type_: Type) -> None:
    """One sentence with the way out, and no traceback."""
    done = type_("search", "nowhere", "load")

    assert done.returncode == 2
    assert done.stderr.startswith("minerva: `nowhere` does not exist; give the directory")
