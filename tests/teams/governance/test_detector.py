"""Personal data is found by form, number plan and check digit, and nothing else is."""

import datetime as dt
from dataclasses import replace

import pytest

from minerva_governance.core.detection.cell import find_in_cell, weak_forms
from minerva_governance.core.detection.detector import find
from minerva_governance.core.detection.mask import mask_text
from minerva_governance.core.kinds.review_context import current_context
from minerva_governance.core.values.value_check import FORM_ONLY, UNBORN


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


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("010-1234-5678", "KR"),  # G6
        ("02-123-4567", "KR"),
        ("+82 10 1234 5678", "KR"),
        ("+49 30 901820", "DE"),
        ("+44 20 7946 0018", "GB"),
        ("(212) 555-2368", "US"),
    ],
)
def test_a_phone_tells_its_region(text: str, region: str) -> None:
    """The country whose number plan it follows."""
    (match,) = find(f"call {text} today")

    assert (match.entity, match.region) == ("PHONE", region)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DE89 3704 0044 0532 0130 00", "IBAN_CODE"),
        ("GB29NWBK60161331926819", "IBAN_CODE"),
        ("2 55 08 14 168 025 38", "FR_NIR"),
        ("RCCMNL83S18D969H", "IT_FISCAL_CODE"),
        ("756.9217.0769.85", "CH_AHV"),
        ("AB123456C", "UK_NINO"),
        ("219-09-9999", "US_SSN"),
        ("203.0.113.77", "IP_ADDRESS"),
        ("2001:db8::8a2e:370:7334", "IP_ADDRESS"),
        ("00:1b:44:11:3a:b7", "MAC_ADDRESS"),
    ],
)
def test_numbers_of_other_countries_are_found(text: str, expected: str) -> None:
    """Published examples, by form and check digit."""
    assert found(f"value {text}, kept") == [(expected, 1.0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("여권번호 M12345678 확인", "KR_PASSPORT"),
        ("passport no. M123A4567", "KR_PASSPORT"),
        ("운전면허: 11-12-123456-78", "KR_DRIVER_LICENSE"),
        ("BSN 111222333", "NL_BSN"),
        ("her NHS number is 943 476 5919", "UK_NHS"),
        ("943 476 5919 is her NHS number", "UK_NHS"),
    ],
)
def test_a_word_near_by_makes_a_weak_form_believed(text: str, expected: str) -> None:
    """In free text, where no column's name helps; without the word it is left alone."""
    assert [entity for entity, _ in found(text)] == [expected]
    assert mask_text(text) != text


@pytest.mark.parametrize(
    "text",
    [
        "DE89 3704 0044 0532 0130 01",
        "219-00-9999",
        "666-12-3456",
        "BG123456A",
        "1.2.3.4",
        "127.0.0.1",
        "12:34:56",
        "9780306406157",
        "4006381333931",
        "8801043012345",
        "1704067199999",
        "2026-01-01 12:34:56",
        "550e8400-e29b-41d4-a716-446655440000",
        "20260101123456",
        "4111111111111112",
    ],
)
def test_numbers_of_things_are_left_alone(text: str) -> None:
    """Versions, articles, time stamps, UUIDs, and numbers whose check digit is wrong."""
    assert found(text) == []


def test_milliseconds_since_1970_are_no_resident_numbers() -> None:
    """Thirteen digits that begin with 1 read as a birth in the 1910s; under 1 % count."""
    stamps = [str(1_420_070_400_000 + at * 37_999_991) for at in range(10_000)]

    assert sum(bool(find(stamp)) for stamp in stamps) < len(stamps) // 100


@pytest.mark.parametrize(
    "cell", ["8501011234566", "8501011234566.0", "50101-3123456", "101013123456", "1013123456"]
)
def test_digits_that_a_spreadsheet_lost_are_put_back_in_a_column_named_so(cell: str) -> None:
    """Births from 2000 on begin with zeros, which spreadsheets drop."""
    assert [entity for entity, _ in find_in_cell(cell, "KR_RRN")] == ["KR_RRN"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("1288610926", {"KR_BRN"}),  # no one value proves it: each tenth number passes the check
        ("1288610927", set()),
        ("1288610926.0", {"KR_BRN"}),
        ("001b44113ab7", {"MAC_ADDRESS"}),
        ("011b44113ab7", set()),  # no device's: its first byte is odd
        ("123456789012", set()),
        ("219 09 9999", {"US_SSN"}),
        ("서울 85-123456-12", {"KR_DRIVER_LICENSE"}),
        ("07700 900123", {"PHONE"}),
        ("001-82-10-1234-5678", {"PHONE"}),
        ("01-23-45-67-89", {"PHONE"}),
        ("943 476 5919", {"UK_NHS"}),  # also a phone of North America, but for its check digit
    ],
)
def test_what_fills_a_column_is_known_by_weak_forms(cell: str, expected: set[str]) -> None:
    """Forms that other values have too: a review believes them of most values of a column."""
    assert {entity for entity, _ in weak_forms(cell)} == expected
    assert find(cell) == []


@pytest.mark.parametrize(
    "cell",
    [
        *("1985-03-07", "1985. 3. 7.", "850307", "19850307.0", "85.03.07", "07/03/1985"),
        *("7 March 1985", "March 7th, 1985", "07-MAR-85", "7 de marzo de 1985", "7. März 1985"),
        *("1985년 3월 7일", "85년 3월 7일생", "(음력)1985.03.07", "1985年3月7日", "S60.3.7"),
        *("1985-03-07T00:00:00+09:00", "3/7/1985 0:00", "31113", "479088000000"),
    ],
)
def test_a_birth_is_known_in_every_order_of_its_column(cell: str) -> None:
    """As people, spreadsheets and programs write a day; no word or code is one."""
    assert find_in_cell(cell, "BIRTH_DATE") == [("BIRTH_DATE", 0.5)]
    assert find_in_cell("unknown", "BIRTH_DATE") == find_in_cell("A-1-B", "BIRTH_DATE") == []


def test_the_nearer_word_tells_the_kind() -> None:
    """Eleven digits after a word of taxes are no phone, though one is spoken of later."""
    steuer_id = "Steuer-ID: 38 067 165 920 (verified by phone support)"
    assert found(steuer_id) == [("DE_TAX_ID", 1.0)]
    assert found("NHS no 943 476 5919, verified by phone") == [("UK_NHS", 1.0)]


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


@pytest.mark.parametrize("number", ["951226-3788589", "9512263788589", "950101-8123456"])
def test_a_birth_in_the_future_is_no_number_for_certain(number: str) -> None:
    """What has the form is still masked, and nobody calls it a resident number."""
    entity = "KR_FRN" if number[7] == "8" else "KR_RRN"

    assert dict(find_in_cell(number, entity)) == {entity: UNBORN}
    assert number not in mask_text(f"x {number[:6]}-{number.replace('-', '')[6:]} y")


def test_the_day_of_the_review_decides_who_is_born() -> None:
    """A child of next year has no number yet; without a day its century is believed."""
    child = "270105-3123456"

    with replace(current_context(), today=dt.date(2026, 12, 31)).in_force():
        assert dict(find_in_cell(child, None)) == {"KR_RRN": UNBORN}
    with replace(current_context(), today=dt.date(2027, 1, 5)).in_force():
        assert dict(find_in_cell(child, None)) == {"KR_RRN": FORM_ONLY}
    assert dict(find_in_cell(child, None)) == {"KR_RRN": FORM_ONLY}
