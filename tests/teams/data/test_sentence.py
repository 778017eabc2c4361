"""Reading which names a sentence asks about, in Korean and English."""

import pytest

from minerva_data.core.glossary.glossary import seed_glossary
from minerva_data.core.language.sentence import MAX_ITEMS, SentenceReader
from minerva_data.core.lookup.lookup import Lookup

LOOKUP = Lookup(seed_glossary())
READER = SentenceReader(LOOKUP)


def read(request: str) -> list[tuple[str, str | None]]:
    """Return what was asked, each with its physical name."""
    names: list[tuple[str, str | None]] = []
    for item in READER.read_items(request).items:
        best = LOOKUP.recommend(item).best
        names.append((item.name, best.physical_name if best else None))
    return names


@pytest.mark.parametrize(
    ("request_text", "physical"),
    [
        ("환자 이름이랑 전화번호, 생년월일의 표준 약어 알려줘", ["PT_NM", "TELNO", "BRDT"]),
        ("환자의 이름과 입원 날짜를 표준화해줘", ["PT_NM", "HSPTLZ_YMD"]),
        ("PT_ID가 뭐야?", ["PT_ID"]),
        ("PAT_NM, BIRTH_DT의 표준명은?", ["PT_NM", "BRDT"]),
        ("입원한 날짜 컬럼은 뭐라고 불러야 해?", ["HSPTLZ_YMD"]),
        ("환자 ID 표준 약어", ["PT_ID"]),
        ("우리 병원 환자 식별 컬럼의 표준 약어", ["PT_ID"]),
        ("이메일 주소 컬럼 이름을 뭘로 하지", ["EML_ADDR"]),
        ("유저명은 표준 용어로 뭐라고 해?", ["USER_NM"]),
        ("입원의 표준 약어", ["HSPTLZ"]),
        ("화면에 나오는 '차트번호' 표준명", ["PT_NO"]),
        ("처방일시, 투약일수 및 약품명에 대한 표준 영문약어와 도메인을 표로 정리해 주세요",
         ["PRSC_DT", "DOSG_DCNT", "DRUG_NM"]),
        ("진단코드하고 진단명 데이터 타입이 어떻게 돼?", ["DGNS_CD", "DGNS_NM"]),
        ("환자 birth date 표준 약어", ["PT_BRDT"]),
        ("What do we call the patient's date of birth and the admission date?",
         ["PT_BRDT", "HSPTLZ_YMD"]),
        ("which domain should the phone number column use?", ["TELNO"]),
        ("What's the abbreviation of admission?", ["HSPTLZ"]),
        ("How should I name a column for mobile phone?", ["MBL_TELNO"]),
        ("the column that identifies the patient: abbreviation and domain, please", ["PT_ID"]),
        ("I'm adding an e-mail field to the patient table. What physical name?", ["EML_ADDR"]),
        ('Standard physical name for "insurance card number"?', ["INSR_CARD_NO"]),
        ("What is the domain of the name of the patient?", ["PT_NM"]),
        ("patient birth date", ["PT_BRDT"]),
    ],
)  # fmt: skip
def test_names_are_found_in_sentences(request_text: str, physical: list[str]) -> None:
    """People frame names in many ways; each name comes out once, in order, and nothing else."""
    assert [name for _, name in read(request_text)] == physical


@pytest.mark.parametrize(
    ("request_text", "unknown"),
    [
        ("환자양자상태의 표준 약어 알려줘", "환자양자상태"),
        ("환자 양자 상태 컬럼 표준명", "환자 양자 상태"),
        ("양자 환자 이름의 표준 약어", "양자 환자 이름"),
        ("standard abbreviation for the quantum state column", "quantum state"),
        ("what is the physical name of 'warp factor'?", "warp factor"),
    ],
)
def test_an_unknown_name_that_is_asked_for_is_not_passed_over(
    request_text: str, unknown: str
) -> None:
    """Silence, or the known half of a name, would answer another question."""
    assert read(request_text) == [(unknown, None)]


@pytest.mark.parametrize(
    "request_text",
    [
        "내일 제주도 가는 비행기 좀 예약해줘",
        (
            "이 병원 스키마의 컬럼을 표준화하고, 이름이 바뀌면 깨지는 코드를 찾고, "
            "개인정보 처리방침을 어기는 곳을 보고해줘."
        ),
        "schema.sql 의 컬럼을 표준화해줘",
        "답변 표는 도메인 우선순위로 정렬해줘",
        "sort the answer table by domain priority",
        "standardise the columns of this schema",
        "",
    ],
)
def test_a_sentence_without_a_name_gives_none(request_text: str) -> None:
    """A name that nobody asked for would be an invention."""
    assert read(request_text) == []


def test_a_column_definition_brings_its_type_and_comment() -> None:
    """What a DBA pastes is a column, not a term."""
    (item,) = READER.read_items("컬럼 USE_AT CHAR(1) '사용여부' 점검해줘").items

    assert (item.name, item.data_type, item.comment) == ("USE_AT", "CHAR(1)", "사용여부")


def test_a_name_asked_twice_is_answered_once() -> None:
    """The spelling does not matter."""
    assert read("환자 이름의 표준 약어, 환자이름의 도메인") == [("환자 이름", "PT_NM")]


def test_a_long_list_is_cut_and_says_so() -> None:
    """More names than an answer can hold are counted, not dropped in silence."""
    names = ", ".join(f"'용어{number}'" for number in range(MAX_ITEMS + 30))

    asked = READER.read_items(f"{names}의 표준 약어")

    assert len(asked.items) == MAX_ITEMS
    assert (asked.total, asked.truncated) == (MAX_ITEMS + 30, True)


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ('abbreviations for "birth date" and "order amount"', ["birth date", "order amount"]),
        ("standard abbreviation for birth date and order amount", ["birth date", "order amount"]),
        ("standard abbreviation for birth date, order amount", ["birth date", "order amount"]),
        ("abbreviation for order date", ["order date"]),
        ("생년월일과 주문금액의 표준 약어", ["생년월일", "주문금액"]),
        ("USE_AT CHAR(1)'사용여부'", ["USE_AT"]),
    ],
)  # fmt: skip
def test_each_name_of_a_list_is_an_item(
    lookup: Lookup, request_text: str, names: list[str]
) -> None:
    """A quotation mark that closes a name opens no comment, and no name is dropped."""
    items = SentenceReader(lookup).read_items(request_text).items

    assert [item.name for item in items] == names


@pytest.mark.parametrize(
    ("request_text", "names"),
    [
        ("the standard for previous ward name, bed rate & note",
         ["previous ward name", "bed rate", "note"]),
        ("names:\n* store rent\n* lease opening month\n* date paid",
         ["store rent", "lease opening month", "date paid"]),
        ("(a) hull number (b) port of call (c) draught",
         ["hull number", "port of call", "draught"]),
        ("Terms: call date, order lead time, pilot no. and berth",
         ["call date", "order lead time", "pilot no.", "berth"]),
        ("which column for mooring date, then tide level, then order number?",
         ["mooring date", "tide level", "order number"]),
        ("선박명|접안 순번|기항지 코드 표준명", ["선박명", "접안 순번", "기항지 코드"]),
        ("좋아하는 향, 재고 수량, 수취인 성명의 약어", ["좋아하는 향", "재고 수량", "수취인 성명"]),
        ("하주와 선주의 관계, 정박 기간, 하역 결과를 표로",
         ["하주와 선주의 관계", "정박 기간", "하역 결과"]),
        ("정박료라든가 예선료라든가 도선 횟수 표준명", ["정박료", "예선료", "도선 횟수"]),
        ("대상은 정박료, 예선료, 선석코드입니다", ["대상은 정박료", "예선료", "선석코드"]),
    ],
)  # fmt: skip
def test_each_name_of_a_list_is_told_as_it_is_typed(request_text: str, names: list[str]) -> None:
    """What stands between two marks is one name, whatever the glossary knows of it."""
    items = READER.read_items(request_text).items

    assert [item.wording or item.name for item in items][: len(names)] == names


def test_what_looks_like_a_name_beside_a_list_is_told_as_unused() -> None:
    """No name is dropped without a word."""
    asked = READER.read_items("예선료 번호를 뭐라 쓰고 정박 기간, 하역 장소는 뭐라 쓰지")

    told = " ".join([*(item.wording or item.name for item in asked.items), *asked.unused])
    assert all(name in told for name in ("예선료 번호", "정박 기간", "하역 장소"))


def test_a_part_of_a_list_brings_its_rest() -> None:
    """A router may give a worker a clause that cuts a list in two."""
    whole = "hull number; mooring date; tide level. I need the column names."

    words = READER.rest_of_list("tide level. I need the column names.", whole)

    assert [item.name for item in READER.read_items(words).items][:3] == [
        "tide level", "hull number", "mooring date",
    ]  # fmt: skip
    assert READER.rest_of_list("check the policy", whole) == "check the policy"


def test_a_long_list_of_other_marks_is_read_at_once() -> None:
    """What stands before a mark is looked at no further than a name is long."""
    asked = READER.read_items("; ".join(f"name {number}" for number in range(1_500)))

    assert len(asked.items) == MAX_ITEMS
    assert (asked.total, asked.truncated) == (1_500, True)
