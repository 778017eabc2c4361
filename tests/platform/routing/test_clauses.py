"""Where compound requests are cut, and where they must not be."""

import pytest
from hypothesis import example, given, strategies as st

from minerva_platform.routing.clauses.content_words import names_subject
from minerva_platform.routing.clauses.splitting import (
    MAX_CLAUSES,
    READ,
    list_borders,
    split_clauses,
)

COMPOUND = [
    "환자 식별 컬럼의 표준 약어와 도메인을 알려주고, |답변 표는 도메인 우선순위로 정렬해줘",
    "스키마를 표준화한 다음 |코드에서 어디가 깨지는지 찾아줘",
    "schema.sql을 표준 용어로 바꾸고 |app/ 코드를 색인한 뒤 |정책 위반을 점검해줘",
    "환불 정책 보고 알려줘 |그리고 코드 인덱스를 만들어줘",
    "코드를 검색해서 |표로 정리해줘",
    "정책 요약하고 |코드 구조도 같이 보여줘",
    "카드번호가 파일에 있는지, |그리고 그걸 다루는 함수가 뭔지 알려줘",
    "표준 이름이 뭐야? |코드도 봐줘",
    "Tell me the domain of the id column, |and sort the table by priority",
    "Find where PT_ID is used |and check it against privacy.yaml",
    "Index the code, |list undocumented functions |and report the findings",
    "Please scan export.csv; |then mask the numbers",
    "What does a.b do? |And where is it called",
    "1. 표준 약어 조회\n|2. 코드 검색\n|3. 정책 점검",
]
SIMPLE = [
    "표준 약어와 도메인을 알려줘",
    "표준 약어, 도메인, 데이터 타입을 알려줘",
    "환자 이름하고 도메인을 알려줘",
    "이름 그리고 도메인 및 길이를 알려줘",
    "지금 쓰고 있는 컬럼이 표준인지 보고 싶어",
    "광고 동의 컬럼과 재고 수량 컬럼의 이름",
    "개인정보보호법에 대해서 알려줘",
    "1,000개 행, 2,000개 열을 확인해줘",
    '"약어를 알려주고, 정렬해줘" 라는 문장의 뜻은?',
    "`a, and find b` 코드의 뜻을 알려줘",
    "get_name(a, and find b)의 쓰임을 알려줘",
    "names and domains",
    "show me the policies and audit results",
    "find and fix missing docstrings",
    "what are the names, domains and types of these columns",
    "We store phone numbers as text, is that allowed",
    "전화번호를 평문으로 저장합니다. 정책에 맞는지 봐줘",
    "",
    "   ",
]


@pytest.mark.parametrize("marked", COMPOUND)
def test_a_compound_request_is_cut_between_its_wishes(marked: str) -> None:
    """Each wish becomes a clause; the bar shows the border."""
    assert split_clauses(marked.replace("|", "")) == marked.split("|")


@pytest.mark.parametrize("text", SIMPLE)
def test_what_is_one_wish_stays_whole(text: str) -> None:
    """Noun lists, quotes, code, numbers and backgrounds are never cut."""
    assert split_clauses(text) == [text]


WORDS = st.sampled_from(
    [
        *" ".join(COMPOUND + SIMPLE).replace("|", "").split(" "),
        "\n",
        "그리고",
        "및",
        "and",
        "`",
        '"',
    ]
)


@given(st.one_of(st.text(), st.lists(WORDS, max_size=60).map(" ".join)))
@example("\ud800, and find \udfff")
@example(", , ,\n\n.")
def test_clauses_are_slices_that_lose_nothing(text: str) -> None:
    """Joined together, clauses are the request again, whatever was typed."""
    clauses = split_clauses(text)

    assert "".join(clauses) == text
    assert 1 <= len(clauses) <= MAX_CLAUSES


@pytest.mark.parametrize(
    "unit",
    ["a", '"', "(", "`", "a.", "가하고 ", "가하고, ", "x, and find ", "그리고 ", "끝. ", "- "],
)
def test_no_text_makes_splitting_slow(unit: str) -> None:
    """Of 10 MB of the worst characters the beginning is cut; back-tracking would take days."""
    text = unit * (10_000_000 // len(unit))

    clauses = split_clauses(text)

    assert sum(map(len, clauses)) == len(text)
    assert max(len(text) - len(clauses[-1]), 0) <= READ


@pytest.mark.parametrize(
    "text",
    [
        "그 결과를 표로 정리해줘",
        "표로 정리해서 보여줘",
        "맞는지 검토해줘",
        "put it in a table",
        "이 데이터",
        "those files?",
        "and sort the results",
        "",
    ],
)
def test_a_clause_about_form_names_no_subject(text: str) -> None:
    """Such a clause says what to do with an answer, and nothing about what it is about."""
    assert not names_subject(text)


@pytest.mark.parametrize(
    "text",
    [
        "답변 표는 도메인 우선순위로 정렬해줘",
        "정책에 맞는지 평가해줘",
        "check it against the policy",
        "표준명",
        "위반 이메일",
    ],
)
def test_a_noun_is_a_subject(text: str) -> None:
    """One word that names a thing is enough, even where it begins like a word of form."""
    assert names_subject(text)


@pytest.mark.parametrize(
    ("marked", "pieces"),
    [
        ("표준화 → |영향 분석 -> |정책 점검", 3),
        ("표준 약어랑 |코드 위치 알려줘", 2),
        ("names, |callers and |policies", 3),
        ("함수 하나 알려줘", 1),
        ("`a, b`와 |c", 2),
        ("x, " * 200, 1),
    ],
)
def test_a_list_of_nouns_shows_where_it_might_be_divided(marked: str, pieces: int) -> None:
    """Borders of a list are possibilities; a paragraph or a word of code has none."""
    assert len(list_borders(marked.replace("|", ""))) == pieces - 1
