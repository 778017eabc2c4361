"""A phone number is found however the programs and the people of its country write it.

The numbers are those that Ofcom, ARCEP, the Bundesnetzagentur and the North American plan keep for
films, and some of Korea, which keeps none. The writings are those of E.164, RFC 3966, DIN 5008 and
ITU-T E.123, of spreadsheets, of business cards, and of what people type into forms.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from minerva_governance.core.detection.cell import find_in_cell, weak_forms
from minerva_governance.core.values.phone import phone_region


class Number(NamedTuple):
    """A number: the code of its country, the digit before it at home, and its groups."""

    country: str
    trunk: str
    groups: tuple[str, ...]

    @property
    def home(self) -> list[str]:
        """The groups as people of the country write them."""
        return [self.trunk + self.groups[0], *self.groups[1:]]


NUMBERS = (
    Number("82", "0", ("10", "1234", "5678")),
    Number("82", "0", ("2", "312", "4567")),
    Number("82", "0", ("31", "8123", "4567")),
    Number("82", "0", ("70", "4567", "1234")),
    Number("1", "", ("212", "555", "0123")),
    Number("1", "", ("617", "253", "1000")),
    Number("44", "0", ("7700", "900", "123")),
    Number("44", "0", ("20", "7946", "0018")),
    Number("44", "0", ("161", "496", "0123")),
    Number("44", "0", ("1632", "960123")),
    Number("49", "0", ("30", "23125", "123")),
    Number("49", "0", ("171", "3920012")),
    Number("49", "0", ("152", "2881", "7386")),
    Number("33", "0", ("6", "39", "98", "12", "34")),
    Number("33", "0", ("1", "99", "00", "12", "34")),
)
Write = Callable[[Number], str]


def at_home(sign: str) -> Write:
    """Return how the groups are joined at home."""
    return lambda number: sign.join(number.home)


def abroad(form: str, sign: str = " ") -> Write:
    """Return a writing with the country's code: `{c}`, the trunk `{t}`, and the groups `{n}`."""
    return lambda number: form.format(
        c=number.country, t=number.trunk or "1", n=sign.join(number.groups)
    )


def usual(form: str) -> Write:
    """Return words around the number as its country writes it."""
    return lambda number: form.replace(
        "{}", ("-" if number.country in {"1", "82"} else " ").join(number.home)
    )


SIGNS = (
    *("-", " ", "/", "\xa0", "–", "\u2009", "\u2011", "  ", " - ", "\t", "\n", "·", " • ", "~"),
    *("_", "|", "\\", " — ", "ㅡ", "+", "%20", "&nbsp;", "&#45;"),
)
BEFORE = (
    *("Tel: ", "Tel. ", "TEL.", "T: ", "M. ", "Phone: ", "Mobile: ", "Handy: ", "Fon: ", "Fax: "),
    *(
        "Tél. : ",
        "Portable: ",
        "연락처: ",
        "휴대폰 ",
        "H.P. ",
        "hp)",
        "(집)",
        "☎ ",
        "📞",
        "tel:",
        "callto:",
    ),
    *("Home ", "office: ", "privat: ", "Kim Min-su ", "Dr. Weber: "),
)
BEHIND = (
    *(" x12", " ext. 12", ", ext. 12", " extension 12", " #12", ";ext=12", ",,12", " poste 12"),
    *(
        " Durchwahl 12",
        " DW 12",
        " 내선 12",
        "(내선 12)",
        "~3",
        " (home)",
        " (집)",
        " privat",
        " - home",
    ),
    *(" (KR)", " [cell]", " WhatsApp", ".", "?", ";"),
)
WRITINGS: tuple[Write, ...] = (
    *map(at_home, SIGNS),
    *(abroad("+{c}" + sign + "{n}", sign) for sign in SIGNS),
    abroad("+{c}{n}", ""),
    abroad("+{c} {n}", ""),
    abroad("+{c}.{n}", ""),
    abroad("'+{c}{n}", ""),
    abroad("00{c} {n}"),
    abroad("00{c}-{n}", "-"),
    abroad("(+{c}) {n}"),
    abroad("(+{c}){n}", ""),
    abroad("+ {c} {n}"),
    abroad("+({c}) {n}"),
    abroad("sip:+{c}{n}@sip.example.com", ""),
    abroad("https://wa.me/{c}{n}", ""),
    abroad("tel:+{c}-{n}", "-"),
    abroad("TEL;TYPE=CELL:+{c}-{n}", "-"),
    *(usual(before + "{}") for before in BEFORE),
    *(usual("{}" + behind) for behind in BEHIND),
    *map(usual, ('="{}"', "'{}", '["{}"]', "<td>{}</td>", "N'{}'", "{} / {}", "{}; {}")),
    lambda number: "".join(f"[{group}]" for group in number.home),
    lambda number: f"({number.home[0]}) {' '.join(number.home[1:])}",
    lambda number: f"({number.home[0]}){''.join(number.home[1:])}",
    lambda number: f"{number.home[0]}) {'-'.join(number.home[1:])}",
    lambda number: f"{number.home[0]} / {' '.join(number.home[1:])}",
    lambda number: f"{number.home[0]}-{''.join(number.home[1:])}",
)


def cells() -> Iterator[str]:
    """Yield every number in every writing."""
    yield from (write(number) for write in WRITINGS for number in NUMBERS)


def unnamed(cell: str) -> set[str]:
    """Return what a whole column of such cells is believed to be, whatever its name."""
    return {found for found, _ in find_in_cell(cell, None) or weak_forms(cell)}


def test_a_column_that_names_a_phone_knows_all_writings() -> None:
    """Digits alone, too: as a float, without their zero, with the country's code."""
    plain = [
        form
        for number in NUMBERS
        for digits in ("".join(number.groups), number.country + "".join(number.groups))
        for form in (digits, f"{digits}.0", f"{digits[0]}.{digits[1:]}E+{len(digits) - 1}")
    ]
    written = [*cells(), *plain]

    missed = [each for each in written if "PHONE" not in dict(find_in_cell(each, "PHONE"))]
    assert missed == []


def test_any_column_knows_writings_in_groups() -> None:
    """With signs between them, with labels, remarks and extensions."""
    assert [cell for cell in cells() if "PHONE" not in unnamed(cell)] == []


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "011 44 7700 900123",
            "011-33-6-39-98-12-34",
            "001-44-7700-900123",
            "002-49-30-23125-123",
        ),
        *(
            "00700-44-20-7946-0018",
            "010-44-20-7946-0018",
            "+44 (0)20 7946 0018",
            "+49-(0)-30-23125-123",
        ),
        *("0082-10-1234-5678", "82-10-1234-5678", "44 20 7946 0018", "(82) 10 1234 5678"),
    ],
)
def test_a_number_dialled_from_elsewhere_is_found(cell: str) -> None:
    """From Korea 001 and 00700, from North America 011, from Japan 010; zeros in brackets."""
    assert "PHONE" in unnamed(cell)


@pytest.mark.parametrize(
    "cell",
    ["07700900123", "0639981234", "01713920012", "015228817386", "821012345678", "447700900123"],
)
def test_a_mobile_number_may_be_digits_alone(cell: str) -> None:
    """With its zero, which no number of a program has, or with the code of its country."""
    assert "PHONE" in unnamed(cell)


@pytest.mark.parametrize(
    "cell",
    [
        *(
            "0152 2881 7386",
            "0176-1234-5678",
            "0171 39 20 01 2",
            "0171/39 20 012",
            "030 - 23125 - 123",
        ),
        *("0221 4710 913", "(0171) 39-20-012", "06221 491 5823"),
    ],
)
def test_germany_groups_digits_freely(cell: str) -> None:
    """Its mobile numbers have twelve digits, in any groups."""
    assert "PHONE" in unnamed(cell)


def test_a_number_that_passes_a_check_digit_is_a_phone_number_still() -> None:
    """One of eleven passes that of the NHS, which writes its own with blanks."""
    assert unnamed("415-555-0199") >= {"PHONE", "UK_NHS"}
    assert unnamed("943 476 5919") == {"UK_NHS"}


@pytest.mark.parametrize(
    "cell",
    [
        *("2024-03-01 12:30:00", "01.02.2024 10:30", "05.06.24 10:30", "3/11/2024 10:30:00"),
        *(
            "20240301123000",
            "202403011230",
            "2024-03-01 ~ 2024-03-31",
            "12:30:00.123",
            "240301-123000",
        ),
        *("ORD-2024-0000123", "SM-G998N", "1,234,567", "37.566535, 126.977969", "1.12.3-rc.4"),
        *("Order 20240301 shipped", "box 499 of 500", "192.168.10.20/24", "1990-2005"),
    ],
)
def test_a_day_a_code_or_an_amount_is_no_phone_number(cell: str) -> None:
    """Whatever signs are between their digits."""
    assert "PHONE" not in unnamed(cell)


def test_the_country_is_that_of_the_plan_that_has_the_number() -> None:
    """Of a number dialled from North America it is the other end."""
    assert phone_region("011 44 20 7946 0018") == "GB"
    assert phone_region("001-82-10-1234-5678") == "KR"
