"""`minerva glossary` as people type it, and workers that answer from what it imported."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from minerva_data import DataTeam, RetrievalAgent
from minerva_data.core.store.store import GlossaryStore
from minerva_platform import AgentError
from minerva_platform.assembly.assemble import Defaults, assemble

MINERVA = Path(sys.executable).with_name("minerva")
WARD = "용어명,영문약어명,도메인명,설명\n병동명,WRD_NM,명V50,=cmd|' /C calc'!A0\n-감액,MNS_AMT,,\n"

Type = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def type_(type_in: Callable[..., Any]) -> Type:
    """Return what types `minerva glossary …` in an empty folder."""
    return partial(type_in, "glossary")


@pytest.fixture
def ward(tmp_path: Path) -> Path:
    """Give a glossary of two terms, one of which a spreadsheet would run."""
    path = tmp_path / "ward_2025-11.csv"
    path.write_text(WARD, encoding="utf-8")
    return path


def test_import_list_search_remove(type_: Type, ward: Path, minerva_home: Path) -> None:
    """Each says what it did, in words or as JSON, and where what it shows stands."""
    imported = type_("import", ward, "--kind", "public")
    again = type_("import", ward, "--kind", "public", "--json")
    listed, found = type_("list"), type_("search", "병동명", "--json")
    removed, gone = type_("remove", "ward"), type_("remove", "ward")

    assert imported.returncode == 0, imported.stderr
    assert "ward 2025-11 ← ward_2025-11.csv, CSV, utf-8 (" in imported.stdout
    assert "2 rows read: 2 kept (2 added, 0 updated, 0 unchanged)" in imported.stdout
    said = json.loads(again.stdout)
    assert (said["added"], said["unchanged"], said["rejections"]["total"]) == (0, 2, 0)
    assert "ward  public  2025-11  1 domains, 2 terms; 1 learned" in listed.stdout
    assert listed.stdout.endswith("answering: ward 2025-11 > minerva-seed\n")
    hit = json.loads(found.stdout)["hits"][0]
    assert (hit["name"], hit["physical_name"], hit["row"]) == ("병동명", "WRD_NM", 2)
    assert (hit["file"], hit["edition"]) == ("ward_2025-11.csv", "2025-11")
    assert "removed: ward 2025-11, 3 entries" in removed.stderr
    assert gone.returncode == 2
    assert "There is no glossary `ward`. There are: minerva-seed." in gone.stderr
    assert (minerva_home / "glossary.db").stat().st_mode & 0o777 == 0o600


def test_a_wrong_file_ends_with_2_and_a_sentence(type_: Type, tmp_path: Path) -> None:
    """No traceback, nothing imported, and what to type next."""
    (tmp_path / "t.csv").write_text("이름,값\n가,나\n", encoding="utf-8")

    done, missing = type_("import", "t.csv"), type_("import", "nowhere.csv")

    assert (done.returncode, missing.returncode) == (2, 2)
    assert done.stderr.startswith("minerva: t.csv: no row at its top")
    assert "nowhere.csv cannot be read" in missing.stderr
    assert "Traceback" not in done.stderr + missing.stderr


@pytest.mark.parametrize("format_", ["csv", "xlsx"])
def test_an_export_runs_nothing_and_comes_back(
    type_: Type, ward: Path, tmp_path: Path, minerva_home: Path, format_: str
) -> None:
    """A cell that a spreadsheet would run is marked; the import takes the mark off again."""
    type_("import", ward, "--as", "ward")
    out = tmp_path / ("out" if format_ == "csv" else "out.xlsx")

    written = type_("export", "ward", "--format", format_, "--out", out)
    file = out / "terms.csv" if format_ == "csv" else out
    type_("import", file, "--as", "copy", "--edition", "2025-11")

    assert f"written: {file}" in written.stderr
    if format_ == "csv":
        with file.open(encoding="utf-8-sig", newline="") as lines:
            cells = [cell for row in csv.reader(lines) for cell in row]
    else:
        sheet = openpyxl.load_workbook(file).worksheets[0]
        cells = [str(cell.value or "") for row in sheet.iter_rows() for cell in row]
        assert all(cell.data_type != "f" for row in sheet.iter_rows() for cell in row)
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    with GlossaryStore(minerva_home / "glossary.db") as store:
        one, other = (
            [(t.name, t.physical_name, t.domain, t.description) for t in glossary.terms.values()]
            for glossary in (store.glossary(["ward"]), store.glossary(["copy"]))
        )
    assert one == other


def test_workers_answer_from_an_import_at_once(type_: Type, ward: Path) -> None:
    """A running server needs no restart; what is removed is forgotten again."""
    agent, team = RetrievalAgent(), DataTeam()
    question = {"request": "병동명의 표준 약어를 알려줘"}

    before = agent.invoke(question)["recommendation"]["items"][0]["best"]
    type_("import", ward)
    after = agent.invoke(question)
    run = team.invoke(question)
    type_("remove", "ward")
    gone = agent.invoke(question)["recommendation"]["items"][0]["best"]

    best = after["recommendation"]["items"][0]["best"]
    assert best["physical_name"] == "WRD_NM"
    assert (after["citations"][0]["source"], after["citations"][0]["edition"]) == (
        "ward",
        "2025-11",
    )
    assert "WRD_NM" in run["answer"]
    assert before == gone
    assert before is None or before["physical_name"] != "WRD_NM"


def test_the_configuration_chooses_and_orders(type_: Type, ward: Path) -> None:
    """`glossaries:` names who answers; one that is not there is told with those that are."""
    type_("import", ward)
    only_ours, wrong = (
        assemble(DataTeam(), Defaults(DataTeam.Settings.model_validate({"glossaries": [name]})))
        for name in ("minerva-seed", "nobody")
    )
    worker = wrong.by_name["retrieval_agent"]

    answer = only_ours.by_name["retrieval_agent"].invoke({"items": ["병동명"]})

    assert all(source["source"] == "minerva-seed" for source in answer["citations"])
    with pytest.raises(AgentError, match=r"no glossary `nobody`\. There are: ward@2025-11"):
        worker.invoke({"items": ["병동명"]})


def test_a_broken_store_stops_the_team_with_a_sentence(minerva_home: Path) -> None:
    """An answer from the bundled glossary alone would look right and be another one."""
    minerva_home.mkdir()
    (minerva_home / "glossary.db").write_bytes(b"broken" * 1000)

    with pytest.raises(AgentError, match=r"glossary\.db cannot be used"):
        RetrievalAgent().invoke({"items": ["환자명"]})


def test_help_says_what_can_be_typed(type_: Type) -> None:
    """The command is found by its entry point, in this environment as it is installed."""
    done = type_("--help")

    assert done.returncode == 0
    assert all(name in done.stdout for name in ("import", "list", "search", "export", "remove"))
