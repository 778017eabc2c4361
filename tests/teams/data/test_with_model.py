"""A model may say a sentence in terms; only the glossary gives names."""

from typing import Any

import pytest

from minerva_data.retrieval_agent import RetrievalAgent
from minerva_data.team import DataTeam
from minerva_platform import Model, ModelSpec
from minerva_platform.testing import Fault, Reply, ScriptedRouter, scripted_openai_server

VAGUE = "거시기 그 뭐더라 아픈 분들 구별하는 거"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def team_at(url: str | None) -> DataTeam:
    """Return the data team with a scripted model, or without one."""
    team = DataTeam(router=ScriptedRouter(["retrieval_agent"]))
    if url is not None:
        model = Model(ModelSpec(name="openai:scripted", base_url=url, timeout=10.0))
        team.inherit(model=model, router=None)
    return team


def test_a_vague_sentence_is_said_in_terms() -> None:
    """The terms are looked up; the answer cites the glossary, and the others are dropped."""
    said = Reply(json={"terms": ["환자번호", "꾸며낸말뭉치어"]})
    with scripted_openai_server({"Terms": [said]}) as server:
        run = team_at(server.url).invoke({"request": VAGUE})

    assert run["status"] == "ok"
    assert "PT_NO" in run["answer"]
    assert "꾸며낸말뭉치어" not in run["answer"]
    assert run["usage"]["model_calls"] == 1
    assert VAGUE in server.calls[0].prompt


@pytest.mark.parametrize(
    "answer",
    [
        Reply(json={"terms": ["꾸며낸말뭉치어"]}),
        Reply(json={"terms": []}),
        Reply(json={"terms": ["PT_MADE_UP_NO"]}),
        Reply(text="PT_ID"),
        Fault("cut_stream"),
    ],
)
def test_an_invention_is_refused(answer: Any) -> None:
    """The core's answer stands, and the run says what it went without."""
    offline = team_at(None).invoke({"request": VAGUE})
    with scripted_openai_server(lambda _: answer) as server:
        run = team_at(server.url).invoke({"request": VAGUE})

    assert run["status"] == "ok_degraded"
    assert run["answer"].startswith(offline["answer"])
    assert "PT_MADE_UP_NO" not in run["answer"].split("건너뛴")[0]
    assert run["bypassed"][0]["path"] == "data/retrieval_agent"


@pytest.mark.parametrize(
    "request_",
    ["환자 식별 컬럼의 표준 약어와 도메인을 알려줘", "입원일자의 표준 영문 약어가 뭐야?"],
)
def test_what_the_glossary_knows_asks_no_model(request_: str) -> None:
    """The same answer as without one, and no call."""
    offline = team_at(None).invoke({"request": request_})
    with scripted_openai_server([]) as server:
        run = team_at(server.url).invoke({"request": request_})

        assert server.calls == []
    assert (run["status"], run["answer"]) == ("ok", offline["answer"])
