"""The exact check of each kind's values, by the name that its table gives.

A check gets what the form matched and answers with a score: 1.0 if a check digit is right or the
form cannot be anything else, 0.5 if only the form fits, None if it is not of the kind. In a column
named so (`named`), digits that a spreadsheet lost are put back, and a wrong check digit is a
typing mistake, not another kind of number.
"""

import ipaddress
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Final

from minerva_governance.core.detection import checksum
from minerva_governance.core.detection.phone import is_possible_phone, phone_region
from minerva_governance.core.kinds.extra import has_extra
from minerva_governance.core.kinds.kind import Kind

CERTAIN: Final = 1.0
FORM_ONLY: Final = 0.5
WEAK: Final = 0.25
"""Of one value whose form and check digit many other values have by chance."""

ValueCheck = Callable[[str, bool], float | None]
"""Of the text and whether the column is named so."""

_DIGITS = re.compile(r"[0-9]+")
_FRACTION = ".0"
"""What spreadsheets add to a number of a column that has empty cells."""
_RESIDENT_DIGITS = 13
_SOCIAL_SECURITY_DIGITS = 9
_CARD_ISSUER = re.compile(
    r"""
      4(?:[0-9]{15}|[0-9]{18})                          # Visa
    | (?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}
                                                        # Mastercard
    | 35(?:2[89]|[3-8][0-9])[0-9]{12}                   # JCB
    | 9[45][0-9]{14}                                    # Korea's own range
    | 3[47][0-9]{13}                                    # American Express
    | 3(?:0[0-5]|095|[68][0-9])[0-9]{11}                # Diners Club
    | (?:6011|64[4-9][0-9]|65[0-9]{2})[0-9]{12}         # Discover
    | 62[0-9]{14,17}                                    # UnionPay
    | (?:50|5[6-9]|6[0-9])[0-9]{14}                     # Maestro
    """,
    re.VERBOSE,
)
"""Numbers of issuers. All other digits that pass Luhn by chance (one in ten) stay out."""
_EPOCH_BIRTHS = "1"
"""Milliseconds since 1970 begin with 1 until 2033: so do births of the 1910s and 2010s."""
_MIN_ADDRESS_DIGITS = 6
"""Of an IPv4 address that is believed anywhere: shorter ones read like versions (2.10.4.1)."""


def score(kind: Kind, text: str, *, named: bool) -> float | None:
    """Return how sure `text`, which has the form of `kind`, is one; None if it is none."""
    check = _check(kind.check)
    if text.endswith(_FRACTION) and text[: -len(_FRACTION)].isdigit():
        text = text[: -len(_FRACTION)]
    if check is None:
        # `form` alone proves an e-mail address and what else no other value looks like.
        return CERTAIN if kind.form and not kind.needs and not named else FORM_ONLY
    return check(text, named)


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
    is_valid: Callable[[str], bool] = import_module(f"stdnum.{module}").is_valid

    def check(text: str, named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
        # People group the digits as they like; python-stdnum strips what their country does.
        if is_valid("".join(filter(str.isalnum, text))):
            return CERTAIN
        return FORM_ONLY if named else None

    return check


def _form_only(text: str, named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    del text, named
    return FORM_ONLY


def _digits(text: str) -> str:
    return "".join(_DIGITS.findall(text))


def _resident(is_valid: Callable[[str], bool]) -> ValueCheck:
    def check(text: str, named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
        digits = _digits(text)
        if named:
            digits = digits.zfill(_RESIDENT_DIGITS)
        if not checksum.resident_birth_is_date(digits):
            return None
        right = is_valid(digits)
        if not named and text.isdigit() and _is_other_number(digits, has_check=right):
            return None
        return CERTAIN if right else FORM_ONLY

    return check


def _is_other_number(digits: str, *, has_check: bool) -> bool:
    """True if 13 digits without a dash are rather a time stamp or an article number.

    880 is Korea's prefix of article numbers, and reads as a birth in 1988.
    """
    if checksum.resident_is_born_later(digits):
        return True
    # Articles numbered 20 to 29 never leave the shop that numbers them; children are so numbered.
    is_article = checksum.ean_is_valid(digits) and digits[0] != "2"
    if is_article and (digits.startswith("880") or not has_check):
        return True
    return not has_check and digits.startswith(_EPOCH_BIRTHS)


def _card(text: str, named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    digits = _digits(text)
    if checksum.luhn_is_valid(digits) and (named or _CARD_ISSUER.fullmatch(digits)):
        return CERTAIN
    return FORM_ONLY if named else None


def _business(text: str, named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    digits = _digits(text)
    # Tax offices are numbered from 101, and no kind of business is 00.
    if checksum.business_is_valid(digits) and digits >= "101" and digits[3:5] != "00":
        return FORM_ONLY if named and text.isdigit() else CERTAIN
    return FORM_ONLY if named else None


def _phone(text: str, named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    if named:
        return FORM_ONLY
    if phone_region(text, plans=_plans(text)) is not None:
        return CERTAIN
    is_abroad = text.startswith("+") or (
        text.startswith("00") and len(_digits(text)) >= _MIN_DIGITS_ABROAD
    )
    return FORM_ONLY if is_abroad and is_possible_phone(text) else None


_MIN_DIGITS_ABROAD: Final = 11
"""After 00: shorter ones are codes of things."""


_WITH_ZERO: Final = ("GB", "DE", "FR", "JP", "IT", "NL", "BE", "CH", "AT", "SE")
"""Whose national numbers begin with a zero, of the countries whose numbers are known here."""
_CALLING_CODES: Final = {"1": "US", "33": "FR", "44": "GB", "49": "DE", "82": "KR"}
_MIN_NATIONAL_DIGITS: Final = 9
_MAX_NATIONAL_DIGITS: Final = 11
"""Of a number in three groups and more; Germany writes twelve digits in two."""


def _plans(text: str) -> tuple[str, ...]:
    """Return whose number plans write national numbers as `text` is written, in groups."""
    groups = _DIGITS.findall(text)
    if groups[0][0] != "0" and groups[0] in _CALLING_CODES:
        return (_CALLING_CODES[groups[0]],)
    if groups[0][0] != "0":
        return ("US",) if len(groups) > 1 else ()
    is_in_two = len(groups) == 2  # noqa: PLR2004  # area and line
    size = sum(map(len, groups))
    fits = _MIN_NATIONAL_DIGITS <= size <= _MAX_NATIONAL_DIGITS + is_in_two
    return _WITH_ZERO if len(groups) > 1 and fits else ()


def _social_security(text: str, named: bool) -> float | None:  # noqa: FBT001  # as all checks
    """Apply the rules of the Social Security Administration; there is no check digit."""
    digits = _digits(text).zfill(_SOCIAL_SECURITY_DIGITS)
    possible = (
        digits[:3] not in {"000", "666"}
        and digits[0] != "9"
        and digits[3:5] != "00"
        and digits[5:] != "0000"
    )
    return (FORM_ONLY if named else CERTAIN) if possible else None


_NO_NINO = frozenset({"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"})
"""Prefixes that HMRC never gives out."""


def _insurance(text: str, named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    if text[:2].upper() in _NO_NINO:
        return None
    return FORM_ONLY if named else CERTAIN


def _address(text: str, named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    plain = text.rpartition(":")[0] if text.count(":") == 1 else text
    try:
        address = ipaddress.ip_address(plain)
    except ValueError:
        return None
    if named:
        return CERTAIN
    if address.is_loopback or address.is_unspecified or address.is_multicast:
        return None
    if address.version == 4 and len(_digits(plain)) < _MIN_ADDRESS_DIGITS:  # noqa: PLR2004  # IPv4
        return None
    return CERTAIN


_MAC_PAIRS: Final = 6


def _mac(text: str, named: bool) -> float | None:  # noqa: FBT001  # the type of all checks
    letters = _plain_letters(text)
    if len(set(letters)) == 1:
        return None
    is_in_pairs = ":" in text or text.count("-") == _MAC_PAIRS - 1
    if named or is_in_pairs:
        return CERTAIN
    # A code of twelve: a device's has an even first byte (IEEE 802), and other numbers no letter.
    return CERTAIN if int(letters[1], 16) % 2 == 0 and not letters.isdigit() else None


def _plain_letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).upper()


_OWN: Final[Mapping[str, ValueCheck]] = {
    "kr_rrn": _resident(checksum.resident_is_valid),
    "kr_frn": _resident(checksum.foreigner_is_valid),
    "kr_brn": _business,
    "card": _card,
    "phone": _phone,
    "us_ssn": _social_security,
    "uk_nino": _insurance,
    "ip_address": _address,
    "mac_address": _mac,
}
