"""`teams:` in platform.yaml names files beside it: `./office.py:Office`."""

import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import copies
import pytest

from minerva_platform import Platform
from minerva_platform.assembly.file_team import PACKAGE
from minerva_platform.assembly.platform_tree import build_platform
from minerva_platform.assembly.registry import UnusableTeamError
from minerva_platform.config.settings import Settings
from minerva_platform.contract.assembled_team import AssembledTeam
from minerva_platform.errors import SettingsError
from minerva_platform.runtime.isolation.conditions import isolation_obstacles
from minerva_platform.server.roots import Roots

MINERVA = Path(sys.executable).with_name("minerva")
OFFICE = '''
"""An office."""

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team, agent


@agent(examples=["how many words are there", "count the words of this"])
def word_count(request: str) -> str:
    """Counts the words of a request."""
    return f"{len(request.split())} words"


class Apart(BaseAgent[AgentInput, AgentOutput]):
    """Works in a process of its own."""

    name = "apart"
    description = "Works apart."
    examples = ("work apart",)
    isolation = "process"

    def work(self, given):
        return AgentOutput(summary="apart")


class Office(Team):
    """Counts."""

    name = "office"
    description = "Office chores."
    members = (word_count, Apart)


class Needy(Office):
    """Cannot be made without a word."""

    def __init__(self, word):
        super().__init__()


clerks = Team(name="clerks", description="Clerks.", members=[word_count])
NUMBER = 3
'''
ASKING = '''
"""A worker whose state has classes of this file."""

from dataclasses import dataclass
from typing import TypedDict

from langgraph.graph import StateGraph
from pydantic import BaseModel

from minerva_platform import AgentInput, AgentOutput, BaseAgent, Team, ask_person


@dataclass
class Table:
    seats: int


class Guest(BaseModel):
    name: str


class State(TypedDict, total=False):
    request: str
    tables: dict[str, Table]
    guests: list[Guest]
    summary: str


class Host(BaseAgent[AgentInput, AgentOutput]):
    name = "host"
    description = "Seats guests."
    examples = ("seat the guests",)

    def build_graph(self):
        builder = StateGraph(State)
        builder.add_sequence([self.look, self.seat])
        builder.set_entry_point("look")
        return builder

    def look(self, state: State) -> State:
        return {"tables": {"round": Table(4)}, "guests": [Guest(name="Kim")]}

    def seat(self, state: State) -> State:
        more = ask_person("How many seats more?", answer=int)
        (guest,) = state["guests"]
        return {"summary": f"{guest.name}: {state['tables']['round'].seats + more} seats"}


class Restaurant(Team):
    name = "restaurant"
    description = "Seats guests at tables."
    members = (Host,)
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a configuration, with a file of teams in it, in a process without another."""
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        monkeypatch.delitem(sys.modules, name)
    made = tmp_path / "conf"
    made.mkdir()
    (made / "office.py").write_text(OFFICE, encoding="utf-8")
    return made


def configured(folder: Path, *entries: str) -> Settings:
    """Return the settings of a platform.yaml that names these teams."""
    lines = "".join(f"- {entry}\n" for entry in entries)
    (folder / "platform.yaml").write_text(f"teams:\n{lines}", encoding="utf-8")
    return Settings(folder)


def names(team: AssembledTeam) -> list[str]:
    """Return the names of the members."""
    return [member.name for member in team.agents]


def test_a_class_or_a_team_of_a_file_is_a_team_beside_installed_ones(folder: Path) -> None:
    """The teams come in the order of platform.yaml."""
    settings = configured(folder, "./office.py:Office", "data", "./office.py:clerks")
    built = build_platform(settings)

    assert names(built) == ["office", "data", "clerks"]
    assert [str(team.origin) for team in built.inner_teams] == [
        "./office.py:Office",
        "minerva-team-data 0.1.0",
        "./office.py:clerks",
    ]
    assert built.left_out == ()


WRONG = {
    "./office.py:Nobody": (
        "FOLDER/platform.yaml:3: office.py has no team `Nobody`; the file has `Office`, `Needy`, "
        "`clerks`."
    ),
    "./office.py:Ofice": "Did you mean `./office.py:Office`?",
    "./ofice.py:Office": (
        "FOLDER/platform.yaml:3: `./ofice.py:Office` names FOLDER/ofice.py, and there is no such "
        "file. Did you mean `./office.py:Office`?"
    ),
    "../office.py:Office": (
        "FOLDER/platform.yaml:3: `teams.1`: `../office.py:Office` lies outside the "
        "folder of platform.yaml; move the file into it."
    ),
    "./in/../../office.py:Office": "lies outside the folder of platform.yaml",
    "/office.py:Office": "lies outside the folder of platform.yaml",
    "./link.py:Office": (
        "FOLDER/platform.yaml:3: `./link.py:Office` leads out of FOLDER, by a link; put the file "
        "itself there."
    ),
    "office.py:Office": (
        "FOLDER/platform.yaml:3: `teams.1`: `office.py:Office` is neither the name "
        "of an installed team nor a file beside platform.yaml; write a file as `./FILE.py:CLASS`."
    ),
    "./office.py": "write a file as `./FILE.py:CLASS`",
    "./office.py:Office.inner": "write a file as `./FILE.py:CLASS`",
    "office:Office": "write a file as `./FILE.py:CLASS`",
}
"""Entries of `teams:` that name nothing, and what is said of them."""


@pytest.mark.small(6)
@pytest.mark.slow
@pytest.mark.parametrize("entry", WRONG)
def test_an_entry_that_names_nothing_is_a_sentence(
    folder: Path, type_in: Callable[..., Any], entry: str
) -> None:
    """It names platform.yaml with the line, the file and the team, and what there is instead."""
    elsewhere = folder.parent / "elsewhere.py"
    elsewhere.write_text(OFFICE, encoding="utf-8")
    (folder / "link.py").symlink_to(elsewhere)
    settings = configured(folder, "data", f'"{entry}"')
    told = WRONG[entry].replace("FOLDER", str(folder))

    with pytest.raises(SettingsError) as raised:
        build_platform(settings)
    assert told in str(raised.value)
    checked = type_in("check", "--config", folder)
    assert (checked.returncode, told in checked.stderr) == (2, True)


BROKEN = {
    "./office.py:NUMBER": (
        "`office` (./office.py:NUMBER, office.py:41): `NUMBER` is not a Team; the file has "
        "`Office`, `Needy`, `clerks`."
    ),
    "./office.py:word_count": "`word_count` is not a Team; ",
    "./office.py:Needy": (
        "`office` (./office.py:Needy, office.py:33): `Needy()` cannot be made: TypeError: "
    ),
    "./syntax.py:T": "`syntax` (./syntax.py:T, syntax.py:2): cannot be imported: invalid syntax.",
    "./raises.py:T": (
        "`raises` (./raises.py:T, raises.py:2): cannot be imported: KeyError: 'total'."
    ),
    "./leaves.py:T": "`leaves` (./leaves.py:T, leaves.py:2): cannot be imported: SystemExit: 3.",
    "./binary.py:T": "`binary` (./binary.py:T, binary.py",
    "./silent.py:T": (
        "`quiet` (./silent.py:T, silent.py:2): `platform/quiet` has no description; say what it "
        "does and when to choose it."
    ),
}
"""Entries whose team cannot be used, and why."""


@pytest.mark.small(4)
@pytest.mark.slow
@pytest.mark.parametrize("entry", BROKEN)
def test_a_broken_file_leaves_its_team_out(
    folder: Path, type_in: Callable[..., Any], entry: str
) -> None:
    """The others work, and the entry names the file, its line and the cause."""
    sources = {
        "syntax": "\nclass A(:\n",
        "raises": "\nTOTAL = {}['total']\n",
        "leaves": "\nraise SystemExit(3)\n",
        "binary": "\nT = '\0'\n",
        "silent": "from minerva_platform import Team\nclass T(Team):\n    name = 'quiet'\n",
    }
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    built = build_platform(configured(folder, "data", entry))

    assert names(built) == ["data"]
    assert BROKEN[entry] in built.left_out[0].text
    assert BROKEN[entry].partition("): ")[2] in type_in("check", "--config", folder).stderr


def test_a_file_that_was_broken_is_loaded_again_once_it_is_mended(folder: Path) -> None:
    """A failed import leaves no half of a module behind."""
    settings = configured(folder, "data", "./late.py:Late")
    late = folder / "late.py"
    late.write_text("from minerva_platform import Team\nclass Late(Team: pass\n")
    assert names(build_platform(settings)) == ["data"]

    late.write_text(OFFICE.replace("class Office(", "class Late(").replace("(Office)", "(Late)"))
    assert names(build_platform(settings)) == ["data", "office"]


def test_files_of_one_name_in_two_folders_are_two_modules(folder: Path, tmp_path: Path) -> None:
    """A process may hold two configurations."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "office.py").write_text(OFFICE.replace('"office"', '"bureau"'), encoding="utf-8")
    first = build_platform(configured(folder, "./office.py:Office"))
    second = build_platform(configured(other, "./office.py:Office"))

    assert (names(first), names(second)) == (["office"], ["bureau"])
    assert first.members[0].__module__ != second.members[0].__module__


def test_a_file_imports_its_neighbours(folder: Path, type_in: Callable[..., Any]) -> None:
    """An isolated worker's process finds them, too, and a fault in one is told by its line."""
    (folder / "words.py").write_text('COUNTED = "words"\n', encoding="utf-8")
    source = OFFICE.replace('summary="apart"', "summary=COUNTED")
    (folder / "in").mkdir()
    for file, level in ((folder / "near.py", "."), (folder / "in" / "far.py", "..")):
        file.write_text(f"from {level}words import COUNTED\n{source}", encoding="utf-8")
    configured(folder, "./near.py:Office", "./in/far.py:clerks")
    (folder / "bad.py").write_text("from .wrods import COUNTED\n", encoding="utf-8")

    asked = type_in("ask", "--config", folder, "--team", "office", "work apart")
    assert (asked.returncode, asked.stdout) == (0, "words\n"), asked.stderr
    (entry,) = build_platform(configured(folder, "data", "./bad.py:Bad")).left_out
    assert (entry.where, "did you mean `words`?" in entry.cause) == ("bad.py:1", True)


def test_a_class_of_a_file_is_found_by_its_module(folder: Path) -> None:
    """So pickle, checkpoints and the processes of isolated workers find it."""
    (assembled,) = build_platform(configured(folder, "./office.py:Office")).inner_teams
    office = assembled.declaration

    assert pickle.loads(pickle.dumps(type(office))) is type(office)  # noqa: S301  # our own
    assert list(isolation_obstacles(assembled.by_name["apart"])) == []


def test_a_team_of_a_file_is_asked_alone_by_its_own_name(
    folder: Path, type_in: Callable[..., Any]
) -> None:
    """A server and a worker process find the root of a run by this name, too."""
    settings = configured(folder, "./broken.py:B", "./office.py:Office", "data")
    (folder / "broken.py").write_text("class B(:\n", encoding="utf-8")
    asked = type_in("ask", "--config", folder, "--team", "office", "count the words of this")
    app = Platform(settings=settings)

    assert (asked.returncode, asked.stdout) == (0, "5 words\n")
    assert Roots(app).team_of("office").name == "office"
    assert Roots(app).team_of("data").name == "data"
    with pytest.raises(UnusableTeamError, match=r"`broken` \(./broken.py:B, broken.py:1\)"):
        Platform(settings=settings, only_team="broken")
    with pytest.raises(SettingsError, match=r"did you mean `office`\? There are: .*\bdata, "):
        Platform(settings=settings, only_team="ofice")


def test_settings_of_a_team_of_a_file_are_read_by_its_name(folder: Path) -> None:
    """`teams/<name>.yaml` serves every team."""
    (folder / "teams").mkdir()
    (folder / "teams" / "office.yaml").write_text("timeouts: {word_count: 7}\n")
    (office,) = build_platform(configured(folder, "./office.py:Office")).inner_teams

    assert office.by_name["word_count"].timeout == 7


def test_another_process_in_another_folder_goes_on_with_a_run(
    folder: Path, minerva_home: Path
) -> None:
    """The classes of a worker's state come back as they were, from a moved configuration too."""
    (folder / "restaurant.py").write_text(ASKING, encoding="utf-8")
    app = Platform(settings=configured(folder, "./restaurant.py:Restaurant"), home=minerva_home)
    run = app.ask("seat the guests", thread="evening")
    (question,) = run.interrupts
    assert question.path == "platform/restaurant/host"

    moved = folder.rename(folder.parent / "moved")
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    done = copies.run(
        [MINERVA, "respond", run.run_id, "-m", "2", "--config", moved],
        cwd=elsewhere,
        env=os.environ | {"MINERVA_HOME": str(minerva_home)},
        capture_output=True,
        check=False,
        text=True,
    )

    assert (done.returncode, done.stdout) == (0, "Kim: 6 seats\n"), done.stderr
