"""A fourth team, from a project that knows only the public API, among the three bundled ones.

Its wheel is built and unpacked as an installer would do it; where it is installed already
(`make test-isolated`) it is taken from there.
"""

import json
import os
import subprocess
import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HOSPITAL = ROOT / "configs/examples/hospital"
MINERVA = Path(sys.executable).with_name("minerva")


@pytest.fixture(scope="session")
def surroundings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which commands find the calendar team."""
    if entry_points(group="minerva.teams", name="calendar"):
        return {}
    built, installed = (tmp_path_factory.mktemp(name) for name in ("built", "installed"))
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=ROOT / "tests/external_team", check=True, capture_output=True)
    (wheel,) = built.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(installed)
    return {"PYTHONPATH": str(installed)}


def ask(surroundings: dict[str, str], *words: str | Path) -> dict[str, Any]:
    """Return the run object of a request that must be answered."""
    done = subprocess.run(
        [MINERVA, "ask", *words, "--json"],
        env={**os.environ, **surroundings},
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    run: dict[str, Any] = json.loads(done.stdout)
    return run


def teams_of(run: dict[str, Any]) -> set[str]:
    """Return the teams that a run called."""
    return {hop["team"] for hop in run["hops"]}


def test_a_stranger_is_routed_to(surroundings: dict[str, str]) -> None:
    """Nothing of the platform was changed for it, and no other team is called."""
    run = ask(surroundings, "2026-05-04부터 10영업일 뒤는 며칠이야?")

    assert run["status"] == "ok"
    assert [hop["path"] for hop in run["hops"]] == [
        "platform/calendar/holiday_agent",
        "platform/calendar/deadline_agent",
    ]
    assert "2026-05-18" in run["answer"]


@pytest.mark.parametrize(
    ("team", "words"),
    [
        ("data", ["환자 식별 컬럼의 표준 약어와 도메인을 알려줘"]),
        ("insilico", ["이 코드에서 pat_nm을 쓰는 곳을 찾아줘", "-i", HOSPITAL / "app"]),
        ("governance", ["이 파일에 개인정보가 있는지 점검해줘", "-i", HOSPITAL / "export.csv"]),
    ],
)
def test_the_others_are_still_reached(
    surroundings: dict[str, str], team: str, words: list[str | Path]
) -> None:
    """A new neighbour takes no request away from a team that served it before."""
    assert teams_of(ask(surroundings, *words)) == {team}
