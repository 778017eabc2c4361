"""Which messages plainly ask for work."""

import pytest

from minerva_platform.routing.clauses.wishes import MAX_WISH_CHARACTERS, asks_for_work

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
    "courtesy": "thanks in advance",
    "background": "어제 고객한테 전화가 왔고",
    "a reason": "급하니까",
    "a reason that is wished": "보고서를 빨리 내고 싶은데요",
    "what the person does": "I need to give a talk tomorrow",
    "what was just named": "and when they expire",
    "a fragment": "since when, if you know?",
    "a statement": "I moved the file yesterday.",
    "nothing": "...",
}


@pytest.mark.parametrize("clause", WISHES)
def test_a_wish_asks_for_work(clause: str) -> None:
    """By its verb, whatever it is about: no list knows every verb."""
    assert asks_for_work(clause)


@pytest.mark.parametrize("why", NO_WISHES)
def test_what_asks_for_nothing_is_no_wish(why: str) -> None:
    """It tells, thanks, or is about the form of an answer."""
    assert not asks_for_work(NO_WISHES[why])


def test_a_long_text_is_no_wish() -> None:
    """It was pasted, and is what the wish is about."""
    assert asks_for_work("pay them " + "x" * (MAX_WISH_CHARACTERS - 9))
    assert not asks_for_work("pay them " + "x" * MAX_WISH_CHARACTERS)
