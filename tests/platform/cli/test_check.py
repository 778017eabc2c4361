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
        "cannot import name 'AgentEror' from 'minerva_platform'; did you mean `AgentError`?"
    ),
    "import minerva_finance.contrats": (
        "No module named 'minerva_finance.contrats'; did you mean `contracts`?"
    ),
    "import no_such_package.inner": (
        "No module named 'no_such_package'. Install the "
        "package that has it, and name it in `dependencies`: "
    ),
    "class A(:": "invalid syntax.",
    "TOTAL = {}['total']": "KeyError: 'total'.",
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
        f"ok: 1 teams, 12 workers, 0 kinds of hand-offs, 120 examples; configuration: {configs}\n"
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
        "The team `broken` (wrong 1, no_such_module:Team): cannot be imported",
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

    place = "`finance` (finance 1, minerva_finance/invoice_agent.py:2)"
    assert f"{place}: cannot be imported: {FAULTS[line]}" in told
    assert str(tmp_path) not in told


BROKEN = {
    "def (:": ("minerva_finance/invoice_agent.py:2", "invalid syntax."),
    "raise SystemExit(3)": ("minerva_finance/invoice_agent.py:2", "SystemExit: 3."),
    "raise KeyboardInterrupt": ("minerva_finance/invoice_agent.py:2", "KeyboardInterrupt."),
    "class Doom(BaseException):\n    __str__ = None\n\nraise Doom": (
        "minerva_finance/invoice_agent.py:5",
        "Doom: (its message cannot be shown).",
    ),
    "print('noise'); import no_such_package": (
        "minerva_finance/invoice_agent.py:2",
        "No module named 'no_such_package'. ",
    ),
    "FinanceTeam = object": ("minerva_finance.team:FinanceTeam", "its entry point is not a Team."),
    "from minerva_platform import Team\n\nclass FinanceTeam(Team):\n    name = 'finance'": (
        "minerva_finance/invoice_agent.py:4",
        "`platform/finance` has no description; say what it does and when to choose it.",
    ),
}
"""What a team's module says, and the place and cause that are told of it."""


@pytest.mark.small(4)
@pytest.mark.slow
@pytest.mark.parametrize("line", BROKEN)
@pytest.mark.usefixtures("with_trial")
def test_a_broken_team_stops_no_other(invoke: Any, finance: Any, configs: Path, line: str) -> None:
    """One line tells team, distribution, version, place and cause; the answer is as ever."""
    (configs / "platform.yaml").write_text("teams: [finance, trial]\n")
    finance(line)
    place, cause = BROKEN[line]
    done = invoke("explain", "speak to me about number 3", "--json", "--config", configs)

    assert done.exit_code == 0
    assert json.loads(done.stdout)["stages"][0][0]["path"] == "platform/trial"
    told = [text for text in done.stderr.splitlines() if text.startswith("left out: ")]
    assert len(told) == 1
    assert told[0].startswith(f"left out: `finance` (finance 1, {place}): ")
    assert cause in told[0]
    assert invoke("check", "--config", configs).exit_code == 2


@pytest.mark.usefixtures("with_trial")
def test_the_one_team_that_was_asked_for_must_be_sound(
    invoke: Any, finance: Any, configs: Path
) -> None:
    """`--team` of a broken one ends with its cause, and that of another one never hears of it."""
    (configs / "platform.yaml").write_text("teams: [trial, finance]\n")
    finance("raise SystemExit(3)")
    broken = invoke("ask", "speak", "--team", "finance", "--config", configs)
    sound = invoke("ask", "speak", "--team", "trial", "--config", configs)

    assert (broken.exit_code, broken.stdout) == (2, "")
    assert "The team `finance` (finance 1, minerva_finance/invoice_agent.py:2): " in broken.stderr
    assert "SystemExit: 3" in broken.stderr
    assert (sound.exit_code, "finance" in sound.stderr) == (0, False)


@pytest.mark.parametrize("words", [("ask", "speak"), ("teams",), ("graph",)])
def test_a_platform_whose_teams_are_all_broken_says_why(
    invoke: Any, finance: Any, configs: Path, words: tuple[str, ...]
) -> None:
    """And how to go on."""
    (configs / "platform.yaml").write_text("teams: [finance]\n")
    finance("import no_such_package")
    done = invoke(*words, "--config", configs)

    assert (done.exit_code, done.stdout) == (2, "")
    assert "No module named 'no_such_package'" in done.stderr
    assert (
        "Mend it (see `minerva check`), or go on without it: --team NAME, "
        f"or `teams: [NAME, …]` in {configs / 'platform.yaml'}."
    ) in done.stderr


@pytest.mark.usefixtures("with_trial")
def test_what_is_left_out_is_said_once_in_a_conversation(
    invoke: Any, finance: Any, configs: Path
) -> None:
    """Each turn's run object holds it, which programs read."""
    (configs / "platform.yaml").write_text("teams: [trial, finance]\n")
    finance("raise ValueError('no')")
    done = invoke("chat", "--json", "--config", configs, stdin=b"speak to me about number 3\n" * 2)
    runs = [json.loads(line) for line in done.stdout.splitlines()]

    assert [run["status"] for run in runs] == ["ok", "ok"]
    assert [run["left_out"] for run in runs] == [
        [
            {
                "team": "finance",
                "distribution": "finance",
                "version": "1",
                "file": None,
                "where": "minerva_finance/invoice_agent.py:2",
                "cause": "cannot be imported: ValueError: no.",
            }
        ]
    ] * 2
    assert done.stderr.count("left out: ") == 1


@pytest.mark.usefixtures("with_trial")
def test_of_two_distributions_with_one_team_the_one_named_after_it_is_used(
    invoke: Any, configs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger cannot take a team's place by a name that comes earlier in the alphabet."""
    site = tmp_path / "site"
    for distribution, module in (("aaa", "aaa_pay"), ("payroll", "minerva_pay")):
        metadata = site / f"{distribution}-1.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(f"Name: {distribution}\nVersion: 1\n")
        (metadata / "entry_points.txt").write_text(f"[minerva.teams]\npay = {module}:Wrong\n")
        (site / f"{module}.py").write_text("raise ValueError(__name__)\n")
    monkeypatch.syspath_prepend(str(site))
    (configs / "platform.yaml").write_text("teams: [trial, pay]\n")
    told = invoke("teams", "--config", configs).stderr.splitlines()

    assert told == [
        "left out: `pay` (aaa 1, aaa_pay:Wrong): payroll 1 (minerva_pay:Wrong) brings a team "
        "`pay`, too, and is used; uninstall one of the two.",
        "left out: `pay` (payroll 1, minerva_pay.py:1): cannot be imported: ValueError: "
        "minerva_pay.",
    ]


def test_members_that_take_each_others_requests_are_warned_of(
    invoke: Any, finance: Any, configs: Path
) -> None:
    """Below the line of counts, beside the output; nothing is wrong enough to fail."""
    (configs / "platform.yaml").write_text("teams: [finance]\n")
    finance(
        "from minerva_platform import Team\n"
        "from minerva_platform.testing import StubAgent\n\n"
        "class FinanceTeam(Team):\n"
        "    name, description = 'finance', 'Counts.'\n"
        "    members = (StubAgent('invoices'), StubAgent('invoice'))"
    )
    done = invoke("check", "--config", configs)

    assert done.exit_code == 0
    assert done.stdout.startswith("ok: 1 teams, 2 workers")
    near, *_ = done.stderr.splitlines()
    assert near.startswith(
        "warning: `finance`: `invoices` and `invoice` have the same example, or nearly: “ask "
    )
    assert "`minerva explain` chooses `invoice" in near
    assert " more). Keep it in the one that it belongs to." in near


def test_few_examples_are_warned_of(invoke: Any, finance: Any, configs: Path) -> None:
    """They are enough to ask the worker, so the command ends well."""
    (configs / "platform.yaml").write_text("teams: [finance]\n")
    finance(
        "from minerva_platform import Team, agent\n\n"
        "@agent(examples=['pay the invoice', 'add up the invoices'])\n"
        "def pay(request: str) -> str:\n"
        "    'Pays.'\n"
        "    return request\n\n"
        "class FinanceTeam(Team):\n"
        "    name, description, members = 'finance', 'Pays.', (pay,)"
    )
    done = invoke("check", "--config", configs)

    assert done.exit_code == 0
    assert done.stderr.startswith("warning: `platform/finance/pay` gives 2 examples; the embedded")


@pytest.mark.slow
def test_effects_without_kept_state_are_warned_of(invoke: Any, finance: Any, configs: Path) -> None:
    """Such a worker would ask nobody, and fail."""
    finance(
        "from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team, effect\n"
        "@effect('once')\n"
        "def pay(to: str) -> str:\n"
        "    return to\n"
        "class Payer(BaseAgent):\n"
        "    name, description, Input, Output = 'payer', 'Pays.', AgentInput, AgentOutput\n"
        "    examples = ('pay Kim', 'transfer the money')\n"
        "    def work(self, given):\n"
        "        return AgentOutput(summary=pay('Kim'))\n"
        "class FinanceTeam(Team):\n"
        "    name, description, members = 'finance', 'Pays.', (Payer(),)\n"
    )
    (configs / "platform.yaml").write_text("teams: [finance]\n")
    kept = invoke("check", "--config", configs)
    (configs / "platform.yaml").write_text("teams: [finance]\nkeep_state: false\n")
    checked = invoke("check", "--config", configs)
    warning = "`platform/finance/payer` has an `@effect` that may not be repeated"
    assert (warning in kept.stderr, warning in checked.stderr) == (False, True)


@pytest.mark.whole
def test_the_bundled_teams_take_nothing_from_each_other(invoke: Any) -> None:
    """The measure by which warnings are few: none here."""
    done = invoke("check", "--config", CONFIGS)

    assert (done.exit_code, done.stderr) == (0, "")


@pytest.mark.usefixtures("with_trial")
def test_a_router_that_needs_a_model_is_blamed_itself(invoke: Any, configs: Path) -> None:
    """Not the team that happens to be made first."""
    typed = invoke("ask", "speak", "--router", "plan", "--config", configs)
    (configs / "platform.yaml").write_text("teams: [trial]\nrouter: step\n")
    written = invoke("ask", "speak", "--config", configs)

    assert (typed.exit_code, written.exit_code) == (2, 2)
    assert "--router plan needs a model: set MINERVA_MODEL" in typed.stderr
    assert f"`router: step` in {configs / 'platform.yaml'} needs a model" in written.stderr


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
        "migration_agent",
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


def test_thin_examples_are_counted_on_request(invoke: Any, finance: Any, configs: Path) -> None:
    """Ten sentences of one template count as one; ten of ten kinds are enough to begin."""
    (configs / "platform.yaml").write_text("teams: [finance]\n")
    verbs = "pay book void file scan sort send post keep mail"
    finance(
        "from minerva_platform import Team, agent\n\n"
        "@agent(examples=[f'add up the invoices of month {n}' for n in range(12)])\n"
        "def total(request: str) -> str:\n"
        "    'Adds.'\n"
        "    return request\n\n"
        f"@agent(examples=[f'{{w}} it' for w in '{verbs}'.split()] + ['청구서를 내 줘'])\n"
        "def act(request: str) -> str:\n"
        "    'Acts.'\n"
        "    return request\n\n"
        "class FinanceTeam(Team):\n"
        "    name, description, members = 'finance', 'Pays.', (total, act)"
    )
    plain = invoke("check", "--config", configs)
    done = invoke("check", "--routes", "--config", configs)
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]

    assert (plain.exit_code, done.exit_code) == (0, 0)
    assert "platform/finance" not in plain.stdout
    assert "differ" not in plain.stderr
    assert rows[1:] == [
        "worker examples different Korean other",
        "platform/finance/total 12 1 0 12 thin: 10 different ones are wanted",
        "platform/finance/act 11 11 1 10 enough to begin; reliable from 30",
    ]
    assert (
        "warning: `platform/finance/total` gives 12 examples, of which 1 differ: “add up the "
        "invoices of month 0” and “add up the invoices of month 1” are alike. Say the same in "
    ) in done.stderr
