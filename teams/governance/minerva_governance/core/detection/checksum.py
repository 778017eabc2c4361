"""Check digits of Korean numbers and of payment cards.

A right check digit turns "looks like one" into "is one": the detectors score 1.0 for it.
All functions take digits only, of the right length.
"""

from datetime import date
from operator import mul

_RESIDENT_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_BUSINESS_WEIGHTS = (1, 3, 7, 1, 3, 7, 1, 3, 5)
_CENTURY = {"1": 1900, "2": 1900, "3": 2000, "4": 2000, "5": 1900, "6": 1900, "7": 2000, "8": 2000}
_LAST_BIRTH_YEAR = 2039
_DOUBLED = str.maketrans("0123456789", "0246813579")
"""The sum of the digits of twice a digit."""


def resident_birth_is_date(digits: str) -> bool:
    """True if the first six of 13 digits are a day of the century that the 7th names."""
    century = _CENTURY.get(digits[6])
    if century is None:
        return False
    try:
        date(century + int(digits[:2]), int(digits[2:4]), int(digits[4:6]))
    except ValueError:
        return False
    return True


def resident_is_born_later(digits: str) -> bool:
    """True if 13 digits, read as a resident number, name a birth that is far from now.

    Without a clock: such digits are an article's or an order's rather than a child's.
    """
    return _CENTURY.get(digits[6], 0) + int(digits[:2]) > _LAST_BIRTH_YEAR


def resident_is_valid(digits: str) -> bool:
    """Check the last of a resident number's 13 digits.

    Numbers issued since October 2020 carry no check digit: False does not mean "no number".
    """
    return (11 - _weighted(digits, _RESIDENT_WEIGHTS) % 11) % 10 == int(digits[12])


def foreigner_is_valid(digits: str) -> bool:
    """Check the last of a foreigner registration number's 13 digits."""
    return (13 - _weighted(digits, _RESIDENT_WEIGHTS) % 11) % 10 == int(digits[12])


def business_is_valid(digits: str) -> bool:
    """Check the last of a business registration number's 10 digits."""
    total = _weighted(digits, _BUSINESS_WEIGHTS) + int(digits[8]) * 5 // 10
    return (10 - total % 10) % 10 == int(digits[9])


def luhn_is_valid(digits: str) -> bool:
    """Check a payment card number (ISO/IEC 7812-1, Luhn)."""
    doubled = digits[-2::-2].translate(_DOUBLED)
    return (sum(map(int, digits[::-2])) + sum(map(int, doubled))) % 10 == 0


def ean_is_valid(digits: str) -> bool:
    """Check the 13 digits of an article number (EAN-13, ISBN-13)."""
    total = sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits))
    return total % 10 == 0


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(map(mul, map(int, digits), weights))
