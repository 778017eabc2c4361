"""The bundled glossary beside an imported one: it fills gaps and says none of its own names."""

from pathlib import Path

import pytest

from minerva_data.core.glossary.glossary import SEED_NAME
from minerva_data.core.importing.importer import Wanted, import_file
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Item, Recommended
from minerva_data.core.store.store import GlossaryStore

HEADERS = "용어명,영문약어명,도메인명,이음동의어 목록\n"
TERMS = """\
아이디,ID,명V20,ID
사용자아이디,USER_ID,명V20,사용자ID
세션아이디,SSN_ID,명V20,세션ID
로그인아이디,LGN_ID,명V20,로그인ID
기관명,INST_NM,명V100,기관이름
부서명,DEPT_NM,명V100,부서이름
직원명,EMP_NM,명V100,직원이름
직원번호,EMP_NO,번호V20,
문서번호,DOC_NO,번호V20,
접수번호,RCPT_NO,번호V10,
비고내용,RMRK_CN,내용V4000,
접수내용,RCPT_CN,내용V4000,
문서내용,DOC_CN,내용V4000,
시작일자,BGNG_YMD,연월일C8,
종료일자,END_YMD,연월일C8,
접수일자,RCPT_YMD,연월일C8,
"""
WORDS = """\
단어명,영문약어명,형식단어여부,도메인분류명
기관,INST,N,
부서,DEPT,N,
직원,EMP,N,
문서,DOC,N,
접수,RCPT,N,
비고,RMRK,N,
시작,BGNG,N,
종료,END,N,
명,NM,Y,명
아이디,ID,Y,명
번호,NO,Y,번호
일자,YMD,Y,연월일
"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Lookup:
    """Give the lookup of an office's standard, imported before the bundled glossary."""
    folder = tmp_path_factory.mktemp("office")
    file = folder / "office.csv"
    file.write_text(HEADERS + TERMS, encoding="utf-8")
    words = folder / "words.csv"
    words.write_text(WORDS, encoding="utf-8")
    with GlossaryStore(folder / "glossary.db") as store:
        for path in (file, words):
            import_file(store, path, Wanted(name="office", kind="public", edition="1"))
        return Lookup(store.glossary())


def named(found: Recommended) -> str | None:
    """Return the name that was decided on."""
    return found.best.physical_name if found.best else None


def is_bundled(found: Recommended) -> bool:
    """True if a row of the bundled glossary is cited for the name."""
    return found.best is not None and any(
        source.source == SEED_NAME for source in found.best.citations
    )


@pytest.mark.parametrize(
    ("comment", "physical"),
    [("기관ID", "INST_ID"), ("문서ID", "DOC_ID"), ("문서이름", "DOC_NM"), ("접수 이름", "RCPT_NM")],
)
def test_what_the_imported_glossary_says_it_says_itself(
    office: Lookup, comment: str, physical: str
) -> None:
    """Its 아이디 = ID and its synonyms decide, not the bundled 식별자 for `ID`."""
    found = office.recommend(Item(name="X", comment=comment, table="T"))

    assert named(found) == physical
    assert not is_bundled(found)


def test_a_bundled_term_gives_way_to_an_imported_word(office: Lookup) -> None:
    """비고 is a bundled term; here it is the word of 비고내용, and no name by itself."""
    found = office.recommend(Item(name="RM", comment="비고", table="T"))

    assert found.best is None
    offered = [other.physical_name for other in found.alternatives]
    assert offered[0] == "RMRK"
    assert "RMRK_CN" in offered
    assert all(row.source == "office" for row in found.alternatives[0].citations)


@pytest.mark.parametrize(
    ("item", "offered"),
    [
        (Item(name="A", comment="시작일", table="T"), "BGNG_YMD"),
        (Item(name="C", comment="문서날짜", table="T"), "DOC_YMD"),
        (Item(name="rcpt_date", data_type="DATE", table="shop"), "RCPT_YMD"),
    ],
)
def test_beside_an_imported_glossary_the_bundled_one_decides_on_no_column(
    office: Lookup, item: Item, offered: str
) -> None:
    """Its alias joined with the other's abbreviation is a name of another meaning as often."""
    found = office.recommend(item)

    assert (found.best, found.reason) == (None, "bundled_alias")
    assert found.alternatives[0].physical_name == offered
    assert found.alternatives[0].confidence <= 0.5


@pytest.mark.parametrize(
    "item",
    [
        Item(name="환자식별자"),
        Item(name="환자 주민등록번호"),
        Item(name="PT_ID", table="T"),
        Item(name="created_at", data_type="TIMESTAMP", table="shop"),
        Item(name="B", comment="문서 등록 일시", table="T"),
    ],
)
def test_behind_an_import_the_bundled_glossary_has_no_term(office: Lookup, item: Item) -> None:
    """Neither as a name nor as a candidate, and none of its subject areas."""
    found = office.recommend(item)

    assert found.best is None
    assert {other.citations[0].source for other in found.alternatives} <= {"office"}
    assert not office.glossary.areas - {None}


@pytest.mark.parametrize(
    ("name", "declared", "decided"),
    [
        ("patient_name", "INT", None),
        ("patient_name", "VARCHAR(20)", "PT_NM"),
        ("birth_date", "DATE", "BRDT"),
        ("post_no", "INT", None),
    ],
)
def test_a_reading_agrees_with_the_declared_type(
    lookup: Lookup, name: str, declared: str, decided: str | None
) -> None:
    """Numbers are no names; a date is kept as text, too."""
    found = lookup.recommend(Item(name=name, data_type=declared, table="T"))

    assert named(found) == decided
    assert decided or found.reason == "other_type"


def test_without_an_import_a_name_is_possible(lookup: Lookup) -> None:
    """Nothing has measured how often the bundled glossary is right."""
    found = lookup.recommend(Item(name="PT_ID", comment="환자식별자"))

    assert found.best is not None
    assert found.best.confidence == 0.5


def test_an_english_column_is_no_flag(office: Lookup) -> None:
    """`created_at` of a shop says when, not whether."""
    untyped = office.recommend(Item(name="created_at", table="shop"))

    assert all(not other.physical_name.endswith("_YN") for other in untyped.alternatives)


def test_a_declared_order_may_put_the_bundled_glossary_first(tmp_path: Path) -> None:
    """Whoever names it before the import means it; it is no less sure for that of what it says."""
    file = tmp_path / "office.csv"
    file.write_text(HEADERS + "환자명,PTNT_NM,명V100,\n", encoding="utf-8")
    with GlossaryStore(tmp_path / "glossary.db") as store:
        import_file(store, file, Wanted(name="office"))
        first = Lookup(store.glossary([SEED_NAME, "office"])).best("환자명")
        last = Lookup(store.glossary()).best("환자명")

    assert first is not None
    assert last is not None
    assert (first.physical_name, last.physical_name) == ("PT_NM", "PTNT_NM")


@pytest.mark.parametrize(
    ("comment", "reason"), [("환자등록", "no_class_word"), ("접수 진단", "no_class_word")]
)
def test_a_name_that_the_audit_rejects_is_a_candidate(
    lookup: Lookup, comment: str, reason: str
) -> None:
    """Without a class word there is no domain: a person decides, and no rename is made."""
    found = lookup.recommend(Item(name="X", comment=comment, table="T"))
    asked = lookup.recommend(Item(name=comment))

    assert (found.best, found.reason) == (None, reason)
    assert asked.best is not None
    assert asked.best.physical_name in {other.physical_name for other in found.alternatives}


def test_a_type_that_is_a_domain_of_the_class_is_no_difference(office: Lookup) -> None:
    """번호V10 is a domain of 번호: a column of VARCHAR(10) has it, another length is a finding."""
    ten = office.recommend(Item(name="X", comment="기관번호", data_type="VARCHAR(10)", table="T"))
    six = office.recommend(Item(name="X", comment="기관번호", data_type="VARCHAR(6)", table="T"))

    assert ten.best is not None
    assert six.best is not None
    assert (ten.best.domain, six.best.domain) == ("번호V10", None)
    assert six.best.domains == ("번호V20", "번호V10")
