"""Values that are certainly a person's are found, and what only looks like one is left alone."""

from itertools import pairwise

import pytest
from forms import forms

from minerva_observability.masking import personal_intervals


@pytest.mark.parametrize(
    "value",
    [
        "900101-1234567",  # of after October 2020: no check digit
        "850101 1234566",
        "8501011234566",
        "900101-5123452",
        "９００１０１－１２３４５６７",
        "900101–1234567",
        "4000-0012-3456-9010",
        "4000001234569010",
        "010-9876-5432",
        "010.9876.5432",
        "01098765432",
        "02-123-4567",
        "+82-10-9876-5432",
        "+1 555 010 9999",
        "GB29 NWBK 6016 1331 9268 19",
        "DE89370400440532013000",
        "kim@hospital.co.kr",
    ],
)
@pytest.mark.parametrize("around", ["{}", "홍길동_{}.", "예: {}(본인)", "'{}',"])
def test_a_value_is_found_whole(value: str, around: str) -> None:
    """Quotation marks, Hangul, an underscore before it or a sentence's end do not hide it."""
    if "_" in around and (value.isdigit() or "@" in value):
        around = "홍길동-{}."  # mere digits may be a part of a name, and _ a part of an address
    if "-" in around and "@" in value:
        around = "홍길동 {}."
    text = around.format(value)

    assert [text[start:end] for start, end in personal_intervals(text)] == [value]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a@x.org.bob@y.org", 2),
        ("kim@a.kr. lee@b.kr", 2),
        ("kim@a.kr-lee@b.kr.", 2),
        ("kim@a.kr,lee@b.kr", 2),
        ("kim@a.kr 850101-1234566 010-9876-5432", 3),
    ],
)
def test_values_that_are_joined_are_all_found(text: str, values: int) -> None:
    """What joins two addresses belongs to one of them, and hides none."""
    found = personal_intervals(text)
    left = "".join(text[b:a] for (_, b), (a, _) in pairwise(found))

    assert len(found) == values
    assert "@" not in left


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2020-10-05~",
        "2024-11-24 03:54:16 +09:00",
        "850231-1234567",  # no day
        "8501011234567",  # a wrong check digit
        "x_8501011234566",
        "1612251234567",  # milliseconds
        "20240315-1000234",
        "order 202411240001234",
        "1234-5678-9012-3456",
        "2310151234567890",
        "1.2.3.4",
        "2.10.4.1",
        "file.py:120:14",
        "550e8400-e29b-41d4-a716-446655440000",
        "9f86d081884c7d659a2feaa0c55ad015",
        "2026-02-123-4567",
        "0.4000001234569010",
        "GB30 NWBK 6016 1331 9268 19",
        "react@17.0.2",
        "icon@2x.png",
        "git@github.com:a/b.git",
        "%s@example.com",
        "postgresql://u@db.example.org/x",
        "https://u:secret@db.example.org/x",
        "SELECT * FROM TB_PATIENT@HIS.WORLD",
        "@app.route",
        "q@k",
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    """Dates, versions, numbers of orders, digests, places in files, templates and links."""
    assert personal_intervals(text) == []


@pytest.mark.slow
@pytest.mark.parametrize("count", forms([100_000], [25_000]))
def test_a_text_without_end_takes_steps_for_each_letter(count: int) -> None:
    """Who wrote the text cannot keep the search busy."""
    for unit in ("aa", "a@", "1-", "11", "a."):
        assert personal_intervals(unit * count) == []
