"""Check digits of Korean numbers, of payment cards and of bank accounts.

A right check digit turns "looks like one" into "is one". The recorder, the data and insilico teams
and governance's detectors share these. All functions but `iban_is_valid` take digits only, of the
right length.
"""

import re
from datetime import date
from operator import mul
from typing import Final

_RESIDENT_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_BUSINESS_WEIGHTS = (1, 3, 7, 1, 3, 7, 1, 3, 5)
_CENTURY = {"1": 1900, "2": 1900, "3": 2000, "4": 2000, "5": 1900, "6": 1900, "7": 2000, "8": 2000}
LAST_BIRTH_YEAR: Final = 2039
"""Of a number that may be a person's where nobody says what day it is."""
_EPOCH_BIRTHS: Final = "1"
"""Milliseconds since 1970 begin with 1 until 2033: so do births of the 1910s and 2010s."""
_DOUBLED = str.maketrans("0123456789", "0246813579")
"""The sum of the digits of twice a digit."""
_CARD_ISSUER: Final = re.compile(
    r"""
      4(?:[0-9]{15}|[0-9]{18})                          # Visa
    | (?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}
                                                        # Mastercard
    | 35(?:2[89]|[3-8][0-9])[0-9]{12}                   # JCB
    | 9[45][0-9]{14}                                    # Korea's own range
    | 3[47][0-9]{13}                                    # American Express
    | 3(?:0[0-5]|095|[68][0-9])[0-9]{11}                # Diners Club
    | (?:6011|64[4-9][0-9]|65[0-9]{2})[0-9]{12}         # Discover
    | (?:62|81)[0-9]{14,17}                             # UnionPay
    | 220[0-4][0-9]{12}                                 # Mir
    | (?:508|82[0-9])[0-9]{13}                          # RuPay
    | 9792[0-9]{12}                                     # Troy
    | (?:5018|5020|5038|5893|6304|6759|676[1-3])[0-9]{8,15}  # Maestro, of other lengths
    | 3(?:0[0-5]|095|6[0-9]|[89][0-9])[0-9]{13}         # Diners Club, sixteen digits
    | (?:50|5[6-9]|6[0-9])[0-9]{14}                     # Maestro
    """,
    re.VERBOSE,
)
"""Numbers of issuers. All other digits that pass Luhn by chance (one in ten) stay out."""
_IBAN_CHARACTERS: Final = {
    code[:2]: int(code[2:])
    for code in (
        "AE23 AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GR27 HR21 HU28 IE22 "
        "IL23 IT27 LT20 LU20 LV21 MT31 NL18 NO15 PL28 PT25 RO24 SA24 SE24 SI19 SK24 TR26"
    ).split()
}
"""The length that each country gives its account numbers (ISO 13616)."""


def resident_birth(digits: str) -> date | None:
    """Return the day that six of 13 digits name in the century of the 7th, if it is a day."""
    century = _CENTURY.get(digits[6])
    if century is None:
        return None
    try:
        return date(century + int(digits[:2]), int(digits[2:4]), int(digits[4:6]))
    except ValueError:
        return None


def resident_is_born_later(digits: str) -> bool:
    """True if 13 digits, read as a resident number, name a birth that is far from now.

    Without a clock: such digits are an article's or an order's rather than a child's.
    """
    return _CENTURY.get(digits[6], 0) + int(digits[:2]) > LAST_BIRTH_YEAR


def resident_is_valid(digits: str) -> bool:
    """Check the last of a resident number's 13 digits.

    Numbers issued since October 2020 carry no check digit: False does not mean "no number".
    """
    return (11 - _weighted_sum(digits, _RESIDENT_WEIGHTS) % 11) % 10 == int(digits[12])


def resident_is_other_number(digits: str, *, has_check: bool) -> bool:
    """True if 13 digits without a dash are rather a time stamp or an article number.

    880 is Korea's prefix of article numbers, and reads as a birth in 1988.
    """
    if resident_is_born_later(digits):
        return True
    # Articles numbered 20 to 29 never leave the shop that numbers them; children are so numbered.
    is_article = ean_is_valid(digits) and digits[0] != "2"
    if is_article and (digits.startswith("880") or not has_check):
        return True
    return not has_check and digits.startswith(_EPOCH_BIRTHS)


def foreigner_is_valid(digits: str) -> bool:
    """Check the last of a foreigner registration number's 13 digits."""
    return (13 - _weighted_sum(digits, _RESIDENT_WEIGHTS) % 11) % 10 == int(digits[12])


def business_is_valid(digits: str) -> bool:
    """Check the last of a business registration number's 10 digits."""
    total = _weighted_sum(digits, _BUSINESS_WEIGHTS) + int(digits[8]) * 5 // 10
    return (10 - total % 10) % 10 == int(digits[9])


def luhn_is_valid(digits: str) -> bool:
    """Check a payment card number (ISO/IEC 7812-1, Luhn)."""
    doubled = digits[-2::-2].translate(_DOUBLED)
    return (sum(map(int, digits[::-2])) + sum(map(int, doubled))) % 10 == 0


def card_is_issued(digits: str) -> bool:
    """True if an issuer gives out cards with such a number; its check digit may be wrong."""
    return _CARD_ISSUER.fullmatch(digits) is not None


def iban_is_valid(letters: str) -> bool:
    """Check an account number (ISO 13616, mod 97) of a known country; `letters` has no spaces."""
    if _IBAN_CHARACTERS.get(letters[:2]) != len(letters):
        return False
    return int("".join(str(int(each, 36)) for each in letters[4:] + letters[:4])) % 97 == 1


def ean_is_valid(digits: str) -> bool:
    """Check the 13 digits of an article number (EAN-13, ISBN-13)."""
    total = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits))
    return total % 10 == 0


def _weighted_sum(digits: str, weights: tuple[int, ...]) -> int:
    return sum(map(mul, map(int, digits), weights))
