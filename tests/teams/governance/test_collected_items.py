"""A notice's sentence has to collect: a kind that it only names is not collected."""

from pathlib import Path

import pytest

from minerva_governance.core.reading.source_files import Source
from minerva_governance.core.review.data_subject import addressed_to
from minerva_governance.core.review.notice import Notice, read_notice

KINDS = (
    "PERSON_NAME",
    "EMAIL",
    "PHONE",
    "ADDRESS",
    "CREDIT_CARD",
    "PASSWORD",
    "BIRTH_DATE",
    "AGE",
    "GENDER",
    "IP_ADDRESS",
    "KR_RRN",
)


def read(folder: Path, text: str, name: str = "privacy.md") -> Notice:
    """Read `text` as a notice."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_notice(Source.of(path))


def collected(notice: Notice, *, of_guardians: bool = False) -> set[str]:
    """Return the kinds that a notice says are collected."""
    return {
        kind
        for kind in KINDS
        if any(clause.collects(kind, of_guardians=of_guardians) for clause in notice.clauses)
    }


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (
            "## What we collect\nWe run mobile applications and websites.",
            set(),
        ),
        (
            "## What we collect\nWe never ask for your phone number.",
            set(),
        ),
        (
            "## What we collect\nIf you have a question, send an e-mail to us.",
            set(),
        ),
        (
            "## What we collect\n- Send us an e-mail at any time.",
            set(),
        ),
        (
            "## What we collect\n<!-- Your name and phone number -->\n- E-mail",
            {"EMAIL"},
        ),
        (
            "## What we collect\n- ~~Phone number~~\n- <del>Name</del>\n- E-mail",
            {"EMAIL"},
        ),
        (
            "## Collected\n"
            "a. Required Information\n"
            "- Name\n"
            "- E-mail address\n"
            "b. How we collect\n"
            "- by phone",
            {"EMAIL", "PERSON_NAME"},
        ),
        (
            "## Billing information\n- Your name\n- Billing address",
            {"ADDRESS", "PERSON_NAME"},
        ),
        (
            "## Billing\nYou will be asked to provide your name and card number.",
            {"CREDIT_CARD", "PERSON_NAME"},
        ),
        (
            "## Data\nWe do not collect the following:\n- Phone number\n\nWe collect your name.",
            {"PERSON_NAME"},
        ),
        (
            "## Data\nWe collect your name, but we never store your password.",
            {"PERSON_NAME"},
        ),
        (
            "## Data\nWe ask for your name to send you an e-mail.",
            {"PERSON_NAME"},
        ),
        (
            "## Data\nThe app does not collect data such as a name, address or phone number.",
            set(),
        ),
        (
            "## Data\nWe collect information when you register. This includes your name.",
            {"PERSON_NAME"},
        ),
        (
            "## Contact information\n- Phone number",
            set(),
        ),
        (
            "## Data\nWe store a one-way hash of your e-mail address.",
            set(),
        ),
        (
            "## Data\nUsers are asked for their age and gender.",
            {"AGE", "GENDER"},
        ),
        (
            "## Data\nThe following personal data is processed:\n- Age\n- Name",
            {"AGE", "PERSON_NAME"},
        ),
        (
            "## What data we need\n"
            "The data we collect from you may include:\n"
            "* your name\n"
            "* your phone number",
            {"PERSON_NAME", "PHONE"},
        ),
        (
            "| Purpose | Data |\n|---|---|\n| to answer by e-mail | name |",
            {"PERSON_NAME"},
        ),
        (
            "| 목적 | 수집항목 | 보유기간 |\n|---|---|---|\n| 전화 상담 | 성명, 이메일 | 1년 |",
            {"EMAIL", "PERSON_NAME"},
        ),
        (
            "## 제1조 (수집 항목)\n성명, 이메일을 수집하며, 주민등록번호는 수집하지 않습니다.",
            {"EMAIL", "PERSON_NAME"},
        ),
        (
            "## 제1조 (개인정보 항목)\n- 수집 항목: 성명\n- 수집하지 않는 항목: 주소, 전화번호",
            {"PERSON_NAME"},
        ),
        (
            "## 제1조 (항목)\n"
            "다음 정보를 수집합니다.\n"
            "\n"
            "필수 수집 정보: 성명\n"
            "\n"
            "선택 수집 정보: 생년월일",
            {"AGE", "BIRTH_DATE", "PERSON_NAME"},
        ),
        (
            "## 1. 수집하는 개인정보 항목 및 수집방법\n"
            "가. 수집항목\n"
            "- 성명\n"
            "나. 수집방법\n"
            "- 홈페이지, 전화, 이메일",
            {"PERSON_NAME"},
        ),
        (
            "## 1. 항목\n연락처 확인을 위하여 성명을 수집합니다.",
            {"PERSON_NAME"},
        ),
        (
            "## 1. 항목\n수집하는 항목은 성명, 휴대폰 번호입니다.",
            {"PERSON_NAME", "PHONE"},
        ),
        (
            "## 문의\n성명: 홍길동\n전화번호: 02-123-4567",
            set(),
        ),
    ],
)
def test_a_sentence_or_a_list_says_what_is_collected(
    tmp_path: Path, text: str, kinds: set[str]
) -> None:
    """Denials, purposes, channels, comments and other topics collect nothing."""
    assert collected(read(tmp_path, f"# Privacy policy\n\n{text}\n")) == kinds


def test_an_article_on_guardians_is_no_notice_for_them(tmp_path: Path) -> None:
    """Their consent is no data; what is collected of them is theirs, and nobody else's."""
    asked = read(
        tmp_path,
        "# 개인정보 처리방침\n## 제4조 (아동의 개인정보 항목)\n"
        "법정대리인의 동의를 받아 아동의 이름을 수집합니다.\n",
    )
    added = read(
        tmp_path,
        "# 개인정보 처리방침\n## 제5조 (항목)\n법정대리인의 이름, 휴대폰 번호를 수집합니다.\n",
    )

    assert collected(asked) == {"PERSON_NAME"}
    assert addressed_to(asked.clauses) == set()
    assert collected(added) == set()
    assert collected(added, of_guardians=True) == {"PERSON_NAME", "PHONE"}
    assert addressed_to(added.clauses) == {"guardian"}


def test_front_matter_is_never_quoted(tmp_path: Path) -> None:
    """A site's generator reads it; its title still says that the file is a notice."""
    notice = read(
        tmp_path,
        "---\ntitle: Privacy policy\nkept: 9 years\n---\n\n## Data\nWe collect names.\n",
        "page.md",
    )

    assert [(clause.line, clause.text) for clause in notice.clauses] == [(6, "We collect names.")]


def test_a_page_says_what_its_elements_say(tmp_path: Path) -> None:
    """Each paragraph and each item stands for itself; struck-out words are not said."""
    page = (
        "<h1>Privacy policy</h1><h2>What data we need</h2><p>The data we collect may include:</p>"
        "<ul><li>your name</li><li><s>phone number</s></li></ul><p>Write to us by e-mail.</p>"
    )
    notice = read(tmp_path, page, "privacy.html")

    assert collected(notice) == {"PERSON_NAME"}
    assert [part.kind for part in notice.hidden_parts] == ["struck"]
