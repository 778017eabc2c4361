"""What is said of a name must be so: doubt makes a choice, and no part of a name is lost."""

from pathlib import Path

import pytest

from minerva_data import standardise
from minerva_data.agents.retrieval import RetrievalAgent
from minerva_data.answers.audit import audit_text, clean_text
from minerva_data.contracts import AuditReport
from minerva_data.core.audit.auditing import audit
from minerva_data.core.audit.rule import Standard
from minerva_data.core.audit.table import standard_rows
from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.language.question_form import unserved_forms
from minerva_data.core.language.text import is_description
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.lookup.overlap import as_candidate, is_foreign
from minerva_data.core.schema.record import Item
from minerva_data.core.store.store import GlossaryStore

WORDS = """\
단어명,영문약어명,영문명,형식단어여부,도메인분류명,이음동의어 목록
항목,ARTCL,Item,N,,
부,YN,,N,,
자재,MTRL,Material,N,,
조직,ORGNZ,Organization,N,,생검
조직,TISS,Tissue,N,,
결과,RSLT,Result,N,,
Phone,PHN,,N,,telephone
Order,ORD,,N,,
주소,ADDR,Address,Y,주소,
명,NM,Name,Y,명,
수량,QTY,Quantity,Y,수량,
번호,NO,Number,Y,번호,
"""
TERMS = """\
용어명,영문약어명,도메인명,이음동의어 목록
주소,ADDR,주소V200,
항목명,ARTCL_NM,명V100,제목
자재명,MTRL_NM,명V100,제목
수량,QTY,수량N10,
Order Number,ORD_NO,번호V20,
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Lookup:
    """Give the lookup of a standard with declared words in Korean and English."""
    folder = tmp_path_factory.mktemp("shop")
    with GlossaryStore(folder / "glossary.db") as store:
        for name, text in (("words.csv", WORDS), ("terms.csv", TERMS)):
            (folder / name).write_text(text, encoding="utf-8")
            for _ in range(2):  # a second import changes nothing
                import_file(store, folder / name, Wanted(name="shop", edition="1"))
        return Lookup(store.glossary())


@pytest.mark.parametrize(
    ("item", "reason", "parts"),
    [
        (Item(name="QWX항목명"), "unknown_words", ("QWX",)),
        (Item(name="부자재수량"), "refused", ("부",)),
        (Item(name="A", comment="주소/항목명", table="T"), "several_names", ("주소", "항목명")),
        (Item(name="주소 및 수량"), "several_names", ("주소", "수량")),
        (Item(name="조직명"), "ambiguous", ("조직명", "조직명")),
        (Item(name="생검명"), "ambiguous", ("조직명", "조직명")),
        (Item(name="제목"), "ambiguous", ("항목명", "자재명")),
    ],
)
def test_a_doubtful_name_is_a_choice(
    shop: Lookup, item: Item, reason: str, parts: tuple[str, ...]
) -> None:
    """What is unknown, half a word, one of two things or of two meanings decides on no name."""
    found = shop.recommend(item)

    assert (found.best, found.reason, found.unresolved_parts) == (None, reason, parts)


def test_a_word_with_two_meanings_offers_both(shop: Lookup) -> None:
    """The second row of 조직 contradicts the first; neither is dropped."""
    offered = {other.physical_name for other in shop.recommend(Item(name="조직명")).alternatives}

    assert {"ORGNZ_NM", "TISS_NM"} <= offered


@pytest.mark.parametrize(
    ("name", "physical"),
    [
        ("order_number", "ORD_NO"),
        ("Order Number", "ORD_NO"),
        ("phone_number", "PHN_NO"),
        ("telephone_number", "PHN_NO"),
        ("material_quantity", "MTRL_QTY"),
        ("자재 수량", "MTRL_QTY"),
    ],
)
def test_the_words_of_an_import_are_looked_up(shop: Lookup, name: str, physical: str) -> None:
    """By name, English and synonym, in a phrase and in a column's name alike."""
    best = shop.recommend(Item(name=name)).best

    assert best is not None
    assert best.physical_name == physical


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("The phone number at the address", True),
        ("phone number of the billing address", True),
        ("회원이 등록한 주소를 저장한다", True),
        ("date of birth", False),
        ("환자 주민등록번호", False),
    ],
)
def test_a_clause_describes_and_names_nothing(comment: str, *, expected: bool) -> None:
    """A comment of a clause's words is no name."""
    assert is_description(comment) is expected


def test_a_description_stands_beside_the_name(shop: Lookup) -> None:
    """The column's own name is read, whatever the comment tells."""
    told = Item(name="phone_number", comment="The material at the address", table="T")

    best = shop.recommend(told).best

    assert best is not None
    assert best.physical_name == "PHN_NO"


def test_the_bundled_glossary_is_silent_on_a_foreign_schema(lookup: Lookup) -> None:
    """What it would say are candidates; it speaks for a hospital, and for names without a table."""
    names = ("order_date", "customer_name", "discount_rate", "status_code", "sku", "warehouse")
    foreign = [Item(name=name, table="orders") for name in names]
    own = [Item(name="A", comment=text, table="T") for text in ("환자명", "입원일자", "창고")]

    silent = [as_candidate(lookup.recommend(item)) for item in foreign]

    assert (is_foreign(lookup, foreign), is_foreign(lookup, own)) == (True, False)
    assert not is_foreign(lookup, [Item(name="환자명")])
    assert all(found.best is None for found in silent)
    assert {"foreign_schema"} < {found.reason for found in silent}


@pytest.mark.parametrize(
    ("request_text", "forms"),
    [
        ("환자 관련 용어 목록을 보여줘", ("list",)),
        ("list all the terms about patients", ("list",)),
        ("접수번호의 정의가 뭐야?", ("definition",)),
        ("What does admission date mean?", ("definition",)),
        ("성별코드의 허용값을 알려줘", ("values",)),
        ("allowed values of the gender code", ("values",)),
        ("폐기된 용어를 알려줘", ("retired",)),
        ("which terms are retired?", ("list", "retired")),
        ("환자 이름의 표준 약어와 도메인을 알려줘", ()),
        ("standard name and domain of admission date", ()),
        ("이 스키마의 컬럼을 표준 용어로 바꿔줘", ()),
    ],
)
def test_a_question_that_is_not_served_is_known(request_text: str, forms: tuple[str, ...]) -> None:
    """A list, a definition, values and retired terms are no names."""
    assert unserved_forms(request_text) == forms


def test_the_answer_says_what_it_does_not_answer() -> None:
    """Before the names that it has."""
    answer = RetrievalAgent().invoke({"request": "환자번호의 정의가 뭐야?"})["summary"]

    assert answer.index("용어의 정의: 답하지 않는 질문입니다") < answer.index("PT_NO")


def test_an_audit_says_how_much_it_judged(lookup: Lookup) -> None:
    """`Nothing` is said of the names that have a standard name, and of no other."""
    items = [Item(name="환자명"), Item(name="환자양자상태"), Item(name="양자")]
    rows = standard_rows(map(lookup.recommend, items), style="UPPER_SNAKE")

    done = audit(rows, Standard(lookup), priority=())

    assert (done.judgements, done.total, done.findings) == (1, 3, ())
    text = audit_text(AuditReport.model_validate(done, from_attributes=True), "en")
    assert text.startswith("The audit judged the 1 of 3 names that have a standard name")
    assert clean_text(0, 3, "en").startswith("The audit judged none of the 3 names")


def test_a_composed_name_is_no_term(tmp_path: Path) -> None:
    """It is counted as composed, and never as found."""
    with standardise("환자명", "환자 입원 일자", out=tmp_path / "out") as done:
        assert done.tally.by_status == {"found": 1, "composed": 1}
