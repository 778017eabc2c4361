"""A model drafts rules from prose; only what quotes its clause and loads is asked about."""

from pathlib import Path
from typing import Any

import pytest

from minerva_governance import ComplianceAgent, GovernanceTeam, PolicyAgent
from minerva_governance.core.policy.draft import SaidRules, make_draft
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.review.notice import Clause
from minerva_governance.steps.policy_draft import wrong_with
from minerva_governance.steps.policy_loading import load_policy
from minerva_platform import Model, Platform, Run
from minerva_platform.models import ModelSpec
from minerva_platform.testing import Reply, ScriptedRouter, scripted_openai_server

NOTICE = "# Privacy notice\n## 2. Retention\n1. Orders are kept for six years at most.\n"
REQUEST = "draft rules from this privacy notice"
CLAUSES = (Clause(id="2.1", text="Orders are kept for six years.", source="p.md", line=3),)


def said(**changes: Any) -> dict[str, Any]:
    """Return what a careful model says of the clause, changed."""
    rule: dict[str, Any] = {
        "clause": 1,
        "quote": "Orders are kept for six years",
        "id": "RET-01",
        "title": "Orders are deleted after six years",
        "severity": "medium",
        "kind": "table",
        "pii": [],
        "predicate": "retention_days",
        "max_days": 2190,
        "sinks": [],
    }
    return {**rule, **changes}


def team(url: str, *route: str) -> GovernanceTeam:
    """Return the team, whose policy agent asks the model at `url`."""
    agent = PolicyAgent()
    agent.model = Model(ModelSpec(name="openai:scripted", base_url=url, timeout=5.0))
    return GovernanceTeam(members=(agent, ComplianceAgent()), router=ScriptedRouter(*route))


@pytest.fixture
def notice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a notice, and keep runs in the test's folder."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("MINERVA_HOME", str(tmp_path / "home"))
    path = tmp_path / "privacy.md"
    path.write_text(NOTICE, encoding="utf-8")
    return path


def files(run: Run) -> dict[str, str]:
    """Return the contents of the run's artifacts by name."""
    return {one.name: Path(one.path).read_text(encoding="utf-8") for one in run.artifacts}


@pytest.mark.small(2)
@pytest.mark.slow
@pytest.mark.parametrize("decision", ["approve", "edit", "reject", "broken edit"])
def test_nothing_is_written_before_a_person_has_approved(
    notice: Path, tmp_path: Path, decision: str
) -> None:
    """The file holds what was approved or edited; an edit must load, or it is asked again."""
    with scripted_openai_server({"SaidRules": [Reply(json={"rules": [said()]})]}) as server:
        waiting = Platform(teams=[team(server.url, "policy_agent")]).ask(
            REQUEST, attachments=[notice]
        )
        (question,) = waiting.interrupts
        assert "Orders are kept for six years" in question.arguments["RET-01"]
        assert "policy-draft.yaml" not in files(waiting)

        edits = {"edit": "365", "broken edit": "0"}
        given: dict[str, Any] = {"type": decision}
        if decision in edits:
            text = question.arguments["RET-01"].replace("2190", edits[decision])
            action = {"name": "write_policy", "args": {"RET-01": text}}
            given = {"type": "edit", "edited_action": action}
        run = Platform(teams=[team(server.url)]).resume(waiting.run_id, {question.id: given})

    written = files(run).get("policy-draft.yaml")
    if decision == "broken edit":
        assert (run.status, written) == ("needs_human", None)
    elif decision == "reject":
        assert written is None
        assert "No draft was written" in run.answer
    else:
        path = tmp_path / "loaded.yaml"
        path.write_text(str(written), encoding="utf-8")
        policy = load_policy(Source.of(path))
        assert policy is not None
        (rule,) = policy.rules
        days = {"approve": 2190, "edit": 365}[decision]
        assert rule.requirements[0].argument == {"max": days}
        assert rule.authority == ("privacy.md",)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"quote": "Orders are kept for ten years"}, "does not stand in the clause"),
        ({"quote": "kept"}, "does not stand in the clause"),
        ({"clause": 7}, "does not stand in the clause"),
        ({"max_days": None}, "it does not load"),
        ({"kind": "column"}, "it does not load"),
        ({"pii": ["SHOE_SIZE"]}, "unknown kind `SHOE_SIZE`"),
        ({"id": ""}, "`id` is missing"),
    ],
)
def test_a_rule_that_does_not_hold_is_refused(changes: dict[str, Any], words: str) -> None:
    """By the check of every policy; the careful one beside it stays."""
    other = said(id="RET-02")
    answer = SaidRules.model_validate({"rules": [said(**changes), other]})
    draft = make_draft(answer, CLAUSES, fault=lambda rule: wrong_with([rule], "en"), language="en")

    assert [rule.id for rule in draft.rules] == ["RET-02"]
    (reason,) = draft.refused
    assert words in reason


def test_without_a_model_one_sentence_says_so(notice: Path) -> None:
    """And the answer is the usual one."""
    answer = PolicyAgent().invoke({"request": REQUEST, "attachments": [notice]})
    plain = PolicyAgent().invoke({"request": "which rules?", "attachments": [notice]})

    assert answer["summary"].startswith("Drafting rules needs a configured model.\n\n")
    assert "Drafting" not in plain["summary"]
