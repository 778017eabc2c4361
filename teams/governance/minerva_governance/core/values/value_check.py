"""The exact check of each kind's values, by the name that its table gives.

A check gets what the form matched and answers with a score: 1.0 if a check digit is right or the
form cannot be anything else, 0.5 if only the form fits, less if that is doubtful, None if it is not
of the kind. In a column
named so (`is_named`), digits that a spreadsheet lost are put back, and a wrong check digit is a
typing mistake, not another kind of number.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from typing import Final

from minerva_governance.core.kinds.extra import has_extra
from minerva_governance.core.kinds.kind import Kind
from minerva_governance.core.kinds.review_context import current_context
from minerva_governance.core.values.phone import is_possible_phone, phone_region
from minerva_platform.text import check_digits

CERTAIN: Final = 1.0
FORM_ONLY: Final = 0.5
WEAK: Final = 0.25
"""Of one value whose form and check digit many other values have by chance."""
UNBORN: Final = 0.2
"""Of a resident number whose birth lies in the future: the form of a number that nobody has yet."""

ValueCheck = Callable[[str, bool], float | None]
"""Of the text and whether the column is named so."""

_DIGITS = re.compile(r"[0-9]+")
_FRACTION = ".0"
"""What spreadsheets add to a number of a column that has empty cells."""
_RESIDENT_DIGITS = 13
_SOCIAL_SECURITY_DIGITS = 9
_MIN_ADDRESS_DIGITS = 6
"""Of an IPv4 address that is believed anywhere: shorter ones read like versions (2.10.4.1)."""


def score(kind: Kind, text: str, *, is_named: bool) -> float | None:
    """Return how sure `text`, which has the form of `kind`, is one; None if it is none."""
    check = _check(kind.check)
    if text.endswith(_FRACTION) and text[: -len(_FRACTION)].isdigit():
        text = text[: -len(_FRACTION)]
    if check is None:
        # `form` alone proves an e-mail address and what else no other value looks like.
        return CERTAIN if kind.form and not kind.needs and not is_named else FORM_ONLY
    sure = check(text, is_named)
    is_placeholder = sure is not None and text.count(text[-1]) > _MAX_ALIKE
    if is_placeholder and kind.check not in _MAY_BE_ALIKE and _is_of_one_digit(text):
        return None
    return sure


def _is_of_one_digit(text: str) -> bool:
    """True if all digits are one: people fill 000000-0000000 in where they have no number."""
    digits = _digits(text)
    return bool(digits) and digits == digits[0] * len(digits)


_MAX_ALIKE: Final = 5
_MAY_BE_ALIKE: Final = frozenset({"ip_address", "kr_rrn", "kr_frn"})
"""Checks of numbers that are an address or a day with one digit, too."""


@cache
def _check(name: str) -> ValueCheck | None:
    if not name:
        return None
    library, _, module = name.partition(":")
    if library == "stdnum":
        return _of_stdnum(module)
    return _OWN[name]


def _of_stdnum(module: str) -> ValueCheck:
    if not has_extra("numbers"):
        return _form_only
    own: Callable[..., bool] = import_module(f"stdnum.{module}").is_valid
    is_valid: Callable[[str], bool] = own
    if module == "iban":  # ISO 13616 knows no banks; python-stdnum's lists of them grow old
        is_valid = partial(own, check_country=False)

    is_born = _BIRTHS.get(module)
    size, word = _SIZES.get(module, 0), _WORDS.get(module)

    def check(text: str, is_named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
        # People group the digits as they like; python-stdnum strips what their country does.
        if word is not None and " " in text:
            text = word.sub("", text)
        letters = "".join(filter(str.isalnum, text))
        if is_named or module in _WRITTEN_SHORT:
            letters = letters.zfill(size)
        if is_valid(letters) and (is_born is None or is_born(letters)):
            return CERTAIN
        return FORM_ONLY if is_named else None

    return check


_WORDS: Final[Mapping[str, re.Pattern[str]]] = {
    "fr.nir": re.compile(r"(?<=[ ,(])(?:cl[eé]f?|key)", re.IGNORECASE),
    "es.nif": re.compile(r" letra "),
}
"""What people write before the check digits or the letter."""


def _pesel_is_of_our_time(letters: str) -> bool:
    """True if a PESEL names a birth from 1900 to 2039: 20 is added to months from 2000 on."""
    return letters[2] in "01" or (letters[2] in "23" and letters[0] in "0123")


def _bsn_was_given_out(letters: str) -> bool:
    """True if a BSN has eight digits at least, as all have."""
    return letters[:2] != "00"


_BIRTHS: Final[Mapping[str, Callable[[str], bool]]] = {
    "pl.pesel": _pesel_is_of_our_time,
    "nl.bsn": _bsn_was_given_out,
}
"""What python-stdnum takes that no living person has."""
_SIZES: Final = {"pl.pesel": 11, "nl.bsn": 9, "jp.in_": 12, "es.nif": 9}
"""Of numbers that begin with zeros, which spreadsheets drop."""
_WRITTEN_SHORT: Final = frozenset({"es.nif"})
"""Of these people themselves leave zeros out: the letter behind the digits tells what it is."""


def _form_only(text: str, is_named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    del text, is_named
    return FORM_ONLY


def _digits(text: str) -> str:
    return "".join(_DIGITS.findall(text))


def _resident(is_valid: Callable[[str], bool]) -> ValueCheck:
    def check(text: str, is_named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
        digits = _digits(text)
        lost_zero = not is_named and len(digits) < _RESIDENT_DIGITS
        if is_named or lost_zero:
            digits = digits.zfill(_RESIDENT_DIGITS)
        birth = check_digits.resident_birth(digits)
        if birth is None:
            return None
        right = is_valid(digits)
        if lost_zero and not right:
            return None
        is_unchecked = digits[:6] >= _FIRST_UNCHECKED and digits[6] in "34"
        if not (is_named or right or is_unchecked) and _USUAL_WRITING.fullmatch(text) is None:
            return None
        if (
            not is_named
            and text.isdigit()
            and check_digits.resident_is_other_number(digits, has_check=right)
        ):
            return None
        if birth > current_context().today:
            return UNBORN
        return CERTAIN if right else FORM_ONLY

    return check


_FIRST_UNCHECKED = "201005"
"""The first day of birth whose numbers have no check digit (주민등록법 시행규칙, October 2020)."""
_USUAL_WRITING = re.compile(r"[0-9]{6}(?: ?- ?| )?[0-9]{7}")
"""Codes and orders have other signs, too: with these a resident number needs its check digit."""


def _card(text: str, is_named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    digits = _digits(text)
    is_even = is_named or len(set(_BETWEEN.findall(text))) <= 1
    if len(digits) == _OLD_VISA_DIGITS and not is_named:
        is_card = digits[0] == "4" and is_even and check_digits.luhn_is_valid(digits)
        return CERTAIN if is_card and not check_digits.ean_is_valid(digits) else None
    if (
        check_digits.luhn_is_valid(digits)
        and is_even
        and (is_named or check_digits.card_is_issued(digits))
    ):
        return CERTAIN
    return FORM_ONLY if is_named else None


_BETWEEN = re.compile(r"[^0-9]+")
_OLD_VISA_DIGITS = 13
"""Of articles, too: EAN-13 of Germany and Japan begins with 4."""


def _business(text: str, is_named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    digits = _digits(text)
    # Tax offices are numbered from 101, and no kind of business is 00.
    if check_digits.business_is_valid(digits) and digits >= "101" and digits[3:5] != "00":
        return FORM_ONLY if is_named and text.isdigit() else CERTAIN
    return FORM_ONLY if is_named else None


def _phone(text: str, is_named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    if is_named:
        return FORM_ONLY
    if phone_region(text, plans=_plans(text)) is not None:
        return CERTAIN
    is_abroad = text.startswith("+") or (
        text.startswith(("00", "011")) and len(_digits(text)) >= _MIN_DIGITS_ABROAD
    )
    return FORM_ONLY if is_abroad and is_possible_phone(text) else None


_MIN_DIGITS_ABROAD: Final = 11
"""After 00 or 011: shorter ones are codes of things."""


_WITH_ZERO: Final = ("GB", "DE", "FR", "JP", "IT", "NL", "BE", "CH", "AT", "SE")
"""Whose national numbers begin with a zero, of the countries whose numbers are known here."""
_CALLING_CODES: Final = {"1": "US", "33": "FR", "44": "GB", "49": "DE", "81": "JP", "82": "KR"}
_MOBILE_ABROAD: Final[Mapping[str, tuple[str, ...]]] = {
    code: (region,) for code, region in _CALLING_CODES.items() if code != "1"
}
_MIN_NATIONAL_DIGITS: Final = 9
_MAX_NATIONAL_DIGITS: Final = 11
_LONG: Final = re.compile(r"01[5-7]")
"""Germany has twelve digits in mobile numbers; in others, in groups that are not all of four."""


def _plans(text: str) -> tuple[str, ...]:
    """Return whose number plans write national numbers as `text` is written, in groups."""
    groups = _DIGITS.findall(text)
    if groups[0][0] != "0" and groups[0] in _CALLING_CODES:
        return (_CALLING_CODES[groups[0]],)
    if groups[0][0] != "0":
        return ("US",) if len(groups) > 1 else _MOBILE_ABROAD.get(groups[0][:2], ())
    if len(groups) == 1:
        return ("DE",) if _LONG.match(text) else ("GB", "FR")
    is_in_two = len(groups) == 2  # noqa: PLR2004  # area and line
    size = sum(map(len, groups))
    is_even = set(map(len, groups)) == {4}
    may_be_long = is_in_two or not is_even or _LONG.match(groups[0]) is not None
    fits = _MIN_NATIONAL_DIGITS <= size <= _MAX_NATIONAL_DIGITS + may_be_long
    return _WITH_ZERO if fits else ()


def _social_security(text: str, is_named: bool) -> float | None:  # noqa: FBT001  # as all checks
    """Apply the rules of the Social Security Administration; there is no check digit."""
    digits = _digits(text).zfill(_SOCIAL_SECURITY_DIGITS)
    possible = (
        digits[:3] not in {"000", "666"}
        and digits[0] != "9"
        and digits[3:5] != "00"
        and digits[5:] != "0000"
    )
    return (FORM_ONLY if is_named else CERTAIN) if possible else None


_NO_NINO = frozenset({"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"})
"""Prefixes that HMRC never gives out."""


def _insurance(text: str, is_named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    if text[:2].upper() in _NO_NINO:
        return None
    return FORM_ONLY if is_named else CERTAIN


def _host(text: str) -> str:
    """Return an address without its port, its interface, or the length of its prefix."""
    host = text.partition("%")[0].partition("/")[0]
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host


def _address(text: str, is_named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    plain, port = _host(text), _PORT.search(text)
    if port and int(port[1]) > _MAX_PORT:
        return None
    if is_named and plain.isdigit():  # as INET_ATON of databases writes it
        return FORM_ONLY if int(plain) < _ADDRESSES else None
    if ":" not in plain and (is_named or _PADDED.fullmatch(plain)):
        plain = _ZEROS_BEFORE.sub("", plain)
    try:
        address = ipaddress.ip_address(plain)
    except ValueError:
        return None
    return CERTAIN if is_named or _is_of_a_device(address) else None


def _is_of_a_device(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """True if an address is believed anywhere: no mask of networks, and no version (2.10.4.1)."""
    if address.is_loopback or address.is_unspecified or address.is_multicast:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        return True
    is_long = len(_digits(str(address))) >= _MIN_ADDRESS_DIGITS
    return is_long and not address.is_reserved and address.packed[0] != 0


_PORT: Final = re.compile(r"[.\]][0-9]{0,3}:([0-9]{1,5})$")
_MAX_PORT: Final = 65_535
_PADDED: Final = re.compile(r"[0-9]{3}(?:\.[0-9]{3}){3}")
_ZEROS_BEFORE: Final = re.compile(r"(?<![0-9])0+(?=[0-9])")
_ADDRESSES: Final = 2**32


_MAC_PAIRS: Final = 6


def _mac(text: str, is_named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    letters = "".join(filter(str.isalnum, text.removeprefix("0x"))).upper()
    if len(set(letters)) == 1:
        return None
    is_in_pairs = ":" in text or text.count("-") == _MAC_PAIRS - 1
    if is_named or is_in_pairs:
        return CERTAIN
    # A code of twelve: a device's has an even first byte (IEEE 802), and other numbers no letter.
    return CERTAIN if int(letters[1], 16) % 2 == 0 and not letters.isdigit() else None


_OWN: Final[Mapping[str, ValueCheck]] = {
    "kr_rrn": _resident(check_digits.resident_is_valid),
    "kr_frn": _resident(check_digits.foreigner_is_valid),
    "kr_brn": _business,
    "card": _card,
    "phone": _phone,
    "us_ssn": _social_security,
    "uk_nino": _insurance,
    "ip_address": _address,
    "mac_address": _mac,
}
