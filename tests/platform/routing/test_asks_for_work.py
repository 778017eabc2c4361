"""Which clauses ask for work of their own, and how they are quoted."""

import pytest

from minerva_platform.routing.clauses.asks_for_work import (
    MAX_CLAUSE_CHARACTERS,
    asks_for_work,
    detail_stems,
    may_be_work,
    words_of_clause,
)

WISHES = [
    "and pay them",
    "Book a room for two, please",
    "can you phone the landlord",
    "what time does the shop close?",
    "제주도 비행기를 예약해줘",
    "대금을 이체하고, ",
    "회의실도 부탁드려요",
    "남은 휴가가 며칠인지도요",
    "서버가 왜 느려?",
    "초대장을 보내 주시면 감사하겠습니다",
    "좌석 예매 바람",
    "I'd like to book a flight",
    "I need a room for six people",
    "book a flight to Seoul ㅎㅎ",
]
NO_WISHES = {
    "a wish about form": "표로 정리해줘",
    "a wish about form in English": "and answer in Korean, as short as possible",
    "courtesy": "thanks in advance",
    "courtesy that asks": "좋은 하루 되세요",
    "urgency": "오늘 안에 부탁드립니다",
    "background": "어제 고객한테 전화가 왔고",
    "a reason": "급하니까",
    "a reason that is wished": "보고서를 빨리 내고 싶은데요",
    "what the person does": "I need to give a talk tomorrow",
    "what was just named": "and when they expire",
    "a fragment": "since when, if you know?",
    "a statement": "I moved the file yesterday.",
    "a detail": "길이도 알려줘",
    "nothing": "...",
}


@pytest.mark.parametrize("clause", WISHES)
def test_a_wish_asks_for_work(clause: str) -> None:
    """By its verb, whatever it is about: no list knows every verb."""
    assert asks_for_work(clause)


@pytest.mark.parametrize("why", NO_WISHES)
def test_what_asks_for_nothing_is_no_wish(why: str) -> None:
    """Such a clause goes with its neighbour and is never left undone."""
    assert not asks_for_work(NO_WISHES[why], detail_stems(["길이", "length"]))


@pytest.mark.parametrize(
    "clause",
    [*WISHES, "김치찌개 레시피", "standard deviation of 4, 8, 15", "결제해줘", "send flowers"],
)
def test_what_is_no_statement_may_be_work(clause: str) -> None:
    """No verb has to be known."""
    assert may_be_work(clause)


@pytest.mark.parametrize(
    "clause",
    [
        *NO_WISHES.values(),
        "My manager wants a model by Friday",
        "when you have a moment",
        "회의가 곧 시작될 예정이라",
        "어제 서버가 재시작했습니다",
    ],
)
def test_a_statement_is_no_work(clause: str) -> None:
    """Nor are form, details and what was just named."""
    assert not may_be_work(clause, detail_stems(["길이", "length"]))


def test_a_detail_needs_somebody_who_gives_it() -> None:
    """Only members say what can be asked of their things."""
    assert asks_for_work("길이도 알려줘")


def test_a_long_text_is_no_wish() -> None:
    """It was pasted, and is what the wish is about."""
    assert asks_for_work("pay them " + "x" * (MAX_CLAUSE_CHARACTERS - 9))
    assert not asks_for_work("pay them " + "x" * MAX_CLAUSE_CHARACTERS)


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
