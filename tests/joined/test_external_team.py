"""A fourth team, from a project that knows only the public API, among the three bundled ones.

Its wheel is built and unpacked as an installer would do it; where it is installed already
(`make test-isolated`) it is taken from there.
"""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HOSPITAL = ROOT / "configs/examples/hospital"


@pytest.fixture(scope="session")
def calendar(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """Return where the calendar team is installed, unless everybody finds it already."""
    if entry_points(group="minerva.teams", name="calendar"):
        return None
    built, installed = (tmp_path_factory.mktemp(name) for name in ("built", "installed"))
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(built)]
    subprocess.run(build, cwd=ROOT / "tests/external_team", check=True, capture_output=True)
    (wheel,) = built.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(installed)
    return installed


@pytest.fixture
def ask(
    calendar: Path | None, type_in: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., dict[str, Any]]:
    """Return what gives the run object of a request that must be answered."""
    if calendar is not None:
        monkeypatch.syspath_prepend(str(calendar))

    def run(*words: str | Path) -> dict[str, Any]:
        done = type_in("ask", *words, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    return run


def teams_of(run: dict[str, Any]) -> set[str]:
    """Return the teams that a run called."""
    return {hop["team"] for hop in run["hops"]}


def test_a_stranger_is_routed_to(ask: Callable[..., dict[str, Any]]) -> None:
    """Nothing of the platform was changed for it, and no other team is called."""
    run = ask("2026-05-04부터 10영업일 뒤는 며칠이야?")

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
    ask: Callable[..., dict[str, Any]], team: str, words: list[str | Path]
) -> None:
    """A new neighbour takes no request away from a team that served it before."""
    assert teams_of(ask(*words)) == {team}
