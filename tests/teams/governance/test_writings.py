"""A value is found however a spreadsheet, a database, a web page or a person writes it.

Numbers are published examples; writings are those of Excel, pandas, Java, HTML, JSON and PDF.
"""

import pytest

from minerva_governance.core.detection.cell import find_in_cell, weak_forms
from minerva_governance.core.detection.entity import Entity

PLAIN: dict[Entity, tuple[str, ...]] = {
    "KR_RRN": ("850101-1234566", "8501011234566"),
    "KR_FRN": ("900101-5123452", "9001015123452"),
    "KR_BRN": ("220-81-98766", "2208198766"),
    "US_SSN": ("219-09-9998", "219 09 9998"),
    "UK_NHS": ("943 476 5919", "9434765919"),
    "UK_NINO": ("AB123456C", "AB 12 34 56 C"),
    "DE_TAX_ID": ("65 929 970 489", "65929970489"),
    "FR_NIR": ("2 55 08 14 168 025 38", "255081416802538"),
    "ES_NIF": ("12345678Z", "12.345.678-Z", "X1234567L", "X-1234567-L"),
    "IT_FISCAL_CODE": ("RCCMNL83S18D969H", "RCC MNL 83S18 D969H"),
    "NL_BSN": ("111222333", "1112.22.333"),
    "PL_PESEL": ("44051401359",),
    "JP_MY_NUMBER": ("1234 5678 9018", "123456789018"),
    "CREDIT_CARD": ("4000-0012-3456-9010", "4000001234569010"),
    "IBAN_CODE": ("DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819"),
    "PHONE": ("010-1234-5678", "+49 30 901820", "(212) 555-2368", "020 7946 0018"),
    "IP_ADDRESS": ("203.0.113.77", "2001:db8::8a2e:370:7334"),
    "MAC_ADDRESS": ("00:1b:44:11:3a:b7", "00-1B-44-11-3A-B7"),
    "EMAIL": ("a.user@mail.example.org",),
}
AROUND = (
    *('="{}"', "'{}", '"{}"', "  {}  ", "{}\t", "{}\r\n", "({})", "[{}]", "<{}>", "{};", "{},"),
    *("“{}”", "«{}»", "\ufeff{}", "\u200e{}\u200f", "\u202a{}\u202c", "\xa0{}\u2009", "{}\u3000"),
    *('["{}"]', "{}.", "`{}`"),
)
"""What stands around a value and is none of it."""
FULL_WIDTH = str.maketrans({code: code + 0xFEE0 for code in range(0x21, 0x7F)} | {0x20: 0x3000})
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def named(cell: str, entity: Entity) -> set[Entity]:
    """Return what is found in a column named after `entity`."""
    return {found for found, _ in find_in_cell(cell, entity)}


def unnamed(cell: str) -> set[Entity]:
    """Return what a whole column of such cells is believed to be, whatever its name."""
    return {found for found, _ in find_in_cell(cell, None) or weak_forms(cell)}


VALUES = [(entity, value) for entity, values in PLAIN.items() for value in values]


@pytest.mark.parametrize(("entity", "value"), VALUES)
def test_what_stands_around_a_value_hides_nothing(entity: Entity, value: str) -> None:
    """In a column named so, and in one that is not."""
    cells = [around.format(value) for around in AROUND]

    assert [cell for cell in cells if entity not in named(cell, entity)] == []
    assert [cell for cell in cells if entity not in unnamed(cell)] == []


@pytest.mark.parametrize(("entity", "value"), VALUES)
def test_no_code_point_hides_a_value(entity: Entity, value: str) -> None:
    """Full-width, invisible characters between all others, other spaces, dashes and digits."""
    cells = [
        value.translate(FULL_WIDTH),
        "\u200b".join(value),
        "\u00ad".join(value),
        "\u2060".join(value),
        value.replace(" ", "\u202f").replace("-", "\u2011"),
        value.replace(" ", "\u2007").replace("-", "\u2212"),
        value.replace(" ", "&nbsp;").replace("-", "&#45;").replace("@", "&#64;"),
        value.replace(" ", "%20").replace("-", "%2D").replace("@", "%40").replace("+", "%2B"),
        value.replace("-", "\\u002d").replace("@", "\\u0040"),
    ]
    if value.translate(ARABIC) != value and entity in {"PHONE", "KR_RRN", "NL_BSN", "CREDIT_CARD"}:
        cells.append(value.translate(ARABIC))

    assert [cell for cell in cells if entity not in named(cell, entity)] == []
    assert [cell for cell in cells if entity not in unnamed(cell)] == []


@pytest.mark.parametrize(
    ("entity", "cells"),
    [
        ("KR_RRN", ("8.501011234566E12", "8501011234566.0", "8501011234566,00", "50101 3123456")),
        ("KR_RRN", ("850101/1234566", "850101.1234566", "850101_1234566", "85.01.01-1234566")),
        ("KR_RRN", ("850101ㅡ1234566", "850101ー1234566", "850101 – 1234566", "850101--1234566")),
        ("KR_RRN", ("8,501,011,234,566", "주민번호: 850101-1234566", "RRN=850101-1234566")),
        ("KR_FRN", ("9.001015123452E12", "900101/5123452", "외국인등록번호 900101-5123452")),
        (
            "KR_BRN",
            ("2.208198766E9", "2208198766.0", "220 81 98766", "220.81.98766", "220/81/98766"),
        ),
        ("KR_BRN", ("사업자번호: 2208198766", "BRN 220-81-98766", "2,208,198,766")),
        ("US_SSN", ("2.19099998E8", "78051120", "78051120.0", "SSN: 219-09-9998", "219.09.9998")),
        ("UK_NHS", ("9.434765919E9", "9434765919.0", "NHS No. 943 476 5919", "943.476.5919")),
        ("UK_NHS", ("NHS943 476 5919", "943/476/5919", "943  476  5919", "943 - 476 - 5919")),
        ("UK_NINO", ("AB-12-34-56-C", "ab123456c", "NI: AB 12 34 56 C", "AB 123456 C", "AB123456")),
        ("DE_TAX_ID", ("6.5929970489E10", "65929970489.0", "DE65929970489", "DE 65 929 970 489")),
        (
            "DE_TAX_ID",
            ("IdNr. 65 929 970 489", "65/929/970/489", "65-929-970-489", "659 299 704 89"),
        ),
        (
            "FR_NIR",
            ("2.55081416802538E14", "2550814168025/38", "255081416802538.0", "2550814168025"),
        ),
        (
            "FR_NIR",
            ("NIR : 2 55 08 14 168 025 38", "2-55-08-14-168-025-38", "2.55.08.14.168.025.38"),
        ),
        (
            "ES_NIF",
            ("12345678-Z", "12.345.678 Z", "ES12345678Z", "NIF: 12345678-Z", "12 345 678 Z"),
        ),
        ("ES_NIF", ("DNI 12.345.678-Z", "12345678/Z", "1234567L", "X 1234567 L", "X-1.234.567-L")),
        ("ES_NIF", ("12345678z", "12,345,678-Z", "D.N.I. nº 12345678Z", "X01234567L")),
        ("IT_FISCAL_CODE", ("CF: RCCMNL83S18D969H", "rccmnl83s18d969h", "RCC-MNL-83S18-D969H")),
        ("IT_FISCAL_CODE", ("RCC/MNL/83S18/D969H", "RCCMNL 83S18 D969H", "RCC MNL 83 S 18 D969 H")),
        ("NL_BSN", ("1.11222333E8", "111222333.0", "BSN: 111222333", "111.222.333", "111-222-333")),
        ("NL_BSN", ("BSN111222333", "111 222 333", "111,222,333", "10000008")),
        (
            "PL_PESEL",
            ("4.4051401359E10", "44051401359.0", "PESEL: 44051401359", "PESEL44051401359"),
        ),
        ("PL_PESEL", ("440514-01359", "440514 01359", "2070803628", "207080362", "PL 44051401359")),
        (
            "JP_MY_NUMBER",
            ("1.23456789018E11", "123456789018.0", "1234-5678-9018", "1234.5678.9018"),
        ),
        (
            "JP_MY_NUMBER",
            ("個人番号：1234 5678 9018", "マイナンバー 123456789018", "1234ー5678ー9018"),
        ),
        ("CREDIT_CARD", ("4.00000123456901E15", "4000001234569010.0", "4000 0012 3456 9010")),
        ("CREDIT_CARD", ("4000.0012.3456.9010", "4000/0012/3456/9010", "Visa 4000001234569010")),
        ("CREDIT_CARD", ("4000_0012_3456_9010", "4000  0012  3456  9010", "3782 822463 10005")),
        ("IBAN_CODE", ("IBAN DE89 3704 0044 0532 0130 00", "de89370400440532013000")),
        ("IBAN_CODE", ("BE68 5390 0754 7034", "NO93 8601 1117 947")),
        ("IBAN_CODE", ("DE89-3704-0044-0532-0130-00", "DE89.3704.0044.0532.0130.00")),
        ("IBAN_CODE", ("IBAN: de89 3704 0044 0532 0130 00", "DE 89 3704 0044 0532 0130 00")),
        ("PHONE", ("tel:+82-10-1234-5678", "1.012345678E9", "1012345678", "010·1234·5678")),
        ("PHONE", ("010ㅡ1234ㅡ5678", "010) 1234-5678", "010 - 1234 - 5678", "T. 02-123-4567")),
        (
            "PHONE",
            ("☎ 031-123-4567", "+82 (0)10-1234-5678", "+82.10.1234.5678", "8.21012345678E11"),
        ),
        ("PHONE", ("+49 (0) 30 / 901820", "0049 30 901820", "030/901820", "(+49) 30 901820")),
        ("PHONE", ("+33 (0)6 12 34 56 78", "06-12-34-56-78", "+1.212.555.2368", "212.555.2368")),
        ("PHONE", ("1-212-555-2368 x12", "+1 (212) 555-2368 ext. 12", "(020) 7946 0018")),
        ("PHONE", ("010-1234-5678; 010-2345-6789", "1-800-FLOWERS", "02-123-4567~8")),
        ("IP_ADDRESS", ("203.000.113.077", "203.0.113.77:8080", "[2001:db8::1]:443", "3405803853")),
        (
            "IP_ADDRESS",
            ("203.0.113.77/32", "2001:DB8:0:0:0:0:0:1", "fe80::1%eth0", "IP: 203.0.113.77"),
        ),
        (
            "MAC_ADDRESS",
            ("001b.4411.3ab7", "001B44113AB7", "0x001b44113ab7", "MAC=00:1b:44:11:3a:b7"),
        ),
        ("MAC_ADDRESS", ("00 1b 44 11 3a b7", "001b44-113ab7", "0:1b:44:11:3a:b7")),
        (
            "EMAIL",
            ("mailto:kim@example.com", "Kim <kim@example.com>", "kim@example.com;lee@example.com"),
        ),
        ("EMAIL", ("김민준@example.com", "kim@예시.한국", "kim@xn--9n2bp8q.xn--3e0b707e")),
        ("EMAIL", ('"kim lee"@example.com', "kim@[192.0.2.1]", "o'brien@example.com")),
    ],
)
def test_a_column_named_so_knows_all_writings(entity: Entity, cells: tuple[str, ...]) -> None:
    """Numbers as floats, lost zeros, labels, prefixes of countries, and any grouping."""
    assert [cell for cell in cells if entity not in named(cell, entity)] == []


@pytest.mark.parametrize(
    ("entity", "cells"),
    [
        ("KR_RRN", ("850101/1234566", "850101_1234566", "85.01.01-1234566", "850101ㅡ1234566")),
        ("KR_RRN", ("8.501011234566E12", "주민번호=850101.1234566")),
        ("ES_NIF", ("NIF: 12345678-Z", "DNI:12.345.678-Z", "D.N.I.: 12345678Z", "12 345 678-Z")),
        (
            "DE_TAX_ID",
            ("Steuer-ID: 65929970489", "IdNr.: 65 929 970 489", "Steuer-IdNr. 65929970489"),
        ),
        ("NL_BSN", ("BSN: 111222333", "Burgerservicenummer: 111.222.333", "BSN 111222333")),
        ("PL_PESEL", ("PESEL: 44051401359", "PESEL 44051401359", "nr PESEL: 44051401359")),
        ("UK_NHS", ("NHS: 943 476 5919", "NHS number: 9434765919", "NHS No 9434765919")),
        ("JP_MY_NUMBER", ("マイナンバー: 123456789018", "個人番号 1234-5678-9018")),
        ("US_SSN", ("SSN: 219099998", "SSN 219 09 9998", "S.S.N.: 219-09-9998")),
        ("KR_BRN", ("사업자등록번호: 2208198766", "사업자번호 220 81 98766")),
        (
            "PHONE",
            ("Tel: 212-555-2368", "tel. 020 7946 0018", "H.P: 010.1234.5678", "전화: 021234567"),
        ),
        ("PHONE", ("0171/3920012", "+49 (0)171 3920012", "Mobil: 0171 3920012", "(02) 123-4567")),
        ("IP_ADDRESS", ("203.0.113.77:8080", "203.000.113.077", "http://203.0.113.77/x")),
        ("IBAN_CODE", ("de89 3704 0044 0532 0130 00", "DE89 3704 0044 0532 0130 00 COBADEFFXXX")),
        (
            "CREDIT_CARD",
            ("4000/0012/3456/9010", "4000 - 0012 - 3456 - 9010", "Visa: 4000001234569010"),
        ),
        (
            "EMAIL",
            ("김민준@example.com", "kim@예시.한국", "mailto:kim%40example.com", "kim＠example.com"),
        ),
        ("FR_NIR", ("2 55 08 14 168 025 clé 38", "2550814168025 (38)")),
    ],
)
def test_a_telling_writing_needs_no_name(entity: Entity, cells: tuple[str, ...]) -> None:
    """A label, a grouping or a check digit tells the kind in any column."""
    assert [cell for cell in cells if entity not in unnamed(cell)] == []


@pytest.mark.parametrize(
    "cell",
    [
        *("image@2x.png", "logo@3x.webp", "git@github.com:owner/repo.git", "lodash@4.17.21"),
        *("deploy@build.example.com:/srv/app", "https://user@host.example.com/path"),
        *("000000-0000000", "0000000000", "111111111", "1111-1111-1111-1111", "000-00-0000"),
        *("12345-6789", "123456-7890", "000123457", "8.50101E+12"),
        *("9400 4000 0012 3456 9010 12", "DE12 4000 0012 3456 9010 00"),
        *("AA:00:1B:44:11:3A:B7", "00-1B-44-11-3A-B7-AA", "00:1B:44:FF:FE:11:3A:B7"),
        *("203.0.113.77.5", "255.255.255.0", "255.255.255.255", "1.2.3.4"),
        *("4000-0012 3456-9010", "850101/1234567", "44851401355"),
    ],
)
def test_what_resembles_a_value_is_none(cell: str) -> None:
    """Images, repositories, placeholders, postal codes, parcels, fingerprints, network masks."""
    assert unnamed(cell) == set()


@pytest.mark.parametrize(
    ("cell", "entity"),
    [
        ("850101-1******", "KR_RRN"),
        ("010-****-5678", "PHONE"),
        ("***-**-1234", "US_SSN"),
        ("219-09-****", "US_SSN"),
        ("000000-0000000", "KR_RRN"),
        ("0000000000", "UK_NHS"),
        ("8.50101E+12", "KR_RRN"),
        ("unknown", "PHONE"),
        ("see file 7", "ES_NIF"),
    ],
)
def test_a_name_makes_no_value_of_a_mask(cell: str, entity: Entity) -> None:
    """Masked values, placeholders, and numbers whose digits a program cut off."""
    assert named(cell, entity) == set()


@pytest.mark.parametrize(
    ("entity", "cell"),
    [
        ("DE_TAX_ID", "Hola, mi identificador es 65 929 970 489, gracias."),
        ("DE_TAX_ID", "<steuerId>65929970489</steuerId>"),
        ("ES_NIF", "1) 12345678-Z 2) X-1234567-L"),
        ("ES_NIF", "CAST('12345678-Z' AS VARCHAR(40))"),
        ("PHONE", "0176 1234 5678 & 0172 1234 567"),
        ("PHONE", "020 7946 0018 after 6pm"),
    ],
)
def test_a_column_s_value_may_stand_among_words(entity: Entity, cell: str) -> None:
    """Its check proves it there."""
    assert entity in named(cell, entity)


@pytest.mark.parametrize(
    ("entity", "cell"),
    [
        ("DE_TAX_ID", "Hola, mi identificador es 65 929 970 488, gracias."),
        ("ES_NIF", "CAST('12345678-A' AS VARCHAR(40))"),
        ("FR_NIR", "voir dossier 2 55 08 14 168 025 39 du 3 mai"),
    ],
)
def test_a_number_among_words_without_its_check_digit_is_none(entity: Entity, cell: str) -> None:
    """A column's name alone does not make every number in a remark one of its kind."""
    assert entity not in named(cell, entity)


@pytest.mark.parametrize(
    ("entity", "cell"),
    [
        ("KR_RRN", "850101(1234566)"),
        ("KR_RRN", "[850101][1234566]"),
        ("KR_RRN", "850101+1234566"),
        ("FR_NIR", "2 - 55 - 08 - 14 - 168 - 025 - 38"),
        ("IT_FISCAL_CODE", "RCC·MNL·83S18·D969H"),
        ("IT_FISCAL_CODE", "GRC LNE 19P43 C3RMJ"),
        ("ES_NIF", "N.I.F. nº 12345678Z"),
        ("ES_NIF", "12345678-Z)"),
    ],
)
def test_a_value_is_found_between_other_signs(entity: Entity, cell: str) -> None:
    """Brackets, a plus, dashes with blanks, dots of the middle, letters instead of digits."""
    assert entity in unnamed(cell)


ODD_SIGNS = (" • ", "~", "_", "|", "\\", "+", ",", ":", " — ", "][", ") (", " + ", "‥")


@pytest.mark.parametrize(
    ("entity", "groups"),
    [
        ("IBAN_CODE", ("GB29", "NWBK", "6016", "1331", "9268", "19")),
        ("IBAN_CODE", ("GB", "29N", "WBK60", "161331", "926819")),
        ("FR_NIR", ("2", "53", "07", "2A", "073", "004", "43")),
        ("IT_FISCAL_CODE", ("RCCMNL", "83S18", "D969", "H")),
        ("IT_FISCAL_CODE", ("RCCM", "NL83", "S18D", "969H")),
        ("ES_NIF", ("12345678", "Z")),
        ("ES_NIF", ("X", "1234567", "L")),
        ("KR_RRN", ("850101", "1234566")),
        ("KR_FRN", ("900101", "5123452")),
    ],
)
def test_no_sign_between_its_groups_hides_a_value(entity: Entity, groups: tuple[str, ...]) -> None:
    """In any column, because the check decides on letters and digits alone."""
    cells = [sign.join(groups) for sign in ODD_SIGNS]

    assert [cell for cell in cells if entity not in unnamed(cell)] == []
    assert [cell for cell in cells if entity not in named(cell, entity)] == []


@pytest.mark.parametrize(
    ("entity", "groups"),
    [
        ("UK_NHS", ("943", "476", "5919")),
        ("DE_TAX_ID", ("65", "929", "970", "489")),
        ("NL_BSN", ("111", "222", "333")),
        ("JP_MY_NUMBER", ("1234", "5678", "9018")),
        ("CREDIT_CARD", ("4000", "0012", "3456", "9010")),
        ("KR_BRN", ("220", "81", "98766")),
    ],
)
def test_usual_groups_tell_a_number_with_other_signs_between(
    entity: Entity, groups: tuple[str, ...]
) -> None:
    """A check digit that one number in ten has needs the groups in which the kind is written."""
    cells = [sign.join(groups) for sign in ("~", "_", "|", "\\", "+", " • ", "][")]

    assert [cell for cell in cells if entity not in unnamed(cell)] == []


@pytest.mark.parametrize(
    ("entity", "cell"),
    [
        ("DE_TAX_ID", "Weber, Anna; 65 929 970 489"),
        ("DE_TAX_ID", "65 929 970 489 - copy"),
        ("NL_BSN", "<td>1112.22.333</td>"),
        ("ES_NIF", "see 12345678-Z, valid"),
        ("ES_NIF", "12345678-Z | X-1234567-L"),
        ("ES_NIF", "12345678 letra Z"),
        ("ES_NIF", "12345678 (Z)"),
        ("ES_NIF", "1.234.567-L"),
        ("ES_NIF", "ES-12345678Z"),
        ("IBAN_CODE", "iban=GB29+NWBK+6016+1331+9268+19&lang=en"),
        ("FR_NIR", "nir=2+55+08+14+168+025+38&x=1"),
        ("KR_RRN", "10101-3123458"),
        ("KR_RRN", "85년 01월 01일 - 1234566"),
        ("KR_RRN", "주민번호 앞자리 850101 뒷자리 1234566"),
        ("IT_FISCAL_CODE", "CF RCCMNL83S18D969H"),
        ("MAC_ADDRESS", "(ee d4 6c be 7e 39)"),
        ("MAC_ADDRESS", "F6BF162AA5E7;"),
    ],
)
def test_any_column_knows_a_value_beside_words(entity: Entity, cell: str) -> None:
    """A name, a remark, a tag, the parameter of an address, a birth in words."""
    assert entity in unnamed(cell)


def test_a_column_of_resident_numbers_holds_those_of_foreigners_too() -> None:
    """Both stand in one column of most Korean tables."""
    assert named("900101~5123452", "KR_RRN") == {"KR_FRN"}
    assert named("850101.1234566", "KR_FRN") == {"KR_RRN"}


@pytest.mark.parametrize(
    "cell",
    [
        *("2024-03-01 12:30:00", "20240301 123000", "3/11/2024 10:30:00", "2024-03-01T12:30:00.1"),
        *("[12] [345] [678]", "1,234,567.89", "GB28 • NWBK • 6016 • 1331 • 9268 • 19"),
        *("12345678~A", "12345678 letra A", "850101~1234567", "10101-3123459", "12•• 5678 Z"),
        *("RCCM|NL83|S18D|969A", "2|53|07|2A|073|004|44", "202403011230"),
    ],
)
def test_signs_make_no_value_of_another_number(cell: str) -> None:
    """Days, lists, amounts, masks, and numbers whose check is wrong."""
    assert unnamed(cell) == set()
