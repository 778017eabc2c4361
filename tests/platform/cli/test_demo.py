"""`minerva demo`: the first thing a stranger sees, also where no terminal is."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CONFIGS = Path(__file__).parents[3] / "configs"
TITLES = ["Request", "Answer, the beginning of each part", "Hops", "Files", "Next, type"]


def test_the_bundled_demo_shows_everything_without_a_terminal(
    start: Any, minerva_home: Path, recorded: Callable[[], list[dict[str, Any]]]
) -> None:
    """The sentence, three teams' parts, hops with milliseconds, files that exist, what to type."""
    run = start("demo", "--config", CONFIGS)
    stdout, stderr = run.communicate()
    text = stdout.decode()
    rows = recorded()
    workers = {row["path"] for row in rows if row["kind"] == "agent" and "/" in row["path"][9:]}

    assert run.returncode == 0, stderr.decode()
    assert [line for line in text.splitlines() if line in TITLES] == TITLES
    assert "이 병원 스키마의 컬럼을 표준화하고" in text
    assert "\x1b" not in text
    assert len(workers) >= 7
    assert all(re.search(rf"✓ {path.rpartition('/')[2]} .* ms", text) for path in workers)
    assert (minerva_home / "demo" / "answer.md").exists()
    assert str(minerva_home / "runs.jsonl") in text
    starts = {row["path"]: row["started_at"] for row in rows if row["kind"] == "agent"}
    ends = {row["path"]: row["timestamp"] for row in rows if row["kind"] == "agent"}
    assert starts["platform/insilico"] < ends["platform/data"]
    assert starts["platform/governance"] == max(
        starts[path] for path in starts if path.count("/") == 1
    )


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
    assert f"-i {folder / 'input.txt'}" in done.stdout


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


def test_the_bundled_demo_file_is_the_sentence_of_three_teams() -> None:
    """One line, as a person would type it."""
    from minerva_platform.cli.asking.demo import read_demo  # noqa: PLC0415  # pydantic is not free
    from minerva_platform.config.settings import Settings  # noqa: PLC0415  # see above

    wish = read_demo(Settings(CONFIGS))

    assert "\n" not in wish.request
    assert json.dumps(wish.request, ensure_ascii=False).count(",") == 2
    assert [path.name for path in wish.inputs] == ["hospital"]
    assert wish.teams == ("data", "insilico", "governance")
