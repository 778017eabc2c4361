"""`minerva eval`: requests with known teams, workers and facts, judged by plans or by runs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.evaluation.cases import read_cases, team_file

CONFIGS = Path(__file__).parents[3] / "configs"
README = CONFIGS.parent / "platform" / "README.md"

REQUESTS = """
- id: one
  text: speak softly
  teams: [trial]
  worker: speak
- id: two
  text: speak then fail
  teams: [trial]
  worker: [trial/speak]
  language: mixed
- id: three
  text: 안녕히 가세요라고 전해 주세요
  teams: []
- id: four
  text: fail loudly
  teams: []
  facts: [not there]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two requests that are met, one with a worker too many, one that a team takes wrongly."""
    path = tmp_path / "requests.yaml"
    path.write_text(REQUESTS, encoding="utf-8")
    return path


@pytest.mark.usefixtures("with_trial")
def test_figures_groups_confusion_and_each_wrong_request_are_shown(
    invoke: Any, file: Path, minerva_home: Path
) -> None:
    """By the plans alone: no worker works, and the facts are counted as not judged."""
    done = invoke("eval", file, "--team", "trial", "--language", "en")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]

    assert done.exit_code == 0
    for line in (
        "Requests: 4, judged by the plans of `minerva explain`. Nothing was run.",
        "right 0.500 2 of 4",
        "exact teams 0.750 3 of 4",
        "recall of teams 1.000 2 of 2",
        "served, accepted 1.000 2 of 2",
        "unserved, refused 0.500 1 of 2",
        "exact workers 0.500 1 of 2",
        "facts not judged: 1; they need answers: --run",
        "kind out_of_scope 2 0.500 0.500",
        "single 2 0.500 1.000 1.000",
        "mixed 1 0.000 1.000 1.000",
        "(none) trial 1",
        "trial trial 2",
        "two:6 speak then fail",
        "expected trial (trial/speak)",
        "asked trial (trial/fail, trial/speak)",
        "scores trial: speak 1.00 fail 1.00",
    ):
        assert line in lines
    assert not minerva_home.exists()


@pytest.mark.usefixtures("with_trial")
def test_too_few_right_ones_end_with_3(invoke: Any, file: Path) -> None:
    """The limit itself is enough; a share beyond one is no limit."""
    least = [invoke("eval", file, "--team", "trial", "--min", text) for text in ("0.5", "0.51")]

    assert [done.exit_code for done in least] == [0, 3]
    assert "The share of right requests, 0.500, is below --min 0.51." in least[1].stderr
    assert invoke("eval", file, "--team", "trial", "--min", "50").exit_code == 2


@pytest.mark.usefixtures("with_trial")
def test_the_same_from_json_lines_as_one_object(invoke: Any, file: Path, tmp_path: Path) -> None:
    """A program reads the figures with their counts, and the wrong ones with all scores."""
    lines = tmp_path / "requests.jsonl"
    entries = [case.model_dump(mode="json") for case in read_cases(file)]
    kept = ("id", "text", "teams", "language", "facts")
    rows = [{**{key: e[key] for key in kept}, "worker": e["workers"]} for e in entries]
    lines.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    told = [
        json.loads(invoke("eval", f, "--team", "trial", "--json").stdout) for f in (file, lines)
    ]

    assert told[0]["figures"] == told[1]["figures"]
    assert told[1]["figures"]["refused"] == {"count": 1, "of": 2, "share": 0.5}
    assert told[1]["groups"]["language"].keys() == {"en", "ko", "mixed"}
    assert [wrong["id"] for wrong in told[1]["wrong"]] == ["two", "four"]
    assert told[1]["wrong"][1] == {
        "id": "four",
        "where": f"{lines}:4",
        "text": "fail loudly",
        "expected": {"teams": [], "workers": []},
        "asked": {"teams": ["trial"], "workers": ["trial/fail"]},
        "decisions": [
            {"path": "trial", "goals": ["fail"], "scores": {"fail": 1.0}, "margin": None}
        ],
        "unserved": [],
        "missing_facts": [],
        "status": None,
    }


@pytest.mark.usefixtures("with_trial")
def test_runs_are_judged_by_their_answers_too(
    invoke: Any, tmp_path: Path, minerva_home: Path
) -> None:
    """Facts are looked for without regard to case, blanks and Markdown; failures are counted."""
    file = tmp_path / "run.yaml"
    file.write_text(
        "- {text: speak of  A_B*c, teams: [trial], worker: speak, facts: ['OF a_b*C', speech]}\n"
        "- {text: fail, teams: [trial], facts: []}\n"
    )
    done = invoke("eval", file, "--team", "trial", "--run", "--json")
    told = json.loads(done.stdout)

    assert done.exit_code == 0
    assert told["figures"]["facts"] == {"count": 1, "of": 2, "share": 0.5}
    assert told["figures"]["exact"]["count"] == 2
    (wrong,) = told["wrong"]
    assert (wrong["missing_facts"], wrong["status"]) == (["speech"], "ok")
    assert wrong["asked"]["workers"] == ["trial/speak"]
    assert "runs that failed: 1" in invoke(
        "eval", file, "--team", "trial", "--run", "--language", "en"
    ).stdout  # fmt: skip
    assert not (minerva_home / "state.db").exists()
    assert not (minerva_home / "runs.jsonl").exists()


@pytest.mark.usefixtures("with_trial")
def test_the_platform_and_a_team_alone_are_judged_alike(invoke: Any, tmp_path: Path) -> None:
    """A worker is found by its path below the platform; runs tell the same as plans."""
    configs = tmp_path / "configs"
    configs.mkdir()
    (configs / "platform.yaml").write_text("teams: [trial]\nrouter: embedded\n")
    file = tmp_path / "both.yaml"
    file.write_text("- {text: speak to me about number 3, teams: [trial], worker: trial/speak}\n")
    platform = [
        json.loads(invoke("eval", file, "--config", configs, "--json", *more).stdout)
        for more in ((), ("--run",), ("--team", "trial"))
    ]

    assert [told["figures"]["right"]["count"] for told in platform] == [1, 1, 1]
    assert [d["path"] for d in platform[0]["wrong"]] == []


FAULTS = {
    "": " holds no requests. Write one: - {text: …, teams: [data]}",
    "text: a\nteams: []\n": ":1: not a list of requests; begin each one with `- text: …`.",
    "- a\n": ":1: not a request; write `text: …` and `teams: […]`.",
    "- text: a\n": ":1: `teams`: Field required.",
    "- text: ' '\n  teams: []\n": ":1: `text`: it is empty.",
    "- text: a\n  team: [trial]\n  teams: []\n": ":2: unknown key `team`; did you mean `teams`?",
    "- {id: x, text: a, teams: []}\n- {id: x, text: b, teams: []}\n": (
        ":2: the id `x` is there twice; first "
    ),
    "- text: a\n  teams: [trail]\n": ":1: no team `trail` is here; did you mean `trial`?",
    "- text: a\n  teams: [trial]\n  worker: speek\n": (
        ":1: no worker `speek` is here; did you mean `speak`?"
    ),
    "- text: a\n  teams: []\n  attachments:\n    - b.sql\n": (
        "b.sql is not there; paths begin at the file's folder."
    ),
}
"""What a file says, and what is told of it."""


@pytest.mark.parametrize("text", FAULTS)
@pytest.mark.usefixtures("with_trial")
def test_a_faulty_file_is_told_by_its_line(invoke: Any, tmp_path: Path, text: str) -> None:
    """With what to write instead; nothing is judged."""
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    done = invoke("eval", file, "--team", "trial")

    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{file}" in done.stderr
    assert FAULTS[text] in done.stderr


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", ":2: not JSON: "),
        ("[" * 100_000, ":2: nested too deeply."),
        (
            r'{"text": "\ud800", "teams": []}',
            ":2: `text`: its character 1 is no UTF-8",
        ),
    ],
)
def test_a_faulty_line_of_json_is_told(invoke: Any, tmp_path: Path, line: str, told: str) -> None:
    """Before any team is loaded."""
    file = tmp_path / "bad.jsonl"
    file.write_text(f'{{"text": "a", "teams": []}}\n{line}\n')
    done = invoke("eval", file)

    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr


@pytest.mark.usefixtures("with_trial")
def test_hostile_text_is_shown_and_not_obeyed(invoke: Any, tmp_path: Path) -> None:
    """A request may come from anybody: its control characters are written out, cut if long."""
    file = tmp_path / "hostile.jsonl"
    text = "speak \x1b[2J\u202e[bold]\nright 1.000" + "x" * 10_000
    row = {"id": "\x1b]0;a\x07", "text": text, "teams": [], "kind": "\u202ekind"}
    file.write_text(json.dumps(row) + "\n")
    shown = invoke("eval", file, "--team", "trial").stdout
    told = invoke("eval", file, "--team", "trial", "--json").stdout

    for hidden in ("\x1b", "\u202e", "\x07"):
        assert hidden not in shown + told
    assert "speak \\x1b[2J\\u202e[bold]\\nright" in shown
    assert len(shown) < 5_000
    assert json.loads(told)["wrong"][0]["text"] == text


@pytest.mark.parametrize("name", ["data", "governance", "insilico"])
def test_the_bundled_teams_meet_their_own_requests(invoke: Any, name: str) -> None:
    """None of which is one of the examples that the routers learn."""
    (team,) = (agent for agent in build_platform().agents if agent.name == name)
    file = team_file(team)  # type: ignore[arg-type]  # the platform's members are teams
    assert file is not None
    texts = {case.text.casefold() for case in read_cases(file)}
    done = invoke("eval", file, "--config", CONFIGS, "--min", "0.6")

    assert done.exit_code == 0, done.stdout
    assert texts.isdisjoint(text.casefold() for text in (*team.examples, *team.declines))


def test_the_example_of_the_readme_is_judged_as_it_says(invoke: Any, tmp_path: Path) -> None:
    """Its file and its first command, as a newcomer would copy them."""
    section = README.read_text(encoding="utf-8").partition("# requests.yaml;")[2]
    entries, rest = section.split("```\n", 1)
    (tmp_path / "requests.yaml").write_text(f"# {entries}", encoding="utf-8")
    command = re.search(r"^minerva (eval requests\.yaml --min 0\.5)", rest, re.MULTILINE)
    assert command is not None
    done = invoke(*command[1].split(), "--config", CONFIGS, "--json")

    assert (done.exit_code, json.loads(done.stdout)["requests"]) == (0, 2)
