"""Examples of two members that say the same are found, in the same words and in others."""

import pytest

from minerva_platform.contract.router import MemberCard
from minerva_platform.routing.example_overlaps import NearExamples, find_overlaps


def card(name: str, *examples: str, declines: tuple[str, ...] = ()) -> MemberCard:
    """Return a member's card."""
    return MemberCard(name=name, description="…", examples=examples, declines=declines)


WEATHER = card(
    "weather",
    "will it rain in Seoul tomorrow",
    "how cold does it get tonight",
    "do I need an umbrella today",
    "what is the wind speed at the coast",
    "forecast for the weekend please",
    "is snow expected in January",
    "내일 비 와?",
    "오늘 기온 알려줘",
    "주말 날씨 어때",
    "태풍 경로 보여줘",
)
MONEY = card(
    "money",
    "convert 100 dollars to euros",
    "what is the exchange rate of the yen",
    "how much is 50 pounds in won",
    "sum the invoices of March",
    "which invoices are unpaid",
    "pay the invoice of the printer",
    "환율 알려줘",
    "달러를 원화로 바꿔줘",
    "미납 청구서 보여줘",
    "이번 달 청구서 합계",
)


def test_members_with_work_of_their_own_share_nothing() -> None:
    """So no warning is printed that nobody could act on."""
    overlaps = find_overlaps([WEATHER, MONEY])

    assert (overlaps.near, overlaps.taken_examples) == ((), ())


@pytest.mark.slow
def test_examples_that_differ_in_case_spaces_and_marks_coincide() -> None:
    """Who would get them is what the router says that knows both."""
    copy = card("copy", *MONEY.examples[1:], "Convert  100 Dollars, to EUROS!")
    near = find_overlaps([WEATHER, MONEY, copy]).near

    assert [(item.members, item.count) for item in near] == [(("money", "copy"), 10)]
    assert {name for item in near for name in item.choices} <= {"money", "copy"}
    only = find_overlaps([WEATHER, MONEY, card("other", "convert 100 dollars to euros!")]).near
    assert [type(item) for item in only] == [NearExamples]
    assert only[0].texts == ("convert 100 dollars to euros", "convert 100 dollars to euros!")


def test_requests_in_other_words_are_taken_too() -> None:
    """No two texts are near; unseen, the new team's go where such requests always went."""
    paraphrases = card(
        "finance",
        "exchange 20 dollars into yen",
        "tell me today's rate of the euro",
        "how many won are 30 pounds",
        "add up all invoices of May",
        "show unpaid invoices",
        "please pay this invoice",
        "원화를 달러로 환전해줘",
        "오늘 환율 얼마야",
        "청구서 합계 알려줘",
        "미납된 청구서 목록",
    )
    overlaps = find_overlaps([WEATHER, MONEY, paraphrases])

    assert overlaps.near == ()
    pairs = {(item.member, item.taker) for item in overlaps.taken_examples}
    assert ("finance", "money") in pairs
    assert all(name != "weather" for pair in pairs for name in pair)
