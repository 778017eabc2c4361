"""Words of a request that the answer does not take into account."""

from pathlib import Path

import pytest

from minerva_data import RetrievalAgent
from minerva_data.answers.table import unread_reason
from minerva_data.core.language.sentence import SentenceReader
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Unparsed
from minerva_data.steps.glossaries import FixedGlossary
from minerva_data.steps.restrictions import read_apart


@pytest.fixture(scope="module")
def reader(lookup: Lookup) -> SentenceReader:
    """Give a reader of sentences with the bundled glossary."""
    return SentenceReader(lookup)


@pytest.mark.parametrize(
    ("request_text", "name", "unused"),
    [
        ("민원 접수 테이블의 등록일시 표준명 알려줘", "등록일시", ("민원 접수 테이블",)),
        ("입원 환자 테이블에 환자명 컬럼 표준 약어는?", "환자명", ("입원 환자 테이블",)),
        ("외래 예약 화면에 있는 환자번호 표준 약어", "환자번호", ("외래 예약 화면",)),
        ("병동 관리 시스템의 입원일자는 표준으로 뭐야", "입원일자", ("병동 관리 시스템",)),
        ("standard name of the birth date column in the patient table", "birth date",
         ("in the patient table",)),
        ("The admission table has 입원일자. What is its standard name?", "입원일자",
         ("The admission table has",)),
        ("What is the standard name of 'patient name' for the emergency ward?", "patient name",
         ("emergency ward",)),
    ],
)  # fmt: skip
def test_what_says_where_or_which_is_told_and_not_glued(
    reader: SentenceReader, request_text: str, name: str, unused: tuple[str, ...]
) -> None:
    """A table's name makes no other column of 등록일시; that it changed nothing is said."""
    asked = reader.read_items(request_text)

    assert [item.name for item in asked.items] == [name]
    assert asked.unused == unused


@pytest.mark.parametrize(
    ("request_text", "name", "unused"),
    [
        ("the abbreviation of 'patient name', in module billing", "patient name",
         ("in module billing",)),
        ("작년에 추가된 컬럼만 '환자명'처럼 표준화해줘", "환자명", ("작년에 추가된 컬럼만",)),
        ("20세 미만 학생만 쓰는 전화번호 표준 약어", "전화번호", ("20세 미만 학생만 쓰는",)),
        ("눈 많은 날 예약한 환자의 환자번호 표준명", "환자 환자번호", ("눈 많은 날 예약한",)),
        ("환자번호 표준명을 박 대리님 메일로 보내줘", "환자번호", ("박 대리님 메일로 보내줘",)),
        ("standard name of 환자번호 according to the memo Sam sent today", "환자번호",
         ("according to the memo Sam sent today",)),
        ("메일로 발송한 일시의 표준명", "메일 발송한 일시", ()),
        ("환자가 작성한 서명의 표준명", "환자 작성한 서명", ()),
    ],
)  # fmt: skip
def test_a_restriction_is_no_part_of_a_name(
    reader: SentenceReader, request_text: str, name: str, unused: tuple[str, ...]
) -> None:
    """Who, when, how old and where to is taken off before names are read, and told."""
    asked = read_apart(request_text, reader)

    assert name in {item.name for item in asked.items}
    assert asked.unused == unused


@pytest.mark.parametrize(
    "request_text",
    [
        "Please give me the standard abbreviation of patient name, thanks",
        "환자 이름의 표준 약어와 도메인을 알려줘",
        "혹시 'PAT_NM' 표준명 좀 알려주실 수 있나요?",
        "코드 그룹 식별자의 길이는?",
        "PAT_NM, HSPTL_TELNO 표준 약어 알려줘",
        "이 병원 스키마의 컬럼을 표준화해줘",
        "우리 테이블의 환자명 표준명 알려줘",
        "standard column name and types of TB_ADMISSION, please",
    ],
)
def test_a_manner_of_asking_is_not_unused(reader: SentenceReader, request_text: str) -> None:
    """A false alarm would teach people to overlook the line."""
    assert reader.read_items(request_text).unused == ()


def test_a_term_that_holds_a_screen_s_word_stays_whole(reader: SentenceReader) -> None:
    """`파일 경로` is no path in a table `파일`."""
    assert [item.name for item in reader.read_items("파일 경로의 표준 약어").items] == ["파일 경로"]


def test_the_worker_hands_them_on(lookup: Lookup, tmp_path: Path) -> None:
    """Of a request in words, and of one with a schema, whose columns are all taken."""
    schema = tmp_path / "s.sql"
    schema.write_text("CREATE TABLE T (PAT_NM VARCHAR(10));", encoding="utf-8")
    agent = RetrievalAgent(FixedGlossary(lookup))

    in_words = agent.invoke({"request": "입원 테이블의 환자명 표준 약어"})
    with_schema = agent.invoke(
        {"request": "standardise only the columns added last year", "schemas": [str(schema)]}
    )
    plain = agent.invoke({"request": "standardise this schema", "schemas": [str(schema)]})

    assert in_words["unused"] == ["입원 테이블"]
    assert with_schema["unused"] == ["only the columns added last year"]
    assert plain["unused"] == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("column A of T is defined twice; the first is used", "T.A: 두 번 있어 처음 것을 씀"),
        ("table 회원 is in b.sql too; that one is used", "회원: b.sql에도 있어 그 정의를 씀"),
        ("Expecting ). Line 3, Col: 14.", "SQL 문을 이해하지 못함"),
        ("읽을 수 있는 테이블 정의가 없음", "읽을 수 있는 테이블 정의가 없음"),
    ],
)
def test_a_korean_answer_says_in_korean_what_was_not_read(error: str, said: str) -> None:
    """No English sentence stands in it; an English answer says what the reader said."""
    problem = Unparsed(file="a.sql", line=3, error=error, statement="CREATE …")

    assert unread_reason(problem, "ko") == said
    assert unread_reason(problem, "en") == error


def test_an_answer_in_korean_holds_no_english_sentence(lookup: Lookup, tmp_path: Path) -> None:
    """A schema with a broken statement and a column that is there twice, in Korean."""
    schema = tmp_path / "s.sql"
    schema.write_text(
        "CREATE TABLE T (PAT_NM VARCHAR(10), PAT_NM VARCHAR(20));\nCREATE TABLE U (A (;\n",
        encoding="utf-8",
    )

    done = RetrievalAgent(FixedGlossary(lookup)).invoke(
        {"request": "표준화해줘", "schemas": [str(schema)]}
    )

    listed = done["summary"][done["summary"].index("읽지 못한 SQL 문") :].splitlines()
    reasons = [line.split(": ", 1)[1].split(" (")[0] for line in listed if line.startswith("- ")]
    assert reasons
    assert not any(" the " in f" {reason} " or " is " in reason for reason in reasons)


def test_an_old_workbook_is_unreadable_and_told_how_to_save_it(
    lookup: Lookup, tmp_path: Path
) -> None:
    """`.xls` is another format than `.xlsx`."""
    old = tmp_path / "codes.xls"
    old.write_bytes(b"\xd0\xcf\x11\xe0")

    done = RetrievalAgent(FixedGlossary(lookup)).invoke(
        {"request": "'환자명' 표준 약어", "schemas": [str(old)]}
    )

    assert [(use["status"], use["reason"]) for use in done["files"]] == [
        ("unreadable", "옛 Excel 형식(.xls)임. .xlsx로 저장해야 함")
    ]


def test_a_list_of_columns_and_what_they_are_is_a_list(lookup: Lookup, tmp_path: Path) -> None:
    """`컬럼` and `설명` say so together."""
    listed = tmp_path / "list.csv"
    listed.write_text("컬럼,설명\nb_dt,생년월일\n", encoding="utf-8")

    done = RetrievalAgent(FixedGlossary(lookup)).invoke(
        {"request": "표준화해줘", "schemas": [str(listed)]}
    )

    assert [use["status"] for use in done["files"]] == ["used"]
