"""Each worker answers alone, in the language of the request, and fails in words."""

from pathlib import Path

import pytest

from minerva_governance import ComplianceAgent, GovernanceTeam, PolicyAgent

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
    answer = PolicyAgent().invoke({"request": question, "attachments": [policy_file]})

    assert answer["policy"]["matches"][0]["id"] == first
    assert f"`{first}`" in answer["summary"].splitlines()[2]
    assert answer["citations"][0]["line"] in {4, 9}


def test_a_question_on_nothing_is_told_so(policy_file: Path) -> None:
    """No rule is stretched to fit."""
    answer = PolicyAgent().invoke({"request": "휴가는 며칠이야?", "attachments": [policy_file]})

    assert answer["policy"]["matches"] == []
    assert "찾지 못했습니다" in answer["summary"]


def test_without_a_policy_the_baseline_answers_and_says_so() -> None:
    """Honest, and still useful."""
    answer = PolicyAgent().invoke({"request": "Which rules are there?"})

    assert answer["policy"]["is_baseline"] is True
    assert "No policy file was attached" in answer["summary"]


@pytest.mark.slow
def test_a_policy_with_a_mistake_does_not_stop_the_others(
    policy_file: Path, tmp_path: Path
) -> None:
    """It is named with file, line and the way out, and left out as a whole; the rest is judged."""
    broken = tmp_path / "other.yaml"
    broken.write_text(POLICY.replace("require:", "requrie:"), encoding="utf-8")
    (tmp_path / "rows.csv").write_text("JUMIN_NO\n850101-1234566\n", encoding="utf-8")
    run = GovernanceTeam().invoke(
        {
            "request": "Scan these files for personal data and report violations",
            "attachments": [policy_file, broken, tmp_path / "rows.csv"],
        }
    )

    findings = run["handoffs"]["governance.findings"]
    assert (run["status"], findings["policies"]) == ("ok", ["trial"])
    assert "other.yaml:13: rule ENC-8: unknown key `requrie`" in run["answer"]
    assert "Mend the lines named, then ask again." in run["answer"]
    assert [(use["name"], use["must_mend"]) for use in run["files"]] == [
        ("policy.yaml", False),
        ("other.yaml", True),
        ("rows.csv", False),
    ]


def test_a_policy_with_a_mistake_is_not_replaced_by_the_baseline(policy_file: Path) -> None:
    """The baseline would look like the person's own rules."""
    policy_file.write_text(POLICY.replace("require:", "requrie:"), encoding="utf-8")
    answer = PolicyAgent().invoke({"request": "로그 규칙은?", "attachments": [policy_file]})

    assert (answer["policy"]["policies"], answer["policy"]["is_baseline"]) == ([], False)
    assert "policy.yaml:13: 규칙 ENC-8: 모르는 키 `requrie`" in answer["summary"]


def test_other_files_of_a_folder_are_left_out_and_said(policy_file: Path, tmp_path: Path) -> None:
    """A template or a README beside a good policy stops nothing."""
    (tmp_path / "values.yaml").write_text("{{ template }}: !x\n", encoding="utf-8")
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n", encoding="utf-8")
    (tmp_path / "README.md").write_text("# Hello\n", encoding="utf-8")
    answer = PolicyAgent().invoke({"attachments": [policy_file.parent]})

    files = {Path(problem["file"]).name for problem in answer["policy"]["problems"]}
    assert files == {"values.yaml", "mkdocs.yml", "README.md"}
    assert [policy["id"] for policy in answer["policy"]["policies"]] == ["trial"]


FOREIGN = {
    "two_documents": "apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: Secret\n",
    "helm": "metadata:\n  name: {{ .Release.Name }}\n",
    "cloud_formation": "Resources:\n  Queue:\n    Name: !Sub '${Stack}-queue'\n",
    "tab": "services:\n\tweb:\n\t\timage: nginx\n",
    "lint_rules": "rules:\n  indent: [2, 4]\n",
    "search_rules": "rules:\n- id: no-eval\n  pattern: eval(...)\n  severity: ERROR\n",
    "no_rules": "rules: []\n",
}


@pytest.mark.small(4)
@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN.keys())
def test_other_yaml_of_a_folder_does_not_switch_the_baseline_off(tmp_path: Path, text: str) -> None:
    """It calls itself no policy, so no policy was attached: the rows are judged."""
    (tmp_path / "other.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "rows.csv").write_text("JUMIN_NO\n850101-1234566\n", encoding="utf-8")
    policy = PolicyAgent().invoke({"attachments": [tmp_path]})
    answer = ComplianceAgent().invoke(
        {"request": "check", "policy": policy["policy"], "attachments": [tmp_path]}
    )

    assert (policy["policy"]["is_baseline"], policy["policy"]["mistakes"]) == (True, [])
    assert ("other.yaml", "not_understood", False) in [
        (use["name"], use["status"], use["must_mend"]) for use in policy["files"]
    ]
    assert answer["findings"]["counts"]["failed"] > 0


@pytest.mark.parametrize(
    "text",
    [
        POLICY.replace("require:", "\trequire:"),
        POLICY.replace("apiVersion: minerva/v1\n", "").replace("title: No", "title: [No"),
    ],
    ids=["version", "rules"],
)
def test_a_broken_policy_of_a_folder_is_to_be_mended(tmp_path: Path, text: str) -> None:
    """By its version or by the form of its rules it calls itself one."""
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    answer = PolicyAgent().invoke({"attachments": [tmp_path]})

    assert answer["policy"]["is_baseline"] is False
    assert [use["name"] for use in answer["files"] if use["must_mend"]] == ["mine.yaml"]


def test_a_named_policy_that_does_not_load_is_to_be_mended_beside_a_good_one(
    policy_file: Path, tmp_path: Path
) -> None:
    """The person named it, so the answer without it is not whole."""
    broken = tmp_path / "bad.yaml"
    broken.write_text("version: 1\nrules:\n- id: A\n  wat: [1\n", encoding="utf-8")
    answer = PolicyAgent().invoke({"attachments": [broken, policy_file]})

    assert [use["name"] for use in answer["files"] if use["must_mend"]] == ["bad.yaml"]
    assert answer["summary"].startswith("### ")
    assert "bad.yaml:" in answer["summary"].split("`trial`")[0]


def test_a_named_yaml_that_says_it_is_anothers_is_no_policy(tmp_path: Path) -> None:
    """Its `apiVersion` tells; nothing has to be mended."""
    (tmp_path / "svc.yaml").write_text(FOREIGN["two_documents"], encoding="utf-8")
    answer = PolicyAgent().invoke({"attachments": [tmp_path / "svc.yaml"]})

    assert answer["policy"]["is_baseline"] is True
    assert [use["status"] for use in answer["files"]] == ["not_understood"]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ko", ("첨부한 파일이 없어", "데이터(CSV 등), 스키마(SQL)")),
        ("en", ("Nothing was attached", "the data (CSV and others), schema (SQL)")),
    ],
)
def test_nothing_attached_is_answered_in_two_sentences(
    language: str, words: tuple[str, ...]
) -> None:
    """A review of nothing passes nothing, shows no table of zeros, and says what to attach."""
    policy = PolicyAgent().invoke({})["policy"]
    answer = ComplianceAgent().invoke({"request": "?", "policy": policy, "language": language})

    counts = answer["findings"]["counts"]
    assert counts["not_evaluated"] == counts["total"] > 0
    assert all(each in answer["summary"] for each in words)
    assert (len(answer["summary"].splitlines()), answer["artifacts"]) == (1, [])


def test_hand_offs_of_other_teams_are_read_tolerantly(policy_file: Path) -> None:
    """Fields that governance does not know are ignored; the uses are judged."""
    policy = PolicyAgent().invoke({"attachments": [policy_file]})["policy"]
    uses = [{"name": "EMAIL", "path": "app/a.py", "line": 3, "sink": "logging", "kind": "new_kind"}]
    answer = ComplianceAgent().invoke(
        {
            "request": "check",
            "policy": policy,
            "code_uses": {"uses": uses, "total": 1, "truncated": False, "later": 1},
            "rename_plan": {"columns": [], "later": 1},
        }
    )

    assert "`EMAIL`: app/a.py:3 (log)" in answer["summary"]


def test_lists_in_the_summary_are_cut_and_say_so(policy_file: Path, tmp_path: Path) -> None:
    """The summary shows 15 of 40; report.md shows all."""
    columns = ", ".join(f"EMAIL_{n} VARCHAR2(9)" for n in range(40))
    (tmp_path / "s.sql").write_text(f"CREATE TABLE T ({columns});", encoding="utf-8")
    policy = PolicyAgent().invoke({"attachments": [policy_file]})["policy"]
    answer = ComplianceAgent().invoke(
        {"request": "check", "policy": policy, "attachments": [tmp_path / "s.sql"]}
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
