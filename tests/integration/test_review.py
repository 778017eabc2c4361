"""`minerva review` of the bundled hospital: ten contents, the same however it is asked."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from forms import forms
from reviews import FILES, HOSPITAL, SENTENCES, findings, kill_when, last_run, minerva, typed


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Any]:
    """The home and the folder of one review, and how its command ended."""
    home, out = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("out")
    done = typed(home, "review", HOSPITAL, "--out", out, "--language", "en")
    return home, out, done


@pytest.fixture(scope="module")
def found(reviewed: tuple[Path, Path, Any]) -> dict[str, Any]:
    """The findings of that review."""
    return findings(reviewed[1])


def facts(found: dict[str, Any]) -> dict[str, Any]:
    """Return what does not depend on the reader's language."""
    keys = ("rule_id", "target", "status", "severity", "count", "total", "measures", "fingerprint")
    columns = ("table", "column", "entity", "suspected", "by", "hits", "sampled")
    return {
        "findings": [[each[key] for key in keys] for each in found["findings"]],
        "inventory": [[each[key] for key in columns] for each in found["inventory"]],
        "columns": found["columns"]["items"],
        "breaking": found["code"]["breaking"],
        "docstrings": found["docstrings"],
    }


@pytest.mark.slow
def test_a_question_waits_and_everything_else_is_there(reviewed: tuple[Path, Path, Any]) -> None:
    """The files come before the decision; the migration does not."""
    home, out, done = reviewed

    assert done.returncode == 4, done.stderr
    assert {path.name for path in out.iterdir()} >= FILES
    assert not [*home.rglob("migration.sql"), *out.rglob("migration.sql")]
    assert "migration_agent asks" in done.stderr
    assert done.stdout.startswith("7 of 66 privacy checks ")


def test_every_column_stands_once_and_the_counts_add_up(found: dict[str, Any]) -> None:
    """1: standardised, standard already or unresolved."""
    columns = found["columns"]
    names = [(each["table"], each["column"]) for each in columns["items"]]

    assert len(set(names)) == len(names) == columns["total"] == 45
    assert columns["renamed"] + columns["standard"] + columns["unresolved"] == 45


def test_every_rename_has_a_source_a_domain_and_a_type(found: dict[str, Any]) -> None:
    """2: the row of the glossary that it rests on."""
    renamed = [each for each in found["columns"]["items"] if each["status"] == "renamed"]

    assert renamed
    assert all(each["citation"] and each["domain"] and each["data_type"] for each in renamed)


def test_the_lines_that_break_are_named_and_what_was_not_parsed(found: dict[str, Any]) -> None:
    """3: relative to the input."""
    places = {(use["column"], use["path"], use["line"]) for use in found["code"]["breaking"]}

    assert ("JUMIN_NO", "app/patient_service.py", 22) in places
    assert [Path(path).name for path in found["code"]["unparsed"]] == ["legacy_batch.py"]


def test_a_column_says_all_that_is_wrong_and_all_that_is_open(found: dict[str, Any]) -> None:
    """Columns that identify together share their table's answer; one fail hides no open rule."""
    by_name = {f"{each['table']}.{each['column']}": each for each in found["inventory"]}

    assert by_name["export.csv.AGE"]["standing_rules"] == ["KANON-01"]
    assert by_name["TB_PATIENT.JUMIN_NO"]["standing_rules"] == ["PII-ENC-01", "PII-LOG-01"]
    assert by_name["TB_PATIENT.EMAIL"]["standing_rules"] == ["NOTICE-01"]
    assert by_name["TB_PATIENT.EMAIL"]["standing_open"] == ["PII-LOG-01"]


def test_the_inventory_is_masked_and_proved_by_the_export(found: dict[str, Any]) -> None:
    """4: health is known; a schema column whose values the export shows is certain."""
    kinds = {each["column"]: each for each in found["inventory"] if each["declared"]}

    assert {kinds[name]["entity"] for name in ("DIAG_NM", "DGNS_CD")} == {"DIAGNOSIS"}
    assert not kinds["JUMIN_NO"]["suspected"]
    assert kinds["JUMIN_NO"]["proved_by"] == "export.csv.JUMIN_NO"
    shown = [hit["shown"] for each in found["inventory"] for hit in each["evidence"]]
    assert shown
    assert all("*" in text for text in shown)


def test_each_rule_has_its_results(found: dict[str, Any]) -> None:
    """5: the four answers of a rule add up to its total."""
    for rule in found["rules"]:
        parts = (rule["fail"], rule["waived"], rule["not_evaluated"], rule["pass"])
        assert sum(parts) == rule["total"] > 0


def test_the_e_mail_is_missing_from_the_notice(found: dict[str, Any]) -> None:
    """6: with the clause that lists the others."""
    missing = {
        each["target"]: each["evidence"]
        for each in found["findings"]
        if each["rule_id"] == "NOTICE-01" and each["status"] == "fail"
    }

    assert missing.keys() == {"export.csv.EMAIL", "TB_PATIENT.EMAIL"}
    assert all("제2조" in evidence for evidence in missing.values())


def test_k_and_the_smallest_class_are_counted(found: dict[str, Any]) -> None:
    """7: over all rows of the export."""
    (anonymity,) = found["anonymity"]

    assert anonymity["measures"]["k"] == anonymity["measures"]["small_rows"] == 1
    assert anonymity["measures"]["rows"] == 300


def test_docstrings_are_counted_and_the_migration_is_only_asked(found: dict[str, Any]) -> None:
    """8 and 9."""
    docstrings, migration = found["docstrings"], found["migration"]

    assert 0 < docstrings["covered"] < docstrings["total"]
    assert migration["state"] == "asked"
    assert any("RENAME COLUMN JUMIN_NO TO RRNO" in line for line in migration["sql"])


def test_all_workers_are_on_record(reviewed: tuple[Path, Path, Any]) -> None:
    """10: with the times of their nodes."""
    rows = [
        json.loads(line)
        for line in (reviewed[0] / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    nodes = {row["agent_name"] for row in rows if row["kind"] == "node" and row["ms"] >= 0}

    assert nodes >= {
        *("retrieval_agent", "post_processor_agent", "auditor_agent", "ast_parser_agent"),
        *("code_search_agent", "docstring_agent", "policy_agent", "compliance_agent"),
    }


def test_no_worker_is_called_twice(reviewed: tuple[Path, Path, Any]) -> None:
    """The code is indexed early, beside the data team, and not again."""
    lines = (reviewed[0] / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    calls = [row["path"] for row in map(json.loads, lines) if row["kind"] == "agent"]
    workers = [path.rpartition("/")[2] for path in calls if path.count("/") > 1]

    assert sorted(set(workers)) == sorted(workers)


@pytest.mark.whole
@pytest.mark.parametrize("way", ["parts", "copy", "sentence", "korean"])
def test_the_findings_are_the_same_however_it_is_asked(
    way: str, found: dict[str, Any], tmp_path: Path
) -> None:
    """Part by part, from another folder, as a sentence, in the other language."""
    out, ending = tmp_path / "out", ["--language", "en"]
    folder = HOSPITAL
    if way == "copy":
        folder = Path(shutil.copytree(HOSPITAL, tmp_path / "elsewhere"))
    words: list[object] = ["review", folder]
    if way == "parts":
        words = ["review", HOSPITAL / "schema.sql", "--code", HOSPITAL / "app"]
        words += ["--policy", HOSPITAL / "privacy.yaml", "--data", HOSPITAL / "export.csv"]
        words += ["--notice", HOSPITAL / "처리방침.md"]
    elif way == "sentence":
        words = ["ask", SENTENCES["en"], "-i", HOSPITAL]
    elif way == "korean":
        ending = ["--language", "ko"]

    done = typed(tmp_path / "home", *words, "--out", out, *ending)

    assert done.returncode == 4, done.stderr
    assert facts(findings(out)) == facts(found)


@pytest.mark.whole
def test_an_edit_from_another_process_writes_what_it_says(
    reviewed: tuple[Path, Path, Any], found: dict[str, Any]
) -> None:
    """The review's other files stay as they were."""
    home, out, _ = reviewed

    done = minerva(home, "edit", last_run(home), "--set", "TB_PATIENT.PAT_ID=PT_KEY", "--out", out)

    assert done.returncode == 0, done.stderr
    script = (out / "migration.sql").read_text(encoding="utf-8")
    assert 'RENAME COLUMN PAT_ID TO "PT_KEY"' in script
    assert facts(findings(out)) == facts(found)


def test_a_killed_review_goes_on_to_the_same_findings(
    found: dict[str, Any], tmp_path: Path
) -> None:
    """Killed while governance works; `minerva resume` in another process finishes it."""
    home, out = tmp_path / "home", tmp_path / "out"
    kill_when(home, ["review", HOSPITAL, "--out", out, "--language", "en"], "classify")

    done = minerva(home, "resume", last_run(home), "--out", out)

    assert done.returncode == 4, done.stderr
    assert facts(findings(out)) == facts(found)
    assert not (out / "migration.sql").exists()


EXITS: list[tuple[list[object], int]] = [
    (["--no-migration"], 0),
    (["--no-migration", "--fail-on", "critical"], 0),
    (["--no-migration", "--fail-on", "high"], 3),
    (["--policy", "nowhere.yaml"], 2),
    (["--out", HOSPITAL / "app"], 2),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "code"),
    forms(EXITS, EXITS[3:]),  # 3: test_ci_example.py
)
def test_the_exit_code_says_what_a_pipeline_asks(
    options: list[object], code: int, tmp_path: Path
) -> None:
    """0 done, 2 wrong input, 3 a grave finding."""
    out = [] if "--out" in options else ["--out", tmp_path / "out"]

    done = typed(tmp_path / "home", "review", HOSPITAL, *out, *options)

    assert done.returncode == code, done.stderr
    assert not (HOSPITAL / "app" / "findings.json").exists()


@pytest.mark.slow
def test_a_broken_policy_ends_with_2_and_the_others_stand(tmp_path: Path) -> None:
    """G10: the error names rule and line."""
    broken = tmp_path / "broken.yaml"
    broken.write_text(
        "apiVersion: minerva/v1\npolicy: {id: other}\nrules:\n- id: X-1\n"
        "  applies_to: {kind: column}\n  requrie: {encrypted: true}\n",
        encoding="utf-8",
    )
    out = tmp_path / "out"

    done = typed(tmp_path / "home", "review", HOSPITAL, "--policy", broken, "--out", out)

    assert done.returncode == 2, done.stderr
    content = findings(out)
    assert any("X-1" in text and "broken.yaml:6" in text for text in content["mistakes"])
    assert content["counts"]["fail"] >= 33


def test_data_alone_is_reviewed_by_the_bundled_rules(tmp_path: Path) -> None:
    """Any part may be missing: the report says which contents suffer. Strict masks add no rule."""
    data = tmp_path / "members.csv"
    with data.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([["jumin_no"], *[[f"850101-123456{n}"] for n in range(10)]])
    out = tmp_path / "out"

    done = typed(tmp_path / "home", "review", data, "--out", out, "--mask", "strict")

    content = findings(out)
    assert content["baseline"]
    assert "850101" not in done.stdout
    assert not [path.name for path in out.iterdir() if "850101" in path.read_text("utf-8")]
    assert {"columns", "code", "notice", "docstrings", "migration"} <= content["missing"].keys()
    assert any(each["status"] == "fail" for each in content["findings"])
