"""A prose notice gives clauses, what is collected and for how long; nothing is guessed."""

from pathlib import Path

import pytest

from minerva_governance.core.detection.entity import Entity
from minerva_governance.core.review.notice import Clause, read_notice, retention_days_in

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
    return read_notice(path, language="en")[0]


def test_numbered_clauses_keep_number_words_and_line(tmp_path: Path) -> None:
    """Articles, sub-articles, circled numbers and lines that go on."""
    found = clauses(tmp_path, NOTICE)

    assert [(clause.id, clause.line) for clause in found] == [
        ("제1조 ①", 5),
        ("제1조 ②", 7),
        ("제2조의2 1", 10),
        ("제3조 1", 13),
    ]
    assert found[0].text == "회원의 성명과 전자우편을 수집합니다."
    assert found[2].retention_days == 180


@pytest.mark.parametrize(
    ("text", "entity", "is_listed"),
    [
        (NOTICE, "PERSON_NAME", True),
        (NOTICE, "EMAIL", True),
        (NOTICE, "KR_PHONE", False),  # "not collected", and a phone to call in article 3
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

    assert any(clause.names(entity) for clause in listing) is is_listed


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("3년간 보유합니다", 1095),
        ("kept for 18 months", 540),
        ("30일 동안 보관", 30),
        ("보관 기간은 1년 또는 5년", 1825),
        ("3년마다 검토합니다", None),
        ("지체 없이 파기합니다", None),
    ],
)
def test_periods_count_only_where_keeping_is_meant(text: str, days: int | None) -> None:
    """The longest period named, in days; a review every three years keeps nothing."""
    assert retention_days_in(text) == days


def test_a_contact_in_the_notice_is_masked(tmp_path: Path) -> None:
    """Clauses are quoted, so their values are masked where they are read."""
    assert "02-123-4567" not in str(clauses(tmp_path, NOTICE))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("CHANGES.md", "# Changes\n- new button\n", "not a privacy notice"),
        ("privacy.md", "# Privacy\n", "no clauses"),
        ("privacy.md", "# Privacy\n## 1. Purpose\n1. To serve you.\n", "no clause lists"),
    ],
)
def test_a_notice_without_what_matters_is_said(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    """Nothing found is a problem with a file name, never a clean result."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")

    (problem,) = read_notice(path, language="en")[1]

    assert words in str(problem)
