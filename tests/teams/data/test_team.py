"""The team as one agent: who works, in which order, and what leaves."""

from itertools import zip_longest
from pathlib import Path

import pytest
from pydantic import ValidationError

from minerva_data import DataTeam
from minerva_data.agents.post_processor import PostProcessorAgent
from minerva_data.steps.glossaries import ImportedGlossaries
from minerva_platform.assembly.assemble import Defaults, assemble
from minerva_platform.routing import Decision, Goal
from minerva_platform.testing import ScriptedRouter


@pytest.mark.parametrize(
    ("request_text", "header"),
    [
        (
            "환자 식별 컬럼의 표준 약어와 도메인을 알려주고, 답변 표는 도메인 우선순위로 정렬해줘",
            "주제영역",
        ),
        (
            (
                "Tell me the standard abbreviation and domain of the patient identifier column, "
                "and sort the answer table by domain priority."
            ),
            "Subject area",
        ),
    ],
)
def test_the_article_s_request(request_text: str, header: str) -> None:
    """Look up, order, audit: three hops, and the table stands in the answer once."""
    run = DataTeam().invoke({"request": request_text})

    assert run["status"] == "ok"
    assert [hop["agent_name"] for hop in run["hops"]] == [
        "retrieval_agent",
        "post_processor_agent",
        "auditor_agent",
    ]
    assert all(text in run["answer"] for text in ("PT_ID", "번호V20", "환자정보", header))
    assert run["answer"].count("| PT_ID |") == 1
    assert run["usage"]["model_calls"] == 0


@pytest.mark.parametrize("audits", [1, 2])
def test_the_article_s_order_step_by_step(audits: int) -> None:
    """Recommender, post-processor, auditor: the audit that ran by itself is not made again."""
    parts = [
        "환자 식별 컬럼의 표준 약어와 도메인을 알려주고",
        "답변 표는 도메인 우선순위로 정렬해줘",
    ]
    names = ["retrieval_agent", "post_processor_agent", *["auditor_agent"] * audits]
    goals = [
        Goal(member=name, request=part)
        for name, part in zip_longest(names, parts, fillvalue="도메인 우선순위 검증")
    ]
    team = DataTeam()
    team.router = ScriptedRouter(*(Decision(goals=(goal,)) for goal in goals))

    run = team.invoke({"request": ", ".join(parts)})

    assert (run["status"], [hop["agent_name"] for hop in run["hops"]]) == ("ok", names[:3])
    assert run["answer"].count("| PT_ID |") == 1


def test_a_table_that_comes_again_is_given_once() -> None:
    """Other words for the same worker may make the same table."""
    parts = ["환자 식별의 표준 약어를", "표로 정렬해줘"]
    goals = [Goal(member="post_processor_agent", request=part) for part in parts]
    team = DataTeam()
    team.router = ScriptedRouter(*(Decision(goals=(goal,)) for goal in goals))

    run = team.invoke({"request": " ".join(parts)})

    assert [hop["agent_name"] for hop in run["hops"]].count("auditor_agent") == len(parts)
    assert run["answer"].count("| PT_ID |") == 1


def test_a_table_made_after_the_audit_is_audited() -> None:
    """What a router asks for again is checked again."""
    first, second = "환자 식별의 표준 약어를 표로", "환자 식별의 표준 약어를 camelCase 표로"
    again = (
        Goal(member="post_processor_agent", request=second),
        Goal(member="auditor_agent", request="검증"),
    )
    team = DataTeam()
    team.router = ScriptedRouter(
        Decision(goals=(Goal(member="post_processor_agent", request=first),)), Decision(goals=again)
    )

    run = team.invoke({"request": first})

    called = [hop["agent_name"].removesuffix("_agent") for hop in run["hops"]]
    assert called == ["retrieval", "post_processor", "auditor", "post_processor", "auditor"]


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("환자 식별, 진단 코드를 표로 정리해 주세요", ["PT_ID", "DGNS_CD"]),
        ("주소랑 생년월일이랑 전화번호를 표로 정리해줘", ["ADDR", "BRDT", "TELNO"]),
        ("Give me birth date and patient name in a table sorted by domain", ["BRDT", "PT_NM"]),
    ],
)
def test_a_list_that_is_cut_keeps_its_terms(request_text: str, names: list[str]) -> None:
    """The words of the clause that shapes the table hold terms, too."""
    run = DataTeam().invoke({"request": request_text})

    assert run["status"] == "ok"
    assert [name for name in names if f"| {name} |" not in run["answer"]] == []


def test_only_the_audited_plan_leaves(hospital_schema: Path) -> None:
    """Recommendation and table stay inside; the plan has every column."""
    run = DataTeam().invoke(
        {
            "request": "이 스키마의 컬럼을 표준화하고 결과를 표로 정리해줘",
            "attachments": [{"path": str(hospital_schema)}],
        }
    )

    assert run["status"] == "ok"
    assert set(run["handoffs"]) == {"data.rename_plan", "data.migration"}
    assert len(run["handoffs"]["data.rename_plan"]["columns"]) == 45
    (plan,) = run["all_handoffs"]["data.rename_plan"]
    assert (plan["sender"], plan["payload"]) == (
        "data/auditor_agent",
        run["handoffs"]["data.rename_plan"],
    )
    assert {artifact["name"] for artifact in run["artifacts"]} == {
        "standard_table.md",
        "mapping.csv",
        "contract.odcs.yaml",
        "schema.yml",
        "audit.csv",
    }


def test_a_configuration_file_sets_the_order() -> None:
    """`configs/teams/data.yaml` reaches the workers; a wrong key does not pass."""
    team = DataTeam()
    said = {"domain_priority": ["공통", "환자정보"], "glossaries": ["ward"]}

    configured = assemble(team, Defaults(team.Settings.model_validate(said)))

    processor = configured.by_name["post_processor_agent"]
    assert isinstance(processor, PostProcessorAgent)
    assert processor.preferences.domain_priority == ("공통", "환자정보")
    assert processor.glossaries == ImportedGlossaries(("ward",))
    with pytest.raises(ValidationError, match="domain_prio"):
        team.Settings.model_validate({"domain_prio": []})
