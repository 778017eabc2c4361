"""`minerva check`, `teams` and `graph`: what is declared, and everything that is wrong with it."""

import json
import re
import sys
from collections.abc import Callable
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


FAULTS = {
    "from minerva_platform import AgentEror": (
        "minerva_finance/invoice_agent.py:2: cannot import name 'AgentEror' from "
        "'minerva_platform'; did you mean `AgentError`?"
    ),
    "import minerva_finance.contrats": (
        "minerva_finance/invoice_agent.py:2: No module named 'minerva_finance.contrats'; "
        "did you mean `contracts`?"
    ),
    "import no_such_package.inner": (
        "minerva_finance/invoice_agent.py:2: No module named 'no_such_package'. Install the "
        "package that has it, and name it in `dependencies`: "
    ),
    "class A(:": "minerva_finance/invoice_agent.py:2: invalid syntax.",
    "TOTAL = {}['total']": "minerva_finance/invoice_agent.py:2: KeyError: 'total'.",
}


@pytest.fixture
def finance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return what installs a team beside the others whose worker's module has one more line."""

    def install(line: str) -> None:
        package = tmp_path / "site" / "minerva_finance"
        metadata = tmp_path / "site" / "finance-1.dist-info"
        package.mkdir(parents=True)
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: finance\nVersion: 1\n")
        (metadata / "entry_points.txt").write_text(
            "[minerva.teams]\nfinance = minerva_finance.team:FinanceTeam\n"
        )
        (package / "__init__.py").write_text("")
        (package / "contracts.py").write_text("")
        (package / "invoice_agent.py").write_text(f'"""A worker."""\n{line}\n')
        (package / "team.py").write_text("from minerva_finance.invoice_agent import *\n")
        monkeypatch.syspath_prepend(str(tmp_path / "site"))

    for name in [name for name in sys.modules if name.startswith("minerva_finance")]:
        monkeypatch.delitem(sys.modules, name)
    return install


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
        f"ok: 1 teams, 7 workers, 0 kinds of hand-offs, 70 examples; configuration: {configs}\n"
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


@pytest.mark.parametrize("line", FAULTS)
def test_a_fault_of_a_teams_import_is_told_by_its_own_line(
    invoke: Any, finance: Any, configs: Path, tmp_path: Path, line: str
) -> None:
    """With the closest name or the command to type, and without anybody's folders."""
    (configs / "platform.yaml").write_text("teams: [finance]\n")
    finance(line)
    told = invoke("check", "--config", configs).stderr

    assert "`finance` (minerva_finance.team:FinanceTeam) cannot be imported: " in told
    assert FAULTS[line] in told
    assert str(tmp_path) not in told


@pytest.mark.parametrize("line", ["import no_such_package", "FinanceTeam = object"])
@pytest.mark.parametrize("words", [("ask", "speak"), ("explain", "speak"), ("teams",)])
@pytest.mark.usefixtures("with_trial")
def test_a_broken_team_does_not_leave_one_without_a_way_on(
    invoke: Any, finance: Any, configs: Path, line: str, words: tuple[str, ...]
) -> None:
    """The message says how the others can be used meanwhile."""
    (configs / "platform.yaml").write_text("teams: [trial, finance]\n")
    finance(line)
    done = invoke(*words, "--config", configs)

    assert done.exit_code == 2
    assert (
        "Mend it (`minerva check` tells), or go on without it: --team NAME, "
        f"or `teams: [NAME, …]` in {configs / 'platform.yaml'}."
    ) in done.stderr


@pytest.mark.usefixtures("with_trial")
def test_a_wrongly_declared_team_does_not_either(invoke: Any, finance: Any, configs: Path) -> None:
    """All problems are told, then the way on; `--team` itself needs no other team."""
    (configs / "platform.yaml").write_text("teams: [trial, finance]\n")
    finance("from minerva_platform import Team\n\nclass FinanceTeam(Team):\n    name = 'finance'")
    done = invoke("ask", "speak", "--config", configs)

    assert done.exit_code == 2
    assert "`platform/finance` has no members." in done.stderr
    assert "Mend it (`minerva check` tells), or go on without it: --team NAME" in done.stderr
    assert invoke("ask", "speak", "--team", "trial", "--config", configs).exit_code == 0
    alone = invoke("ask", "speak", "--team", "finance", "--config", configs)
    assert (alone.exit_code, "go on without it" in alone.stderr) == (2, False)


@pytest.mark.usefixtures("with_trial")
def test_a_misspelled_team_is_told_with_the_closest(invoke: Any, configs: Path) -> None:
    """And with the command that would install one."""
    told = invoke("ask", "hi", "--team", "trail", "--config", configs).stderr

    assert "No team `trail` is installed; did you mean `trial`? There are: " in told
    assert " install " in told
    assert " -e FOLDER" in told
    assert "teams/NAME" not in told


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
