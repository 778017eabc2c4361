"""The acceptance examples of the design, one test each, exactly."""

import pytest

from minerva_data import AuditorAgent, RetrievalAgent
from minerva_data.core.audit.auditing import audit
from minerva_data.core.audit.rule import Standard
from minerva_data.core.audit.table import standard_rows
from minerva_data.core.glossary.glossary import Glossary
from minerva_data.core.lookup.lookup import Lookup
from minerva_data.core.schema.record import Candidate, Item, Row


def best_of(lookup: Lookup, item: Item) -> Candidate:
    """Return the recommended name, which must be there."""
    best = lookup.recommend(item).best
    assert best is not None
    return best


def findings_of(lookup: Lookup, item: Item) -> set[tuple[str, str, str]]:
    """Return rule, before and after of each finding on one column."""
    rows = standard_rows([lookup.recommend(item)], style="UPPER_SNAKE")
    result = audit(rows, Standard(lookup), priority=())
    return {(found.rule, found.before, found.after) for found in result.findings}


def test_a_term_of_the_organisation_is_found_as_it_is(lookup: Lookup) -> None:
    """A1: the term table answers with everything it says, fully certain, with its row."""
    best = best_of(lookup, Item(name="환자식별자"))

    assert (best.physical_name, best.domain, best.data_type) == ("PT_ID", "번호V20", "VARCHAR(20)")
    assert (best.subject_area, best.method, best.confidence) == ("환자정보", "term_exact", 0.5)
    assert best.citations[0].source == "minerva-seed"
    assert best.citations[0].row == 1
    assert "환자식별자 = PT_ID" in best.citations[0].quote


def test_words_with_spaces_compose_a_name(lookup: Lookup) -> None:
    """A2: a name that no term has is the abbreviations of its words, domain by the last."""
    best = best_of(lookup, Item(name="환자 입원 일자"))

    assert best.logical_name == "환자입원일자"
    assert best.physical_name == "PT_HSPTLZ_YMD"
    assert [hit.word for hit in best.words] == ["환자", "입원", "일자"]
    assert (best.domain, best.data_type, best.method) == ("연월일C8", "CHAR(8)", "composed")


def test_an_alias_leads_to_the_class_word(lookup: Lookup) -> None:
    """A3: 이름 is read as 명, so the term 환자명 is found."""
    best = best_of(lookup, Item(name="환자 이름"))

    assert (best.logical_name, best.physical_name) == ("환자명", "PT_NM")
    assert best.domain == "명V100"


def test_english_reaches_the_same_name_and_the_path_is_cited(lookup: Lookup) -> None:
    """A4: an answer to an English request quotes which Korean words were read."""
    best = best_of(lookup, Item(name="patient birth date"))

    assert (best.physical_name, best.domain) == ("PT_BRDT", "연월일C8")
    quotes = " ".join(citation.quote for citation in best.citations)
    assert "patient → 환자" in quotes
    assert "birth date → 생년월일" in quotes


def test_unknown_words_are_refused(lookup: Lookup) -> None:
    """A5: no physical name is given, and the parts in the way are named."""
    found = lookup.recommend(Item(name="환자양자상태"))

    assert found.best is None
    assert found.unresolved_parts == ("양자", "상태")
    assert all(other.method == "fuzzy" for other in found.alternatives)


def test_a_column_name_against_its_comment(lookup: Lookup) -> None:
    """A6: USE_AT is renamed to USE_YN; its type fits, so nothing is said of it."""
    item = Item(name="USE_AT", data_type="CHAR(1)", comment="사용여부")

    assert findings_of(lookup, item) == {("N1", "USE_AT", "USE_YN")}


def test_a_type_against_its_domain(lookup: Lookup) -> None:
    """A7: a date and time kept as text is a D2 finding, though the name is right."""
    item = Item(name="REG_DT", data_type="VARCHAR(8)", comment="등록일시")

    assert findings_of(lookup, item) == {("D2", "VARCHAR(8)", "DATETIME (연월일시분초D)")}


def test_rows_are_brought_into_the_stated_order(lookup: Lookup) -> None:
    """A8: three pairs stand in the wrong order before, none after."""
    given = [("USE_YN", "공통"), ("DGNS_CD", "진단정보"), ("PT_ID", "환자정보")]
    rows = tuple(
        row.model_copy(update={"ordinal": ordinal, "subject_area": area})
        for ordinal, (name, area) in enumerate(given)
        for row in standard_rows([lookup.recommend(Item(name=name))], style="UPPER_SNAKE")
    )

    result = audit(rows, Standard(lookup), priority=("환자정보", "진단정보", "공통"))

    assert [row.physical_name for row in result.rows] == ["PT_ID", "DGNS_CD", "USE_YN"]
    assert (result.inversions_before, result.inversions_after) == (3, 0)
    assert [(f.rule, f.before) for f in result.findings] == [("P1", "3")]


def test_a8_by_the_auditor_alone() -> None:
    """The same through the worker, from plain JSON: what it is given is what it audits."""
    rows = [
        Row(
            ordinal=ordinal,
            item=Item(name=name),
            status="found",
            logical_name=logical,
            physical_name=name,
            domain=domain,
            data_type=data_type,
            subject_area=area,
        ).model_dump()
        for ordinal, (name, logical, domain, data_type, area) in enumerate(
            [
                ("USE_YN", "사용여부", "여부C1", "CHAR(1)", "공통"),
                ("DGNS_CD", "진단코드", "코드V10", "VARCHAR(10)", "진단정보"),
                ("PT_ID", "환자식별자", "번호V20", "VARCHAR(20)", "환자정보"),
            ]
        )
    ]
    table = {"rows": rows, "total": 3, "priority": ["환자정보", "진단정보", "공통"]}

    answer = AuditorAgent().invoke({"table": table})

    assert (answer["report"]["inversions_before"], answer["report"]["inversions_after"]) == (3, 0)
    lines = answer["summary"].splitlines()
    order = [line.split(" | ")[2] for line in lines if line.startswith(("| PT", "| DG", "| USE"))]
    assert order == ["PT_ID", "DGNS_CD", "USE_YN"]


def test_the_longest_word_wins(lookup: Lookup, glossary: Glossary) -> None:
    """A9: 전화번호 is one word, though 전화 and 번호 are words too."""
    assert {"전화번호", "전화", "번호"} <= set(glossary.words)

    assert best_of(lookup, Item(name="병원전화번호")).physical_name == "HSPTL_TELNO"


@pytest.mark.parametrize(
    "request_text",
    [
        "환자 식별 컬럼의 표준 약어와 도메인을 알려주고, 답변 표는 도메인 우선순위로 정렬해줘",
        (
            "Tell me the standard abbreviation and the domain of the patient identifier column, "
            "and sort the answer table by domain priority."
        ),
        "what is the standard abbreviation of the patient identifier column",
        "환자를 식별하는 컬럼은 표준 약어가 뭐예요?",
    ],
)
def test_the_request_of_the_article(request_text: str) -> None:
    """The identifier of a patient is PT_ID, its domain and its subject area are both shown."""
    answer = RetrievalAgent().invoke({"request": request_text})

    assert [found["best"]["physical_name"] for found in answer["recommendation"]["items"]] == [
        "PT_ID"
    ]
    assert all(word in answer["summary"] for word in ("PT_ID", "번호V20", "환자정보"))
