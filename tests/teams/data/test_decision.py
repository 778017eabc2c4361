"""What a person says in other words: decided only where all of it is used, else offered."""

import pytest

from minerva_data.core.language import korean
from minerva_data.core.language.blanks import without_value_hints
from minerva_data.core.language.sentence import SentenceReader
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Item, Recommended


def answer(lookup: Lookup, ask: str) -> Recommended:
    """Return what is recommended for the one name that a request asks about."""
    (item,) = SentenceReader(lookup).read_items(ask).items
    return lookup.recommend(item)


@pytest.mark.parametrize(
    ("ask", "reason", "first"),
    [
        ("보험 종류 코드", "close_term", "보험유형코드"),
        ("보험 청구 금액", "close_term", "청구금액"),
        ("zip 코드", "close_term", "우편번호"),
        ("total cost of treatment", "close_term", "총진료금액"),
        ("채취 일시", "close_term", "검체채취일시"),
        ("anesthesia type", "no_class_word", "마취유형코드"),
        ("알러지 적는 칸", "no_class_word", "알레르기내용"),
        ("what time did the patient arrive at the ER", "scattered", "응급실내원일시"),
        ("bed number in the ward", "scattered", "병상번호"),
    ],
)
def test_what_misses_a_term_is_offered(lookup: Lookup, ask: str, reason: str, first: str) -> None:
    """A composition beside a term that says the same, or words that are left: a person chooses."""
    found = answer(lookup, ask)

    assert found.reason == reason
    assert found.best is None
    assert found.alternatives[0].logical_name == first


@pytest.mark.parametrize(
    ("ask", "physical"),
    [
        ("환자 입원 일자", "PT_HSPTLZ_YMD"),
        ("환자분 태어난 날은 어느 컬럼에 넣어요?", "PT_BRDT"),
        ("환자 phone 번호", "PT_TELNO"),
        ("환자 메일 주소는 어디에 저장해요?", "PT_EML_ADDR"),
        ("왜 입원했는지 적는 필드", "HSPTLZ_RSN"),
        ("무엇 때문에 입원했는지", "HSPTLZ_RSN"),
        ("담배 피우는지", "SMKNG_YN"),
        ("급여인지 비급여인지 Y/N", "BNFT_YN"),
        ("주상병인지 아닌지 플래그", "MAIN_DGNS_YN"),
        ("격리 중인지", "ISOLT_YN"),
        ("검사 일시(시간 포함)", "EXAM_DT"),
        ("date of prescription, no time", "PRSC_YMD"),
        ("address line 2 (apartment, unit)", "DTL_ADDR"),
        ("patient's DOB", "PT_BRDT"),
        ("how many days of hospital stay", "STAY_DCNT"),
    ],
)
def test_what_is_said_in_full_is_decided(lookup: Lookup, ask: str, physical: str) -> None:
    """Clauses, units, honorifics and words that frame a question leave a name as it is."""
    best = answer(lookup, ask).best

    assert best is not None
    assert best.physical_name == physical


def test_a_name_given_as_a_name_is_composed(lookup: Lookup) -> None:
    """A comment is a name somebody chose: a term close by does not keep it from being composed."""
    best = lookup.recommend(Item(name="X", comment="보험종류코드")).best

    assert best is not None
    assert best.physical_name == "INSR_KIND_CD"


@pytest.mark.parametrize(
    "ask", ["주차 요금 컬럼명", "eye color", "what is the standard name for vehicle license plate?"]
)
def test_the_known_half_of_a_name_is_not_chosen(lookup: Lookup, ask: str) -> None:
    """요금 and license are known; what was asked for is not."""
    items = SentenceReader(lookup).read_items(ask).items

    assert all(lookup.recommend(item).best is None for item in items)


@pytest.mark.parametrize(
    ("clause", "nouns"),
    [
        ("왜 입원했는지", "입원 사유"),
        ("입원했는지 여부", "입원 여부"),
        ("감염자인지 아닌지", "감염 여부"),
        ("언제 입원했는지", "입원 언제"),
        ("며칠 입원했는지", "입원 일수"),
        ("보호자가 누구인지", "보호자 명"),
        ("뭔지 알려줘", "알려줘"),
        ("구분", "구분"),
    ],
)
def test_a_clause_is_said_in_nouns(lookup: Lookup, clause: str, nouns: str) -> None:
    """Only where its noun is known; a question stays one."""
    said = korean.reworded(clause, knows=lookup.concepts.knows)

    assert " ".join(said.split()) == nouns


@pytest.mark.parametrize(
    ("text", "plain", "names"),
    [
        ("환자 키(cm) 컬럼", "환자 키 컬럼", ()),
        ("혈액형 A/B/O 컬럼", "혈액형 컬럼", ()),
        ("아직 못 받은 돈(미수금)", "아직 못 받은 돈", ("미수금",)),
        ("수정일 시간 빼고", "수정일", ()),
        ("use Y/N", "use Y/N", ()),
    ],
)
def test_asides_are_taken_off(text: str, plain: str, names: tuple[str, ...]) -> None:
    """Units and samples are no part of a name; what may be another name is kept."""
    without, kept = without_value_hints(text)

    assert (" ".join(without.split()), kept) == (plain, names)


def test_a_huge_request_is_read_in_time(lookup: Lookup) -> None:
    """Clauses and asides are found without going back and forth over a long text."""
    asked = SentenceReader(lookup).read_items("환자가 왜 " * 5_000 + "(" * 5_000 + "하는지" * 5_000)

    assert asked.truncated
