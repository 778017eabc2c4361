"""What a person has to decide: conflicts that a rule leaves open, and what no rule is about."""

import datetime as dt
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.core.detection.ciphertext import may_hold_cipher
from minerva_governance.core.review.notice import Clause
from minerva_governance.core.review.notice_claims import promises_in
from minerva_governance.steps.decided_files import decided_files
from minerva_governance.team import GovernanceTeam
from minerva_platform import Run
from minerva_platform.text import Language

POLICY = """\
apiVersion: minerva/v1
policy: {id: clinic}
tags: {visit: [TB_VISIT]}
rules:
- {id: ENC, severity: high, applies_to: {kind: column, pii: [KR_RRN]}, require: {encrypted: true}}
- {id: LOG, applies_to: {kind: code_use, pii: any}, forbid: {sink: [log]}}
- {id: RET, applies_to: {kind: table, tag: visit}, require: {retention_days: {min: 3650}}}
- id: KANON
  applies_to: {kind: dataset, tag: export}
  require: {k_anonymity: {quasi: [AGE], min: 2}}
"""
FILE_RULE = "- {id: FILE, applies_to: {kind: code_use, pii: any}, forbid: {sink: [file]}}\n"
SCHEMA = """\
CREATE TABLE TB_VISIT (VISIT_NO CHAR(9), JUMIN_NO CHAR(13), PASSPORT_NO CHAR(9), ADM_DT DATE);
"""
NOTICE = """\
# 개인정보 처리방침
## 제1조 (수집하는 개인정보 항목)
1. 성명, 주민등록번호, 나이
2. 이 밖의 항목은 수집하지 않습니다.
## 제2조 (보유 기간)
1. 개인정보는 3년간 보유합니다.
2. 다른 법령이 더 오래 보존하도록 정한 자료는 그 기간 동안 보관합니다.
"""
ROWS = "JUMIN_NO,AGE,EMAIL,DGNS_CD\n" + "".join(
    f"850101-123456{n},{40 + n % 2},a{n}@example.org,E11.9\n" for n in range(8)
)
USES = {
    "uses": [
        {"name": "EMAIL", "path": "app/a.py", "line": 5, "sink": "file", "destination": "x.csv"},
        {"name": "AGE", "path": "app/a.py", "line": 5, "sink": "file", "destination": "x.csv"},
        {"name": "EMAIL", "path": "app/a.py", "line": 9, "sink": "log"},
        {"name": "VISIT_NO", "path": "app/a.py", "line": 5, "sink": "file"},
    ],
    "total": 4,
    "truncated": False,
}
GIVEN = {"policy.yaml": POLICY, "처리방침.md": NOTICE, "schema.sql": SCHEMA, "export.csv": ROWS}


def reviewed(
    folder: Path,
    language: Language = "en",
    handed: Mapping[str, Any] = MappingProxyType({"code_uses": USES}),
    **changed: str,
) -> dict[str, Any]:
    """Return findings.json, and the page as `page`; of `changed`, "" leaves a file out."""
    folder.mkdir(exist_ok=True)
    given = {**GIVEN, **{name.replace("_", "."): text for name, text in changed.items()}}
    for name, text in given.items():
        if text:
            (folder / name).write_text(text, encoding="utf-8")
    attached = [str(folder / name) for name, text in given.items() if text]
    about = {"language": language, "request": "report every violation", "attachments": attached}
    policy = PolicyAgent().invoke(about)["policy"]
    made = ComplianceAgent().invoke({**about, "policy": policy, **handed})
    files = {each["name"]: each["content"] for each in made["artifacts"]}
    return {**json.loads(files["findings.json"]), "page": files["report.html"], "run": made}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One review for all tests that only look at it."""
    return reviewed(tmp_path_factory.mktemp("clinic") / "in")


def found(document: dict[str, Any], rule: str, target: str) -> dict[str, Any]:
    """Return the one finding of a rule at a target."""
    (one,) = [
        each for each in document["findings"] if (each["rule_id"], each["target"]) == (rule, target)
    ]
    return dict(one)


def gaps(document: dict[str, Any], kind: str) -> dict[tuple[str, ...], str]:
    """Return what no rule is about: the severity by the targets."""
    return {
        tuple(each["targets"]): each["severity"]
        for each in document["uncovered"]
        if each["kind"] == kind
    }


def part(document: dict[str, Any], title: str) -> str:
    """Return the words of the page's part of a title, which the contents name before."""
    inside = document["page"].rpartition(title)[2].partition("</section>")[0]
    return re.sub(r"<[^>]+>", "", inside)


def test_a_period_that_notice_and_rule_say_differently_is_decided_by_a_person(
    clinic: dict[str, Any],
) -> None:
    """The rule keeps longer than the notice promises; its exception leaves open who is right."""
    period = found(clinic, "RET", "TB_VISIT")

    assert (period["status"], period["must_decide"]) == ("not_evaluated", True)
    assert "3650 days" in period["evidence"]
    assert "“개인정보는 3년간 보유합니다.” (처리방침.md:6)" in period["evidence"]
    assert "(처리방침.md:7)" in period["reason"]
    assert period["who"] == "the data-protection officer"
    assert period["how"].startswith("Decide which period holds for TB_VISIT")
    assert period["how"] in part(clinic, "What a person has to decide (5)")


def test_a_column_whose_values_an_export_shows_is_not_encrypted(clinic: dict[str, Any]) -> None:
    """It fails at the schema's column, with the proof and the type that has no room."""
    column = found(clinic, "ENC", "TB_VISIT.JUMIN_NO")

    assert column["status"] == "fail"
    assert "8 of 8 values of export.csv.JUMIN_NO" in column["evidence"]
    assert "can hold no ciphertext" in column["evidence"]
    assert column["who"] == "the data owner"
    assert {"source": "schema.sql", "line": 1}.items() <= column["citations"][0].items()
    assert {"source": "export.csv", "row": 1}.items() <= column["citations"][1].items()


@pytest.mark.slow
def test_without_a_proof_somebody_finds_out_whether_it_is_encrypted(tmp_path: Path) -> None:
    """No values at all, or values that may be another table's of the same column."""
    schema = SCHEMA.replace("CHAR(13)", "CHAR(64)")
    alone = reviewed(tmp_path / "alone", export_csv="", schema_sql=schema)
    two = reviewed(
        tmp_path / "two", schema_sql=schema + "CREATE TABLE TB_STAFF (JUMIN_NO CHAR(24));\n"
    )

    for document in (alone, two):
        column = found(document, "ENC", "TB_VISIT.JUMIN_NO")
        assert (column["status"], column["must_decide"]) == ("not_evaluated", True)
        assert column["who"] == "the data owner"
        assert "comment of the table definition" in column["how"]


@pytest.mark.parametrize(
    ("data_type", "has_room"),
    [
        *(("CHAR(13)", False), ("VARCHAR2(14 CHAR)", False), ("NUMBER(13)", False)),
        *(("BIGINT", False), ("DATE", False), ("RAW(8)", False)),
        *(("VARCHAR(24)", True), ("RAW(16)", True), ("BLOB", True), ("TEXT", True), ("", True)),
    ],
)
def test_a_type_with_less_than_a_block_has_no_room(data_type: str, *, has_room: bool) -> None:
    """AES writes blocks of 16 bytes (FIPS 197)."""
    assert may_hold_cipher(data_type) is has_room


def test_what_no_rule_protects_is_named_with_who_decides(clinic: dict[str, Any]) -> None:
    """A notice's rule protects nothing; a number under a rule and a counted column are no gap."""
    assert gaps(clinic, "data") == {
        ("export.csv.DGNS_CD",): "high",
        ("export.csv.EMAIL",): "medium",
    }
    assert gaps(clinic, "schema") == {("TB_VISIT.VISIT_NO",): "low"}
    for each in clinic["uncovered"]:
        assert each["who"] == "the data-protection officer"
        assert each["how"].startswith("Decide wh")
        assert each["what"] in part(clinic, "What a person has to decide (5)")


def test_a_way_out_that_no_rule_forbids_is_named_by_its_line(
    clinic: dict[str, Any], tmp_path: Path
) -> None:
    """The log has a rule, the file has none until one is written; a key is nobody's."""
    ruled = reviewed(tmp_path / "in", policy_yaml=POLICY + FILE_RULE)

    assert gaps(clinic, "flow") == {("AGE", "EMAIL"): "medium"}
    (flow,) = [each for each in clinic["uncovered"] if each["kind"] == "flow"]
    assert "app/a.py:5: AGE, EMAIL" in flow["what"]
    assert "the developer takes it out" in flow["how"]
    assert gaps(ruled, "flow") == {}
    assert found(ruled, "FILE", "EMAIL")["status"] == "fail"


def test_the_gaps_stand_in_the_answer_and_in_the_hand_off(clinic: dict[str, Any]) -> None:
    """Another team, and who reads no file, see the same."""
    run = clinic["run"]

    assert "Found, and no rule of the policy is about it: 4" in run["summary"]
    assert len(run["findings"]["uncovered"]) == len(clinic["uncovered"])


def test_an_item_and_a_period_are_among_the_broken_promises(clinic: dict[str, Any]) -> None:
    """The notice collects nothing else, and keeps for three years."""
    mail = found(clinic, "NOTICE-01", "export.csv.EMAIL")
    period = found(clinic, "RET", "TB_VISIT")
    title = "Promised in the notice, not kept (2)"

    assert [each["kind"] for each in mail["breaks"]] == ["no_other_items"]
    assert "(처리방침.md:4)" in mail["evidence"]
    assert [(each["kind"], each["line"]) for each in period["breaks"]] == [("retention", 6)]
    promised = part(clinic, title)
    assert "EMAIL" in promised
    assert "TB_VISIT (RET)" in promised


@pytest.mark.parametrize(
    ("text", "is_promise"),
    [
        ("이 조에 적지 않은 항목은 수집하지 않습니다.", True),
        ("위 항목 외의 개인정보는 수집하지 않습니다.", True),
        ("We do not collect any other personal data.", True),
        ("We do not collect any other data than those listed above.", True),
        ("동의 없이 이 밖의 항목을 수집하지 않습니다.", False),
        ("We do not collect any other data without your consent.", False),
        ("We do not collect any other information about your health.", False),
        ("성명과 주소를 수집합니다.", False),
    ],
)
def test_only_a_plain_sentence_promises_to_collect_nothing_else(
    text: str, *, is_promise: bool
) -> None:
    """A condition, or one kind of data, promises less."""
    found = promises_in([Clause(id="1", text=text, source="n.md", line=1)])

    assert [each.kind for each in found] == ["no_other_items"] * is_promise


def test_who_collects_acts_on_what_the_notice_does_not_name(clinic: dict[str, Any]) -> None:
    """The officer decides and the notice's owner writes: neither can stop the collecting."""
    mail = found(clinic, "NOTICE-01", "export.csv.EMAIL")

    assert mail["who"] == "the department that collects it"
    for words in ("data-protection officer to decide", "owner of the notice adds"):
        assert words in mail["how"]


def test_combinations_are_widened_after_direct_columns_are_gone(
    clinic: dict[str, Any], tmp_path: Path
) -> None:
    """The advice names the columns that lead to one person by themselves, if there are any."""
    rare = ROWS.replace(",40,", ",39,", 1)
    direct = found(reviewed(tmp_path / "a", export_csv=rare), "KANON", "export.csv")
    plain = found(reviewed(tmp_path / "b", export_csv="AGE\n40\n41\n41\n"), "KANON", "export.csv")

    assert found(clinic, "KANON", "export.csv")["how"] == ""
    assert "(JUMIN_NO, EMAIL)" in direct["how"]
    assert plain["how"].startswith("Before export.csv leaves, drop the rows of rare combinations")


def test_both_languages_decide_the_same(clinic: dict[str, Any], tmp_path: Path) -> None:
    """Words differ, what is found does not."""
    korean = reviewed(tmp_path / "in", "ko")
    facts = ("kind", "severity", "entities", "targets", "sink", "places")

    assert [[each[key] for key in facts] for each in korean["uncovered"]] == [
        [each[key] for key in facts] for each in clinic["uncovered"]
    ]
    assert [each["must_decide"] for each in korean["findings"]] == [
        each["must_decide"] for each in clinic["findings"]
    ]
    assert "개인정보 보호책임자" in korean["page"]


def test_numbers_of_people_who_are_not_born_are_suspected(tmp_path: Path) -> None:
    """The column is named so, its values fit the form, and every birth lies in the future."""
    unborn = "JUMIN_NO\n" + "".join(f"95010{n}-3123456\n" for n in range(1, 9))
    schema = SCHEMA.replace("CHAR(13)", "CHAR(64)")
    document = reviewed(tmp_path / "a", export_csv=unborn, schema_sql=schema)
    mixed = reviewed(tmp_path / "b", export_csv=unborn + "850101-1234566\n")
    (column,) = [each for each in document["inventory"] if each["table"] == "export.csv"]
    number = found(document, "ENC", "export.csv.JUMIN_NO")

    assert (column["suspected"], column["hits"]) == (True, 8)
    assert (number["status"], number["must_decide"]) == ("not_evaluated", True)
    assert "lie in the future" in number["reason"]
    assert found(document, "ENC", "TB_VISIT.JUMIN_NO")["status"] == "not_evaluated"
    assert found(mixed, "ENC", "export.csv.JUMIN_NO")["status"] == "fail"
    assert found(mixed, "ENC", "export.csv.JUMIN_NO")["evidence"].startswith("row 9 850101-1")


def test_a_migration_warns_of_types_that_cut_or_have_no_room(tmp_path: Path) -> None:
    """The name is approved by a person who sees what the standard's type would do."""
    plan = {
        "columns": [
            {
                "table": "TB_VISIT",
                "column": "JUMIN_NO",
                "physical_name": "RRNO",
                "data_type": "CHAR(13)",
                "declared_type": "CHAR(13)",
                "status": "renamed",
            },
            {
                "table": "TB_VISIT",
                "column": "ADM_DT",
                "physical_name": "ADM_DT",
                "data_type": "CHAR(8)",
                "declared_type": "DATE",
                "status": "standard",
                "type_change": "narrower",
            },
        ]
    }
    migration = {"sql": "-- none\n", "renames": 1, "tables": 1}
    uses = {
        **USES,
        "uses": [
            {"name": "JUMIN_NO", "path": "a.py", "line": 1, "kind": "sql"},
            {"name": "JUMIN_NO", "path": "a.py", "line": 2, "kind": "name"},
        ],
    }
    document = reviewed(
        tmp_path / "in", handed={"rename_plan": plan, "migration": migration, "code_uses": uses}
    )
    room, narrow = document["migration"]["warnings"]

    assert room.startswith("TB_VISIT.JUMIN_NO → RRNO: ENC asks for encryption")
    assert narrow.startswith("TB_VISIT.ADM_DT: the standard's type CHAR(8) is narrower than DATE")
    assert "no room for a ciphertext" in document["page"]
    assert (document["code"]["lines"], document["code"]["files"]) == (1, 1)
    assert "1 lines of code in 1 files" in document["page"]


COLUMN = {"table": "TB_VISIT", "column": "JUMIN_NO", "physical_name": "RRNO", "status": "renamed"}
MIGRATION = {"sql": "-- RRNO\n", "renames": 1, "tables": 1}
AT = dt.datetime(2026, 6, 15, 9, 30, tzinfo=dt.UTC)
RUN = Run(run_id="a1b2c3", thread_id="t", status="ok")
EDITED = {"edited_action": {"args": {"TB_VISIT.JUMIN_NO": "RRN"}}}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The files of a review that asks about one rename."""
    handed = {"rename_plan": {"columns": [COLUMN]}, "migration": MIGRATION}
    made = reviewed(tmp_path_factory.mktemp("x") / "in", handed=handed, schema_sql=SCHEMA)
    return {each["name"]: each["content"] for each in made["run"]["artifacts"]}


@pytest.mark.parametrize(
    ("decision", "state", "said"),
    [
        ({"type": "approve"}, "approved", "kim approved the SQL that renames 1 columns"),
        ({"type": "edit", **EDITED}, "edited", "Other names: TB_VISIT.JUMIN_NO: RRNO → RRN"),
        ({"type": "reject", "message": "not now"}, "rejected", "Reason: “not now”"),
    ],
)
def test_a_decision_stands_in_report_findings_annex_and_signature(
    files: Mapping[str, str], decision: dict[str, Any], state: str, said: str
) -> None:
    """Who, when and what; the signature names the run and the digest of what is signed."""
    given = {"tool": "write_migration", "by": "kim", "at": AT, **decision}
    made = {each.name: each.content for each in GovernanceTeam().files_at_end(RUN, [given], files)}
    found = json.loads(made["findings.json"])
    digest = hashlib.sha256(made["findings.json"].encode()).hexdigest()

    assert made.keys() == {"report.md", "report.html", "findings.json"}
    assert found["migration"]["state"] == state
    assert (found["migration"]["by"], found["migration"]["at"]) == ("kim", AT.isoformat())
    assert found["run_id"] == RUN.run_id
    for name in ("report.md", "report.html"):
        page = made[name].replace("<wbr>", "").replace("\\", "")
        assert all(each in page for each in (said, AT.isoformat(), RUN.run_id, digest))
        assert "neither run nor written" not in page


def test_without_a_question_the_report_says_that_nobody_was_asked(files: Mapping[str, str]) -> None:
    """The same input gives the same files: no run is named."""
    made = {each.name: each.content for each in decided_files(RUN, [], files)}

    assert "Nobody was asked to approve the SQL" in made["report.md"]
    assert RUN.run_id not in "".join(made.values())


def test_a_review_without_a_migration_keeps_its_files(tmp_path: Path) -> None:
    """There was nothing to decide."""
    made = reviewed(tmp_path / "in")["run"]["artifacts"]
    content = {each["name"]: each["content"] for each in made}

    assert decided_files(RUN, [], content) == ()
    assert decided_files(RUN, [], {}) == ()
