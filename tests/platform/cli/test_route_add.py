"""`minerva route add`: one request more for a router to learn, shown before it is written."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FLOWERS = (
    "water the roses", "when do tulips bloom", "plant a lily by the wall", "the daisies look dry",
    "cut back the lavender", "which soil do orchids like", "my violets wilt", "feed the peonies",
    "move the fern into the shade", "are there aphids on the jasmine",
)  # fmt: skip
ENGINES = (
    "the motor stutters", "change the engine oil", "why does the gearbox grind", "replace a piston",
    "brake pads are worn", "the battery is flat", "check the tyre pressure", "the clutch slips",
    "tune the carburettor", "a spark plug is broken",
)  # fmt: skip
LIKE_FLOWERS = ("order a bouquet for Anna", "paint a rose", "name a child Lily")

TEAM = """
from minerva_platform import Team, agent
from minerva_platform.text import read_examples

declined = read_examples("minerva_chores", "declined")

@agent(examples=read_examples("minerva_chores", "garden"))
def garden(request: str) -> str:
    "Cares for flowers."
    return request

@agent(examples=ENGINES)
def garage(request: str) -> str:
    "Mends engines."
    return request

garden.declines = declined

class ChoresTeam(Team):
    name, description, members = "chores", "House and yard.", (garden, garage)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The package of a team of a gardener, with a file of examples, and a mechanic, without."""
    site = tmp_path / "site"
    folder, metadata = site / "minerva_chores", site / "chores-1.dist-info"
    (folder / "examples").mkdir(parents=True)
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: chores\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[minerva.teams]\nchores = minerva_chores:ChoresTeam\n"
    )
    (folder / "examples" / "garden.txt").write_text("\n".join(FLOWERS) + "\n")
    (folder / "examples" / "declined.txt").write_text("\n".join(LIKE_FLOWERS) + "\n")
    (folder / "examples" / "eval.yaml").write_text(
        "- {text: do the roses need water, teams: [chores], worker: garden}\n"
    )
    (folder / "__init__.py").write_text(f"ENGINES = {ENGINES!r}\n{TEAM}")
    monkeypatch.syspath_prepend(str(site))
    for name in [name for name in sys.modules if name.startswith("minerva_chores")]:
        monkeypatch.delitem(sys.modules, name)
    return folder


@pytest.fixture
def configs(tmp_path: Path, package: Path) -> Path:
    """A folder that names that team alone, with a comment in the team's own file."""
    del package
    folder = tmp_path / "configs"
    (folder / "teams").mkdir(parents=True)
    (folder / "platform.yaml").write_text("teams: [chores]\nrouter: embedded\n")
    (folder / "teams" / "chores.yaml").write_text("timeouts:  # seconds\n  garden: 9\n")
    return folder


@pytest.fixture
def add(invoke: Any, configs: Path) -> Callable[..., Any]:
    """Call the command, in English, on that folder."""

    def call(*words: str | Path, stdin: bytes | None = None) -> Any:
        sys.modules.pop("minerva_chores", None)  # another command is another process
        common = ("--config", configs, "--language", "en")
        return invoke("route", "add", *words, *common, stdin=stdin)

    return call


@pytest.mark.slow
def test_nothing_is_written_without_a_word_of_the_person(add: Any, configs: Path) -> None:
    """The change and its consequences are shown, and the command that writes it."""
    file = configs / "teams" / "chores.yaml"
    before = file.read_bytes()
    done = add("the chain of my bicycle squeaks", "--to", "garage")

    assert done.exit_code == 0
    assert done.stdout.splitlines()[:8] == [
        f"--- {file}",
        f"+++ {file}",
        "@@ -1,2 +1,5 @@",
        " timeouts:  # seconds",
        "   garden: 9",
        "+examples:",
        "+  garage:",
        '+    - "the chain of my bicycle squeaks"',
    ]
    assert "→ chores/garage\n" in done.stdout
    assert "Known requests: 24, " in done.stdout
    assert (
        "Nothing was written. To write it, type: minerva route add "
        f"'the chain of my bicycle squeaks' --to garage --config {configs} --yes"
    ) in done.stderr.replace(f"{Path(sys.executable).parent}/", "")
    assert file.read_bytes() == before


def test_what_is_written_is_learned(add: Any, invoke: Any, configs: Path) -> None:
    """The next command asks the worker; the same request again changes nothing."""
    text = "the chain of my bicycle squeaks"
    told = json.loads(add(text, "--to", "chores/garage", "--yes", "--json").stdout)
    written = (configs / "teams" / "chores.yaml").read_text()
    plan = json.loads(invoke("explain", text, "--config", configs, "--json").stdout)
    again = add(text.upper(), "--to", "garage", "--yes")

    assert told["written"] is True
    assert told["target"] == "chores/garage"
    assert told["after"] == {"teams": ["chores"], "workers": ["chores/garage"]}
    assert told["known"] == 24
    assert written == f'timeouts:  # seconds\n  garden: 9\nexamples:\n  garage:\n    - "{text}"\n'
    (call,) = (call for stage in plan["stages"] for call in stage)
    assert [inner["path"] for inner in call["inner"]["stages"][0]] == ["platform/chores/garage"]
    assert "chores/garage has this request already. Nothing was written." in again.stderr
    assert (configs / "teams" / "chores.yaml").read_text() == written


@pytest.mark.slow
def test_a_request_is_declined_by_the_team_that_takes_it(add: Any, configs: Path) -> None:
    """Or by the team that is named, if none takes it."""
    taken = json.loads(
        add("roses are red, violets are blue", "--decline", "--json", "--yes").stdout
    )
    unnamed = add("what is the capital of Peru", "--decline", "--yes")
    named = add("what is the capital of Peru", "--decline", "--team", "chores", "--yes")

    assert taken["before"]["teams"] == ["chores"]
    assert taken["target"] == "chores (declined)"
    assert unnamed.exit_code == 2
    assert "no team is asked for it now. Name the team that should decline it: --team chores" in (
        unnamed.stderr
    )
    assert named.exit_code == 0
    assert (configs / "teams" / "chores.yaml").read_text().splitlines()[-3:] == [
        "declines:",
        '  - "roses are red, violets are blue"',
        '  - "what is the capital of Peru"',
    ]


def test_the_source_of_an_editable_team_is_written(add: Any, configs: Path, package: Path) -> None:
    """A line in its file; a copy that was installed, or a worker without a file, is refused."""
    text, settings = "prune the hydrangea", (configs / "teams" / "chores.yaml").read_text()
    copied = add(text, "--to", "garden", "--source", "--yes")
    link = package.parent / "chores-1.dist-info" / "direct_url.json"
    link.write_text('{"url": "file:///x", "dir_info": {"editable": true}}')
    done = add(text, "--to", "garden", "--source", "--yes")
    unread = add("the horn is silent", "--to", "garage", "--source", "--yes")

    assert "`chores` is not installed from its source (pip install -e)." in copied.stderr
    assert done.exit_code == 0
    file = package / "examples" / "garden.txt"
    assert file.read_text().splitlines() == [*FLOWERS, text]
    assert (unread.exit_code, unread.stdout) == (2, "")
    assert "--source: `chores/garage` reads no " in unread.stderr
    assert (configs / "teams" / "chores.yaml").read_text() == settings


FAULTS: dict[tuple[str, ...], str] = {
    ("a b",): "Type --to WORKER, or --decline if no team serves the request.",
    ("a b", "--decline", "--to", "garden"): "Type --to WORKER, or --decline if",
    ("a b", "--to", "gardn"): "--to gardn: no such worker; did you mean `garden`?",
    ("a b", "--decline", "--team", "x"): "--team x: there are chores.",
    ("Water  the roses", "--to", "garage"): (
        "`chores/garden` has this request as its example. Remove it there first;"
    ),
    ("a b " * 200, "--to", "garage"): "has 799 characters; an example has at most 500.",
    ("a\u202eb", "--to", "garage"): "holds a character that cannot be seen: '\\u202e'.",
    (" ", "--to", "garage"): "The request is empty.",
}
"""What is typed after `route add`, and what is told of it."""


@pytest.mark.parametrize("words", FAULTS)
def test_what_cannot_be_added_is_refused_with_the_way_out(
    add: Any, configs: Path, words: tuple[str, ...]
) -> None:
    """And nothing is written."""
    before = (configs / "teams" / "chores.yaml").read_text()
    done = add(*words, "--yes")

    assert (done.exit_code, done.stdout) == (2, "")
    assert FAULTS[words] in done.stderr
    assert (configs / "teams" / "chores.yaml").read_text() == before


def test_a_teams_own_faulty_file_stops_nobody(add: Any, package: Path) -> None:
    """What it expects is left out of the comparison, and its fault is told."""
    (package / "examples" / "eval.yaml").write_text("- {text: do the roses need water}\n")
    done = add("the chain of my bicycle squeaks", "--to", "garage", "--json")

    assert json.loads(done.stdout)["known"] == 23
    assert "eval.yaml:1: `teams`: Field required." in done.stderr


def test_a_form_that_is_not_edited_is_told_with_the_lines_to_add(add: Any, configs: Path) -> None:
    """The person writes them."""
    file = configs / "teams" / "chores.yaml"
    file.write_text("{timeouts: {garden: 9}}\n")
    done = add("a b", "--to", "garage", "--yes")

    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{file} is written in a form that is not edited. Add these lines" in done.stderr
    assert '  garage:\n    - "a b"\n' in done.stderr
    assert file.read_text() == "{timeouts: {garden: 9}}\n"


def test_a_folder_of_configuration_must_be_there(invoke: Any) -> None:
    """Otherwise no later command would read what is written."""
    done = invoke("route", "add", "a b", "--to", "chores/garage", "--yes")

    assert (done.exit_code, done.stdout) == (2, "")
    assert "There is no folder of configuration here." in done.stderr
