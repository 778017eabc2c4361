"""Personal data is found by form, number plan and check digit, and nothing else is."""

import pytest

from minerva_governance.core.detection.detector import find, find_in_cell
from minerva_governance.core.detection.mask import mask_text


def found(text: str) -> list[tuple[str, float]]:
    """Return the entities in `text` with their scores."""
    return [(match.entity, match.score) for match in find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("850101-1234566", [("KR_RRN", 1.0)]),  # G1
        ("850101-1234567", [("KR_RRN", 0.5)]),  # G2
        ("900101-5123452", [("KR_FRN", 1.0)]),  # G3
        ("220-81-98766", [("KR_BRN", 1.0)]),  # G4
        ("220-81-98767", []),
        ("4000-0012-3456-9010", [("CREDIT_CARD", 1.0)]),  # G5
        ("4000-0012-3456-9011", []),
        ("010-1234-5678", [("PHONE", 1.0)]),  # G6
        ("02-123-4567", [("PHONE", 1.0)]),
        ("order no 20260101-1234567", []),
        ("a.user+tag@mail.example.org", [("EMAIL", 1.0)]),
    ],
)
def test_the_published_cases_come_out_exactly(text: str, expected: list[tuple[str, float]]) -> None:
    """The acceptance table G1 to G6: entity and score, or nothing."""
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "8501011234566",
        "850101 1234566",
        "주민번호850101-1234566입니다",
        "８５０１０１－１２３４５６６",
        "850101–1234566",
        "850101\u200b-1234566",
        "(850101-1234566)",
    ],
)
def test_a_resident_number_is_found_however_it_is_written(text: str) -> None:
    """Full-width digits, other dashes, invisible characters and Hangul next to it hide nothing."""
    assert found(text) == [("KR_RRN", 1.0)]


@pytest.mark.parametrize(
    "text",
    [
        "851301-1234566",  # no 13th month
        "850230-1234567",  # no 30 February
        "850101-9234566",  # nobody alive was born in the 1800s
        "1850101-1234566",
        "850101-12345660",
        "ORD850101-1234566",
        "850101-1******",
        "2026-02-123-4567",
        "user@localhost",
        "0.4000001234569010",
        "1712040000000",
    ],
)
def test_what_only_resembles_personal_data_is_left_alone(text: str) -> None:
    """Parts of longer numbers, impossible days and masked values are no findings."""
    assert found(text) == []


@pytest.mark.parametrize(
    "text", ["+82-10-1234-5678", "01012345678", "(02)123-4567", "031.123.4567", "070-1234-5678"]
)
def test_phones_of_every_number_plan_are_found(text: str) -> None:
    """Mobile, area and internet numbers, with the separators people use."""
    assert found(text) == [("PHONE", 1.0)]


def test_weak_forms_count_only_where_the_name_promises_them() -> None:
    """Letter and eight digits is a passport number in PASSPORT_NO, and nothing elsewhere."""
    assert find_in_cell("M12345678", "KR_PASSPORT") == [("KR_PASSPORT", 0.5)]
    assert find_in_cell("M12345678", None) == []


def test_several_values_in_one_text_are_all_masked() -> None:
    """A free text keeps its words and loses its values."""
    text = "홍길동 850101-1234566, 010-1234-5678, hong@example.org"

    assert mask_text(text) == "홍길동 850101-1******, 010-****-****, h***@example.org"


def test_masking_twice_changes_nothing_more() -> None:
    """Everything passes the mask more than once on its way out."""
    once = mask_text("850101-1234566 a@b.kr 4000-0012-3456-9010")

    assert mask_text(once) == once


@pytest.mark.parametrize(
    "hostile", ["a" * 500_000 + "@", "a@" + "a." * 250_000, "1-" * 250_000, "0" * 500_000]
)
def test_hostile_text_costs_linear_time(hostile: str) -> None:
    """The text is not ours: an expression that back-tracked over it would take days, not 0.1 s."""
    assert find(hostile) is not None
