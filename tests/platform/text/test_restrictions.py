"""Words of a request that restrict, shape or send an answer."""

import pytest

from minerva_platform.text import RESTRICTION_KINDS, restrictions_in, without_restrictions

NARROW = RESTRICTION_KINDS - {"column", "only", "unit"}


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("names changed last month, please", ["names changed last month"]),
        ("list the functions Kim wrote yesterday", ["Kim wrote yesterday"]),
        ("the fields users asked for", ["users asked for"]),
        ("callers of save, approved by Dana", ["approved by Dana"]),
        ("only for pupils under 12 years old", ["for pupils under 12 years old"]),
        ("what do visitors from Lyon give us", ["visitors from Lyon"]),
        ("what is stored, and the phone numbers matter most to us",
         ["and the phone numbers matter most to us"]),
        ("outline it as a pie chart", ["as a pie chart"]),
        ("outline it and email it to my boss", ["email it to my boss"]),
        ("지난달에 고친 함수만 찾아줘", ["지난달에 고친 함수만"]),
        ("15세 미만 학생만 쓰는 이름", ["15세 미만 학생만 쓰는"]),
        ("더운 날 판매한 품목", ["더운 날 판매한"]),
        ("대구 지점의 이름", ["대구 지점의"]),
        ("이름을 최 부장님께 전달해줘", ["최 부장님께 전달해줘"]),
        ("이름을 슬랙에 올려줘", ["슬랙에 올려줘"]),
        ("한 대리가 만든 규칙", ["한 대리가 만든 규칙"]),
        ("결과를 차트로 보여줘", ["차트로"]),
    ],
)  # fmt: skip
def test_what_restricts_is_quoted(request_: str, words: list[str]) -> None:
    """When, who, how old, where, in what form and to whom, in both languages."""
    assert [one.words for one in restrictions_in(request_, NARROW)] == words


@pytest.mark.parametrize(
    "request_",
    [
        "who calls load, please and thank you",
        "where are the columns of the users table used",
        "standard name of the date a message was sent by mail address",
        "does the policy say how long we keep data of former employees?",
        "문자로 발송한 일시의 표준명",
        "보호자에게 통보한 일자의 약어",
        "환자가 작성한 동의서의 이름",
        "최근 접속일시 약어 알려줘",
        "빨리 알려줘 급해",
    ],
)
def test_what_a_thing_is_and_courtesy_restrict_nothing(request_: str) -> None:
    """A false alarm would teach people to overlook the line."""
    assert restrictions_in(request_, NARROW - {"history"}) == ()


def test_what_is_taken_off_leaves_every_other_word_in_its_place() -> None:
    """So that positions in the rest are positions in the request."""
    request = "names changed last month, sorted by size"
    rest = without_restrictions(request, restrictions_in(request, {"time"}), gap="|")

    assert len(rest) == len(request)
    assert rest.split() == ["|", ",", "sorted", "by", "size"]


def test_of_two_that_overlap_the_longer_is_kept() -> None:
    """`in 2023` stands in the longer one."""
    found = restrictions_in("rows added in 2023", RESTRICTION_KINDS)

    assert [one.words for one in found] == ["added in 2023"]
