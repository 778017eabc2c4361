"""Whose number plan a phone number follows.

Korea's plan is our own; others are those of `phonenumbers`, the extra `numbers`.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from minerva_governance.core.kinds.extra import has_extra

KOREA: Final = "KR"
_KOREAN: Final = re.compile(
    r"""
      # mobile: 010, (010), +82 10, +82 (0)10
      (?:(?:\+|00)82[-. ]?(?:\(0\)|0)?[-. ]?|\(?0)
      1[016789]\)?(?:[ ]?[-.][ ]?|[ ])?[0-9]{3,4}(?:[ ]?[-.][ ]?|[ ])?[0-9]{4}
      # without the zero: 10-1234-5678, 82-10-1234-5678
    | (?:\(?82\)?[-. ]?)?(?:\(0\))?1[016789][-. ][0-9]{3,4}[-. ][0-9]{4}
      # by area or service: (02), 031, 070
    | (?:\(?0|(?:\+|00)82[-. ]?(?:\(0\)|0)?)
      (?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4]|70|80|50[2-8]?)
      (?:\)[ ]?|[ ]?[-.][ ]?|[ ])?[0-9]{3,4}(?:[ ]?[-.][ ]?|[ ])?[0-9]{4}
      # 1588-0000
    | 1[5-9][0-9]{2}-?[0-9]{4}
    """,
    re.VERBOSE,
)

_MOBILE: Final = {
    "GB": re.compile(r"(?:0|44)(?:7[1-57-9][0-9]{8}|1632960[0-9]{3})"),
    "FR": re.compile(r"(?:0|33)[67][0-9]{8}"),
}
"""`phonenumbers` leaves out the numbers that Ofcom and ARCEP keep for films; digits alone."""


_FROM: Final = {"011": "US", "010": "JP"}
"""Who dials so before the code of another country; 010 and 011 are mobiles in Korea, too."""


def phone_region(text: str, *, plans: Sequence[str] = ()) -> str | None:
    """Return the ISO 3166-1 code of the plan that `text` is a number of.

    Without a `+` the country is not written: Korea's plan is asked, and then `plans`. None means
    that no plan has the number, or that `phonenumbers` is not installed.
    """
    if _KOREAN.fullmatch(text):
        return KOREA
    if not has_extra("numbers"):
        return None
    if text.startswith(("+", "00")):
        # Korea dials 001, 002, 00700 and more before the country.
        return _plan(_with_plus(text), None) or _plan(text, KOREA)
    if text.startswith("(") and not text.startswith("(0"):
        return _plan(text, "US")
    abroad = _FROM.get(text[:3])
    return (_plan(text, abroad) if abroad else None) or _national(text, plans)


def _national(text: str, plans: Sequence[str]) -> str | None:
    """Return the first of `plans` that has a number which is written without its country."""
    digits = "".join(filter(str.isdigit, text)) if plans else ""
    for region in plans:
        mobile = _MOBILE.get(region)
        if (mobile is not None and mobile.fullmatch(digits)) or _plan(text, region):
            return region
    return None


def _with_plus(text: str) -> str:
    """Return a number that begins with 00, as most countries dial abroad, with a plus."""
    return f"+{text[2:]}" if text.startswith("00") else text


@lru_cache(maxsize=4096)  # columns repeat numbers, and a look into the plans costs 20 µs
def _plan(text: str, region: str | None) -> str | None:
    numbers: Any = import_module("phonenumbers")
    try:
        parsed = numbers.parse(text, region)
    except numbers.NumberParseException:
        return None
    if not numbers.is_valid_number(parsed):
        return None
    found = numbers.region_code_for_number(parsed)
    return found if isinstance(found, str) else None


@lru_cache(maxsize=4096)
def is_possible_phone(text: str) -> bool:
    """True if a number with its country's code is as long as numbers of that country are.

    It is dialled from anywhere, or from Korea (001) or North America (011). Without `phonenumbers`
    any length is.
    """
    if not has_extra("numbers"):
        return True
    abroad = _ABROAD.match(text)
    return _has_length(_with_plus(text)) or (
        abroad is not None and _has_length(f"+{text[abroad.end() :]}")
    )


_ABROAD: Final = re.compile(r"(?:00[1-9]|00700|011)[-. ]+")
"""What Korea and North America dial before the code of a country."""


def _has_length(text: str) -> bool:
    numbers: Any = import_module("phonenumbers")
    try:
        return bool(numbers.is_possible_number(numbers.parse(text, None)))
    except numbers.NumberParseException:
        return False
