"""`minerva glossary proposals` as people type it."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import copies
import pytest
from typer.testing import CliRunner, Result

from minerva_data import RetrievalAgent
from minerva_data.commands.glossary import app
from minerva_data.core.proposals.proposal_sheet import FILE
from minerva_platform import MinervaError

HAND = (
    "name,abbreviation,english\n양자,QNTM,quantum\n환자,PTX,sick person\n얽힘,ENTGL,entanglement\n"
)

Type = Callable[..., Result]


@pytest.fixture
def type_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Type:
    """Return what types `minerva glossary proposals …` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, ["proposals", *arguments])


@pytest.fixture
def file(minerva_home: Path) -> Path:
    """Give a file that a person wrote."""
    minerva_home.mkdir()
    path = minerva_home / FILE
    path.write_text(HAND, encoding="utf-8")
    return path


def test_review_from_the_list_to_the_answer(type_: Type, file: Path) -> None:
    """A person sees what is wrong, mends or rejects it, accepts, and gets the name with its row."""
    listed = type_()
    refused = type_("accept", "--all")
    edited = type_("edit", "p-3adcfd9c", "--name", "환우회", "--abbreviation", "ptgrp")
    rejected = type_("reject", "p-251f6d26", "--reason", "no such thing", "--by", "lee")
    accepted = type_("accept", "--all", "--by", "kim")
    again = type_("accept", "p-bedfdfb3")
    shown = type_("show", "p-251f6d26")
    everything = json.loads(type_("list", "--all", "--limit", "2", "--json").stdout)
    asked = RetrievalAgent().invoke({"request": "환자양자번호의 표준 약어"})

    assert "p-bedfdfb3  양자 = QNTM  quantum  (by hand)" in listed.stdout
    assert "    cannot be accepted: `환자` is a word already (PT)" in listed.stdout
    assert listed.stdout.endswith(f"3 proposed, 0 accepted, 0 rejected in {file}\n")
    assert isinstance(refused.exception, MinervaError)
    assert "Nothing was accepted. p-3adcfd9c: `환자` is a word" in str(refused.exception)
    assert edited.stderr == "changed: 환우회 = PTGRP (sick person), p-251f6d26\n"
    assert rejected.stderr == "rejected: 환우회 = PTGRP\n"
    assert "accepted: 양자 = QNTM, in organisation 1\n" in accepted.stderr
    assert "there already: 양자 = QNTM, in organisation 1\n" in again.stderr
    assert "proposal: p-251f6d26, rejected, word\nname: 환우회\n" in shown.stdout
    assert "reason: no such thing\n" in shown.stdout
    assert everything["counts"] == {"accepted": 2, "rejected": 1}
    assert [everything[name] for name in ("total", "shown", "truncated")] == [3, 2, True]
    assert everything["proposals"][0]["decided_by"] == "kim"
    assert "| 환자양자번호 | 환자양자번호 | PT_QNTM_NO |" in asked["summary"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("accept",), "Say which: `minerva glossary proposals accept ID…`, or `--all`"),
        (("accept", "p-bedfdfb3", "--all"), "Say which"),
        (("accept", "p-0"), "There is no proposal `p-0`. Open ones: p-bedfdfb3, p-3adcfd9c"),
        (("show", "p-0"), "There is no proposal `p-0`."),
        (("edit", "p-bedfdfb3"), "Say what to change, such as: --abbreviation QNTM"),
        (("edit", "p-bedfdfb3", "--name", ""), "would be broken: row 2: it has no name"),
        (("edit", "p-bedfdfb3", "--name", "얽힘"), "`얽힘` stands in row 2 already"),
        (("accept", "p-bedfdfb3", "--into", "minerva-seed"), "cannot be a glossary's name"),
        (("accept", "p-bedfdfb3", "--into", "a b/c"), "cannot be a glossary's name"),
    ],
)
def test_a_wrong_command_changes_nothing(
    type_: Type, file: Path, arguments: tuple[str, ...], said: str
) -> None:
    """It says what to type; the file stays as it was."""
    done = type_(*arguments)

    assert isinstance(done.exception, MinervaError)
    assert said in str(done.exception)
    assert file.read_text(encoding="utf-8") == HAND


def test_a_broken_file_is_told_by_its_row(file: Path) -> None:
    """No traceback; it is mended where it was broken, in the editor."""
    file.write_text(f"{HAND},ABC,thing\n", encoding="utf-8")

    minerva = Path(sys.executable).with_name("minerva")
    command = [str(minerva), "glossary", "proposals"]
    done = copies.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert f"minerva: {file}, row 5: it has no name." in done.stderr


def test_a_glossary_that_does_not_answer_is_told(type_: Type, file: Path, tmp_path: Path) -> None:
    """Where the configuration names who answers, a new glossary has to be named there."""
    teams = tmp_path / "configs" / "teams"
    teams.mkdir(parents=True)
    (teams.parent / "platform.yaml").write_text("{}\n", encoding="utf-8")
    (teams / "data.yaml").write_text("glossaries: [minerva-seed]\n", encoding="utf-8")

    done = type_("accept", "p-bedfdfb3")

    assert (done.exit_code, file.exists()) == (0, True)
    assert "does not name organisation: add it there, else it does not answer." in done.stderr


def test_nothing_to_review_is_no_error(type_: Type, minerva_home: Path) -> None:
    """A list of none says where the file would be; nothing is made by looking."""
    done = type_("list")

    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"0 proposed, 0 accepted, 0 rejected in {minerva_home / FILE}\n"
    assert not minerva_home.exists()
