"""Several policies: each rule counts once under its policy, and precedence is declared or said."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, PolicyAgent
from minerva_governance.core.policy.lint import lint
from minerva_governance.core.policy.policy import Policy
from minerva_governance.core.policy.precedence import in_force, overridden, told_apart
from minerva_governance.core.reading.source_files import Source
from minerva_governance.steps.policy_loading import load_policy

RRN = "850101-1234566"
HEAD = "apiVersion: minerva/v1\npolicy: {{id: {id}{more}}}\nrules:\n"
ENCRYPTED = (
    "- {{id: {rule}, severity: {severity}, applies_to: {{kind: column, pii: [KR_RRN]}},"
    " require: {{encrypted: true}}}}\n"
)


def written(
    folder: Path,
    name: str,
    *,
    more: str = "",
    rule: str = "R1",
    severity: str = "high",
    waivers: str = "",
    policy_id: str = "",
) -> Path:
    """Write a policy of one rule, called after its file."""
    path = folder / f"{name}.yaml"
    text = HEAD.format(id=policy_id or name, more=more)
    text += ENCRYPTED.format(rule=rule, severity=severity) + waivers
    path.write_text(text, encoding="utf-8")
    return path


def loaded(*paths: Path) -> list[Policy]:
    """Load the policies."""
    found = [load_policy(Source.of(path)) for path in paths]
    return [policy for policy in found if policy is not None]


def reviewed(folder: Path) -> dict[str, Any]:
    """Review all files of `folder` by the policies in it."""
    policy = PolicyAgent().invoke({"request": "check", "attachments": [folder]})["policy"]
    given = {"request": "check", "policy": policy, "attachments": [folder]}
    return ComplianceAgent(today=lambda: dt.date(2026, 6, 15)).invoke(given)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one plain resident number."""
    (tmp_path / "rows.csv").write_text(f"JUMIN_NO\n{RRN}\n", encoding="utf-8")
    return tmp_path


def test_two_policies_with_one_rule_id_count_each_finding_once(folder: Path) -> None:
    """Both are asked without an order; the report shows one failure under each policy."""
    written(folder, "a")
    written(folder, "b")
    answer = reviewed(folder)
    found = answer["findings"]["findings"]
    report = next(a["content"] for a in answer["artifacts"] if a["name"] == "report.md")

    assert [(f["policy"], f["rule_id"], f["status"]) for f in found] == [
        ("a", "R1", "fail"),
        ("b", "R1", "fail"),
    ]
    assert answer["findings"]["counts"]["failed"] == 2
    assert "| `a/R1` |  | high | 1 | 0 | 0 | 0 | 1 |" in report
    assert "| `b/R1` |  | high | 1 | 0 | 0 | 0 | 1 |" in report


def test_the_answer_says_that_no_order_is_declared(folder: Path) -> None:
    """The person reads that both are asked, and what to write to ask one."""
    written(folder, "a")
    written(folder, "b")
    summary = PolicyAgent().invoke({"request": "rules?", "attachments": [folder]})["summary"]

    assert "rule R1 stands in a.yaml:4 too" in summary
    assert "`overrides: [a]`" in summary


def test_a_rule_gives_way_to_the_policy_that_overrides_its_own(folder: Path) -> None:
    """One is asked; the other is shown with its place."""
    written(folder, "house", severity="low")
    written(folder, "project", more=", overrides: [house]", severity="critical")
    answer = reviewed(folder)
    found = answer["findings"]["findings"]

    assert [(f["policy"], f["severity"]) for f in found] == [("project", "critical")]
    gaps = " ".join(answer["findings"]["not_looked_at"])
    assert "house.yaml:4: rule R1 is not asked: the one of project.yaml:4 goes before it" in gaps


def test_other_rules_of_an_overridden_policy_are_asked(folder: Path) -> None:
    """Precedence is about rules of one id."""
    policies = loaded(
        written(folder, "house", rule="R2"), written(folder, "project", more=", overrides: [house]")
    )

    assert [(p.id, r.id) for p, r in in_force(policies)] == [("house", "R2"), ("project", "R1")]


def test_precedence_reaches_through_a_policy_between(folder: Path) -> None:
    """A policy wins over what those below it override."""
    policies = loaded(
        written(folder, "law"),
        written(folder, "house", more=", overrides: [law]", rule="R2"),
        written(folder, "project", more=", overrides: [house]"),
    )

    assert [(o.rule.source, o.by.source) for o in overridden(policies)] == [
        ("law.yaml", "project.yaml")
    ]


def test_policies_that_override_each_other_are_both_asked(folder: Path) -> None:
    """A circle decides nothing, and is said."""
    policies = loaded(
        written(folder, "a", more=", overrides: [b]"), written(folder, "b", more=", overrides: [a]")
    )
    odd = [str(p) for p in lint(policies, today=dt.date(2026, 6, 15), language="en")]

    assert len(in_force(policies)) == 2
    assert any("override each other" in message for message in odd)


def test_policies_of_one_id_are_told_apart_by_their_files(folder: Path) -> None:
    """Two editions of one policy must not be counted as one rule."""
    policies = loaded(written(folder, "v1", policy_id="p"), written(folder, "v2", policy_id="p"))
    names = [rule.policy for policy in told_apart(policies) for rule in policy.rules]
    odd = [str(p) for p in lint(policies, today=dt.date(2026, 6, 15), language="ko")]

    assert names == ["p (v1.yaml)", "p (v2.yaml)"]
    assert any(message.startswith("v2.yaml:1:") and "p" in message for message in odd)


def test_a_waiver_belongs_to_its_policy(folder: Path) -> None:
    """The rule of the other policy still fails."""
    waiver = 'waivers:\n- {rule: R1, target: "*", until: 2026-12-31, by: dpo, reason: old}\n'
    written(folder, "a", waivers=waiver)
    written(folder, "b")
    found = reviewed(folder)["findings"]["findings"]

    assert [(f["policy"], f["status"]) for f in found] == [("a", "waived"), ("b", "fail")]


def test_a_waiver_of_a_rule_that_gives_way_is_said(folder: Path) -> None:
    """It would be read as if it covered the rule that is asked."""
    waiver = 'waivers:\n- {rule: R1, target: "*", until: 2026-12-31, by: dpo, reason: old}\n'
    policies = loaded(
        written(folder, "a", waivers=waiver), written(folder, "b", more=", overrides: [a]")
    )
    odd = [str(p) for p in lint(policies, today=dt.date(2026, 6, 15), language="en")]

    assert "a.yaml:6: this waiver does nothing: rule R1 gives way to another policy's." in odd


def test_an_override_of_a_policy_that_is_not_there_is_said(folder: Path) -> None:
    """A misspelt id would leave both asked without a word."""
    policies = loaded(written(folder, "a", more=", overrides: [hose]"))
    (odd,) = lint(policies, today=dt.date(2026, 6, 15), language="en")

    assert odd.message == "`overrides` names `hose`, which is none of the policies given."


def test_a_broken_policy_stops_neither_the_others_nor_the_inventory(folder: Path) -> None:
    """G10: it must be mended, and the results of the other stand."""
    written(folder, "good")
    broken = written(folder, "broken")
    broken.write_text(broken.read_text().replace("require", "requrie"), encoding="utf-8")
    policy = PolicyAgent().invoke({"request": "check", "attachments": [folder]})
    answer = reviewed(folder)

    assert [use["must_mend"] for use in policy["files"] if use["name"] == "broken.yaml"] == [True]
    assert [(f["policy"], f["status"]) for f in answer["findings"]["findings"]] == [
        ("good", "fail")
    ]
    assert [c["entity"] for c in answer["findings"]["inventory"]] == ["KR_RRN"]
