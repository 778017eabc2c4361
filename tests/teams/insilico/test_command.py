"""`minerva code` as people type it."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import copies
import pytest

MINERVA = Path(sys.executable).with_name("minerva")

Type = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def type_(type_in: Callable[..., Any]) -> Type:
    """Return what types `minerva code …` in an empty folder."""
    return partial(type_in, "code")


def test_index_names_what_it_could_not_parse(type_: Type, pkg: Path) -> None:
    """B1 on the command line: counts, the file, its line; nothing read again the second time."""
    first, second = type_("index", pkg), type_("index", pkg, "--json")

    assert first.returncode == 0, first.stderr
    assert "3 of 4 Python files parsed" in first.stdout
    assert "not parsed: d.py:4: SyntaxError: invalid syntax" in first.stdout
    said = json.loads(second.stdout)
    assert (said["files"], said["parsed"], said["read"], said["unchanged"]) == (4, 3, 0, 4)


def test_a_question_makes_the_index_it_needs(type_: Type, pkg: Path) -> None:
    """Nobody has to know that there is an index; what it does not cover is said beside."""
    callers = type_("callers", pkg, "load")

    assert callers.returncode == 0, callers.stderr
    assert callers.stdout.splitlines() == [
        'b.py:4: exact pkg.b.run → pkg.a.load: def run(): return load("x")',
        "c.py:4: same_name pkg.c.T.m → load: def m(self): return self.load()",
    ]
    assert "Not parsed, so not covered: 1 of 4 Python files." in callers.stderr


def test_a_path_that_is_no_directory_ends_with_2(type_: Type) -> None:
    """One sentence with the way out, and no traceback."""
    done = type_("search", "nowhere", "load")

    assert done.returncode == 2
    assert done.stderr.startswith("minerva: `nowhere` does not exist; give the directory")


def test_every_command_speaks_json_with_its_counts(type_: Type, pkg: Path) -> None:
    """A cut list says so, and a program reads the same as a person."""
    (pkg / "e.py").write_text('row["load"]\n')
    asked = [
        ("search", pkg, "load"),
        ("search", pkg, "load", "--mode", "text"),
        ("search", pkg, "lo.d", "--mode", "text", "--regex"),
        ("callers", pkg, "load", "--transitive", "1"),
        ("callers", pkg, "run", "--callees"),
        ("uses", pkg, "load"),
        ("imports", pkg, "pkg.a"),
        ("imports", pkg, "pkg.b", "--of"),
    ]
    for arguments in asked:
        done = type_(*arguments, "--limit", "1", "--json")
        said = json.loads(done.stdout)

        assert (done.returncode, said["shown"]) == (0, 1), done.stderr
        assert said["truncated"] == (said["total"] > 1)
        assert {"path", "line", "symbol", "snippet", "score", "why"} <= said["hits"][0].keys()


def test_uses_say_what_is_certain_and_what_was_left_out(type_: Type, pkg: Path) -> None:
    """A claim of absence says what was looked at."""
    (pkg / "e.py").write_text("class Tin:\n    lid = 1\nclass Jar:\n    lid = 2\nJar.lid\n")
    (pkg / "jar.html").write_text("{{ jar.lid }}\n")

    found, listed = type_("uses", pkg, "Jar.lid"), type_("uses", pkg, "Jar.lid", "--left-out")
    said = json.loads(type_("uses", pkg, "Jar.lid", "--left-out", "--json").stdout)

    assert "e.py:5: certain (the text shows the class): attribute" in found.stdout
    assert "Certain: 2; possible: 0. Left out, though of the same name: 1: another class 1." in (
        found.stdout
    )
    assert "searched as text alone (1 .html): 1 lines have the name." in found.stdout
    assert "e.py:2: left out (another class)" in listed.stdout
    assert "e.py:2" not in found.stdout
    assert (said["certain"], said["left_out"]["total"]) == (2, 1)
    assert [hit["reason"] for hit in said["left_out"]["hits"]] == ["other_class"]
    assert (said["as_text"]["files"], said["as_text"]["total"]) == ({".html": 1}, 1)


def test_a_wrong_pattern_ends_with_2(type_: Type, pkg: Path) -> None:
    """It says which and why, without a traceback."""
    done = type_("search", pkg, "(((", "--mode", "text", "--regex")

    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("minerva: The pattern `(((` cannot be searched")


def test_gitignore_is_heeded_unless_told_otherwise(type_: Type, pkg: Path) -> None:
    """What is left out is counted."""
    (pkg / ".gitignore").write_text("d.py\n")

    heeded, all_ = type_("index", pkg), type_("index", pkg, "--no-ignore", "--json")

    assert "3 of 3 Python files parsed" in heeded.stdout
    assert "1 left out by .gitignore" in heeded.stdout
    assert json.loads(all_.stdout)["files"] == 4


def test_ctrl_c_ends_it_and_the_next_run_goes_on(pkg: Path, tmp_path: Path) -> None:
    """Exit code 130, nothing published, nothing lost of what was parsed."""
    slow = b"x = f'" + b"{a}" * 200_000 + b"'"
    (pkg / "z.py").write_bytes(slow)
    command = [str(MINERVA), "code", "index", str(pkg)]
    process = copies.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    folder = tmp_path / ".minerva" / "insilico"
    while not list(folder.glob("*.staged*")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate()

    assert process.returncode == 130, told
    assert "Traceback" not in told
    assert not list(folder.glob("*.db"))
