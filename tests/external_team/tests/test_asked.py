"""The platform finds the team by its entry point and routes to it: nothing there knows it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

MINERVA = Path(sys.executable).with_name("minerva")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """An empty folder with a holiday file in it."""
    (tmp_path / "holidays.csv").write_text("date,name\n2026-05-05,어린이날\n", encoding="utf-8")
    return tmp_path


def minerva(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a person in `place` would."""
    own = {"MINERVA_HOME": str(place / ".minerva")}
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MINERVA_")}
    return subprocess.run(
        [MINERVA, *words], cwd=place, env=kept | own, capture_output=True, check=False, text=True
    )


def ask(place: Path, *words: str) -> dict[str, Any]:
    """Return the run object of a request that must be answered."""
    done = minerva(place, "ask", *words, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    run: dict[str, Any] = json.loads(done.stdout)
    return run


def test_the_declarations_hold(place: Path) -> None:
    """`minerva check` reads this team like any other."""
    done = minerva(place, "check")

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_team_is_listed(place: Path) -> None:
    """Installing it was all there was to do."""
    assert "calendar" in minerva(place, "teams").stdout


def test_a_deadline_is_answered_through_both_workers(place: Path) -> None:
    """The holidays of the attached file move the deadline on by a day."""
    run = ask(place, "2026-05-04부터 10영업일 뒤는 며칠이야?", "-i", "holidays.csv")

    assert run["status"] == "ok"
    assert [hop["path"] for hop in run["hops"]] == [
        "platform/calendar/holiday_agent",
        "platform/calendar/deadline_agent",
    ]
    assert "2026-05-19" in run["answer"]


def test_it_answers_in_english_too(place: Path) -> None:
    """The language is the question's."""
    run = ask(place, "How many working days are there from 2026-03-02 to 2026-03-31?")

    assert "**22 working days**" in run["answer"]
