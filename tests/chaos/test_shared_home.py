"""One home for many: processes, runs at once, shells, and a process that is killed.

`make test` has the small forms, in tests/platform/storage/test_database.py.
"""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

CROWD = Path(__file__).with_name("crowd.py")
MINERVA = Path(sys.executable).with_name("minerva")


def crowd(home: Path, *numbers: int) -> dict[str, Any]:
    """Let processes ask in one home; return what was seen, as `crowd.py` explains."""
    command = [sys.executable, str(CROWD), str(home), *map(str, numbers)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


@pytest.mark.parametrize("at_once", [1, 5])
@pytest.mark.parametrize("processes", [2, 4, 16])
def test_processes_in_one_home_lose_nothing(
    processes: int, at_once: int, minerva_home: Path
) -> None:
    """Each run ends well, each turn is kept, and the database is whole."""
    seen = crowd(minerva_home, processes, 25, at_once)

    assert seen["unwell"] == []
    assert seen["integrity"] == ["ok"]
    assert len(seen["told"]) == processes * 25
    assert seen["kept"] == seen["told"]


def test_two_hundred_runs_at_once_share_the_database(minerva_home: Path) -> None:
    """They queue for it, and nobody is told that it is locked."""
    seen = crowd(minerva_home, 1, 200, 200)

    assert seen["unwell"] == []
    assert len(seen["told"]) == 200
    assert seen["kept"] == seen["told"]


@pytest.mark.parametrize("kill_after", range(10, 110, 10))
def test_a_writer_that_is_killed_costs_nobody_else_anything(
    kill_after: int, minerva_home: Path
) -> None:
    """What it had said to be done is there, too; the lock is the system's and ends with it."""
    seen = crowd(minerva_home, 8, 25, 2, kill_after)

    assert seen["unwell"] == []
    assert seen["integrity"] == ["ok"]
    assert len(seen["told"]) - seen["of_the_killed"] == 7 * 25
    assert set(seen["told"]) - set(seen["kept"]) == set()
    assert len(seen["kept"]) - len(seen["told"]) in {0, 1, 2}  # kept, and killed before it said so


@pytest.mark.parametrize("damage", [b"no database at all " * 999, b""])
def test_processes_that_find_a_damaged_database_at_once_go_on_with_one(
    damage: bytes, minerva_home: Path
) -> None:
    """One of them sets it aside; an empty file is no damage."""
    minerva_home.mkdir()
    (minerva_home / "state.db").write_bytes(damage)
    seen = crowd(minerva_home, 16, 5, 1)

    assert seen["unwell"] == []
    assert seen["integrity"] == ["ok"]
    assert seen["kept"] == seen["told"]
    assert len(list(minerva_home.glob("*damaged*"))) == bool(damage)


@pytest.mark.parametrize("processes", [2, 4, 8, 16])
def test_runs_that_meet_broken_pages_say_so_and_those_after_them_go_on(
    processes: int, minerva_home: Path
) -> None:
    """All processes meet them at once; one sets the file aside, and no run is lost in silence."""
    state = minerva_home / "state.db"
    crowd(minerva_home, 4, 5, 1)
    pages = state.read_bytes()
    state.write_bytes(pages[:4096] + b"\xa5" * (len(pages) - 4096))
    seen = crowd(minerva_home, processes, 10, 2)

    assert [run for run in seen["unwell"] if "is damaged" not in run["cause"]] == []
    assert [each.name for each in minerva_home.glob("*damaged*.db")] == ["state.damaged-1.db"]
    assert seen["integrity"] == ["ok"]
    lost = set(seen["told"]) - set(seen["kept"])
    assert len(lost) <= len(seen["unwell"]) <= 2 * processes  # those that had the old one open


def test_two_shells_in_one_home_get_all_their_answers(minerva_home: Path, tmp_path: Path) -> None:
    """A conversation each, line by line, as two people would have them."""
    lines = (f"What is the standard term for patient name number {n}?\n" for n in range(1, 13))
    (tmp_path / "asked").write_text("".join(lines), encoding="utf-8")
    command = [str(MINERVA), "chat", "--team", "data", "--json"]
    with (tmp_path / "asked").open() as first, (tmp_path / "asked").open() as second:
        shells = [
            subprocess.Popen(command, stdin=asked, stdout=subprocess.PIPE)
            for asked in (first, second)
        ]
    said = [line for shell in shells for line in shell.communicate()[0].splitlines()]

    assert [shell.returncode for shell in shells] == [0, 0]
    assert [json.loads(line)["status"] for line in said] == ["ok"] * 24
    with closing(sqlite3.connect(minerva_home / "state.db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.execute("SELECT count(*) FROM turns").fetchone() == (24,)
