"""What an officer signs: whose data, against which promise, where, and how many persons."""

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.answers.finding_context import quoted
from minerva_governance.core.kinds.review_context import current_catalogue
from minerva_governance.core.review.data_subject import addressed_to, subjects_in, subjects_of_name
from minerva_governance.core.review.notice import Clause
from minerva_governance.core.review.notice_claims import broken_by_flow, promises_in
from minerva_governance.core.review.retention_words import plain_periods
from minerva_platform.text import Language

POLICY = """\
apiVersion: minerva/v1
policy: {id: clinic}
tags: {patient: [TB_PATIENT]}
rules:
- id: LOG
  severity: high
  title: 로그에 남기지 않는다
  applies_to: {kind: code_use, pii: any}
  forbid: {sink: [log]}
- {id: RET, applies_to: {kind: table, tag: patient}, require: {retention_days: {max: 1095}}}
- {id: LIC, applies_to: {kind: dependency}, forbid: {license: [GPL-3.0-only]}}
"""
SCHEMA = """\
CREATE TABLE TB_PATIENT (PAT_ID CHAR(9), PAT_NM VARCHAR2(50), JUMIN_NO CHAR(64), EMAIL CHAR(99));
COMMENT ON TABLE TB_PATIENT IS '환자기본';
COMMENT ON COLUMN TB_PATIENT.JUMIN_NO IS '주민등록번호(암호화)';
CREATE TABLE TB_DOCTOR (DOCTOR_NM VARCHAR2(50), TEL_NO VARCHAR2(20), EMAIL VARCHAR2(99));
COMMENT ON TABLE TB_DOCTOR IS '의사기본';
"""
NOTICE = """\
# 개인정보 처리방침
## 제1조 (처리 목적)
1. 환자의 진료를 위하여 처리합니다.
## 제2조 (수집하는 개인정보 항목)
1. 환자의 성명, 전화번호, 주민등록번호
## 제3조 (보유 기간)
1. 환자의 개인정보는 5년간 보유합니다.
2. 다른 법령이 더 오래 보존하도록 정한 자료는 그 기간 동안 보관합니다.
## 제4조 (안전)
1. 개인정보를 로그에 남기지 않습니다.
2. 주민등록번호는 암호화하여 저장합니다.
## 제5조 (제공)
1. 환자정보를 제3자에게 제공하지 않습니다.
"""
DATA = "PAT_ID,DGNS_CD,ZIP\n" + "".join(f"P{n % 3},E11.9,1350{n}\n" for n in range(6))
USES = {
    "uses": [
        {"name": "JUMIN_NO", "path": "app/a.py", "line": 3, "sink": "logging"},
        {"name": "JUMIN_NO", "path": "app/a.py", "line": 5, "sink": "file", "destination": "x.csv"},
        {"name": "EMAIL", "path": "app/a.py", "line": 7, "sink": "http",
         "destination": "api.x.example"},
        {"name": "PAT_NM", "path": "app/a.py", "line": 9, "sink": "http",
         "destination": "localhost"},
        {"name": "PAT_NM", "path": "app/a.py", "line": 11, "sink": "logging", "suspected": True},
        *({"name": "PAT_ID", "path": "app/a.py", "line": 20 + n} for n in range(10)),
    ],
    "total": 15,
    "truncated": False,
}  # fmt: skip
PLAN = {
    "columns": [
        {"table": "TB_PATIENT", "column": name, "physical_name": new, "status": "renamed",
         "citation": "minerva-seed terms.csv T003"}
        for name, new in (("PAT_ID", "PT_NO"), ("PAT_NM", "PT_NM"), ("ADDR", "PT_ADDR"))
    ]
}  # fmt: skip


def review(
    folder: Path, language: Language = "ko", notice: str = NOTICE, given: Any = None
) -> Mapping[str, str]:
    """Return the files of a review of a small clinic."""
    folder.mkdir(exist_ok=True)
    parts = {"policy.yaml": POLICY, "처리방침.md": notice, "schema.sql": SCHEMA, "visits.csv": DATA}
    for name, content in parts.items():
        (folder / name).write_text(content, encoding="utf-8")
    attached = [str(folder / name) for name in parts]
    about: dict[str, Any] = {"language": language, "request": "report", "attachments": attached}
    policy = PolicyAgent().invoke(about)["policy"]
    handed = {"code_uses": USES, "rename_plan": PLAN, **(given or {})}
    made = ComplianceAgent().invoke({**about, **handed, "policy": policy})
    return {each["name"]: each["content"] for each in made["artifacts"]}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Mapping[Language, Mapping[str, str]]:
    """The files of one review in each language; code_search_agent gave, the others failed."""
    folder = tmp_path_factory.mktemp("clinic")
    handed = {
        "givers": {"insilico.code_uses": "platform/insilico#2/code_search_agent"},
        "lost": {"data.migration": "platform/data/migration_agent"},
    }
    return {"ko": review(folder, "ko", given=handed), "en": review(folder, "en", given=handed)}


@pytest.fixture(scope="module")
def found(clinic: Mapping[Language, Mapping[str, str]]) -> dict[str, Any]:
    """The findings of that review."""
    content: dict[str, Any] = json.loads(clinic["ko"]["findings.json"])
    return content


def finding(found: dict[str, Any], rule: str, target: str) -> dict[str, Any]:
    """Return the one finding of a rule at a target."""
    (one,) = [
        each for each in found["findings"] if (each["rule_id"], each["target"]) == (rule, target)
    ]
    return dict(one)


def test_staff_data_does_not_pass_a_notice_for_patients(found: dict[str, Any]) -> None:
    """Neither a pass, nor a fail for what such a notice need not name; a patient's column fails."""
    for column in ("DOCTOR_NM", "TEL_NO", "EMAIL"):
        answer = finding(found, "NOTICE-01", f"TB_DOCTOR.{column}")
        assert answer["status"] == "not_evaluated"
        assert "환자" in answer["reason"]
        assert "직원" in answer["reason"]
    assert finding(found, "NOTICE-01", "TB_PATIENT.PAT_NM")["status"] == "pass"
    assert finding(found, "NOTICE-01", "TB_PATIENT.EMAIL")["status"] == "fail"


@pytest.mark.parametrize(
    ("named", "status"),
    [("직원의 성명, 전화번호", "pass"), ("성명, 전화번호", "not_evaluated")],
)
def test_a_notice_has_to_say_that_it_covers_staff(tmp_path: Path, named: str, status: str) -> None:
    """Training of staff, in another article, is no data of theirs."""
    notice = (
        f"# 개인정보 처리방침\n## 제1조 (수집하는 개인정보 항목)\n1. {named}\n"
        "## 제2조 (안전 조치)\n1. 취급 직원을 교육합니다.\n"
    )
    answers = json.loads(review(tmp_path / "in", notice=notice)["findings.json"])

    assert finding(answers, "NOTICE-01", "TB_DOCTOR.TEL_NO")["status"] == status


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("담당의사 성명", {"staff"}),
        ("의사표시", set[str]()),
        ("our employees and clients", {"staff", "customer"}),
        ("이용자", set[str]()),
        ("환자와 보호자", {"patient", "guardian"}),
    ],
)
def test_whose_data_a_text_is_about(text: str, subjects: set[str]) -> None:
    """Words for anybody name nobody."""
    assert subjects_in(text) == subjects


def test_whose_data_a_name_is_about() -> None:
    """Parts of a name count, in any spelling; a part of a word does not."""
    assert subjects_of_name("TB_DOCTORS") == subjects_of_name("EmployeePhone") == {"staff"}
    assert subjects_of_name("PATH_NM") == subjects_of_name("ORDER_ITEM") == set()


def test_a_clause_that_is_no_list_addresses_nobody() -> None:
    """Only items, purposes and periods say whom a notice is about."""
    clause = Clause(id="7", heading="Security", text="Staff are trained.", source="n.md", line=1)

    assert addressed_to([clause]) == set()
    assert addressed_to([clause.model_copy(update={"items": "e-mail"})]) == {"staff"}


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("3년간 보유하되 다른 법령이 정한 경우 5년간 보관합니다.", (1095,)),
        ("다른 법령이 정한 경우 외에는 3년간 보관합니다.", (1095,)),
        ("We keep data for 3 years unless the law requires 10 years.", (1095,)),
        ("Unless the law requires 10 years, we keep data for 3 years.", (1095,)),
        ("다른 법령이 정한 경우 5년간 보관합니다.", ()),
    ],
)
def test_an_exceptions_own_period_is_told_apart(text: str, days: tuple[int, ...]) -> None:
    """What the rule itself promises, without the words of its exception."""
    assert plain_periods(text) == days


@pytest.mark.parametrize(
    ("article", "status"),
    [
        (
            "1. 환자의 개인정보는 5년간 보유합니다.\n2. 다른 법령이 정한 자료는 더 보관합니다.",
            "fail",
        ),
        (
            "1. 환자의 개인정보는 2년간 보유합니다.\n2. 다른 법령이 정한 자료는 더 보관합니다.",
            "not_evaluated",
        ),
        (
            "1. 환자의 개인정보는 2년간 보유하되, 다른 법령이 정한 경우 5년간 보관합니다.",
            "not_evaluated",
        ),
        ("1. 환자의 개인정보는 2년간 보유합니다.", "pass"),
    ],
)
def test_an_exception_is_quoted_and_excuses_no_longer_period(
    tmp_path: Path, article: str, status: str
) -> None:
    """Over the limit without the exception is a fail; what the exception leaves open is not."""
    notice = f"# 개인정보 처리방침\n## 제3조 (보유 기간)\n{article}\n"
    answers = json.loads(review(tmp_path / "in", notice=notice)["findings.json"])
    answer = finding(answers, "RET", "TB_PATIENT")

    assert answer["status"] == status
    assert ("다른 법령이 정한" in answer["evidence"] + answer["reason"]) == (status != "pass")


def test_the_code_is_held_against_the_notices_own_promise(
    clinic: Mapping[Language, Mapping[str, str]], found: dict[str, Any]
) -> None:
    """Clause and place stand in the finding of the flow, in the list of flows and on the page."""
    leak = finding(found, "LOG", "JUMIN_NO")
    broken = {
        (flow["name"], flow["sink"]): [promise["kind"] for promise in flow["breaks"]]
        for flow in found["flows"]
    }

    assert "제4조 1번 “개인정보를 로그에 남기지 않습니다.” (처리방침.md:10)" in leak["evidence"]
    assert {"source": "처리방침.md", "line": 10}.items() <= leak["citations"][-2].items()
    assert broken == {
        ("JUMIN_NO", "log"): ["no_log", "encrypted"],
        ("JUMIN_NO", "file"): ["encrypted"],
        ("EMAIL", "http"): ["no_third_party"],
        ("PAT_NM", "http"): [],
        ("PAT_NM", "log"): [],
    }
    assert "처리방침의 약속을 지키지 않는 곳 (3건)" in clinic["ko"]["report.html"]
    assert "Promised in the notice, not kept (3)" in clinic["en"]["report.html"]


@pytest.mark.parametrize(
    "text",
    [
        "동의 없이 제3자에게 개인정보를 제공하지 않습니다.",
        "원칙적으로 개인정보를 제3자에게 제공하지 않습니다.",
        "주민등록번호는 암호화하여 저장할 예정입니다.",
        "We do not share your personal data with third parties unless you agree.",
        "We may log personal data.",
        "암호화하여 저장합니다.",
    ],
)
def test_a_promise_with_a_condition_is_none(text: str) -> None:
    """Only what leaves nothing open can be broken by a line of code."""
    assert promises_in([Clause(id="1", text=text, source="n.md", line=1)]) == ()


def test_an_exception_in_the_article_keeps_its_promises_open() -> None:
    """What follows a "however" may excuse what the first sentence forbids."""
    one = Clause(
        id="1",
        heading="Sharing",
        text="We never sell your personal data to third parties.",
        source="n.md",
        line=1,
    )
    other = one.model_copy(update={"id": "2", "text": "However, we pass names to couriers."})
    (promise,) = promises_in([one])

    assert promises_in([one, other]) == ()
    assert broken_by_flow([promise], "http", "EMAIL", "api.partner.example") == (promise,)
    assert broken_by_flow([promise], "http", "EMAIL", "localhost") == ()


def test_the_register_says_of_each_table_what_is_said_of_it(
    clinic: Mapping[Language, Mapping[str, str]],
) -> None:
    """The notice speaks of patients, so the doctors' row has no purpose and no period."""
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(clinic["ko"]["register.csv"]))}
    patient, doctor = rows["TB_PATIENT"], rows["TB_DOCTOR"]

    assert patient["description"] == "환자기본"
    assert patient["description_source"] == patient["subjects_source"] == "schema.sql:1"
    assert patient["purpose_source"] == "처리방침.md:3 제1조 1"
    assert patient["retention_source"] == "처리방침.md:7 제3조 1; 처리방침.md:8 제3조 2"
    assert patient["safeguards"] == "JUMIN_NO: 암호화를 선언함"
    assert patient["safeguards_source"] == "schema.sql:1"
    assert patient["recipients"] == "api.x.example; localhost"
    assert doctor["subjects"] == "직원(의료진 포함)"
    assert [doctor[cell] for cell in ("purpose", "retention", "safeguards")] == ["", "", ""]


def test_the_personal_columns_come_by_importance_with_their_status(
    clinic: Mapping[Language, Mapping[str, str]], found: dict[str, Any]
) -> None:
    """Health first, keys last; each says how it stands, and a code has no shape."""
    columns = {f"{each['table']}.{each['column']}": each for each in found["inventory"]}
    order = [each["entity"] for each in found["inventory"]]

    assert order[0] == "DIAGNOSIS"
    assert order.index("KR_RRN") < order.index("EMAIL") < order.index("PERSON_NAME")
    assert order[-1] == "INTERNAL_ID"
    assert columns["TB_PATIENT.JUMIN_NO"]["standing_rules"] == ["LOG"]
    assert columns["TB_PATIENT.EMAIL"]["standing"] == "fail"
    assert columns["TB_DOCTOR.TEL_NO"]["standing"] == "not_evaluated"
    assert columns["TB_DOCTOR.TEL_NO"]["standing_why"]
    assert columns["visits.csv.ZIP"]["hits"] == 6
    for kind in ("report.md", "report.html"):
        assert "값에 알아볼 형태가 없음 (6개)" in clinic["ko"][kind]
        assert "values have no recognisable shape" in clinic["en"][kind]


def test_the_impact_assessment_counts_persons(
    clinic: Mapping[Language, Mapping[str, str]], tmp_path: Path
) -> None:
    """Different keys of persons, else rows, else it says that nothing was counted."""
    assert "3 different values of PAT_ID in visits.csv" in clinic["en"]["report.html"]

    (tmp_path / "rows.csv").write_text("DGNS_CD\nE11\nE12\n", encoding="utf-8")
    about = {"language": "en", "request": "review", "attachments": [str(tmp_path / "rows.csv")]}
    policy = PolicyAgent().invoke(about)["policy"]
    made = ComplianceAgent().invoke({**about, "policy": policy})
    content = next(each["content"] for each in made["artifacts"] if each["name"] == "findings.json")

    (hint,) = json.loads(content)["impact"]
    assert "not counted" in hint["text"]
    assert "2 rows" in hint["text"]


def test_cut_lists_name_the_file_and_unused_renames_appear(
    clinic: Mapping[Language, Mapping[str, str]],
) -> None:
    """Ten uses are more than a row shows; a renamed column without any is named, too."""
    page = clinic["en"]["report.html"].replace("<wbr>", "")

    assert "and 2 more (10 in all, code_uses.csv)" in page
    assert "minerva-seed terms.csv T003" in page
    assert "TB_PATIENT.ADDR → PT_ADDR" in page


def test_workers_are_named_with_what_became_of_them(
    clinic: Mapping[Language, Mapping[str, str]], found: dict[str, Any]
) -> None:
    """Who gave, who failed and was bypassed, who was not there."""
    said = {
        each["gave"]: (each["team"], each["worker"], each["state"]) for each in found["workers"]
    }

    assert said["insilico.code_uses"] == ("insilico", "code_search_agent", "came")
    assert said["data.migration"] == ("data", "migration_agent", "bypassed")
    assert said["insilico.docstring_coverage"] == ("insilico", "", "not_called")
    assert said["governance.policy"] == ("governance", "policy_agent", "came")
    assert "migration_agent" in clinic["en"]["report.html"]


def test_foreign_titles_are_marked_as_quotations(
    clinic: Mapping[Language, Mapping[str, str]],
) -> None:
    """A Korean title in an English report is a quotation, and the other way round."""
    assert "“로그에 남기지 않는다” (in the original Korean)" in clinic["en"]["report.html"]
    assert "original Korean" not in clinic["ko"]["report.html"]
    assert quoted("Numbers are encrypted", "ko") == "“Numbers are encrypted” (영어 원문)"
    assert quoted("PII", "ko") == "PII"


def test_no_place_is_an_asterisk(clinic: Mapping[Language, Mapping[str, str]]) -> None:
    """Where there is no list of libraries, the report says so."""
    assert "no list of libraries was given" in clinic["en"]["report.html"]
    assert "받은 자료에 라이브러리 목록 없음" in clinic["ko"]["report.md"]
    sarif = json.loads(clinic["en"]["findings.sarif"])
    assert not [
        one for one in sarif["runs"][0]["results"] if one["message"]["text"].startswith("*")
    ]


def test_a_part_of_a_word_names_no_kind_of_data() -> None:
    """상병 inside 가상병원, 암호 inside 암호화."""
    assert not current_catalogue().in_notice("PASSWORD", "암호화하여 저장합니다.")
    assert current_catalogue().in_notice("PASSWORD", "아이디와 암호")
    assert not current_catalogue().in_notice("DIAGNOSIS", "가상병원은 개인정보를 처리합니다.")
    assert current_catalogue().in_notice("DIAGNOSIS", "상병명")
