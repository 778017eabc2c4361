"""The pipeline is killed in each step, and asked again: the same tables, and nothing twice.

`make test` has a load that is killed, in tests/integration/test_pipeline.py.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pipelines import BAD, CLUSTER, GOOD, left_by, scenario, what_is_seen
from postgres import Cluster

from minerva_platform.testing.durability.processes import Move, processes

TEAM = "platform/clinic/pipeline"
DEEDS = {
    GOOD: ("load", ["BEGIN IMMEDIATE", "INSERT INTO visits", "the commit"], 4),
    BAD: ("quarantine", ["shutil.copyfile", "os.rename"], 0),
}
"""What a run ends with, what it does there, and how many rows are in the table after it."""


@pytest.fixture(params=["sqlite", "postgres"], autouse=True)
def target(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let each home have a target of its own: a file in it, or a schema."""
    if request.param == "postgres":
        cluster: Cluster = request.getfixturevalue("postgres_server")
        monkeypatch.setenv(CLUSTER, cluster.url)
    return str(request.param)


def kills(home: Path) -> Iterator[tuple[int, str]]:
    """Yield the points of a whole run from its first step on, by number and name."""
    (file,) = home.glob("move-*/points")
    names = [name.replace('"', "") for name in file.read_text(encoding="utf-8").splitlines()]
    first, last = names.index(f"the start of {TEAM}/extract"), names.index(f"the end of {TEAM}")
    yield from list(enumerate(names, 1))[first : last + 1]


@pytest.mark.parametrize("file", [GOOD, BAD], ids=["good", "bad"])
def test_a_run_killed_anywhere_ends_with_the_same_tables(
    file: Path, target: str, tmp_path: Path
) -> None:
    """It goes on in another process, and is then asked again, or is asked again instead.

    It is killed at both ends of each step, at each statement of a load, at each copy of a file.
    """
    last, deeds, rows = DEEDS[file]
    with processes(scenario(file), tmp_path) as workers:
        whole = workers.do(Move(home=workers.new_home("whole")))
        expected, run = left_by(whole.home), whole.its_run()
        assert (run.status, len(expected[0].get("visits", []))) == ("ok", rows)
        points = list(kills(whole.home))
        named = {name for _, name in points}
        steps = [
            f"the {end} of {TEAM}/{step}"
            for end in ("start", "end")
            for step in ("extract", "transform", "validate", last)
        ]
        assert named >= {*steps, *deeds} - ({"BEGIN IMMEDIATE"} if target == "postgres" else set())
        for number, name in points:
            home = workers.new_home(f"killed-{number}")
            killed = workers.do(Move(home=home, kill_at=number))
            assert (killed.was_killed, killed.at.replace('"', "")) == (True, name)
            gone_on = workers.do(Move(home=home, run_id=killed.run_id, after_kill=True)).its_run()
            assert what_is_seen(gone_on) == what_is_seen(run), name
            assert left_by(home) == expected, name
            assert workers.do(Move(home=home)).its_run().status == "ok"
            assert left_by(home) == expected, name


@pytest.mark.parametrize("file", [GOOD, BAD], ids=["good", "bad"])
def test_a_new_run_does_not_repeat_what_a_killed_one_did(file: Path, tmp_path: Path) -> None:
    """Nobody goes on with the run that was killed in its last step."""
    last, _, _ = DEEDS[file]
    with processes(scenario(file), tmp_path) as workers:
        whole = workers.do(Move(home=workers.new_home("whole")))
        expected = left_by(whole.home)
        points = list(kills(whole.home))
        begun = [name for _, name in points].index(f"the start of {TEAM}/{last}")
        for number, name in points[begun:]:
            home = workers.new_home(f"killed-{number}")
            assert workers.do(Move(home=home, kill_at=number)).was_killed
            assert workers.do(Move(home=home)).its_run().status == "ok"
            assert left_by(home) == expected, name
