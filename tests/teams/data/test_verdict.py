"""True if a name is standard: yes, or no with what is standard instead."""

from pathlib import Path

import pytest

from minerva_data import RetrievalAgent
from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.lookup.standard_check import asks_whether_standard
from minerva_data.core.store.store import GlossaryStore
from minerva_data.steps.glossaries import FixedGlossary


@pytest.fixture(scope="module")
def agent(lookup: Lookup) -> RetrievalAgent:
    """Give the worker with the bundled glossary."""
    return RetrievalAgent(FixedGlossary(lookup))


def first_line(agent: RetrievalAgent, request: str) -> str:
    """Return how an answer begins."""
    summary: str = agent.invoke({"request": request})["summary"]
    return summary.splitlines()[0]


@pytest.mark.parametrize(
    ("request_text", "begins"),
    [
        ("Is USE_YN standard?", "Yes: `USE_YN` is standard (사용여부 = USE_YN)"),
        ("USE_YN은 표준이야?", "예. `USE_YN`: 표준입니다(사용여부 = USE_YN)"),
        ("is the name '환자식별자' a standard term", "Yes: `환자식별자` is standard"),
        ("Is USE_AT standard?", "No: `USE_AT` is not standard. The standard is `USE_YN`"),
        ("USE_AT은 표준이야?", "아니요. `USE_AT`: 표준이 아닙니다. 표준은 `USE_YN`(사용여부)"),
        ("PT_HSPTLZ_YMD 표준인가요?", "아니요. `PT_HSPTLZ_YMD`: 이 이름의 표준 용어는 없습니다."),
        ("'환자양자상태'는 표준용어입니까?", "아니요. `환자양자상태`: 표준이 아닙니다. 후보:"),
    ],
)
def test_the_answer_begins_with_yes_or_no(
    agent: RetrievalAgent, request_text: str, begins: str
) -> None:
    """In the person's language, with the term, or with what is standard instead."""
    assert first_line(agent, request_text).startswith(begins)


def test_a_retired_term_is_not_standard(agent: RetrievalAgent) -> None:
    """Its successor is; of a retired term without one, nothing is."""
    replaced = first_line(agent, "차트식별자는 아직 표준인가요?")
    gone = first_line(agent, "Is '환자등급코드' still a standard term?")

    assert replaced.startswith("아니요. `차트식별자`: 폐기된 용어")
    assert "`PT_ID`(환자식별자)" in replaced
    assert gone.startswith("No: `환자등급코드` is not standard, because the term was retired.")


def test_a_retired_row_beside_a_current_one_of_its_name_does_not_count(tmp_path: Path) -> None:
    """A term that was retired and made again is standard by its new name only."""
    file = tmp_path / "office.csv"
    file.write_text(
        "용어명,영문약어명,도메인명,제정차수\n문서명,DCMT_NM,명V100,1차(폐기)\n"
        "문서명,DOC_NM,명V100,2차(폐기후제정)\n",
        encoding="utf-8",
    )
    with GlossaryStore(tmp_path / "glossary.db") as store:
        import_file(store, file, Wanted(name="office"))
        agent = RetrievalAgent(FixedGlossary(Lookup(store.glossary())))

    assert first_line(agent, "Is DOC_NM standard?").startswith("Yes:")
    assert first_line(agent, "Is DCMT_NM standard?").startswith("No:")


def test_the_name_in_use_is_judged_and_not_what_it_means(agent: RetrievalAgent) -> None:
    """`등록일시를 REGIST_DT로 써요, 표준인가요?` asks about REGIST_DT."""
    summary: str = agent.invoke({"request": "등록일시를 REGIST_DT로 쓰고 있어요. 표준인가요?"})[
        "summary"
    ]

    assert summary.startswith(
        "아니요. `REGIST_DT`: 표준이 아닙니다. 표준은 `REG_DT`(등록일시)입니다.\n\n**"
    )


@pytest.mark.parametrize(
    "request_text",
    [
        "USE_AT의 표준명이 뭐야?",
        "어떤 이름을 써야 표준인가요? 환자 이름",
        "환자 이름의 표준 약어를 알려줘",
        "이 컬럼을 표준에 맞게 바꿔줘",
        "What is the standard name of the patient's birth date?",
        "Can you give me the standard name of USE_AT?",
        "Is there a standard name for the patient's name?",
        "standardise USE_AT",
    ],
)
def test_a_question_for_a_name_is_no_question_whether(request_text: str) -> None:
    """Yes would be no answer to it."""
    assert not asks_whether_standard(request_text)
