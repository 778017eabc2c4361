"""`minerva check`, `teams` and `graph`: what is declared, and everything that is wrong with it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

CONFIGS = Path(__file__).parents[3] / "configs"

WRONG = """
from minerva_platform import Team
from minerva_platform.testing import StubAgent

class WrongTeam(Team):
    name = "wrong"
    description = "Declared wrongly."
    members = (StubAgent("FINISH"), StubAgent("twice"), StubAgent("twice"))
"""


@pytest.fixture
def configs(tmp_path: Path) -> Path:
    """A folder that names the trial team alone."""
    folder = tmp_path / "configs"
    (folder / "teams").mkdir(parents=True)
    (folder / "platform.yaml").write_text("teams: [trial]\n")
    return folder


@pytest.mark.usefixtures("with_trial")
def test_what_is_right_is_one_line_of_counts(invoke: Any, configs: Path) -> None:
    """With the folder that was read."""
    done = invoke("check", "--config", configs)

    assert done.exit_code == 0
    assert done.stdout == (
        f"ok: 1 teams, 6 workers, 0 kinds of hand-offs, 60 examples; configuration: {configs}\n"
    )


@pytest.mark.usefixtures("with_trial")
def test_all_problems_are_told_at_once(
    invoke: Any, configs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong settings, a team that is not there, one that cannot be imported, a wrong tree."""
    (configs / "platform.yaml").write_text("teams: [trial, wrong, broken, missing]\n")
    (configs / "teams" / "trial.yaml").write_text("timeouts:\n  speak: soon\nsubstitute: {}\n")
    metadata = tmp_path / "site" / "wrong-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[minerva.teams]\nwrong = wrong_team:WrongTeam\nbroken = no_such_module:Team\n"
    )
    (tmp_path / "site" / "wrong_team.py").write_text(WRONG)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    done = invoke("check", "--config", configs)

    assert (done.exit_code, done.stdout) == (2, "")
    for told in (
        "trial.yaml:2: `timeouts.speak`: Input should be a valid number",
        "trial.yaml:3: unknown key `substitute`; did you mean `substitutes`?",
        "`platform/wrong/FINISH`: the name `FINISH` is reserved",
        "`platform/wrong` has 2 members called `twice`",
        "The team `broken` (no_such_module:Team) cannot be imported",
        "No team `missing` is installed",
    ):
        assert told in done.stderr


def test_teams_are_told_with_what_they_need_and_give(invoke: Any) -> None:
    """The three bundled ones, for people and as JSON."""
    done = invoke("teams", "--config", CONFIGS)
    teams = {team["name"]: team for team in json.loads(
        invoke("teams", "--json", "--config", CONFIGS).stdout)["teams"]}  # fmt: skip

    assert done.exit_code == 0
    assert re.search(r"post_processor_agent +needs +data\.recommendation", done.stdout)
    assert {"data", "governance", "insilico"} <= teams.keys()
    assert "data.rename_plan" in teams["data"]["gives"]
    assert [member["name"] for member in teams["data"]["members"]] == [
        "retrieval_agent",
        "post_processor_agent",
        "auditor_agent",
    ]
    assert all(line == line.rstrip() for line in done.stdout.splitlines())


@pytest.mark.usefixtures("with_trial")
def test_the_graph_holds_every_worker_and_node(invoke: Any, configs: Path) -> None:
    """As mermaid: supervisors, members and what is inside them."""
    done = invoke("graph", "--config", configs)

    assert done.exit_code == 0
    assert "graph TD;" in done.stdout
    for name in ("supervisor", "subgraph trial", "speak", "stubborn"):
        assert name in done.stdout
