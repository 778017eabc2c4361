"""Each worker alone, by `.invoke`, and the three one after another."""

from pathlib import Path
from typing import Any

import pytest

from minerva_data import AuditorAgent, PostProcessorAgent, RetrievalAgent
from minerva_data.agents.retrieval import NothingAskedError
from minerva_data.settings import Preferences
from minerva_platform import BindingError


def through(request: str, **given: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return what the three workers answer, each fed by the one before."""
    found = RetrievalAgent().invoke({"request": request, **given})
    table = PostProcessorAgent().invoke(
        {"request": request, "recommendation": found["recommendation"]}
    )
    audited = AuditorAgent().invoke({"request": request, "table": table["table"]})
    return found, table, audited


def test_items_may_be_given_as_plain_names() -> None:
    """A caller with a list of names needs no sentence around them."""
    answer = RetrievalAgent().invoke({"items": ["환자 이름", {"name": "Q", "comment": "양자"}]})

    found = answer["recommendation"]["items"]
    assert found[0]["best"]["physical_name"] == "PT_NM"
    assert found[1]["best"] is None
    assert answer["recommendation"]["total"] == 2


def test_the_words_around_a_part_are_read_when_the_part_has_no_name() -> None:
    """A clause may lack the name that the whole sentence has."""
    answer = RetrievalAgent().invoke(
        {"request": "도메인도 알려줘", "context": "환자 이름의 표준 약어를 찾고 도메인도 알려줘"}
    )

    names = [found["best"]["physical_name"] for found in answer["recommendation"]["items"]]
    assert names == ["PT_NM"]


def test_every_statement_is_cited() -> None:
    """The glossary rows come with the answer, each once."""
    answer = RetrievalAgent().invoke({"request": "patient birth date"})

    quotes = [citation["quote"] for citation in answer["citations"]]
    assert len(quotes) == len(set(quotes))
    assert any("환자생년월일 = PT_BRDT" in quote for quote in quotes)
    assert {citation["source"] for citation in answer["citations"]} == {"minerva-seed"}


@pytest.mark.parametrize(
    ("request_text", "words"),
    [
        ("환자 이름의 표준 약어 알려줘", ("논리명", "도메인", "주제영역", "미해결 0")),
        (
            "standard abbreviation of patient name",
            ("Logical name", "Domain", "Subject area", "unresolved 0"),
        ),
    ],
)
def test_the_answer_is_in_the_language_of_the_request(
    request_text: str, words: tuple[str, ...]
) -> None:
    """Both meanings of 도메인 have their own column, in either language."""
    _, table, audited = through(request_text)

    for answer in (table, audited):
        assert all(word in answer["summary"] for word in words)
        assert "PT_NM" in answer["summary"]


@pytest.mark.parametrize(
    ("request_text", "hint"), [("표준화해줘", "따옴표"), ("standardise it", "quotation marks")]
)
def test_a_request_without_a_name_says_how_to_ask(request_text: str, hint: str) -> None:
    """The first worker has failed then, so that a script can tell; the others say the same."""
    with pytest.raises(NothingAskedError, match=hint):
        RetrievalAgent().invoke({"request": request_text})
    table = PostProcessorAgent().invoke(
        {"request": request_text, "recommendation": {"items": (), "total": 0}}
    )
    audited = AuditorAgent().invoke({"request": request_text, "table": table["table"]})
    assert hint in table["summary"]
    assert hint in audited["summary"]


def test_a_schema_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Whoever attached one is not told to attach one, but what is wrong with it."""
    (tmp_path / "c.sql").write_bytes(b"\xff\xfe\xff\xff")
    answer = RetrievalAgent().invoke(
        {"request": "standardise it", "schemas": [str(tmp_path / "c.sql")]}
    )

    assert "c.sql is neither UTF-8 nor cp949" in answer["summary"]
    assert "attach a schema" not in answer["summary"]


def test_a_schema_is_planned_column_by_column(hospital_schema: Path) -> None:
    """All 45 columns once; the files hold all of them, the answer says how many it shows."""
    found, table, audited = through("컬럼을 표준화해줘", schemas=[str(hospital_schema)])

    assert found["recommendation"]["total"] == 45
    columns = audited["plan"]["columns"]
    assert len({(column["table"], column["column"]) for column in columns}) == len(columns) == 45
    assert {column["status"] for column in columns} == {"renamed", "standard", "unresolved"}
    assert all((c["physical_name"] is None) == (c["status"] == "unresolved") for c in columns)
    files = {artifact["name"]: artifact["content"] for artifact in table["artifacts"]}
    assert set(files) == {
        "standard_table.md",
        "mapping.csv",
        "contract.odcs.yaml",
        "schema.yml",
    }
    assert len(files["mapping.csv"].splitlines()) == 46
    assert audited["migration"]["sql"].count("ALTER TABLE") == 32
    assert "45건 가운데 15건" in audited["summary"]
    assert "변경 32 · 이미 표준 12 · 미해결 1 = 45" in audited["summary"]


def test_terms_are_no_rename_plan() -> None:
    """A question about a name changes no schema."""
    *_, audited = through("환자 이름의 표준 약어")

    assert audited["plan"] is None


def test_the_order_the_request_states_is_followed() -> None:
    """The words may stand in another member's part of the request."""
    found = RetrievalAgent().invoke({"items": ["청구금액", "사용여부", "환자명"]})

    table = PostProcessorAgent().invoke(
        {
            "request": "표로 정리해줘",
            "context": "약어를 찾고 공통, 청구정보 순으로 표로 정리해줘",
            "recommendation": found["recommendation"],
        }
    )

    rows = table["table"]["rows"]
    assert [row["physical_name"] for row in rows] == ["USE_YN", "CLM_AMT", "PT_NM"]


def test_an_organisation_may_prefer_another_style() -> None:
    """The preferences decide where the request says nothing; the audit agrees with them."""
    found = RetrievalAgent().invoke({"items": ["환자 입원 일자"]})
    agent = PostProcessorAgent(
        preferences=Preferences(physical_style="camel", domain_priority=("공통",))
    )

    table = agent.invoke({"recommendation": found["recommendation"]})["table"]
    report = AuditorAgent().invoke({"table": table})["report"]

    assert table["rows"][0]["physical_name"] == "ptHsptlzYmd"
    assert table["priority"] == ["공통"]
    assert report["corrections"] == 0


def test_the_auditor_rewrites_the_files_of_a_wrong_table(hospital_schema: Path) -> None:
    """What was tampered with on the way is corrected in the plan and in every file."""
    _, table, _ = through("표준화", schemas=[str(hospital_schema)])
    table["table"]["rows"][0]["physical_name"] = "EVIL"

    audited = AuditorAgent().invoke({"table": table["table"], "language": "en"})

    files = {artifact["name"]: artifact["content"] for artifact in audited["artifacts"]}
    assert "EVIL" not in audited["migration"]["sql"] + files["mapping.csv"]
    assert "EVIL" in files["audit.csv"]
    assert all(column["physical_name"] != "EVIL" for column in audited["plan"]["columns"])


def test_several_files_are_one_schema(tmp_path: Path) -> None:
    """A table that two files create counts once; a file that cannot be read is reported."""
    (tmp_path / "a.sql").write_text("CREATE TABLE T (PAT_NM int);", encoding="utf-8")
    (tmp_path / "b.ddl").write_text("CREATE TABLE t (X int); CREATE TABLE U (USE_YN char(1));")
    (tmp_path / "c.sql").write_bytes(b"\xff\xfe\xff\xff")
    files = [str(tmp_path / name) for name in ("a.sql", "b.ddl", "c.sql", "gone.sql")]

    recommendation = RetrievalAgent().invoke({"schemas": files})["recommendation"]

    places = [(f["item"]["table"], f["item"]["name"]) for f in recommendation["items"]]
    assert places == [("T", "PAT_NM"), ("U", "USE_YN")]
    assert [one["file"] for one in recommendation["unparsed"]] == ["b.ddl", "c.sql", "gone.sql"]


def test_a_missing_table_is_a_typed_error() -> None:
    """The auditor names the field it cannot do without."""
    with pytest.raises(BindingError, match="`table`"):
        AuditorAgent().invoke({"request": "감사해줘"})


def test_the_examples_train_three_different_workers() -> None:
    """Twenty or more each, in both languages, none shared."""
    workers = (RetrievalAgent, PostProcessorAgent, AuditorAgent)
    every = [text for worker in workers for text in worker.examples]
    assert len(every) == len(set(every))
    for examples in (worker.examples for worker in workers):
        korean = [text for text in examples if any("가" <= char <= "힣" for char in text)]
        assert len(examples) >= 20
        assert len(korean) >= 8
        assert len(examples) - len(korean) >= 8


@pytest.mark.parametrize(
    ("name", "content", "status", "reason"),
    [
        ("a.sql", b"CREATE TABLE T (USE_AT CHAR(1));", "used", ""),
        ("a.csv", "테이블명,컬럼명,컬럼한글명\nT,USE_AT,사용여부\n".encode("cp949"), "used", ""),
        ("a.sql", b"\xff\xff\xff", "unreadable", "UTF-8도 cp949도 아님"),
        ("a.csv", b"\xff\xff\xff", "unreadable", "UTF-8도 cp949도 아님"),
        ("a.xlsx", b"PK no workbook", "unreadable", "손상되었거나 형식이 맞지 않음"),
        (
            "a.sql",
            b"ALTR TABLE T;",
            "not_understood",
            "읽을 수 있는 테이블 정의(CREATE TABLE)가 없음 (1행부터 확인)",
        ),
        (
            "a.ddl",
            b"INSERT INTO T VALUES (1);",
            "not_understood",
            "읽을 수 있는 테이블 정의(CREATE TABLE)가 없음",
        ),
        (
            "a.csv",
            b"name,age\nkim,3\n",
            "not_understood",
            "컬럼 목록이 아님 (컬럼명 머리글이 없음)",
        ),
    ],
)
def test_every_attached_file_is_named(
    tmp_path: Path, name: str, content: bytes, status: str, reason: str
) -> None:
    """As used, unreadable or not understood, whatever its ending; and the run goes on."""
    (tmp_path / name).write_bytes(content)
    answer = RetrievalAgent().invoke(
        {"request": "환자명의 표준명 알려줘", "schemas": [str(tmp_path / name)]}
    )

    assert [(one["name"], one["status"], one["reason"]) for one in answer["files"]] == [
        (name, status, reason)
    ]


def test_a_file_that_cannot_be_read_asks_for_no_name(tmp_path: Path) -> None:
    """`this file` is what cannot be read; its problem is the answer."""
    (tmp_path / "a.sql").write_bytes(b"ALTR TABLE T;")
    answer = RetrievalAgent().invoke(
        {"request": "standardise this file", "schemas": [str(tmp_path / "a.sql")]}
    )

    assert answer["recommendation"]["items"] == []
    assert "a.sql:1" in answer["summary"]


def test_a_file_that_holds_no_column_is_named_first(tmp_path: Path) -> None:
    """Not how to put a name in quotation marks: the person attached a file."""
    empty, broken = tmp_path / "empty.csv", tmp_path / "broken.sql"
    empty.write_text("")
    broken.write_text("CREATE TABLE T (A INT")
    asked = {"request": "standardise these columns"}

    with pytest.raises(NothingAskedError, match=r"from `empty\.csv`: it is empty; save"):
        RetrievalAgent().invoke({**asked, "schemas": [str(empty)]})
    said = RetrievalAgent().invoke({**asked, "schemas": [str(broken)]})["summary"]
    assert said.startswith("No column could be read from what is attached. Correct")
    assert "broken.sql:1: the bracket" in said
