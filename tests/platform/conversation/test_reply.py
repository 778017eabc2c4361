"""A message in a thread with an open question: a whole yes or no answers it, the rest asks back."""

import pytest

from minerva_platform import Interrupt
from minerva_platform.conversation.reply import AsksBack, Decides, Open, read_reply
from minerva_platform.people.typed_answer import answer_in

PAY = Interrupt(
    id="q1",
    value={},
    path="platform/finance/payment_agent",
    kind="tool",
    tool="pay",
    arguments={"to": "Kim", "amount": 10},
    allowed=("approve", "edit", "reject"),
)
WIPE = PAY.model_copy(update={"id": "q2", "tool": "wipe"})


def read(text: str, *questions: Interrupt, served: tuple[str, ...] | None = ()) -> object:
    """Return what `text` means while `questions` are open."""
    return read_reply(text, [Open("r", each) for each in questions or (PAY,)], lambda _: served)


@pytest.mark.parametrize(
    "text",
    [
        *("yes", "Yes.", "YES!", "ok", "yes, go ahead", "sure, do it", "approve", "Yes please"),
        *(
            "네",
            "네!",
            "응",
            "승인",
            "좋아 진행해",
            "네, 진행해 주세요.",
            "진행해주세요",
            "예 승인합니다",
        ),
        *("ㅇㅇ", "ＹＥＳ", "  네  \n"),
        *("then go ahead", "No objections, proceed.", "Sure, that's fine with me."),
        *("네, 진행하시면 됩니다", "승인해 주십시오", "상관없으니 그냥 하자"),
    ],
)
def test_a_whole_yes_approves(text: str) -> None:
    """Whatever the case, the marks and the spaces."""
    assert read(text) == Decides("r", "q1", {"type": "approve"}, "")


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "No!",
        "don't do it",
        "no, cancel it",
        "아니요",
        "아뇨, 취소해 주세요",
        "안 돼",
        "거절",
        "그냥 하지 마십시오",
    ],
)
def test_a_whole_no_rejects(text: str) -> None:
    """So a person needs no command for either."""
    assert read(text) == Decides("r", "q1", {"type": "reject"}, "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *(
            (text, "more")
            for text in ("yes, but only 5", "네 그런데 5만원만", "ok for Lee", "no, to Lee")
        ),
        *((text, "more") for text in ("네?", "yes?", "응??", "yes no", "네 아니요", "네 👎")),
        *(
            (text, "unclear")
            for text in ("thanks", "고마워요", "hello", "알겠습니다", "괜찮아요", "hmm")
        ),
        *(
            (text, "unclear")
            for text in (
                "50,000",
                "Lee",
                "5만원으로",
                "pay Lee 5 instead",
                "👍",
                "음",
                "그대로",
                "not now",
            )
        ),
    ],
)
def test_anything_else_asks_back(text: str, why: str) -> None:
    """An amount, a name, thanks, a doubt: nothing of it is a decision, and never an edit."""
    assert read(text, served=("finance",)) == AsksBack(why)  # type: ignore[arg-type]  # a literal


@pytest.mark.parametrize(
    "text", ["yes", "네", "승인", "응 해줘", "no", "아니요", "yes, it did", "음"]
)
def test_an_effect_that_may_have_happened_is_not_done_again_by_a_word(text: str) -> None:
    """A yes may mean that it happened; the commands are named instead."""
    effect = PAY.model_copy(update={"kind": "effect", "allowed": ("approve", "respond")})
    reply = read(text, effect)

    assert reply == AsksBack("form")
    assert isinstance(reply, AsksBack)
    assert "- `minerva approve r q1` (do it again)" in reply.to_text([Open("r", effect)], "en")
    assert "- `minerva approve r q1` (다시 실행)" in reply.to_text([Open("r", effect)], "ko")


def test_several_open_questions_ask_which() -> None:
    """A yes would be about one of them, and nobody said which."""
    reply = read("yes", PAY, WIPE)

    assert reply == AsksBack("which")
    assert isinstance(reply, AsksBack)
    text = reply.to_text([Open("r", PAY), Open("r", WIPE)], "en")
    assert "- `platform/finance/payment_agent`: `pay`\n" in text
    assert "`minerva approve r q1`" in text
    assert "`minerva reject r q2`" in text


@pytest.mark.parametrize(
    "text",
    ["which tables hold phone numbers?", "전화번호가 있는 테이블을 찾아줘", "show me all tables"],
)
def test_a_clear_new_request_is_a_run_beside_it(text: str) -> None:
    """The question stays open."""
    assert read(text, served=("data",)) is None
    assert read(text, PAY, WIPE, served=("data",)) is None
    assert read(text, served=None) is None


def test_what_examples_plainly_serve_needs_no_form_of_a_wish() -> None:
    """For members that do not wait; a short message with an argument's name asks back."""
    assert read("standard name for patient id", served=("data",)) is None
    assert read("standard name for patient id", served=()) == AsksBack("unclear")
    assert read("change the amount", served=("data",)) == AsksBack("unclear")


@pytest.mark.parametrize("text", ["pay 50 to Lee please", "Kim에게 송금해줘", "please pay Kim"])
def test_a_request_with_an_amount_or_a_name_for_who_waits_asks_back(text: str) -> None:
    """It may be meant as a change of what is asked about."""
    assert read(text, served=("finance",)) == AsksBack("unclear")


def test_a_question_gets_the_answer_that_it_lists() -> None:
    """A yes answers a question of yes or no, an option the question that lists it."""
    flag = Interrupt(id="q", value={}, answer_schema={"type": "boolean"})
    assert read("네", flag) == Decides("r", "q", {"type": "respond", "value": True}, "")
    assert read("no", flag) == Decides("r", "q", {"type": "respond", "value": False}, "")
    choice = Interrupt(id="q", value={}, answer_schema={"enum": ["Seoul", "Busan"]})
    assert read("seoul", choice) == Decides("r", "q", {"type": "respond", "value": "Seoul"}, "")
    assert read("yes", choice) == AsksBack("form")
    free = Interrupt(id="q", value={}, answer_schema={"type": "string"})
    assert read("yes", free) == AsksBack("form")


def test_a_value_within_a_clear_request_answers_nothing() -> None:
    """It is a run of its own; words that nobody serves are an answer."""
    count = Interrupt(id="q", value={}, answer_schema={"type": "integer"})
    text = "please check the 3 tables of patients"
    assert read(text, count, served=("data",)) is None
    assert read(text, count) == Decides("r", "q", {"type": "respond", "value": 3}, "")


def test_no_message_is_both() -> None:
    """A yes that is also a no would be decided by the order of the code."""
    from minerva_platform.people.typed_answer import REPLIES  # noqa: PLC0415  # what the lists hold

    for table, answer in (("yes", "yes"), ("no", "no"), ("no_by_deed", "no")):
        for messages in REPLIES.table(table).values():
            assert {answer_in(message) for message in messages} == {answer}


@pytest.mark.parametrize(
    "text",
    ["don't stop", "do not cancel it", "no, don't stop", "취소 아니야", "승인 취소", "yes, stop"],
)
def test_words_that_may_undo_each_other_are_no_answer(text: str) -> None:
    """Their sum may be the opposite of each."""
    assert answer_in(text) is None
