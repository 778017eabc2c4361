"""Where requests may be cut, and how scores put the pieces together again."""

import pytest
from hypothesis import example, given, strategies as st

from minerva_platform.routing.clauses.content_words import names_subject, thing_stems
from minerva_platform.routing.clauses.merging import Clause, Label, join_clauses, merge, with_lists
from minerva_platform.routing.clauses.splitting import MAX_PIECES, READ, Piece, cut, words_of_clause

CUT = [
    "약어를 알려주고, |답변 표는 정렬해줘",
    "스키마를 표준화한 다음 |깨지는 코드를 찾아줘",
    "표준 약어, |도메인, |타입을 알려줘",
    "환불 정책 봐줘 |그리고 코드 인덱스를 만들어줘",
    "표준 이름이 뭐야? |코드도 봐줘",
    "Index the code, |list undocumented functions |and pay the bill",
    "names |and domains",
    "check the invoices |and pay them",
    "What does a.b do? |And where is it called",
    "1. 표준 약어 조회\n|2. 코드 검색\n|3. 정책 점검",
]
BOUND = ["표준화 → |영향 분석 -> |정책 점검", "표준 약어랑 |코드 위치", "코드를 검색해서 |표로"]
WHOLE = [
    "Order.status 이름을 바꾸면 깨지는 코드는?",
    "지금 쓰고 있는 컬럼이 표준인지 보고 싶어",
    "1,000개 행",
    '"약어를 알려주고, 정렬해줘" 라는 문장의 뜻은?',
    "`a, and find b` 코드의 뜻",
    "get_name(a, and find b)의 쓰임",
    "",
    "   ",
]


@pytest.mark.parametrize("marked", [*CUT, *BOUND, *WHOLE])
def test_a_request_is_cut_wherever_a_wish_could_begin(marked: str) -> None:
    """The bar shows the cut. Quotes, code, numbers and conditions stay whole."""
    pieces = [piece.text for piece in cut(marked.replace("|", ""))]

    assert pieces == marked.split("|")


@pytest.mark.parametrize("marked", BOUND)
def test_steps_and_lists_are_bound(marked: str) -> None:
    """Nobody's wish begins there."""
    first, *others = cut(marked.replace("|", ""))

    assert not first.is_bound
    assert all(piece.is_bound for piece in others)


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("진단 코드, 환자 식별을 표로 정렬해줘", [False, True]),
        ("SIM card number and activation date", [False, True]),
        ("meter reading, tariff class and billing period", [False, True, True]),
        ("환자 이름 길이, 항공권 예약해줘", [False, False]),
        ("index the code, list undocumented functions", [False, False]),
        ("규정 위반 찾고, 코드도 봐줘", [False, False]),
    ],
)
def test_the_names_of_a_list_belong_together(text: str, listed: list[bool]) -> None:
    """A mere name asks for nothing; a verb, or a detail such as the length, makes a wish."""
    pieces = with_lists(cut(text), thing_stems("길이"))

    assert [piece.is_listed for piece in pieces] == listed


def test_no_name_of_a_list_is_another_member_s() -> None:
    """The last name resembles another member's examples, but its verb stands before."""
    pieces = [Piece("feed the cat cats, ", is_bound=False), Piece("dogs", is_bound=False)]

    apart = merge(pieces, _know)
    listed = merge([pieces[0], pieces[1]._replace(is_listed=True)], _know)

    assert [clause.label for clause in apart] == ["cats", "dogs"]
    assert "dogs" not in {clause.label for clause in listed}


MEMBERS = {"cats": "feed the cat cats", "dogs": "walk the dog dogs"}


def _know(text: str, stands_alone: bool) -> dict[Label, float]:  # noqa: FBT001  # as `merge` calls it
    words = text.lower().replace(",", " ").split()
    own = {name: sum(word in known.split() for word in words) for name, known in MEMBERS.items()}
    labels: dict[Label, float] = {name: n / len(words) for name, n in own.items()}
    if stands_alone:
        labels[None] = 0.4 if "brush" not in words else -1.0
    return labels


@pytest.mark.parametrize(
    ("pieces", "clauses"),
    [
        (
            ["feed the cat, ", "walk the dog"],
            [("feed the cat, ", "cats"), ("walk the dog", "dogs")],
        ),
        (["feed cat ", "and cats"], [("feed cat and cats", "cats")]),
        (
            ["feed the cat ", "and shoe a horse"],
            [("feed the cat ", "cats"), ("and shoe a horse", None)],
        ),
        (["feed cat ", "and brush it"], [("feed cat and brush it", "cats")]),
    ],
)
def test_pieces_are_merged_by_what_members_know(
    pieces: list[str], clauses: list[tuple[str, str | None]]
) -> None:
    """Neighbours of one member are one clause; what is no work goes with the one before."""
    cuts = [Piece(text, is_bound=False) for text in pieces]

    assert join_clauses(merge(cuts, _know)) == [Clause(*clause) for clause in clauses]


def test_a_bound_piece_is_never_nobodys() -> None:
    """A member takes it, even if it knows the piece little."""
    pieces = [Piece("feed the cat ", is_bound=False), Piece("shoe a horse", is_bound=True)]

    assert [clause.label for clause in join_clauses(merge(pieces, _know))] == ["cats"]


WORDS = st.sampled_from(
    [
        *" ".join(CUT + BOUND + WHOLE).replace("|", "").split(" "),
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
def test_pieces_are_slices_that_lose_nothing(text: str) -> None:
    """Joined together, pieces are the request again, whatever was typed."""
    pieces = cut(text)

    assert "".join(piece.text for piece in pieces) == text
    assert 1 <= len(pieces) <= MAX_PIECES


@pytest.mark.small(6)
@pytest.mark.parametrize(
    "unit",
    ["a", '"', "(", "`", "a.", "가하고 ", "가하고, ", "x, and find ", "그리고 ", "끝. ", "- "],
)
def test_no_text_makes_splitting_slow(unit: str) -> None:
    """Of 10 MB of the worst characters the beginning is cut; back-tracking would take days."""
    text = unit * (10_000_000 // len(unit))

    pieces = [piece.text for piece in cut(text)]

    assert sum(map(len, pieces)) == len(text)
    assert max(len(text) - len(pieces[-1]), 0) <= READ


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
    ("clause", "words"),
    [
        ("and then  pay\nthem.", "pay them"),
        ("그리고 결제해주고, ", "결제해주고"),
        ("2) cancel my appointment;", "cancel my appointment"),
        ("- and what is for lunch?", "what is for lunch?"),
        ("and", ""),
    ],
)
def test_a_wish_is_quoted_without_its_joints(clause: str, words: str) -> None:
    """What joins it to its neighbours says nothing alone."""
    assert words_of_clause(clause) == words


def test_nothing_is_cut_within_a_name_that_a_member_knows() -> None:
    """재고 looks like a verb that ends a clause."""
    request = "- 상품 단가\n- 재고 수량"

    assert [piece.text for piece in cut(request, ["재고 수량"])] == ["- 상품 단가\n", "- 재고 수량"]
    assert len(cut(request)) > 2


def test_the_lines_of_a_list_belong_together() -> None:
    """Each line of a list says too little to be another member's."""
    pieces = with_lists(cut("the standard of these:\n• floor space\n• monthly rent"), ())

    assert [piece.is_listed for piece in pieces] == [False, True, True]
