"""The made-up hospital: what is planted there is found, with its evidence."""

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, PolicyAgent

HOSPITAL = Path(__file__).parents[3] / "configs" / "examples" / "hospital"
LOG_LINE = 22
USES = {
    "uses": [
        {
            "name": "JUMIN_NO",
            "path": "app/patient_service.py",
            "line": LOG_LINE,
            "kind": "attribute",
            "symbol": "app.patient_service.PatientService.register",
            "snippet": 'logging.info("registered patient %s", patient.jumin_no)',
            "sink": "logging",
        },
        {"name": "PAT_NM", "path": "app/api.py", "line": 14, "kind": "dict_key", "sink": None},
    ],
    "total": 2,
    "truncated": False,
    "unparsed": ["app/legacy_batch.py"],
}
PLAN = {
    "columns": [
        {"table": "TB_PATIENT", "column": "PAT_NM", "physical_name": "PT_NM", "status": "renamed"},
        {"table": "TB_CODE", "column": "USE_AT", "physical_name": "USE_YN", "status": "renamed"},
        {"table": "TB_ADMISSION", "column": "QNTM_ST", "status": "unresolved"},
        {
            "table": "TB_DIAGNOSIS",
            "column": "USE_YN",
            "physical_name": "USE_YN",
            "status": "standard",
        },
    ]
}


def review(language: str = "ko") -> dict[str, Any]:
    """Review the hospital, with what the other teams would hand over."""
    words = "개인정보 처리방침을 어기는 곳을 보고해줘" if language == "ko" else "Report violations"
    policy = PolicyAgent().invoke(
        {
            "request": words,
            "attachments": [HOSPITAL / "privacy.yaml", HOSPITAL / "처리방침.md"],
        }
    )
    return ComplianceAgent(today=lambda: dt.date(2026, 6, 15)).invoke(
        {
            "request": words,
            "policy": policy["policy"],
            "code_uses": USES,
            "rename_plan": PLAN,
            "attachments": [HOSPITAL / "export.csv", HOSPITAL / "schema.sql"],
        }
    )


@pytest.fixture(scope="module")
def reviewed() -> dict[str, Any]:
    """One review for all tests that only look at it."""
    return review()


def test_the_planted_log_line_is_where_the_tests_say() -> None:
    """The fixture of this file follows the example."""
    lines = (HOSPITAL / "app" / "patient_service.py").read_text(encoding="utf-8").splitlines()

    assert "patient.jumin_no" in lines[LOG_LINE - 1]


@pytest.mark.parametrize(
    ("rule", "target", "status", "severity", "evidence"),
    [
        ("PII-ENC-01", "export.csv.JUMIN_NO", "fail", "high", "841226-1******"),
        ("PII-ENC-01", "TB_PATIENT.JUMIN_NO", "fail", "high", "값 300개 가운데 300개"),
        ("PII-LOG-01", "JUMIN_NO", "fail", "high", "app/patient_service.py:22 (log)"),
        ("PII-LOG-01", "PAT_NM", "not_evaluated", "high", ""),
        ("RET-01", "TB_PATIENT", "not_evaluated", "medium", "처리방침(제3조 1): 1095일"),
        (
            "KANON-01",
            "export.csv",
            "fail",
            "high",
            "k=1 (최소 5): AGE, SEX, ZIP 값이 모두 같은 행이 가장 적은 조합은 1행",
        ),
        ("LIC-01", "*", "not_evaluated", "medium", ""),
        ("NAME-01", "TB_PATIENT.PAT_NM", "fail", "low", "PAT_NM → PT_NM"),
        ("NAME-01", "TB_CODE.USE_AT", "waived", "low", "USE_AT → USE_YN"),
        ("NAME-01", "TB_DIAGNOSIS.USE_YN", "pass", "low", ""),
        ("NOTICE-01", "TB_PATIENT.EMAIL", "fail", "medium", "제2조 1 “필수 항목: 성명"),
        ("NOTICE-01", "export.csv.EMAIL", "fail", "medium", "제2조 1 “필수 항목: 성명"),
        ("NOTICE-01", "TB_PATIENT.HP_NO", "pass", "medium", "휴대전화번호"),
    ],
)
def test_each_planted_problem_is_found(
    reviewed: dict[str, Any], rule: str, target: str, status: str, severity: str, evidence: str
) -> None:
    """Rule, target, status, severity and what the evidence shows."""
    (finding,) = [
        item
        for item in reviewed["findings"]["findings"]
        if (item["rule_id"], item["target"]) == (rule, target)
    ]

    assert (finding["status"], finding["severity"]) == (status, severity)
    assert evidence in finding["evidence"]


def test_only_the_e_mail_is_missing_from_the_notice(reviewed: dict[str, Any]) -> None:
    """The contact's e-mail in clause 6 does not count as collected; all other items do."""
    missing = {
        item["target"]
        for item in reviewed["findings"]["findings"]
        if item["rule_id"] == "NOTICE-01" and item["status"] == "fail"
    }

    assert missing == {"TB_PATIENT.EMAIL", "export.csv.EMAIL"}


def test_the_counts_add_up(reviewed: dict[str, Any]) -> None:
    """Every finding is counted once."""
    counts = reviewed["findings"]["counts"]

    assert counts["total"] == len(reviewed["findings"]["findings"])
    assert counts["total"] == sum(value for key, value in counts.items() if key != "total")
    assert reviewed["findings"]["columns_looked_at"] == 45 + 9


def test_the_answer_tells_what_was_not_seen(reviewed: dict[str, Any]) -> None:
    """The file that does not parse, the licences, and that this is no legal advice."""
    for words in ("legacy_batch.py", "라이선스를 보지 않았습니다", "법률 자문이 아닙니다"):
        assert words in reviewed["summary"]


def test_findings_are_the_same_every_time(reviewed: dict[str, Any]) -> None:
    """Same input, same bytes: a diff of two reviews shows what changed."""
    again = review()

    assert again["artifacts"] == reviewed["artifacts"]
    found = {each["name"]: each["content"] for each in again["artifacts"]}
    json.loads(found["findings.json"])


def test_an_english_request_gets_an_english_report() -> None:
    """Only the quotations stay in the language of their source."""
    summary = review("en")["summary"]

    assert summary.startswith("### Privacy review: 7 of ")
    assert "This is not legal advice" in summary
    assert "판정" not in summary


def test_every_citation_is_a_place_that_exists(reviewed: dict[str, Any]) -> None:
    """Path and line lead to the words that are quoted."""
    for cited in reviewed["citations"]:
        path = Path(cited["source"])
        path = path if path.is_absolute() else HOSPITAL / path
        assert path.is_file()
        if cited["line"] is not None:
            assert len(path.read_text(encoding="utf-8").splitlines()) >= cited["line"]


def test_no_value_of_the_export_leaves(reviewed: dict[str, Any]) -> None:
    """900 values of the file, none in the answer, the hand-off or the files."""
    text = json.dumps(reviewed, ensure_ascii=False)
    rows = (HOSPITAL / "export.csv").read_text(encoding="utf-8").splitlines()[1:]

    for row in rows:
        cells = row.split(",")
        for value in (cells[1], cells[5], cells[6]):
            assert not value or value not in text
