"""Each worker answers alone, in the language of the request, and fails in words."""

from pathlib import Path

import pytest

from minerva_governance import ComplianceAgent, GovernanceTeam, PolicyAgent
from minerva_platform import AgentError

POLICY = """\
apiVersion: minerva/v1
policy: {id: trial}
rules:
- id: LOG-7
  title: No personal data in logs
  severity: high
  applies_to: {kind: code_use, pii: any}
  forbid: {sink: [logging]}
- id: ENC-8
  title: 주민등록번호는 암호화한다
  severity: high
  applies_to: {kind: column, pii: [KR_RRN]}
  require: {encrypted: true}
"""


@pytest.fixture
def policy_file(tmp_path: Path) -> Path:
    """A small policy in a file."""
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return path


def test_examples_are_many_and_belong_to_one_worker_each() -> None:
    """The embedded router learns from them: 25 or more, in both languages, none shared."""
    policy, compliance = PolicyAgent.examples, ComplianceAgent.examples

    for examples in (policy, compliance):
        korean = sum(any("가" <= letter <= "힣" for letter in text) for text in examples)
        assert len(set(examples)) == len(examples) >= 25
        assert 8 <= korean <= len(examples) - 8
    assert not set(policy) & set(compliance)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("로그에 관한 규칙이 뭐야?", "LOG-7"),
        ("Which rule is about logging?", "LOG-7"),
        ("주민번호는 어떻게 저장해야 해?", "ENC-8"),
        ("Must resident numbers be encrypted?", "ENC-8"),
        ("Explain rule ENC-8", "ENC-8"),
    ],
)
def test_a_question_finds_its_rule(policy_file: Path, question: str, first: str) -> None:
    """By its words in either language, whatever language the rule is written in."""
    answer = PolicyAgent().invoke({"request": question, "policies": [policy_file]})

    assert answer["policy"]["matches"][0]["id"] == first
    assert f"`{first}`" in answer["summary"].splitlines()[2]
    assert answer["citations"][0]["line"] in {4, 9}


def test_a_question_on_nothing_is_told_so(policy_file: Path) -> None:
    """No rule is stretched to fit."""
    answer = PolicyAgent().invoke({"request": "휴가는 며칠이야?", "policies": [policy_file]})

    assert answer["policy"]["matches"] == []
    assert "찾지 못했습니다" in answer["summary"]


def test_without_a_policy_the_baseline_answers_and_says_so() -> None:
    """Honest, and still useful."""
    answer = PolicyAgent().invoke({"request": "Which rules are there?"})

    assert answer["policy"]["is_baseline"] is True
    assert "No policy file was attached" in answer["summary"]


def test_a_policy_that_does_not_load_names_file_rule_and_line(policy_file: Path) -> None:
    """The person learns what to type next; the review does not go on with half the rules."""
    policy_file.write_text(POLICY.replace("require:", "requrie:"), encoding="utf-8")

    with pytest.raises(AgentError, match=r"policy\.yaml:13: rule ENC-8: unknown key `requrie`"):
        PolicyAgent().invoke({"policies": [policy_file]})


def test_other_files_of_a_folder_are_left_out_and_said(policy_file: Path, tmp_path: Path) -> None:
    """A broken YAML or a README beside a good policy stops nothing."""
    (tmp_path / "values.yaml").write_text("{{ template }}: !x\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("# Hello\n", encoding="utf-8")
    answer = PolicyAgent().invoke(
        {
            "policies": [policy_file, tmp_path / "values.yaml", tmp_path / "mkdocs.yml"],
            "notices": [tmp_path / "README.md"],
        }
    )

    files = {problem["file"] for problem in answer["policy"]["problems"]}
    assert files == {"values.yaml", "mkdocs.yml", "README.md"}
    assert [policy["id"] for policy in answer["policy"]["policies"]] == ["trial"]


def test_nothing_attached_is_an_answer_of_not_evaluated() -> None:
    """A review of nothing passes nothing, and says what to attach."""
    policy = PolicyAgent().invoke({})["policy"]
    answer = ComplianceAgent().invoke({"request": "점검해줘", "policy": policy})

    counts = answer["findings"]["counts"]
    assert counts["not_evaluated"] == counts["total"] > 0
    assert "CSV나 SQL 파일을 함께 주세요" in answer["summary"]
    assert "법률 자문이 아닙니다" in answer["summary"]


def test_hand_offs_of_other_teams_are_read_tolerantly(policy_file: Path) -> None:
    """Fields that governance does not know are ignored; the uses are judged."""
    policy = PolicyAgent().invoke({"policies": [policy_file]})["policy"]
    uses = [{"name": "EMAIL", "path": "app/a.py", "line": 3, "sink": "logging", "kind": "new_kind"}]
    answer = ComplianceAgent().invoke(
        {
            "request": "check",
            "policy": policy,
            "code_uses": {"uses": uses, "total": 1, "truncated": False, "later": 1},
            "rename_plan": {"columns": [], "later": 1},
        }
    )

    assert "`EMAIL`: app/a.py:3 (logging)" in answer["summary"]


def test_lists_in_the_summary_are_cut_and_say_so(policy_file: Path, tmp_path: Path) -> None:
    """The summary shows 15 of 40; report.md shows all."""
    columns = ", ".join(f"EMAIL_{n} VARCHAR2(9)" for n in range(40))
    (tmp_path / "s.sql").write_text(f"CREATE TABLE T ({columns});", encoding="utf-8")
    policy = PolicyAgent().invoke({"policies": [policy_file]})["policy"]
    answer = ComplianceAgent().invoke(
        {"request": "check", "policy": policy, "schemas": [tmp_path / "s.sql"]}
    )
    report = next(a["content"] for a in answer["artifacts"] if a["name"] == "report.md")

    assert "15 of 40 shown" in answer["summary"]
    assert "EMAIL_39" not in answer["summary"]
    assert "EMAIL_39" in report


def test_the_team_brings_the_policy_to_the_review(policy_file: Path, tmp_path: Path) -> None:
    """Asked for a check only, the team loads the policy first and exports the findings."""
    (tmp_path / "rows.csv").write_text("JUMIN_NO\n850101-1234566\n", encoding="utf-8")
    run = GovernanceTeam().invoke(
        {
            "request": "Scan these files for personal data and report violations",
            "attachments": [policy_file, tmp_path / "rows.csv"],
        }
    )

    assert [hop["agent_name"] for hop in run["hops"]] == ["policy_agent", "compliance_agent"]
    assert (run["status"], list(run["handoffs"])) == ("ok", ["governance.findings"])
    assert "1 of 1 checks" not in run["answer"]
    assert "ENC-8" in run["answer"]


def test_a_broken_policy_fails_the_visit_in_words(policy_file: Path, tmp_path: Path) -> None:
    """The team's run carries the file and the line to the person."""
    policy_file.write_text(POLICY.replace("require:", "requrie:"), encoding="utf-8")
    (tmp_path / "rows.csv").write_text("A\n1\n", encoding="utf-8")
    run = GovernanceTeam().invoke(
        {
            "request": "Scan these files for personal data and report violations",
            "attachments": [policy_file, tmp_path / "rows.csv"],
        }
    )

    assert run["status"] == "failed"
    assert any("policy.yaml:13: rule ENC-8" in item["cause"] for item in run["bypassed"])
