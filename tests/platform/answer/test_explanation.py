"""A model may explain an answer; every sentence is shown by a source, or nothing is added."""

from typing import Any

import pytest

from minerva_data.team import DataTeam
from minerva_governance.team import GovernanceTeam
from minerva_insilico.team import InsilicoTeam
from minerva_platform import Citation, Model, Team
from minerva_platform.answer.grounding import unknown_claims
from minerva_platform.models import ModelSpec
from minerva_platform.testing import (
    EachOnceRouter,
    Fault,
    Reply,
    ScriptedRouter,
    StubAgent,
    scripted_openai_server,
)

HOSPITAL = "configs/examples/hospital"


pytestmark = pytest.mark.usefixtures("fresh_models")


def said(text: str, *sources: int) -> Reply:
    """Return an explanation of one sentence."""
    return Reply(json={"statements": [{"text": text, "sources": list(sources)}]})


def cited_team(url: str | None) -> Team:
    """Return a team whose worker cites two places, with a model or without."""
    cited = (
        Citation(source="terms.csv", row=3, quote="환자번호,PT_NO"),
        Citation(source="app/patient.py", line=12, quote="pat_no"),
    )
    answer = {"summary": "`PT_NO` is the name; 2 places use it.", "citations": cited}
    stub = StubAgent("a", behave=lambda _: answer)
    team = Team(name="t", description="…", members=[stub], router=EachOnceRouter())
    team.finish_mode = "explain"
    if url is not None:
        team.model = Model(ModelSpec(name="openai:scripted", base_url=url, timeout=10.0))
    return team


def test_an_explanation_stands_below_the_answer_with_its_sources() -> None:
    """Sources are numbered as they are named; the one that nobody named is left out."""
    with scripted_openai_server(lambda _: said("PT_NO is used in patient.py.", 2)) as server:
        run = cited_team(server.url).invoke({"request": "what is it called?"})
        (call,) = server.calls

    assert run["status"] == "ok"
    assert run["answer"] == (
        "`PT_NO` is the name; 2 places use it.\n\n**In words**\n\n"
        "- PT_NO is used in patient.py. [1]\n\nSources: [1] `app/patient.py:12`"
    )
    assert "1. terms.csv row 3: 환자번호,PT_NO\n2. app/patient.py:12: pat_no" in call.prompt


@pytest.mark.parametrize(
    "answer",
    [
        said("PT_NO is the name."),
        said("PT_NO is the name.", 3),
        said("PT_NO is the name.", 0),
        said("PT_MADE_UP is the name.", 1),
        said("7 places use it.", 1),
        said("It is in other.py:99.", 1),
        said(" ", 1),
        Reply(json={"statements": []}),
        Reply(text="PT_NO"),
        Fault("length"),
    ],
)
def test_what_no_source_shows_is_refused(answer: Any) -> None:
    """The answer stands whole as it was, and the run object says what it went without."""
    with scripted_openai_server(lambda _: answer) as server:
        run = cited_team(server.url).invoke({"request": "what is it called?"})

    assert run["status"] == "ok"
    assert run["answer"].startswith("`PT_NO` is the name; 2 places use it.")
    assert "In words" not in run["answer"]
    assert [entry["action"] for entry in run["bypassed"]] == ["substituted"]


def test_without_a_model_or_a_source_nothing_is_asked() -> None:
    """And nothing is missing."""
    assert cited_team(None).invoke({"request": "go"})["status"] == "ok"
    with scripted_openai_server([]) as server:
        team = cited_team(server.url)
        team.members = [StubAgent("a")]
        run = team.invoke({"request": "go"})

    assert (run["status"], run["answer"], server.calls) == ("ok", "a answered", [])


@pytest.mark.parametrize(
    ("team", "goals", "request_", "paths"),
    [
        (DataTeam, ["retrieval_agent"], "환자번호의 표준 약어가 뭐야?", []),
        (InsilicoTeam, ["code_search_agent"], "PAT_NM을 쓰는 코드를 찾아줘", [f"{HOSPITAL}/app"]),
        (GovernanceTeam, ["policy_agent"], "주민번호 암호화 규칙이 뭐야?", []),
    ],
)
def test_each_team_can_be_explained(
    team: type[Team], goals: list[str], request_: str, paths: list[str]
) -> None:
    """By its configuration; the sources are the workers' own."""
    with scripted_openai_server(lambda _: said("출처에 그렇게 나와 있습니다.", 1)) as server:
        made = team(router=ScriptedRouter(goals))
        made.finish_mode = "explain"
        model = Model(ModelSpec(name="openai:scripted", base_url=server.url, timeout=10.0))
        made.model = model
        run = made.invoke({"request": request_, "attachments": paths})

    assert run["status"] == "ok", run["bypassed"]
    assert "**설명**\n\n- 출처에 그렇게 나와 있습니다. [1]\n\n출처: [1] `" in run["answer"]


def test_the_numbering_of_sources_is_no_fact() -> None:
    """It is the prompt's own; a count must stand in the answer or in a source."""
    with scripted_openai_server(lambda _: said("There are 1 of them.", 1)) as server:
        run = cited_team(server.url).invoke({"request": "what is it called?"})

    assert "its explanation holds what no source says: 1." in run["bypassed"][0]["cause"]


def test_a_long_text_of_marks_takes_no_time() -> None:
    """Looking claims up is linear in a model's text (the test's limit is the guard)."""
    assert unknown_claims("a" + "." * 2_000_000, "") == []


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("PT_NO has 20 digits", []),
        ("PT_NO has 2 digits", ["2"]),
        ("see patient.py:12", []),
        ("see patient.py:1", ["patient.py:1"]),
        ("PT_ID", ["PT_ID"]),
        ("plain words only", []),
    ],
)
def test_names_and_numbers_are_looked_up(text: str, unknown: list[str]) -> None:
    """A number whole, a name also as a part."""
    assert unknown_claims(text, "PT_NO VARCHAR(20) app/patient.py:12") == unknown
