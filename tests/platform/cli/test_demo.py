"""`minerva demo`: the first thing a stranger sees, also where no terminal is."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.testing import CliRunner

from minerva_platform.cli.ask.demo import read_demo, text_for
from minerva_platform.cli.main import app
from minerva_platform.config.settings import Settings
from minerva_platform.text.language import Language, has_hangul, locale_language

CONFIGS = Path(__file__).parents[3] / "configs"
LANGUAGES: tuple[Language, ...] = get_args(Language)


@dataclass(frozen=True)
class Ran:
    """One run of the bundled demo, and what it left."""

    text: str
    code: int
    rows: list[dict[str, Any]]
    folder: Path


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[Language, Ran]:
    """The demo in a Korean locale: once as it comes, once with `--language en`."""
    found: dict[Language, Ran] = {}
    for language in LANGUAGES:
        home = tmp_path_factory.mktemp(language)
        options = ["--language", "en", "--out", str(home / "out")] if language == "en" else []
        said = {"MINERVA_HOME": str(home), "LC_ALL": "ko_KR.UTF-8"}
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(home)
            words = ["demo", "--config", str(CONFIGS), *options]
            done = CliRunner().invoke(app, words, env=said, prog_name="minerva")
        lines = (home / "runs.jsonl").read_text(encoding="utf-8").splitlines()
        folder = home / ("out" if options else "demo")
        found[language] = Ran(done.stdout, done.exit_code, [*map(json.loads, lines)], folder)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pipe_gets_markdown(ran: dict[Language, Ran], language: Language) -> None:
    """What goes on, the request, the answer as `ask` prints it, and what to type next."""
    told = ran[language]
    wish = read_demo(Settings(CONFIGS))

    assert told.code == 0
    assert told.text.startswith(text_for(wish.about, language))
    assert text_for(wish.request, language) in told.text
    assert "\x1b" not in told.text
    assert (told.folder / "answer.md").read_text(encoding="utf-8") in told.text
    assert str(told.folder / "answer.md") in told.text
    assert re.findall(r"- `\S*minerva (\w+)", told.text) == ["runs", "ask", "new"]


def test_the_english_demo_is_english(ran: dict[Language, Ran]) -> None:
    """Whatever the locale: nothing around the answer is Korean, and no heading of it is."""
    answer = (ran["en"].folder / "answer.md").read_text(encoding="utf-8")
    headings = [line for line in answer.splitlines() if re.match("##? ", line)]

    assert not has_hangul(ran["en"].text.replace(answer, ""))
    assert headings
    assert not any(map(has_hangul, headings))
    assert has_hangul(ran["ko"].text)


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LC_ALL": "C", "LANG": "ko_KR.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "ko", "LANG": "en_US"}, "ko"),
        ({}, "en"),
    ],
)
def test_the_locale_says_the_language(said: dict[str, str], language: Language) -> None:
    """The variables go before each other as POSIX has it."""
    assert locale_language(said) == language


def test_teams_work_side_by_side(ran: dict[Language, Ran]) -> None:
    """Code is parsed while names are looked up; governance waits for both, a person for all."""
    agents = [row for row in ran["ko"].rows if row["kind"] == "agent"]
    starts = {row["path"]: row["started_at"] for row in agents}
    ends = {row["path"]: row["timestamp"] for row in agents}

    assert starts["platform/insilico"] < ends["platform/data"]
    *_, governance, question = sorted(
        (path for path in starts if path.count("/") == 1), key=lambda path: starts[path]
    )
    assert (governance, question) == ("platform/governance", "platform/data#2")


@pytest.mark.usefixtures("with_trial")
def test_a_demo_of_ones_own_is_read_from_the_configuration(invoke: Any, tmp_path: Path) -> None:
    """Inputs are found from the file, wherever the command is typed."""
    folder = tmp_path / "configs"
    folder.mkdir()
    (folder / "platform.yaml").write_text("teams: [trial]\n")
    (folder / "input.txt").write_text("text")
    (folder / "demo.yaml").write_text("request: speak to me about number 3\ninputs: [input.txt]\n")
    done = invoke("demo", "--config", folder)

    assert done.exit_code == 0
    assert "speak to me about number 3" in done.stdout
    assert f"`-i {folder / 'input.txt'}`" in done.stdout


@pytest.mark.whole
@pytest.mark.usefixtures("with_trial")
def test_a_demo_loads_the_teams_it_needs_and_no_other(
    invoke: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken team is not in the way of the first thing that a stranger types."""
    metadata = tmp_path / "site" / "broken-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[minerva.teams]\nbroken = no_such_module:Team\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    (tmp_path / "platform.yaml").write_text("")
    wish = "request: speak to me about number 3\n"

    (tmp_path / "demo.yaml").write_text(wish)
    every = invoke("demo", "--config", tmp_path)
    (tmp_path / "demo.yaml").write_text(f"{wish}teams: [trial]\n")
    named = invoke("demo", "--config", tmp_path)

    assert (every.exit_code, "left out: `broken`" in every.stderr) == (0, True)
    assert (named.exit_code, "broken" in named.stderr) == (0, False)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("request: hi\ninputs: [missing.sql]\n", "there is no such file"),
        ("request: hi\ninput: [a]\n", "demo.yaml:2: unknown key `input`; did you mean `inputs`?"),
        ("inputs: []\n", "`request`: Field required"),
    ],
)
def test_a_wrong_demo_file_is_told_by_line(
    invoke: Any, tmp_path: Path, text: str, told: str
) -> None:
    """Nothing is run."""
    (tmp_path / "platform.yaml").write_text("")
    (tmp_path / "demo.yaml").write_text(text)
    done = invoke("demo", "--config", tmp_path)

    assert done.exit_code == 2
    assert told in done.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bundled_demo_file_is_the_sentence_of_three_teams(language: Language) -> None:
    """One line, as a person would type it, after three sentences that say what goes on."""
    wish = read_demo(Settings(CONFIGS))
    request = text_for(wish.request, language)

    assert "\n" not in request
    assert request.count(",") == 2
    assert [line[-1] for line in text_for(wish.about, language).splitlines()] == [".", ".", "."]
    assert [path.name for path in wish.inputs] == ["hospital"]
    assert wish.teams == ("data", "insilico", "governance")
