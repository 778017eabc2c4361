"""Find values that are certainly a person's: by a check digit, or by a form that nothing else has.

The recorder masks them in records and logs. `minerva_platform.text` masks them in what the data and
insilico teams read. Names and addresses have no such form, and are not found. Governance, which
looks for persons in data, has more kinds, and believes values by their columns (its
`core/detection`); check digits are shared.

To add a form, add it here, and add to `test_personal_data.py` rows that it finds and rows that it
must leave alone. Every pattern takes a bounded number of steps for each letter, because an attacker
may have written the text that is searched.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from minerva_observability.masking import check_digits

Interval = tuple[int, int]
"""The start and the end of a part of a text."""

_DIGITS: Final = re.compile(r"[0-9](?:[-. ()]{0,3}[0-9]){8,}")
"""What stands in every number; the shortest, a phone's, has nine digits. Texts are searched around
such runs, and around each @: whole source files would take ten times as long."""
_AROUND_DIGITS: Final = (12, 20)
"""Characters before and behind a run that an IBAN with letters inside may have."""
_AROUND_AT: Final = (65, 600)
"""Characters that an address and what may not stand before it have."""
_FOLDED: Final = {
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-"),
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
}
"""Dashes of all kinds and full-width letters, as what they look like; lengths stay."""
_MAY_FOLD: Final = re.compile("[\u2010-\u2015\u2212\uff01-\uff5e]")

_BEGIN: Final = r"(?<![0-9A-Za-z])(?<![0-9][-.])"
"""A digit run inside a longer number, a code or a date is no value. An underscore may stand before
it, because it does in names of files."""
_END: Final = r"(?![0-9A-Za-z]|[-:][0-9]|\.[0-9])"
_NUMBER: Final = re.compile(
    rf"""{_BEGIN}(?:
      (?P<resident> [0-9]{{2}}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])
                    (?P<dash>\ ?-\ ?|\ |) [1-8][0-9]{{6}} )
    | (?P<card> [0-9]{{4}}(?P<gap>[- ]?)[0-9]{{4}}(?P=gap)[0-9]{{4}}(?P=gap)[0-9]{{4}}
              | 3[47][0-9]{{2}}(?P<gap2>[- ]?)[0-9]{{6}}(?P=gap2)[0-9]{{5}} )
    | (?P<phone> 01[016789](?P<gap3>[-. ])[0-9]{{3,4}}(?P=gap3)[0-9]{{4}}    # Korea: mobile
               | 010[2-9][0-9]{{7}}
               | 0(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4]|70)-[0-9]{{3,4}}-[0-9]{{4}}   # by area
               | \+82[-. ]?(?:\(0\)|0)?[-. ]?[1-7][0-9]?[-. ]?[0-9]{{3,4}}[-. ]?[0-9]{{4}}
               | \+[1-9][0-9]{{0,2}}[-. ]\(?[0-9]{{1,4}}\)?(?:[-. ][0-9]{{2,4}}){{2,4}} )
    ){_END}""",
    re.VERBOSE,
)
_IBAN: Final = re.compile(
    rf"{_BEGIN}[A-Z]{{2}}[0-9]{{2}}(?: ?[A-Z0-9]{{4}}){{2,7}}(?: ?[A-Z0-9]{{1,3}})?(?![0-9A-Za-z])"
)
_CHECKED_BARE_CARDS: Final = "3459"
"""First digits of a card number without gaps: others are too common among other numbers."""
_LOCAL: Final = r"[A-Za-zÀ-ɏ0-9._+-]"
_HOST: Final = r"(?:[A-Za-zÀ-ɏ0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9@])"
_MAIL: Final = re.compile(
    rf"""
      (?<![A-Za-zÀ-ɏ0-9._%$+-]) (?<!://)      # %s@… is a template, ://user@… a login
      (?!git@) {_LOCAL}{{1,64}} @ (?![0-9]x\.)    # git@ is a service, icon@2x.png a picture
      {_HOST}
    """,
    re.VERBOSE,
)
_NEXT_MAIL: Final = re.compile(rf"[._-]?{_LOCAL}{{1,64}}@{_HOST}")
"""An address that is joined to the end of another."""
_TABLE_COMES: Final = re.compile(r"(?i)\b(?:from|join|into|update|table)\s+\Z")
_LINK_WORD_CHARACTERS: Final = 20
_LOGIN: Final = re.compile(r"://[^\s/@]*:\Z")
_MAX_LOGIN_CHARACTERS: Final = 100
_RESIDENT_CHECKS: Final = (check_digits.resident_is_valid, check_digits.foreigner_is_valid)


def personal_intervals(text: str) -> list[Interval]:
    """Return the intervals of `text` that hold a person's value, in order; none overlap.

    These are Korean resident and foreigner numbers, payment cards, IBANs, phone numbers and e-mail
    addresses.
    """
    if not text.isascii() and _MAY_FOLD.search(text):
        text = text.translate(_FOLDED)
    found: list[Interval] = []
    for start, end in sorted(chain(_mails(text), _with_digits(text))):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def _mails(text: str) -> Iterator[Interval]:
    before, behind = _AROUND_AT
    done, at = 0, text.find("@")
    while at >= 0:
        hit = _MAIL.search(text, max(done, at - before), at + behind)
        done = at + 1
        while hit is not None:
            done = hit.end()
            if not (_is_table(text, hit) or _is_login(text, hit)):
                yield hit.span()
            hit = _NEXT_MAIL.match(text, done)
        at = text.find("@", done)


def _with_digits(text: str) -> Iterator[Interval]:
    before, behind = _AROUND_DIGITS
    for run in _DIGITS.finditer(text):
        start, end = max(0, run.start() - before), run.end() + behind
        yield from _numbers(text, start, end)
        yield from _accounts(text, start, end)


def _is_table(text: str, hit: re.Match[str]) -> bool:
    """True if a query names a table of another database: `FROM TB_PATIENT@HIS.WORLD`."""
    before = text[max(0, hit.start() - _LINK_WORD_CHARACTERS) : hit.start()]
    return hit.group().isupper() and _TABLE_COMES.search(before) is not None


def _is_login(text: str, hit: re.Match[str]) -> bool:
    """True if it is the password and the host of an address: `://user:password@host.org`."""
    before = text[max(0, hit.start() - _MAX_LOGIN_CHARACTERS) : hit.start()]
    return before.endswith(":") and _LOGIN.search(before) is not None


def _numbers(text: str, start: int, end: int) -> Iterator[Interval]:
    for hit in _NUMBER.finditer(text, start, end):
        if _IS_VALUE[hit.lastgroup or ""](hit) and not _is_bare_in_name(text, hit):
            yield hit.span()


def _is_bare_in_name(text: str, hit: re.Match[str]) -> bool:
    """True if mere digits are a part of an identifier."""
    start, end = hit.span()
    return hit.group().isdigit() and "_" in (text[start - 1 : start], text[end : end + 1])


def _is_resident(hit: re.Match[str]) -> bool:
    digits = "".join(filter(str.isdigit, hit.group()))
    if check_digits.resident_birth(digits) is None:
        return False
    if "-" in hit["dash"]:  # numbers since October 2020 have no check digit
        return True
    is_valid = any(check(digits) for check in _RESIDENT_CHECKS)
    is_bare = hit["dash"] == ""
    if is_bare and digits.startswith("1"):  # as time stamps in milliseconds do until 2033
        return False
    return is_valid and not (
        is_bare and check_digits.resident_is_other_number(digits, has_check=True)
    )


def _is_card(hit: re.Match[str]) -> bool:
    digits = "".join(filter(str.isdigit, hit.group()))
    is_bare = hit.group().isdigit()
    return (
        check_digits.luhn_is_valid(digits)
        and check_digits.card_is_issued(digits)
        and (not is_bare or digits[0] in _CHECKED_BARE_CARDS)
    )


def _is_phone(hit: re.Match[str]) -> bool:
    return _MIN_PHONE_DIGITS <= sum(map(str.isdigit, hit.group())) <= _MAX_PHONE_DIGITS


_MIN_PHONE_DIGITS: Final = 9
_MAX_PHONE_DIGITS: Final = 15
"""E.164."""
_IS_VALUE: Final = {"resident": _is_resident, "card": _is_card, "phone": _is_phone}


def _accounts(text: str, start: int, end: int) -> Iterator[Interval]:
    for hit in _IBAN.finditer(text, start, end):
        letters = hit.group().replace(" ", "")
        if check_digits.iban_is_valid(letters):
            yield hit.span()
