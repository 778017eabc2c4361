"""A prose notice gives clauses, what is collected and for how long; nothing is guessed."""

from pathlib import Path

import pytest

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.review.notice import Clause, NoNoticeError, read_notice
from minerva_governance.core.review.retention_words import kept_periods

NOTICE = """\
# 개인정보 처리방침
머리말입니다.

## 제1조 (수집하는 개인정보 항목)
① 회원의 성명과
   전자우편을 수집합니다.
② 전화번호는 수집하지 않습니다.

## 제2조의2 (보유 기간)
1. 탈퇴 후 6개월간 보관합니다.

## 제3조 (문의)
1. 주소 서울, 전화 02-123-4567
"""
ENGLISH = """\
# Privacy notice

## 1. Information we collect
1.1 not an item
(1) Your name and e-mail address.
(2) We never collect card numbers.

## 2. Retention
1. Records are kept for 2 years.
"""


def clauses(tmp_path: Path, text: str) -> tuple[Clause, ...]:
    """Read `text` as a notice."""
    path = tmp_path / "privacy.md"
    path.write_text(text, encoding="utf-8")
    return read_notice(Source.of(path))[0]


def test_numbered_clauses_keep_number_words_and_line(tmp_path: Path) -> None:
    """Articles, sub-articles, circled numbers and lines that go on."""
    found = clauses(tmp_path, NOTICE)

    assert [(clause.id, clause.line) for clause in found] == [
        ("L2", 2),
        ("제1조 ①", 5),
        ("제1조 ②", 7),
        ("제2조의2 1", 10),
        ("제3조 1", 13),
    ]
    assert found[1].text == "회원의 성명과 전자우편을 수집합니다."
    assert found[3].periods == (180,)


@pytest.mark.parametrize(
    ("text", "entity", "is_listed"),
    [
        (NOTICE, "PERSON_NAME", True),
        (NOTICE, "EMAIL", True),
        (NOTICE, "PHONE", False),  # "not collected", and a phone to call in article 3
        (NOTICE, "ADDRESS", False),
        (ENGLISH, "EMAIL", True),
        (ENGLISH, "PERSON_NAME", True),
        (ENGLISH, "CREDIT_CARD", False),
        (ENGLISH, "ADDRESS", False),  # an e-mail address is no address
    ],
)
def test_only_what_is_said_to_be_collected_counts(
    tmp_path: Path, text: str, entity: Entity, *, is_listed: bool
) -> None:
    """A word elsewhere in the notice, or under "we do not collect", lists nothing."""
    listing = [clause for clause in clauses(tmp_path, text) if clause.lists_items]

    assert any(clause.collects(entity) for clause in listing) is is_listed


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("3년간 보유합니다", (1095,)),
        ("kept for 18 months", (540,)),
        ("30일 동안 보관", (30,)),
        ("보관 기간은 1년 또는 5년", (365, 1825)),
        ("72개월간 보관", (2160,)),
        ("5년 6개월 보관", (2005,)),
        ("1년 반 동안 보관", (548,)),
        ("육 년간 보관", (2190,)),
        ("２０년간 보존", (7300,)),
        ("kept for six years", (2190,)),
        ("retained for six (6) years and 6 months", (2370,)),
        ("a six-year retention", (2190,)),
        ("retained for twenty-four months", (720,)),
        ("영구 보존", (36_500,)),
        ("1,095일 보관", (1095,)),
        ("3년마다 검토하고 보관", ()),
        ("보유 기간이 끝나면 5일 이내에 파기합니다", ()),
        ("2024년 5월 1일부터 보관", ()),
        ("지체 없이 파기합니다", ()),
        ("6년 뒤 검토합니다", ()),
    ],
)
def test_periods_count_only_where_keeping_is_meant(text: str, days: tuple[int, ...]) -> None:
    """All periods that are named, in days; a review, a deadline or a date keeps nothing."""
    assert kept_periods(text).days == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("We retain your data. Support is available 7 days a week.", ()),
        ("We store personal data safely and review this notice twice a year.", ()),
        ("Storage costs 5 dollars a month.", ()),
        ("We delete an account after 30 days' notice.", ()),
        ("We keep your data for a year.", (365,)),
        ("kept half a year", (183,)),
        ("kept for one and a half years", (548,)),
        ("kept for a hundred days", (100,)),
        ("보관한 자료는 이 주소로 문의하십시오.", ()),
        ("보관한 자료는 이 주 안에 확인합니다.", ()),
        ("보관 상태를 두 달에 한 번 점검합니다.", ()),
        ("보관 중인 정보의 열람은 1회 5달러입니다.", ()),
        ("보관 중인 정보에 대한 한 주체의 요청은 무료입니다.", ()),
        ("보관 문의는 주 5일 받습니다.", ()),
        ("보관 수수료는 연 1,000달러이며 회원 정보는 1년간 보관합니다.", (365,)),
        ("보관 기간은 한 달입니다.", (30,)),
        ("두 달간 보관합니다.", (60,)),
        ("일주일 동안 보관", (7,)),
        ("이 년간 보관", (730,)),
        ("1년을 보관하며 로그는 3개월의 기간 보관", (365, 90)),
    ],
)
@pytest.mark.parametrize("heading", ["보유 기간", "Retention", ""])
def test_a_unit_inside_a_word_and_a_rate_are_no_periods(
    text: str, days: tuple[int, ...], heading: str
) -> None:
    """달러 is no month, 주소 no week, "twice a year" no year: with or without a heading."""
    assert kept_periods(text, heading).days == days


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("We retain your data. The trial runs for 7 days.", ()),
        ("We keep your data for 2 years. A refund takes 7 days.", (730,)),
        ("보관 기간은 다음과 같습니다. 회원 정보 3년", (1095,)),
        ("Data is kept for approx. 6 months.", (180,)),
    ],
)
def test_a_period_counts_in_a_sentence_about_keeping(text: str, days: tuple[int, ...]) -> None:
    """Another sentence of the clause is about something else, unless it is announced."""
    assert kept_periods(text).days == days


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("회원 탈퇴 시까지 보유", "탈퇴 시까지"),
        ("회원 탈퇴 시까지 보유, 기록은 1년 보관", "탈퇴 시까지"),
        ("관계 법령이 정한 기간 동안 보존", "법령이 정한"),
        ("kept until you close your account", "until you close your account"),
        ("kept for as long as necessary", "as long as necessary"),
        ("보유기간: 별표 참조", "보유기간"),
        ("법령에 따라 5년 보관", ""),
    ],
)
def test_an_end_that_is_no_number_is_quoted(text: str, words: str) -> None:
    """It is never guessed; a number beside a law's name is a number."""
    assert kept_periods(text).unclear == words


def test_words_under_the_title_and_in_a_fence_are_clauses_too(tmp_path: Path) -> None:
    """A notice without headings hides no period."""
    found = clauses(tmp_path, "# Privacy\nKept for 6 years.\n```\nKept for 9 years.\n```\n")

    assert [(clause.id, clause.periods) for clause in found] == [("L2", (2190, 3285))]


def test_a_contact_in_the_notice_is_masked(tmp_path: Path) -> None:
    """Clauses are quoted, so their values are masked where they are read."""
    assert "02-123-4567" not in str(clauses(tmp_path, NOTICE))


@pytest.mark.parametrize(
    ("name", "text", "oddity"),
    [
        ("privacy.md", "# Privacy\n", "no_clauses"),
        ("privacy.md", "# Privacy\n## 1. Purpose\n1. To serve you.\n", "no_items"),
    ],
)
def test_a_notice_without_what_matters_is_said(
    tmp_path: Path, name: str, text: str, oddity: str
) -> None:
    """Nothing found is a problem with a file name, never a clean result."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")

    assert read_notice(Source.of(path))[1] == oddity


def test_another_text_is_not_taken_for_a_notice(tmp_path: Path) -> None:
    """Neither its name nor its first words are those of a notice."""
    path = tmp_path / "CHANGES.md"
    path.write_text("# Changes\n- new button\n", encoding="utf-8")

    with pytest.raises(NoNoticeError):
        read_notice(Source.of(path))
