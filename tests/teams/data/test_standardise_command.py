"""`minerva standardise` as people type it, and what it leaves in the folder."""

import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import copies
import openpyxl
import pytest
import yaml
from forms import forms

from minerva_data import StandardiseError, standardise
from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.store.store import GlossaryStore

MINERVA = Path(sys.executable).with_name("minerva")
MESSY = Path(__file__).with_name("messy.sql")
LABELS = Path(__file__).with_name("messy.csv")
FILES = {
    *("audit.csv", "contract.odcs.yaml", "mapping.csv", "mapping.xlsx", "migration.sql"),
    *("report.md", "rollback.sql", "schema.yml", "standardise.json", "unread.csv"),
}

Type = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def type_(type_in: Callable[..., Any]) -> Type:
    """Return what types `minerva standardise …` in an empty folder."""
    return partial(type_in, "standardise")


def mapping(folder: Path) -> list[dict[str, str]]:
    """Return the rows of a mapping."""
    with (folder / "mapping.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def numbers(line: str) -> list[int]:
    """Return the numbers of a line that counts."""
    return [int(found.replace(",", "")) for found in re.findall(r"\b\d[\d,]*\b", line)]


def test_typed_names_have_a_table_and_counts_that_add_up(type_: Type) -> None:
    """Words, English, a term and an unknown name: each once, with its source."""
    done = type_("환자 입원 일자", "patient birth date", "환자식별자", "환자양자상태")

    assert done.returncode == 0, done.stderr
    cells = {line.split("  ")[0]: line for line in done.stdout.splitlines()}
    assert "PT_HSPTLZ_YMD" in cells["환자 입원 일자"]
    assert "minerva-seed words.csv W001" in cells["환자 입원 일자"]
    assert re.search(r"PT_BRDT +연월일C8 +CHAR\(8\)", cells["patient birth date"])
    assert re.search(r"PT_ID +번호V20 +VARCHAR\(20\) +term_exact +0\.50", cells["환자식별자"])
    assert "4 in all = 2 found + 1 composed + 1 unresolved" in done.stdout
    assert "환자양자상태: words the glossary does not have (양자, 상태)" in done.stdout
    for line in done.stdout.splitlines():
        if " = " in line and "candidates:" not in line:
            total, *parts = numbers(line)
            assert total == sum(parts)


def test_standard_input_gives_a_name_a_line(type_: Type) -> None:
    """Empty lines are none; JSON is one object with every row and its citations."""
    done = type_("-", "--json", said="환자명\n\n환자 이름의 표준 약어를 알려줘\n!!\n")

    said = json.loads(done.stdout)
    assert [row["physical_name"] for row in said["rows"]] == ["PT_NM", "PT_NM"]
    assert said["rows"][0]["citations"][0]["source"] == "minerva-seed"
    assert said["counts"]["total"] == said["counts"]["by_status"]["found"] == 2
    assert [problem["line"] for problem in said["problems"]] == [4]


def test_a_messy_schema_is_accounted_for(type_: Type, tmp_path: Path) -> None:
    """300 columns, each once; no name but the label's; what is open is listed."""
    done = type_(MESSY, "--out", "out", "--limit", "300")

    rows = mapping(tmp_path / "out")
    with LABELS.open(encoding="utf-8", newline="") as file:
        labels = {(row["table"], row["column"]): row["standard"] for row in csv.DictReader(file)}
    named = {(row["table"], row["column"]): row["physical_name"] for row in rows}
    counts = Counter(row["status"] for row in rows)
    assert (done.returncode, len(rows)) == (0, 300)
    assert named == labels
    assert "300 in all = 172 to rename + 33 standard already + 95 unresolved" in done.stdout
    assert counts == {"renamed": 172, "standard": 33, "unresolved": 95}
    listed = done.stdout[done.stdout.index("unresolved, nothing is guessed (95)") :]
    assert sum(line.startswith("  TB_") or "LEGACY" in line for line in listed.splitlines()) >= 95
    assert "column FILE_NM of TB_FILE is defined twice; the first is used" in done.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == FILES


def test_the_files_can_be_read_by_others(type_: Type, tmp_path: Path) -> None:
    """Each as its format wants it, all 300 columns in it, in the dialect that was asked for."""
    type_(MESSY, "--out", "out", "--dialect", "tibero", "--style", "lower_snake")
    out = tmp_path / "out"

    contract = yaml.safe_load((out / "contract.odcs.yaml").read_text(encoding="utf-8"))
    models = yaml.safe_load((out / "schema.yml").read_text(encoding="utf-8"))["models"]
    sheet = openpyxl.load_workbook(out / "mapping.xlsx")["mapping"]
    migration = (out / "migration.sql").read_text(encoding="utf-8")
    assert sum(len(table["properties"]) for table in contract["schema"]) == 300
    assert sum(len(model["columns"]) for model in models) == 300
    assert sum(1 for _ in sheet.iter_rows()) == 301
    assert "ALTER TABLE TB_PATIENT RENAME COLUMN PT_NAME TO pt_nm;" in migration
    assert migration.startswith("-- Not applied.")
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "| D2 | high | TB_CLAIM.REV_AMT | VARCHAR2(15) | NUMERIC(15) (금액N15) |" in report
    assert "**Unresolved: 95**" in report


def test_rows_stand_in_the_order_that_was_asked_for(type_: Type, tmp_path: Path) -> None:
    """Three pairs stood in the wrong order (P1), none does afterwards."""
    ddl = (
        "CREATE TABLE T (USE_AT CHAR(1), DGNS_CD VARCHAR(10), PT_ID VARCHAR(20));"
        "COMMENT ON COLUMN T.USE_AT IS '사용여부';"
    )
    (tmp_path / "t.sql").write_text(ddl, encoding="utf-8")

    done = type_("t.sql", "--priority", "환자정보,진료정보,공통", "--json")

    said = json.loads(done.stdout)
    assert [row["physical_name"] for row in said["rows"]] == ["PT_ID", "DGNS_CD", "USE_YN"]
    assert said["counts"]["inversions_given"] == 3
    assert said["counts"]["by_rule"] == {"N1": 1, "P1": 1}


def test_glossaries_answer_in_the_order_given(
    type_: Type, tmp_path: Path, minerva_home: Path
) -> None:
    """The first decides, the others fill; one that is not there is told."""
    for name, physical in (("ours", "OUR_NM"), ("theirs", "THEIR_NM")):
        (tmp_path / "t.csv").write_text(f"용어명,영문약어명\n병동명,{physical}\n", encoding="utf-8")
        with GlossaryStore(minerva_home / "glossary.db") as store:
            import_file(store, tmp_path / "t.csv", Wanted(name))

    first = type_("병동명", "--glossary", "theirs", "--glossary", "ours", "--json")
    wrong = type_("병동명", "--glossary", "nobody's")

    said = json.loads(first.stdout)
    assert said["glossaries"] == ["theirs@1", "ours@1"]
    assert said["rows"][0]["physical_name"] == "THEIR_NM"
    assert wrong.returncode == 2
    assert "no glossary `nobody's`. There are: ours@1, theirs@1" in wrong.stderr


def test_a_folder_of_others_is_left_alone(tmp_path: Path) -> None:
    """Ours is renewed; what somebody changed or brought is only replaced when told to."""
    out = tmp_path / "out"

    def write(name: str, *, is_overwriting: bool = False) -> None:
        standardise(name, out=out, is_overwriting=is_overwriting).close()

    write("환자명")
    write("환자번호")
    renewed = [row["column"] for row in mapping(out)]
    (out / "report.md").write_text("my notes", encoding="utf-8")
    with pytest.raises(StandardiseError, match=r"report\.md in it was changed since"):
        write("환자명")
    write("환자명", is_overwriting=True)
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(StandardiseError, match=r"mine\.txt in it is not of a standardisation"):
        write("환자번호")
    write("환자 이름", is_overwriting=True)

    assert renewed == ["환자번호"]
    assert (out / "mine.txt").read_text(encoding="utf-8") == "mine"
    assert (out / "report.md").read_text(encoding="utf-8").startswith("# Standardisation")
    assert [row["column"] for row in mapping(out)] == ["환자 이름"]


@pytest.mark.parametrize("columns", forms([60_000], [20_000]))
def test_ctrl_c_leaves_the_folder_as_it_was(tmp_path: Path, columns: int) -> None:
    """On a terminal it says how far it is; interrupted, nothing of it stays."""
    rows = "".join(f"T{n // 20},C{n},{'환자' * (n % 3)} 양자 {n}\n" for n in range(columns))
    (tmp_path / "columns.csv").write_text(f"테이블명,컬럼명,컬럼한글명\n{rows}", encoding="utf-8")
    before = sorted(path.name for path in tmp_path.iterdir())
    ours, theirs = pty.openpty()
    running = copies.Popen(
        [MINERVA, "standardise", "columns.csv", "--out", "out"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    while b"left" not in shown:
        shown += os.read(ours, 4096)
    running.send_signal(signal.SIGINT)

    assert running.wait() == 130
    os.close(ours)
    told = rf"[\d,]+ of {columns:,} standardised .* [\d,]+/s .* \d+:\d\d left"
    assert re.search(told.encode(), shown)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_the_same_from_a_program(tmp_path: Path) -> None:
    """One call gives rows, findings and counts, and the files where they are wanted."""
    with standardise(MESSY, "환자 이름", out=tmp_path / "out") as done:
        unresolved = list(done.rows(has_name=False))
        assert done.tally.total == len(list(done.rows())) == 301
        assert done.tally.named + len(unresolved) == 301
        assert all(row.unresolved_parts for row in unresolved)
        assert done.tally.findings == len(list(done.findings()))
        assert done.sources == {"messy.sql": "schema", "typed": "text"}

    assert {path.name for path in done.files} == FILES
    assert not list(tmp_path.glob(".*"))
    head = io.StringIO((tmp_path / "out" / "audit.csv").read_text(encoding="utf-8-sig"))
    assert next(csv.reader(head))[:2] == ["rule", "severity"]


def test_a_narrow_terminal_cuts_no_name() -> None:
    """Cells are folded; a physical name stands whole."""
    ours, theirs = pty.openpty()
    running = copies.Popen(
        [MINERVA, "standardise", "환자 입원 일자"],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "80", "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    while b"audit of" not in shown:
        shown += os.read(ours, 4096)
    running.wait()
    os.close(ours)

    table = shown.decode().split("read:")[0]
    assert "PT_HSPTLZ_YMD" in table
    assert "…" not in table
