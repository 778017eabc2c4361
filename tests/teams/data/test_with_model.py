"""A model may say a sentence in terms and propose words; only the glossary gives names."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minerva_data.agents.retrieval import RetrievalAgent
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.proposals.decision import Decider
from minerva_data.core.proposals.file import ProposalFile
from minerva_data.core.proposals.model_question import BATCH, MAX_CALLS
from minerva_data.core.proposals.proposal_sheet import FILE
from minerva_data.core.store.store import GlossaryStore
from minerva_data.steps.glossaries import FixedGlossary
from minerva_data.team import DataTeam
from minerva_platform import Model, Task
from minerva_platform.assembly.assemble import Defaults, assemble
from minerva_platform.contract.engine import engine
from minerva_platform.models import ModelSpec
from minerva_platform.testing import Fault, ModelCall, Reply, ScriptedRouter, scripted_openai_server

VAGUE = "거시기 그 뭐더라 아픈 분들 구별하는 거"
UNKNOWN = "환자양자상태의 표준 약어"
QUANTUM = {"number": 1, "word": "양자", "english": "quantum", "abbreviation": "QNTM"}
STATE = {"number": 1, "word": "상태", "english": "condition", "abbreviation": "STTS"}
NO_CLASS = {"class_word": False, "domain_class": None}


def says(*words: dict[str, Any], terms: tuple[str, ...] = ()) -> Reply:
    """Return what a model says about the first unresolved name."""
    readings = [{"number": 1, "terms": list(terms)}] if terms else []
    return Reply(json={"readings": readings, "words": [NO_CLASS | word for word in words]})


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def team_at(url: str | None, *, member: str = "retrieval_agent", timeout: float = 10.0) -> DataTeam:
    """Return the data team with a scripted model, or without one."""
    team = DataTeam(router=ScriptedRouter([member]))
    if url is not None:
        model = Model(ModelSpec(name="openai:scripted", base_url=url, timeout=timeout))
        team.model = model
    return team


def test_a_lookup_of_one_s_own_keeps_no_proposals(lookup: Lookup, minerva_home: Path) -> None:
    """The answer has them; the home of whoever runs it is left alone."""
    with scripted_openai_server({"Suggestions": [says(QUANTUM)]}) as server:
        agent = RetrievalAgent(FixedGlossary(lookup))
        agent.model = Model(ModelSpec(name="openai:scripted", base_url=server.url))
        found = agent.invoke({"request": UNKNOWN})

    assert [one["name"] for one in found["recommendation"]["assistance"]["proposals"]] == ["양자"]
    assert not (minerva_home / FILE).exists()


def test_a_vague_sentence_is_said_in_terms() -> None:
    """The terms are looked up and marked; what the glossary lacks is dropped and counted."""
    said = Reply(json={"terms": ["환자번호", "꾸며낸말뭉치어"]})
    with scripted_openai_server({"Terms": [said]}) as server:
        run = team_at(server.url).invoke({"request": VAGUE})

    assert run["status"] == "ok"
    assert "| 환자번호 | PT_NO | 번호V20 | VARCHAR(20) | 환자정보 | llm 0.25 |" in run["answer"]
    assert "minerva-seed terms.csv T003" in run["answer"]
    assert "용어집에 없는 용어 1개는 뺐습니다." in run["answer"]
    assert "꾸며낸말뭉치어" not in run["answer"]
    assert run["usage"]["model_calls"] == 1
    assert VAGUE in server.calls[0].prompt


def test_the_audit_keeps_what_a_model_said_apart() -> None:
    """It computes every name again, and the mark and the half confidence stay."""
    with scripted_openai_server({"Terms": [Reply(json={"terms": ["환자번호"]})]}) as server:
        run = team_at(server.url, member="post_processor_agent").invoke({"request": VAGUE})

    assert [hop["agent_name"] for hop in run["hops"]][-1] == "auditor_agent"
    assert "| PT_NO | 번호V20 | VARCHAR(20) | 환자정보 | llm 0.25 |" in run["answer"]
    assert "(방법 llm)" in run["answer"]


@pytest.mark.small(3)
@pytest.mark.parametrize(
    "answer",
    [
        Reply(json={"terms": ["꾸며낸말뭉치어"]}),
        Reply(json={"terms": []}),
        Reply(json={"terms": ["PT_MADE_UP_NO"]}),
        Reply(json={"terms": ["HACK환자번호"]}),
        Reply(text="PT_ID"),
        Fault("cut_stream"),
    ],
)
def test_an_invention_is_refused(answer: Any) -> None:
    """The core's answer stands, the run says what it went without, and nobody is asked again."""
    offline = team_at(None).invoke({"request": VAGUE})
    with scripted_openai_server(lambda _: answer) as server:
        run = team_at(server.url).invoke({"request": VAGUE})

        assert {call.schema_name for call in server.calls} == {"Terms"}
    assert run["status"] == "ok"
    assert run["answer"].startswith(offline["answer"])
    assert "MADE_UP" not in run["answer"]
    assert "HACK" not in run["answer"]
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


@pytest.mark.parametrize(
    "request_",
    ["quantum flux의 표준 약어를 좀 알려 줘", "양자상태", "'아픈 분들 구별하는 거'의 약어는 뭐"],
)
def test_a_name_is_never_exchanged_for_another(request_: str) -> None:
    """What a person calls a name stays unresolved, though no word of it is known."""
    with scripted_openai_server(lambda _: says(terms=("환자번호",))) as server:
        run = team_at(server.url).invoke({"request": request_})

        assert [call.schema_name for call in server.calls] == ["Suggestions"]
        assert request_ in server.calls[0].prompt
    assert "찾음 0, 표준 단어로 조합 0, 미해결 1" in run["answer"]
    assert "후보: 환자번호 = PT_NO (llm)" in run["answer"]


def test_an_unresolved_name_stays_so(minerva_home: Path) -> None:
    """A model's reading is a choice for a person; the word that is missing becomes a proposal."""
    said = says(QUANTUM, STATE, terms=("환자상태코드", "환자코드"))
    with scripted_openai_server({"Suggestions": [said]}) as server:
        agent = RetrievalAgent()
        agent.model = Model(ModelSpec(name="openai:scripted", base_url=server.url))
        answer = agent.invoke({"request": UNKNOWN})

    (item,) = answer["recommendation"]["items"]
    assert (item["best"], item["unresolved_parts"]) == (None, ["양자", "상태"])
    first = item["alternatives"][0]
    assert (first["physical_name"], first["method"], first["confidence"]) == ("PT_CD", "llm", 0.25)
    assert {source["source"] for source in first["citations"]} == {"minerva-seed"}
    given = answer["recommendation"]["assistance"]
    counts = ("total", "asked", "truncated", "offered", "dropped")
    assert [given[name] for name in counts] == [1, 1, False, 1, 1]
    assert "- 제안 `p-bedfdfb3`: 양자 = QNTM (quantum) ← 환자양자상태" in answer["summary"]
    assert "용어집에 없으며, 사람이 받아들이기 전에는 쓰이지 않습니다" in answer["summary"]
    kept = ProposalFile(minerva_home).read()
    assert [(one.name, one.abbreviation, one.model) for one in kept] == [
        ("양자", "QNTM", "openai:scripted"),
        ("상태", "STTS", "openai:scripted"),
    ]
    assert (kept[0].places, kept[0].request) == (("환자양자상태",), UNKNOWN)
    assert kept[0].proposed_at.startswith("20")
    (artifact,) = answer["artifacts"]
    assert (artifact["name"], "양자,quantum,QNTM" in artifact["content"]) == (FILE, True)


def test_accepted_words_resolve_the_same_request(minerva_home: Path) -> None:
    """Cited from the organisation's glossary; the model is not asked any more."""
    request = {"request": UNKNOWN}
    with scripted_openai_server({"Suggestions": [says(QUANTUM, STATE)]}) as server:
        before = team_at(server.url, member="post_processor_agent").invoke(request)
        waiting = team_at(server.url).invoke(request)
        assert len(server.calls) == 1
        file = ProposalFile(minerva_home)
        with GlossaryStore(minerva_home / "glossary.db") as store:
            Decider(file, by="kim").accept([one.id for one in file.read()], store)
        after = team_at(server.url).invoke(request)
        assert len(server.calls) == 1

    assert "PT_QNTM_STTS" not in before["answer"] + waiting["answer"]
    assert "**새 단어 제안 2건**" in before["answer"]
    assert "**새 단어 제안 2건**" in waiting["answer"]
    assert FILE in {artifact["name"] for artifact in before["artifacts"]}
    assert "PT_QNTM_STTS" in after["answer"]
    assert "제안" not in after["answer"]


def test_a_rejected_word_is_not_proposed_again(minerva_home: Path) -> None:
    """Neither is the model asked for it: the answer counts the name."""
    only = {"request": "환자양자번호의 표준 약어"}
    with scripted_openai_server({"Suggestions": [says(QUANTUM)]}) as server:
        team_at(server.url).invoke(only)
        file = ProposalFile(minerva_home)
        Decider(file, by="kim").reject([file.read()[0].id], reason="no quanta here")
        run = team_at(server.url).invoke(only)

        assert len(server.calls) == 1
    assert "QNTM" not in run["answer"]
    assert "다시 제안하지 않은 이름 1개" in run["answer"]
    assert (run["status"], file.read()[0].status) == ("ok", "rejected")


def test_a_renamed_proposal_does_not_stand_in_the_way(minerva_home: Path) -> None:
    """The word that a person took another for may be proposed again; the file stays whole."""
    with scripted_openai_server(lambda _: says(QUANTUM)) as server:
        team_at(server.url).invoke({"request": UNKNOWN})
        file = ProposalFile(minerva_home)
        Decider(file, by="kim").edit(file.read()[0].id, name="양자역학", abbreviation="QMECH")
        renamed = file.read()[0]
        Decider(file, by="kim").edit(renamed.id, english="quantum mechanics")
        team_at(server.url).invoke({"request": UNKNOWN})

    assert [(one.name, one.abbreviation) for one in file.read()] == [
        ("양자역학", "QMECH"),
        ("양자", "QNTM"),
    ]


def test_what_was_rejected_holds_no_abbreviation(minerva_home: Path) -> None:
    """A word that nobody wants does not keep a better one from its letters and its English."""
    better = QUANTUM | {"word": "양자상태"}
    with scripted_openai_server({"Suggestions": [says(QUANTUM), says(better)]}) as server:
        team_at(server.url).invoke({"request": UNKNOWN})
        file = ProposalFile(minerva_home)
        Decider(file, by="kim").reject([file.read()[0].id], reason="양자상태 is one word")
        team_at(server.url).invoke({"request": UNKNOWN})

    assert [(one.name, one.status) for one in file.read()] == [
        ("양자", "rejected"),
        ("양자상태", "proposed"),
    ]


def schema(tmp_path: Path, count: int) -> Path:
    """Return a schema of `count` columns, each with another unknown comment, and values in it."""
    path = tmp_path / "schema.sql"
    names = [f"쀍{chr(0xAC00 + 40 * i)}{chr(0xAC10 + 36 * i)}" for i in range(count)]
    columns = ",\n".join(
        f"C{i} VARCHAR(9) COMMENT '{name} (예: 800101-1234567)'" for i, name in enumerate(names)
    )
    path.write_text(f"CREATE TABLE TB_X (\n{columns}\n);\n", encoding="utf-8")
    return path


def test_a_large_schema_costs_a_fixed_number_of_calls(tmp_path: Path) -> None:
    """How many names were asked about, of how many, is said; no value leaves the house."""
    given = {"request": "표준화해줘", "attachments": [str(schema(tmp_path, 200))]}
    with scripted_openai_server(lambda _: Reply(json={"readings": [], "words": []})) as server:
        run = team_at(server.url, member="post_processor_agent").invoke(given)

        assert len(server.calls) == MAX_CALLS
        sent = [json.loads(call.messages[-1]["content"]) for call in server.calls]
    assert [len(batch) for batch in sent] == [BATCH] * MAX_CALLS
    assert set(sent[0][0]) == {"number", "name", "unknown"}
    assert "800101" not in json.dumps(sent)
    assert f"이름 200개 가운데 {BATCH * MAX_CALLS}개를 모델에게 물었습니다." in run["answer"]
    assert "나머지는 묻지 않았습니다." in run["answer"]


def test_secrets_are_masked_before_they_leave(minerva_home: Path) -> None:
    """By the platform's rules, in the prompt and in the file."""
    key = "sk-proj-" + "a1B2" * 12
    with scripted_openai_server(lambda _: says(QUANTUM)) as server:
        team_at(server.url).invoke({"request": f"'환자양자상태'의 표준 약어, key {key}"})
        team_at(server.url).invoke({"request": f"그 뭐더라 거시기 {key} 아픈 분들 구별하는 거"})

        assert key not in "".join(call.prompt for call in server.calls)
    assert key not in (minerva_home / FILE).read_text(encoding="utf-8")


HANGS: Callable[[ModelCall], Any] = lambda _: Fault("hang")  # noqa: E731  # one of the next
BROKEN: list[Callable[[ModelCall], Any]] = [
    lambda _: Fault("server_error"),
    HANGS,
    lambda _: Fault("html_page"),
    lambda _: Reply(text="I would rather say PT_HACK"),
    lambda _: Reply(json={"readings": "none", "words": []}),
    lambda _: Reply(json={"readings": [], "words": [{"word": "양자"}]}),
    lambda _: Reply(json=["양자"]),
]


@pytest.mark.small(3)
@pytest.mark.slow
@pytest.mark.parametrize("script", BROKEN)
def test_a_broken_model_costs_nothing_but_a_sentence(script: Any, minerva_home: Path) -> None:
    """The answer is the one without a model, the bypass is on record, no further call is made."""
    request = {"request": "환자양자상태와 환자명의 표준 약어가 왜 그런지 설명해줘"}
    offline = team_at(None, member="post_processor_agent").invoke(request)
    with scripted_openai_server(script) as server:
        seconds = 2 if script is HANGS else 30  # a busy machine may need long for a whole request
        team = team_at(server.url, member="post_processor_agent", timeout=seconds)
        run = team.invoke(request)

        assert {call.schema_name for call in server.calls} == {"Suggestions"}
    assert run["status"] == "ok"
    assert run["answer"].startswith(offline["answer"])
    assert len(run["bypassed"]) == 1
    assert "PT_HACK" not in run["answer"]
    assert run["artifacts"] == offline["artifacts"]
    assert not (minerva_home / FILE).exists()


def test_a_file_of_proposals_that_is_broken_is_left_alone(minerva_home: Path) -> None:
    """The answer says so; its artifact still holds what was proposed."""
    minerva_home.mkdir()
    (minerva_home / FILE).write_text("somebody's notes\n", encoding="utf-8")
    with scripted_openai_server(lambda _: says(QUANTUM)) as server:
        run = team_at(server.url).invoke({"request": UNKNOWN})

    assert run["status"] == "ok"
    assert "제안을 보관하지 못했습니다" in run["answer"]
    assert FILE in {artifact["name"] for artifact in run["artifacts"]}
    assert (minerva_home / FILE).read_text(encoding="utf-8") == "somebody's notes\n"


def test_a_setting_turns_the_model_off() -> None:
    """For the team's workers, whatever model there is."""
    offline = team_at(None).invoke({"request": UNKNOWN})
    with scripted_openai_server([]) as server:
        team = team_at(server.url)
        settings = team.Settings.model_validate({"ask_model": False})
        led = assemble(team, Defaults(settings))
        run = asyncio.run(engine().run_team(led, Task(request=UNKNOWN))).to_json_dict()

        assert server.calls == []
    assert (run["status"], run["answer"]) == ("ok", offline["answer"])


WHY = {"request": "환자 입원 일자의 표준 약어가 왜 그런지 설명해줘"}


def test_a_reason_is_given_by_the_rows_without_a_model() -> None:
    """Words, domain and source; and only where reasons are asked for."""
    plain = team_at(None).invoke({"request": "퇴원 이유 코드와 환자 입원 일자의 약어"})
    run = team_at(None).invoke(WHY)

    assert "**이유**" not in plain["answer"]
    assert (
        "**이유**\n\n- 환자입원일자 = `PT_HSPTLZ_YMD`: 환자(PT) + 입원(HSPTLZ) + 일자(YMD)의 합성; "
        "도메인 연월일C8 (CHAR(8)); 출처 minerva-seed words.csv W001"
    ) in run["answer"]


def test_reasons_left_out_are_counted() -> None:
    """By whoever explains: five names, of so many."""
    request = {
        "request": "환자명, 환자번호, 입원일자, 퇴원일자, 진단코드, 병원명의 약어를 설명해줘"
    }
    prose = Reply(json={"text": "환자명은 PT_NM입니다."})
    with scripted_openai_server({"Prose": [prose]}) as server:
        runs = [team_at(None).invoke(request), team_at(server.url).invoke(request)]

    assert runs[0]["answer"].count("용어집에 있는 용어;") == 5
    for run in runs:
        assert "이름 6개 가운데 앞의 5개를 설명했습니다." in run["answer"]


def test_a_model_explains_in_names_of_the_glossary() -> None:
    """Its sentences take the place of the rows."""
    text = "`환자`(PT)의 '입원'(HSPTLZ) **일자**(YMD)라서 PT_HSPTLZ_YMD이고, CHAR(8)입니다."
    with scripted_openai_server({"Prose": [Reply(json={"text": text})]}) as server:
        run = team_at(server.url, member="post_processor_agent").invoke(WHY)

    assert run["status"] == "ok"
    assert text.replace("`", "").replace("*", "") in run["answer"]
    assert "(모델이 쓴 글입니다." in run["answer"]
    assert "의 합성" not in run["answer"]


@pytest.mark.parametrize("text", ["환자는 PT_HACK 입니다.", ""])
def test_an_explanation_with_a_stranger_in_it_is_dropped(text: str) -> None:
    """The whole of it: the rows explain, and the run says that it went without."""
    offline = team_at(None).invoke(WHY)
    with scripted_openai_server({"Prose": [Reply(json={"text": text})]}) as server:
        run = team_at(server.url).invoke(WHY)

    assert run["status"] == "ok"
    assert run["answer"].startswith(offline["answer"])
    assert "HACK" not in run["answer"]
